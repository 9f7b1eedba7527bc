"""Has each core a device of its own, and does code run there as it does elsewhere?"""

import os

import numpy as np
import pytest

from lori.model import engines, lanes


@pytest.fixture
def no_lanes(monkeypatch):
    monkeypatch.setattr(lanes, "_lanes", {})


def placed(values, lane):
    return engines.jax.device_put(np.asarray(values, np.float32), lanes.device(lane))


def test_lanes_are_apart_and_stay():
    first, second = lanes.device(0), lanes.device(1)
    assert first is lanes.device(0)
    assert first.client is not second.client
    assert engines.jax.devices()[0] not in (first, second)
    assert lanes.device(None) is None


def test_what_is_common_stays_as_it_is(no_lanes, monkeypatch):
    monkeypatch.setenv("NPROC", "3")
    devices = engines.jax.devices()
    lanes.device(0)
    assert os.environ["NPROC"] == "3"
    monkeypatch.delenv("NPROC")
    lanes.device(1)
    assert "NPROC" not in os.environ
    assert engines.jax.devices() == devices
    assert engines.jnp.ones(2).devices() == {devices[0]}


def test_code_is_traced_once_for_all_lanes():
    traces = []

    def doubled(x, y):
        traces.append(1)
        return 2 * x + y

    function = engines.compiled(doubled, static=0)
    for lane in (0, 1, 0, 1):
        found = function(placed([1, 2], lane), np.float32(lane), lane=lane)
        assert found.devices() == {lanes.device(lane)}
        np.testing.assert_array_equal(found, [2 + lane, 4 + lane])
    assert len(traces) == 1


def test_code_that_cannot_be_moved_is_compiled_again(monkeypatch):
    monkeypatch.setattr(engines.programs, "_written", None)
    function = engines.compiled(lambda x: 2 * x, static=0)
    assert [float(function(placed(3, lane), lane=lane)) for lane in (0, 1)] == [6.0, 6.0]


@pytest.mark.parametrize("without", ["maker", "processor"])
def test_without_lanes_the_common_device_serves(no_lanes, monkeypatch, without):
    """Another version of JAX may not make any, and another backend is no processor."""
    if without == "maker":
        monkeypatch.delattr("jaxlib.xla_client.make_cpu_client")
    else:
        monkeypatch.setattr("jax.default_backend", lambda: "gpu")
    assert lanes.device(0) is None
    assert float(engines.compiled(lambda x: 2 * x, static=0)(placed(3, 0), lane=0)) == 6.0
