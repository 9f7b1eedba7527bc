"""Status of a fit: how far may it be trusted, what is not identified, and what can be done about it?

What each note says is in `lori.language.notes`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lori.data.preferences import one_sided
from lori.inference.statistics import Statistics
from lori.inference.uncertainty import Uncertainty
from lori.language.notes import Note
from lori.language.results import SELDOM, Status
from lori.model.specification import Specification

RARELY = 0.005  # a level that decides less than this share of the comparisons is said not to decide


def about_data(statistics: Statistics, context: frozenset[str] = frozenset()) -> list[Note]:
    """What can be said before any fit; features of the context are meant to be the same on both sides."""
    notes = []
    preferences = statistics.sample
    side = one_sided(statistics.outcomes)
    if side is not None:
        notes.append(Note("one-sided", {"side": side}))
    same = int(preferences.identical().sum())
    if same:
        notes.append(Note("identical", {"share": same / len(preferences)}))
    differences = preferences.differences
    size = np.sqrt((differences**2).mean(axis=0))
    spread = np.abs(preferences.alternatives).max(axis=0)
    constant = size <= 1e-12 * np.maximum(spread, 1e-300)
    for place in np.flatnonzero(constant):
        if preferences.features[place] not in context:
            notes.append(Note("constant", {"feature": preferences.features[place]}))
    varying = np.flatnonzero(~constant)
    for group in _collinear(differences[:, varying] / size[varying]):
        notes.append(Note("collinear", {"features": tuple(preferences.features[varying[i]] for i in group)}))
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
        notes.append(Note("not converged"))
    if starts > 1 and share_at_best * starts <= 1:
        notes.append(Note("rare optimum", {"starts": int(starts)}))
    if separated:
        notes.append(Note("separation", variant="" if with_prior else "no prior"))
    if not any(note.code in ("constant", "collinear") for note in said):
        for group in uncertainty.unidentified:
            names = tuple(specification.names[i] for i in group)
            notes.append(Note("unidentified", {"parameters": names}, "one" if len(names) == 1 else "several"))
    for level in range(specification.levels):
        share = reached[level]
        if share is not None and share < SELDOM:
            notes.append(Note("cap", {"level": level + 1, "share": float(share)}))
        if shares[level] < RARELY:
            notes.append(Note("never decides", {"level": level + 1, "share": float(shares[level])}))
        elif level < specification.levels - 1 and epsilon[level] == 0 and specification.epsilon[level] is None:
            notes.append(Note("no threshold", {"level": level + 1}))
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
