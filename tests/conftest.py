"""What all tests share: names that could do harm, and compiled code that is kept.

No worker waits for what another one, or the last run, compiled. This is set for the process alone and not for the
environment: commands that tests start keep to their own cache.
"""

from pathlib import Path

import jax
import pytest

jax.config.update("jax_compilation_cache_dir", str(Path(__file__).resolve().parents[1] / ".pytest_cache" / "compiled"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)

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
