"""Study of the number of levels (the paper's appendix B): ten are true, one to ten are fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.evaluation.metrics import rmse
from lori.experiments.figures import OURS
from lori.experiments.study import HERE, Cell, Row, Study, measured, setting
from lori.model.ordered import OrderedModel
from lori.model.priors import Prior
from lori.model.rewards import Linear
from lori.model.simulation import random_ordered_model, simulate

UNKNOWN = "no such script"


@dataclass(frozen=True)
class LevelsSettings:
    """The paper's protocol (appendix B, number of reward functions)."""

    true_levels: int = setting(10, "of the agent", printed=HERE, scripts=UNKNOWN)
    features: int = setting(10, "of an alternative", printed=HERE, scripts=UNKNOWN)
    pairs: int = setting(10_000, "to learn from, and as many to test", printed=HERE, scripts=UNKNOWN)
    deviation: float = setting(0.5, "of each feature", printed=HERE, scripts=UNKNOWN)
    most: int = setting(10, "levels that are fitted", printed=HERE, scripts=UNKNOWN)
    starts: int = setting(8, "of the fit", scripts=UNKNOWN)
    price: float = setting(Prior.price, "of a parameter of a deeper level, in units of log-likelihood", scripts=UNKNOWN)


def cell(settings: LevelsSettings, seed: int) -> Cell:
    """RMSE of the probabilities on test pairs for each number of levels, and what share each level decides."""
    generator = np.random.default_rng(seed)
    truth = random_ordered_model(settings.true_levels, settings.features, seed=generator)
    shape = (2, settings.pairs, 2, settings.features)
    train, test = settings.deviation * generator.normal(size=shape)
    preferences = simulate(truth, train, seed=int(generator.integers(1 << 31)))
    left, right = test[:, 0], test[:, 1]
    true = truth.predict_proba(left, right)[:, 0]
    fits = [
        {"RMSE": rmse(model.predict_proba(left, right)[:, 0], true), "decides": _decides(model, left, right)}
        for model in models(settings, preferences, seed)
    ]
    return {"fits": fits, "truth decides": _decides(truth, left, right)}


def models(settings: LevelsSettings, preferences: Preferences, seed: int) -> tuple[OrderedModel, ...]:
    """The best models with 1, 2, … levels that one fit with most levels finds on its way."""
    fit = LORI(
        levels=settings.most,
        reward=Linear(increasing="all"),
        lapse=0,
        prior=Prior(price=settings.price),
        starts=settings.starts,
        standard_errors="none",
        seed=seed,
    )
    return fit.fit(preferences).nested_


def _decides(model: OrderedModel, left: np.ndarray, right: np.ndarray) -> list[float]:
    decided = model.decisions(left, right)
    return [float(share) for share in np.mean(decided.left + decided.right, axis=0)]


def rows(settings: LevelsSettings, cells: Sequence[Cell]) -> list[Row]:
    """A row for each number of levels; `decides` holds the mean share of each level, for the figure."""
    result = []
    for place in range(settings.most):
        fits = [cell["fits"][place] for cell in cells]
        row: Row = {
            "method": f"{place + 1} level{'s' if place else ''}",
            "RMSE": measured([fit["RMSE"] for fit in fits]),
            "last level decides %": measured([round(100 * fit["decides"][-1], 6) for fit in fits]),
            "decides": np.mean([fit["decides"] for fit in fits], axis=0).tolist(),
        }
        result.append(row)
    truth = [cell["truth decides"] for cell in cells]
    result.append({"method": "the truth", "decides": np.mean(truth, axis=0).tolist()})
    return result


def draw(result: dict[str, Any], path: Path) -> None:
    """RMSE by the number of levels, every seed as a dot; beside it, what each level decides."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    error, share = figure.subplots(1, 2)
    fitted, truth = result["rows"][:-1], result["rows"][-1]
    count = np.arange(1, len(fitted) + 1)
    mean = [row["RMSE"]["mean"] for row in fitted]
    spread = None if fitted[0]["RMSE"]["std"] is None else [row["RMSE"]["std"] for row in fitted]
    for levels, row in zip(count, fitted, strict=True):
        error.plot([levels] * len(row["RMSE"]["values"]), row["RMSE"]["values"], ".", color=OURS, alpha=0.35)
    error.errorbar(count, mean, yerr=spread, fmt="o-", color=OURS, capsize=3, label="mean ± std; dots are seeds")
    error.set(xlabel="levels fitted", ylabel="RMSE of probabilities", xticks=count)
    error.set_ylim(bottom=0)
    error.legend(frameon=False, fontsize=8)
    width = 0.4
    share.bar(count - width / 2, 100 * np.array(fitted[-1]["decides"]), width, color=OURS, label="largest fit")
    true = np.arange(1, len(truth["decides"]) + 1)
    share.bar(true + width / 2, 100 * np.array(truth["decides"]), width, color="#999999", hatch="//", label="truth")
    share.set(xlabel="level", ylabel="decides % of the comparisons", xticks=np.union1d(count, true))
    share.legend(frameon=False, fontsize=8)
    for axes, title in ((error, "More levels"), (share, "What each level decides")):
        axes.set_title(title, loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=160)


STUDY = Study(
    "levels",
    "Accuracy by the number of levels, where ten are true",
    LevelsSettings(),
    LevelsSettings(true_levels=3, features=3, pairs=300, most=3, starts=4),
    cell=cell,
    rows=rows,
    draw=draw,
    version=2,
)
