"""Allocation: who gets the next organ? Named policies that choose among the patients who could get it.

The paper describes the practice in the US: offers go out by need, and are accepted or declined by expected benefit.
When does that put need first? A team can decline for the sake of benefit only while somebody of like need accepts: an
organ is not passed on to a patient who is clearly better off. `meld` therefore offers each organ to the patients in
greatest need, all within `LIKE_NEED` of the first, as a whole point of the MELD score holds several patients; among
them, those who would gain less from it decline. Two other mechanisms show what hangs on that. With `veto`, offers go
out by need as well, but whoever would clearly gain less than somebody else on the list declines: benefit then overrules
any need. With `strict`, nobody may decline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lori.data.choices import Choices
from lori.errors import InputError
from lori.model.decisions import simulated
from lori.model.ordered import OrderedModel

LIKE_NEED = 60.0  # days without a transplant: about what the paper found that need must differ by


@dataclass(frozen=True, eq=False)
class Offers:
    """Everybody who could get an organ."""

    waited: np.ndarray  # days, (offers,)
    benefit: np.ndarray  # days that the organ would add
    need: np.ndarray  # minus the days without a transplant


Allocate = Callable[[Offers, np.random.Generator], int]
"""The position of the offer that becomes a transplant."""


def by_meld(offers: Offers, generator: np.random.Generator) -> int:
    """Of the patients in greatest need the one who benefits most.

    Need is measured in days, as it will be inferred. The score itself leaves out age, and what it shares with survival
    after a transplant would pass for a preference for benefit.
    """
    neediest = offers.need >= offers.need.max() - LIKE_NEED
    return int(np.argmax(np.where(neediest, offers.benefit, -np.inf)))


def by_veto(offers: Offers, generator: np.random.Generator) -> int:
    """The neediest who accept: all decline who would gain less, by more than `LIKE_NEED` days, than another would."""
    accepting = offers.benefit >= offers.benefit.max() - LIKE_NEED
    return int(np.argmax(np.where(accepting, offers.need, -np.inf)))


def by_strict_need(offers: Offers, generator: np.random.Generator) -> int:
    """The neediest, who may not decline."""
    return int(np.argmax(offers.need))


def by_benefit(offers: Offers, generator: np.random.Generator) -> int:
    return int(np.argmax(offers.benefit))


def by_waiting(offers: Offers, generator: np.random.Generator) -> int:
    """First come, first served; who came on the same day draws lots."""
    return int(np.argmax(offers.waited + generator.uniform(size=len(offers.waited))))


def by_model(model: OrderedModel) -> Allocate:
    """Luce's rule: in proportion to the odds with which the model prefers a patient to the average of the list."""

    def allocate(offers: Offers, generator: np.random.Generator) -> int:
        values = np.stack([offers.benefit, offers.need], axis=1)
        log_odds = model.preference(values, np.broadcast_to(values.mean(axis=0), values.shape))
        return int(np.argmax(log_odds + generator.gumbel(size=len(values))))

    return allocate


def by_sets(model: OrderedModel) -> Allocate:
    """One choice among all of the list, as the model makes it: each level keeps those who are near its best."""

    def allocate(offers: Offers, generator: np.random.Generator) -> int:
        if len(offers.need) == 1:
            return 0
        values = np.stack([offers.benefit, offers.need], axis=1)
        asked = Choices.from_arrays(values[None], [0], features=model.features)
        return int(np.argmax(simulated(model, asked, generator).chosen))

    return allocate


BY_MODEL: dict[str, Callable[[OrderedModel], Allocate]] = {"model": by_model, "sets": by_sets}
POLICIES: dict[str, Allocate] = {
    "meld": by_meld,
    "strict": by_strict_need,
    "veto": by_veto,
    "benefit": by_benefit,
    "waiting": by_waiting,
}


def policy_named(name: str, model: OrderedModel | None = None) -> Allocate:
    """The policy of that name; `model` and `sets` need a model of benefit and need."""
    if (name in BY_MODEL) != (model is not None):
        raise InputError(
            "model", expected="a model for the policies 'model' and 'sets', and only there",
            got="none" if model is None else f"one for the policy {name!r}", fix="pass both or neither",
        )  # fmt: skip
    if model is not None:
        if model.features != ("benefit", "need"):
            raise InputError(
                "model", expected="a model of the features benefit and need", got=f"one of {', '.join(model.features)}",
                fix="fit or write down a model of these two",
            )  # fmt: skip
        return BY_MODEL[name](model)
    if name not in POLICIES:
        raise InputError(
            "policy", expected=f"{', '.join(POLICIES)}, model or sets", got=repr(name), fix="choose one of them"
        )
    return POLICIES[name]
