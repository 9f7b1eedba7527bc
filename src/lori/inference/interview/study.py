"""Study: what is asked about, between which alternatives, of whom something is believed, and when is it enough?

Alternatives are profiles of attributes (all combinations but forbidden ones) or the items of a table. Scaling comes
from the study's own alternatives, so that what is believed of a respondent does not move with the answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from lori.errors import InputError
from lori.inference.interview.priorities import Priorities
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Pairs
from lori.model.likelihoods.probabilities import TieRule
from lori.model.rewards import Linear
from lori.model.specification import Specification

SAMPLE = 4000  # pairs of alternatives from which the scaling is told
MOST_TRIES = 50  # times that forbidden alternatives are drawn anew


@dataclass(frozen=True)
class Attribute:
    """One thing in which alternatives differ: its possible values, as numbers, and how they are shown."""

    name: str
    values: tuple[float, ...]
    label: str = ""
    unit: str = ""
    words: tuple[str, ...] = ()  # of a list in words, worst or best first as the study says
    better: str = ""  # "more", "less", or unknown

    @property
    def title(self) -> str:
        return self.label or self.name

    def shown(self, value: float) -> str:
        """The value as a card shows it."""
        if self.words:
            return self.words[self.values.index(value)]
        return f"{value:g} {self.unit}".rstrip()


@dataclass(frozen=True)
class Item:
    """A row of a table of alternatives: its values by attribute, a text, and perhaps a picture."""

    name: str
    values: tuple[float, ...]
    text: str = ""
    picture: str = ""


@dataclass(frozen=True, eq=False)
class Study:
    """Everything that an interview needs to know.

    >>> study = Study((Attribute("benefit", (0, 1, 2), better="more"), Attribute("cost", (0, 5, 10), better="less")))
    >>> study.features, study.answers
    (('benefit', 'cost'), ('left', 'tie', 'right'))
    """

    attributes: tuple[Attribute, ...]
    levels: int = 2
    allows_ties: bool = True
    questions: int = 20  # at most
    sure: float = 0.95  # the probability of an order at which an interview ends
    repeats: float = 0.0  # share of the questions that are asked again, to see how consistent answers are
    forbidden: tuple[Mapping[str, float], ...] = ()
    items: tuple[Item, ...] = ()
    prior: Priorities = field(default_factory=Priorities)
    page: Mapping[str, object] = field(default_factory=dict)  # what the pages say; see `lori.language.interview`

    def __post_init__(self) -> None:
        if not 1 <= self.levels <= len(self.attributes):
            raise InputError(
                "levels", expected=f"a whole number from 1 to {len(self.attributes)}, the attributes",
                got=str(self.levels), fix="ask for fewer levels, or about more attributes",
            )  # fmt: skip
        self._pairs(np.random.default_rng(0), 1)

    @property
    def features(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def answers(self) -> tuple[str, ...]:
        """What can be answered, in the order of the likelihood's outcomes."""
        return Pairs(self._rule).offered

    @cached_property
    def specification(self) -> Specification:
        """Linear levels. Where a choice is forced, a threshold of the last level would only be a coin: it is zero."""
        up = [own.name for own in self.attributes if own.better == "more"]
        down = [own.name for own in self.attributes if own.better == "less"]
        reward, count = Linear(increasing=up, decreasing=down), self.levels
        epsilon = (None,) * count if self.allows_ties else (*(None,) * (count - 1), 0.0)
        return Specification((reward,) * count, epsilon, (None,) * count, Pairs(self._rule), self.features, None)

    @cached_property
    def scaling(self) -> Scaling:
        """Mean, and root mean square of differences by √2, of the study's alternatives."""
        pairs = self._pairs(np.random.default_rng(0), SAMPLE)
        spread = np.sqrt(((pairs[:, 0] - pairs[:, 1]) ** 2).mean(axis=0) / 2)
        return Scaling(pairs.mean(axis=(0, 1)), np.where(spread > 0, spread, 1.0))

    def candidates(self, generator: np.random.Generator, count: int) -> np.ndarray:
        """(candidates, 2, attributes): random pairs of different alternatives, either side first."""
        return self._pairs(generator, count)

    def differences(self, pairs: np.ndarray) -> np.ndarray:
        """(pairs, attributes) left less right, in standardised units."""
        return (pairs[:, 0] - pairs[:, 1]) / self.scaling.scale

    @property
    def _rule(self) -> TieRule:
        return "observed" if self.allows_ties else "split"

    def _pairs(self, generator: np.random.Generator, count: int) -> np.ndarray:
        found: list[np.ndarray] = []
        missing = count
        for _ in range(MOST_TRIES):
            pairs = self._alternatives(generator, 2 * missing + 8).reshape(-1, 2, len(self.attributes))
            differ = (pairs[:, 0] != pairs[:, 1]).any(axis=1)
            found.append(pairs[differ & self._allowed(pairs).all(axis=1)][:missing])
            missing -= len(found[-1])
            if not missing:
                return np.concatenate(found)
        raise InputError(
            "alternatives", expected="at least two that differ and are not forbidden", got="hardly any",
            fix="give attributes more values, or forbid fewer combinations",
        )  # fmt: skip

    def _alternatives(self, generator: np.random.Generator, count: int) -> np.ndarray:
        if self.items:
            table = np.array([item.values for item in self.items], float)
            return table[generator.integers(len(table), size=count + count % 2)]
        columns = [generator.choice(np.array(own.values, float), size=count + count % 2) for own in self.attributes]
        return np.stack(columns, axis=1)

    def _allowed(self, alternatives: np.ndarray) -> np.ndarray:
        """(…,) whether none of the forbidden combinations is in each of the alternatives (…, attributes)."""
        allowed = np.ones(alternatives.shape[:-1], bool)
        for combination in self.forbidden:
            places = [self.features.index(name) for name in combination]
            allowed &= (alternatives[..., places] != np.array(list(combination.values()), float)).any(axis=-1)
        return allowed
