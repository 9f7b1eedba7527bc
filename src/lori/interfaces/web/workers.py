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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

from lori.inference.interview.interview import Interview, Next, Question
from lori.inference.interview.study import Study

MOST = 1000  # interviews in the memory of a worker
AHEAD = 2  # calls that a worker has at a time, so that it need not wait for the next one
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


class Worker:
    """One process or thread, and what waits for it: first what is urgent, then what came first."""

    def __init__(self, begin: Callable[[], Executor]) -> None:
        self._begin, self._executor = begin, begin()
        self._lock, self._numbers = threading.RLock(), count()
        self._waiting: list[tuple[bool, int, Future[Any], Callable[..., Any], tuple[Any, ...]]] = []
        self._sent = 0

    def submit(self, urgent: bool, function: Callable[..., Any], *values: Any) -> Future[Any]:
        found: Future[Any] = Future()
        with self._lock:
            heappush(self._waiting, (not urgent, next(self._numbers), found, function, values))
            self._send()
        return found

    def close(self) -> None:
        with self._lock:
            self._waiting.clear()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _send(self) -> None:
        while self._waiting and self._sent < AHEAD:
            _, _, found, function, values = heappop(self._waiting)
            if not found.set_running_or_notify_cancel():
                continue
            try:
                sent = self._executor.submit(function, *values)
            except BrokenExecutor:  # the process was ended by somebody
                self._executor = self._begin()
                sent = self._executor.submit(function, *values)
            self._sent += 1
            sent.add_done_callback(partial(self._done, found))

    def _done(self, found: Future[Any], sent: Future[Any]) -> None:
        with self._lock:
            self._sent -= 1
            if not sent.cancelled():  # as it is where the server ends
                self._send()
        if sent.cancelled():
            found.set_exception(BrokenExecutor())
        elif (fault := sent.exception()) is not None:
            found.set_exception(fault)
        else:
            found.set_result(sent.result())


class Workers:
    """So many processes; with none, a thread does the work."""

    def __init__(self, study: Study, processes: int = 0) -> None:
        self.study = study
        self._here = None if processes else Interviewer(study)
        self._workers = [Worker(self._executor) for _ in range(max(processes, 1))]

    def first_question(self, beginning: Beginning) -> Future[Question]:
        return self._call(True, "first_question", beginning)

    def following(
        self, beginning: Beginning, answered: Sequence[tuple[Question, str]], question: Question, urgent: bool = True
    ) -> Future[dict[str, Next]]:
        """What is not `urgent` may come late, because another question can be asked instead."""
        return self._call(urgent, "following", beginning, answered, question)

    def close(self) -> None:
        for worker in self._workers:
            worker.close()

    def _call(self, urgent: bool, method: str, beginning: Beginning, *values: Any) -> Future[Any]:
        worker = self._workers[beginning.respondent % len(self._workers)]
        if self._here is not None:
            return worker.submit(urgent, getattr(self._here, method), beginning, *values)
        return worker.submit(urgent, _work, method, beginning, *values)

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
