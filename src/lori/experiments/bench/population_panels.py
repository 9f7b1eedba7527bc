"""Panels of real people: what does a population find in published surveys, beside the usual models?

The data are not part of the package: `LORI_DATA` names the folder that holds them (`choice/swissmetro.csv.gz`,
`choice/train_data.csv.gz`). Without them the cases are skipped.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.estimators.population import Population
from lori.evaluation.classes import select_classes
from lori.evaluation.people import compare
from lori.experiments.bench.contest import Measured, Row, Seconds
from lori.inference.population.panel import Panel

FOLDER, BESIDE = "LORI_DATA", Path("../shared/data")
PANEL = {(1, 2): -4318.9, (1, 3): -3979.0, (2, 2): -4249.4, (2, 3): -3819.4}  # by levels and classes: known optima


def folder() -> Path | None:
    """Where published data are, if they are there."""
    found = Path(os.environ.get(FOLDER, BESIDE))
    return found if (found / "choice").is_dir() else None


def skipped(case: str) -> Measured:
    note = f"skipped: the data are not here; {FOLDER} names the folder that has choice/"
    return Measured([Row(case, "Population", note=note)])


# -- Swissmetro -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PanelSettings:
    """Which classes are looked for in the Swissmetro panel."""

    models: tuple[tuple[int, int], ...] = tuple(PANEL)
    """Levels and classes."""
    starts: int = 24
    """Of each search."""
    seed: int = 0
    """Of each search."""


SMOKE = PanelSettings(models=((1, 2),), starts=4)


def swissmetro(path: Path) -> Choices:
    """6 768 choices of 752 people among train, metro and car: two constants, time and cost (in hundreds)."""
    import pandas

    table = pandas.read_csv(path)
    table = table[table.PURPOSE.isin([1, 3]) & (table.CHOICE != 0)].reset_index(drop=True)
    paid = (table.GA == 0).to_numpy(float)
    features = np.zeros((len(table), 3, 4))
    features[:, 0, 0] = features[:, 2, 1] = 1.0
    for place, mode in enumerate(("TRAIN", "SM", "CAR")):
        features[:, place, 2] = table[f"{mode}_TT"] / 100
        features[:, place, 3] = table[f"{mode}_CO"] / 100
    features[:, :2, 3] *= paid[:, None]
    asked = (table.SP != 0).to_numpy()
    there = np.stack([table.TRAIN_AV * asked, table.SM_AV, table.CAR_AV * asked], axis=1).astype(bool)
    return Choices.from_arrays(
        features, table.CHOICE.to_numpy() - 1, available=there, agents=table.ID.astype(str).to_numpy(),
        features=["train", "car", "time", "cost"], alternatives=["train", "metro", "car"],
    )  # fmt: skip


def measure(settings: PanelSettings) -> Measured:
    """As in "Choices among many": no prior, no slips."""
    where = folder()
    if where is None:
        return skipped("Swissmetro panel")
    data = swissmetro(where / "choice" / "swissmetro.csv.gz")
    case = f"Swissmetro, {len(data):,} choices of {len(Panel.of(data))} people"
    measured, criteria = Measured(), {}
    for levels, classes in settings.models:
        started = perf_counter()
        own = Population(
            classes=classes, levels=levels, prior=None, lapse=0, starts=settings.starts, seed=settings.seed
        ).fit(data)
        criteria[levels, classes] = own.bic_
        name = f"{classes} classes, {levels} {'level' if levels == 1 else 'levels'}"
        shares = ", ".join(f"{share:.2f}" for share in own.shares_)
        note = f"log-likelihood {own.log_likelihood_:.3f}, BIC {own.bic_:.1f}, shares {shares}"
        numbers = {"log_likelihood": own.log_likelihood_, "bic": own.bic_}
        measured.rows.append(Row(case, name, Seconds((perf_counter() - started,)), note=note, measures=numbers))
        limit = PANEL[levels, classes]
        measured.claim(f"population-panel: log-likelihood, {name}", own.log_likelihood_, limit, at_least=True)
    for levels, classes in settings.models:
        if levels > 1 and (1, classes) in criteria:
            less = criteria[1, classes] - criteria[levels, classes]
            text = f"population-panel: {levels} levels lower the BIC of {classes} classes by"
            measured.claim(text, less, 0.0, at_least=True)
    return measured


# -- the train survey -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrainSettings:
    """What is foretold in the train survey."""

    levels: tuple[int, ...] = (1,)
    """Numbers of levels that are weighed."""
    classes: int = 4
    """Classes that are weighed, at most."""
    starts: int = 12
    """Of each search for classes."""


TRAIN_SMOKE = TrainSettings(levels=(1,), classes=1, starts=4)


def train(path: Path) -> tuple[Preferences, np.ndarray]:
    """2 929 choices of 235 people between two train journeys, and which ones are the last quarter of each."""
    import pandas

    table = pandas.read_csv(path)
    sides = [
        np.column_stack(
            [table[f"price{side}"] * 2.20371 / 100, table[f"time{side}"] / 60, table[f"change{side}"],
             table[f"comfort{side}"]]
        )
        for side in (1, 2)
    ]  # fmt: skip
    first = (table.choice == "choice1").to_numpy(float)
    people = table.groupby("id")
    last = people.cumcount() >= 0.75 * people.choiceid.transform("size")
    data = Preferences.from_arrays(
        *sides, counts=np.column_stack([first, np.zeros(len(first)), 1 - first]),
        features=["price", "time", "change", "comfort"], agent=table.id.astype(str).to_numpy(),
    )  # fmt: skip
    return data, last.to_numpy()


def measure_train(settings: TrainSettings) -> Measured:
    """Classes and levels are selected on the first three quarters of each agent's choices; the last is foretold."""
    where = folder()
    if where is None:
        return skipped("train survey")
    data, last = train(where / "choice" / "train_data.csv.gz")
    estimator = Population(classes=1, levels=1, starts=settings.starts)
    chosen = select_classes(
        data.subset(~last), settings.classes, estimator=estimator, levels=settings.levels, held_out=False
    ).recommended
    picked = estimator.copy(classes=chosen.classes, levels=chosen.levels, spread=chosen.spread)
    found = compare(picked, data, last)
    assert found is not None
    case = f"train survey, {found.choices} last choices of {found.agents} people"
    note = f"{found.log_likelihood:.4f} a choice; selected: {chosen.name}"
    measured = Measured([Row(case, "Population", note=note, measures={"log_likelihood": found.log_likelihood})])
    for rival in found.rivals:
        note = f"{rival.log_likelihood:.4f} a choice; Population ahead by {rival.advantage:.4f} ± {rival.error:.4f}"
        numbers = {"log_likelihood": rival.log_likelihood, "behind": rival.advantage, "error": rival.error}
        measured.rows.append(Row(case, rival.name, note=note, measures=numbers))
        measured.claim(f"population-train: lead over {rival.name}", rival.advantage, 0.0, at_least=True)
    return measured
