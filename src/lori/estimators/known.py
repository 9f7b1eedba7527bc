"""Known models: what does one say of a decision-maker whom nobody fitted, such as the one behind simulated choices?"""

from __future__ import annotations

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.contract import WORDS
from lori.estimators.lori import LORI
from lori.inference.estimates import Reported
from lori.inference.fitting import Fit
from lori.inference.statistics import Statistics
from lori.inference.summary import summarise
from lori.language.results import Status
from lori.model.decisions import decided
from lori.model.ordered import Level, OrderedModel
from lori.model.quantity import Precision, Quantity


def known(model: OrderedModel, preferences: Preferences) -> LORI:
    """An estimator that predicts, explains, draws and is saved as if it had been fitted to these preferences.

    Its numbers have no intervals, and there was no search.
    """
    statistics = Statistics.of(preferences)
    counts = preferences.comparisons * preferences.weights
    estimator = LORI(
        levels=len(model.levels), reward=[level.reward for level in model.levels], ties=model.ties, lapse=model.lapse,
        standard_errors="none",
    )  # fmt: skip
    seen = preferences.weighted_counts
    chance = np.asarray(model.predict_proba(preferences.left_features, preferences.right_features))
    with np.errstate(divide="ignore"):
        likely = float(np.sum(seen * np.where(seen > 0, np.log(chance), 0.0)))
    sizes = np.abs(preferences.differences)
    fit = Fit(
        model=model,
        errors=[_unknown(level, len(model.features)) for level in model.levels],
        log_likelihood=likely,
        steps=(),
        support=None,
        shares=counts @ decided(model, preferences) / counts.sum(),
        lapse=Quantity.of(model.lapse, Precision()) if model.lapse else None,
        reached=(None,) * len(model.levels),
        status=Status(True, 1, 1.0),
        comparisons=statistics.comparisons,
        pairs=statistics.pairs,
        typical=statistics.deviation,
        ranges=statistics.ranges,
        differences=np.stack([np.where(sizes > 0, sizes, np.inf).min(axis=0), sizes.max(axis=0)]),
        optimum=None,  # type: ignore[arg-type]
        rivals=np.empty((0, 0)),
        sets=False,
        nested=(),
    )
    estimator.model_, estimator.summary_, estimator.ranges_ = model, summarise(fit), fit.ranges
    estimator.optimum_, estimator.log_likelihood_ = None, likely
    estimator.coding_, estimator.pooled_, estimator.fitted_to_ = WORDS, None, None
    estimator.reading_ = None
    estimator._mirror(fit.status)
    return estimator


def _unknown(level: Level, features: int) -> Reported:
    """No precision of anything: the numbers are not estimates."""
    none = np.full(len(np.atleast_1d(np.asarray(level.parameters))), Precision())
    return Reported(none, Precision(), Precision(), np.full(features, Precision()))
