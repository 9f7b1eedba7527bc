"""Questions: the pairs whose answer would teach most about the decision-maker.

The information of a question is what its answer and the parameters say about each other (in bits):

    I = H(mean over draws of p) − mean over draws of H(p),      p the probabilities of left, tie and right.

It is large where the posterior's draws are each sure of the answer but disagree, and zero where all agree or where the
answer would be a coin's. Where the aim is to foretell choices rather than to know parameters, a question is valued by
how much its answer would shrink the variance of the probabilities of all candidates, summed:

    Σ_i cov(p_i, p)² / (var(p) + coin),     coin the variance of an answer beyond what the draws disagree in.

Questions of a batch should not ask the same twice: each further one is valued by what the earlier ones leave open,
told from how probabilities vary together over the draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.errors import InputError, one_of, whole
from lori.inference.posterior.draws import Posterior

TINY = 1e-300  # whose logarithm is finite
DRAWS = 500  # of the posterior, that stand for all
CANDIDATES = 20_000  # pairs that are valued at once
REFERENCES = 500  # candidates that stand for all where choices are to be foretold
NOISE = 1e-9


@dataclass(frozen=True, eq=False)
class Questions:
    """Places of the chosen pairs among the candidates, best first, and the information of every candidate."""

    chosen: np.ndarray
    information: np.ndarray  # (candidates,) bits


def next_questions(
    posterior: Posterior, left: Any, right: Any, *, count: int = 1, diverse: bool = True, aim: str = "information"
) -> Questions:
    """Choose `count` of the candidate pairs, given by the features of both sides (candidates, features).

    `aim` is "information" (default), to learn about the decision-maker, or "prediction", to foretell choices among
    such candidates.
    """
    one_of("aim", aim, ("information", "prediction"))
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
    few = posterior.thinned(DRAWS).with_common_lapse()  # an obvious question would teach how often somebody slips
    information = np.empty(len(left))
    preferred = np.empty((len(few), len(left)), np.float32)
    for start in range(0, len(left), CANDIDATES):
        part = slice(start, start + CANDIDATES)
        probabilities = few.outcomes(left[part], right[part])
        of_middle = sum(_entropy(own.mean(axis=0)) for own in probabilities)
        information[part] = of_middle - sum(_entropy(own).mean(axis=0) for own in probabilities)
        tied = 0.5 * probabilities[1] if len(probabilities) > 2 else 0.0
        preferred[:, part] = probabilities[0] + tied
    information = np.maximum(information, 0.0)
    if aim == "prediction":
        return Questions(_foretelling(preferred, count, diverse), information)
    if not diverse or count == 1:
        return Questions(np.argsort(-information, kind="stable")[:count], information)
    return Questions(_spread(information, preferred, count), information)


def _entropy(probabilities: np.ndarray) -> np.ndarray:
    """What an outcome with these probabilities adds, in bits; where it is impossible, nothing."""
    return probabilities * -np.log2(np.maximum(probabilities, TINY))


class _Open:
    """What varies over the draws and is not yet asked about. An answer is the probability plus a coin's noise.

    After it is known, what varies is what cannot be foretold from it; the same question asked again keeps only the
    part that noise hides.
    """

    def __init__(self, preferred: np.ndarray) -> None:
        middle = preferred.mean(axis=0)
        self.varying = preferred - middle
        self.coin = np.maximum(middle * (1 - middle) - self.variance, NOISE)

    @property
    def variance(self) -> np.ndarray:
        return np.maximum((self.varying**2).mean(axis=0), NOISE)

    def ask(self, place: int) -> None:
        direction = self.varying[:, place].copy()
        power, coin = float((direction**2).mean()), float(self.coin[place])
        if power > NOISE:
            shared = direction @ self.varying / len(direction)
            kept = np.sqrt(coin / (power + coin))
            self.varying = self.varying - (1 - kept) / power * np.outer(direction, shared)


def _spread(information: np.ndarray, preferred: np.ndarray, count: int) -> np.ndarray:
    """Greedy: the most informative, then again and again by what is left of each candidate's variation."""
    still = _Open(preferred)
    before, chosen = still.variance, np.empty(0, int)
    for _ in range(count):
        value = information * still.variance / before
        value[chosen] = -1.0
        chosen = np.append(chosen, value.argmax())
        still.ask(int(chosen[-1]))
    return chosen


def _foretelling(preferred: np.ndarray, count: int, diverse: bool) -> np.ndarray:
    """Greedy: what shrinks the summed variance of a sample of the candidates most."""
    still = _Open(preferred)
    sample = np.linspace(0, preferred.shape[1] - 1, min(preferred.shape[1], REFERENCES)).astype(int)

    def shrinks() -> np.ndarray:
        together = still.varying[:, sample].T @ still.varying / len(preferred)
        return (together**2).sum(axis=0) / (still.variance + still.coin)

    if not diverse:
        return np.argsort(-shrinks(), kind="stable")[:count]
    chosen = np.empty(0, int)
    for _ in range(count):
        value = shrinks()
        value[chosen] = -1.0
        chosen = np.append(chosen, value.argmax())
        still.ask(int(chosen[-1]))
    return chosen
