"""Do Gaussian-process preferences equal an independent library's, and does the evidence find what it should?"""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import norm

import lori
from lori.baselines.gaussian_process import Basis, GaussianProcess, Kernel, _pieces
from lori.errors import InputError

REFERENCE = json.loads((Path(__file__).parents[1] / "golden" / "pairwise_gp.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def seen():
    return lori.Preferences.from_indices(REFERENCE["items"], REFERENCE["left"], REFERENCE["right"])


@pytest.mark.parametrize("answer", REFERENCE["answers"], ids=lambda own: f"amplitude {own['amplitude']}")
def test_evidence_and_probabilities_equal_botorch(answer, seen):
    """BoTorch's PairwiseGP, of 40 alternatives and 200 pairs; tools/pairwise_gp.py made the file."""
    assert (len(REFERENCE["items"]), len(seen)) == (40, 200)
    model = GaussianProcess(lengths=answer["lengths"], amplitude=answer["amplitude"]).fit(seen)
    assert model.evidence_ == pytest.approx(answer["evidence"], abs=1e-5)
    assert model.predict_proba(np.array(REFERENCE["new"]))[:, 0] == pytest.approx(answer["probabilities"], abs=1e-6)


def test_hyper_parameters_have_the_highest_evidence(seen):
    model = GaussianProcess().fit(seen)
    assert model.converged_
    assert model.evidence_ > max(answer["evidence"] for answer in REFERENCE["answers"])
    for factor in (0.9, 1.1):
        for place in range(3):
            changed = np.array([model.kernel_.amplitude, *model.kernel_.lengths])
            changed[place] *= factor
            other = GaussianProcess(amplitude=changed[0], lengths=changed[1:]).fit(seen)
            assert other.evidence_ < model.evidence_ + 1e-6


def test_inducing_points_come_near_to_all(seen):
    whole = GaussianProcess(lengths=[0.8, 0.8], amplitude=1.0).fit(seen)
    sparse = GaussianProcess(lengths=[0.8, 0.8], amplitude=1.0, exact=10, inducing=15).fit(seen)
    assert len(sparse.basis_.pivots) == 15 < len(whole.basis_.pivots)
    assert sparse.predict_proba(seen) == pytest.approx(whole.predict_proba(seen), abs=0.02)
    assert sparse.evidence_ == pytest.approx(whole.evidence_, abs=0.5)


def test_a_basis_restores_the_kernel():
    items = np.random.default_rng(0).normal(size=(60, 3))
    kernel = Kernel(2.0, np.array([1.0, 2.0, 0.5]))
    rows = Basis.of(kernel, items)(items)
    assert rows @ rows.T == pytest.approx(kernel(items, items), abs=1e-8)
    assert kernel.of_pairs(items[:30], items[30:]) == pytest.approx(np.diag(kernel(items[:30], items[30:])))


def test_slopes_and_curvatures_are_those_of_the_likelihood():
    gap = np.array([-8.0, -1.0, 0.0, 0.3, 2.5])
    for outcome in range(3):
        counts = np.eye(3)[[outcome] * len(gap)] * 2
        value, slope, curvature = _pieces(gap, counts, 0.7)
        first, last = norm.cdf((gap - 0.7) / np.sqrt(2)), norm.cdf((-gap - 0.7) / np.sqrt(2))
        assert value == pytest.approx(2 * np.log([first, 1 - first - last, last][outcome]))
        for place in range(len(gap)):
            one = counts[place : place + 1]
            numeric = approx_fprime(gap[place : place + 1], lambda at, one=one: _pieces(at, one, 0.7)[0][0], 1e-6)
            assert slope[place] == pytest.approx(numeric[0], rel=1e-4, abs=1e-5)
            numeric = approx_fprime(gap[place : place + 1], lambda at, one=one: _pieces(at, one, 0.7)[1][0], 1e-6)
            assert curvature[place] == pytest.approx(-numeric[0], rel=1e-3, abs=1e-5)


def test_ties_have_a_just_noticeable_difference_that_is_learned():
    generator = np.random.default_rng(1000)
    items = generator.normal(size=(40, 2))
    reward = items @ [2.0, 0.0]
    one, other = generator.integers(40, size=(2, 700))
    one, other = one[one != other], other[one != other]
    gap = reward[one] - reward[other] + np.sqrt(2) * generator.normal(size=len(one))
    counts = np.eye(3)[np.where(gap > 1.0, 0, np.where(gap < -1.0, 2, 1))]
    seen = lori.Preferences.from_indices(items, one, other, counts=counts)
    model = GaussianProcess().fit(seen)
    at_truth, at_half = (GaussianProcess(threshold=own).fit(seen).evidence_ for own in (1.0, 0.5))
    assert model.evidence_ - 4.5 < at_truth <= model.evidence_  # within three standard errors
    assert at_half < model.evidence_ - 4.5
    first, second = (np.ptp(model.reward(ends)[0]) for ends in ([[-1, 0], [1, 0]], [[0, -1], [0, 1]]))
    assert second < 0.15 * first  # which does not matter
    mean, spread = model.reward(items)
    assert np.corrcoef(mean, reward)[0, 1] > 0.98
    assert np.all(spread > 0)


def test_numbers_that_cannot_be_are_refused(seen):
    with pytest.raises(InputError, match="one for each of 2 features"):
        GaussianProcess(lengths=[1.0, 1.0, 1.0]).fit(seen)
    with pytest.raises(InputError, match="positive numbers"):
        GaussianProcess(amplitude=-1.0).fit(seen)
