"""What all tests share: names that could do harm, and compiled code that is kept.

No worker waits for what another one, or the last run, compiled, and what runs once is compiled quickly rather than
well (`lori.model.engines` still says how the sums of a fit are compiled). This is set for the process alone and not for
the environment: commands that tests start keep to their own cache and to JAX's own settings.
"""

import gc
import os
from pathlib import Path

import jax
import numpy as np
import pytest

import lori

with pytest.MonkeyPatch.context() as patch:
    quickly = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"
    patch.setenv("XLA_FLAGS", f"{os.environ.get('XLA_FLAGS', '')} {quickly}")
    jax.devices()  # reads them, once
jax.config.update("jax_compilation_cache_dir", str(Path(__file__).resolve().parents[1] / ".pytest_cache" / "compiled"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)

MOST_MAPPED = 25_000  # pieces of memory: a process may have 65 530 of them, and compiled code takes several each

HOSTILE = (
    '<script>alert("1")</script>',
    "quote\"d 'name' & co",
    "🧪👩‍⚕️ dose",
    "عمر المريض",
    "n" * 290 + " long name",
    "cost ($) per $",
    "line\nbreak|pipe`tick`*star*",
    "turned \u202eoverride",
)


@pytest.fixture(scope="session")
def hostile():
    return HOSTILE


@pytest.fixture(scope="session")
def two_kinds():
    """Choices of 60 people, 20 each: two thirds put cost first, one third comfort. And the models of the two kinds."""
    features = ("cost", "time", "comfort")
    kinds = (
        lori.OrderedModel.linear([[-3.0, 0.0, 0.0], [0.0, -3.0, 0.5]], epsilon=[3.0, 0.0], features=features),
        lori.OrderedModel.linear([[0.0, -0.5, 3.0], [-3.0, 0.0, 0.0]], epsilon=[2.0, 0.0], features=features),
    )
    random, parts = np.random.default_rng(7), []
    for number in range(60):
        left, right = random.normal(size=(2, 20, 3))
        counts = kinds[number >= 40].sample(left, right, seed=random)
        agent = [f"p{number}"] * 20
        parts.append(lori.Preferences.from_arrays(left, right, counts=counts, features=features, agent=agent))
    return lori.Preferences.concatenate(parts), kinds


@pytest.fixture(autouse=True, scope="module")
def _room_for_compiled_code():
    """A worker that runs a thousand tests would otherwise end for want of address space."""
    yield
    mapped = Path("/proc/self/maps")
    if mapped.exists() and len(mapped.read_text().splitlines()) > MOST_MAPPED:
        jax.clear_caches()
        gc.collect()
