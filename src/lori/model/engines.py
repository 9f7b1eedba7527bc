"""Engines: JAX and SciPy, which take longer to load than small models take to predict, and are loaded when first used.

`from lori.model.engines import jax, jnp` stands where `import jax` would. Formulas for arrays of either engine predict
with NumPy alone, so that `lori predict` of a linear model never loads JAX.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.model import lanes, programs

SOON = {"xla_backend_optimization_level": 1, "xla_cpu_parallel_codegen_split_count": 1}  # and the code is as fast
QUICKLY = {**SOON, "xla_cpu_prefer_vector_width": 512}  # as wide as there are: curvatures take a sixth less
PLAINLY = {**SOON, "xla_cpu_use_fusion_emitters": False}  # still sooner; the code takes half as long again
REMEMBERED = 256  # pieces of compiled code of each function


class Deferred(ModuleType):
    """A module that is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, value)  # found at once from now on
        return value


class DeferredJax(Deferred):
    """JAX, whose `jit` compiles nothing before the first call and so needs no JAX where a function is defined."""

    def jit(self, function: Callable[..., Any], **options: Any) -> Compiled:
        return Compiled(function, options)


class Compiled:
    """A function that JAX compiles when it is first called."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._options = options

    @functools.cached_property
    def _jitted(self) -> Any:
        wanted = self._options.pop("compiler_options", None)
        known = {"compiler_options": wanted} if wanted and understood() else {}
        return importlib.import_module("jax").jit(self.__wrapped__, **self._options, **known)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._jitted(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_jitted", "_options"):
            raise AttributeError(name)
        return getattr(self._jitted, name)


@functools.cache
def understood() -> bool:
    """Does the compiler that is installed know these options?"""
    jax = importlib.import_module("jax")
    try:
        jax.jit(lambda x: x, compiler_options=PLAINLY).lower(0.0).compile()
    except Exception:  # whatever a compiler says to what it does not know
        return False
    return True


class Kept(Compiled):
    """A function whose first arguments are `static`; later processes find its code where programs are kept.

    Threads that need the same code wait for the first one to compile it. Of a `lane` it is said where there are arrays
    among the data that lie on its device (`lori.model.lanes`).
    """

    def __init__(self, function: Callable[..., Any], static: int, options: dict[str, Any]) -> None:
        super().__init__(function, {"static_argnums": tuple(range(static)), "compiler_options": options})
        self._static, self._programs, self._compiling = static, OrderedDict[Any, Any](), threading.Lock()
        self._name = (function.__module__, function.__qualname__, *options.items())

    def __call__(self, *args: Any, lane: int | None = None) -> Any:
        static, data = args[: self._static], args[self._static :]
        leaves, structure = jax.tree.flatten(data)
        shapes = tuple((type(leaf), np.shape(leaf), getattr(leaf, "dtype", None)) for leaf in leaves)
        key = (static, structure, shapes, lanes.device(lane))
        program = self._programs.get(key)
        if program is not None:
            return program(*data)
        with self._compiling:
            program = self._programs.get(key) or self._found(key, data)
            found = program(*data)
            self._programs[key] = program
            while len(self._programs) > REMEMBERED:
                self._programs.popitem(last=False)
        return found

    def _found(self, key: tuple[Any, ...], data: tuple[Any, ...]) -> Any:
        static, structure, shapes, device = key

        def compiled() -> Any:
            return self._jitted.lower(*static, *data).compile()

        if programs.kept():
            with suppress(programs.Unnamed):
                name = (*self._name, programs.named(static), str((structure, shapes)), device is None)
                return programs.find(name, compiled, data, device)
        if device is None:
            return functools.partial(self._jitted, *static)
        for (*same, place), program in self._programs.items():
            if place is not None and tuple(same) == key[:-1] and (there := programs.moved(program, data, device)):
                return there
        return compiled()


def compiled(function: Callable[..., Any], *, static: int = 2, plainly: bool = False) -> Any:
    """`jax.jit` of a function that is never part of another, as quickly as the compiler can; still more so `plainly`,
    for large functions. Its first arguments are static: as a rule the specification, and what is wanted of it."""
    return Kept(function, static, PLAINLY if plainly else QUICKLY)


if TYPE_CHECKING:
    import jax as jax
    import jax.numpy as jnp
    from scipy import special as special
    from scipy.stats import qmc as qmc
else:
    jax, jnp = DeferredJax("jax"), Deferred("jax.numpy")
    special, qmc = Deferred("scipy.special"), Deferred("scipy.stats.qmc")


def arrays_of(*arrays: Any) -> Any:
    """The namespace that computes with these: NumPy where all are NumPy's own, else JAX's.

    >>> arrays_of(np.zeros(3), 1.0) is np
    True
    """
    return np if all(isinstance(each, np.ndarray | np.generic | float | int) for each in arrays) else jnp


def log_sigmoid(x: Any) -> Any:
    """log σ(x), of either engine."""
    return -arrays_of(x).logaddexp(-x, 0.0)


def softplus(x: Any) -> Any:
    """log(1 + exp(x)), of either engine."""
    return arrays_of(x).logaddexp(x, 0.0)
