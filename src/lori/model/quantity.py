"""Quantity: a number that was learned, with its standard error and 95 % interval where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Quantity:
    """`value` is None where there is no such number, for example the threshold of a feature without weight."""

    value: float | None
    standard_error: float | None = None
    interval: tuple[float, float] | None = None

    @classmethod
    def of(cls, value: Any, error: Any = np.nan, *, positive: bool = False) -> Quantity:
        """From a value and its standard error, NaN where unknown; the interval of a `positive` one begins at zero."""
        value, error = float(value), float(error)
        if not np.isfinite(value):
            return cls(None)
        if not np.isfinite(error):
            return cls(value)
        low, high = value - NORMAL_95 * error, value + NORMAL_95 * error
        return cls(value, error, (max(low, 0.0) if positive else low, high))

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
