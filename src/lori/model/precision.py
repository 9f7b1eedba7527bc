"""Precision: float64 without touching the user's JAX settings, in a process that can compute.

JAX works with threads, which a forked process does not have: compiled code would wait there for ever.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from lori.errors import FitError
from lori.model.engines import jax

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


_process: list[int] = []  # the one that has run compiled code


def check_process() -> None:
    """Is this the process that JAX was started in? Its copy by a fork cannot compute."""
    if not _process:
        _process.append(os.getpid())
    elif _process[0] != os.getpid():
        raise FitError(
            "This process was forked from one that had already computed with LORI, and compiled code would hang in it; "
            "start processes with multiprocessing.get_context('spawn') instead, or fork before the first fit."
        )


def double_precision(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Run `function` with 64-bit JAX arrays, whatever the global setting is."""

    @functools.wraps(function)
    def wrapped(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        check_process()
        with jax.enable_x64(True):
            return function(*args, **kwargs)

    return wrapped
