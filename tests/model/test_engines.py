"""Are engines loaded when they are used, and code compiled whatever the compiler knows?"""

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
