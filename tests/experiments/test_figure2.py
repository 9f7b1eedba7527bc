"""Does figure 2 show the model of the paper?"""

import numpy as np
import pytest

from lori.experiments.figure2 import PANELS, STUDY, probabilities
from lori.experiments.results import run_study


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def naive(alpha, epsilon, first, second):
    """Equations (4) and (5), with a coin for what both levels leave open."""
    better = [sigmoid(alpha * (gap - epsilon)) for gap in (first, second)]
    worse = [sigmoid(alpha * (-gap - epsilon)) for gap in (first, second)]
    equal = [1 - b - w for b, w in zip(better, worse, strict=True)]
    return better[0] + equal[0] * better[1] + 0.5 * equal[0] * equal[1]


@pytest.mark.parametrize(("alpha", "epsilon"), PANELS.values())
def test_probabilities_restate_the_equation(alpha, epsilon):
    grid, steps = probabilities(alpha, epsilon, 2.0, 5), np.linspace(-2, 2, 5)
    expected = [[naive(alpha, epsilon, first, second) for first in steps] for second in steps]
    np.testing.assert_allclose(grid, expected, atol=1e-12)
    np.testing.assert_allclose(grid + grid[::-1, ::-1], 1.0, atol=1e-12)  # one of the two is preferred


def test_the_settings_are_the_printed_ones():
    assert list(PANELS.values()) == [(3.0, 1.0), (1.5, 1.0), (3.0, 0.5)]


def test_running_twice_writes_the_same_files(tmp_path):
    run_study(STUDY, tmp_path, smoke=True)
    first = (tmp_path / "figure2.json").read_bytes()
    result = run_study(STUDY, tmp_path, smoke=True)
    assert (tmp_path / "figure2.json").read_bytes() == first
    assert (tmp_path / "figure2.png").stat().st_size > 10_000
    assert [row["method"] for row in result["rows"]] == list(PANELS)
