"""Markov decision processes: where does an action lead, cell by cell? Features move on their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from lori.errors import InputError
from lori.model.precision import double_precision


@dataclass(frozen=True)
class Grid:
    """Evenly spaced cells over the state: of each feature, the centres of the first and the last, and how many."""

    features: tuple[str, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    cells: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.features) == len(self.lower) == len(self.upper) == len(self.cells) or not self.features:
            raise InputError(
                "grid", expected="a lower end, an upper end and a number of cells for each feature",
                got=f"{len(self.lower)}, {len(self.upper)} and {len(self.cells)} for {len(self.features)} features",
                fix="give all three for the same features",
            )  # fmt: skip
        if min(self.cells) < 2 or not np.all(np.isfinite(self.lower + self.upper)):
            raise InputError(
                "grid", expected="at least two cells and finite ends for each feature", got=f"{self.cells} cells "
                f"from {self.lower} to {self.upper}", fix="use more cells between finite ends",
            )  # fmt: skip
        if not all(low < high for low, high in zip(self.lower, self.upper, strict=True)):
            raise InputError(
                "grid", expected="lower ends below upper ends", got=f"{self.lower} and {self.upper}",
                fix="exchange them",
            )  # fmt: skip

    @property
    def centres(self) -> tuple[np.ndarray, ...]:
        """For each feature, the value in the middle of each cell."""
        return tuple(np.linspace(*ends) for ends in zip(self.lower, self.upper, self.cells, strict=True))

    @property
    def states(self) -> np.ndarray:
        """(cells of feature 1, …, cells of feature d, features): the state in the middle of each cell."""
        return np.stack(np.meshgrid(*self.centres, indexing="ij"), axis=-1)

    def cells_of(self, states: np.ndarray) -> np.ndarray:
        """(…, features) the nearest cell of each state, as policies look states up."""
        last = np.array(self.cells) - 1
        place = (states - np.array(self.lower)) / (np.array(self.upper) - np.array(self.lower)) * last
        return np.clip(np.round(place), 0, last).astype(int)


@dataclass(frozen=True, eq=False)
class FactoredMDP:
    """Given the action, each feature moves by a matrix of its own, so that no table over all pairs of cells is needed.

    An ordinary tabular MDP is the case of one feature. Made by `from_factors` or `gaussian`, which check.
    """

    factors: tuple[np.ndarray, ...]  # for each feature (actions, cells, cells): the probability [action, from, to]
    grid: Grid
    actions: tuple[str, ...]

    @classmethod
    def from_factors(
        cls, factors: Sequence[ArrayLike], *, actions: Sequence[str], grid: Grid | None = None
    ) -> FactoredMDP:
        """From transition matrices; without a grid, the cells of each feature are numbered from 0."""
        arrays = tuple(np.asarray(factor, float) for factor in factors)
        for place, array in enumerate(arrays, start=1):
            cells = array.shape[-1] if array.ndim else 0
            if array.shape != (len(actions), cells, cells):
                raise InputError(
                    f"factor {place}", expected=f"a square matrix for each of {len(actions)} actions",
                    got=f"an array of shape {array.shape}", fix="give it the shape (actions, cells, cells)",
                )  # fmt: skip
            if not np.all(array >= 0) or not np.allclose(array.sum(axis=-1), 1.0, rtol=0, atol=1e-9):
                raise InputError(
                    f"factor {place}", expected="rows of probabilities that sum to 1", got="other rows",
                    fix="let [action, from, to] be the probability to move",
                )  # fmt: skip
        cells = tuple(array.shape[-1] for array in arrays)
        if grid is None:
            names = ("state",) if len(arrays) == 1 else tuple(f"feature {i + 1}" for i in range(len(arrays)))
            grid = Grid(names, (0.0,) * len(arrays), tuple(float(count - 1) for count in cells), cells)
        if grid.cells != cells:
            raise InputError(
                "grid", expected=f"{cells} cells, as the factors have", got=str(grid.cells),
                fix="make factors and grid of the same size",
            )  # fmt: skip
        return cls(arrays, grid, tuple(actions))

    @classmethod
    @double_precision
    def gaussian(
        cls,
        grid: Grid,
        expected: Callable[[Any, Any], Any],
        noise: float | Sequence[float],
        actions: Sequence[str],
        *,
        at_centres: bool = False,
    ) -> FactoredMDP:
        """Normal noise around `expected(state, action)`, whose features must not influence each other.

        From the centre of a cell, the probability of another cell is that of all states which are nearest to its
        centre; the outermost cells take what lies beyond. That is how policies look states up. With `at_centres`
        it is in proportion to the density at the centres, which agrees on fine grids but loses the drift where
        cells are wider than the noise.
        """
        deviations = np.broadcast_to(np.asarray(noise, float), len(grid.features))
        if not np.all(np.isfinite(deviations) & (deviations > 0)):
            raise InputError(
                "noise", expected="positive standard deviations", got=str(noise), fix="use a little noise instead"
            )
        means = [_means(grid, expected, feature, len(actions)) for feature in range(len(grid.features))]
        factors = []
        for centres, mean, deviation in zip(grid.centres, means, deviations, strict=True):
            where = {"loc": mean[..., None], "scale": deviation}
            if at_centres:
                density = norm.pdf(centres, **where)
                factors.append(density / density.sum(axis=-1, keepdims=True))
            else:
                below = norm.cdf((centres[1:] + centres[:-1]) / 2, **where)
                factors.append(np.diff(below, axis=-1, prepend=0.0, append=1.0))
        return cls.from_factors(factors, actions=actions, grid=grid)

    def expected(self, values: jax.Array) -> jax.Array:
        """E[values in the next cell] for each action and cell: (actions, *rest, *cells) from (*cells, *rest)."""
        after = []
        for action in range(len(self.actions)):  # one product after the other: batched ones are slower
            result = values
            for factor in self.factors:  # takes the first axis and puts it last: in the end all are in place
                result = jnp.tensordot(result, factor[action], axes=(0, 1))
            after.append(result)
        return jnp.stack(after)


jax.tree_util.register_dataclass(FactoredMDP, data_fields=["factors"], meta_fields=["grid", "actions"])


def _means(grid: Grid, expected: Callable, feature: int, actions: int) -> np.ndarray:
    """(actions, cells): where one feature is expected next, wherever the others are."""

    def moved(others: Sequence[float]) -> np.ndarray:
        states = np.tile(np.asarray(others), (grid.cells[feature], 1))
        states[:, feature] = grid.centres[feature]
        after = jax.vmap(jax.vmap(expected, (0, None)), (None, 0))(jnp.asarray(states), jnp.arange(actions))
        return np.asarray(after[..., feature])

    low, high = moved(grid.lower), moved(grid.upper)
    if not np.all(np.isfinite(low) & np.isfinite(high)):
        raise InputError(
            "expected", expected="a finite next state from every cell", got="NaN or infinity",
            fix="keep it defined on the whole grid",
        )  # fmt: skip
    if not np.allclose(low, high):
        raise InputError(
            "expected", expected=f"a next {grid.features[feature]} that depends on {grid.features[feature]} alone",
            got="one that other features influence", fix="use from_factors with a single feature for all states",
        )  # fmt: skip
    return low
