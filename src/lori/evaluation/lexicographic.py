"""Is anybody lexicographic? People who differ and all trade off, against people of whom some have two levels.

Both are hierarchies: everybody has parameters of their own. In the second, each person is of one of two classes, with
one level and with two. It has many more parameters, most of which say little about the choices of people who all trade
off, so that the Bayesian criterion, which counts them all, would overlook orders that are there. What the
log-likelihood must gain was set on simulated populations in which everybody has one level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.estimators.population import Population
from lori.evaluation.people import single_of
from lori.language.populations import lexicographic_sentence
from lori.language.sentence import Sentence

PER_PARAMETER = 0.6  # units of log-likelihood that a further parameter must gain


@dataclass(frozen=True, eq=False)
class LexicographicPeople:
    """Both fits, and what speaks for people with two levels."""

    one: Population  # everybody has one level
    some: Population  # some have one, some have two

    @property
    def gain(self) -> float:
        """Units of log-likelihood."""
        return float(self.some.log_likelihood_ - self.one.log_likelihood_)

    @property
    def needed(self) -> float:
        return PER_PARAMETER * (self.some.n_parameters_ - self.one.n_parameters_)

    @property
    def holds(self) -> bool:
        return self.gain > self.needed

    @property
    def share(self) -> float:
        """Of the people, of those with two levels; whether there are any is another question."""
        levels = np.array([len(own.levels_) for own in self.some.classes_])
        return float(self.some.shares_[levels > 1].sum())

    @property
    def sentence(self) -> Sentence:
        return lexicographic_sentence(self.share if self.holds else 0.0, self.gain, self.needed)

    def __str__(self) -> str:
        return str(self.sentence)

    __repr__ = __str__


def lexicographic_people(data: Preferences | Choices, estimator: Population | None = None) -> LexicographicPeople:
    """Fit people who differ, with one level each and with one or two; `estimator` has the other settings."""
    given = Population() if estimator is None else estimator
    some = given.copy(classes=2, levels=[1, 2], spread=True)
    alone = single_of(some).with_levels(1)  # what is given level by level, for one
    shared = {name: getattr(alone, name) for name in ("reward", "alpha", "epsilon")}
    one = given.copy(classes=1, levels=1, spread=True, **shared)
    return LexicographicPeople(one.fit(data), some.fit(data))
