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


def information(
    probabilities: np.ndarray, weights: np.ndarray, orders: np.ndarray, entropies: np.ndarray | None = None
) -> np.ndarray:
    """(questions,) the value of each question; probabilities are (outcomes, particles, questions).

    `entropies` (particles, questions) may be given where the same probabilities are weighted again and again.
    """
    if entropies is None:
        entropies = entropy(probabilities)
    _, order = np.unique(orders, return_inverse=True)
    within = np.zeros((order.max() + 1, len(order)), probabilities.dtype)
    within[order, np.arange(len(order))] = weights
    shares = within.sum(axis=1)
    known = shares > 0
    within, shares = within[known], shares[known]
    by_order = within @ probabilities  # (outcomes, orders, questions), each times the probability of the order
    overall = entropy(by_order.sum(axis=1))
    given_order = shares @ entropy(by_order / shares[:, None])
    about_order = overall - given_order
    return about_order + BESIDES * (overall - weights.astype(probabilities.dtype) @ entropies)


def entropy(probabilities: np.ndarray) -> np.ndarray:
    """In bits, over the first axis; slips keep every probability above zero, so that logarithms are finite."""
    total = np.zeros(probabilities.shape[1:], probabilities.dtype)
    for own in probabilities:
        total -= own * np.log2(own)
    return total
