"""Do contestants get the choices of the paper's answer, from memory and from a file?"""

import numpy as np

from lori.data.reading.stream import open_stream
from lori.experiments.bench import data


def test_organ_pairs_follow_the_papers_answer():
    """The share of wins on pairs that the model is sure of, within four standard errors."""
    pairs = data.organ_pairs(4_000, seed=1)
    expected = data.truth().predict_proba(pairs.left, pairs.right)[:, 0]
    error = np.sqrt(np.mean(expected * (1 - expected)) / len(expected))
    assert abs(np.mean(pairs.left_won == (expected > 0.5)) - np.mean(np.maximum(expected, 1 - expected))) < 4 * error
    chosen = pairs.preferences
    assert np.all(chosen.wins == 1)
    np.testing.assert_array_equal(chosen.left_features[pairs.left_won], pairs.left[pairs.left_won])
    np.testing.assert_array_equal(chosen.left_features[~pairs.left_won], pairs.right[~pairs.left_won])


def test_a_file_of_organ_pairs_is_read_back(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "PIECE", 40)
    data.write_organ_pairs(tmp_path / "pairs.parquet", 100)
    stream = open_stream(tmp_path / "pairs.parquet")
    assert stream.n_pairs == 100
    parts = list(stream)
    first = data.organ_pairs(40, seed=0)
    np.testing.assert_array_equal(parts[0].left_features[:40], first.left)
    np.testing.assert_array_equal(parts[0].wins[:40], first.left_won)
    assert parts[0].features == data.FEATURES
