"""Quasi-Newton method: a minimum where there are too many parameters for second derivatives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lori.inference.blocks import Evaluation
from lori.inference.search.solutions import Solutions


def minimise(
    evaluate: Callable[[np.ndarray], Evaluation],
    starts: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    *,
    iterations: int = 2000,
    tolerance: float = 1e-6,
) -> Solutions:
    """SciPy's L-BFGS-B from each row of `starts`; the contract of `lori.inference.search.newton.minimise`."""
    from scipy.optimize import minimize  # rarely needed, and slow to import

    def value_and_gradient(vector: np.ndarray) -> tuple[float, np.ndarray]:
        result = evaluate(vector[None])
        assert result.gradient is not None
        return float(result.value[0]), result.gradient[0]

    ends = [
        minimize(
            value_and_gradient, start, jac=True, method="L-BFGS-B", bounds=list(zip(*bounds, strict=True)),
            options={"maxiter": iterations, "maxcor": 20, "ftol": 1e-12, "gtol": tolerance},
        )
        for start in np.clip(starts, *bounds)
    ]  # fmt: skip
    return Solutions(
        vectors=np.stack([end.x for end in ends]),
        values=np.array([end.fun for end in ends]),
        converged=np.array([end.success for end in ends]),
    )
