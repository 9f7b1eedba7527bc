"""Threads: how do the cores share work on large arrays? NumPy and compiled code let others run while they compute."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

THREADS = max(1, min(os.cpu_count() or 1, 16))
Result = TypeVar("Result")


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="lori")


def together(function: Callable[..., Result], *parts: Iterable[Any]) -> list[Result]:
    """What the function makes of each part (or of the first of each, the second, …), as many at a time as there are
    cores. It must not call this itself."""
    return list(_pool().map(function, *parts))


def cut(length: int, least: int) -> list[slice]:
    """A part for each core, but for fewer than `least` elements one in all.

    >>> cut(3, least=10)
    [slice(0, 3, None)]
    """
    count = THREADS if length >= least else 1
    ends = np.linspace(0, length, count + 1).astype(int)
    return [slice(int(start), int(end)) for start, end in pairwise(ends)]
