"""Notes and verdicts: what to know about data, a fit or a posterior, each with its remedy, from one catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lori.language import numbers
from lori.language.names import LONGEST
from lori.language.numbers import counted
from lori.language.sentence import LONG, Name, Sentence, joined, paragraph

MANY_NOTES = 3  # of one kind are told one by one
MANY_NAMES = 20  # of one note are told


class Text(NamedTuple):
    """The template of a note, and of what to do about it."""

    text: str
    remedy: str = ""


SHARED_OUT = (
    "{features} move together in every pair: only their joint effect is known. How it is shared out among them, and "
    "with it the threshold of any one of them, comes from the prior; the summary reports the smallest weights that "
    "produce it."
)
FEWER = "A model with fewer levels says the same."
CATALOGUE = {
    # about the data
    "one-sided": Text(
        "Every choice is '{side}'.",
        "That is fine if the preferred alternative was always written on that side. If the sides are as they were "
        "shown, check the column of choices: the model itself favours neither side.",
    ),
    "identical": Text("{share} of the pairs have the same features on both sides and say nothing about the weights."),
    "constant": Text(
        "{feature} is the same on both sides of every pair, so its weight is not identified.",
        "Leave it out, or collect pairs that differ in it.",
    ),
    "collinear": Text(
        "{features} move together in every pair: only their joint effect is identified, and the smallest weights that "
        "produce it are reported.",
        "Read their weights and thresholds together; only pairs in which they move separately can tell them apart.",
    ),
    "extreme, one": Text(
        "{feature} has one extreme value, more than a hundred times as far from the middle as is typical.",
        "Check whether it is a code, such as one for a missing answer: a pair with such a value may decide on its own "
        "what the feature is worth.",
    ),
    "extreme, several": Text(
        "{feature} has {count} extreme values, more than a hundred times as far from the middle as is typical.",
        "Check whether they are codes, such as one for a missing answer: pairs with such values may decide on their "
        "own what the feature is worth.",
    ),
    # about the fit
    "not converged": Text("The search stopped before it reached an optimum.", "Use more starts, or a prior."),
    "rare optimum": Text(
        "At most one of {starts} starts reached the best optimum.",
        "Use more starts to make sure that there is no better one.",
    ),
    "separation": Text(
        "The model explains every choice (separation): the directions of the weights are meaningful, but their size "
        "comes from the prior alone.",
        "Collect harder choices.",
    ),
    "separation, no prior": Text(
        "The model explains every choice (separation): the directions of the weights are meaningful, but no finite "
        "size is best.",
        "Collect harder choices, or use the weak prior.",
    ),
    "unidentified, one": Text(
        "One parameter is not identified by these data ({parameters}).", "Read nothing into its value."
    ),
    "unidentified, several": Text(
        "These data cannot tell some of the parameters apart ({parameters}).",
        "Read nothing into their individual values.",
    ),
    "no intervals": Text(
        "There are no intervals: the posterior has a shape that draws around the best fit do not describe.",
        "Collect more choices, use fewer levels, or draw from the posterior in Python with method='smc'.",
    ),
    "cap": Text(
        "The cap of level {level} is reached by {share} of the alternatives: too few to tell whether there is a cap.",
        "Compare with a linear reward.",
    ),
    "never decides": Text("Level {level} decides hardly any of the choices ({share}).", FEWER),
    "no threshold": Text(
        "Level {level} has a threshold of zero: every difference counts, and the levels below it never decide.", FEWER
    ),
    "people": Text(
        "The choices of several agents were pooled. Agents who differ may look, all together, as if they had {level} "
        "level; with these data, that could not be checked.",
        "Fit each agent alone (--by agent), or collect several choices from each of at least ten agents.",
    ),
    "beyond the data": Text(
        "The threshold of level {level} is larger than any difference of its reward in these data: all that is known "
        "is that it lies beyond them.",
        "Only pairs with larger differences on that level can tell where it lies.",
    ),
    # about a posterior
    "no data": Text("There are no data: this is the prior."),
    "flat": Text(
        "Some combinations of parameters are hardly known from these data; their intervals are those of the prior."
    ),
    "shared out": Text(SHARED_OUT),
    "order by prior": Text(
        "Which of these features leads a level is decided by the prior alone, so nothing is known about their order."
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Note:
    """One thing to know, and its remedy. `variant` chooses between the texts of one code."""

    code: str
    slots: Mapping[str, Any] = field(default_factory=dict)
    variant: str = ""
    written: tuple[str, str] | None = None  # text and remedy in a file of an earlier version, which has no slots

    @property
    def text(self) -> Sentence:
        return self._told(0)

    @property
    def remedy(self) -> Sentence:
        return self._told(1)

    @property
    def sentence(self) -> Sentence:
        return paragraph([self.text, self.remedy])

    def __str__(self) -> str:
        return str(self.sentence)

    def to_dict(self) -> dict[str, Any]:
        told = {"code": self.code, "text": str(self.text), "remedy": str(self.remedy)}
        if self.written is not None:
            return told
        slots = {slot: list(value) if isinstance(value, tuple) else value for slot, value in self.slots.items()}
        return told | {"variant": self.variant, "slots": slots}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Note:
        key = f"{fields['code']}, {fields['variant']}" if fields.get("variant") else fields["code"]
        if "slots" not in fields or key not in CATALOGUE:  # of a version before this one, or after it
            return cls(fields["code"], written=(fields["text"], fields["remedy"]))
        slots = {slot: tuple(value) if isinstance(value, list) else value for slot, value in fields["slots"].items()}
        return cls(fields["code"], slots, fields["variant"])

    def _told(self, which: int) -> Sentence:
        if self.written is not None:  # its names cannot be told from its words any more
            foreign = self.written[which]
            return Sentence(Name(foreign, len(foreign))) if foreign else Sentence()
        key = f"{self.code}, {self.variant}" if self.variant else self.code
        return Sentence.of(CATALOGUE[key][which], **{slot: _filled(slot, value) for slot, value in self.slots.items()})


def note_sentences(notes: Iterable[Note]) -> list[Sentence]:
    """A sentence for each note; of many of one kind the first, and how many others there are."""
    kinds: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        kinds.setdefault((note.code, note.variant), []).append(note)
    sentences: list[Sentence] = []
    for same in kinds.values():
        if len(same) <= MANY_NOTES:
            sentences += [note.sentence for note in same]
        else:
            sentences.append(paragraph([same[0].sentence, f"The same is true of {counted(len(same) - 1, 'other')}."]))
    return sentences


def _filled(slot: str, value: Any) -> Any:
    if slot == "features":
        return _enumerated(value, last=" and ")
    if slot == "feature":
        return Name(value)
    if slot == "parameters":
        return _enumerated(value, LONG, between="; ")
    return numbers.fine_percent(value) if slot == "share" else value


def _enumerated(given: Sequence[str], longest: int = LONGEST, **how: str) -> Sentence:
    others = [counted(len(given) - MANY_NAMES, "other")] if len(given) > MANY_NAMES else []
    return joined([*(Name(name, longest) for name in given[:MANY_NAMES]), *others], **how)


NOT_CONVERGED, NOT_TRUSTED = "NOT CONVERGED", "NOT TRUSTED"


def unchecked() -> str:
    return "A Gaussian around the optimum; pass the preferences to have it checked."


def gaussian(optima: int) -> str:
    return f"{_gaussians(optima)}; with so many pairs, the posterior has that shape."


def corrected(optima: int, effective: float) -> str:
    return f"{_gaussians(optima)}, with draws reweighted by the posterior itself: worth {_independent(effective)}."


def not_gaussian(optima: int, effective: float, count: int) -> str:
    where = "the optimum" if optima == 1 else f"its {optima} optima"
    return (
        f"{NOT_TRUSTED}: the posterior is not Gaussian around {where} ({count:,} draws are worth "
        f"{_independent(effective)}); use method='smc'."
    )


def unfinished() -> str:
    return f"{NOT_CONVERGED}: the particles did not get all the way from the prior to the posterior; use more draws."


def populations_disagree(r_hat: float) -> str:
    return f"{NOT_CONVERGED}: independent populations disagree (R-hat {r_hat:.2f}); use more draws, or fewer levels."


def populations_agree(r_hat: float) -> str:
    return f"Independent populations agree (R-hat {r_hat:.2f})."


def chains_mixed(r_hat: float, effective: float, divergences: int) -> str:
    return f"The chains have mixed ({_chains(r_hat, effective, divergences)})."


def chains_not_mixed(r_hat: float, effective: float, divergences: int) -> str:
    return f"{NOT_CONVERGED}: the chains have not mixed ({_chains(r_hat, effective, divergences)}); use method='smc'."


def chain_mixed(r_hat: float, effective: float) -> str:
    return f"The chain has mixed (R-hat {r_hat:.3f}, worth {_independent(effective)})."


def chain_not_mixed(r_hat: float, effective: float) -> str:
    return (
        f"The chain has not mixed (R-hat {r_hat:.3f}, worth {_independent(effective)}): take more samples, change the "
        "step size, or discard more of the beginning."
    )


def _chains(r_hat: float, effective: float, divergences: int) -> str:
    return f"R-hat {r_hat:.2f}, worth {_independent(effective)}, {counted(divergences, 'divergence')}"


def _gaussians(optima: int) -> str:
    return "A Gaussian around the optimum" if optima == 1 else f"Gaussians around {optima} optima"


def _independent(effective: float) -> str:
    return counted(effective, "independent draw")
