"""Age study: when do priorities change? Efficacy against toxicity as a learned function of age (appendix B).

Both levels share one gate σ((age − threshold) / sensitivity), as the paper's two rewards do; its two numbers are what
the paper identifies. The priority of efficacy at an age is its share of the first level's weights: what a unit of
tumour volume is worth against a unit of white blood cells. In the truth that is the gate itself. Intervals hold 95 % of
the posterior's draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

from lori.applications.cancer import age as clinic
from lori.estimators.lori import LORI
from lori.evaluation.metrics import rmse
from lori.experiments.figures import OURS
from lori.experiments.study import HERE, Cell, Row, Study, measured, setting
from lori.model.precision import double_precision
from lori.model.priors import Prior
from lori.model.rewards import Gated

UNKNOWN = "no such script"
WITH, WITHOUT = "age matters", "age does not matter"


@dataclass(frozen=True)
class AgeSettings:
    """The paper's protocol (appendix B, factors determining priorities)."""

    trajectories: int = setting(1000, "treatments", printed=HERE, scripts=UNKNOWN)
    pairs: int = setting(1000, "comparisons of two of them", printed=HERE, scripts=UNKNOWN)
    starts: int = setting(24, "of the fit", scripts=UNKNOWN)
    prior_degrees: float = setting(
        1.0, "Student-t prior: the experts are those of the cancer study, and so is the prior", printed="none",
        scripts=UNKNOWN,
    )  # fmt: skip
    cells: int = setting(100, "of each feature, in planning what clinicians do", scripts=UNKNOWN)
    youngest: float = setting(20.0, "age at which the curve begins", scripts=UNKNOWN)
    oldest: float = setting(60.0, "age at which it ends", scripts=UNKNOWN)
    ages: int = setting(81, "of the curve", scripts=UNKNOWN)
    draws: int = setting(2000, "of parameters, for the intervals", printed="no interval", scripts=UNKNOWN)


@dataclass(frozen=True)
class Gate:
    """The gate's two numbers, each with an interval."""

    threshold: tuple[float, float, float]  # low, value, high
    sensitivity: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Curve:
    """The priority of efficacy by age, with an interval."""

    middle: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def flat(self) -> bool:
        """Does some priority that is the same at every age lie within the interval?"""
        return bool(self.low.max() <= self.high.min())


def cell(settings: AgeSettings, seed: int) -> Cell:
    """The learned curve where age matters, and where it does not."""
    ages = _ages(settings)
    answer: Cell = {}
    for name, effect in ((WITH, True), (WITHOUT, False)):
        seen = clinic.preferences(
            settings.pairs, trajectories=settings.trajectories, effect=effect, cells=settings.cells, seed=seed
        )
        prior = Prior(degrees=settings.prior_degrees)
        fitted = LORI(levels=2, reward=clinic.REWARD, lapse=0, prior=prior, starts=settings.starts, seed=seed).fit(seen)
        drawn = np.asarray(fitted.posterior(seen, draws=settings.draws, seed=seed).reported[0].parameters)
        curve = learned_curve(fitted, drawn, ages)
        support = fitted.summary().support
        answer[name] = {
            "RMSE of the curve": rmse(curve.middle, true_curve(ages, effect)),
            "interval allows no effect": float(curve.flat),
            "curve": curve.middle.tolist(),
            "low": curve.low.tolist(),
            "high": curve.high.tolist(),
            "second level supported": float(support is not None and support.recommended > 1),
        }
        if effect:
            gate = learned_gate(fitted, drawn)
            for number, truth, (low, value, high) in (
                ("threshold", clinic.THRESHOLD, gate.threshold),
                ("sensitivity", clinic.SENSITIVITY, gate.sensitivity),
            ):
                covered = float(low <= truth <= high)
                answer[name] |= {number: value, f"its interval covers {truth:g}": covered}
                answer[name][f"interval of {number}"] = [low, high]
    return answer


def true_curve(ages: np.ndarray, effect: bool = True) -> np.ndarray:
    """σ((threshold − age) / sensitivity), or 1 where efficacy always comes first."""
    return 1 / (1 + np.exp((ages - clinic.THRESHOLD) / clinic.SENSITIVITY)) if effect else np.ones_like(ages)


def learned_gate(fitted: LORI, drawn: np.ndarray) -> Gate:
    """Threshold and sensitivity of the gate σ(offset + slope · age) in years, with intervals of drawn parameters."""
    vectors = np.concatenate([fitted.levels_[0].parameters[None], drawn])
    offset, slope = vectors[:, -2], vectors[:, -1]
    numbers = []
    for values in (-offset / slope, 1 / slope):
        low, high = np.quantile(values[1:], [0.025, 0.975])
        numbers.append((float(low), float(values[0]), float(high)))
    return Gate(*numbers)


def learned_curve(fitted: LORI, drawn: np.ndarray, ages: np.ndarray) -> Curve:
    """The priority of efficacy in the first level of a fit, with the interval of drawn parameters."""
    parameters = np.concatenate([fitted.levels_[0].parameters[None], drawn])
    middle, *curves = _priorities(clinic.REWARD.among(clinic.FEATURES), parameters, ages)
    low, high = np.quantile(curves, [0.025, 0.975], axis=0)
    return Curve(middle, np.minimum(low, middle), np.maximum(high, middle))


@double_precision
def _priorities(reward: Gated, parameters: np.ndarray, ages: np.ndarray) -> np.ndarray:
    """(parameter vectors, ages)."""
    return np.asarray(_priority(reward, parameters, ages))


@partial(jax.jit, static_argnums=0)
def _priority(reward: Gated, parameters: jax.Array, ages: jax.Array) -> jax.Array:
    def at(own: jax.Array, age: jax.Array) -> jax.Array:
        tumour, cells = jnp.abs(reward.weights_at(own, age[None]))
        return tumour / jnp.maximum(tumour + cells, 1e-300)

    return jax.vmap(jax.vmap(at, (None, 0)), (0, None))(parameters, ages)


def rows(settings: AgeSettings, cells: Sequence[Cell]) -> list[Row]:
    """A row with age effect and one without; the curves of all seeds are kept for the figure."""
    result = []
    for name in (WITH, WITHOUT):
        own = [cell[name] for cell in cells]
        kept = [name for name, value in own[0].items() if isinstance(value, list)]
        row: Row = {"method": name}
        row |= {metric: measured([one[metric] for one in own]) for metric in own[0] if metric not in kept}
        row |= {part: [one[part] for one in own] for part in kept}
        supported = sum(one["second level supported"] for one in own)
        row["words"] = [f"Where {name}, the second level is supported in {supported:.0f} of {len(own)} seeds."]
        row["ages"] = _ages(settings).tolist()
        result.append(row)
    return result


def draw(result: dict[str, Any], path: Path) -> None:
    """The curve of each seed, the interval of the first one, and the truth; with an age effect and without."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, row in zip(figure.subplots(1, 2, sharey=True), result["rows"], strict=True):
        ages = np.array(row["ages"])
        axes.fill_between(
            ages, row["low"][0], row["high"][0], color=OURS, alpha=0.2, linewidth=0, label="95 % interval, first seed"
        )
        for place, curve in enumerate(row["curve"]):
            axes.plot(ages, curve, color=OURS, alpha=0.6, linewidth=1, label=None if place else "learned, each seed")
        axes.plot(ages, true_curve(ages, row["method"] == WITH), "--", color="black", label="truth")
        axes.set(xlabel="age", ylim=(-0.03, 1.03))
        axes.set_title(row["method"].capitalize(), loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("priority of efficacy over toxicity")
    figure.axes[0].legend(frameon=False, fontsize=8, loc="lower left")
    figure.savefig(path, dpi=160)


def _ages(settings: AgeSettings) -> np.ndarray:
    return np.linspace(settings.youngest, settings.oldest, settings.ages)


STUDY = Study(
    "age",
    "The priority of efficacy over toxicity by the patient's age",
    AgeSettings(),
    AgeSettings(trajectories=60, pairs=150, starts=4, cells=20, ages=9, draws=100),
    cell=cell,
    rows=rows,
    draw=draw,
    version=3,
)
