"""Are simulated preferences those of the model that they are drawn from?"""

import numpy as np
import pytest

import lori
from lori.errors import InputError
from lori.model.simulation import practice, random_ordered_model

TRUTH = lori.OrderedModel.linear([[2.0, 0.5], [-0.3, 3.0]], epsilon=[1.5, 0.5], features=["need", "benefit"])


def test_shapes_names_and_counts():
    seen = lori.simulate(TRUTH, 50, times=4, agents=7, seed=1)
    assert seen.n_pairs == 50
    assert seen.n_comparisons == 200
    assert seen.features == ("need", "benefit")
    assert sorted(seen.by_agent()) == [str(i) for i in range(1, 8)]
    assert not seen.has_ties
    assert lori.simulate(TRUTH, 5).agent is None


def test_given_pairs_are_kept():
    pairs = np.random.default_rng(0).normal(size=(6, 2, 2))
    seen = lori.simulate(TRUTH, pairs, seed=1)
    assert np.array_equal(seen.left_features, pairs[:, 0])
    assert np.array_equal(seen.right_features, pairs[:, 1])


@pytest.mark.parametrize("ties", ["split", "observed"])
def test_frequencies_are_the_probabilities(ties):
    """Pearson's statistic of 64 pairs with 4 000 draws each, within four deviations of its mean."""
    model = lori.OrderedModel.linear([[1.0, 0.5], [-0.3, 1.0]], epsilon=[0.8, 0.5], ties=ties)
    pairs = np.random.default_rng(0).normal(size=(64, 2, 2))
    seen = lori.simulate(model, pairs, times=4000, seed=2)
    expected = 4000 * model.predict_proba(pairs[:, 0], pairs[:, 1])
    counts = np.stack([seen.wins, seen.ties, seen.losses], axis=1)
    possible = expected > 0
    statistic = np.sum((counts - expected)[possible] ** 2 / expected[possible])
    freedom = 64 * (1 if ties == "split" else 2)
    assert counts[~possible].sum() == 0
    assert abs(statistic - freedom) < 4 * np.sqrt(2 * freedom)


def test_the_same_seed_draws_the_same():
    one, same, other = (lori.simulate(TRUTH, 40, seed=seed) for seed in (5, 5, 6))
    assert np.array_equal(one.wins, same.wins)
    assert np.array_equal(one.alternatives, same.alternatives)
    assert not np.array_equal(one.alternatives, other.alternatives)


@pytest.mark.parametrize("options", [{"pairs": 0}, {"pairs": -3}, {"times": 0}, {"times": 1.5}, {"agents": 0}])
def test_impossible_numbers_are_refused(options):
    with pytest.raises(lori.InputError, match=next(iter(options))) as caught:
        lori.simulate(TRUTH, **options)
    assert str(caught.value).endswith(".")


def test_the_random_decision_maker_of_appendix_b():
    model = random_ordered_model(levels=10, features=6, seed=1)
    weights = np.stack([level.weights for level in model.levels])
    assert weights.shape == (10, 6)
    assert np.all(weights >= 0)
    assert weights.sum(axis=1) == pytest.approx(np.ones(10))
    assert all(level.alpha == pytest.approx(5 * np.log(4)) for level in model.levels)
    assert all(level.epsilon >= 0 for level in model.levels)


def test_a_practice_world_has_names_units_and_a_leading_feature_for_each_level():
    choices, truth = practice(2, 4, 50, agents=5, seed=3)
    assert choices.features == truth.features == ("benefit", "need", "cost", "wait")
    np.testing.assert_array_equal(choices.alternatives, choices.alternatives.round())
    assert len(choices.by_agent()) == 5
    first, second = truth.levels
    assert first.weights[0] > 0 > first.weights[2]
    assert second.weights[1] > 0 > second.weights[3]
    assert 50 <= first.epsilon / first.weights[0] <= 100
    assert second.epsilon == 0
    assert practice(3, 8, 5)[1].features[6:] == ("x7", "x8")
    with pytest.raises(InputError, match="features"):
        practice(3, 2)
