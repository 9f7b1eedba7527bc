"""What a fit knows of the data beside their likelihood."""

import numpy as np
import pytest

import lori
from lori.inference.statistics import SAMPLE, Fences, Moments, Scaling, Statistics

N = 500


def moments(left: np.ndarray, right: np.ndarray, **counts: np.ndarray) -> Moments:
    return Moments.of(lori.Preferences.from_arrays(left, right, **counts))


@pytest.fixture(scope="module")
def seen() -> lori.Preferences:
    random = np.random.default_rng(0)
    left, right = random.normal([3.0, -50.0, 0.0], [1.0, 20.0, 0.01], size=(2, N, 3))
    outcome = random.integers(0, 4, N)
    return lori.Preferences.from_arrays(
        left, right, wins=3 * (outcome < 2), losses=outcome == 2, ties=outcome == 3, weight=random.uniform(1, 2, N)
    )


def test_it_counts_and_measures(seen):
    statistics = Statistics.of(seen)
    assert statistics.pairs == N
    assert statistics.outcomes.tolist() == [seen.wins.sum(), seen.ties.sum(), seen.losses.sum()]
    assert statistics.comparisons == seen.n_comparisons
    both = np.concatenate([seen.left_features, seen.right_features])
    np.testing.assert_array_equal(statistics.ranges, both.max(axis=0) - both.min(axis=0))
    square = np.average(seen.differences**2, axis=0, weights=seen.comparisons)
    np.testing.assert_allclose(statistics.deviation, np.sqrt(square / 2))
    assert statistics.sample is seen


@pytest.mark.parametrize("cuts", [[250], [1, 499], [100, 150, 400]])
def test_parts_add_up_to_the_whole(seen, cuts):
    whole = Statistics.of(seen)
    parts = [Statistics.of(seen[some]) for some in np.split(np.arange(N), cuts)]
    together = sum(parts[1:], start=parts[0])
    assert (together.pairs, together.comparisons) == (whole.pairs, whole.comparisons)
    np.testing.assert_array_equal(together.outcomes, whole.outcomes)
    np.testing.assert_array_equal(together.ranges, whole.ranges)
    np.testing.assert_allclose(together.deviation, whole.deviation, rtol=1e-13)
    np.testing.assert_allclose(together.moments.total, whole.moments.total, rtol=1e-13)
    for name in ("left_features", "right_features", "wins", "losses", "ties", "weights"):
        np.testing.assert_array_equal(getattr(together.sample, name), getattr(seen, name))


def test_a_sample_is_evenly_spaced(seen):
    few = Statistics.of(seen, sample=50).sample
    assert len(few) == 50
    place = {tuple(row): i for i, row in enumerate(seen.left_features)}
    places = np.array([place[tuple(row)] for row in few.left_features])
    assert (places[0], places[-1]) == (0, N - 1)
    gaps = np.diff(places)
    assert gaps.min() >= 10
    assert gaps.max() <= 11


def test_the_sample_is_all_pairs_up_to_its_size(seen):
    assert SAMPLE == 20_000
    assert len(Statistics.of(seen, sample=N).sample) == N
    assert len(Statistics.of(seen, sample=N - 1).sample) == N - 1
    assert Statistics.of(seen, sample=50).pairs == N


LEFT = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
RIGHT = np.array([[0.0, 9.0], [8.0, 7.0], [5.0, 5.0]])


def test_location_is_the_mean_and_scale_that_of_differences():
    scaling = Scaling.of(moments(LEFT, RIGHT), standardised=True)
    np.testing.assert_allclose(scaling.location, np.concatenate([LEFT, RIGHT]).mean(axis=0))
    np.testing.assert_allclose(scaling.scale, np.sqrt(np.mean((LEFT - RIGHT) ** 2, axis=0) / 2))
    standardised = (LEFT - RIGHT) / scaling.scale
    np.testing.assert_allclose(np.mean(standardised**2, axis=0), 2.0)


def test_independent_draws_are_scaled_by_their_deviation():
    """The mean square of n normal differences has relative deviation √(2/n), its root half of that."""
    n, deviation = 20_000, np.array([1.0, 250.0, 0.003])
    left, right = np.random.default_rng(0).normal(40.0, deviation, size=(2, n, 3))
    scaling = Scaling.of(moments(left, right), standardised=True)
    np.testing.assert_allclose(scaling.scale, deviation, rtol=4 / np.sqrt(2 * n))
    assert (np.abs(scaling.location - 40.0) < 4 * deviation / np.sqrt(2 * n)).all()


def test_moments_add_up_over_parts():
    left, right = np.random.default_rng(1).normal(5.0, 2.0, size=(2, 100, 3))
    whole = moments(left, right)
    parts = [moments(left[some], right[some]) for some in (slice(0, 1), slice(1, 60), slice(60, 100))]
    together = sum(parts[1:], start=parts[0])
    assert together.comparisons.tolist() == whole.comparisons.tolist() == [100, 100, 100]
    np.testing.assert_allclose(together.total, whole.total, rtol=1e-13)
    np.testing.assert_allclose(together.square, whole.square, rtol=1e-13)
    np.testing.assert_allclose(together.square_total, whole.square_total, rtol=1e-13)
    one, other = Scaling.of(whole, standardised=True), Scaling.of(together, standardised=True)
    np.testing.assert_allclose(one.scale, other.scale, rtol=1e-13)


def test_sides_may_be_exchanged():
    one, other = (Scaling.of(moments(*sides), standardised=True) for sides in ((LEFT, RIGHT), (RIGHT, LEFT)))
    np.testing.assert_allclose(one.location, other.location)
    np.testing.assert_array_equal(one.scale, other.scale)


@pytest.mark.parametrize("constant", [0.0, 0.1, -1e9])
def test_a_constant_feature_keeps_its_scale(constant):
    left, right = LEFT.copy(), RIGHT.copy()
    left[:, 1] = right[:, 1] = constant
    scaling = Scaling.of(moments(left, right), standardised=True)
    assert scaling.scale[1] == 1.0
    assert scaling.location[1] == pytest.approx(constant, rel=1e-12)
    assert scaling.scale[0] != 1.0


def test_a_feature_that_differs_between_pairs_only_has_the_deviation_between_pairs():
    left, right = LEFT.copy(), RIGHT.copy()
    right[:, 1] = left[:, 1]
    scaling = Scaling.of(moments(left, right), standardised=True)
    assert scaling.scale[1] == pytest.approx(np.std(left[:, 1]), rel=1e-12)


def test_a_function_sees_the_users_own_units():
    scaling = Scaling.of(moments(LEFT, RIGHT), standardised=False)
    assert scaling.location.tolist() == [0.0, 0.0]
    assert scaling.scale.tolist() == [1.0, 1.0]


def test_counts_are_repetitions():
    counts = np.array([3.0, 1.0, 2.0])
    once = np.repeat(np.arange(3), counts.astype(int))
    told, repeated = moments(LEFT, RIGHT, wins=counts), moments(LEFT[once], RIGHT[once])
    for name in ("comparisons", "total", "square", "square_total"):
        np.testing.assert_allclose(getattr(told, name), getattr(repeated, name), rtol=1e-13)


def test_extreme_values_are_counted_and_do_not_stretch_the_scale(seen):
    """Of one feature only; a rare one and a skewed one have none."""
    random = np.random.default_rng(2)
    others = [(random.uniform(size=(2, N)) < 0.02).astype(float), np.exp(random.normal(size=(2, N)))]
    left = np.column_stack([seen.left_features, *(other[0] for other in others)])
    right = np.column_stack([seen.right_features, *(other[1] for other in others)])
    whole = Statistics.of(lori.Preferences.from_arrays(left, right))
    assert whole.extreme.tolist() == [0] * 5
    left[7, 1] = 999_999.0
    found = Statistics.of(lori.Preferences.from_arrays(left, right))
    assert found.extreme.tolist() == [0, 1, 0, 0, 0]
    assert found.moments.comparisons.tolist() == [N, N - 1, N, N, N]
    np.testing.assert_allclose(found.deviation, whole.deviation, rtol=0.01)
    np.testing.assert_array_equal(np.delete(found.deviation, 1), np.delete(whole.deviation, 1))


def test_weights_are_made_to_average_one(seen):
    factor = Statistics.of(seen).weight_factor
    assert factor * (seen.comparisons @ seen.weights) == pytest.approx(seen.n_comparisons)
    parts = [Statistics.of(seen[some]) for some in np.split(np.arange(N), [100])]
    assert (parts[0] + parts[1]).weight_factor == pytest.approx(factor)


@pytest.mark.parametrize("rows", [0, 1, 511, 512, 1300])
def test_values_outside_of_fences_are_counted_wherever_they_stand(rows):
    values = np.random.default_rng(rows).uniform(-1, 1, size=(rows, 3))
    fences = Fences(np.array([-1.0, -1.0, -0.5]), np.array([1.0, 0.5, 1.0]))
    expected = [0, np.sum(values[:, 1] > 0.5), np.sum(values[:, 2] < -0.5)]
    assert fences.passed_by(values).tolist() == expected
    assert Fences(np.full(3, -1.0), np.ones(3)).passed_by(values).tolist() == [0, 0, 0]
