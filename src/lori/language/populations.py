"""Population in words: which kinds of people are there, what does each put first, and how many are they?

Plain frozen values: `to_dict()` is their JSON, `str()` their text. `lori.estimators.population` makes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from typing import Any

from lori.language.answer import leaders, threshold_clause
from lori.language.names import label
from lori.language.numbers import cardinal, counted, level_count, may_be_zero, percent, with_interval
from lori.language.results import LevelSummary, Summary
from lori.language.results import lines as lines_of
from lori.language.sentence import Name, Sentence, Share, clause, joined
from lori.model.quantity import NORMAL_95, Quantity

KNOWN = 0.9  # probability with which something is said to be known
SILENT = 0.02  # a later level that decides a smaller share of the choices hardly speaks


@dataclass(frozen=True)
class ClassSummary:
    """One kind of people."""

    share: float  # of the people
    summary: Summary  # of its ordered model
    careless: bool  # it answers as if at random
    empty: bool = False  # nobody belongs to it: what its model says is about no one

    @property
    def ordered(self) -> bool:
        """Does more than one level speak?"""
        return sum(level.decides >= SILENT for level in self.summary.levels) > 1

    @property
    def first(self) -> str | None:
        """The feature that stands for what comes first."""
        leading = self.summary.levels[0].leading
        return leading[0] if leading else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "share": self.share,
            "careless": self.careless,
            "empty": self.empty,
            "ordered": self.ordered,
            "first": self.first,
            **{name: value for name, value in self.summary.to_dict().items() if name in ("levels", "lapse", "ties")},
        }


@dataclass(frozen=True)
class Difference:
    """How people differ in one parameter, in standardised units: features by their deviation, slips in log-odds."""

    parameter: str
    mean: Quantity
    deviation: Quantity

    @classmethod
    def of(cls, parameter: str, mean: float, error: float, deviation: float, relative: float) -> Difference:
        """From standard errors of the mean and of the logarithm of the deviation."""
        factor = math.exp(NORMAL_95 * relative)
        spread = Quantity(deviation, deviation * relative, (deviation / factor, deviation * factor))
        return cls(parameter, Quantity.of(mean, error), spread)

    def to_dict(self) -> dict[str, Any]:
        return {"parameter": self.parameter, "mean": self.mean.to_dict(), "deviation": self.deviation.to_dict()}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Difference:
        return cls(fields["parameter"], Quantity.from_dict(fields["mean"]), Quantity.from_dict(fields["deviation"]))


@dataclass(frozen=True)
class PopulationSummary:
    """Classes from the largest to the smallest, or the person in the middle of people who differ continuously."""

    classes: tuple[ClassSummary, ...]
    agents: int
    comparisons: int
    log_likelihood: float
    parameters: int
    bic: float
    converged: bool
    spread: bool  # people differ continuously
    first: Mapping[str, float]  # shares of the people by what they put first
    sure: float  # share of the people for whom what comes first is known with a probability of 90 %
    differences: tuple[Difference, ...] = ()  # between people, where these differ continuously

    @property
    def sentences(self) -> list[Sentence]:
        told = _continuous(self) if self.spread else _classes(self)
        if not self.converged:
            told.append(Sentence("The search did not converge: try more starts, or fewer classes."))
        return told

    def to_dict(self) -> dict[str, Any]:
        return {
            "classes": [own.to_dict() for own in self.classes],
            "agents": self.agents,
            "comparisons": self.comparisons,
            "log_likelihood": self.log_likelihood,
            "parameters": self.parameters,
            "bic": self.bic,
            "converged": self.converged,
            "spread": self.spread,
            "first": dict(self.first),
            "sure": self.sure,
            "differences": [own.to_dict() for own in self.differences],
            "sentences": [str(sentence) for sentence in self.sentences],
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> PopulationSummary:
        """From what `to_dict` gives, where each class has its whole summary."""
        told = {own.name: fields[own.name] for own in dataclass_fields(cls) if own.name in fields}
        classes = [
            ClassSummary(
                own["share"], Summary.from_dict(own["summary"]), own["careless"], is_empty(own["share"], told["agents"])
            )
            for own in told["classes"]
        ]
        differences = tuple(map(Difference.from_dict, told["differences"]))
        return cls(**{**told, "classes": tuple(classes), "differences": differences})

    def __str__(self) -> str:
        kind = "one class" if len(self.classes) == 1 else f"{len(self.classes)} classes"
        if self.spread:
            kind = "people who differ" if len(self.classes) == 1 else f"{kind} of people who differ"
        told = [
            f"LORI: {kind}, {counted(self.comparisons, 'comparison')} of {counted(self.agents, 'agent')}, "
            f"log-likelihood {self.log_likelihood:.3f}",
            f"{'converged' if self.converged else 'NOT CONVERGED'}; {self.parameters} parameters; BIC {self.bic:.2f}",
        ]
        for number, own in enumerate(self.classes, start=1):
            heading = class_heading(number, own, spread=self.spread)
            told += ["", heading, *(f"  {line}" for line in _levels(own.summary) if not own.empty)]
        if self.differences:
            told += ["", "Between people, in standard deviations of the features", *_differences(self.differences)]
        return "\n".join([*told, "", *self.sentences])

    __repr__ = __str__


def _differences(differences: Sequence[Difference]) -> list[str]:
    """A table of means and deviations with their intervals."""
    width = max(len(label(own.parameter)) for own in differences)
    told = [f"  {'':<{width}}  {'mean':<24}  standard deviation"]
    for own in differences:
        told.append(f"  {label(own.parameter):<{width}}  {with_interval(own.mean):<24}  {with_interval(own.deviation)}")
    return told


def _levels(summary: Summary) -> list[str]:
    """The tables of the levels, without what is said about a fit as a whole."""
    every = lines_of(summary)
    end = len(every) - len(summary.sentences)
    return [line for line in every[3:end] if line]


def is_empty(share: float, agents: int) -> bool:
    """Does nobody belong to a class with this share?"""
    return share * agents < 1


def class_clause(own: ClassSummary) -> Sentence:
    """What one kind of people does."""
    share = Share(own.share)
    if own.empty:
        return clause("nobody belongs to this class")
    if own.careless:
        return clause("{share} of the people answer as if at random", share=share)
    level = _sure_leaders(own.summary.levels[0])
    if not level.leading:
        return clause("{share} of the people care about none of the features", share=share)
    if not own.ordered:
        return clause("{share} of the people trade off, and {what} matters most", share=share, what=_names(level))
    if level.threshold is None:
        return clause(
            "{share} of the people put {what} first, however small the difference", share=share, what=_names(level)
        )
    return clause(
        "{share} of the people put {what} first: {which}",
        share=share,
        what=leaders(level),
        which=threshold_clause(level),
    )


def _sure_leaders(level: LevelSummary) -> LevelSummary:
    """Without a second leading feature whose weight may be zero."""
    others = [name for name in level.leading[1:] if not may_be_zero(level.weights[name])]
    return replace(level, leading=(*level.leading[:1], *others))


def capitalised(said: Sentence) -> Sentence:
    """As a sentence begins, also where it begins with "under 1 %"."""
    first, *others = [part for part in said.parts if part]
    return Sentence(first[:1].upper() + first[1:], *others) if isinstance(first, str) else said


def _names(level: LevelSummary) -> Sentence:
    return clause("{name}", name=Name(level.leading[0]))


def _classes(summary: PopulationSummary) -> list[Sentence]:
    told = _kinds(summary)
    if any(own.careless for own in summary.classes) and len(summary.classes) > 1:
        told.append(
            Sentence("People who answer at random are often what a mixture finds first: look at their answers.")
        )
    empty = [own for own in summary.classes if own.empty]
    if empty:
        text = "{count} of the classes {verb} empty: fewer classes say as much."
        verb = "is" if len(empty) == 1 else "are"
        told.append(Sentence.of(text, count=cardinal(len(empty)).capitalize(), verb=verb))
    return [*told, _sure(summary)] if len(summary.classes) > 1 else told


def _kinds(summary: PopulationSummary) -> list[Sentence]:
    """What each kind of people does."""
    return [capitalised(clause("{said}.", said=class_clause(own))) for own in summary.classes if not own.empty]


def _continuous(summary: PopulationSummary) -> list[Sentence]:
    leading = [(name, share) for name, share in summary.first.items() if share >= 0.005]
    named = [clause("{name} for {share}", name=Name(name), share=Share(share)) for name, share in leading]
    text = "People differ, and so does what comes first: {listed} of them."
    classes = _kinds(summary) if len(summary.classes) > 1 else []
    return [*classes, Sentence.of(text, listed=joined(named, between=", ")), _sure(summary)]


def _sure(summary: PopulationSummary) -> Sentence:
    text = "For {share} of the people, what they put first is known with a probability of at least 90 %."
    return Sentence.of(text, share=Share(summary.sure))


def class_heading(number: int, own: ClassSummary, *, spread: bool = False) -> str:
    """What stands above a class."""
    if spread and own.share == 1:
        return "The person in the middle"
    middle = "; the person in the middle" if spread else ""
    return f"Class {number}: nobody" if own.empty else f"Class {number}: {percent(own.share)} of the people{middle}"


def members_caption(shares: Sequence[Sequence[float]], names: Sequence[str], *, spread: bool) -> Sentence:
    """How many belong where, and how many cannot be told; `shares` by agent and kind."""
    leading = [max(range(len(names)), key=lambda place: own[place]) for own in shares]
    sure = [place for place, own in zip(leading, shares, strict=True) if own[place] >= KNOWN]
    each = "{name} for {count}" if spread else "{count} of {name}"
    told = [
        clause(each, name=Name(name), count=f"{sure.count(place):,}")
        for place, name in enumerate(names)
        if place in sure
    ]
    what = "what comes first" if spread else "the class"
    return Sentence.of(
        "Of {agents}, {what} is known with a probability of at least 90 % for {known}{told}.",
        agents=counted(len(shares), "agent"), what=what, known=f"{len(sure):,}" if sure else "none",
        told=clause(": {each}", each=joined(told)) if told else "",
    )  # fmt: skip


def question(summary: PopulationSummary, *, seed: int) -> Sentence:
    """What was asked of the data, and how."""
    levels = max(len(own.summary.levels) for own in summary.classes)
    most = "one level" if levels == 1 else f"up to {cardinal(levels)} levels"
    classes = cardinal(len(summary.classes)).capitalize()
    if summary.spread:
        asked = f"What do these people put first, and how much do they differ? Everybody has {most}."
    elif len(summary.classes) == 1:
        asked = f"What do these people, all alike, put first? They have {most}."
    else:
        asked = f"Which kinds of people are there, and what does each put first? {classes} classes with {most} each."
    return Sentence(f"{asked} Seed {seed}.")


def left_out_sentence(choices: int, agents: int) -> Sentence:
    """Which choices are foretold."""
    return Sentence(
        f"A quarter of the choices of each of {counted(agents, 'agent')}, {counted(choices, 'choice')} in all, is "
        "predicted by models fitted to the others:"
    )


def advantage_sentence(name: str, gain: float, error: float) -> Sentence:
    """How far the population is ahead of a rival."""
    if abs(gain) < 2 * error:
        verdict = "which may be chance"
    else:
        verdict = "the population predicts better" if gain > 0 else "the population predicts worse"
    return Sentence(
        f"Compared with {name}, the log-likelihood of a choice changes by {gain:+.4f} (standard error {error:.4f}, by "
        f"agent): {verdict}."
    )


def lexicographic_sentence(share: float, gain: float, needed: float) -> Sentence:
    """Is anybody lexicographic? `share` is zero where nothing speaks for it."""
    told = f"log-likelihood {gain:+.1f}, where {needed:.1f} would be needed"
    if not share:
        return Sentence(f"Nothing speaks for people with two levels ({told}).")
    text = "About {share} of the people have two levels: they put one thing first ({told})."
    return Sentence.of(text, share=Share(share), told=told)


def candidate_name(classes: int, levels: int, spread: bool) -> str:
    """How a candidate is called."""
    each = level_count(levels)
    if spread:
        return f"people who differ, {each}"
    return f"one model for all, {each}" if classes == 1 else f"{cardinal(classes)} classes, {each}"


def selection_lines(candidates: Sequence[Mapping[str, Any]], reason: str) -> list[str]:
    """A table of candidates, and what follows from it."""
    width = max(len(own["name"]) for own in candidates)
    told = [f"{'':<{width}}  log-likelihood  parameters         BIC  choices left out  people left out"]
    for own in candidates:
        cells = [own["held_out_within_agents"], own["held_out_agents"]]
        out = "  ".join(f"{'–' if cell is None else f'{cell:.4f}':>16}" for cell in cells)
        fitted = f"{own['log_likelihood']:>14.2f}  {own['parameters']:>10}  {own['bic']:>10.2f}"
        told.append(f"{own['name']:<{width}}  {fitted}  {out}")
    return [*told, "", reason]


def selection_reason(name: str, lead: float | None, ahead: str | None) -> str:
    """Why a candidate is recommended, and what speaks for another one."""
    said = f"Recommended: {name}."
    if lead is not None:
        said += f" It has the smallest BIC, by {lead:.1f}."
    if ahead is not None:
        said += f" Choices that were left out, however, are predicted better by: {ahead}."
    return said
