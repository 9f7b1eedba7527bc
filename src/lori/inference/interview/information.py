"""Information: how much would the answer to a question teach about the order, and about everything else?

In bits, for an answer with probabilities p under each particle, and orders o:

    about the order         H(mean of p) − Σ_o Pr(o) H(mean of p given o)
    about all parameters    H(mean of p) − mean of H(p)

A question is valued by the first plus a part of the second: what says little about the order soon says much about
thresholds, so that an interview which goes on after the order is known learns to foretell, too.
"""

from __future__ import annotations

import numpy as np

BESIDES = 0.5  # of the information about all parameters, which counts beside that about the order


def information(probabilities: np.ndarray, weights: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """(weightings, questions) the value of each question where particles weigh so much.

    Probabilities are (outcomes, particles, questions), weights (weightings, particles), orders (particles,).
    """
    weights = weights.astype(probabilities.dtype)
    _, order = np.unique(orders, return_inverse=True)
    within = weights[:, None] * (order == np.arange(order.max() + 1)[:, None])  # (weightings, orders, particles)
    shares = within.sum(axis=2)
    by_order = within.reshape(-1, len(order)) @ probabilities  # each times the probability of the order
    by_order = by_order.reshape(len(probabilities), *shares.shape, -1)
    overall = entropy(by_order.sum(axis=2))
    given_order = entropy(by_order).sum(axis=1) - entropy(shares[None]).sum(axis=1)[:, None]
    return overall - given_order + BESIDES * (overall - weights @ entropy(probabilities))


def entropy(probabilities: np.ndarray) -> np.ndarray:
    """In bits, −Σ p log p over the first axis; what is impossible adds nothing."""
    logs = np.log2(np.maximum(probabilities, np.finfo(probabilities.dtype).tiny))
    return -np.einsum("i...,i...->...", probabilities, logs)
