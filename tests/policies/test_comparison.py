"""The policy-preference matrix: the mean over all pairs, with an error bar that covers."""

import numpy as np
import pytest

from lori.errors import InputError
from lori.model.ordered import OrderedModel
from lori.policies import comparison
from lori.policies.comparison import preference_matrix


def model(ties: str = "split") -> OrderedModel:
    return OrderedModel.linear([[1.0, 0.2], [-0.3, 0.8]], epsilon=[0.6, 0.4], alpha=[2.0, 3.0], ties=ties)


def rollouts(seed: int = 0, **sizes: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(0.2 * place, 1.0, (size, 2)) for place, (name, size) in enumerate(sizes.items())}


@pytest.mark.parametrize("ties", ["split", "observed", "printed"])
def test_mean_over_all_pairs_with_ties_split(ties):
    drawn = rollouts(first=4, second=4, third=6)
    matrix = preference_matrix(model(ties), drawn)
    assert matrix.policies == ("first", "second", "third")
    for i, own in enumerate(drawn.values()):
        for j, other in enumerate(drawn.values()):
            if i == j:
                continue
            chances = [model(ties).predict_proba(x[None], y[None])[0] for x in own for y in other]
            assert matrix.probability[i, j] == pytest.approx(np.mean([p[0] + p[1] / 2 for p in chances]), abs=1e-12)


def test_complement_and_diagonal_are_exact():
    matrix = preference_matrix(model(), rollouts(a=4, b=4, c=6))
    upper = np.triu_indices(3, 1)
    assert (matrix.probability.T[upper] == 1 - matrix.probability[upper]).all()
    assert (np.diag(matrix.probability) == 0.5).all()
    assert (matrix.standard_error == matrix.standard_error.T).all()
    assert (np.diag(matrix.standard_error) == 0).all()


def test_blocks_do_not_matter(monkeypatch):
    drawn = rollouts(a=37, b=11)
    whole = preference_matrix(model(), drawn)
    monkeypatch.setattr(comparison, "BLOCK", 50)
    parts = preference_matrix(model(), drawn)
    np.testing.assert_allclose(parts.probability, whole.probability, rtol=1e-13)
    np.testing.assert_allclose(parts.standard_error, whole.standard_error, rtol=1e-10)


def test_huge_rewards_neither_overflow_nor_warn():
    far = {"best": np.full((2, 2), 1e6), "worst": np.full((3, 2), -1e6)}
    matrix = preference_matrix(model(), far)
    assert matrix.probability[0, 1] == 1
    assert matrix.standard_error[0, 1] == 0


def test_standard_error_is_the_spread_over_repeated_sampling():
    """The error estimated from one sample against the spread of many; a spread of 200 is known to 1 / √400 = 5 %."""
    repeats = [preference_matrix(model(), rollouts(seed, a=40, b=60)) for seed in range(200)]
    spread = np.std([matrix.probability[0, 1] for matrix in repeats], ddof=1)
    estimated = np.sqrt(np.mean([matrix.standard_error[0, 1] ** 2 for matrix in repeats]))
    assert estimated / spread == pytest.approx(1, abs=4 * 0.05)


@pytest.mark.parametrize("means", [np.zeros((1, 2)), np.zeros(2), np.zeros((5, 3)), np.full((5, 2), np.nan)])
def test_bad_rollouts_are_one_sentence(means):
    with pytest.raises(InputError, match="expected"):
        preference_matrix(model(), {"fine": np.zeros((3, 2)), "odd": means})
