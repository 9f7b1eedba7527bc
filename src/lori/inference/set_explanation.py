"""Explanation of choices from sets: who survives each level, who wins, and what would flip it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lori.data.choices import Choices
from lori.inference.explanation import DIGITS, crossings
from lori.language.numbers import number, percent
from lori.language.sentence import Name, Sentence, Share, clause, joined
from lori.model.decisions import decided, survivors
from lori.model.ordered import OrderedModel

if TYPE_CHECKING:
    import pandas

DRAWS = 2000  # of the noise, for who survives
GRID, BISECTIONS = 24, 22
LIKELY = 0.5  # who is left more often than not is named


@dataclass(frozen=True, eq=False)
class SetExplanation:
    """For each set: probabilities, who is left after each level, and the smallest changes that flip the choice.

    `flips[i, f]` is what must be added to feature f of the likeliest alternative of set i, everything else equal, so
    that another one becomes likelier; NaN if no change within reach does.
    """

    features: tuple[str, ...]
    names: tuple[str, ...]
    probabilities: np.ndarray  # (sets, names)
    left: np.ndarray  # (levels, sets, names) the probability of being left after each level
    decides: np.ndarray  # (sets, levels) the probability that the level leaves one alternative
    nobody: np.ndarray  # (sets,) several are left at the end
    flips: np.ndarray  # (sets, features)

    @property
    def favourite(self) -> np.ndarray:
        """(sets,) the likeliest alternative, by its place among the names."""
        return self.probabilities.argmax(axis=1)

    @property
    def level(self) -> np.ndarray:
        """The likeliest decider of each set, from 1; 0 where it is nobody."""
        return np.column_stack([self.nobody, self.decides]).argmax(axis=1)

    def __len__(self) -> int:
        return len(self.nobody)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table with a row for each set."""
        import pandas

        columns = {
            **{name: self.probabilities[:, place] for place, name in enumerate(self.names)},
            "favourite": np.array(self.names, object)[self.favourite],
            "level": self.level,
            **{f"level_{place + 1}": own for place, own in enumerate(self.decides.T)},
            "no_level": self.nobody,
            **{f"flip.{name}": self.flips[:, place] for place, name in enumerate(self.features)},
        }
        return pandas.DataFrame(columns)

    def describe(self, place: int = 0) -> Sentence:
        """One set in words."""
        favourite = int(self.favourite[place])
        likely = [
            joined([clause("{name}", name=Name(self.names[y])) for y in np.flatnonzero(own > LIKELY)], ", ")
            for own in self.left[:-1, place]
        ]
        steps = [
            clause("level {number} leaves {who}", number=str(number + 1), who=who)
            for number, who in enumerate(likely)
            if str(who)
        ]
        level = int(self.level[place])
        if level:
            chance = percent(self.decides[place, level - 1])
            steps.append(clause(f"level {level} decides with a probability of {chance}"))
        else:
            steps.append(clause("most likely, several are left and a coin decides"))
        return Sentence.of(
            "{name} is likeliest ({share}); {steps}; {flip}.",
            name=Name(self.names[favourite]),
            share=Share(self.probabilities[place, favourite]),
            steps=joined(steps, "; "),
            flip=self._flip(place, self.names[favourite]),
        )

    def _flip(self, place: int, favourite: str) -> Sentence:
        changes = [
            clause(
                "its {name} {way} by {size}",
                name=Name(feature),
                way="rose" if change > 0 else "fell",
                size=number(abs(change), DIGITS),
            )
            for feature, change in zip(self.features, self.flips[place], strict=True)
            if np.isfinite(change)
        ]
        if not changes:
            return Sentence("no change in a single feature of it would flip the choice")
        return clause("another would become likelier if {changes}", changes=joined(changes, ", or if "))


def explain_sets(model: OrderedModel, choices: Choices, reach: np.ndarray) -> SetExplanation:
    """Explain each set; changes of features are sought up to `reach` (features,) in both directions."""
    levels = decided(model, choices, DRAWS)
    left = survivors(model, choices, DRAWS)
    return SetExplanation(
        model.features,
        choices.names,
        model.choice_proba(choices),
        np.stack([choices.table(own) for own in left]),
        levels[:, :-1],
        levels[:, -1],
        np.column_stack([_flips(model, choices, place, size) for place, size in enumerate(reach)]),
    )


def _flips(model: OrderedModel, choices: Choices, feature: int, reach: float) -> np.ndarray:
    """The change of one feature of the likeliest alternative, smallest in size, at which another one is likelier."""
    if not reach > 0:
        return np.full(len(choices), np.nan)
    starts = choices.offsets[:-1]

    def best(logs: np.ndarray) -> np.ndarray:
        """(sets,) the row of the likeliest alternative, the first of equal ones."""
        highest = np.maximum.reduceat(logs, starts)[choices.owner]
        return np.minimum.reduceat(np.where(logs >= highest, np.arange(len(logs)), len(logs)), starts)

    now = best(model.choice_log_proba(choices))

    def still(change: np.ndarray) -> np.ndarray:
        moved = choices.alternatives.copy()
        moved[now, feature] += change
        return best(model.choice_log_proba(choices._derived(alternatives=moved))) == now

    return crossings(np.ones(len(choices), bool), still, reach, GRID, BISECTIONS)
