"""Is the right number of levels found? Data sets with one and with two true levels, drawn from the prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.preferences import Preferences
from lori.evaluation.selection import select_levels
from lori.experiments.bench.contest import Measured, Row
from lori.experiments.bench.trials import Decider, answered, each
from lori.model.ordered import OrderedModel


@dataclass(frozen=True)
class LevelsSettings:
    """How many data sets, of what kind."""

    data_sets: int = 20
    """Data sets for each true number of levels."""
    pairs: int = 1000
    """Pairs of each, with standard normal features."""
    features: int = 3
    """Features of each alternative."""
    up_to: int = 3
    """Levels that are tried."""
    second_decides: float = 0.2
    """Share of the pairs that the second of two levels must decide; truths where it does not are drawn again."""
    draws: int = 1000
    """Particles of each posterior."""
    jobs: int = 2
    """Data sets worked on at the same time."""


SMOKE = LevelsSettings(data_sets=1, pairs=60, up_to=2, draws=40, jobs=1)


def measure(settings: LevelsSettings) -> Measured:
    measured = Measured()
    work = [(settings, levels, seed) for levels in (1, 2) for seed in range(settings.data_sets)]
    found = list(each(_trial, work, settings.jobs))
    for levels in (1, 2):
        own = [number for (_, truth, _), number in zip(work, found, strict=True) if truth == levels]
        right = sum(number == levels for number in own)
        note = f"{right} of {len(own)} right; recommended {' '.join(map(str, own))}"
        case = f"{settings.pairs:,} pairs, {settings.features} features"
        name = f"{levels} true level{'s' if levels > 1 else ''}"
        measured.rows.append(Row(case, name, note=note, measures={"right": right, "of": len(own)}))
        share = right / len(own)
        measured.claim(f"levels: share of data sets with {name} that are told", share, 0.95, at_least=True)
    return measured


def _trial(work: tuple[LevelsSettings, int, int]) -> int:
    settings, levels, seed = work
    return select_levels(data_set(settings, levels, seed), settings.up_to, draws=settings.draws, seed=seed).recommended


def data_set(settings: LevelsSettings, levels: int, seed: int) -> Preferences:
    """Preferences of a decision-maker drawn from the prior whose second level, if there is one, matters."""
    generator = np.random.default_rng([levels, seed])
    left, right = generator.normal(size=(2, settings.pairs, settings.features))
    truth = Decider.drawn(levels, left, right, generator).model
    while levels == 2 and _second_decides(truth, left, right) < settings.second_decides:
        truth = Decider.drawn(levels, left, right, generator).model
    return answered(truth, left, right, generator)


def _second_decides(truth: OrderedModel, left: np.ndarray, right: np.ndarray) -> float:
    decided = truth.decisions(left, right)
    return float((decided.left + decided.right)[:, 1].mean())
