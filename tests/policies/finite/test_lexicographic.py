"""The planner against known fronts and plain enumeration, in all three readings."""

import json
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import lori
from lori import FiniteMDP, InputError, plan_lexicographic
from lori.experiments.bench.planning import living_paths
from lori.policies.finite.exploration import as_meant
from lori.policies.finite.fronts import undominated

KNOWN = Path("/work/shared/data/lexicographic_rl/known_answers.json")


def best_point(points, order, thresholds):
    """Plain restatement: one objective after the other, up to its threshold, then all again without."""
    left = np.asarray(points, float)
    for limits in (thresholds, [np.inf] * len(order)):
        for objective, limit in zip(order, limits, strict=True):
            own = np.minimum(left[:, objective], np.inf if limit is None else limit)
            left = left[own >= own.max() - 1e-9]
    return left[0]


def best_average(points, order, thresholds):
    """The same for mixtures of the points: a chain of linear programmes."""
    points, floors = np.asarray(points, float), []
    for limits in (thresholds, [np.inf] * len(order)):
        for objective, limit in zip(order, limits, strict=True):
            held = [-points[:, place] for place, _ in floors] or None
            least = [-floor + 1e-9 for _, floor in floors] or None
            solved = linprog(-points[:, objective], held, least, np.ones((1, len(points))), [1.0])
            floors.append((objective, min(-solved.fun, np.inf if limit is None else limit)))
    return solved.x @ points


def draws(points, order, count, seed):
    """Thresholds for all levels but the last: some at values of the front, some between, one out of reach."""
    generator, points = np.random.default_rng(seed), np.asarray(points)
    for turn in range(count):
        spread = points.max(axis=0) - points.min(axis=0)
        drawn = points.min(axis=0) + generator.uniform(-0.1, 1.1, points.shape[1]) * spread
        chosen = points[generator.integers(len(points))] if turn % 2 else drawn
        yield [float(chosen[objective]) for objective in order[:-1]] + [None]


@pytest.mark.parametrize("name", ["convex", "concave", "tree 5", "tree 6"])
def test_every_order_and_twenty_thresholds_of_the_known_front(environments, name):
    env, mdp = environments[name]
    gamma = 1.0 if "tree" in name else 0.99
    points = np.array(env.unwrapped.pareto_front(gamma), float)
    if "tree" in name:  # rewards are in single precision
        points = np.array([as_meant(point.astype(np.float32)) for point in points])
    orders = list(permutations(range(points.shape[1])))
    for seed, order in enumerate(orders[:: max(len(orders) // 4, 1)]):  # all of them: `lori bench planning`
        for turn, thresholds in enumerate(draws(points, order, 20, seed)):
            ask = {"thresholds": thresholds, "order": order, "discount": gamma, "horizon": 60}
            found = plan_lexicographic(mdp, **ask, reading="deterministic")
            np.testing.assert_allclose(found.values, best_point(points, order, thresholds), atol=1e-6)
            if turn < 8 // len(order):
                np.testing.assert_allclose(
                    plan_lexicographic(mdp, **ask).values, best_average(points, order, thresholds), atol=1e-6
                )


def test_published_answers():
    if not KNOWN.exists():
        pytest.skip("the table of known answers is not here")
    gym = pytest.importorskip("mo_gymnasium", reason="needs lori[rl]")
    known = json.loads(KNOWN.read_text())
    mdp = FiniteMDP.explore(gym.make("deep-sea-treasure-concave-v0"))
    for order, answers in ([0, 1], known["lex_threshold_on_treasure"]), ([1, 0], known["lex_threshold_on_time"]):
        for threshold, values in answers.items():
            plan = plan_lexicographic(
                mdp, [float(threshold), None], order=order, horizon=60, reading="deterministic"
            )  # fmt: skip
            np.testing.assert_allclose(plan.values, values)
            np.testing.assert_allclose(plan.front, known["dst_concave_front"])


def test_resource_gathering_against_a_list_of_all_paths(environments):
    _, mdp = environments["gathering"]
    points = living_paths(0.9)
    points = points[undominated(points)]
    assert len(points) == 9  # MO-Gymnasium's own list lacks the way that avoids all enemies and brings both
    for seed, order in enumerate(permutations(range(3))):
        for turn, thresholds in enumerate(draws(points, order, 20, seed)):
            ask = {"thresholds": thresholds, "order": order, "discount": 0.9, "horizon": 24}
            found = plan_lexicographic(mdp, **ask, reading="deterministic")
            np.testing.assert_allclose(found.values, best_point(points, order, thresholds), atol=1e-9)
            if turn == seed == 0:
                np.testing.assert_allclose(
                    plan_lexicographic(mdp, **ask).values, best_average(points, order, thresholds), atol=1e-7
                )


def small_world(seed):
    generator = np.random.default_rng(seed)
    moves = generator.dirichlet([0.5, 0.5, 0.5], size=(3, 2)) * generator.choice([1.0, 0.8], size=(3, 2, 1))
    return FiniteMDP.from_arrays(moves, generator.normal(size=(3, 2, 2)), [0.5, 0.5, 0.0])


def value_of(mdp, actions, discount):
    """Naive: follow the actions (steps, states) and add up."""
    now, total = mdp.start, np.zeros(2)
    for step, chosen in enumerate(actions):
        rows = mdp.transitions.toarray().reshape(3, 2, 3)[np.arange(3), chosen]
        total = total + discount**step * now @ mdp.rewards[np.arange(3), chosen]
        now = now @ rows
    return total


@pytest.mark.parametrize("seed", range(3))
def test_small_worlds_against_all_policies(seed):
    mdp = small_world(seed)
    policies = np.array(list(product([0, 1], repeat=6))).reshape(-1, 2, 3)
    points = np.array([value_of(mdp, actions, 0.8) for actions in policies])
    stationary = np.array([value_of(mdp, [actions] * 120, 0.8) for actions in product([0, 1], repeat=3)])
    for order, thresholds in [((0, 1), [None, None]), ((0, 1), [np.median(points[:, 0]), None]),
                              ((1, 0), [np.median(points[:, 1]), None])]:  # fmt: skip
        for horizon, all_points in ((2, points), (None, stationary)):
            ask = {"thresholds": thresholds, "order": order, "discount": 0.8, "horizon": horizon}
            average = plan_lexicographic(mdp, **ask)
            np.testing.assert_allclose(average.values, best_average(all_points, order, thresholds), atol=1e-6)
            certain = plan_lexicographic(mdp, **ask, reading="deterministic")
            np.testing.assert_allclose(certain.values, best_point(all_points, order, thresholds), atol=1e-6)
            assert certain.policy.deterministic
            np.testing.assert_allclose(average.policy.values(mdp, 0.8, horizon), average.values, atol=1e-6)


def test_slack_of_a_level_is_spent_on_the_next(environments):
    _, mdp = environments["concave"]
    plan = plan_lexicographic(mdp, slack=[60.0, 0.0], horizon=60, reading="deterministic")
    assert plan.values.tolist() == [74.0, -17.0]
    average = plan_lexicographic(mdp, slack=[60.0, 0.0], horizon=60)
    np.testing.assert_allclose(average.values, [64.0, -1 - 18 * 63 / 123], atol=1e-6)
    assert plan_lexicographic(mdp, slack=[60.0, 0.0], horizon=60, reading="per-state").values[0] < 124


def test_per_state_thresholds_are_wrong_where_transitions_are_random(space_traders):
    """Vamplew et al. (2022): at least 88 % success, then the shortest time.

    Flying fast there and safely back succeeds nine times in ten and takes 15; in every state alone, 88 % forces the
    safe way there, since the fast way back looks good enough once one has arrived.
    """
    ask = {"thresholds": [0.88, None], "horizon": 2}
    certain = plan_lexicographic(space_traders, **ask, reading="deterministic")
    local = plan_lexicographic(space_traders, **ask, reading="per-state")
    np.testing.assert_allclose(certain.values, [0.9, -6 - 0.9 * 10])
    np.testing.assert_allclose(local.values, [0.9, -12 - 8])
    (said,) = [note for note in local.notes if "not the best plan here" in note]
    assert "time gets -20, but -15 with reading='deterministic'" in said
    assert "chance has already decided" in said
    assert not any("not the best plan" in note for note in certain.notes)
    average = plan_lexicographic(space_traders, **ask)
    assert average.values[0] == pytest.approx(0.88)
    assert average.values[1] > -15


def test_per_state_thresholds_forget_what_was_gathered():
    """Two steps, each 1 or 0 of the first objective; 1 in all is enough, and the second objective pays for 0."""
    moves = np.array([[[0.0, 1.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    rewards = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 3.0]]])
    mdp = FiniteMDP.from_arrays(moves, rewards)
    local = plan_lexicographic(mdp, [1.0, None], horizon=2, reading="per-state")
    assert local.values.tolist() == [1.0, 1.0]
    assert plan_lexicographic(mdp, [1.0, None], horizon=2, reading="deterministic").values.tolist() == [1.0, 3.0]
    assert any("forgets what was gathered before" in note for note in local.notes)


def test_levels_tell_what_they_gave_up(environments):
    _, mdp = environments["concave"]
    plan = plan_lexicographic(mdp, [20.0, None], horizon=60, reading="deterministic")
    assert [level.given_up for level in plan.levels] == [100.0, 12.0]
    assert plan.notes[0].startswith("Level 1, treasure, gets 24; 20 is enough; on its own it could have 124")
    assert plan.to_dict()["values"] == [24.0, -13.0]
    assert str(plan).startswith("The plan (without chance, within 60 steps) gets treasure 24, time -13.")


def test_a_threshold_out_of_reach_is_said_and_approached(environments):
    _, mdp = environments["concave"]
    for reading in ("expectation", "deterministic", "per-state"):
        plan = plan_lexicographic(mdp, [200.0, None], horizon=60, reading=reading)
        np.testing.assert_allclose(plan.values, [124.0, -19.0])
        assert sum("The threshold 200 of treasure is out of reach: 124 is the most" in note for note in plan.notes) == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"horizon": None}, "horizon: expected a number of steps where nothing is discounted"),
        ({"horizon": 0}, "horizon"),
        ({"discount": 1.5}, "discount: expected a number above 0 and at most 1"),
        ({"reading": "hopeful"}, "reading: expected expectation or deterministic or per-state"),
        ({"order": [0, 0]}, "order: expected different objectives from 0 to 1"),
        ({"thresholds": [1.0]}, "thresholds: expected a finite number or None for each of 2 levels"),
        ({"thresholds": [np.nan, None]}, "thresholds"),
        ({"slack": [-1.0, 0.0]}, "slack: expected a number from 0"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(space_traders, changes, words):
    with pytest.raises(InputError, match=words):
        plan_lexicographic(space_traders, **{"horizon": 2, **changes})


def test_large_worlds_without_chance_are_refused_where_outcomes_are_random():
    size = 60
    moves = np.full((size, 60, size), 1 / size)
    mdp = FiniteMDP.from_arrays(moves, np.random.default_rng(0).normal(size=(size, 60, 2)))
    with pytest.raises(InputError, match="use reading='expectation'"):
        plan_lexicographic(mdp, discount=0.9, reading="deterministic")
    assert lori.plan_lexicographic(mdp, discount=0.9).values.shape == (2,)
