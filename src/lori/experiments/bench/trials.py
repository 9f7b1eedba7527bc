"""Trials: many simulated decision-makers: drawn from the prior, asked, and worked on by several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.results import completed
from lori.experiments.study import Cell, Study
from lori.inference.estimates import Units
from lori.inference.fitting import FitSettings
from lori.inference.settings import checked_settings
from lori.inference.statistics import Moments, Scaling
from lori.model.ordered import OrderedModel


@dataclass(frozen=True, eq=False)
class Decider:
    """A decision-maker drawn from the default prior, with what a fit would be told about these pairs."""

    settings: FitSettings
    scaling: Scaling
    vector: np.ndarray  # standardised, as inside a fit
    model: OrderedModel

    @classmethod
    def drawn(cls, levels: int, left: np.ndarray, right: np.ndarray, generator: np.random.Generator) -> Decider:
        pairs = Preferences.from_arrays(left, right)
        settings = checked_settings(LORI(levels=levels).get_params(deep=False), [pairs])
        assert settings.prior is not None
        scaling = Scaling.of(Moments.of(pairs), settings.specification.standardised)
        vector = settings.prior.draw(settings.specification, 1, generator)[0]
        return cls(
            settings, scaling, vector, Units(settings.specification, scaling, settings.alpha).model(vector, left)
        )


def answered(model: OrderedModel, left: np.ndarray, right: np.ndarray, generator: np.random.Generator) -> Preferences:
    """What a decision-maker chose; a full tie is broken by a coin."""
    return Preferences.from_arrays(left, right, counts=model.sample(left, right, seed=generator))


def each(function: Callable[[Any], Any], work: Sequence[Any], jobs: int) -> Iterator[Any]:
    """The results of a function of this package, in order, worked out by `jobs` processes."""
    if jobs == 1:
        yield from map(function, work)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(function, work)


@dataclass(frozen=True)
class Keeping:
    """Where the results of trials are kept, and who hears of them: a stopped case goes on where it stopped."""

    out: Path
    say: Callable[[str], None]
    progress: Callable[[int, int], None]

    def each(
        self, name: str, function: Callable[[Any], Cell], settings: Any, work: Callable[[int], Any], count: int
    ) -> list[Cell]:
        """The results of the first `count` pieces of work; those that are kept are not done again.

        What is kept depends on the settings, but not on how many repeats there are, nor on `jobs`.
        """
        usual = {field: 1 for field in ("repeats", "jobs", "alike") if hasattr(settings, field)}
        same = replace(settings, **usual)
        study = Study(name, "", same, same, cell=lambda _, number: function(work(number)))
        stored = completed(
            study, same, range(count), self.out, jobs=settings.jobs, say=self.say, progress=self.progress
        )
        return [own["result"] for own in sorted(stored, key=lambda own: own["seed"])]
