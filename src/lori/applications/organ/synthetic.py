"""Synthetic registry: what if the truth were known? A made-up file with the registry's columns and codes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lori.applications.organ.allocation import Allocate, Offers, policy_named
from lori.applications.organ.features import (
    CODES,
    COLUMNS,
    DATE_FORMAT,
    DATES,
    LABORATORY,
    after_transplant,
    before_transplant,
    candidates,
    compatible,
    donors,
    on_day,
    recipients,
    taken,
)
from lori.applications.organ.truth import WITH, WITHOUT, at_transplant, draw_donors, draw_patients
from lori.data.writing import write_table
from lori.errors import InputError
from lori.model.ordered import OrderedModel

if TYPE_CHECKING:
    import pandas

YEAR_DAYS = 365
EXCLUDED = {"INIT_AGE": 12.0, "DON_TY": 0.0, "MULTIORG": 1.0, "PREV_TX_ANY": 1.0}  # one reason for each filter
FORGOTTEN = (
    *LABORATORY, "HCV_NAT", "DIAB", "PREV_AB_SURG_TCR", "PREV_AB_SURG_TRR", "INIT_ENCEPH", "ENCEPH_TX",
    "INIT_ASCITES", "ASCITES_TX",
)  # fmt: skip


@dataclass(frozen=True)
class SyntheticSettings:
    """The size of a made-up registry; by default that of the paper's study."""

    patients: int = 4_650
    """Patients listed in the year who pass all filters, some of whom are still waiting at its end."""
    organs: int = 4_150
    """Organs that arrive in the year; for some there is nobody of a compatible blood group."""
    waiting: int = 85
    """Days that the list fills before the first organ arrives, and empties after the last listing."""
    history: int = 8_000
    """Patients listed in the eight years before, from whom survival is learned."""
    others: int = 1_200
    """Rows of the year that the filters remove."""
    year: int = 2019
    policy: str = "meld"
    """meld, strict, veto, benefit, waiting or model."""
    unrecorded: float = 0.02
    """Share of the values at transplant, and of those of the earlier years, that are missing or unknown."""
    seed: int = 0


def write_registry(path: str | Path, settings: SyntheticSettings, *, model: OrderedModel | None = None) -> None:
    """Write a registry as CSV (also .gz), whole or not at all."""
    write_table(make_registry(settings, model=model), path)


def make_registry(settings: SyntheticSettings, *, model: OrderedModel | None = None) -> pandas.DataFrame:
    """A registry as it is written. With policy `model` that model chooses among the patients."""
    import pandas

    allocate = policy_named(settings.policy, model)
    if min(settings.patients, settings.organs) < 1 or not 0 < settings.waiting < YEAR_DAYS:
        raise InputError(
            "settings", expected="at least one patient and one organ, and a list that fills within the year",
            got="other numbers", fix="correct the numbers of patients and organs",
        )  # fmt: skip
    generator = np.random.default_rng(settings.seed)
    start = int(np.datetime64(f"{settings.year}-01-01", "D").astype(int))
    cut = start + 2 * YEAR_DAYS - 28  # what is known early in the last month of the following year
    earlier = generator.integers(start - 8 * YEAR_DAYS, start, settings.history)
    year = _year(settings, start, cut, allocate, generator)
    past = _by_chance(earlier, cut, generator)
    others = _by_chance(generator.integers(start, start + YEAR_DAYS, settings.others), cut, generator)
    for reason, (column, value) in enumerate(EXCLUDED.items()):
        others.loc[others.index % len(EXCLUDED) == reason, column] = value
    table = encoded(pandas.concat([past, year, others], ignore_index=True))
    _forget(table, np.arange(len(table)) < len(past), settings.unrecorded, generator)
    return table.iloc[generator.permutation(len(table))].reset_index(drop=True)


def _by_chance(listing: np.ndarray, cut: int, generator: np.random.Generator) -> pandas.DataFrame:
    """Patients who get a compatible organ, if any, after a time that has nothing to do with them."""
    patients = draw_patients(len(listing), generator)
    patients["INIT_DATE"] = listing.astype(float)
    death = listing + WITHOUT.draw(before_transplant(patients), generator)
    offer = listing + np.ceil(generator.exponential(500.0, len(listing)))
    leaving = listing + np.ceil(generator.exponential(3000.0, len(listing)))  # moved away, got better
    received = (offer < death) & (offer <= np.minimum(leaving, cut))
    organs = draw_donors(len(listing), generator)
    organs["ABO_DON"] = np.where(
        generator.uniform(size=len(listing)) < 0.9, patients["ABO"], 0.0
    )  # the same group, or O, which suits everybody
    return _recorded(patients, organs, np.where(received, offer, np.nan), death, leaving, cut, generator)


def _year(
    settings: SyntheticSettings, start: int, cut: int, allocate: Allocate, generator: np.random.Generator
) -> pandas.DataFrame:
    """The year's list: each organ goes to one of those who wait for it that day and may have it."""
    patients = draw_patients(settings.patients, generator)
    first_organ = start + settings.waiting
    patients["INIT_DATE"] = np.sort(
        generator.integers(start, start + YEAR_DAYS - settings.waiting, len(patients))
    ).astype(float)
    listed = candidates(patients)
    before = before_transplant(patients)
    death = patients["INIT_DATE"].to_numpy() + WITHOUT.draw(before, generator)
    need = -WITHOUT.survival.expected_days(before)
    organs = draw_donors(settings.organs, generator)
    offered = donors(organs)
    transplant = np.full(len(patients), np.nan)
    given = np.zeros(len(patients), dtype=int)
    for organ, day in enumerate(np.sort(generator.integers(first_organ, start + YEAR_DAYS, settings.organs))):
        possible = compatible(listed["blood_group"], offered["donor_blood_group"][organ])
        waiting = np.flatnonzero(possible & (listed["listing_day"] <= day) & (death > day) & np.isnan(transplant))
        if not len(waiting):
            continue
        people = on_day(taken(listed, waiting), np.full(len(waiting), day))
        pairs = after_transplant(people, taken(offered, np.full(len(waiting), organ)))
        benefit = WITH.survival.expected_days(pairs) + need[waiting]
        chosen = waiting[allocate(Offers(day - listed["listing_day"][waiting], benefit, need[waiting]), generator)]
        transplant[chosen], given[chosen] = day, organ
    never = np.full(len(patients), np.inf)
    return _recorded(patients, organs.iloc[given].reset_index(drop=True), transplant, death, never, cut, generator)


def _recorded(
    patients: pandas.DataFrame,
    organs: pandas.DataFrame,
    transplant: np.ndarray,
    death: np.ndarray,
    leaving: np.ndarray,
    cut: int,
    generator: np.random.Generator,
) -> pandas.DataFrame:
    """All columns of the registry for these lives, as far as they are known on the day `cut`."""
    import pandas

    received = ~np.isnan(transplant)
    waited = np.where(received, transplant, cut) - patients["INIT_DATE"].to_numpy()
    then = at_transplant(patients, waited, generator)
    table = pandas.concat([patients, then, organs], axis=1)
    table.loc[~received, [*then, *organs]] = np.nan
    table["TX_DATE"] = transplant
    lived = np.full(len(table), np.nan)
    people = table[received]
    lived[received] = WITH.draw(after_transplant(recipients(people), donors(people)), generator)
    death = np.where(received, transplant + lived, death)
    table["PTIME"] = np.minimum(lived, cut - transplant)
    table["DEATH_DATE"] = np.where(death <= cut, death, np.nan)
    end = np.where(received, transplant, np.minimum(death, leaving))
    table["END_DATE"] = np.where(end <= cut, end, np.nan)
    table["DON_TY"] = np.where(received, 1.0, np.nan)
    table["MULTIORG"], table["PREV_TX_ANY"] = np.nan, 0.0
    return table[list(COLUMNS)]


def encoded(table: pandas.DataFrame) -> pandas.DataFrame:
    """Numbers as the registry writes them: codes, and dates as MM/DD/YYYY."""
    import pandas

    written = {}
    for name in COLUMNS:
        if name in DATES:
            written[name] = pandas.to_datetime(table[name], unit="D").dt.strftime(DATE_FORMAT)
        elif name in CODES:  # of several codes with the same meaning, the first
            known = {meaning: code for code, meaning in reversed(CODES[name].items()) if meaning is not None}
            written[name] = table[name].map(known)
        else:
            written[name] = table[name]
    return pandas.DataFrame(written)


def _forget(table: pandas.DataFrame, past: np.ndarray, share: float, generator: np.random.Generator) -> None:
    """Values get lost or become "unknown": at listing only in earlier years, so that the year's list keeps its size."""
    for name in FORGOTTEN:
        lost = generator.uniform(size=len(table)) < share
        lost &= table[name].notna().to_numpy(bool) & (past | name.endswith(("_TX", "_TRR")))
        unknown = [code for code, meaning in CODES.get(name, {}).items() if meaning is None]
        table.loc[lost, name] = unknown[0] if unknown else np.nan
