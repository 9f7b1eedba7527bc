"""Settings: everything that is given to an estimator, checked."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.data.choices import Choices
from lori.errors import DataError, InputError, one_of, whole
from lori.inference.estimates import ERROR_KINDS, ErrorKind
from lori.inference.statistics import Observed
from lori.model.likelihoods import Likelihood, Pairs, Sets
from lori.model.priors import Prior
from lori.model.rewards import Linear, Reward, named_reward
from lori.model.specification import MOST_LEVELS, Specification

METHODS = ("newton", "paper")
MOST_STARTS = 10_000
SMALLEST, LARGEST = 1e-30, 1e30  # of what is fixed: beyond, its products are no numbers any more
MOST_SEED = 2**62  # seeds of parts are counted up from it


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
    parameters: dict[str, Any], groups: Sequence[Observed], n_ties: int | None = None, clustered: bool = False
) -> FitSettings:
    """The settings of a fit from an estimator's parameters and the data it is to see.

    Where `groups` are only a sample, `n_ties` says how many ties there are in all. `clustered`: what belongs together
    is told apart from the agents.
    """
    features = groups[0].features
    levels = whole("levels", parameters["levels"], 1, MOST_LEVELS)
    rewards = _rewards(parameters["reward"], levels)
    for reward in rewards:
        reward.bounds(features)  # unknown feature names are refused here
        _check_context(reward, groups)
        reward.check(groups[0].alternatives)
    rewards = tuple(reward.among(features) for reward in rewards)
    alpha = _for_each_level("alpha", parameters["alpha"], levels)
    epsilon = _for_each_level("epsilon", parameters["epsilon"], levels)
    likelihood: Likelihood
    if isinstance(groups[0], Choices):
        likelihood = Sets.for_data(parameters["ties"], groups, epsilon)  # type: ignore[arg-type]
        _check_sensitivities(rewards, alpha)
    else:
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
    with_agents = clustered or all(group.agent is not None for group in groups)
    if parameters["standard_errors"] == "clustered" and not with_agents:
        raise DataError(
            "standard_errors", expected="preferences with an agent for clustered errors", got="none",
            fix="give the agents, or use standard_errors='robust'",
        )  # fmt: skip
    method = one_of("method", parameters["method"], METHODS)
    lapse = _checked_lapse(parameters["lapse"]) if method == "newton" else 0.0  # the paper knows no slips
    return FitSettings(
        specification=Specification(rewards, tuple(inside_epsilon), tuple(inside_alpha), likelihood, features, lapse),
        alpha=alpha,
        prior=checked_prior(parameters["prior"]),
        method=method,
        starts=whole("starts", parameters["starts"], 1, MOST_STARTS),
        seed=whole("seed", parameters["seed"], 0, MOST_SEED),
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


def _check_sensitivities(rewards: Sequence[Reward], alpha: Sequence[float | None]) -> None:
    """The sensitivity of rewards without a free scale is learned from pairs alone."""
    for level, (reward, given) in enumerate(zip(rewards, alpha, strict=True)):
        if given is None and not reward.free_scale:
            raise InputError(
                f"alpha of level {level + 1}", expected="a number where alternatives come in sets", got="None",
                fix="fix it, for example alpha=1",
            )  # fmt: skip


def _check_context(reward: Reward, groups: Sequence[Observed]) -> None:
    """A context is shared by all alternatives of a choice and differs between choices."""
    for name in reward.context:
        place = groups[0].features.index(name)
        pairs = [group.as_pairs() if isinstance(group, Choices) else group for group in groups]
        left, right = (
            np.concatenate([side(group)[:, place] for group in pairs])
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
        absurd = number and value != 0 and not SMALLEST <= abs(float(value)) <= LARGEST
        wrong = not number or value < 0 or (value == 0 and name == "alpha")
        if value is not None and (wrong or absurd):
            within = f", between {SMALLEST:g} and {LARGEST:g}" if absurd else ""
            raise InputError(
                name,
                expected=f"None (learned) or a number {least}{within}",
                got=repr(value)[:80],
                fix=f"leave it to be learned: {name}=None (--{name} learned)",
            )
    if len(values) != levels:
        raise InputError(
            name, expected=f"one value, or one for each of the {levels} levels", got=f"{len(values)} values",
            fix="give as many as levels; None where it is to be learned",
        )  # fmt: skip
    return tuple(None if value is None else float(value) for value in values)


def _checked_lapse(given: Any) -> float | None:
    number = isinstance(given, numbers.Real) and not isinstance(given, bool)
    if given is not None and not (number and 0 <= float(given) < 1):
        raise InputError(
            "lapse", expected="None (learned) or a rate of slips from 0 to below 1", got=repr(given),
            fix="leave it to be learned: lapse=None (--lapse learned)",
        )  # fmt: skip
    return None if given is None else float(given)


def checked_prior(given: Any) -> Prior | None:
    if given is None or isinstance(given, Prior):
        return given
    if given == "weak":
        return Prior()
    raise InputError("prior", expected="'weak', None or a lori.Prior", got=repr(given), fix="use prior='weak'")
