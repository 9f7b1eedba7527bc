"""Are chains judged rightly whose answers are known?"""

import numpy as np
import pytest

from lori.inference.posterior.diagnostics import effective_size, mixing, split_r_hat


def autoregression(correlation, length, seed=0):
    """x_t = ρ x_{t−1} + √(1 − ρ²) noise: the variance is 1, n draws are worth n (1 − ρ) / (1 + ρ)."""
    noise = np.random.default_rng(seed).normal(size=length) * np.sqrt(1 - correlation**2)
    chain = np.zeros(length)
    for t in range(1, length):
        chain[t] = correlation * chain[t - 1] + noise[t]
    return chain


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_the_effective_size_of_an_autoregression(correlation):
    sizes = [effective_size(autoregression(correlation, 20_000, seed)) for seed in range(8)]
    known = 20_000 * (1 - correlation) / (1 + correlation)
    error = np.std(sizes, ddof=1) / np.sqrt(8)
    assert abs(np.mean(sizes) - known) < 4 * error + 0.03 * known


def test_split_r_hat_restated():
    chain = np.array([0.0, 2.0, 1.0, 3.0, 5.0, 7.0, 0.0, 1.0])  # pieces: means 1, 2, 6, ½; variances 2, 2, 2, ½
    between = np.var([1.0, 2.0, 6.0, 0.5], ddof=1)
    assert split_r_hat(chain) == pytest.approx(np.sqrt(1 / 2 + between / 1.625))


def test_a_good_chain_has_mixed():
    verdict = mixing(np.stack([autoregression(0.5, 4000, seed) for seed in (1, 2)], axis=1))
    assert verdict.mixed
    assert str(verdict).startswith("The chain has mixed")


def test_one_drifting_parameter_is_enough_to_say_no():
    good = autoregression(0.5, 4000)
    verdict = mixing(np.stack([good, good + np.linspace(0, 4, 4000)], axis=1))
    assert not verdict.mixed
    assert verdict.r_hat > 1.2
    assert "has not mixed" in str(verdict)


def test_a_chain_that_never_moved_has_not_mixed():
    assert not mixing(np.ones((100, 2))).mixed
