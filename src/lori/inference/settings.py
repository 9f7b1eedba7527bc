"""Settings: everything that is given to an estimator, checked."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.data.preferences import Preferences
from lori.errors import DataError, InputError, one_of, whole
from lori.inference.estimates import ERROR_KINDS, ErrorKind
from lori.model.likelihoods import Pairs
from lori.model.priors import Prior
from lori.model.rewards import Linear, Reward, named_reward
from lori.model.specification import Specification

METHODS = ("newton", "paper")


@dataclass(frozen=True)
class FitSettings:
    """What is to be fitted and how, checked."""

    specification: Specification
    alpha: tuple[float | None, ...]  # as reported; inside, rewards with a free scale have α = 1
    prior: Prior | None
    method: str
    starts: int
    seed: int
    standard_errors: ErrorKind


def checked_settings(
    parameters: dict[str, Any], groups: Sequence[Preferences], n_ties: int | None = None
) -> FitSettings:
    """The settings of a fit from an estimator's parameters and the data it is to see.

    Where `groups` are only a sample, `n_ties` says how many ties there are in all.
    """
    features = groups[0].features
    levels = whole("levels", parameters["levels"], 1)
    rewards = _rewards(parameters["reward"], levels)
    for reward in rewards:
        reward.bounds(features)  # unknown feature names are refused here
        _check_context(reward, groups)
    rewards = tuple(reward.among(features) for reward in rewards)
    alpha = _for_each_level("alpha", parameters["alpha"], levels)
    epsilon = _for_each_level("epsilon", parameters["epsilon"], levels)
    seen = sum(group.n_ties for group in groups) if n_ties is None else n_ties
    likelihood = Pairs.for_data(parameters["ties"], seen, epsilon)
    inside_epsilon: list[float | None] = []
    inside_alpha: list[float | None] = []
    for level, reward in enumerate(rewards):
        fixed = epsilon[level]
        if reward.free_scale:  # fitted with α = 1, so a fixed ε is scaled by the α that was asked for
            if fixed and alpha[level] is None:
                raise InputError(
                    f"epsilon of level {level + 1}", expected="a learned α only with a learned or zero ε",
                    got=f"epsilon={fixed:g} with alpha=None", fix="fix alpha too, or learn epsilon",
                )  # fmt: skip
            inside_epsilon.append(None if fixed is None else fixed * (alpha[level] or 1.0))
            inside_alpha.append(1.0)
        else:
            inside_epsilon.append(fixed)
            inside_alpha.append(alpha[level])
    if parameters["standard_errors"] == "clustered" and any(group.agent is None for group in groups):
        raise DataError(
            "standard_errors", expected="preferences with an agent for clustered errors", got="none",
            fix="give the agents, or use standard_errors='robust'",
        )  # fmt: skip
    return FitSettings(
        specification=Specification(rewards, tuple(inside_epsilon), tuple(inside_alpha), likelihood, features),
        alpha=alpha,
        prior=checked_prior(parameters["prior"]),
        method=one_of("method", parameters["method"], METHODS),
        starts=whole("starts", parameters["starts"], 1),
        seed=whole("seed", parameters["seed"], 0),
        standard_errors=one_of("standard_errors", parameters["standard_errors"], ERROR_KINDS),  # type: ignore[arg-type]
    )


def _rewards(given: Any, levels: int) -> tuple[Reward, ...]:
    if given is None:
        given = Linear()
    if isinstance(given, str):
        given = named_reward(given)
    if isinstance(given, Reward):
        return (given,) * levels
    rewards = tuple(given) if isinstance(given, list | tuple) else ()
    if len(rewards) != levels or not all(isinstance(reward, Reward) for reward in rewards):
        raise InputError(
            "reward", expected=f"one reward, or a list of {levels} (one for each level)", got=repr(given)[:80],
            fix="use lori.Linear(), lori.Capped(), lori.Network(), lori.Gated(...) or lori.Function(...)",
        )  # fmt: skip
    return rewards


def _check_context(reward: Reward, groups: Sequence[Preferences]) -> None:
    """A context is shared by both alternatives of a pair and differs between pairs."""
    for name in reward.context:
        place = groups[0].features.index(name)
        left, right = (
            np.concatenate([side(group)[:, place] for group in groups])
            for side in (lambda group: group.left_features, lambda group: group.right_features)
        )
        unequal = int(np.sum(left != right))
        if unequal:
            raise DataError(
                f"context {name}", expected="the same value on both sides of each pair",
                got=f"{unequal} pairs that differ",
                fix="only what the two alternatives share can be context",
            )  # fmt: skip
        if np.ptp(left) <= 1e-12 * np.abs(left).max():
            raise DataError(
                f"context {name}", expected="a feature that differs between pairs", got=f"{left[0]:g} everywhere",
                fix="use --reward linear: priorities cannot be seen to depend on it",
            )  # fmt: skip


def _for_each_level(name: str, given: Any, levels: int) -> tuple[float | None, ...]:
    values = tuple(given) if isinstance(given, list | tuple | np.ndarray) else (given,) * levels
    least = "from 0" if name == "epsilon" else "above 0"
    for value in values:
        number = isinstance(value, numbers.Real) and not isinstance(value, bool) and np.isfinite(float(value))
        if value is not None and not (number and (float(value) >= 0 if name == "epsilon" else float(value) > 0)):
            raise InputError(
                name,
                expected=f"None (learned) or a number {least}",
                got=repr(value),
                fix=f"leave it to be learned: {name}=None (--{name} learned)",
            )
    if len(values) != levels:
        raise InputError(
            name, expected=f"one value, or one for each of the {levels} levels", got=f"{len(values)} values",
            fix="give as many as levels; None where it is to be learned",
        )  # fmt: skip
    return tuple(None if value is None else float(value) for value in values)


def checked_prior(given: Any) -> Prior | None:
    if given is None or isinstance(given, Prior):
        return given
    if given == "weak":
        return Prior()
    raise InputError("prior", expected="'weak', None or a lori.Prior", got=repr(given), fix="use prior='weak'")
