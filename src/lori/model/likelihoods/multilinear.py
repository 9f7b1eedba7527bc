"""Polynomials in variables δ_1, δ_2, … whose squares are zero: products, inverses, logarithms.

A polynomial is a dictionary from a set of variables, as a bit mask, to its coefficient, an array. What is not there is
zero. The logarithm turns a product over many into a sum; in both directions the terms of a set are those in which its
first variable comes together with some of the others.
"""

from __future__ import annotations

from typing import Any

from lori.model.engines import jnp

Polynomial = dict[int, Any]


def times(one: Polynomial, other: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for a, x in one.items():
        for b, y in other.items():
            if not a & b:
                found[a | b] = found[a | b] + x * y if a | b in found else x * y
    return found


def plus(one: Polynomial, other: Polynomial) -> Polynomial:
    found = dict(one)
    for mask, y in other.items():
        found[mask] = found[mask] + y if mask in found else y
    return found


def minus(one: Polynomial) -> Polynomial:
    return {mask: -own for mask, own in one.items()}


def inverse(one: Polynomial) -> Polynomial:
    found: Polynomial = {0: 1 / one[0]}
    for mask in sorted(one)[1:]:
        rest = sum(one[part] * found[mask ^ part] for part in one if part and part & mask == part)
        found[mask] = -rest * found[0]
    return found


def logarithm(one: Polynomial) -> Polynomial:
    """Coefficients of the logarithm, but for that of no variable: log(one[0]) is left to the caller."""
    found: Polynomial = {}
    inverse = 1 / one[0]
    for mask in sorted(one)[1:]:
        lowest = mask & -mask
        rest = sum(own * one[mask ^ part] for part, own in found.items() if part & lowest and part & mask == part)
        found[mask] = (one[mask] - rest) * inverse
    return found


def exponential(one: Polynomial) -> Polynomial:
    """Coefficients of the exponential, divided by exp(one[0])."""
    found: Polynomial = {0: jnp.ones_like(one[0])}
    for mask in sorted(one)[1:]:
        lowest = mask & -mask
        found[mask] = sum(one[part] * found[mask ^ part] for part in one if part & lowest and part & mask == part)
    return found
