"""Survival: how long would a patient live? Cox models with censoring, and the days they expect within five years.

The paper's scripts leave out the living and count everybody else as dead. Here patients without a transplant are
followed until death, transplant, leaving the list or the end of the file, and only deaths are events.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.applications.organ.features import (
    Features,
    after_transplant,
    as_measured,
    before_transplant,
    donors,
    recipients,
)
from lori.applications.organ.registry import Registry
from lori.errors import FitError, InputError, MissingExtra

if TYPE_CHECKING:
    import pandas

HORIZON = 5 * 12 * 30
FEWEST_DEATHS = 10
MOST = 300_000  # patients that a model learns from; more hardly sharpen it
DIAGNOSED = 20_000  # of them, for the test of proportional hazards, whose time grows with their square
REACH, STEP = 20.0, 0.005  # of the table of linear predictors; e^20 times the baseline hazard kills on the first day


@dataclass(frozen=True, eq=False)
class Survival:
    """A proportional-hazards model: S(t) = exp(−H₀(t) exp(Σ coefficient · (feature − reference)))."""

    coefficients: Mapping[str, float]
    references: Mapping[str, float]
    times: np.ndarray
    """Days, rising, at which the baseline cumulative hazard steps up to …"""
    hazard: np.ndarray
    """… these values."""

    def predictor(self, features: Features) -> np.ndarray:
        """The linear predictor, one feature after the other so that no wide table is needed."""
        return sum(
            (value * (features[name] - self.references[name]) for name, value in self.coefficients.items()),
            start=np.zeros(len(next(iter(features.values())))),
        )

    def expected_days(self, features: Features) -> np.ndarray:
        """∫ S(t) dt over the first `HORIZON` days, looked up by the linear predictor alone."""
        grid, days = self._table
        return np.interp(self.predictor(features), grid, days)

    def integrated(self, predictor: np.ndarray) -> np.ndarray:
        """The same integral without the table: exact, since S is a step function."""
        inside = self.times < HORIZON
        edges = np.concatenate([[0.0], self.times[inside], [HORIZON]])
        steps = np.concatenate([[0.0], self.hazard[inside]])
        with np.errstate(over="ignore"):
            return np.array([np.exp(-steps * np.exp(value)) @ np.diff(edges) for value in np.atleast_1d(predictor)])

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        grid = np.arange(-REACH, REACH + STEP, STEP)
        return grid, self.integrated(grid)


@dataclass(frozen=True, eq=False)
class SurvivalFit:
    """A fitted model and what speaks for or against it."""

    survival: Survival
    patients: int
    deaths: int
    followed: float
    """The longest time, in days, that anybody was followed: beyond it, nothing is known."""
    concordance: float
    standard_errors: Mapping[str, float]
    proportional: Mapping[str, float]
    """For each feature the p-value of the test that its effect does not change with time (Schoenfeld residuals)."""
    left_out: tuple[str, ...]
    """Features that hardly vary among the dead or the living, so that no effect can be estimated."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """Both models of a registry: M1 without and M2 with a transplant."""

    before: SurvivalFit
    after: SurvivalFit
    raw: bool = False  # laboratory values and waiting times as measured, not their logarithms

    def seen(self, features: Features) -> Features:
        """Features in the form that the models take."""
        return as_measured(features) if self.raw else features


def estimate(registry: Registry, *, raw: bool = False) -> Estimates:
    """Fit both models to the registry's cohort; of a very large one, to a random part.

    With `raw` they take laboratory values as measured, as the authors' scripts do, and not their logarithms.
    """
    form = as_measured if raw else dict
    listed, transplanted = (_at_most(MOST, part) for part in (registry.listed(), registry.transplanted()))
    received = listed["TX_DATE"].notna()
    died = listed["DEATH_DATE"].notna() & ~received
    stopped = listed["DEATH_DATE"].where(died, listed["TX_DATE"].where(received, listed["END_DATE"]))
    waited = stopped.fillna(registry.last_day) - listed["INIT_DATE"]
    before = fit_cox(
        "survival without transplant", form(before_transplant(listed)), waited.to_numpy(float), died.to_numpy()
    )
    dead = transplanted["DEATH_DATE"].notna()
    until = transplanted["DEATH_DATE"].fillna(registry.last_day) - transplanted["TX_DATE"]
    lived = transplanted["PTIME"].fillna(until)
    pairs = after_transplant(recipients(transplanted), donors(transplanted))
    after = fit_cox("survival with transplant", form(pairs), lived.to_numpy(float), dead.to_numpy())
    return Estimates(before, after, raw)


def _at_most(count: int, table: pandas.DataFrame) -> pandas.DataFrame:
    """A random part of a table that is too large, always the same."""
    return table if len(table) <= count else table.sample(count, random_state=0).reset_index(drop=True)


def fit_cox(what: str, features: Features, days: np.ndarray, died: np.ndarray) -> SurvivalFit:
    """A Cox model of lifelines for durations that end in death or are censored, both at the horizon at the latest."""
    import pandas

    lifelines, statistics = _lifelines()
    died = died & (days <= HORIZON)
    days = np.clip(days, 0.5, HORIZON)  # who dies on the first day was at risk for some of it
    if died.sum() < FEWEST_DEATHS:
        raise InputError(
            what,
            expected=f"at least {FEWEST_DEATHS} deaths to learn from",
            got=f"{died.sum()} among {len(days)} patients",
            fix="use more years of the registry (history=…)",
        )
    left_out = tuple(name for name, values in features.items() if min(values[died].std(), values.std()) < 1e-8)
    used = {name: values for name, values in features.items() if name not in left_out}
    means = {name: float(values.mean()) for name, values in used.items()}
    scales = {name: float(values.std()) for name, values in used.items()}
    table = pandas.DataFrame({name: (used[name] - means[name]) / scales[name] for name in used})
    table["days"], table["died"] = days, died.astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas and of columns; what matters is in the result
        warnings.simplefilter("error", lifelines.exceptions.ConvergenceWarning)
        try:
            cox = lifelines.CoxPHFitter().fit(table, "days", "died", initial_point=_optimum(lifelines, table))
            few = _at_most(DIAGNOSED, table)
            start = cox.params_.to_numpy().copy()  # lifelines changes it in place
            own = cox if few is table else lifelines.CoxPHFitter().fit(few, "days", "died", initial_point=start)
            test = statistics.proportional_hazard_test(own, few, time_transform="rank")
        except (
            lifelines.exceptions.ConvergenceError,
            lifelines.exceptions.ConvergenceWarning,
            np.linalg.LinAlgError,
        ):
            raise FitError(f"{what}: the Cox model did not converge; use more years of the registry.") from None
    baseline = cox.baseline_cumulative_hazard_
    names = list(used)
    return SurvivalFit(
        Survival(
            {name: float(cox.params_[name]) / scales[name] for name in names},
            means,
            baseline.index.to_numpy(float),
            baseline.to_numpy(float)[:, 0],
        ),
        patients=len(days),
        deaths=int(died.sum()),
        followed=float(days.max()),
        concordance=float(cox.concordance_index_),
        standard_errors={name: float(cox.standard_errors_[name]) / scales[name] for name in names},
        proportional={name: float(p) for name, p in zip(test.name, np.atleast_1d(test.p_value), strict=True)},
        left_out=left_out,
    )


def _optimum(lifelines: Any, table: pandas.DataFrame) -> np.ndarray:
    """The coefficients, found on uncorrelated columns: beside its interactions, a feature stalls lifelines' steps."""
    columns = table.drop(columns=["days", "died"])
    _, spread, directions = np.linalg.svd(columns.to_numpy() / np.sqrt(len(columns)), full_matrices=False)
    turn = directions.T / spread
    turned = table[["days", "died"]].join((columns @ turn).add_prefix("direction "))
    return turn @ lifelines.CoxPHFitter().fit(turned, "days", "died").params_.to_numpy()


def _lifelines() -> tuple[Any, Any]:
    try:
        return importlib.import_module("lifelines"), importlib.import_module("lifelines.statistics")
    except ImportError:
        raise MissingExtra("lifelines", "organ") from None
