"""Logarithm: of many positive numbers at once, in double precision.

The compiler of JAX calls a function for each double whose logarithm it takes, which is half of what a row of one level
costs; all else it computes four numbers at a time. This is the formula of fdlibm (Sun Microsystems 1993) in operations
that it does the same with: x = 2ᵉ m with m around one, and with s = (m − 1) / (m + 1)

    log m = 2 s + s³ (2/3 + 2/5 s² + …)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lori.model.engines import arrays_of, jax, jnp

SMALLEST = float(np.finfo(np.float64).tiny)  # below are numbers that compiled code takes for zero
MANTISSA, ROOT_HALF, ONE = 52, 0x3FE6A09E667F3BCD, 0x3FF0000000000000  # bits, √½ and 1 as integers
LOG_2, LOG_2_REST = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # the first has zeros at its end
SERIES = (
    6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
    1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01,
)  # fmt: skip


def log(x: Any) -> Any:
    """log x, of either engine: −∞ of zero, and no number where x is none, negative or infinite."""
    arrays = arrays_of(x)
    if arrays is np or x.dtype != np.float64:
        return arrays.log(x)
    bits = jax.lax.bitcast_convert_type(jax.lax.stop_gradient(x), jnp.int64)
    exponent = (bits - ROOT_HALF) >> MANTISSA  # such that m is between √½ and √2
    m = x * jax.lax.bitcast_convert_type(ONE - (exponent << MANTISSA), jnp.float64)
    beyond, e = m - 1, exponent.astype(jnp.float64)
    s = beyond / (2 + beyond)
    square = s * s
    rest = jnp.zeros_like(x)
    for coefficient in reversed(SERIES):
        rest = (rest + coefficient) * square
    half = 0.5 * beyond * beyond
    found = e * LOG_2 - ((half - (s * (half + rest) + e * LOG_2_REST)) - beyond)
    return jnp.where((x >= SMALLEST) & (x < jnp.inf), found, jnp.where(x == 0, -jnp.inf, jnp.nan))
