"""Does planning find what a model prefers, where the best policy is known, and does it say how sure it is?"""

from dataclasses import dataclass
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lori
from lori.errors import InputError
from lori.model.ordered import Level
from lori.policies.comparison import how_often_preferred
from lori.policies.policy import Policy, Softened, Tabular, load_policy
from lori.policies.preferred import Preferred, prefer
from lori.policies.rollouts import roll_out
from lori.policies.simulator import View

QUICK = {"rounds": 60, "branches": 100, "trajectories": 500}


@dataclass(frozen=True)
class Budget:
    """Each unit of work adds to `strain` and to `output`; rest lets strain fade. A small world without secrets."""

    horizon: int = 5
    noise: float = 0.0
    features: tuple[str, ...] = ("strain", "output")
    actions: tuple[str, ...] = ("rest", "work", "rush")

    def initial(self, key: jax.Array) -> jax.Array:
        return jnp.array([1.0, 0.0])

    def step(self, key: jax.Array, state: jax.Array, action: jax.Array) -> jax.Array:
        effort = jnp.array([0.0, 1.0, 1.5])[action]
        following = jnp.stack([0.5 * state[0] + effort**2, effort])
        return following + self.noise * jax.random.normal(key, (2,))


@dataclass(frozen=True)
class Broken(Budget):
    def step(self, key: jax.Array, state: jax.Array, action: jax.Array) -> jax.Array:
        return super().step(key, state, action) + jnp.where(action == 2, jnp.nan, 0.0)


def anything(simulator) -> Softened:
    """Uniformly random actions."""
    count = len(simulator.actions)
    first = Tabular(np.eye(count)[:1, None], np.zeros(2), np.ones(2), simulator.actions)
    return Softened(first, 1.0, simulator.actions)


def only(simulator, action: int) -> Tabular:
    chances = np.eye(len(simulator.actions))[action]
    return Tabular(chances[None, None], np.zeros(2), np.ones(2), simulator.actions)


def strain_first(ties: str = "split") -> lori.OrderedModel:
    """Less strain counts if the difference is above 0.3; then more output."""
    return lori.OrderedModel.linear(
        [[-1.0, 0.0], [0.0, 1.0]], epsilon=[0.3, 0.0], alpha=[20.0, 20.0], features=["strain", "output"], ties=ties
    )


def sigma(value):
    return 1 / (1 + np.exp(-value))


def naive_chance(ours, theirs) -> float:
    """Equation (5) for `strain_first`, one pair after the other."""
    total = 0.0
    for x, y in product(ours, theirs):
        strain, output = 20 * (y[0] - x[0]), 20 * (x[1] - y[1])
        better, worse = sigma(strain - 6.0), sigma(-strain - 6.0)
        total += better + (1 - better - worse) * sigma(output)
    return total / (len(ours) * len(theirs))


def every_plan(world: Budget) -> np.ndarray:
    """The mean features of all sequences of actions, by plain arithmetic."""
    means = []
    for plan in product([0.0, 1.0, 1.5], repeat=world.horizon):
        states = [(1.0, 0.0)]
        for effort in plan:
            states.append((0.5 * states[-1][0] + effort**2, effort))
        means.append(np.mean(states, axis=0))
    return np.array(means)


@pytest.fixture(scope="module")
def found() -> Preferred:
    return prefer(strain_first(), Budget(), anything(Budget()), **QUICK)


def test_without_noise_it_finds_nearly_the_best_of_all_plans(found):
    """In a deterministic world a policy is a plan, and 243 plans can be tried one by one."""
    plans = every_plan(Budget())
    theirs = roll_out(Budget(), anything(Budget()), count=400, seed=5).means
    chances = np.array([naive_chance([plan], theirs) for plan in plans])
    mine = naive_chance(roll_out(Budget(), found.policy, count=1).means, theirs)
    assert mine >= chances.max() - 0.02
    assert chances.max() > np.median(chances) + 0.1  # so it could have failed


def test_the_estimate_is_the_mean_over_pairs_with_an_honest_error():
    model, generator = strain_first(), np.random.default_rng(0)

    def draw(count: int, shift: float) -> np.ndarray:
        return generator.normal(size=(count, 2)) + shift

    ours, theirs = draw(130, 0.0), draw(40, 0.3)
    estimate = how_often_preferred(model, ours, theirs)[0]
    assert estimate == pytest.approx(naive_chance(ours, theirs), abs=1e-12)
    repeated = np.array([how_often_preferred(model, draw(130, 0.0), draw(40, 0.3)) for _ in range(300)])
    spread = repeated[:, 0].std(ddof=1)  # its own relative error is 1 / √600
    assert np.sqrt(np.mean(repeated[:, 1] ** 2)) == pytest.approx(spread, rel=4 / np.sqrt(600))


@pytest.mark.parametrize("ties", ["split", "observed", "printed"])
def test_a_policy_meets_itself_with_one_half(ties):
    x = np.random.default_rng(1).normal(size=(50, 2))
    assert how_often_preferred(strain_first(ties), x, x)[0] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.slow
def test_the_estimate_holds_on_other_trajectories(found):
    world = Budget()
    theirs = roll_out(world, anything(world), count=2000, seed=77).means
    estimate, error = how_often_preferred(strain_first(), roll_out(world, found.policy, count=50).means, theirs)
    assert abs(estimate - found.probability) < 4 * np.hypot(error, found.standard_error)
    assert found.interval[0] < found.probability < found.interval[1]


def test_the_same_seed_gives_the_same_policy(found, tmp_path):
    again = prefer(strain_first(), Budget(), anything(Budget()), **QUICK)
    assert np.array_equal(again.policy.output, found.policy.output)
    assert again.probability == found.probability
    found.policy.save(tmp_path / "policy.json")
    loaded = load_policy(tmp_path / "policy.json")
    kept, loaded = (roll_out(Budget(noise=0.5), policy, count=40).actions for policy in (found.policy, loaded))
    assert np.array_equal(kept, loaded)


@pytest.mark.slow
def test_of_several_opponents_the_mean_counts(found):
    world = Budget()
    both = [anything(world), only(world, 1)]
    result = prefer(strain_first(), world, both, **QUICK)
    mine = roll_out(world, result.policy, count=2).means
    shares = [naive_chance(mine, roll_out(world, policy, count=400, seed=9).means) for policy in both]
    assert result.probability == pytest.approx(np.mean(shares), abs=0.06)


@pytest.mark.slow
def test_a_first_level_that_never_decides_leaves_planning_to_the_second():
    """The cap lies below every reward, so only output counts: rushing at every step is best."""
    capped = Level(lori.Capped(), np.array([-1.0, 0.0, -1e3]), 0.1, 20.0, np.array([-1.0, 0.0]))
    model = lori.OrderedModel((capped, strain_first().levels[1]), ("strain", "output"))
    world = Budget()
    result = prefer(model, world, anything(world), **QUICK)
    assert np.all(roll_out(world, result.policy, count=3).actions == 2)


def test_what_is_seen_is_what_a_view_holds(found):
    view = View(jnp.array([1.0, 0.0]), jnp.array([1.0, 0.0]), jnp.asarray(0.0))
    assert np.asarray(found.policy.probabilities(view)).sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("probability", "start"),
    [(0.8, "A better policy"), (0.505, "A policy was found that is about as good"), (0.3, "No better policy")],
)
def test_the_verdict(found, probability, start):
    verdict = Preferred(found.policy, probability, 0.01).verdict
    assert verdict.startswith(start)
    assert f"{100 * probability:.1f} %" in verdict


def test_wrong_input_is_one_plain_sentence():
    world, model = Budget(), strain_first()
    stranger: Policy = only(Budget(actions=("a", "b", "c")), 0)
    with pytest.raises(InputError, match="a policy for the actions rest, work, rush, got one for a, b, c"):
        prefer(model, world, stranger)
    with pytest.raises(InputError, match="features strain, output, got one of x1, x2"):
        prefer(lori.OrderedModel.linear(np.eye(2), epsilon=[0, 0]), world, anything(world))
    with pytest.raises(InputError, match="one policy or more, got none"):
        prefer(model, world, [])
    with pytest.raises(InputError, match="rounds"):
        prefer(model, world, anything(world), rounds=0)


@pytest.mark.slow
def test_a_simulator_that_fails_after_some_action_is_named():
    """The opponent never takes the action that breaks it."""
    with pytest.raises(InputError, match="simulator: expected finite states"):
        prefer(strain_first(), Broken(), only(Broken(), 0), **QUICK)
