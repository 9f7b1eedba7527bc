"""Results of the organ study in sentences and figures: what do the fits to an allocation say?

What comes first is read from the fit with the smallest Bayesian information criterion: a level more than the data
support may stand anywhere in the order and decide nothing. For the same reason levels that decide next to nothing are
passed over. The figures are the paper's: how benefit pays for need, and where neither counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lori.evaluation.tradeoffs import landscape, prices
from lori.experiments.figures import draw_regions, region_legend
from lori.language.numbers import fine_percent, percent
from lori.model.ordered import OrderedModel

EXPLAINS = 0.05  # of a coin's uncertainty: less is no explanation
DECIDES = 0.01  # of the comparisons: a level with less is passed over
OTHER = {"need": "benefit", "benefit": "need"}
LINE = "#0072B2"
PIXELS, POINTS = 301, 600


def criterion(fit: Mapping[str, Any]) -> float:
    """The Bayesian information criterion of a fit: smaller is better."""
    return fit["summary"]["by_levels"][-1]["bic"]


def best_of(fits: Mapping[str, Any]) -> str:
    """LORI with the number of levels that has the smallest Bayesian information criterion."""
    ours = [method for method in fits if method.startswith("LORI")]
    return min(ours, key=lambda method: criterion(fits[method]))


def explained(summary: Mapping[str, Any]) -> float:
    """The share of a coin's uncertainty that a fit takes away: 0 for a coin, 1 for a prophet."""
    return 1 + summary["log_likelihood"] / (summary["comparisons"] * float(np.log(2)))


def sentences(found: Mapping[str, Any]) -> list[str]:
    """The answer in paragraphs: the data, what comes first, and what a single reward would say."""
    fits, counts = found["fits"], found["registry"]
    best = best_of(fits)
    summary = fits[best]["summary"]
    data = (
        f"In {counts['year']}, {counts['organs']:,} organs went to some of {counts['patients']:,} patients, "
        f"which makes {counts['preferences']:,} preferences."
    )
    share = explained(summary)
    if share < EXPLAINS:
        return [
            data,
            "Neither benefit nor need explains the allocation: the best model takes away "
            f"{fine_percent(max(share, 0))} of a coin's uncertainty and is right in "
            f"{percent(fits[best]['accuracy'])} of the comparisons.",
        ]
    chosen = f"{best} describes them best: it takes away {percent(share)} of a coin's uncertainty."
    levels = [level for level in summary["levels"] if level["decides"] >= DECIDES]
    return [f"{data} {chosen}", _first(levels, found["extremes"]), _single(fits["T-REX"]["summary"]["levels"][0])]


def order_of(found: Mapping[str, Any]) -> str:
    """What comes first in a registry's best fit: need, benefit, or neither."""
    summary = found["fits"][best_of(found["fits"])]["summary"]
    if explained(summary) < EXPLAINS:
        return "neither"
    leading = next(level for level in summary["levels"] if level["decides"] >= DECIDES)["leading"]
    return leading[0] if len(leading) == 1 else "neither"


def ranked(found: Mapping[str, Any]) -> list[str]:
    """What weighs most in each level of a registry's best fit, first things first; nothing where that explains nothing.

    Levels that decide next to nothing are passed over.
    """
    summary = found["fits"][best_of(found["fits"])]["summary"]
    if explained(summary) < EXPLAINS:
        return []
    return [level["leading"][0] for level in summary["levels"] if level["decides"] >= DECIDES and level["leading"]]


def need_thresholds(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The first level's threshold of need in the fit with two levels, with its interval, where need leads."""
    levels = [cell["fits"]["LORI, 2 levels"]["summary"]["levels"][0] for cell in cells]
    found = [level["thresholds"]["need"] for level in levels if level["leading"] == ["need"]]
    return [each for each in found if each["value"] and each["interval"]]


def covering(thresholds: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Does each registry's interval hold the mean of the others' estimates?"""
    values = np.array([each["value"] for each in thresholds])
    return [
        bool(low <= np.delete(values, place).mean() <= high)
        for place, (low, high) in enumerate(each["interval"] for each in thresholds)
    ]


def between(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """How far several registries agree, in a paragraph."""
    if len(cells) < 2:
        return []
    orders = [order_of(cell) for cell in cells]
    counts = ", ".join(f"{name} in {orders.count(name)}" for name in ("need", "benefit", "neither") if name in orders)
    said = f"Of {len(cells)} registries of this mechanism, first comes {counts}."
    thresholds = need_thresholds(cells)
    if len(thresholds) < 2:
        return [said]
    values = np.array([each["value"] for each in thresholds])
    covered = covering(thresholds)
    return [
        f"{said} With two levels, need counts from {values.min():.1f} to {values.max():.1f} days, {values.mean():.1f} "
        f"in the mean, with a deviation between registries of {values.std(ddof=1):.1f}. The interval of a registry "
        f"(95 %, clustered by organ) holds the mean of the others in {sum(covered)} of {len(covered)}."
    ]


def _first(levels: list[dict[str, Any]], extremes: Mapping[str, float]) -> str:
    """What comes first, from when on it cannot be outweighed, and what decides below."""
    first, leading = levels[0], levels[0]["leading"]
    if len(leading) != 1:
        return f"Neither comes first: {_rate(first)}, also in the level with the highest priority."
    name, other = leading[0], OTHER[leading[0]]
    said = [f"{name.capitalize()} comes first and decides {percent(first['decides'])} of the comparisons."]
    if not first["epsilon"]["value"]:
        return f"{said[0]} Every difference counts; {_rate(first)}."
    limit = decisive(first, extremes)
    occurring = f" that occurs ({other} differs by less than {extremes[other]:.0f} days in 99 % of the pairs)"
    said.append(
        f"A {name} difference above {limit:.0f} days cannot be outweighed by any {other}"
        f"{occurring if first['weights'][other]['value'] > 0 else ''}; "
        f"{name} alone counts from {_days(first['thresholds'][name])}."
    )
    said.extend(_below(levels[1:]))
    return " ".join(said)


def decisive(level: Mapping[str, Any], extremes: Mapping[str, float]) -> float:
    """The difference in the leading feature at which the level says "better" as often as not, whatever lies below.

    s = σ(w·difference − v·extreme − ε) = ½, where the other feature, of weight v, is as adverse as it gets.
    """
    name = level["leading"][0]
    weights = {feature: weight["value"] for feature, weight in level["weights"].items()}
    other = OTHER[name]
    return (level["epsilon"]["value"] + weights[other] * extremes[other]) / weights[name]


def _below(levels: list[dict[str, Any]]) -> list[str]:
    said = []
    for level in levels:
        verb = "decide" if len(level["leading"]) > 1 else "decides"
        sentence = f"Below that, {' and '.join(level['leading']) or 'nothing'} {verb} {percent(level['decides'])}"
        if len(level["leading"]) == 1 and level["epsilon"]["value"]:
            sentence += f", from a difference of {_days(level['thresholds'][level['leading'][0]])}"
        said.append(sentence + ".")
    return said


def _single(level: Mapping[str, Any]) -> str:
    """What T-REX says: there is always a price."""
    return f"With a single reward (T-REX) there would be no such limit: {_rate(level)}."


def _rate(level: Mapping[str, Any]) -> str:
    benefit, need = (level["weights"][name]["value"] for name in ("benefit", "need"))
    if benefit <= 0 or need <= 0:
        return f"only {'need' if need > 0 else 'benefit'} counts"
    return f"a day of need is worth {need / benefit:.3g} days of benefit"


def _days(threshold: Mapping[str, Any]) -> str:
    interval = threshold["interval"]
    between = f" (95 % interval {interval[0]:.1f} to {interval[1]:.1f})" if interval else ""
    return f"{threshold['value']:.1f} days{between}"


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
