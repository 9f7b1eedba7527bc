"""Talks: the interviews that are going on, kept in memory, each with its next questions ready.

What is in memory can always be made again from the stored answers: after a kill, in another process, or when a talk
was put aside because others came.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from lori.inference.interview.interview import Interview, Question
from lori.inference.interview.study import Study
from lori.interfaces.web.storage import Respondent, Turn, history

MOST = 1000  # talks in memory
Found = TypeVar("Found")


class Talks:
    """Interviews by respondent, least recently used first."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._talks: OrderedDict[int, Interview] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}
        self._workers = ThreadPoolExecutor(1, "talks")

    def lock(self, token: str) -> asyncio.Lock:
        """One request of a respondent at a time, in this process."""
        if len(self._locks) > 20 * MOST:
            self._locks = {key: lock for key, lock in self._locks.items() if lock.locked()}
        return self._locks.setdefault(token, asyncio.Lock())

    async def first_question(self, respondent: Respondent) -> Question:
        return await self._work(lambda: self._begun(respondent, []).ask())

    def believed(self, results: Sequence[str]) -> str:
        """What earlier respondents say about the next one, to be stored with the one who begins now."""
        told = [json.loads(result) for result in results if result]
        study, orders = self.study, [(own["order"], own["probability"]) for own in told]
        return json.dumps(study.prior.learned_from(orders, study.features, study.levels).shares)

    async def taken_up(self, respondent: Respondent, known: Sequence[Turn]) -> Interview:
        """The interview with exactly these turns, its next questions ready."""

        def make() -> Interview:
            talk = self._talks.get(respondent.id)
            answered, still = history(known)
            if talk is None or talk.history != answered or (still is not None and talk.ask() != still):
                talk = self._begun(respondent, known)
            talk.prepare()
            return talk

        talk = self._talks.get(respondent.id)
        if talk is None or not talk.ready or (talk.history, talk.ask()) != history(known):
            talk = await self._work(make)
        self._talks[respondent.id] = talk
        self._talks.move_to_end(respondent.id)
        while len(self._talks) > MOST:
            self._talks.popitem(last=False)
        return talk

    def prepare(self, talk: Interview) -> None:
        """Have the next questions worked out while the respondent thinks."""
        self._workers.submit(talk.prepare)

    def forget(self, respondent: int) -> None:
        self._talks.pop(respondent, None)

    def close(self) -> None:
        self._workers.shutdown(wait=True, cancel_futures=True)

    def result(self, talk: Interview) -> str:
        """The likeliest order and its probability, to be stored."""
        order = talk.order
        return json.dumps({"order": list(order.best), "probability": order.probabilities[order.best]})

    def _begun(self, respondent: Respondent, known: Sequence[Turn]) -> Interview:
        answered, still = history(known)
        belief = replace(self.study.prior, shares=tuple(json.loads(respondent.belief))) if respondent.belief else None
        return Interview.again(self.study, answered, still, seed=respondent.seed, belief=belief)

    async def _work(self, function: Callable[[], Found]) -> Found:
        return await asyncio.get_running_loop().run_in_executor(self._workers, function)
