"""How far may a fit be trusted: did it converge, what is not identified, and what to do about it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lori.data.preferences import one_sided
from lori.inference.statistics import Statistics
from lori.inference.uncertainty import Uncertainty
from lori.model.specification import Specification

SELDOM = 0.01  # a cap that fewer alternatives reach is not told by the data
RARELY = 0.005  # a level that decides less than this share of the comparisons is said not to decide


@dataclass(frozen=True)
class Note:
    """One thing to know about a fit, and its remedy."""

    code: str
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.remedy}".strip()


@dataclass(frozen=True)
class Status:
    """What `fit` says about itself."""

    converged: bool
    starts: int
    share_at_best: float
    notes: tuple[Note, ...] = ()

    def has(self, code: str) -> bool:
        return any(note.code == code for note in self.notes)

    def to_dict(self) -> dict[str, Any]:
        return {
            "converged": self.converged,
            "starts": self.starts,
            "share_at_best": self.share_at_best,
            "notes": [asdict(note) for note in self.notes],
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Status:
        return cls(**{**fields, "notes": tuple(Note(**note) for note in fields["notes"])})


def about_data(statistics: Statistics, context: frozenset[str] = frozenset()) -> list[Note]:
    """What can be said before any fit; features of the context are meant to be the same on both sides."""
    notes = []
    preferences = statistics.sample
    side = one_sided(statistics.outcomes)
    if side is not None:
        notes.append(
            Note(
                "one-sided",
                f"Every choice is '{side}'.",
                "That is fine if the winner was written there; if sides are as they were shown, check the column "
                "of choices (the model has no preference for a side).",
            )
        )
    same = int(preferences.identical().sum())
    if same:
        notes.append(
            Note(
                "identical",
                f"{same / len(preferences):.1%} of the pairs have equal features: they say nothing on weights.",
            )
        )
    differences = preferences.differences
    size = np.sqrt((differences**2).mean(axis=0))
    spread = np.abs(preferences.alternatives).max(axis=0)
    constant = size <= 1e-12 * np.maximum(spread, 1e-300)
    for feature in np.array(preferences.features)[constant]:
        if feature in context:
            continue
        notes.append(
            Note(
                "constant",
                f"{_capital(feature)} is the same on both sides of every pair: its weight is not identified.",
                "Leave it out, or collect pairs that differ in it.",
            )
        )
    varying = np.flatnonzero(~constant)
    for group in _collinear(differences[:, varying] / size[varying]):
        names = [preferences.features[varying[i]] for i in group]
        notes.append(
            Note(
                "collinear",
                f"{_capital(_listed(names))} move together in every pair: only their joint effect is identified, "
                "and the smallest weights that give it are reported.",
                "Read weights and thresholds as along that movement; only pairs that part them can tell them apart.",
            )
        )
    return notes


def about_fit(
    specification: Specification,
    uncertainty: Uncertainty,
    *,
    converged: bool,
    starts: int,
    share_at_best: float,
    shares: np.ndarray,
    epsilon: np.ndarray,
    reached: Sequence[float | None],
    separated: bool,
    with_prior: bool,
    said: list[Note],
) -> Status:
    """What can be said after it. `shares`: what share of comparisons each level decides, then nobody; `reached`: what
    share of alternatives comes up to the cap of each level that has one."""
    notes = list(said)
    if not converged:
        notes.append(
            Note("not converged", "The optimiser stopped before the optimum.", "Raise starts, or use a prior.")
        )
    if starts > 1 and share_at_best * starts <= 1:
        notes.append(
            Note(
                "rare optimum",
                f"At most one of {starts} starts reached the best optimum.",
                f"Raise starts (now {starts}) to be sure that there is no better one.",
            )
        )
    if separated:
        cause = "their size comes from the prior alone" if with_prior else "no finite weights are the best ones"
        notes.append(
            Note(
                "separation",
                f"The model explains every choice (separation): directions of weights are meaningful, but {cause}.",
                "Collect harder choices" + ("." if with_prior else ", or use the weak prior."),
            )
        )
    if not any(note.code in ("constant", "collinear") for note in said):
        for group in uncertainty.unidentified:
            names = [specification.names[i] for i in group]
            text = "is not identified" if len(names) == 1 else "cannot be told apart"
            notes.append(
                Note(
                    "unidentified",
                    f"{_capital(_listed(names))} {text} by these data.",
                    "Read no interval into it.",
                )
            )
    for level in range(specification.levels):
        ordinal = f"Level {level + 1}"
        share = reached[level]
        if share is not None and share < SELDOM:
            notes.append(
                Note(
                    "cap",
                    f"{ordinal} has a cap that {share:.1%} of the alternatives reach: these data cannot tell whether "
                    "there is one.",
                    "Compare with a linear reward.",
                )
            )
        if shares[level] < RARELY:
            notes.append(
                Note(
                    "never decides",
                    f"{ordinal} decides {shares[level]:.1%} of the comparisons.",
                    "Fewer levels say the same.",
                )
            )
        elif level < specification.levels - 1 and epsilon[level] == 0 and specification.epsilon[level] is None:
            notes.append(
                Note(
                    "no threshold",
                    f"{ordinal} has threshold zero: every difference counts and the levels below never decide.",
                    "Fewer levels say the same.",
                )
            )
    return Status(bool(converged), int(starts), float(share_at_best), tuple(notes))


def _collinear(scaled: np.ndarray) -> list[list[int]]:
    """Groups of columns with an exact linear dependence among them."""
    if scaled.shape[1] < 2:
        return []
    values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    groups: list[list[int]] = []
    for direction in vectors[:, values < 1e-10 * values.max()].T:
        members = np.flatnonzero(np.abs(direction) > 1e-3).tolist()
        if members not in groups:
            groups.append(members)
    return groups


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
