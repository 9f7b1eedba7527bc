"""Talks: which questions are open, and what follows each possible answer to them?

Whenever a question is shown, workers begin to work out what follows it; an answer then only has to be written down.
Where they are not done in time, because many answer at once, the next best question of before is asked instead, and
what follows all answers is worked out together: nobody waits, and the workers catch up.
What is in memory can always be made again from the stored answers: after a kill, in another process, or when a talk
was put aside because others came.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from lori.inference.interview.interview import Next, Question
from lori.inference.interview.study import Study
from lori.interfaces.web.storage import SEEDS, Respondent, Turn, history
from lori.interfaces.web.workers import Beginning, Interviewer, Workers

MOST = 5000  # open questions in memory
PATIENCE = 0.01  # seconds that an answer waits for what follows it, where there is another question
Found = TypeVar("Found")
Answered = tuple[tuple[Question, str], ...]


@dataclass(frozen=True)
class Talk:
    """A turn that waits for its answer: whose it is, what was answered before, and what follows each answer."""

    respondent: Respondent
    answered: Answered
    turn: Turn
    following: Future[dict[str, Next]]
    spare: tuple[Question, ...] = ()  # to be asked next while what follows is late

    def is_at(self, number: int, mark: str) -> bool:
        return self.turn.question.number == number and self.turn.mark == mark


class Talks:
    """Open turns by the respondent's token, least recently used first."""

    def __init__(self, study: Study, processes: int = 0) -> None:
        self.study = study
        self.workers = Workers(study, processes)
        self._talks: OrderedDict[str, Talk] = OrderedDict()
        self._openings: dict[Hashable, Future[Any]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    def lock(self, token: str) -> asyncio.Lock:
        """One request of a respondent at a time, in this process."""
        if len(self._locks) > 4 * MOST:
            self._locks = {key: lock for key, lock in self._locks.items() if lock.locked()}
        return self._locks.setdefault(token, asyncio.Lock())

    def warm_up(self) -> None:
        """What interviews begin with, worked out before anybody comes, and before workers have started."""
        here = Interviewer(self.study)
        for seed in range(SEEDS):
            beginning = Beginning(seed, seed, "")
            question = here.first_question(beginning)
            self._openings[beginning[1:]] = _done(question)
            self._openings[(*beginning[1:], question)] = _done(here.following(beginning, (), question))

    def get(self, token: str) -> Talk | None:
        return self._talks.get(token)

    async def first_question(self, respondent: Respondent) -> Question:
        return await self._found(partial(self._first, _beginning(respondent)))

    def take_up(self, token: str, respondent: Respondent, known: Sequence[Turn]) -> Talk | None:
        """The talk with all of these turns, if the last of them is open."""
        talk, turn = self._talks.get(token), known[-1] if known else None
        if turn is None or turn.answer is not None:
            return None
        return talk if talk is not None and talk.turn == turn else self._at(token, respondent, history(known), turn)

    def go_on(self, token: str, talk: Talk, answer: str, turn: Turn, spare: tuple[Question, ...]) -> None:
        """The answer and the next turn are written: what follows is worked out while the respondent thinks."""
        self._at(token, talk.respondent, (*talk.answered, (talk.turn.question, answer)), turn, spare)

    async def following(self, talk: Talk, answer: str) -> Next:
        if talk.spare and not talk.following.done():
            waiting = asyncio.wrap_future(talk.following)
            waiting.add_done_callback(lambda own: own.cancelled() or own.exception())  # nobody may ask for it any more
            await asyncio.wait([waiting], timeout=PATIENCE)
            if not talk.following.done():
                talk.following.cancel()
                return Next((), 0.0, 0.0, talk.spare[0], talk.spare[1:])
        if talk.following.done() and not talk.following.cancelled() and not talk.following.exception():
            return talk.following.result()[answer]
        begun = None if talk.following.cancelled() else talk.following
        work = partial(self._work, _beginning(talk.respondent), talk.answered, talk.turn.question)
        return (await self._found(work, begun))[answer]

    def forget(self, token: str) -> None:
        self._talks.pop(token, None)

    def close(self) -> None:
        self.workers.close()

    def believed(self, results: Sequence[str]) -> str:
        """What earlier respondents say about the next one, to be stored with the one who begins now."""
        told = [json.loads(result) for result in results if result]
        study, orders = self.study, [(own["order"], own["probability"]) for own in told]
        return json.dumps(study.prior.learned_from(orders, study.features, study.levels).shares)

    def _at(
        self, token: str, respondent: Respondent, answered: Answered, turn: Turn, spare: tuple[Question, ...] = ()
    ) -> Talk:
        if turn.question.number >= self.study.questions:  # then there is nothing to ask instead
            spare = ()
        following = self._work(_beginning(respondent), answered, turn.question, urgent=not spare)
        talk = Talk(respondent, answered, turn, following, spare)
        self._talks[token] = talk
        self._talks.move_to_end(token)
        while len(self._talks) > MOST:
            self._talks.popitem(last=False)
        return talk

    def _first(self, beginning: Beginning) -> Future[Question]:
        return self._once(beginning[1:], partial(self.workers.first_question, beginning))

    def _work(
        self, beginning: Beginning, answered: Answered, question: Question, urgent: bool = True
    ) -> Future[dict[str, Next]]:
        """What follows the first question is the same for all who begin alike."""
        work = partial(self.workers.following, beginning, answered, question, urgent or not answered)
        return work() if answered else self._once((*beginning[1:], question), work)

    def _once(self, key: Hashable, work: Callable[[], Future[Found]]) -> Future[Found]:
        known = self._openings.get(key)
        if known is None or (known.done() and (known.cancelled() or known.exception())):
            if len(self._openings) > MOST:
                self._openings = {}
            known = self._openings[key] = work()
        return known

    async def _found(self, work: Callable[[], Future[Found]], begun: Future[Found] | None = None) -> Found:
        """What a worker found; another one does it where that one was ended by somebody."""
        try:
            return await asyncio.shield(asyncio.wrap_future(begun or work()))  # others may wait for it, too
        except BrokenExecutor:
            return await asyncio.shield(asyncio.wrap_future(work()))


def _beginning(respondent: Respondent) -> Beginning:
    return Beginning(respondent.id, respondent.seed, respondent.belief)


def _done(found: Found) -> Future[Found]:
    future: Future[Found] = Future()
    future.set_result(found)
    return future
