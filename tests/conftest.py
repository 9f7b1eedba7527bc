"""What all tests share: compiled code is kept, so that no worker waits for what another one, or the last run, compiled.

This is set for the process alone and not for the environment: commands that tests start keep to their own cache.
"""

from pathlib import Path

import jax

jax.config.update("jax_compilation_cache_dir", str(Path(__file__).resolve().parents[1] / ".pytest_cache" / "compiled"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
