"""Explanation of a choice: which level decides, and what would have to change for the other side to be preferred?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lori.language.numbers import number, percent
from lori.language.sentence import Name, Sentence, Share, clause, joined
from lori.model.ordered import OrderedModel

if TYPE_CHECKING:
    import pandas

GRID, BISECTIONS = 48, 45
LEFT, TIE, RIGHT = "left", "tie", "right"
EQUAL = 1e-9  # a smaller difference of probabilities is none
DIGITS = 2  # of a change that flips a choice


@dataclass(frozen=True, eq=False)
class Explanation:
    """For each pair: probabilities, who decides, and the smallest change of each feature that flips the choice.

    `flips[i, f]` is what must be added to feature f of the left alternative of pair i, everything else equal, so
    that the other side becomes the likelier choice; NaN if no change within reach does. A context changes for both.
    """

    features: tuple[str, ...]
    probabilities: np.ndarray  # (pairs, 3) left, tie, right
    decides_left: np.ndarray  # (pairs, levels) the level decides, for left
    decides_right: np.ndarray
    nobody: np.ndarray  # (pairs,) every level ties
    flips: np.ndarray  # (pairs, features)
    context: frozenset[str] = frozenset()  # features that both sides of a pair share
    words: tuple[str, str, str] = (LEFT, TIE, RIGHT)  # what the outcomes are called in sentences

    @property
    def decides(self) -> np.ndarray:
        """Probability that each level decides, (pairs, levels)."""
        return self.decides_left + self.decides_right

    @property
    def level(self) -> np.ndarray:
        """The likeliest decider of each pair, from 1; 0 where it is nobody."""
        table = np.column_stack([self.nobody, self.decides])
        return table.argmax(axis=1)

    def __len__(self) -> int:
        return len(self.nobody)

    def called(self, words: Mapping[str, str]) -> Explanation:
        """The same, its outcomes being called as in somebody's file."""
        return replace(self, words=(words.get(LEFT, LEFT), words.get(TIE, TIE), words.get(RIGHT, RIGHT)))

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table with a row for each pair."""
        import pandas

        columns = {
            "left": self.probabilities[:, 0],
            "tie": self.probabilities[:, 1],
            "right": self.probabilities[:, 2],
            "level": self.level,
            **{f"level_{i + 1}": self.decides[:, i] for i in range(self.decides.shape[1])},
            "no_level": self.nobody,
            **{f"flip.{name}": self.flips[:, i] for i, name in enumerate(self.features)},
        }
        return pandas.DataFrame(columns)

    def describe(self, pair: int = 0) -> Sentence:
        """One pair in words."""
        left, tie, right = self.probabilities[pair]
        one, neither, other = map(Name, self.words)
        tied = clause(", {neither} {share}", neither=neither, share=Share(tie)) if tie > 0 else ""
        level = int(self.level[pair])
        if level:
            who = f"level {level} decides with a probability of {percent(self.decides[pair, level - 1])}"
        else:
            who = "most likely, no difference counts"
        won, lost = (one, other) if left > right else (other, one)
        if tie > max(left, right):
            verdict = clause("{tie} is likeliest", tie=Sentence("a tie") if self.words[1] == TIE else neither)
        elif _equal(left, right):
            verdict = Sentence("neither side is preferred")
        else:
            verdict = clause("{won} is {so}", won=won, so="preferred" if max(left, right) > 0.5 else "likeliest")
        turned = Sentence("the choice would flip")
        if tie > 0:
            turned = clause("{lost} would become likelier than {won}", lost=lost, won=won)
        flip = Sentence("") if _equal(left, right) else self._flip(pair, turned)
        slots = {"verdict": verdict, "left": Share(left), "tied": tied, "right": Share(right), "who": who}
        template = "{verdict} ({one} {left}{tied}, {other} {right}); {who}{flip}."
        return Sentence.of(template, **slots, one=one, other=other, flip=flip)

    def _flip(self, pair: int, what: Sentence) -> Sentence:
        """Under which changes of single features something else would happen."""
        changes = []
        for feature, change in zip(self.features, self.flips[pair], strict=True):
            if np.isfinite(change):
                whose = "{name} on both sides" if feature in self.context else "{one}'s {name}"
                slots = {"one": Name(self.words[0]), "name": Name(feature), "way": "rose" if change > 0 else "fell"}
                changes.append(clause(f"{whose} {{way}} by {{size}}", **slots, size=number(abs(change), DIGITS)))
        if not changes:
            return Sentence("; no change in a single feature would turn that around")
        return clause("; {what} if {changes}", what=what, changes=joined(changes, ", or if "))


def _equal(left: float, right: float) -> bool:
    return abs(left - right) <= EQUAL


def explain(model: OrderedModel, left: ArrayLike, right: ArrayLike, reach: np.ndarray) -> Explanation:
    """Explain each pair; changes of features are sought up to `reach` (features,) in both directions."""
    left, right = np.atleast_2d(np.asarray(left, float)), np.atleast_2d(np.asarray(right, float))
    decided, probabilities = model.decisions(left, right), model.predict_proba(left, right)
    flips = np.column_stack([_flips(model, left, right, f, reach[f]) for f in range(left.shape[1])])
    flips[np.abs(probabilities[:, 0] - probabilities[:, 2]) <= EQUAL] = np.nan  # any change makes one side likelier
    return Explanation(
        model.features,
        probabilities,
        np.asarray(decided.left),
        np.asarray(decided.right),
        np.asarray(decided.nobody),
        flips,
        frozenset(name for level in model.levels for name in level.reward.context),
    )


def _flips(model: OrderedModel, left: np.ndarray, right: np.ndarray, feature: int, reach: float) -> np.ndarray:
    """The change of one feature, smallest in size, at which the likelier side changes.

    The preference need not be monotone in a feature that enters several levels, so the first crossing on a
    grid of growing changes is refined by bisection, in both directions.
    """
    if not reach > 0:
        return np.full(len(left), np.nan)
    now = model.preference(left, right) >= 0
    shared = any(model.features[feature] in level.reward.context for level in model.levels)

    def side_after(change: np.ndarray) -> np.ndarray:
        moved, other = left.copy(), right.copy()
        moved[:, feature] += change
        other[:, feature] += change * shared
        return model.preference(moved, other) >= 0

    return crossings(now, side_after, reach)


def crossings(
    now: np.ndarray, after: Callable[[np.ndarray], np.ndarray], reach: float, grid: int = GRID, steps: int = BISECTIONS
) -> np.ndarray:
    """For each choice the change, smallest in size, after which the answer is not what it is `now`; NaN without one."""
    best = np.full(len(now), np.nan)
    for sign in (1.0, -1.0):
        low, high = np.zeros(len(now)), np.full(len(now), np.nan)
        for size in np.geomspace(1e-4 * reach, reach, grid):
            crossed = np.isnan(high) & (after(np.full(len(now), sign * size)) != now)
            high[crossed] = size
            low[np.isnan(high)] = size
        found = np.isfinite(high)
        high = np.where(found, high, 0.0)
        for _ in range(steps):
            middle = (low + high) / 2
            crossed = after(sign * middle) != now
            high, low = np.where(found & crossed, middle, high), np.where(found & ~crossed, middle, low)
        smaller = found & ~(np.abs(best) <= high)
        best[smaller] = sign * high[smaller]
    return best
