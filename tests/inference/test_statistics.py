"""What a fit knows of the data beside their likelihood."""

import numpy as np
import pytest

import lori
from lori.inference.statistics import SAMPLE, Statistics

N = 500


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
    np.testing.assert_allclose(statistics.deviation, np.sqrt(np.mean(seen.differences**2, axis=0) / 2))
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
