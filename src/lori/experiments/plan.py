"""Plan of a study: how many choices does it take to find the levels? Asked before any are collected.

The truth that is to be found is simulated at several sizes, and beside it the same truth with its last two levels made
one: whoever finds the last level there has found what is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lori.errors import InputError
from lori.estimators.lori import LORI
from lori.experiments.power import BATCH, Needed, Run, Scenario, Share, Simulation, leading, needed
from lori.language.names import label
from lori.language.numbers import ORDINALS, number
from lori.language.sentence import listed
from lori.model.ordered import OrderedModel

STEEPNESS = 3.0  # log-odds that a difference of one standard deviation is worth
NORMAL_PAIRS = 20_000  # that stand for a design of normal features
APART = 1_000_000  # runs that belong to one seed
HEADINGS = ("choices", "{last} level found", "in the right order", "width of threshold's interval", "false alarms")


class Size(NamedTuple):
    """How many choices are collected, and from how many people; None where they are not told apart."""

    choices: int
    people: int | None = None


def typical_truth(features: Sequence[str], levels: int, design: np.ndarray | None = None) -> OrderedModel:
    """Each of the first features leads a level, and each level decides about as often as the others.

    `design` (pairs, 2, features) tells how far the alternatives of a pair are apart; without it, features are normal
    with deviation 1.
    """
    if design is None:
        design = np.random.default_rng(0).normal(size=(NORMAL_PAIRS, 2, len(features)))
    gaps = np.abs(design[:, 0] - design[:, 1])
    deviation = np.sqrt(np.mean(gaps**2, axis=0) / 2)
    for place in range(levels):
        if deviation[place] == 0:
            raise InputError(
                f"feature {features[place]}", expected="values that differ within pairs, for it is to lead a level",
                got="the same on both sides of every pair", fix="name other features first, or give --truth",
            )  # fmt: skip
    weights, epsilon = np.zeros((levels, len(features))), np.zeros(levels)
    for level in range(levels):
        weights[level, level] = STEEPNESS / deviation[level]
        if level < levels - 1:
            epsilon[level] = weights[level, level] * _exceeded(gaps[:, level], 1 / (levels - level))
    return OrderedModel.linear(weights, epsilon=epsilon, features=features)


def _exceeded(gaps: np.ndarray, share: float) -> float:
    """What about this share of the differences exceeds; between two values where there are few of them."""
    below = np.quantile(gaps, 1 - share, method="lower")
    above = gaps[gaps > below]
    return float((below + above.min()) / 2 if len(above) else below / 2)


def with_one_level_less(truth: OrderedModel) -> OrderedModel:
    """The truth with its last two levels made one, in which the weights of both add up."""
    *upper, one, other = truth.levels
    weights = one.alpha * one.weights + other.alpha * other.weights
    (both,) = OrderedModel.linear([weights], epsilon=[other.alpha * other.epsilon], features=truth.features).levels
    return replace(truth, levels=(*upper, both))


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be found, how, and at which sizes it is tried."""

    truth: OrderedModel
    sizes: Sequence[Size]
    slips: float = 0.05
    design: np.ndarray | None = None  # (pairs, 2, features); None: normal features
    spread: tuple[float, ...] = (1.0,)  # their deviations
    probability: float = 0.8  # with which the last level is to be found
    runs: int = 100
    seed: int = 0

    @property
    def simulation(self) -> Simulation:
        """The truth at every size, then as many with one level less."""
        estimator = LORI(levels=len(self.truth.levels), reward=[level.reward for level in self.truth.levels])
        scenarios = [
            Scenario(model, size.choices, self.slips, size.people, self.design, self.spread, estimator)
            for model in (self.truth, with_one_level_less(self.truth))
            for size in self.sizes
        ]
        return Simulation("plan-study", scenarios, self.runs, self.seed * APART, min(BATCH, self.runs))

    def judged(self, runs: Sequence[Sequence[Run]]) -> PlannedStudy:
        """What the runs of the simulation say, also where some are missing."""
        count = len(self.sizes)
        both = zip(self.sizes, runs[:count], runs[count:], strict=True)
        rows = tuple(PlanRow.of(size, own, rivals) for size, own, rivals in both if own)
        enough = None
        if rows:
            sizes, found = [row.size.choices for row in rows], [row.found for row in rows]
            enough = needed(sizes, found, self.probability)
        return PlannedStudy(self, rows, enough)


@dataclass(frozen=True)
class PlanRow:
    """What is to be expected of a study of one size."""

    size: Size
    found: Share  # the last level is supported, or weakly
    supported: Share  # without reserve
    in_order: Share  # found, and all levels in the right order
    width: float | None  # of the 95 % interval of the first threshold, median where the order is right
    false_alarms: Share  # found where there is one level less

    @classmethod
    def of(cls, size: Size, runs: Sequence[Run], rivals: Sequence[Run]) -> PlanRow:
        right = [run for run in runs if run.found and run.in_order]
        bounds = [run.threshold_interval for run in right if run.threshold_interval is not None]
        widths = [high - (low or 0.0) if high is not None else np.inf for low, high in bounds]
        width = float(np.median(widths)) if widths else np.inf
        return cls(
            size,
            found=Share.among([run.found for run in runs]),
            supported=Share.among([run.verdict == "supported" for run in runs]),
            in_order=Share(len(right), len(runs)),
            width=width if np.isfinite(width) else None,
            false_alarms=Share.among([run.found for run in rivals]),
        )

    def to_dict(self) -> dict[str, Any]:
        people = {} if self.size.people is None else {"people": self.size.people}
        fields: dict[str, Any] = {"choices": self.size.choices, **people, "runs": self.found.of}
        for name in ("found", "supported", "in_order", "false_alarms"):
            share: Share = getattr(self, name)
            known = bool(share.of)
            fields |= {name: share.value if known else None, f"{name}_error": share.error if known else None}
        return {**fields, "threshold_interval_width": self.width}


@dataclass(frozen=True, eq=False)
class PlannedStudy:
    """The answer: a row for each size that was tried, and how many choices are needed."""

    plan: Plan
    rows: tuple[PlanRow, ...]
    needed: Needed | None

    def __str__(self) -> str:
        return "\n\n".join([self.question, self.table, self.sentence])

    @property
    def question(self) -> str:
        """What was simulated."""
        truth, runs = self.plan.truth, {row.found.of for row in self.rows}
        leaders = [label(name) for name in self._leaders]
        first = truth.levels[0]
        threshold = number(float(first.thresholds[truth.features.index(self._leaders[0])]), 3)
        times = " to ".join(f"{count:,}" for count in sorted({min(runs), max(runs)})) if runs else "no"
        return (
            f"The truth to be found: {', then '.join(leaders)}; "
            f"differences of {threshold} or more in {leaders[0]} count. "
            f"{self._slips} of the answers are slips; {times} runs for each size."
        )

    @property
    def table(self) -> str:
        last = ORDINALS[len(self.plan.truth.levels)]
        people = any(row.size.people for row in self.rows)
        headings = [heading.format(last=last) for heading in HEADINGS]
        lines = [[*(["people"] if people else []), *headings]]
        for row in self.rows:
            shares = [str(row.found), str(row.in_order), number(row.width, 3), str(row.false_alarms)]
            lines.append([*([f"{row.size.people:,}"] if people else []), f"{row.size.choices:,}", *shares])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)

    @property
    def sentence(self) -> str:
        """How many choices are needed, with the uncertainty of the simulation."""
        if not self.rows or self.needed is None:
            return "No size was tried to the end, so nothing can be said."
        goal = f"the {ORDINALS[len(self.plan.truth.levels)]} level with a probability of {self._probability}"
        sizes = [row.size.choices for row in self.rows]
        if self.needed.at_once:
            fewest = self._collected(min(sizes), "{:,.0f}".format)
            return f"With {self._slips} slips {fewest}, the fewest that were tried, are enough to find {goal}."
        if self.needed.value is None:
            most = self._collected(max(sizes), "{:,.0f}".format)
            return f"With {self._slips} slips you need more than {most}, the most that were tried, to find {goal}."
        low = f"under {min(sizes):,}" if self.needed.low is None else _about(self.needed.low)
        high = f"over {max(sizes):,}" if self.needed.high is None else _about(self.needed.high)
        return (
            f"With {self._slips} slips you need about {self._collected(self.needed.value, _about)} to find {goal} "
            f"(as far as {listed([f'{count:,}' for count in sorted({row.found.of for row in self.rows})])} runs tell: "
            f"{low} to {high} choices)."
        )

    def to_dict(self) -> dict[str, Any]:
        enough = self.needed
        return {
            "truth": self.plan.truth.describe(),
            "slips": self.plan.slips,
            "probability": self.plan.probability,
            "seed": self.plan.seed,
            "rows": [row.to_dict() for row in self.rows],
            "needed": None if enough is None else {"choices": enough.value, "interval": [enough.low, enough.high]},
            "sentence": self.sentence,
        }

    @property
    def _leaders(self) -> list[str]:
        """The feature that leads each level."""
        truth, spread = self.plan.truth, np.array(self.plan.spread)
        if self.plan.design is not None:
            spread = np.sqrt(np.mean((self.plan.design[:, 0] - self.plan.design[:, 1]) ** 2, axis=0))
        return [truth.features[leading(level, spread)] for level in truth.levels]

    @property
    def _slips(self) -> str:
        return f"{float(f'{100 * self.plan.slips:.2g}'):g} %"

    @property
    def _probability(self) -> str:
        return f"{100 * self.plan.probability:g} %"

    def _collected(self, choices: float, written: Callable[[float], str]) -> str:
        """So many choices, and of how many people where they are told apart."""
        people = [row.size.choices / row.size.people for row in self.rows if row.size.people]
        asked = f" ({written(choices / people[0])} people with {people[0]:g} each)" if people else ""
        return f"{written(choices)} choices{asked}"


def _about(value: float) -> str:
    """Two digits; a simulation tells no more.

    >>> _about(613.7), _about(1234.0), _about(7.6)
    ('610', '1,200', '8')
    """
    return f"{float(f'{value:.2g}'):,.0f}"
