"""Pairs: from preferences to rows of the likelihood, and which rule is meant."""

import pickle
import threading

import numpy as np
import pytest

from lori.data.preferences import Preferences
from lori.errors import DataError, InputError
from lori.model.likelihoods import Observations, Pairs
from lori.model.likelihoods.layouts import Alternatives, Differences
from lori.model.rewards import Capped, Function, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
LEFT = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
RIGHT = np.array([[0.0, 9.0], [8.0, 7.0], [5.0, 5.0]])
KINDS = ("decided", "tied")


@pytest.fixture
def preferences() -> Preferences:
    return Preferences.from_arrays(
        LEFT, RIGHT, wins=[2, 0, 1], losses=[1, 3, 0], ties=[0, 4, 1], weight=[1.0, 0.5, 2.0], features=list(FEATURES)
    )


def test_the_winner_comes_first(preferences):
    observations = Pairs("observed").observed(preferences)
    decided, tied = (observations.kinds[kind] for kind in KINDS)
    difference = LEFT - RIGHT
    np.testing.assert_array_equal(decided.contrasts(), [difference[0], difference[2], -difference[0], -difference[1]])
    assert decided.weight.tolist() == [2.0, 2.0, 1.0, 1.5]
    np.testing.assert_array_equal(tied.contrasts(), difference[[1, 2]])
    assert tied.weight.tolist() == [2.0, 2.0]
    assert observations.rows == 6
    assert decided.origin.tolist() == [0, 2, 0, 1]
    assert tied.origin.tolist() == [1, 2]


def test_both_alternatives_stand_beside_their_contrast(preferences):
    decided, tied = Pairs("observed").observed(preferences).kinds.values()
    both = decided.alternatives()
    assert both.shape == (4, 2, 2)
    np.testing.assert_array_equal(both[0], [LEFT[0], RIGHT[0]])
    np.testing.assert_array_equal(both[3], [RIGHT[1], LEFT[1]])
    np.testing.assert_array_equal(tied.alternatives()[0], [LEFT[1], RIGHT[1]])
    for rows in (decided, tied):
        every = rows.alternatives()
        np.testing.assert_array_equal(rows.contrasts(), every[:, 0] - every[:, 1])
        np.testing.assert_array_equal(rows.alternatives(slice(1, 3)), every[1:3])
        np.testing.assert_array_equal(rows.contrasts(slice(1, 3)), (every[:, 0] - every[:, 1])[1:3])


@pytest.mark.parametrize(
    ("counts", "decided", "tied"),
    [
        ({}, 3, 0),
        ({"losses": [1, 1, 1]}, 3, 0),
        ({"ties": [1, 1, 1]}, 0, 3),
        ({"wins": [1, 0, 0], "ties": [0, 0, 2]}, 1, 1),
    ],
)
def test_outcomes_that_never_happened_have_no_rows(counts, decided, tied):
    kinds = Pairs("observed").observed(Preferences.from_arrays(LEFT, RIGHT, **counts)).kinds
    for kind, count in zip(KINDS, (decided, tied), strict=True):
        assert len(kinds[kind]) == len(kinds[kind].weight) == len(kinds[kind].origin) == count
        assert kinds[kind].contrasts().shape == (count, 2)
        assert kinds[kind].alternatives().shape == (count, 2, 2)


def many(n: int = 1000) -> Observations:
    random = np.random.default_rng(0)
    left, right = random.normal(size=(2, n, 2))
    outcome = random.integers(0, 3, n)
    preferences = Preferences.from_arrays(
        left, right, wins=outcome == 0, losses=outcome == 1, ties=outcome == 2, weight=random.uniform(0.5, 2.0, n)
    )
    return Pairs("observed").observed(preferences)


def assert_same_rows(one: Observations, other: Observations) -> None:
    assert one.kinds.keys() == other.kinds.keys()
    for kind, rows in one.kinds.items():
        np.testing.assert_array_equal(rows.alternatives(), other.kinds[kind].alternatives())
        np.testing.assert_array_equal(rows.contrasts(), other.kinds[kind].contrasts())
        np.testing.assert_array_equal(rows.weight, other.kinds[kind].weight)
        np.testing.assert_array_equal(rows.origin, other.kinds[kind].origin)


def test_a_sample_keeps_total_weight_and_the_share_of_ties():
    rows = many()
    part = rows.sample(100, np.random.default_rng(1))
    assert 100 <= part.rows <= 102
    for kind in KINDS:
        assert part.kinds[kind].weight.sum() == pytest.approx(rows.kinds[kind].weight.sum())
    assert len(part.kinds["tied"]) == pytest.approx(len(rows.kinds["tied"]) / 10, abs=1)
    whole, few = rows.kinds["decided"], part.kinds["decided"]
    place = {tuple(row): i for i, row in enumerate(whole.contrasts())}
    chosen = [place[tuple(row)] for row in few.contrasts()]
    assert len(set(chosen)) == len(chosen)
    np.testing.assert_array_equal(few.origin, whole.origin[chosen])
    ratio = few.weight / whole.weight[chosen]
    np.testing.assert_allclose(ratio, ratio[0])


def test_shards_are_views_of_all_rows_in_order():
    rows = many()
    parts = rows.shards(3)
    for kind, whole in rows.kinds.items():
        own = [part.kinds[kind] for part in parts]
        np.testing.assert_array_equal(np.concatenate([part.contrasts() for part in own]), whole.contrasts())
        for name in ("weight", "origin"):
            np.testing.assert_array_equal(np.concatenate([getattr(part, name) for part in own]), getattr(whole, name))
        for name in ("left", "right", "weight", "origin"):
            assert all(np.shares_memory(getattr(part, name), getattr(whole, name)) for part in own)
    sizes = [part.rows for part in parts]
    assert max(sizes) - min(sizes) <= 2
    assert len({id(part.laid.blocks) for part in parts}) == 3


def test_a_sample_of_few_rows_is_all_of_them():
    rows = many(50)
    assert rows.sample(50, np.random.default_rng(1)) is rows


def test_a_sample_repeats_for_a_seed():
    one, other = (many().sample(60, np.random.default_rng(2)) for _ in range(2))
    assert_same_rows(one, other)


def test_observations_add_up_row_by_row():
    rows = many()
    together = sum(rows.shards(3)[1:], start=rows.shards(3)[0])
    assert_same_rows(together, rows)


def test_new_weights_multiply_the_rows_of_each_observation(preferences):
    observations = Pairs("observed").observed(preferences)
    again = observations.reweighted(np.array([10.0, 0.0, 3.0]))
    assert again.kinds["decided"].weight.tolist() == [20.0, 6.0, 10.0, 0.0]
    assert again.kinds["tied"].weight.tolist() == [0.0, 6.0]
    assert again.laid is observations.laid
    assert again.weights is not observations.weights
    np.testing.assert_array_equal(again.kinds["decided"].contrasts(), observations.kinds["decided"].contrasts())


def test_what_was_laid_out_does_not_travel():
    rows = many(50)
    rows.laid.blocks["layout"] = rows.weights["layout"] = threading.Lock()  # cannot be pickled
    copy = pickle.loads(pickle.dumps(rows))
    assert copy.laid.blocks == copy.weights == {}
    assert_same_rows(copy, rows)


# -- the rule, and what else belongs to a kind of observation ------------------------------------------------


@pytest.mark.parametrize(("n_ties", "rule"), [(0, "split"), (3, "observed")])
def test_the_rule_follows_the_data_unless_it_is_given(n_ties, rule):
    assert Pairs.for_data("auto", n_ties, (None, 0.0)[: 1 if n_ties else 2]) == Pairs(rule)
    assert Pairs.for_data("observed", n_ties, (None,)) == Pairs("observed")


def test_ties_that_the_rule_or_the_thresholds_forbid_are_refused():
    with pytest.raises(DataError, match=r"3 observed ties; use ties='observed'"):
        Pairs.for_data("split", 3, (None,))
    with pytest.raises(InputError, match=r"a threshold fixed to 0"):
        Pairs.for_data("auto", 3, (None, 0.0))
    with pytest.raises(InputError, match="coin"):
        Pairs.for_data("coin", 0, (None,))


def test_rows_lie_as_differences_where_every_reward_is_linear_and_nothing_is_shared():
    def layout(*rewards):
        levels = len(rewards)
        return Pairs().layout(Specification(rewards, (None,) * levels, (1.0,) * levels, Pairs(), FEATURES))

    assert layout(Linear(), Linear(increasing="all")) == Differences()
    assert layout(Linear(), Capped()) == Alternatives()
    assert layout(*Function.joint(lambda p, x: p * x, (1.0, 2.0), levels=2)) == Alternatives()


@pytest.mark.parametrize("rule", ["split", "observed", "printed"])
def test_simulated_counts_follow_the_probabilities(rule):
    """By the mean of many draws, within four standard errors; equation (5) to the letter has no ties."""
    told = np.array([[0.5, 0.3, 0.2], [0.1, 0.0, 0.9]])
    expected = told if rule != "printed" else np.array([[0.5 / 0.7, 0.0, 0.2 / 0.7], [0.1, 0.0, 0.9]])
    counts = Pairs(rule).simulate(told, 4000, np.random.default_rng(0))
    assert counts.sum(axis=1).tolist() == [4000, 4000]
    error = np.sqrt(expected * (1 - expected) / 4000)
    assert (np.abs(counts / 4000 - expected) <= 4 * error).all()


def test_the_log_likelihood_of_each_pair_leaves_out_what_was_not_seen(preferences):
    logs = np.log(np.array([[0.5, 0.2, 0.3], [0.25, 0.25, 0.5], [0.6, 0.4, 1.0]]))
    logs[2, 2] = -np.inf  # impossible, and it did not happen
    own = Pairs("observed").log_likelihood(preferences, logs)
    by_hand = [
        2 * np.log(0.5) + np.log(0.3), 0.5 * (3 * np.log(0.5) + 4 * np.log(0.25)), 2 * (np.log(0.6) + np.log(0.4))
    ]  # fmt: skip
    np.testing.assert_allclose(own, by_hand, rtol=1e-13)


def test_a_model_without_noise_explains_all_or_not_everything(preferences):
    likelihood = Pairs("observed")
    one_way = Preferences.from_arrays(LEFT, RIGHT, wins=[1, 0, 0], losses=[0, 1, 0], ties=[0, 0, 2])
    assert likelihood.explained(one_way, lambda left, right: np.array([1, -1, 0]))
    assert not likelihood.explained(one_way, lambda left, right: np.array([1, -1, 1]))
    assert not likelihood.explained(preferences, lambda left, right: np.array([1, -1, 0]))  # the first goes both ways
    same = Preferences.from_arrays(LEFT, np.vstack([RIGHT[:2], LEFT[2:]]), wins=[1, 0, 1], losses=[0, 1, 1])
    assert likelihood.explained(same, lambda left, right: np.array([1, -1, 0]))  # equal features say nothing
