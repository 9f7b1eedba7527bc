"""Expressiveness (the paper's analysis): what do k + 1 levels say that k cannot, and can one level go in a circle?

Every choice probability between a few alternatives is known, and *any* rewards may explain them: a number for each
alternative on each level, and a threshold for each level. What is left of the error at the best of many starts is what
k levels cannot represent. Two true levels are the paper's triple, three are drawn, anew in each repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import least_squares

from lori.experiments.figures import OURS
from lori.experiments.study import HERE, Cell, Row, Study, measured, setting
from lori.model.likelihoods.probabilities import log_better
from lori.model.precision import double_precision

TRIPLE = np.array([[-0.6, 2.0], [0.0, 0.0], [0.6, -2.0]])
UNKNOWN = "no such study"


@dataclass(frozen=True)
class ExpressiveSettings:
    """The paper's triple (section "Analysis of LORI"), and larger sets of alternatives."""

    epsilon: float = setting(1.0, "threshold of both levels of the triple, where α = 1", printed=HERE, scripts=UNKNOWN)
    alternatives: int = setting(10, "that three true levels choose between", scripts=UNKNOWN)
    deviation: float = setting(8.0, "of their rewards, which are normal", scripts=UNKNOWN)
    wide: float = setting(10.0, "threshold of each of the three levels", scripts=UNKNOWN)
    starts: int = setting(40, "of each fit at random, beside those at the true levels", scripts=UNKNOWN)
    triples: int = setting(100_000, "looked at for circles, each with levels of its own", scripts=UNKNOWN)


def cell(settings: ExpressiveSettings, seed: int) -> Cell:
    """How far the best k levels stay from k + 1 (k = 1, 2), and how many random triples are circles."""
    generator = np.random.default_rng(seed)
    drawn = generator.normal(scale=settings.deviation, size=(3, settings.alternatives))
    truths = {"two": (TRIPLE.T, settings.epsilon), "three": (drawn, settings.wide)}
    answer: Cell = {}
    for name, (rewards, epsilon) in truths.items():
        true = chances(rewards, np.full(len(rewards), epsilon))
        for levels in (len(rewards) - 1, len(rewards)):
            fits = best_fits(true, levels, settings.starts, generator, known=(rewards, epsilon))
            error = np.sqrt(np.mean(fits[0].fun ** 2))
            near = sum(np.sqrt(np.mean(fit.fun**2)) < 1.01 * error + 1e-4 for fit in fits)
            answer[f"{name} true levels, {_word(levels)} fitted"] = {
                "RMSE": float(error),
                "largest error": float(np.abs(fits[0].fun).max()),
                "starts at the best": near / len(fits),
                "true": true.tolist(),
                "fitted": (true + fits[0].fun).tolist(),
            }
    for levels in (1, 2):
        answer[f"random triples, {_word(levels)}"] = {"circles %": 100 * circles(levels, settings.triples, generator)}
    return answer


def chances(rewards: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """Pr(i ≻ j) for all i < j, from rewards (levels, alternatives)."""
    left, right = _pairs(rewards.shape[1])
    return _probabilities(rewards[:, left] - rewards[:, right], epsilon)


def best_fits(
    true: np.ndarray,
    levels: int,
    starts: int,
    generator: np.random.Generator,
    known: tuple[np.ndarray, float] | None = None,
) -> list[Any]:
    """Least squares between all pairs' probabilities from many starts, the best first.

    Rewards are free but for their zero: the first alternative's is 0 on each level. α = 1 is no restriction. With the
    true rewards and their threshold `known`, every choice of so many of the true levels is a start as well.
    """
    alternatives = round((1 + np.sqrt(1 + 8 * len(true))) / 2)
    size = levels * (alternatives - 1)
    low = np.append(np.full(size, -np.inf), np.zeros(levels))
    begins = []
    if known is not None:
        rewards = (known[0] - known[0][:, :1])[:, 1:]
        for chosen in combinations(range(len(rewards)), levels):
            begins.append(np.append(rewards[list(chosen)], np.full(levels, known[1])))
    for _ in range(starts):
        scale = np.exp(generator.uniform(np.log(0.3), np.log(10)))
        begins.append(np.append(generator.normal(scale=scale, size=size), generator.exponential(scale, size=levels)))
    shape = {"true": true, "levels": levels, "alternatives": alternatives}
    fits = [
        least_squares(
            partial(_errors, **shape), begin, partial(_slopes, **shape), bounds=(low, np.inf), xtol=1e-12, ftol=1e-12,
            gtol=1e-12, max_nfev=300,
        )
        for begin in begins
    ]  # fmt: skip
    return sorted(fits, key=lambda fit: fit.cost)


def circles(levels: int, count: int, generator: np.random.Generator) -> float:
    """The share of random triples, each under random levels, that are preferred in a circle."""
    scale = np.exp(generator.uniform(np.log(0.3), np.log(30), size=count))  # from hardly consistent to hardly erring
    rewards = generator.normal(size=(levels, count, 3)) * scale[:, None]
    epsilon = generator.exponential(size=(levels, count)) * scale
    ahead = np.stack([_probabilities(rewards[..., i] - rewards[..., (i + 1) % 3], epsilon) for i in range(3)], axis=-1)
    slack = 1e-12  # rounding
    return float(np.mean((ahead > 0.5 + slack).all(axis=-1) | (ahead < 0.5 - slack).all(axis=-1)))


@double_precision
def _probabilities(gaps: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    return np.asarray(jnp.exp(log_better(list(jnp.asarray(gaps)), list(jnp.asarray(epsilon)), "split")))


@double_precision
def _errors(vector: np.ndarray, true: np.ndarray, levels: int, alternatives: int) -> np.ndarray:
    return np.asarray(_difference(vector, true, levels, alternatives))


@double_precision
def _slopes(vector: np.ndarray, true: np.ndarray, levels: int, alternatives: int) -> np.ndarray:
    return np.asarray(_difference_slopes(vector, true, levels, alternatives))


@partial(jax.jit, static_argnums=(2, 3))
def _difference(vector: jax.Array, true: jax.Array, levels: int, alternatives: int) -> jax.Array:
    rewards = jnp.pad(vector[:-levels].reshape(levels, -1), ((0, 0), (1, 0)))
    left, right = _pairs(alternatives)
    return jnp.exp(log_better(list(rewards[:, left] - rewards[:, right]), list(vector[-levels:]), "split")) - true


_difference_slopes = jax.jit(jax.jacfwd(_difference), static_argnums=(2, 3))


def _pairs(alternatives: int) -> tuple[np.ndarray, np.ndarray]:
    left, right = np.array(list(combinations(range(alternatives), 2))).T
    return left, right


def _word(levels: int) -> str:
    return {1: "one", 2: "two", 3: "three"}[levels] + (" level" if levels == 1 else " levels")


def rows(settings: ExpressiveSettings, cells: Sequence[Cell]) -> list[Row]:
    """A row for each pair of true and fitted levels; the probabilities of the first repeat are kept for the figure."""
    table: list[Row] = []
    for method, first in cells[0].items():
        row: Row = {"method": method}
        row |= {
            name: measured([round(cell[method][name], 9) for cell in cells])  # beyond that it is rounding
            for name, value in first.items()
            if not isinstance(value, list)
        }
        table.append(row | {name: value for name, value in first.items() if isinstance(value, list)})
    return table


def draw(result: dict[str, Any], path: Path) -> None:
    """The true probability of each pair against that of the best fit: a level too few leaves the diagonal."""
    shown = [row for row in result["rows"] if "true" in row]
    figure = Figure(figsize=(3 * len(shown), 3.4), layout="constrained")
    for axes, row in zip(figure.subplots(1, len(shown), sharex=True, sharey=True), shown, strict=True):
        axes.axline((0, 0), slope=1, color="#999999", linewidth=1)
        axes.plot(row["true"], row["fitted"], "o", color=OURS, markersize=4, alpha=0.8)
        axes.set(xlabel="true probability", xlim=(0, 1), ylim=(0, 1), aspect="equal")
        title = row["method"].replace(", ", ",\n")
        axes.set_title(f"{title}: RMSE {row['RMSE']['values'][0]:.2g}", loc="left", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("best fit, any rewards")
    figure.savefig(path, dpi=160)


STUDY = Study(
    "expressive",
    "What k + 1 levels say that k levels cannot: the best fit of any rewards",
    ExpressiveSettings(),
    ExpressiveSettings(alternatives=6, starts=10, triples=1000),
    cell=cell,
    rows=rows,
    draw=draw,
)
