"""Quantity: a number that was learned, with its standard error and 95 % interval where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Precision:
    """How precisely a number is known: its standard error, NaN where unknown, and its 95 % interval, if there is one.

    Arrays of these are picked apart like the parameters that they belong to, and `Quantity.of` takes them.
    """

    standard_error: float = np.nan
    interval: tuple[float, float] | None = None

    def __float__(self) -> float:
        return self.standard_error


@dataclass(frozen=True)
class Quantity:
    """`value` is None where there is no such number, for example the threshold of a feature without weight."""

    value: float | None
    standard_error: float | None = None
    interval: tuple[float, float] | None = None

    @property
    def spread(self) -> float | None:
        """How precisely it is known, as a standard error: by its interval where there is one."""
        if self.interval is None:
            return self.standard_error
        low, high = self.interval
        return (high - low) / (2 * NORMAL_95)

    @classmethod
    def of(cls, value: Any, error: Any = np.nan, *, positive: bool = False) -> Quantity:
        """From a value and its `Precision`, or its standard error alone, NaN where unknown.

        A standard error alone gives an interval of the normal distribution; that of a `positive` number begins at zero.
        """
        value, deviation = float(value), float(error)
        if not np.isfinite(value):
            return cls(None)
        known = deviation if np.isfinite(deviation) else None
        if isinstance(error, Precision):
            return cls(value, known, error.interval)
        if known is None:
            return cls(value)
        low, high = value - NORMAL_95 * known, value + NORMAL_95 * known
        return cls(value, known, (max(low, 0.0) if positive else low, high))

    def to_dict(self) -> dict[str, Any]:
        between = None if self.interval is None else list(self.interval)
        return {"value": self.value, "standard_error": self.standard_error, "interval": between}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Quantity:
        between = fields["interval"]
        return cls(
            None if fields["value"] is None else float(fields["value"]),
            None if fields["standard_error"] is None else float(fields["standard_error"]),
            None if between is None else (float(between[0]), float(between[1])),
        )
