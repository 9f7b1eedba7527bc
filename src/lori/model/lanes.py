"""Lanes: how does each core come to compute by itself?

JAX has one device for the whole processor, and hands the steps of each computation to all cores. Steps of sums over
rows take a microsecond or two, and handing them over takes as long: two cores then use twice the processor time and are
hardly faster than one. But rows are cut into a part for each core anyway. So each core gets a device of its own, a
lane, where steps follow one another. JAX's own devices and settings stay as they are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_lanes: dict[int, Any] = {}
_making = threading.Lock()


def device(lane: int | None) -> Any:
    """That of a lane. None is JAX's own: where no lane is asked for, where this JAX does not make any, and where it
    computes on something else than the processor."""
    if lane is None:
        return None
    if lane not in _lanes:
        with _making:
            if lane not in _lanes:
                _lanes[lane] = _made()
    return _lanes[lane]


def _made() -> Any:
    import jax

    with suppress(Exception):  # whatever another version of JAX says to this
        from jaxlib import xla_client

        if jax.default_backend() == "cpu":
            with _one_thread():
                client: Any = xla_client.make_cpu_client()
            return client.devices()[0]
    return None


@contextmanager
def _one_thread() -> Iterator[None]:
    """What is made meanwhile has a single thread: this variable is read then, and by nobody afterwards."""
    before = os.environ.get("NPROC")
    os.environ["NPROC"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["NPROC"]
        else:
            os.environ["NPROC"] = before
