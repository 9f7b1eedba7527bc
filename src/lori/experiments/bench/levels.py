"""Is the right number of levels found? Data sets with one and with two true levels, drawn from the prior."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from lori.data.preferences import Preferences
from lori.experiments.bench.contest import Measured, Row
from lori.inference.estimator import LORI
from lori.inference.scaling import Moments, Scaling
from lori.inference.selection import select_levels
from lori.inference.settings import checked_settings
from lori.inference.units import Units
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
    if settings.jobs == 1:
        found = [_trial(own) for own in work]
    else:
        with ProcessPoolExecutor(settings.jobs, mp_context=get_context("spawn")) as pool:
            found = list(pool.map(_trial, work))
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
    truth = _drawn(levels, left, right, generator)
    while levels == 2 and _second_decides(truth, left, right) < settings.second_decides:
        truth = _drawn(levels, left, right, generator)
    counts = truth.sample(left, right, seed=generator)
    return Preferences.from_arrays(left, right, wins=counts[:, 0], losses=counts[:, 2])


def _drawn(levels: int, left: np.ndarray, right: np.ndarray, generator: np.random.Generator) -> OrderedModel:
    chosen = checked_settings(LORI(levels=levels).get_params(deep=False), [Preferences.from_arrays(left, right)])
    assert chosen.prior is not None
    scaling = Scaling.of(Moments.of(left, right), True)
    vector = chosen.prior.draw(chosen.specification, 1, generator)[0]
    return Units(chosen.specification, scaling, chosen.alpha).model(vector, left)


def _second_decides(truth: OrderedModel, left: np.ndarray, right: np.ndarray) -> float:
    decided = truth.decisions(left, right)
    return float((decided.left + decided.right)[:, 1].mean())
