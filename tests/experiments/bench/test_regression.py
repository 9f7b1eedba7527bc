"""Does scikit-learn run as its own documentation advises?"""

import numpy as np
import pytest

from lori.experiments.bench.contest import Outcome, Row, Seconds
from lori.experiments.bench.data import organ_pairs
from lori.experiments.bench.regression import SOLVERS, at_its_best, by_the_best, regression


def test_both_solvers_get_standardised_features_and_no_penalty():
    pairs, seen = organ_pairs(500), []
    contestants = at_its_best(pairs.differences, pairs.left_won, seen.append)
    for own in contestants:
        own.run()
    assert [own.name for own in contestants] == list(SOLVERS.values())
    assert [own.solver for own in seen] == ["lbfgs", "newton-cholesky"]
    raw = regression(pairs.differences, pairs.left_won)
    for own in seen:
        assert np.inf == own.C
        assert not own.fit_intercept
        np.testing.assert_allclose(own.coef_, raw.coef_ * pairs.differences.std(axis=0), rtol=1e-2)


def test_at_its_best_is_the_faster_of_them():
    rows = [
        Row("case", name, Seconds((seconds,)))
        for name, seconds in zip(("ours", *SOLVERS.values()), (1.0, 4.0, 2.0), strict=True)
    ]
    assert by_the_best(Outcome(rows, {}), "ours") == pytest.approx(0.5)
