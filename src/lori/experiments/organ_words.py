"""What do the fits to an allocation say in plain words? Sentences computed from numbers.

What comes first is read from the fit with the smallest Bayesian information criterion: a level more than the data
support may stand anywhere in the order and decide nothing. For the same reason levels that decide next to nothing are
passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lori.language.numbers import fine_percent, percent

EXPLAINS = 0.05  # of a coin's uncertainty: less is no explanation
DECIDES = 0.01  # of the comparisons: a level with less is passed over
OTHER = {"need": "benefit", "benefit": "need"}


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


def words(found: Mapping[str, Any]) -> list[str]:
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
