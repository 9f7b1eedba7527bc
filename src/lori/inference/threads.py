"""Threads: how do the cores share work on large arrays? NumPy and compiled code let others run while they compute."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ContextDecorator
from functools import cache
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np

THREADS = max(1, min(os.cpu_count() or 1, 16))
Result = TypeVar("Result")
Item = TypeVar("Item")

_own = threading.local()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, THREADS - 1), thread_name_prefix="lori")


def together(function: Callable[..., Result], *parts: Iterable[Any]) -> list[Result]:
    """What the function makes of each part (or of the first of each, the second, …), as many at a time as there are
    cores, of which the caller's is one. If it calls this itself, what is asked then is done one after the other: the
    cores have their work."""
    given = list(zip(*parts, strict=True))
    if getattr(_own, "busy", False):
        return [function(*own) for own in given]
    made: list[Any] = [None] * len(given)
    waiting = iter(range(len(given)))  # whose next is taken by one thread alone

    def work(core: int = 0) -> None:
        _own.busy, _own.core = True, core
        try:
            for place in waiting:
                made[place] = function(*given[place])
        finally:
            _own.busy, _own.core = False, 0

    others = [_pool().submit(work, core) for core in range(1, min(THREADS, len(given)))]
    try:
        work()
    finally:
        wait(others)
    for other in others:
        other.result()  # raises what was raised there
    return made


def core() -> int:
    """Which of those that share some work this thread is."""
    return getattr(_own, "core", 0)


def cut(length: int, least: int) -> list[slice]:
    """A part for each core, but for fewer than `least` elements one in all.

    >>> cut(3, least=10)
    [slice(0, 3, None)]
    """
    count = THREADS if length >= least else 1
    ends = np.linspace(0, length, count + 1).astype(int)
    return [slice(int(start), int(end)) for start, end in pairwise(ends)]


# -- libraries with threads of their own --------------------------------------------------------------------------


class without_blas_threads(ContextDecorator):
    """Meanwhile every thread multiplies and solves its own matrices alone.

    Those of a fit are small, and the cores have their work: threads of a library wait for each other by running in
    circles, and on a busy machine that takes five times as long as the work itself. Whoever comes first asks for it,
    whoever leaves last gives the threads back, in whatever order several fits of a process end.
    """

    _lock = threading.Lock()
    _inside = 0
    _limit: Any = None

    def __enter__(self) -> None:
        own = without_blas_threads
        with own._lock:
            own._inside += 1
            if own._inside == 1:
                own._limit = _libraries().limit(limits=1, user_api="blas")

    def __exit__(self, *_: object) -> None:
        own = without_blas_threads
        with own._lock:
            own._inside -= 1
            if own._inside == 0:
                own._limit.restore_original_limits()


@cache
def _libraries() -> Any:
    """Those that are loaded; NumPy's is."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


# -- sources that are read from meanwhile ------------------------------------------------------------------------


def shared(function: Callable[[Item], Result], sources: Iterable[Iterable[Item]]) -> list[Result]:
    """What the function makes of each item of some sources, in their order.

    Each core reads an item and then works on it, while others read: no more items are held than there are cores. Of
    several things that go wrong, the one in the first of these sources is raised.
    """
    desk = _Desk(function, sources)
    try:
        together(desk.work, range(THREADS))
    finally:
        desk.close()
    if desk.failed:
        raise desk.failed[min(desk.failed)]
    return [desk.done[place] for place in sorted(desk.done)]


class _Desk(Generic[Item, Result]):
    """Sources that nobody reads from wait here; whoever takes one brings it back when an item was read."""

    def __init__(self, function: Callable[[Item], Result], sources: Iterable[Iterable[Item]]) -> None:
        self._function = function
        self._waiting = deque((number, enumerate(source)) for number, source in enumerate(sources))
        self._taken: set[int] = set()
        self._changed = threading.Condition()
        self.done: dict[tuple[int, int], Result] = {}  # by the numbers of source and item
        self.failed: dict[int, Exception] = {}  # by the number of the source

    def work(self, _: int) -> None:
        """What each core does until nothing is left."""
        while (own := self._take()) is not None:
            self._step(*own)

    def close(self) -> None:
        """Nothing else is begun."""
        with self._changed:
            self._waiting.clear()

    def _take(self) -> tuple[int, Any] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or not self._taken)
            if not self._waiting:
                return None
            number, source = self._waiting.popleft()
            self._taken.add(number)
            return number, source

    def _step(self, number: int, source: Any) -> None:
        try:
            found = next(source, None)
            self._bring_back(number, None if found is None else source)
            if found is not None:
                self.done[number, found[0]] = self._function(found[1])
        except Exception as error:
            self.failed.setdefault(number, error)
            self._bring_back(number)

    def _bring_back(self, number: int, source: Any = None) -> None:
        """For others to read on, unless there is nothing left, or something went wrong that comes before."""
        with self._changed:
            self._taken.discard(number)
            if source is not None:
                self._waiting.appendleft((number, source))
            if self.failed:
                first = min(self.failed)
                self._waiting = deque(own for own in self._waiting if own[0] < first)
            self._changed.notify_all()
