"""Threads: how do the cores share work on large arrays? NumPy and compiled code let others run while they compute."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

THREADS = max(1, min(os.cpu_count() or 1, 16))
Result = TypeVar("Result")


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, THREADS - 1), thread_name_prefix="lori")


def together(function: Callable[..., Result], *parts: Iterable[Any]) -> list[Result]:
    """What the function makes of each part (or of the first of each, the second, …), as many at a time as there are
    cores, of which the caller's is one. It must not call this itself."""
    given = list(zip(*parts, strict=True))
    made: list[Any] = [None] * len(given)
    waiting = iter(range(len(given)))  # whose next is taken by one thread alone

    def work() -> None:
        for place in waiting:
            made[place] = function(*given[place])

    others = [_pool().submit(work) for _ in range(min(THREADS, len(given)) - 1)]
    try:
        work()
    finally:
        wait(others)
    for other in others:
        other.result()  # raises what was raised there
    return made


def cut(length: int, least: int) -> list[slice]:
    """A part for each core, but for fewer than `least` elements one in all.

    >>> cut(3, least=10)
    [slice(0, 3, None)]
    """
    count = THREADS if length >= least else 1
    ends = np.linspace(0, length, count + 1).astype(int)
    return [slice(int(start), int(end)) for start, end in pairwise(ends)]
