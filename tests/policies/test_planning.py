"""Are plans the best there are? By brute force, by known answers, and by a naive restatement of the backup."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from lori.errors import InputError
from lori.model.ordered import Level, OrderedModel
from lori.model.rewards import Capped, Function
from lori.policies.mdp import FactoredMDP, Grid
from lori.policies.planning import plan, plan_for

KNOWN = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "lexicographic_rl" / "known_answers.json"


@pytest.fixture(scope="module")
def known() -> dict:
    if not KNOWN.is_file():
        pytest.skip("the folder shared/data is not beside the project")
    return json.loads(KNOWN.read_text())


def random_mdp(*cells: int, actions: int = 2, seed: int = 0) -> FactoredMDP:
    generator = np.random.default_rng(seed)
    factors = [generator.dirichlet(np.full(count, 0.3), size=(actions, count)) for count in cells]
    return FactoredMDP.from_factors(factors, actions=[f"action {i}" for i in range(actions)])


def test_ordinary_value_iteration_finds_the_best_of_all_policies():
    mdp, reward, discount = random_mdp(5, actions=3), np.random.default_rng(1).normal(size=5), 0.8
    table = mdp.factors[0]
    worth = [
        np.linalg.solve(np.eye(5) - discount * table[list(choice), np.arange(5)], reward)
        for choice in product(range(3), repeat=5)
    ]
    best = plan(mdp, reward[None], discount=discount, sweeps=200)
    np.testing.assert_allclose(best.values[0], np.max(worth, axis=0), atol=1e-10)
    np.testing.assert_allclose(best.action_values[0], reward + discount * table @ best.values[0], atol=1e-10)


def naive(mdp, rewards, caps, discount, sweeps):
    """The backup as loops over a dense table: Q = min(c, R + min(c, γ E[V])), greatest tuple wins."""
    (z, w), actions = mdp.grid.cells, len(mdp.actions)
    ceilings = [cap / (1 - discount) for cap in caps]
    values = np.zeros_like(rewards)
    for _ in range(sweeps):
        q = np.zeros((len(rewards), actions, z, w))
        for level, action, i, j in np.ndindex(q.shape):
            future = mdp.factors[0][action, i] @ values[level] @ mdp.factors[1][action, j]
            q[level, action, i, j] = min(
                ceilings[level], rewards[level, i, j] + min(ceilings[level], discount * future)
            )
        order = [[[tuple(q[:, a, i, j]) for a in range(actions)] for j in range(w)] for i in range(z)]
        choice = np.array([[cell.index(max(cell)) for cell in row] for row in order])
        values = np.take_along_axis(q, choice[None, None], axis=1)[:, 0]
    return q, values, choice


@pytest.mark.parametrize(
    "caps", [(0.2, np.inf, np.inf), (0.1, 0.3, np.inf), (np.inf, np.inf, np.inf), (-9.0, -9.0, 0.2)]
)
def test_the_lexicographic_backup_is_as_printed(caps):
    mdp, rewards = random_mdp(4, 3, actions=3), np.random.default_rng(2).normal(size=(3, 4, 3))
    q, values, choice = naive(mdp, rewards, caps, 0.9, 30)
    found = plan(mdp, rewards, [None if cap == np.inf else cap for cap in caps], discount=0.9, sweeps=30)
    np.testing.assert_allclose(found.action_values, q, atol=1e-10)
    np.testing.assert_allclose(found.values, values, atol=1e-10)
    np.testing.assert_array_equal(np.argmax(found.policy.table, axis=-1), choice)
    assert np.all(found.policy.table.sum(axis=-1) == 1)


def test_a_reached_cap_hands_over_to_the_next_level():
    mdp, rewards = random_mdp(6, actions=2), np.random.default_rng(3).normal(size=(2, 6))
    below_every_reward = float(rewards[0].min()) - 1
    np.testing.assert_array_equal(
        plan(mdp, rewards, [below_every_reward, None]).policy.table, plan(mdp, rewards[1:]).policy.table
    )
    np.testing.assert_array_equal(plan(mdp, rewards).policy.table, plan(mdp, rewards[:1]).policy.table)


def test_the_unit_of_a_reward_does_not_matter():
    mdp, rewards = random_mdp(6, actions=3), np.random.default_rng(4).normal(size=(2, 6))
    tables = [plan(mdp, scale * rewards, [0.1 * scale, None]).policy.table for scale in (1e-12, 1.0, 1e12)]
    np.testing.assert_array_equal(tables[0], tables[1])
    np.testing.assert_array_equal(tables[2], tables[1])


def test_a_model_is_planned_for_with_its_caps():
    """A capped level: the sum of what is below its cap. A function of the features: its value in each cell."""
    grid = Grid(("z", "w"), (0.0, 0.0), (4.0, 2.0), (5, 3))
    mdp = FactoredMDP.from_factors(random_mdp(5, 3).factors, actions=("a", "b"), grid=grid)
    capped = Level(Capped(), np.array([-0.5, 2.0, 0.8]), 0.1, slopes=np.array([-0.5, 2.0]))
    squared = Level(Function(lambda parameters, x: x[0] ** 2), np.empty(0), 0.1)
    z, w = np.meshgrid(np.linspace(0, 4, 5), np.linspace(0, 2, 3), indexing="ij")
    found = plan_for(OrderedModel((capped, squared), ("z", "w")), mdp)
    shifted = plan(mdp, np.stack([2 * w - 0.5 * z + 2, z**2]), [2.8, None])  # the least reward is zero: -0.5 * 4 + 2
    np.testing.assert_allclose(found.values, shifted.values)
    with pytest.raises(InputError, match="one of the features z, w"):
        plan_for(OrderedModel((capped, squared), ("w", "z")), mdp)


# -- known answers: Deep Sea Treasure, and the fruit tree --------------------------------------------------------

NEARLY_ONE = 1 - 2.0**-40  # no discount, but for a cap that stays finite
FLOOR = (1, 2, 3, 4, 4, 4, 7, 7, 9, 10, 10)  # of each column, the deepest row: there lies the treasure
TREASURES = dict(zip(zip(FLOOR, range(10), strict=False), (1, 2, 3, 5, 8, 16, 24, 50, 74, 124), strict=True))
LONGEST = 40


def deep_sea() -> tuple[FactoredMDP, dict[tuple[int, int], int]]:
    """The place of the submarine and the time are two features; after a treasure comes the end."""
    places = {(row, column): 0 for column in range(11) for row in range(FLOOR[column] + 1)}
    index = {place: i for i, place in enumerate(places)}
    end = len(index)
    moves = np.zeros((4, end + 1, end + 1))
    for action, (down, right) in enumerate([(-1, 0), (1, 0), (0, -1), (0, 1)]):
        moves[action, end, end] = 1
        for (row, column), here in index.items():
            there = index.get((row + down, column + right), here)
            moves[action, here, end if (row, column) in TREASURES else there] = 1
    clock = np.eye(LONGEST, k=1)
    clock[-1, -1] = 1
    factors = [moves, np.tile(clock, (4, 1, 1))]
    return FactoredMDP.from_factors(factors, actions=["up", "down", "left", "right"]), index


def dived(mdp: FactoredMDP, index: dict, policy) -> list[int]:
    """Treasure and − time when the policy is followed from the surface."""
    place, names = 0, list(index)
    for time in range(LONGEST):
        if names[place] in TREASURES:
            return [TREASURES[names[place]], -time]
        place = int(np.argmax(mdp.factors[0][np.argmax(policy.table[place, time]), place]))
    raise AssertionError("no treasure was found")


@pytest.mark.parametrize("first", ["treasure", "time"])
def test_thresholds_in_the_deep_sea(known, first):
    mdp, index = deep_sea()
    treasure, delay, saved = (np.zeros(mdp.grid.cells) for _ in range(3))
    for place, i in index.items():
        treasure[i] = TREASURES.get(place, 0)
        delay[i] = -1.0 if place not in TREASURES else 0.0
        saved[i] = LONGEST - np.arange(LONGEST) if place in TREASURES else 0.0  # a cap is on what is still to come
    rewards = np.stack([treasure, delay] if first == "treasure" else [saved, treasure, delay])
    for threshold, answer in known[f"lex_threshold_on_{first}"].items():
        enough = float(threshold) + (LONGEST if first == "time" else 0)
        caps = [enough * (1 - NEARLY_ONE), *[None] * (len(rewards) - 1)]
        found = plan(mdp, rewards, caps, discount=NEARLY_ONE, sweeps=60)
        assert dived(mdp, index, found.policy) == answer, threshold


def test_any_order_of_six_objectives_in_the_fruit_tree(known):
    fruits = pytest.importorskip("mo_gymnasium.envs.fruit_tree.fruit_tree", reason="needs lori[rl]").FRUITS["6"]
    depth, leaves = 6, np.array(fruits)
    inner = 2**depth - 1
    moves = np.zeros((2, inner + len(leaves) + 1, inner + len(leaves) + 1))
    for node in range(inner):
        moves[0, node, 2 * node + 1] = moves[1, node, 2 * node + 2] = 1
    moves[:, inner:, -1] = 1
    mdp = FactoredMDP.from_factors([moves], actions=["left", "right"])
    rewards = np.zeros((6, moves.shape[1]))
    rewards[:, inner:-1] = leaves.T
    for order, answer in known["fruit_tree_lex"].items():
        found = plan(mdp, rewards[[int(i) for i in order.split(",")]], sweeps=10)
        node = 0
        while node < inner:
            node = 2 * node + 1 + int(np.argmax(found.policy.table[node]))
        assert leaves[node - inner] == pytest.approx(answer, abs=5e-5)


# -- bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rewards": np.zeros(4)}, r"rewards: expected the shape \(levels, 4\)"),
        ({"rewards": np.zeros((0, 4))}, r"rewards: expected the shape \(levels, 4\)"),
        ({"rewards": np.full((2, 4), -np.inf)}, "rewards: expected finite numbers"),
        ({"caps": [1.0]}, "caps: expected a number or None for each of 2 levels"),
        ({"caps": [1.0, np.nan]}, "caps: expected a number or None"),
        ({"discount": 1.0}, "discount: expected a number from 0 to below 1"),
        ({"sweeps": 0}, "sweeps: expected"),
    ],
)
def test_what_cannot_be_planned_is_refused(change, message):
    arguments = {"rewards": np.zeros((2, 4)), **change}
    with pytest.raises(InputError, match=message):
        plan(random_mdp(4), **arguments)


def test_a_cap_below_every_reward_is_said():
    mdp = FactoredMDP.from_factors([np.full((2, 3, 3), 1 / 3)], actions=("a", "b"))
    found = plan(mdp, [[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]], caps=[0.5, None])
    assert found.notes == ("Level 1 never decides: its cap lies below every reward.",)
    assert plan(mdp, [[1.0, 2.0, 3.0]], caps=[2.0]).notes == ()
