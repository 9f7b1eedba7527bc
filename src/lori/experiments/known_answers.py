"""Known answers: does each method of the paper's table 1 find what is true in a problem of its own kind?

Every function makes a problem whose answer is known, has the method learn from it, and says whether the answer was
found.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from lori.baselines.birl import BayesianIRL, best_action_values
from lori.baselines.constraints import ConstraintInference
from lori.baselines.cpnet import CPNet, CPNetLearner
from lori.baselines.drex import DREX
from lori.baselines.ensembles import RewardEnsemble
from lori.baselines.gaussian_process import GaussianProcess
from lori.baselines.lexicographic import LexicographicOrder, ModelVoting, VariableVoting
from lori.baselines.lexicographic_tree import LexicographicTree, Node
from lori.baselines.maximum_entropy import MaximumEntropyIRL
from lori.baselines.soft import soft_policy
from lori.baselines.specifications import SpecificationInference
from lori.baselines.trex import TREX, NetworkTREX
from lori.data.preferences import OUTCOMES, Preferences
from lori.estimators.lori import LORI
from lori.evaluation.metrics import rmse
from lori.model.ordered import OrderedModel
from lori.model.precision import double_precision
from lori.model.rewards import Linear
from lori.model.simulation import simulate
from lori.policies.mdp import FactoredMDP, Grid
from lori.policies.rollouts import Rollouts

SIDE, HORIZON, SHOWN = 5, 8, 200  # a world of 5 by 5 cells, and demonstrations in it
MOVES = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1), "stay": (0, 0)}


def preferred(left: np.ndarray, right: np.ndarray, first: np.ndarray) -> Preferences:
    """Left is preferred where `first` is above zero."""
    return Preferences.from_arrays(left, right, counts=np.eye(len(OUTCOMES))[np.where(first > 0, 0, 2)])


def attributes(generator: np.random.Generator, pairs: int, count: int, values: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of different alternatives with few values in each attribute."""
    left, right = generator.integers(values, size=(2, pairs, count)).astype(float)
    differ = (left != right).any(axis=1)
    return left[differ], right[differ]


def first_difference(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """What a lexicographic order by columns goes by."""
    difference = left - right
    return difference[np.arange(len(difference)), (difference != 0).argmax(axis=1)]


# -- from preferences --------------------------------------------------------------------------------------------


def cpnet(seed: int) -> bool:
    """A net with four attributes is found again from all that it entails."""
    generator = np.random.default_rng(seed)
    sizes, parents = (2, 3, 2, 2), ((), (0,), (1,), ())
    tables = [
        {own: tuple(map(int, generator.permutation(size))) for own in product(*(range(sizes[p]) for p in above))}
        for size, above in zip(sizes, parents, strict=True)
    ]
    truth = CPNet(sizes, parents, tables)
    outcomes = np.array(list(product(*map(range, sizes))), float)
    better, worse = np.nonzero(truth.relation)
    found = CPNetLearner().fit(Preferences.from_indices(outcomes, better, worse)).net_
    return bool(np.array_equal(found.relation, truth.relation))


def _ordered(seed: int) -> Preferences:
    left, right = attributes(np.random.default_rng(seed), 600, 5, 3)
    return preferred(left, right, first_difference(left, right))


def lexicographic_order(seed: int) -> bool:
    """Five attributes, in the order of the columns."""
    seen = _ordered(seed)
    return LexicographicOrder().fit(seen).order_ == seen.features


def variable_voting(seed: int) -> bool:
    """No vote is against a preference, and ranks never contradict the order."""
    seen = _ordered(seed)
    model = VariableVoting(increasing="all").fit(seen)
    agreeing = np.array_equal(model.predict(seen) == "left", seen.outcome_counts[:, 0] > 0)
    return bool(agreeing and np.all(np.diff(model.ranks_) >= 0))


def model_voting(seed: int) -> bool:
    seen = _ordered(seed)
    return set(ModelVoting(slip=0.0).fit(seen).sample_orders(50, seed)) == {seen.features}


def lexicographic_tree(seed: int) -> bool:
    """What comes second depends on the value of what comes first."""
    left, right = attributes(np.random.default_rng(seed), 1000, 4, 2)
    up, down = np.array([1, 0]), np.array([0, 1])

    def chain(order: tuple[int, ...], ranks: np.ndarray) -> Node | None:
        below = chain(order[1:], ranks) if order else None
        return Node(order[0], ranks, (below, below)) if order else None

    truth = Node(0, up, (chain((3, 2, 1), down), chain((1, 2, 3), up)))
    model = LexicographicTree().fit(preferred(left, right, truth.verdict(left.astype(int), right.astype(int))))
    return model.tree_.attribute == 0 and [node.attribute for node in model.tree_.below if node] == [3, 1]


def gaussian_process(seed: int) -> bool:
    """A reward that is neither linear nor monotone, of 60 alternatives."""
    generator = np.random.default_rng(seed)
    items = generator.uniform(-2, 2, size=(60, 2))
    reward = 3 * np.sin(1.5 * items[:, 0]) + items[:, 1] ** 2
    one = generator.integers(60, size=800)
    other = (one + generator.integers(1, 60, size=800)) % 60
    noise = np.sqrt(2) * generator.normal(size=800)
    first = np.where(reward[one] - reward[other] + noise > 0, 0, 2)
    model = GaussianProcess().fit(Preferences.from_indices(items, one, other, counts=np.eye(3)[first]))
    return bool(np.corrcoef(model.reward(items)[0], reward)[0, 1] > 0.95)


ONE_REWARD = OrderedModel.linear([[2.0, -1.0, 0.5]], epsilon=[0.0])


def _near(model: object, truth: OrderedModel, seed: int, error: float) -> bool:
    new = np.random.default_rng(seed + 500).normal(size=(500, 2, len(truth.features)))
    found = model.predict_proba(new[:, 0], new[:, 1])[:, 0]  # type: ignore[attr-defined]
    return rmse(found, truth.predict_proba(new[:, 0], new[:, 1])[:, 0]) < error


def trex(seed: int) -> bool:
    """The weights of a linear reward."""
    return _near(
        TREX(standard_errors="none", seed=seed).fit(simulate(ONE_REWARD, 1000, seed=seed)), ONE_REWARD, seed, 0.05
    )


def network_trex(seed: int) -> bool:
    """The reward of a step is the square of its first feature; trajectories of six steps are compared."""
    generator = np.random.default_rng(seed)
    steps = generator.uniform(-1, 1, size=(500, 2, 6, 2))
    totals = (6 * steps[..., 0] ** 2 - 2).sum(axis=2)
    won = generator.random(500) < 1 / (1 + np.exp(totals[:, 1] - totals[:, 0]))
    model = NetworkTREX(hidden=8, seed=seed).fit(steps, np.where(won, "left", "right"))
    grid = np.linspace(-1, 1, 21)
    return bool(np.corrcoef(model.reward(np.column_stack([grid, np.zeros(21)])), grid**2)[0, 1] > 0.95)


def reward_ensemble(seed: int) -> bool:
    """Members agree more after more preferences."""
    pairs = np.random.default_rng(seed + 500).normal(size=(200, 2, 3))
    few, many = (
        RewardEnsemble(hidden=4, seed=seed).fit(simulate(ONE_REWARD, count, seed=seed)) for count in (50, 1000)
    )
    return bool(many.disagreement(pairs).mean() < few.disagreement(pairs).mean()) and _near(many, ONE_REWARD, seed, 0.1)


TWO_LEVELS = OrderedModel.linear(
    [[6.0, 2.0, 0.0, 0.0], [0.0, 0.0, 6.0, 2.0]],
    epsilon=[5.0, 0.0],
    features=["first", "with it", "second", "with that"],
)


def lori(seed: int) -> bool:
    """Two levels with two features each, and a threshold: which lead, and the probabilities."""
    model = LORI(standard_errors="none", seed=seed).fit(simulate(TWO_LEVELS, 1000, seed=seed))
    leading = [level.leading[:1] for level in model.summary().levels]
    return leading == [("first",), ("second",)] and _near(model, TWO_LEVELS, seed, 0.05)


# -- from demonstrations -----------------------------------------------------------------------------------------


def grid_world() -> FactoredMDP:
    """5 by 5 cells with walls around; each action leads to one cell."""
    place = np.arange(SIDE)
    factors = [
        np.stack([np.eye(SIDE)[np.clip(place + move[axis], 0, SIDE - 1)] for move in MOVES.values()]) for axis in (0, 1)
    ]
    grid = Grid(("column", "row"), (0.0, 0.0), (SIDE - 1.0,) * 2, (SIDE, SIDE))
    return FactoredMDP.from_factors(factors, actions=tuple(MOVES), grid=grid)


def demonstrated(mdp: FactoredMDP, policy: np.ndarray, seed: int) -> Rollouts:
    """Trajectories from the middle of the left side; `policy` (horizon, actions, *cells) in logarithms."""
    generator = np.random.default_rng(seed)
    steps = np.array(list(MOVES.values()))
    cells, actions = [np.tile([0, SIDE // 2], (SHOWN, 1))], []
    for log in policy:
        chances = np.exp(log[(slice(None), *cells[-1].T)]).T
        actions.append((generator.random((SHOWN, 1)) >= np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1))
        cells.append(np.clip(cells[-1] + steps[actions[-1]], 0, SIDE - 1))
    return Rollouts(np.stack(cells, axis=1).astype(float), np.stack(actions, axis=1), mdp.grid.features)


def maximum_entropy(seed: int) -> bool:
    """The weights of a reward per step, within what 99.9 % of all samples give; features are matched."""
    mdp, theta = grid_world(), np.array([0.3, -0.4])
    shown = demonstrated(mdp, soft_policy(mdp, mdp.grid.states @ theta, HORIZON)[0], seed)
    model = MaximumEntropyIRL().fit(shown, mdp)
    away, spread = model.weights_ - theta, np.cov(shown.states.sum(axis=1).T)
    matched = np.abs(model.expected_ - model.demonstrated_).max() < 1e-4
    return bool(SHOWN * away @ spread @ away < 13.8 and matched)


@double_precision
def bayesian_irl(seed: int) -> bool:
    """The weights lie in the middle 99 % of the posterior, when actions follow softmax((1 − γ) Q)."""
    mdp, theta = grid_world(), np.array([3.0, 2.0])
    reward = mdp.grid.states @ (theta * [1, -1])
    values, _ = best_action_values(mdp, reward, 0.8, np.zeros((SIDE, SIDE)), 1000)  # type: ignore[arg-type]
    scaled = 0.2 * np.asarray(values)
    log = scaled - np.logaddexp.reduce(scaled, axis=0)
    shown = demonstrated(mdp, np.repeat(log[None], HORIZON, axis=0), seed)
    signs = Linear(increasing=["column"], decreasing=["row"])
    model = BayesianIRL(reward=signs, discount=0.8, samples=6000, burn_in=1000, step=0.1, seed=seed).fit(shown, mdp)
    low, high = np.quantile(np.abs(model.draws_), [0.005, 0.995], axis=0)
    return bool(np.all((low < theta) & (theta < high)))


def drex(seed: int) -> bool:
    """People go east; noise makes that worse, and the reward rises to the east and hardly to the north."""
    mdp = grid_world()
    shown = demonstrated(mdp, soft_policy(mdp, mdp.grid.states @ np.array([1.5, 0.0]), HORIZON)[0], seed)
    model = DREX(seed=seed).fit(shown, mdp)
    here, east, north = model.reward_.reward(np.array([[0, 2], [1, 2], [0, 3]]))
    return bool(np.all(np.diff(model.returns_) < 0) and east - here > 3 * abs(north - here))


def _region(*cells: tuple[int, int]) -> np.ndarray:
    mask = np.zeros((SIDE, SIDE), bool)
    mask[tuple(np.array(cells).T)] = True
    return mask


def specification(seed: int) -> bool:
    """People reach the goal and avoid the lava; 24 other tasks are possible."""
    mdp = grid_world()
    regions = {"goal": _region((3, 2), (3, 3)), "lava": _region((2, 2), (2, 3)), "door": _region((1, 1), (2, 1))}
    reward = 0.8 * mdp.grid.states[..., 0] - 8.0 * regions["lava"] + 1.5 * regions["goal"]
    shown = demonstrated(mdp, soft_policy(mdp, reward, HORIZON)[0], seed)
    return SpecificationInference(regions=regions).fit(shown, mdp).formula_.name == "reach goal and avoid lava"


def constraint(seed: int) -> bool:
    """People go east around a wall; LORI, told which trajectories touch it and how far east they get, puts it first."""
    mdp, wall = grid_world(), _region((2, 2), (2, 3))
    reward = 0.5 * mdp.grid.states[..., 0]
    shown = demonstrated(mdp, soft_policy(mdp, np.where(wall, -np.inf, reward), HORIZON)[0], seed)
    model = ConstraintInference(reward=reward, most=2).fit(shown, mdp)
    return {own.cell for own in model.constraints_} == {(2, 2), (2, 3)} and _constraint_by_lori(mdp, wall, model, seed)


def _constraint_by_lori(mdp: FactoredMDP, wall: np.ndarray, model: ConstraintInference, seed: int) -> bool:
    """The lexicographic reading of the constraints: preferences that follow them, seen by LORI."""
    everything = demonstrated(mdp, np.full((HORIZON, len(MOVES), SIDE, SIDE), -np.log(len(MOVES))), seed + 500)
    generator = np.random.default_rng(seed)
    one = generator.integers(SHOWN, size=600)
    other = (one + generator.integers(1, SHOWN, size=600)) % SHOWN
    chances = model.predict_proba(everything.states[one], everything.states[other])[:, 0]
    touched = model.violates(everything.states).astype(float)
    features = np.column_stack([touched, everything.states[:, :, 0].sum(axis=1)])
    won = np.eye(3)[np.where(generator.random(600) < chances, 0, 2)]
    seen = Preferences.from_indices(features, one, other, counts=won, features=["touches the wall", "east"])
    leading = [level.leading[:1] for level in LORI(standard_errors="none", seed=seed).fit(seen).summary().levels]
    return leading[:1] == [("touches the wall",)]


KNOWN: dict[str, Callable[[int], bool]] = {
    "CP-net": cpnet,
    "lexicographic order": lexicographic_order,
    "variable voting": variable_voting,
    "model voting": model_voting,
    "lexicographic tree": lexicographic_tree,
    "Gaussian process": gaussian_process,
    "maximum-entropy IRL": maximum_entropy,
    "Bayesian IRL": bayesian_irl,
    "T-REX": trex,
    "network T-REX": network_trex,
    "D-REX": drex,
    "reward ensemble": reward_ensemble,
    "specification": specification,
    "constraints": constraint,
    "LORI": lori,
}
"""In the order of the paper's table 1."""
