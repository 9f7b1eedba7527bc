"""Diagnostics of Markov chains: did they see enough of their target for averages over them to be trusted?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.language import notes as verdicts
from lori.model.engines import special

PARTS = 4  # a chain is compared with itself in this many pieces
LARGEST_R_HAT, FEWEST = 1.05, 100  # beyond these an average is not to be relied on


@dataclass(frozen=True)
class Mixing:
    """The worst parameter's split R-hat (Gelman and Rubin) and effective number of independent draws."""

    r_hat: float
    effective: float

    @property
    def mixed(self) -> bool:
        return self.r_hat <= LARGEST_R_HAT and self.effective >= FEWEST

    def __str__(self) -> str:
        verdict = verdicts.chain_mixed if self.mixed else verdicts.chain_not_mixed
        return verdict(self.r_hat, self.effective)


def mixing(draws: np.ndarray) -> Mixing:
    """Judge the draws (samples, parameters) of one chain."""
    return Mixing(
        r_hat=max(split_r_hat(column) for column in draws.T),
        effective=min(effective_size(column) for column in draws.T),
    )


def mixing_of_chains(chains: np.ndarray) -> Mixing:
    """Judge the draws (chains, draws, parameters) of several chains, each of which is also cut in two.

    Draws are replaced by the normal scores of their ranks first, so that heavy tails do not hide a disagreement.
    """
    count, length, size = chains.shape
    scores = _normal_scores(chains)
    halves = scores[:, : length // 2 * 2].reshape(2 * count, length // 2, size)
    effective = [sum(effective_size(chain[:, i]) for chain in scores) for i in range(size)]
    return Mixing(r_hat=float(np.max(_r_hat(halves))), effective=float(min(effective)))


def agreement(populations: np.ndarray) -> Mixing:
    """Judge independent populations (populations, draws, parameters) whose draws have no order among themselves.

    The means of populations that are worth m independent draws each differ by a variance of 1/m; m is told from all
    parameters together, because two populations alone tell it badly from one.
    """
    count, length = populations.shape[:2]
    scores = _normal_scores(populations)
    between, within = scores.mean(axis=1).var(axis=0, ddof=1), scores.var(axis=1, ddof=1).mean(axis=0)
    each = float(np.mean(within) / max(np.mean(between), 1e-12))
    return Mixing(r_hat=float(np.max(_r_hat(scores))), effective=min(count * each, float(count * length)))


def _normal_scores(draws: np.ndarray) -> np.ndarray:
    """What standard normal draws of the same ranks would be, for each parameter (the last axis)."""
    flat = draws.reshape(-1, draws.shape[-1])
    ranks = flat.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable") + 1
    return special.ndtri((ranks - 0.375) / (len(flat) + 0.25)).reshape(draws.shape)


def _r_hat(scores: np.ndarray) -> np.ndarray:
    """For each parameter √((1 − 1/n) + B / W) over the first axis, see `split_r_hat`."""
    length = scores.shape[1]
    within, between = scores.var(axis=1, ddof=1).mean(axis=0), scores.mean(axis=1).var(axis=0, ddof=1)
    return np.sqrt(1 - 1 / length + between / np.maximum(within, 1e-300))


def split_r_hat(chain: np.ndarray) -> float:
    """√((1 − 1/n) + B / W) for pieces of n draws: B is the variance of their means, W the mean of their variances."""
    length = len(chain) // PARTS
    pieces = chain[: length * PARTS].reshape(PARTS, length)
    within, between = pieces.var(axis=1, ddof=1).mean(), pieces.mean(axis=1).var(ddof=1)
    return float(np.sqrt(1 - 1 / length + between / within)) if within > 0 else np.inf


def effective_size(chain: np.ndarray) -> float:
    """n / (1 + 2 Σ ρ_t), summed for as long as neighbouring autocorrelations add up to more than 0 (Geyer 1992)."""
    length = len(chain)
    spectrum = np.abs(np.fft.rfft(chain - chain.mean(), 2 * length)) ** 2
    covariance = np.fft.irfft(spectrum)[:length]
    if covariance[0] <= 0:
        return 1.0
    pairs = (covariance / covariance[0])[: length - length % 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    pairs = np.minimum.accumulate(pairs[: negative[0]] if len(negative) else pairs)
    return float(min(length, length / (2 * pairs.sum() - 1)))
