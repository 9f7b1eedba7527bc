"""Rewards: which functions may a level's reward be? The registry of families.

A new family is one file that defines a `Reward`, and one line here (or `register` from outside the package).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, TypeVar

from lori.errors import InputError, one_of
from lori.model.rewards.base import Bounds as Bounds
from lori.model.rewards.base import Fact as Fact
from lori.model.rewards.base import Names as Names
from lori.model.rewards.base import Particulars as Particulars
from lori.model.rewards.base import Reward as Reward
from lori.model.rewards.capped import Capped as Capped
from lori.model.rewards.function import Function as Function
from lori.model.rewards.gated import Gated as Gated
from lori.model.rewards.linear import Linear as Linear
from lori.model.rewards.network import Network as Network
from lori.model.rewards.single import Single as Single
from lori.model.rewards.steps import Steps as Steps

VECTORISED = (
    Linear,
    Capped,
    Single,
)  # their formulas take many alternatives or vectors at once, as arrays of either engine

Family = TypeVar("Family", bound=type[Reward])
FAMILIES: dict[str, type[Reward]] = {}


def register(family: Family) -> Family:
    """Make a family known by its `kind`, so that models with it can be saved, loaded and described."""
    known = FAMILIES.get(family.kind)
    if known is not None and known.__qualname__ != family.__qualname__:
        raise InputError(
            "kind", expected="a name that no other family of rewards has", got=repr(family.kind),
            fix="choose another kind",
        )  # fmt: skip
    FAMILIES[family.kind] = family
    return family


for _family in (Linear, Capped, Network, Gated, Function, Steps, Single):
    register(_family)


def are_vectorised(rewards: Iterable[Reward]) -> bool:
    """Can all of them be computed with NumPy, without loading and compiling anything? (Families of others may not.)"""
    return all(type(reward) in VECTORISED for reward in rewards)


def subjects_of(rewards: Iterable[Reward], features: Names) -> tuple[str | None, ...]:
    """What each feature of a model is about, as the first of its rewards has it to whom that is not the feature."""
    told = [reward.subjects(features) for reward in rewards]
    return next((own for own in told if own != features), features)


def reward_from(settings: dict[str, Any]) -> Reward:
    """The reward that `Reward.settings` describes."""
    arguments = dict(settings)
    return FAMILIES[arguments.pop("kind")](**arguments)


def commanded() -> tuple[str, ...]:
    """The families that a command line can ask for: neither Python functions nor what each level has its own of."""
    return tuple(kind for kind in FAMILIES if kind not in (Function.kind, Single.kind))


def options_of(family: type[Reward]) -> tuple[str, ...]:
    """The names of a family's options."""
    return tuple(inspect.signature(family).parameters)


def named_reward(kind: str, **options: Any) -> Reward:
    """The reward of a registered family, by its name."""
    family = FAMILIES[one_of("reward", kind, tuple(FAMILIES))]
    needed = [name for name, each in inspect.signature(family).parameters.items() if each.default is each.empty]
    missing = [name for name in needed if name not in options]
    if missing:
        raise InputError(
            "reward", expected=f"a {missing[0]}", got=f"{kind!r} alone",
            fix=f"use lori.{family.__name__}({missing[0]}=...)"
            + (f", or --{missing[0]} on the command line" if kind in commanded() else ""),
        )  # fmt: skip
    return family(**options)
