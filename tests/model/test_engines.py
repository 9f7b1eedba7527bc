"""Are engines loaded when they are used, and code compiled whatever the compiler knows?"""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lori.model import engines


def test_numpy_computes_for_numpy_and_jax_for_jax():
    assert engines.arrays_of(np.ones(2), 1.0) is np
    assert engines.arrays_of(np.ones(2), engines.jnp.ones(2)) is engines.jnp


@pytest.mark.parametrize("x", [-800.0, -1.5, 0.0, 3.0, 800.0])
def test_both_engines_say_the_same(x):
    for function in (engines.log_sigmoid, engines.softplus):
        assert function(np.array(x)) == pytest.approx(float(function(engines.jnp.array(x))), rel=1e-6)


def test_options_that_a_compiler_does_not_know_are_left_out(monkeypatch):
    assert engines.understood()
    monkeypatch.setattr(engines, "PLAINLY", {"no_such_option": True})
    engines.understood.cache_clear()
    try:
        assert not engines.understood()
        assert engines.compiled(lambda x: 2 * x, static=0, plainly=True)(3.0) == 6.0
    finally:
        engines.understood.cache_clear()


def test_code_is_compiled_at_its_first_call():
    doubled = engines.compiled(lambda x: 2 * x, static=0)
    assert "_jitted" not in vars(doubled)
    assert doubled(np.float32(2.0)) == 4.0
    assert "_jitted" in vars(doubled)


def test_only_so_many_pieces_of_compiled_code_are_remembered(monkeypatch):
    """The oldest go: a process that fits data of ever new shapes must not grow for ever."""
    monkeypatch.setattr(engines, "REMEMBERED", 2)
    times = engines.compiled(lambda factor, x: factor * x, static=1)
    assert [float(times(factor, 2.0)) for factor in (1, 2, 3, 1)] == [2.0, 4.0, 6.0, 2.0]
    assert [key[0] for key in times._programs] == [(3,), (1,)]


def test_threads_wait_for_the_first_one_to_compile():
    traces = []

    def slow(x):
        traces.append(1)
        time.sleep(0.1)
        return 2 * x

    doubled = engines.compiled(slow, static=0)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(doubled, [np.float32(2)] * 4)) == [4.0] * 4
    assert len(traces) == 1
