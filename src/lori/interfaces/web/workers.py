"""Workers: where is it worked out what follows each answer? In processes of their own, so that no page waits for it.

A respondent's interview stays with one worker, which goes on from what it knows. All of it can be made again from the
answers that come with every call: after a kill, or when an interview was put aside because others came.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from lori.inference.interview.interview import Interview, Next, Question
from lori.inference.interview.study import Study

MOST = 1000  # interviews in the memory of a worker
POLITE = 10  # steps of niceness: whoever serves pages goes first


class Beginning(NamedTuple):
    """What an interview begins from: whose it is, the seed, and what earlier respondents say beforehand, as JSON."""

    respondent: int
    seed: int
    belief: str


class Interviewer:
    """The interviews of one worker, least recently used first."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._talks: OrderedDict[int, Interview] = OrderedDict()

    def first_question(self, beginning: Beginning) -> Question:
        return self._begun(beginning).ask()

    def following(
        self, beginning: Beginning, answered: Sequence[tuple[Question, str]], question: Question
    ) -> dict[str, Next]:
        """What follows each possible answer to the open question, after these answers."""
        talk = self._talks.pop(beginning.respondent, None) or self._begun(beginning)
        self._talks[beginning.respondent] = talk
        while len(self._talks) > MOST:
            self._talks.popitem(last=False)
        return talk.take_up(answered, question).prepare()

    def _begun(self, beginning: Beginning) -> Interview:
        belief = replace(self.study.prior, shares=tuple(json.loads(beginning.belief))) if beginning.belief else None
        return Interview(self.study, seed=beginning.seed, belief=belief)


class Workers:
    """So many processes; with none, a thread does the work."""

    def __init__(self, study: Study, processes: int = 0) -> None:
        self.study = study
        self._here = None if processes else Interviewer(study)
        self._executors = [self._executor() for _ in range(max(processes, 1))]

    def first_question(self, beginning: Beginning) -> Future[Question]:
        return self._call("first_question", beginning)

    def following(
        self, beginning: Beginning, answered: Sequence[tuple[Question, str]], question: Question
    ) -> Future[dict[str, Next]]:
        return self._call("following", beginning, answered, question)

    def close(self) -> None:
        for executor in self._executors:
            executor.shutdown(wait=True, cancel_futures=True)

    def _call(self, method: str, beginning: Beginning, *values: Any) -> Future[Any]:
        place = beginning.respondent % len(self._executors)
        if self._here is not None:
            return self._submit(place, getattr(self._here, method), beginning, *values)
        return self._submit(place, _work, method, beginning, *values)

    def _submit(self, place: int, function: Any, *values: Any) -> Future[Any]:
        try:
            return self._executors[place].submit(function, *values)
        except BrokenExecutor:  # the process was ended by somebody
            self._executors[place] = self._executor()
            return self._executors[place].submit(function, *values)

    def _executor(self) -> Executor:
        if self._here is not None:
            return ThreadPoolExecutor(1, "interviewer")
        fresh = multiprocessing.get_context("spawn")
        executor = ProcessPoolExecutor(1, mp_context=fresh, initializer=_begin, initargs=(self.study,))
        with _uninterrupted():
            executor.submit(os.getpid)  # start now, before there is anything to do
        return executor


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """A process that is started here never hears Ctrl-C, not even before its first line: it leaves with the server."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_interviewer: Interviewer


def _begin(study: Study) -> None:
    """The first thing that a process does: it leaves when the server does, however that ends."""
    global _interviewer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(POLITE)
    _interviewer = Interviewer(study)
    threading.Thread(target=_leave_with_the_server, daemon=True).start()


def _leave_with_the_server() -> None:
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(0)


def _work(method: str, *values: Any) -> Any:
    return getattr(_interviewer, method)(*values)
