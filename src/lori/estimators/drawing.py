"""Drawing: which class makes the figures of a fitted model?

Figures belong to the interfaces, which nothing here may import. The layer that draws registers itself in the package's
metadata instead, as plotting backends of pandas do.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

from lori.errors import InputError

GROUP, NAME = "lori.figures", "plots"  # as pyproject.toml has them


def registered_plots() -> Callable[[Any], Any]:
    """What takes a fitted estimator and has a method for each kind of figure."""
    for found in entry_points(group=GROUP, name=NAME):
        return found.load()
    raise InputError(
        "plot", expected=f"an installed package that registers {NAME!r} under {GROUP!r}", got="none",
        fix="install LORI again with pip",
    )  # fmt: skip
