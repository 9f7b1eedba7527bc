"""Which question next? The pairs whose answer would teach most about the decision-maker.

The information of a question is what its answer and the parameters say about each other (in bits):

    I = H(mean over draws of p) − mean over draws of H(p),      p the probabilities of left, tie and right.

It is large where the posterior's draws are each sure of the answer but disagree, and zero where all agree or where the
answer would be a coin's. Questions of a batch should not ask the same twice: each further one is valued by what the
earlier ones leave open, told from how their probabilities vary together over the draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.errors import InputError
from lori.inference.posterior import Posterior
from lori.inference.settings import whole

DRAWS = 500  # of the posterior, that stand for all
CANDIDATES = 20_000  # pairs that are valued at once
NOISE = 1e-9


@dataclass(frozen=True, eq=False)
class Questions:
    """Places of the chosen pairs among the candidates, best first, and the information of every candidate."""

    chosen: np.ndarray
    information: np.ndarray  # (candidates,) bits


def next_questions(posterior: Posterior, left: Any, right: Any, *, count: int = 1, diverse: bool = True) -> Questions:
    """Choose `count` of the candidate pairs, given by the features of both sides (candidates, features)."""
    left, right = np.atleast_2d(np.asarray(left, float)), np.atleast_2d(np.asarray(right, float))
    if left.shape != right.shape or left.shape[1] != len(posterior.features):
        raise InputError(
            "left and right", expected=f"pairs with the features {', '.join(posterior.features)} on both sides",
            got=f"shapes {left.shape} and {right.shape}", fix="describe both sides by these features",
        )  # fmt: skip
    if whole("count", count, 1) > len(left):
        raise InputError(
            "count", expected=f"at most {len(left)}, the candidates", got=str(count), fix="offer more pairs"
        )
    few = posterior.thinned(DRAWS)
    information = np.empty(len(left))
    preferred = np.empty((len(few), len(left)), np.float32)
    for start in range(0, len(left), CANDIDATES):
        part = slice(start, start + CANDIDATES)
        probabilities = few.predict_proba(left[part], right[part])
        information[part] = _entropy(probabilities.mean(axis=0)) - _entropy(probabilities).mean(axis=0)
        preferred[:, part] = probabilities[:, :, 0] + 0.5 * probabilities[:, :, 1]
    information = np.maximum(information, 0.0)
    if not diverse or count == 1:
        return Questions(np.argsort(-information, kind="stable")[:count], information)
    return Questions(_spread(information, preferred, count), information)


def _entropy(probabilities: np.ndarray) -> np.ndarray:
    """In bits, over the last axis."""
    return -np.sum(
        np.where(probabilities > 0, probabilities * np.log2(np.maximum(probabilities, 1e-300)), 0.0), axis=-1
    )


def _spread(information: np.ndarray, preferred: np.ndarray, count: int) -> np.ndarray:
    """Greedy: the most informative, then again and again by what is left of each candidate's variation.

    An answer is the probability plus a coin's noise. After it is known, what varies over the draws is what cannot be
    foretold from it; the same question asked again keeps only the part that noise hides.
    """
    varying = preferred - preferred.mean(axis=0)
    before = np.maximum((varying**2).mean(axis=0), NOISE)
    middle = preferred.mean(axis=0)
    coin = np.maximum(middle * (1 - middle) - before, NOISE)  # noise of one answer beyond what draws disagree in
    chosen: list[int] = []
    left = before.copy()
    for _ in range(count):
        value = information * left / before
        value[chosen] = -1.0
        best = int(value.argmax())
        chosen.append(best)
        direction = varying[:, best].copy()
        power = float((direction**2).mean())
        shared = direction @ varying / len(direction)
        gain = shared / (power + float(coin[best]))
        shrink = 1 - np.sqrt(float(coin[best]) / (power + float(coin[best])))
        if power > NOISE:
            varying = varying - shrink / power * np.outer(direction, shared)
        left = np.maximum(left - gain * shared, NOISE)
    return np.array(chosen)
