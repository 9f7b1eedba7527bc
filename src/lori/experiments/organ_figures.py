"""What do the paper's figures of organ allocation look like? How benefit pays for need, and where neither counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lori.evaluation.tradeoffs import landscape, prices
from lori.experiments.panels import draw_regions, region_legend
from lori.model.ordered import OrderedModel

LINE = "#0072B2"
PIXELS, POINTS = 301, 600


def draw(result: dict[str, Any], path: Path) -> None:
    """On the left what benefit pays for need, then the preferences of T-REX and of the best fit."""
    single, best = (next(row for row in result["rows"] if test(row)) for test in (_is_single, _is_best))
    models = {row["method"]: OrderedModel.from_description(row["model"]) for row in (single, best)}
    spans = _spans(best, models[best["method"]])
    figure = Figure(figsize=(14, 4.6), layout="constrained")
    panels = figure.subplots(1, 1 + len(models))
    _trade_off(panels[0], models, spans, _limit(best))
    for axes, (method, model) in zip(panels[1:], models.items(), strict=True):
        _regions(axes, model, spans, f"Preferences learned by {method}")
    handles = region_legend(
        "candidate preferred (probability above ½)",
        "alternative preferred (above ½)",
        "indifferent: neither is preferred as often as not",
    )
    figure.legend(handles=handles, loc="outside lower right", ncols=3, frameon=False, fontsize=8)
    figure.savefig(path, dpi=160)


def _is_single(row: dict[str, Any]) -> bool:
    return row["method"] == "T-REX"


def _is_best(row: dict[str, Any]) -> bool:
    return bool(row.get("best"))


def _limit(best: dict[str, Any]) -> float | None:
    """From when on need counts in the first level, where it leads."""
    first = best["summary"]["levels"][0]
    return first["thresholds"]["need"]["value"] if first["leading"] == ["need"] else None


def _spans(best: dict[str, Any], model: OrderedModel) -> dict[str, float]:
    """How far the axes reach, in days: what happens around the thresholds must be seen, and little beyond."""
    seen = {
        name: [level["thresholds"][name]["value"] or np.inf for level in best["summary"]["levels"]]
        for name in best["extremes"]
    }
    if limit := _limit(best):  # where the price of need begins to rise
        seen["benefit"].append(float(_price(model, np.array([0.9 * limit]), best["extremes"]["benefit"])[0]))
    return {
        name: 2.5 * max([value for value in seen[name] if value < extreme / 2.5], default=extreme / 2.5)
        for name, extreme in best["extremes"].items()
    }


def _trade_off(axes: Axes, models: dict[str, OrderedModel], spans: dict[str, float], limit: float | None) -> None:
    needs = np.linspace(0, spans["need"] / 1.5, POINTS)
    for (method, model), style in zip(models.items(), ("--", "-"), strict=True):
        axes.plot(needs, _price(model, needs, spans["benefit"] * 1.5), style, color=LINE, label=method)
    if limit is not None:
        axes.axvline(limit, color="#999999", linewidth=1, linestyle=":", label=f"threshold of need: {limit:.0f} days")
    axes.set_xlim(0, needs[-1])
    axes.set_ylim(0, spans["benefit"] * 1.5)
    axes.set_xlabel("need difference (days)")
    axes.set_ylabel("benefit difference that outweighs it (days)")
    axes.set_title("Trade-off between benefit and need", loc="left", fontsize=10, fontweight="bold")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="upper left")


def _price(model: OrderedModel, needs: np.ndarray, most: float) -> np.ndarray:
    """The benefit that makes up for each need. NaN where it exceeds `most`."""
    paid = prices(model, "need", "benefit", needs, most)
    return np.where(np.isinf(paid), np.nan, paid)


def _regions(axes: Axes, model: OrderedModel, spans: dict[str, float], title: str) -> None:
    """Who is preferred with a probability above ½, when "no difference counts" is an answer of its own."""
    extent = (spans["need"], spans["benefit"])
    draw_regions(axes, landscape(model, "need", "benefit", extent, points=PIXELS, ties_apart=True))
    axes.set_xlabel("need difference, candidate − alternative (days)")
    axes.set_ylabel("benefit difference, candidate − alternative (days)")
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold")
