"""Trials: many simulated decision-makers: drawn from the prior, asked, and worked on by several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
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
