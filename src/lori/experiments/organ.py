"""Organ allocation: what do the decisions of a liver registry put first, the patients' benefit or their need?

Without a registry's file some are made up, one for each seed, whose preferences are known: those that the paper
inferred. Either way the file is read, survival is estimated, and T-REX and LORI learn from whom each organ went to. A
registry's own file is one answer, as in the paper; made-up ones also tell how far registries of the same mechanism
differ by the luck of the draw. Numbers are sums and estimates, never a patient's own.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lori.applications.organ.allocation import policy_named
from lori.applications.organ.preferences import preferences_by_organ
from lori.applications.organ.registry import Registry, read_registry
from lori.applications.organ.survival import SurvivalFit, estimate
from lori.applications.organ.synthetic import SyntheticSettings, write_registry
from lori.applications.organ.truth import PREFERENCES
from lori.baselines.trex import TREX
from lori.data.preferences import Preferences
from lori.data.reading.paths import check_file
from lori.errors import DataError
from lori.estimators.lori import LORI
from lori.evaluation.metrics import accuracy
from lori.experiments.organ_results import best_of, between, criterion, draw, sentences
from lori.experiments.study import HERE, Cell, Row, Study, measured, setting
from lori.model.rewards import Linear

EXTREME = 0.99  # differences beyond this quantile hardly occur
ONLY = "a registry's own file"
MADE_UP = SyntheticSettings(policy="model")


@dataclass(frozen=True)
class OrganSettings:
    """A registry's file, or the size of a made-up one; by default that of the paper."""

    registry: str = setting("", "the file; empty: made up", printed="OPTN, of 4 December 2020", scripts="the same")
    digest: str = setting("", "of the file's content: another content is another study", printed=ONLY, scripts=ONLY)
    year: int = setting(MADE_UP.year, "in which patients were listed and left the list", printed=HERE, scripts=HERE)
    years: int = setting(
        10, "before it that the survival models learn from as well", printed="0: the year alone", scripts="0"
    )
    raw: bool = setting(
        False, "the survival models take laboratory values as measured, not their logarithms", printed="not said",
        scripts="True",
    )  # fmt: skip
    everybody: bool = setting(
        False,
        "recipients are compared with everybody who waited, whatever their blood group",
        printed="pairings that were also possible",
        scripts="everybody who was transplanted in the end",
    )
    policy: str = setting(MADE_UP.policy, "of the made-up registry", printed=ONLY, scripts=ONLY)
    expected: bool = setting(
        False,
        "the policy decides on the days that the survival models expect, as if it had them, not on the true ones",
        printed=ONLY,
        scripts=ONLY,
    )
    patients: int = setting(MADE_UP.patients, "of the year", printed="4070 after the filters", scripts=ONLY)
    organs: int = setting(MADE_UP.organs, "of the year", printed="3942 after the filters", scripts=ONLY)
    waiting: int = setting(MADE_UP.waiting, "days that the list fills", printed=ONLY, scripts=ONLY)
    history: int = setting(MADE_UP.history, "patients of the eight years before", printed=ONLY, scripts=ONLY)
    others: int = setting(MADE_UP.others, "rows that the filters remove", printed=ONLY, scripts=ONLY)
    levels: int = setting(3, "of the largest model", printed="2", scripts="2")
    starts: int = setting(24, "of each fit", printed="1", scripts="1")


SMOKE = OrganSettings(patients=400, organs=330, waiting=60, history=1_500, others=80, levels=2, starts=8)


def registry_study(file: Path, year: int = MADE_UP.year) -> Study:
    """The study of somebody's own registry."""
    if not stat.S_ISREG(check_file(file)):  # it is read more than once
        raise DataError(str(file), expected="a registry's file", got="a pipe", fix="write it to a file first")
    try:
        with open(file, "rb") as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        raise DataError(
            str(file), expected="a registry's file", got=error.strerror or "a failure of the file system",
            fix="check the name",
        ) from None  # fmt: skip
    own = OrganSettings(
        str(file), digest, year, policy="as recorded", patients=0, organs=0, waiting=0, history=0, others=0
    )
    return replace(STUDY, settings=own, smoke=replace(own, starts=SMOKE.starts), random=False)


def cell(settings: OrganSettings, seed: int) -> Cell:
    """All fits to one registry, and what is known about it."""
    if settings.registry:
        return _studied(settings, Path(settings.registry), seed)
    made_up = {name: value for name, value in asdict(settings).items() if name in asdict(MADE_UP)}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "registry.csv"
        model = PREFERENCES if settings.policy == "model" else None
        write_registry(file, SyntheticSettings(**made_up, seed=seed), model=model)
        return _studied(settings, file, seed)


def _studied(settings: OrganSettings, file: Path, seed: int) -> Cell:
    registry = read_registry(file, year=settings.year, history=settings.years)
    estimates = estimate(registry, raw=settings.raw)
    panel = PREFERENCES if settings.policy == "model" else None
    policy = policy_named(settings.policy) if settings.expected and panel is None else None
    pairs, organs = preferences_by_organ(
        registry, estimates, panel=panel, policy=policy, everybody=settings.everybody, seed=seed
    )
    options: dict[str, Any] = {"reward": Linear(increasing="all"), "starts": settings.starts, "seed": seed}
    estimators = {"T-REX": TREX(**options)}
    for levels in range(1, settings.levels + 1):
        estimators[f"LORI, {levels} level{'s' * (levels > 1)}"] = LORI(levels=levels, lapse=0, **options)
    with ThreadPoolExecutor(2) as pool:  # most of the time goes into compiling, which takes one core each
        largest_first = {name: pool.submit(_fitted, estimators[name], pairs, organs) for name in reversed(estimators)}
    fits = {name: largest_first[name].result() for name in estimators}
    extremes = np.quantile(np.abs(pairs.differences), EXTREME, axis=0)
    return {
        "registry": _counted(registry, pairs),
        "survival": {
            "without transplant": _diagnosed(estimates.before),
            "with transplant": _diagnosed(estimates.after),
        },
        "extremes": dict(zip(pairs.features, map(float, extremes), strict=True)),
        "correlation": float(np.corrcoef(pairs.alternatives.T)[0, 1]),
        "fits": fits,
    }


def _fitted(estimator: LORI, pairs: Preferences, organs: np.ndarray) -> dict[str, Any]:
    estimator.fit(pairs, clusters=organs)
    return {
        "accuracy": float(accuracy(estimator.model_, pairs)),
        "summary": estimator.summary().to_dict(),
        "model": estimator.model_.describe(),
    }


def _counted(registry: Registry, pairs: Preferences) -> dict[str, Any]:
    return {
        "year": registry.year,
        "steps": [asdict(step) for step in registry.steps],
        "unknown": registry.unknown,
        "patients": len(registry.patients),
        "organs": len(registry.organs),
        "preferences": len(pairs),
    }


def _diagnosed(fit: SurvivalFit) -> dict[str, Any]:
    coefficients = {
        name: {
            "value": value,
            "standard_error": fit.standard_errors[name],
            "p_proportional": fit.proportional[name],
        }
        for name, value in fit.survival.coefficients.items()
    }
    counts = {"patients": fit.patients, "deaths": fit.deaths, "followed_days": fit.followed}
    return {**counts, "concordance": fit.concordance, "left_out": list(fit.left_out), "coefficients": coefficients}


def rows(settings: OrganSettings, cells: Sequence[Cell]) -> list[Row]:
    """A row for each fit, over the registries; sentences and figures are about the first one.

    The fit with the smallest Bayesian information criterion there has the sentences and the registry.
    """
    first = cells[0]
    best = best_of(first["fits"])
    table: list[Row] = []
    for method, fit in first["fits"].items():
        found = [numbers(cell["fits"], method) for cell in cells]
        row: Row = {"method": method}
        for name in dict.fromkeys(name for own in found for name in own):
            row[name] = measured([own[name] for own in found if name in own])
        table.append({**row, **fit})
        if method == best:
            kept = {name: first[name] for name in ("registry", "survival", "extremes", "correlation")}
            table[-1] |= {**kept, "best": True, "words": [*sentences(first), *between(cells)]}
    return table


def numbers(fits: Mapping[str, Any], method: str) -> dict[str, float]:
    """What is told of one fit to one registry."""
    fit = fits[method]
    told = {"accuracy %": 100 * fit["accuracy"], "BIC below T-REX": criterion(fits["T-REX"]) - criterion(fit)}
    for level in fit["summary"]["levels"]:
        place = level["level"]
        told |= {f"{name} {place}": weight["value"] for name, weight in level["weights"].items()}
        told[f"ε {place}"] = level["epsilon"]["value"]
        if level["epsilon"]["value"] and len(level["leading"]) == 1:
            name = level["leading"][0]
            told[f"days of {name} {place}"] = level["thresholds"][name]["value"]
    return told


def _paper(*levels: tuple[float, float, float]) -> dict[str, Any]:
    numbers: dict[str, float] = {}
    for place, (benefit, need, epsilon) in enumerate(levels, start=1):
        numbers |= {f"benefit {place}": benefit, f"need {place}": need, f"ε {place}": epsilon}
    return {name: {"mean": value} for name, value in numbers.items()}


STUDY = Study(
    "organ",
    "What liver allocation puts first: benefit or need",
    OrganSettings(),
    SMOKE,
    cell=cell,
    rows=rows,
    paper={
        "T-REX": _paper((0.0086, 0.0137, 0.0)),
        "LORI, 2 levels": _paper((0.0001, 0.0139, 0.8944), (0.0562, 0.0002, 1.8830)),
    },
    draw=draw,
    version=2,
)
