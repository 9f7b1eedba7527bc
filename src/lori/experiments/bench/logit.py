"""Logit: how long does one level with standard errors take, against libraries for regression and choice models?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Contestant, Measured, hold
from lori.experiments.bench.data import ORGAN_PAIRS, OrganPairs, organ_pairs
from lori.experiments.bench.passes import add_passes
from lori.experiments.bench.regression import at_its_best, by_the_best, regression

OURS, STATSMODELS, REGRESSION, XLOGIT = "LORI, 1 level", "statsmodels", "scikit-learn", "xlogit"


@dataclass(frozen=True)
class LogitSettings:
    """What is measured with one level."""

    pairs: int = ORGAN_PAIRS
    """Pairs of two features."""
    repeats: int = 9
    """Rounds of the contest."""


SMOKE = LogitSettings(pairs=1_500, repeats=0)


def measure(settings: LogitSettings) -> Measured:
    """All maximise the same likelihood; only scikit-learn gives no standard errors."""
    pairs = organ_pairs(settings.pairs)
    preferences, differences = pairs.preferences, pairs.differences
    estimator = LORI(levels=1, epsilon=0.0, lapse=0, prior=None)

    def ours() -> np.ndarray:
        weights = estimator.fit(preferences).summary().levels[0].weights.values()
        return np.array([[own.value for own in weights], [own.standard_error for own in weights]])

    def statsmodels() -> np.ndarray:
        from statsmodels.api import Logit

        fit = Logit(pairs.left_won.astype(float), differences).fit(disp=0)
        return np.array([fit.params, fit.bse])

    outcome = hold(
        f"logit, {settings.pairs:,} pairs",
        [
            Contestant(OURS, ours, note="with standard errors"),
            Contestant(STATSMODELS, statsmodels, "statsmodels", note="with standard errors"),
            Contestant(REGRESSION, lambda: regression(differences, pairs.left_won).coef_, note="no standard errors"),
            *at_its_best(differences, pairs.left_won, lambda fitted: fitted.coef_ / differences.std(axis=0)),
            Contestant(XLOGIT, _xlogit(pairs), "xlogit", note="with standard errors"),
        ],
        settings.repeats,
    )
    add_passes(outcome, OURS, estimator, preferences)
    own, measured = outcome.answers[OURS], Measured(outcome.rows)
    for peer, answer in outcome.answers.items():
        if peer != OURS:
            apart = np.max(np.abs(answer / own[: len(answer)] - 1), axis=1)
            outcome.add(
                peer, f"differs from LORI by {apart.max():.1g}, relative", relative_difference=float(apart.max())
            )
            if peer == STATSMODELS:
                text = "logit: coefficients and errors against statsmodels, relative"
                measured.claim(text, float(apart.max()), 1e-6, at_any_size=True)
    measured.claim("logit: LORI with errors by statsmodels", outcome.relative(OURS, STATSMODELS), 0.5)
    measured.claim("logit: LORI with errors by scikit-learn", outcome.relative(OURS, REGRESSION), 0.5)
    measured.claim("logit: LORI with errors by scikit-learn at its best", by_the_best(outcome, OURS), 0.3)
    return measured


def _xlogit(pairs: OrganPairs):
    """Its long form, a row for each alternative, is laid out beforehand."""
    count = len(pairs.left)
    rows = np.stack([pairs.left, pairs.right], axis=1).reshape(2 * count, -1)
    chosen = np.stack([pairs.left_won, ~pairs.left_won], axis=1).ravel()
    alternatives, sets = np.tile([1, 2], count), np.repeat(np.arange(count), 2)

    def run() -> np.ndarray:
        from xlogit import MultinomialLogit

        model = MultinomialLogit()
        model.fit(rows, chosen, varnames=["a", "b"], alts=alternatives, ids=sets, verbose=0)
        return np.array([model.coeff_, model.stderr])

    return run
