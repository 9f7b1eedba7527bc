"""What does a person need to read about a fitted model? One summary for terminal, JSON, report and web."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.inference.fitting import Fit
from lori.language.answer import gate_sentence
from lori.model.ordered import Level
from lori.model.rewards import Gated, Linear

NORMAL_95 = 1.959963984540054
NEGLIGIBLE = 0.05  # gain in log-likelihood units that is none
DUST = 1e-6  # log-odds of a standard deviation: a smaller weight is zero but for rounding
LEADING = 0.8  # a feature with this share of a level's standardised weight stands for the level


@dataclass(frozen=True)
class Summary:
    """Levels in priority order with weights, thresholds and caps in feature units, as plain values.

    `str(summary)` is the text table, `summary.to_dict()` the dictionary that it is made from.
    """

    fields: dict[str, Any]

    @classmethod
    def of(cls, fit: Fit) -> Summary:
        levels = [_level(fit, index) for index in range(len(fit.model.levels))]
        support = _support(fit)
        fields = {
            "features": list(fit.model.features),
            "ties": fit.model.ties,
            "levels": levels,
            "undecided_share": float(fit.shares[-1]),
            "log_likelihood": fit.log_likelihood,
            "comparisons": fit.comparisons,
            "pairs": fit.pairs,
            "by_levels": [
                {
                    "levels": step.levels,
                    "log_likelihood": step.log_likelihood,
                    "parameters": step.parameters,
                    "bic": step.bic(fit.comparisons),
                }
                for step in fit.steps
            ],
            "support": support,
            "status": fit.status.to_dict(),
        }
        return cls({**fields, "sentences": _sentences(fields)})

    def to_dict(self) -> dict[str, Any]:
        return self.fields

    def __str__(self) -> str:
        return "\n".join(_lines(self.fields))

    __repr__ = __str__


def _number(value: float, error: float, *, positive: bool = False) -> dict[str, Any]:
    """A value with its standard error and 95 % interval; null where there is none."""
    value, error = float(value), float(error)
    if not np.isfinite(value):
        return {"value": None, "standard_error": None, "interval": None}
    if not np.isfinite(error):
        return {"value": value, "standard_error": None, "interval": None}
    low, high = value - NORMAL_95 * error, value + NORMAL_95 * error
    return {"value": value, "standard_error": error, "interval": [max(low, 0.0) if positive else low, high]}


def _level(fit: Fit, index: int) -> dict[str, Any]:
    level, error = fit.model.levels[index], fit.errors[index]
    names = fit.model.features
    linear = isinstance(level.reward, Linear)
    none = np.full(len(names), np.nan)
    weight_errors = np.asarray(error.parameters)[: len(names)] if linear else none
    threshold_errors = np.asarray(error.thresholds) if linear else none
    size = np.abs(level.weights) * np.where(fit.typical > 0, fit.typical, 0.0)
    dust = (size < DUST) & linear
    size = np.where(dust, 0.0, size)
    weights, thresholds = np.where(dust, 0.0, level.weights), np.where(dust, np.inf, level.thresholds)
    share = size / size.sum() if size.sum() > 0 else np.zeros(len(names))
    order = np.argsort(-share)
    described: dict[str, Any] = {
        "level": index + 1,
        "reward": level.reward.kind,
        "importance": {name: float(value) for name, value in zip(names, share, strict=True)},
        "leading": [names[i] for i in order[: 1 if share[order[0]] >= LEADING else 2] if share[i] > 0.05],
        "weights": {n: _number(w, e) for n, w, e in zip(names, weights, weight_errors, strict=True)},
        "epsilon": _number(level.epsilon, float(error.epsilon), positive=True),
        "thresholds": {
            name: _number(value, e, positive=True)
            for name, value, e in zip(names, thresholds, threshold_errors, strict=True)
        },
        "alpha": _number(level.alpha, float(error.alpha)),
        "decides": float(fit.shares[index]),
    }
    if level.cap is not None:
        cap_error = float(np.asarray(error.parameters)[-1])
        described["cap"] = _number(level.cap, cap_error)
        described["cap_reached"] = fit.reached[index]
        lead, alone = order[0], share[order[0]] >= LEADING
        if alone and level.weights[lead] != 0:
            described["cap_in_feature"] = {
                "feature": names[lead],
                "value": level.cap / float(level.weights[lead]),
            }
    if isinstance(level.reward, Gated):
        described["gate"] = _gate(level.reward, level, np.asarray(error.parameters), names, fit.typical)
    return described


def _gate(
    reward: Gated, level: Level, errors: np.ndarray, features: tuple[str, ...], typical: np.ndarray
) -> dict[str, Any]:
    """Which weights count where, and how the context decides; for one context feature also where they change."""
    worth = [name for name in features if name not in reward.context]
    parts, spread = reward.parts(level.parameters), reward.parts(errors)
    described: dict[str, Any] = {
        where: {
            name: _number(w, e) for name, w, e in zip(worth, getattr(parts, where), getattr(spread, where), strict=True)
        }
        for where in ("closed", "opened")
    }
    usual = [typical[features.index(name)] for name in worth]
    described["leading"] = {
        where: worth[int(np.argmax(np.abs(getattr(parts, where)) * usual))] for where in ("closed", "opened")
    }
    described["offset"] = _number(parts.offset[0], spread.offset[0])
    described["slopes"] = {
        name: _number(s, e) for name, s, e in zip(reward.context, parts.slopes, spread.slopes, strict=True)
    }
    if len(reward.context) == 1 and parts.slopes[0] != 0:
        described["threshold"] = float(-parts.offset[0] / parts.slopes[0])
        described["sensitivity"] = float(1 / parts.slopes[0])
    return described


def _support(fit: Fit) -> dict[str, Any] | None:
    """Is the last level worth its parameters? By the Bayesian information criterion against one level less."""
    if len(fit.steps) < 2:
        return None
    smaller, full = fit.steps[-2], fit.steps[-1]
    gain = full.log_likelihood - smaller.log_likelihood
    better = smaller.bic(fit.comparisons) - full.bic(fit.comparisons)
    if better > 6:
        verdict = "supported"
    elif better > 0 and gain > NEGLIGIBLE:
        verdict = "weakly supported"
    else:
        verdict = "not supported"
    return {
        "level": full.levels,
        "gain": gain,
        "extra_parameters": full.parameters - smaller.parameters,
        "bic_difference": better,
        "verdict": verdict,
        "recommended": min(fit.steps, key=lambda step: step.bic(fit.comparisons)).levels,
    }


# -- words ---------------------------------------------------------------------------------------------


def _gain(units: float) -> str:
    return "nothing" if units < NEGLIGIBLE else f"{units:.1f} log-likelihood units"


def _sentences(fields: dict[str, Any]) -> list[str]:
    """The answer in words, computed from the numbers."""
    levels, support = fields["levels"], fields["support"]
    sentences = []
    if support and support["verdict"] == "not supported":
        sentences.append(
            f"A {_ordinal(support['level'])} level is not supported: it gains {_gain(support['gain'])} with "
            f"{support['extra_parameters']} more parameters; fit {_count(support['recommended'], 'level')}."
        )
        return sentences
    for level in levels:
        first, last = level["level"] == 1, level["level"] == len(levels)
        name = " and ".join(level["leading"]) or "nothing"
        several = len(level["leading"]) > 1
        place = f"{'come' if several else 'comes'} {'first' if first else _ordinal(level['level'])}"
        if len(levels) == 1 and gate_sentence(level):
            continue  # what matters most on average would say less
        if len(levels) == 1:
            sentences.append(f"{name} {'matter' if several else 'matters'} most.")
            continue
        alone = level["thresholds"].get(level["leading"][0], {}) if level["leading"] else {}
        if last:
            verb = "decide" if several else "decides"
            sentences.append(f"{name} {place} and {verb} {level['decides']:.0%} of the comparisons.")
        elif alone.get("value") is None:
            sentences.append(f"{name} {place}.")
        else:
            sentences.append(
                f"{name} {place}: a difference above {_with_interval(alone)}"
                f"{' in ' + level['leading'][0] + ' alone' if several else ''} counts "
                f"and level {level['level']} decides {level['decides']:.0%} of the comparisons; "
                "below that the next level is asked."
            )
    sentences += [said for level in levels if (said := gate_sentence(level))]
    if fields["undecided_share"] >= 0.01:
        fate = "a coin decides" if fields["ties"] == "split" else "there is no preference"
        sentences.append(f"In {fields['undecided_share']:.0%} of the comparisons no difference counts and {fate}.")
    return [sentence[0].upper() + sentence[1:] for sentence in sentences]


def _lines(fields: dict[str, Any]) -> list[str]:
    status = fields["status"]
    lines = [
        f"LORI: {_count(len(fields['levels']), 'level')}, {_count(fields['comparisons'], 'comparison')} "
        f"of {_count(fields['pairs'], 'pair')}, log-likelihood {fields['log_likelihood']:.3f}",
        f"{'converged' if status['converged'] else 'NOT CONVERGED'}; "
        f"{status['share_at_best']:.0%} of {_count(status['starts'], 'start')} reached the best optimum; "
        f"ties: {fields['ties']}",
    ]
    width = max(len(name) for name in ("feature", *fields["features"]))
    for level in fields["levels"]:
        lines += ["", f"Level {level['level']} ({level['reward']}), decides {level['decides']:.1%}"]
        lines.append(f"  {'feature':<{width}}  {'weight':>11}  {'std. error':>11}  {'threshold':>11}  95% interval")
        for name in fields["features"]:
            weight, threshold = level["weights"][name], level["thresholds"][name]
            lines.append(
                f"  {name:<{width}}  {_cell(weight['value'])}  {_cell(weight['standard_error'])}  "
                f"{_cell(threshold['value'])}  {_interval(threshold['interval'])}"
            )
        epsilon = level["epsilon"]
        lines.append(f"  ε = {_with_interval(epsilon)} in units of the reward, α = {level['alpha']['value']:.4g}")
        if "cap" in level:
            where = level.get("cap_in_feature")
            also = f" ({where['feature']} = {where['value']:.4g})" if where else ""
            lines.append(f"  more does not count above a reward of {_with_interval(level['cap'])}{also}")
        if "gate" in level:
            lines += _gate_lines(level["gate"])
    if len(fields["by_levels"]) > 1:
        lines += ["", "Levels  log-likelihood  parameters         BIC"]
        for row in fields["by_levels"]:
            lines.append(
                f"{row['levels']:>6}  {row['log_likelihood']:>14.3f}  {row['parameters']:>10}  {row['bic']:>10.2f}"
            )
        lines.append(f"The {_ordinal(fields['support']['level'])} level is {fields['support']['verdict']}.")
    lines += ["", *fields["sentences"]]
    lines += [f"Note: {' '.join((note['text'], note['remedy'])).strip()}" for note in status["notes"]]
    return lines


def _gate_lines(gate: dict[str, Any]) -> list[str]:
    def weights(where: str) -> str:
        return ", ".join(f"{name} {_with_interval(number)}" for name, number in gate[where].items())

    opens = " and ".join(f"{name} by {_with_interval(number)} a unit" for name, number in gate["slopes"].items())
    around = f", half open at {gate['threshold']:.4g}" if "threshold" in gate else ""
    return [
        "  weights above are averages; they depend on the context:",
        f"    gate closed: {weights('closed')}",
        f"    gate open:   {weights('opened')}",
        f"    the gate opens with {opens}{around}",
    ]


def _cell(value: float | None) -> str:
    return f"{'–':>11}" if value is None else f"{value:>11.4g}"


def _interval(interval: list[float] | None) -> str:
    return "–" if interval is None else f"{interval[0]:.4g} to {interval[1]:.4g}"


def _with_interval(number: dict[str, Any]) -> str:
    if number["interval"] is None:
        return "–" if number["value"] is None else f"{number['value']:.4g}"
    return f"{number['value']:.4g} ({_interval(number['interval'])})"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _ordinal(number: int) -> str:
    words = [
        "zeroth",
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
    ]
    return words[number] if number < len(words) else f"{number}th"
