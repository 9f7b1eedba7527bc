"""Interview: which question next, and what is known after each answer, of one respondent?

    talk = Interview(study, seed=1)
    while not talk.finished:
        talk.tell(answer_to(talk.ask()))
    talk.posterior.order()

The next question is found for every possible answer before the answer comes (`prepare`), from the same probabilities
with other weights; an answer is then only looked up. Particles depend on the study, the seed and the answers alone, so
that an interview can be taken up from its answers at any time (`Interview.again`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lori.errors import InputError, one_of
from lori.inference.estimates import Units
from lori.inference.interview.information import information
from lori.inference.interview.particles import Belief, Particles
from lori.inference.interview.study import Study
from lori.inference.interview.study_file import read_study
from lori.inference.posterior.draws import Posterior, Trust
from lori.inference.posterior.order import PriorityOrder

PARTICLES = 1000
VALUED_BY = 150  # particles that stand for all where questions are chosen
DOUBT = 2.0  # errors of the probability of an order by which it must pass the limit of a study
CANDIDATES = 60  # random pairs among which the next question is chosen
SPARE = 4  # questions that are chosen beside the best
SKIP = "skip"
SETTLING = 3  # questions before one may be asked again


@dataclass(frozen=True)
class Question:
    """Two alternatives, by attribute, in the study's values. A repeat is an earlier question with sides changed."""

    number: int  # from 1
    left: tuple[float, ...]
    right: tuple[float, ...]
    repeats: int | None = None  # the number of the question that it repeats

    @property
    def pair(self) -> np.ndarray:
        return np.array([self.left, self.right], float)


@dataclass(frozen=True)
class Next:
    """What follows an answer: the likeliest order then, its probability, and the question to ask, if there is one.

    `sure` is that probability less what particles leave uncertain of it, which a study's limit is compared with.
    `spare` are the next best, to be asked after it while what follows is not known in time.
    """

    order: tuple[str, ...]
    probability: float
    sure: float
    question: Question | None
    spare: tuple[Question, ...] = ()


class Interview:
    """One respondent, one question at a time.

    `study` is a `Study`, or the file of one. `belief` is what is known beforehand, the study's prior by default;
    `adaptive=False` asks at random.
    """

    def __init__(
        self, study: Study | str | Path, *, seed: int = 0, belief: Belief | None = None, particles: int = PARTICLES,
        adaptive: bool = True,
    ) -> None:  # fmt: skip
        study = study if isinstance(study, Study) else read_study(study)
        self.study, self.seed, self.adaptive = study, seed, adaptive
        self.belief = belief or study.prior
        self.history: list[tuple[Question, str]] = []
        self._size = particles
        self._particles, self._counted = self._start(), 0
        self._question: Question | None = None
        self._ready: dict[str, Next] = {}
        self._sure: float | None = None

    @classmethod
    def again(
        cls, study: Study, history: Sequence[tuple[Question, str]], question: Question | None = None, *,
        seed: int = 0, belief: Belief | None = None, particles: int = PARTICLES,
    ) -> Interview:  # fmt: skip
        """The interview with these answers, and with this question asked last, if one is open."""
        return cls(study, seed=seed, belief=belief, particles=particles).take_up(history, question)

    def take_up(self, history: Sequence[tuple[Question, str]], question: Question | None = None) -> Interview:
        """Go on from these answers; only those that are new are counted, where they begin as the known ones do."""
        if self.history[: self._counted] != list(history[: self._counted]):
            self._particles, self._counted = self._start(), 0
        self.history, self._question, self._ready, self._sure = list(history), question, {}, None
        return self

    # -- the conversation -----------------------------------------------------------------------------------

    def ask(self) -> Question:
        """The question to answer now: the same one until it is answered."""
        if self._question is None:
            ((self._question, _),) = self._best(self.particles, [self.particles.weights], len(self.history) + 1)
        return self._question

    def tell(self, answer: str) -> Interview:
        """Answer the question: "left", "right", "tie" where the study allows it, or "skip"."""
        one_of("answer", answer, (*self.study.answers, SKIP))
        question, ready = self.ask(), self._ready.get(answer)
        self.history.append((question, answer))
        self._ready, self._question, self._sure = {}, None, None
        if ready is not None:
            self._question, self._sure = ready.question, ready.sure
        return self

    def undo(self) -> Interview:
        """Take the last answer back: its question is open again."""
        if not self.history:
            raise InputError(
                "undo", expected="an answer to take back", got="an interview without answers", fix="answer first"
            )
        self._question, _ = self.history.pop()
        self._particles, self._counted, self._ready, self._sure = self._start(), 0, {}, None
        return self

    def prepare(self) -> dict[str, Next]:
        """For each possible answer to the open question what follows it, computed once."""
        if not self._ready:
            now, question = self.particles, self.ask()
            likely = now.probabilities(self.study.differences(question.pair[None]))[:, :, 0]
            weights = [own / own.sum() for own in (now.weights * likely).astype(float)] + [now.weights]
            following: Sequence[tuple[Question | None, tuple[Question, ...]]] = [(None, ())] * len(weights)
            if question.number < self.study.questions:
                following = self._best(now, weights, question.number + 1)
            orders = now.orders()
            for answer, own, asked in zip((*self.study.answers, SKIP), weights, following, strict=True):
                chances = np.bincount(orders, own)
                likeliest = int(chances.argmax())
                chance = float(chances[likeliest])
                self._ready[answer] = Next(self._leaders(likeliest), chance, surely(chance, own), *asked)
        return self._ready

    # -- what is known --------------------------------------------------------------------------------------

    @property
    def particles(self) -> Particles:
        """After all answers; skipped questions say nothing."""
        if self._counted < len(self.history):
            asked, told = self._told()
            before = sum(answer != SKIP for _, answer in self.history[: self._counted])
            for count in range(before + 1, len(told) + 1):
                self._particles = self._particles.told(self.belief, asked[:count], told[:count], self._random(1, count))
            self._counted = len(self.history)
        return self._particles

    @property
    def sure(self) -> float:
        """The probability of the likeliest order, less what particles leave uncertain of it."""
        if self._sure is None:
            self._sure = surely(float(self.particles.order_probabilities().max()), self.particles.weights)
        return self._sure

    @property
    def finished(self) -> bool:
        """Is the order known as surely as the study asks, or are the questions used up?"""
        return self.sure > self.study.sure or len(self.history) >= self.study.questions

    @property
    def posterior(self) -> Posterior:
        """Equally likely draws, in the user's units."""
        known, parts = self.study.specification, self.particles
        return Posterior(
            method="particles",
            units=Units(known, self.study.scaling, (1.0,) * known.levels),
            vectors=parts.equal(self._random(2))[None],
            trust=Trust(True, "Particles of an interview.", {"effective size": parts.effective}),
            comparisons=sum(answer != SKIP for _, answer in self.history),
        )

    @property
    def order(self) -> PriorityOrder:
        """The probability of each order of the attributes."""
        chances = self.particles.order_probabilities()
        ranked = [int(place) for place in np.argsort(-chances, kind="stable") if chances[place] > 0]
        named = {self._leaders(place): float(chances[place]) for place in ranked}
        return PriorityOrder(named, "feature", self.particles.effective)

    def _leaders(self, order: int) -> tuple[str, ...]:
        """The leading attribute of each level, of an order by its number."""
        shape = (len(self.study.features),) * self.study.levels
        return tuple(self.study.features[int(place)] for place in np.unravel_index(order, shape))

    # -- choosing -------------------------------------------------------------------------------------------

    def _best(
        self, particles: Particles, weights: Sequence[np.ndarray], number: int
    ) -> list[tuple[Question, tuple[Question, ...]]]:
        """For each of several weightings of the particles the question that teaches most, and spare ones."""
        generator = self._random(3, number)
        if (again := self._repeated(number, generator)) is not None:
            return [(again, ())] * len(weights)
        pairs = self._fresh(self.study.candidates(generator, CANDIDATES))
        if not self.adaptive:
            return [(_question(number, pairs[0]), ())] * len(weights)
        some = generator.choice(len(particles.vectors), min(VALUED_BY, len(particles.vectors)), replace=False)
        few = Particles(particles.specification, particles.vectors[some], particles.log_weights[some])
        shares = np.stack(weights)[:, some]
        values = information(
            few.probabilities(self.study.differences(pairs)), shares / shares.sum(axis=1, keepdims=True), few.orders()
        )
        chosen = []
        for places in np.argsort(-values, axis=1, kind="stable")[:, : 1 + SPARE]:
            best, *spare = (_question(number + later, pairs[place]) for later, place in enumerate(places))
            chosen.append((best, tuple(spare)))
        return chosen

    def _fresh(self, pairs: np.ndarray) -> np.ndarray:
        """Pairs that were not asked before, in either direction, each once; all of them where none is left."""
        asked = {frozenset((question.left, question.right)) for question, _ in self.history}
        asked |= {frozenset((self._question.left, self._question.right))} if self._question else set()
        sides = [frozenset(map(tuple, pair)) for pair in pairs.tolist()]
        fresh = {own: place for place, own in reversed(list(enumerate(sides))) if own not in asked}
        return pairs[sorted(fresh.values())] if fresh else pairs

    def _repeated(self, number: int, generator: np.random.Generator) -> Question | None:
        """Now and then an earlier question, sides changed, as often as the study wants."""
        if generator.uniform() >= self.study.repeats:
            return None
        again = {question.repeats for question, _ in self.history}
        before = [
            question
            for question, answer in self.history[:-SETTLING]
            if answer != SKIP and question.repeats is None and question.number not in again
        ]
        if not before:
            return None
        old = before[int(generator.integers(len(before)))]
        return Question(number, old.right, old.left, old.number)

    def _start(self) -> Particles:
        return Particles.of(self.belief, self.study.specification, self._size, self._random(0))

    def _told(self) -> tuple[np.ndarray, np.ndarray]:
        """Differences and outcomes of everything that was answered."""
        answered = [(question.pair, answer) for question, answer in self.history if answer != SKIP]
        pairs = np.array([pair for pair, _ in answered]).reshape(-1, 2, len(self.study.features))
        outcomes = np.array([self.study.answers.index(answer) for _, answer in answered], int)
        return self.study.differences(pairs), outcomes

    def _random(self, *purpose: int) -> np.random.Generator:
        """The same numbers for the same purpose, whenever an interview is taken up."""
        return np.random.default_rng([self.seed, *purpose])


def surely(chance: float, weights: np.ndarray) -> float:
    """A probability less `DOUBT` Monte Carlo errors that particles with these weights leave in it.

    An interview ends when that passes a limit for the first time. Without the error luck would end it too early.
    """
    error = np.sqrt(max(chance * (1 - chance), 0.0) * np.sum(weights**2))
    return max(chance - DOUBT * float(error), 0.0)


def _question(number: int, pair: np.ndarray) -> Question:
    left, right = (tuple(map(float, side)) for side in pair)
    return Question(number, left, right)
