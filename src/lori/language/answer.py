"""What is the answer in three sentences: what comes first, what comes then, and how well is that supported?"""

from __future__ import annotations

from typing import Any

from lori.inference.status import SELDOM

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NEGLIGIBLE = 1e-6  # a threshold of so little log-odds is none
ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def answer(summary: dict[str, Any]) -> list[str]:
    """Three sentences, computed from a summary's numbers, and one for each level that depends on a context."""
    gates = [said for level in summary["levels"] if (said := gate_sentence(level))]
    if gates and len(summary["levels"]) == 1:  # what matters most on average would say less
        return [*gates, *_order(summary)[1:]]
    return [*_order(summary), *gates]


def _order(summary: dict[str, Any]) -> list[str]:
    levels, support = summary["levels"], summary["support"]
    if len(levels) == 1:
        return [_alone(levels[0]), _rest_of_one(levels[0], summary), _searched(summary)]
    first, then = _first(levels[0]), _then(levels, summary)
    if support is None:
        return [first, then, _searched(summary)]
    if support["verdict"] == "not supported":
        return [_unsupported(support), f"The best such order would be: {_lower(first)}", then]
    return [first, then, _supported(support)]


def gate_sentence(level: dict[str, Any]) -> str | None:
    """How the priorities of a level depend on a context feature; None where they do not, or on several."""
    gate = level.get("gate")
    if not gate or "threshold" not in gate or "leading" not in gate:
        return None
    (context,) = gate["slopes"]
    below, above = gate["leading"]["closed"], gate["leading"]["opened"]
    if gate["slopes"][context]["value"] < 0:
        below, above = above, below
    weighs = (
        f"{below} weighs most on both sides" if below == above else f"below it {below} weighs most, above it {above}"
    )
    return f"On level {level['level']} priorities change around {context} {gate['threshold']:.4g}: {weighs}."


def unsure(summary: dict[str, Any]) -> list[str]:
    """What the data leave open: the notes of the fit, and leading numbers whose interval says little."""
    said = [f"{note['text']} {note['remedy']}".strip() for note in summary["status"]["notes"]]
    for level in summary["levels"]:
        for name in level["leading"]:
            between = level["weights"][name]["interval"]
            if between and between[0] <= 0 <= between[1]:
                said.append(
                    f"How much {name} weighs on level {level['level']} is hardly known: the interval of its weight, "
                    f"{number(between[0])} to {number(between[1])}, holds zero."
                )
            if threshold(level):
                said += _about_threshold(name, level["level"], level["thresholds"][name]["interval"])
    support = summary.get("support")
    if support and support["verdict"] == "not supported":
        said.append(
            f"Whether there is a {ORDINALS[support['level']]} level at all: what is said about it, and the "
            "threshold above it, may be noise. Slips now and then, which have nothing to do with the features, can "
            "hide a level."
        )
    return said


def _about_threshold(name: str, level: int, between: list[float] | None) -> list[str]:
    if between is None:
        return [f"For the threshold of {name} on level {level} there is no interval."]
    if between[0] <= 0:
        return [
            f"From which difference in {name} on level {level} counts is hardly known: the interval of the threshold "
            f"reaches from zero to {number(between[1])}."
        ]
    return []


def number(value: float) -> str:
    """Four digits, and whole numbers without powers of ten as far as they can be read."""
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"


def with_interval(quantity: dict[str, Any]) -> str:
    """A number with its 95 % interval, where there is one."""
    if quantity["interval"] is None:
        return number(quantity["value"])
    low, high = quantity["interval"]
    return f"{number(quantity['value'])} (95% interval {number(low)} to {number(high)})"


def threshold(level: dict[str, Any]) -> dict[str, Any] | None:
    """From what difference on the leading feature counts; None where every difference does, or nothing leads."""
    if not level["leading"] or level["epsilon"]["value"] * level["alpha"]["value"] < NEGLIGIBLE:
        return None
    quantity = level["thresholds"][level["leading"][0]]
    return None if quantity["value"] is None else quantity


def leaders(level: dict[str, Any]) -> str:
    """The features that stand for a level, and which way is better."""
    named = [f"{name} ({_better(level, name)})" for name in level["leading"]]
    return " and ".join(named) or "nothing"


def _better(level: dict[str, Any], name: str) -> str:
    weight = level["weights"][name]["value"]
    return "less is better" if weight is not None and weight < 0 else "more is better"


def _first(level: dict[str, Any]) -> str:
    sentence = f"{leaders(level)} {_comes(level)} first"
    least = threshold(level)
    if least:
        alone = f" in {level['leading'][0]} alone" if len(level["leading"]) > 1 else ""
        sentence += f": a difference{alone} counts from {with_interval(least)} on,"
    return _capital(f"{sentence} and decides {level['decides']:.0%} of the comparisons{_cap(level)}.")


def _then(levels: list[dict[str, Any]], summary: dict[str, Any]) -> str:
    parts = []
    for level in levels[1:]:
        least = threshold(level)
        only = f" from a difference of {with_interval(least)} on" if least else ""
        parts.append(
            f"{leaders(level)} {_decides(level)}{only} ({level['decides']:.0%} of the comparisons{_cap(level)})"
        )
    return f"Where that does not differ enough, {', and then '.join(parts)}{_undecided(summary)}."


def _alone(level: dict[str, Any]) -> str:
    many = len(level["leading"]) > 1
    return _capital(f"{leaders(level)} {'matter' if many else 'matters'} most{_cap(level)}.")


def _rest_of_one(level: dict[str, Any], summary: dict[str, Any]) -> str:
    least = threshold(level)
    if least:
        counts = f"A difference in {level['leading'][0]} alone counts from {with_interval(least)} on"
        return f"{counts}{_undecided(summary)}."
    return "Every difference counts, and a large one in any feature can outweigh the others."


def _undecided(summary: dict[str, Any]) -> str:
    if summary["undecided_share"] < 0.01:
        return ""
    fate = "a coin decides" if summary["ties"] == "split" else "there is no preference"
    return f"; in {summary['undecided_share']:.0%} no difference counts and {fate}"


def _cap(level: dict[str, Any]) -> str:
    where = level.get("cap_in_feature") if level.get("cap_reached", 1.0) >= SELDOM else None
    return f"; beyond {number(where['value'])} of {where['feature']} a change does not count" if where else ""


def _supported(support: dict[str, Any]) -> str:
    adverb = "only weakly supported" if support["verdict"] == "weakly supported" else "supported"
    return (
        f"That there {_are(support['level'])} is {adverb}: the {ORDINALS[support['level']]} level explains "
        f"them better by {support['gain']:.1f} units of log-likelihood, with {_more(support)}."
    )


def _unsupported(support: dict[str, Any]) -> str:
    return (
        f"These choices do not support {_count(support['level'])}: the {ORDINALS[support['level']]} level explains "
        f"them hardly better than {_more(support)} would by chance; fit {_count(support['recommended'])} instead."
    )


def _more(support: dict[str, Any]) -> str:
    extra = support["extra_parameters"]
    return f"{extra} more parameter{'' if extra == 1 else 's'}"


def _searched(summary: dict[str, Any]) -> str:
    status = summary["status"]
    ended = "The search converged" if status["converged"] else "The search did not converge"
    return f"{ended}, and {status['share_at_best']:.0%} of its starts reached the best optimum."


def _are(levels: int) -> str:
    return f"{'is' if levels == 1 else 'are'} {_count(levels)}"


def _count(levels: int) -> str:
    name = NUMBERS[levels] if levels < len(NUMBERS) else str(levels)
    return f"{name} level{'' if levels == 1 else 's'}"


def _comes(level: dict[str, Any]) -> str:
    return "come" if len(level["leading"]) > 1 else "comes"


def _decides(level: dict[str, Any]) -> str:
    return "decide" if len(level["leading"]) > 1 else "decides"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]
