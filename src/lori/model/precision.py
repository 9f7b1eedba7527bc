"""Precision: float64 without touching the user's JAX settings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import jax

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def double_precision(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Run `function` with 64-bit JAX arrays, whatever the global setting is."""

    @functools.wraps(function)
    def wrapped(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with jax.enable_x64(True):
            return function(*args, **kwargs)

    return wrapped
