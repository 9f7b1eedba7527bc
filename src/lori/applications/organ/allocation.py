"""Who gets the next organ? Named policies that choose among the patients an organ is offered to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lori.errors import InputError
from lori.model.ordered import OrderedModel

DECLINING = 200.0  # days: so much less than usual, and an offer is accepted with 27 %, otherwise with 50 %
FAR = 1e6  # days, more than any need


@dataclass(frozen=True, eq=False)
class Offers:
    """Everybody who could get one of the day's organs; each person is considered for one organ only."""

    organ: np.ndarray  # which organ, (offers,) integers
    waited: np.ndarray  # days
    benefit: np.ndarray  # days that this organ would add
    usual: np.ndarray  # days that an average organ would add
    need: np.ndarray  # minus the days without a transplant


Allocate = Callable[[Offers, np.random.Generator], np.ndarray]
"""Positions of the offers that become transplants, one for each organ that occurs."""


def by_meld(offers: Offers, generator: np.random.Generator) -> np.ndarray:
    """Offers go out by need, which MELD stands for; who could expect more from the next organ is likely to decline.

    The order is that of expected days, not of the score: MELD leaves out age, and what it shares with survival after
    transplant would pass for a preference for benefit.
    """
    better = (offers.benefit - offers.usual) / DECLINING
    accepted = generator.uniform(size=len(better)) < 1 / (1 + np.exp(-better))
    return _greatest(offers.organ, offers.need + np.where(accepted, 0.0, -FAR))  # if all decline, the first offer


def by_benefit(offers: Offers, generator: np.random.Generator) -> np.ndarray:
    return _greatest(offers.organ, offers.benefit)


def by_waiting(offers: Offers, generator: np.random.Generator) -> np.ndarray:
    """First come, first served; who came on the same day draws lots."""
    return _greatest(offers.organ, offers.waited + generator.uniform(size=len(offers.waited)))


def by_model(model: OrderedModel) -> Allocate:
    """Knock-out rounds, in which the model draws who of two patients is preferred."""

    def allocate(offers: Offers, generator: np.random.Generator) -> np.ndarray:
        values = np.stack([offers.benefit, offers.need], axis=1)
        standing = generator.permutation(len(values))
        while len(standing) > len(np.unique(offers.organ[standing])):
            standing = standing[np.argsort(offers.organ[standing], kind="stable")]
            organ = offers.organ[standing]
            place = np.arange(len(organ)) - np.searchsorted(organ, organ)  # within the candidates for one organ
            first = np.flatnonzero((place % 2 == 0)[:-1] & (organ[:-1] == organ[1:]))
            counts = model.sample(values[standing[first]], values[standing[first + 1]], seed=generator)
            won = counts[:, 0] + counts[:, 1] * generator.integers(0, 2, len(counts)) > 0
            standing = np.delete(standing, np.where(won, first + 1, first))
        return standing

    return allocate


POLICIES: dict[str, Allocate] = {"meld": by_meld, "benefit": by_benefit, "waiting": by_waiting}


def policy_named(name: str, model: OrderedModel | None = None) -> Allocate:
    """The policy of that name; `model` needs a model of benefit and need."""
    if (name == "model") != (model is not None):
        raise InputError(
            "model", expected="a model for the policy 'model', and only there",
            got="none" if model is None else f"one for the policy {name!r}", fix="pass both or neither",
        )  # fmt: skip
    if model is not None:
        if model.features != ("benefit", "need"):
            raise InputError(
                "model", expected="a model of the features benefit and need", got=f"one of {', '.join(model.features)}",
                fix="fit or write down a model of these two",
            )  # fmt: skip
        return by_model(model)
    if name not in POLICIES:
        raise InputError("policy", expected=f"{', '.join(POLICIES)} or model", got=repr(name), fix="choose one of them")
    return POLICIES[name]


def _greatest(organ: np.ndarray, score: np.ndarray) -> np.ndarray:
    """For each organ the position of its greatest score."""
    order = np.lexsort([score, organ])
    last = np.append(organ[order][1:] != organ[order][:-1], True)
    return order[last]
