"""Preferences of allocators: whom did each organ go to, and whom not? The recipient against all who waited that day.

The paper speaks of pairings that were also possible. Two kinds of patients are therefore left out.

- Patients of an incompatible blood group: nobody chose against them. Recipients share the donor's group more often than
  the whole list does, which lengthens their expected survival, so that against the whole list every policy seems to
  reward benefit. `everybody=True` compares with the whole list.
- Patients who got another organ on the same day: whether they were still waiting is not recorded, and they were not
  passed over. Each would be preferred to the other, which hides how much a difference counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lori.applications.organ.allocation import Allocate, Offers
from lori.applications.organ.features import (
    after_transplant,
    before_transplant,
    candidates,
    compatible,
    donors,
    on_day,
    taken,
)
from lori.applications.organ.registry import Registry
from lori.applications.organ.survival import Estimates
from lori.data.choices import Choices
from lori.data.preferences import OUTCOMES, Preferences
from lori.errors import DataError
from lori.model.ordered import OrderedModel

FEATURES = ("benefit", "need")
CHUNK_PAIRS = 1 << 18


@dataclass(frozen=True, eq=False)
class Pairs:
    """Some pairs of patients for the same organ, in days: on the left the recipient, on the right another one."""

    left: np.ndarray  # (pairs, 2): benefit and need
    right: np.ndarray
    choice: np.ndarray  # (pairs,) positions in OUTCOMES
    organ: np.ndarray  # (pairs,) which organ it was: its pairs share the recipient, and are not independent


def pairs(
    registry: Registry,
    estimates: Estimates,
    *,
    panel: OrderedModel | None = None,
    policy: Allocate | None = None,
    everybody: bool = False,
    seed: int = 0,
) -> Iterator[Pairs]:
    """The pairs of all organs of the year, day by day, some at a time.

    Benefit is what the organ adds to a patient's expected days, need is minus the days expected without it. The
    recipient is the one preferred. With a `policy`, that chooses the recipient anew from the expected days of all who
    could have had the organ; with a `panel`, each choice is drawn from that model instead, pair by pair: who comes
    first on a whole list does not follow the model's probabilities of pairs.
    """
    generator = np.random.default_rng(seed)
    patients, organs = registry.patients, registry.organs
    listed = candidates(patients)
    need = -estimates.before.survival.expected_days(estimates.seen(before_transplant(patients)))
    offered = donors(organs)
    arrival, leaving = listed["listing_day"], patients["END_DATE"].to_numpy(float)
    received_on = patients["TX_DATE"].to_numpy(float)
    days = organs["TX_DATE"].to_numpy(float)
    recipients_ = organs.index.to_numpy()

    def days_of(people: np.ndarray, organ: np.ndarray) -> np.ndarray:
        pair = after_transplant(on_day(taken(listed, people), days[organ]), taken(offered, organ))
        return np.stack(
            [estimates.after.survival.expected_days(estimates.seen(pair)) + need[people], need[people]], axis=1
        )

    received = days_of(recipients_, np.arange(len(organs)))

    def decided(people: np.ndarray, place: int) -> np.ndarray:
        """Those who go without, when the policy decides; the recipient that is recorded may be one of them."""
        assert policy is not None
        all_of_them = np.append(recipients_[place], people)
        offered_days = days_of(all_of_them, np.full(len(all_of_them), place))
        offers = Offers(days[place] - arrival[all_of_them], *offered_days.T)
        chosen = policy(offers, generator)
        received[place] = offered_days[chosen]
        return np.delete(all_of_them, chosen)

    def chunk(people: list[np.ndarray], organ: list[np.ndarray]) -> Pairs:
        others, places = np.concatenate(people), np.concatenate(organ)
        left, right = received[places], days_of(others, places)
        if panel is None:
            return Pairs(left, right, np.zeros(len(left), dtype=int), places)
        return Pairs(left, right, panel.sample(left, right, seed=generator).argmax(axis=1), places)

    people: list[np.ndarray] = []
    organ: list[np.ndarray] = []
    waiting = 0
    for place in np.argsort(days, kind="stable"):
        others = np.flatnonzero((arrival <= days[place]) & (leaving >= days[place]) & (received_on != days[place]))
        possible = everybody | compatible(listed["blood_group"][others], offered["donor_blood_group"][place])
        others = others[possible]
        if policy is not None and len(others):
            others = decided(others, place)
        people.append(others)
        organ.append(np.full(len(others), place))
        waiting += len(others)
        if waiting >= CHUNK_PAIRS:
            yield chunk(people, organ)
            people, organ, waiting = [], [], 0
    if waiting:
        yield chunk(people, organ)


def preferences(
    registry: Registry,
    estimates: Estimates,
    *,
    panel: OrderedModel | None = None,
    everybody: bool = False,
    seed: int = 0,
) -> Preferences:
    """All pairs as `Preferences`."""
    return preferences_by_organ(registry, estimates, panel=panel, everybody=everybody, seed=seed)[0]


def preferences_by_organ(
    registry: Registry,
    estimates: Estimates,
    *,
    panel: OrderedModel | None = None,
    policy: Allocate | None = None,
    everybody: bool = False,
    seed: int = 0,
) -> tuple[Preferences, np.ndarray]:
    """All pairs, and the organ of each: the clusters of a fit's standard errors."""
    parts = list(pairs(registry, estimates, panel=panel, policy=policy, everybody=everybody, seed=seed))
    if not parts:
        raise _nobody_else(registry)
    counts = np.eye(len(OUTCOMES))[np.concatenate([part.choice for part in parts])]
    left, right, organs = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("left", "right", "organ")
    )
    return Preferences.from_arrays(left, right, counts=counts, features=FEATURES), organs


def choices_by_organ(
    registry: Registry, estimates: Estimates, *, most: int | None = None, everybody: bool = False, seed: int = 0
) -> Choices:
    """Each organ as it is: one choice among all who waited for it, the recipient first; `most` of them, at random."""
    parts = list(pairs(registry, estimates, everybody=everybody))
    if not parts:
        raise _nobody_else(registry)
    left, right, organ = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("left", "right", "organ")
    )
    starts = np.flatnonzero(np.diff(organ, prepend=-1))  # an organ's pairs follow each other
    drawn = np.arange(len(starts))
    if most is not None and most < len(starts):
        drawn = np.sort(np.random.default_rng(seed).choice(len(starts), most, replace=False))
    ends = np.append(starts[1:], len(organ))
    sizes = ends[drawn] - starts[drawn] + 1
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    table = [np.concatenate([left[starts[i] : starts[i] + 1], right[starts[i] : ends[i]]]) for i in drawn]
    chosen, place = np.zeros(offsets[-1], bool), np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
    chosen[offsets[:-1]] = True
    names = ("recipient", *(f"waiting {number}" for number in range(1, int(sizes.max()))))
    return Choices(np.concatenate(table), offsets, chosen, features=FEATURES, label=place, names=names)


def _nobody_else(registry: Registry) -> DataError:
    return DataError(
        f"registry of {registry.year}",
        expected="at least two patients waiting on the day of a transplant",
        got="nobody beside the recipients",
        fix="choose another year or a larger registry",
    )
