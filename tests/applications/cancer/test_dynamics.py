"""Are the cancer dynamics those of the paper?"""

from math import log

import jax
import numpy as np
import pytest

from lori.applications.cancer.dynamics import SMALLEST, Cancer
from lori.policies.policy import Tabular
from lori.policies.rollouts import roll_out


def paper(z: float, w: float, a: int) -> list[float]:
    return [z + 0.003 * z * log(1000 / z) - 0.15 * z * a, w + 1.2 - 0.15 * w - 0.4 * w * a]


@pytest.mark.parametrize("state", [(30.0, 8.0), (0.5, 2.2), (45.0, 10.0)])
@pytest.mark.parametrize("action", [0, 1])
def test_the_expected_step_is_as_printed(state, action):
    with jax.enable_x64(True):
        inside = Cancer().expected(jax.numpy.array(state), action)
    outside = Cancer().expected(np.array(state), action)
    assert isinstance(outside, np.ndarray)
    assert np.asarray(inside) == pytest.approx(paper(*state, action), rel=1e-12)
    assert outside == pytest.approx(paper(*state, action), rel=1e-12)


def test_white_blood_cells_settle_where_the_equation_says():
    """Without noise w* = 1.2 / 0.15 = 8 when waiting; treatment leads to 1.2 / 0.55."""
    for action, settled in ((0, 8.0), (1, 1.2 / 0.55)):
        state = np.array([30.0, 5.0])
        for _ in range(200):
            state = Cancer().expected(state, action)
        assert state[1] == pytest.approx(settled, rel=1e-9)


@pytest.fixture(scope="module")
def treated() -> np.ndarray:
    treat = Tabular(np.tile([0.0, 1.0], (2, 2, 1)), np.zeros(2), np.ones(2), Cancer().actions)
    return roll_out(Cancer(), treat, count=2000).states


def test_beginnings_and_noise_have_the_printed_moments(treated):
    first, second = treated[:, 0], treated[:, 1]
    assert np.all(first[:, 1] == 8.0)
    assert abs(first[:, 0].mean() - 30) < 4 * 5 / np.sqrt(len(first))
    assert abs(first[:, 0].std() - 5) < 4 * 5 / np.sqrt(2 * len(first))
    noise = second - np.array([paper(z, 8.0, 1) for z in first[:, 0]])
    assert np.all(np.abs(noise.mean(axis=0)) < 4 * 0.5 / np.sqrt(len(noise)))
    assert np.all(np.abs(noise.std(axis=0) - 0.5) < 4 * 0.5 / np.sqrt(2 * len(noise)))
    assert abs(np.corrcoef(noise.T)[0, 1]) < 4 / np.sqrt(len(noise))


def test_the_tumour_stays_positive(treated):
    assert treated[..., 0].min() == pytest.approx(SMALLEST)  # the noise did try
    assert np.isfinite(treated).all()
