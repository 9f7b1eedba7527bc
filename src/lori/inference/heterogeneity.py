"""Heterogeneity: how well do people explain the data whose rewards differ? A mixed model, by quasi-Monte Carlo.

Every agent has reward parameters of their own, normal around those of all, θ_agent ~ N(μ, diag(σ²)) in standardised
units and within the bounds; thresholds, α and whatever else a specification learns are common to all. With one level
and no threshold this is the mixed logit. What is integrated out is an agent's deviation from the mean,

    log L = Σ_agents log mean_r Π_rows of the agent p(row | θ_agent,r)^weight

over draws from one scrambled Sobol sequence, of which every agent has a stretch of their own. Any specification and
kind of observation will do: rows are known through `Specification.log_probability` alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lori.inference.blocks import Evaluation
from lori.inference.problem import Problem
from lori.inference.threads import cut, together
from lori.model.engines import compiled, jax, jnp
from lori.model.likelihoods.base import Rows
from lori.model.likelihoods.derivatives import Derivatives
from lori.model.precision import double_precision
from lori.model.specification import Parameters, Specification

DRAWS = 128  # for each agent, a power of two: every stretch of the sequence is then spread evenly
TOGETHER = range(4, 17)  # rows of one agent that are computed at a time: such that few are padded
ELEMENTS = 1 << 16  # rows × draws that are in memory at a time
ALIKE = 64  # numbers of agents that share compiled code
SPREADS = (0.1, 0.3, 1.0, 2.0)  # where the search starts: deviations, as multiples of a typical weight
LEAST = 1e-3  # log-odds; a smaller deviation is none, and at zero its gradient vanishes
ENOUGH = 1e-3  # units of log-likelihood by which a step of the search must still improve


@dataclass(frozen=True)
class Mixed:
    """The best parameters of a mixed problem: those of the mean, then deviations of the ones that vary."""

    vector: np.ndarray
    log_likelihood: float
    converged: bool


@dataclass(frozen=True, eq=False)
class MixedProblem:
    """A problem whose reward parameters vary between agents. Vectors are [mean of all parameters | deviations]."""

    problem: Problem  # of one group, in memory
    agent: np.ndarray  # (observations,) the number of each observation's agent, from 0
    draws: int = DRAWS

    @property
    def specification(self) -> Specification:
        return self.problem.specification

    @property
    def agents(self) -> int:
        return int(self.agent.max()) + 1

    @cached_property
    def varying(self) -> tuple[int, ...]:
        """Places of the parameters that vary."""
        return varying(self.specification)

    @property
    def size(self) -> int:
        return self.specification.size + len(self.varying)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        lower, upper = self.specification.bounds
        count = len(self.varying)
        return np.append(lower, np.full(count, LEAST)), np.append(upper, np.full(count, np.inf))

    # -- how well do given parameters explain the data? ------------------------------------------------------

    @double_precision
    def by_agent(self, vector: np.ndarray) -> np.ndarray:
        """(agents,) the log-likelihood of all that an agent chose."""
        found = [
            np.asarray(_by_agent(self.specification, self.varying, vector, draws, rows))[:count]
            for count, draws, rows in self._parts
        ]
        return np.concatenate(found)

    def evaluate(self, vector: np.ndarray) -> Evaluation:
        """The negative log-posterior, up to a constant, and its gradient; a deviation has the prior of its mean."""

        @double_precision
        def of_part(part: tuple[int, Any, Any]) -> Evaluation:
            return Evaluation(*map(np.asarray, _evaluate(self.specification, self.varying, vector, *part[1:])))

        first, *others = together(of_part, self._parts) if len(self._parts) > 1 else map(of_part, self._parts)
        return sum(others, start=first) + self._penalty(vector)

    def _penalty(self, vector: np.ndarray) -> Evaluation:
        places = np.array(self.varying)
        mean, spread, none = (self.problem.penalty(own, order=1) for own in self._vectors(vector))
        assert mean.gradient is not None
        assert spread.gradient is not None
        return Evaluation(mean.value + spread.value - none.value, np.append(mean.gradient, spread.gradient[places]))

    def _vectors(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The mean, and the same with deviations, and with zeros, where parameters vary."""
        mean, places = vector[: self.specification.size], np.array(self.varying)
        spread, none = mean.copy(), mean.copy()
        spread[places], none[places] = vector[self.specification.size :], 0.0
        return mean, spread, none

    # -- which parameters explain them best? -----------------------------------------------------------------

    def solve(self, mean: np.ndarray, iterations: int = 200) -> Mixed:
        """By L-BFGS-B, from a mean (the optimum of people who are all alike) and the best of a few deviations."""
        from scipy.optimize import minimize  # slow to import

        places = np.array(self.varying)
        typical = max(float(np.sqrt(np.mean(mean[places] ** 2))), 0.1)
        starts = [np.append(mean, np.full(len(places), typical * spread)) for spread in SPREADS]
        start = min(starts, key=lambda vector: float(self.evaluate(vector).value))

        def value_and_gradient(vector: np.ndarray) -> tuple[float, np.ndarray]:
            found = self.evaluate(vector)
            assert found.gradient is not None
            return float(found.value), found.gradient

        scale = max(1.0, float(self.evaluate(start).value))
        end = minimize(
            value_and_gradient, start, jac=True, method="L-BFGS-B", bounds=list(zip(*self.bounds, strict=True)),
            options={"maxiter": iterations, "maxcor": 20, "ftol": ENOUGH / scale, "gtol": 1e-3},
        )  # fmt: skip
        return Mixed(end.x, float(self.by_agent(end.x).sum()), bool(end.success))

    # -- rows and draws, as compiled code has them -------------------------------------------------------------

    @cached_property
    def _parts(self) -> list[tuple[int, np.ndarray, dict[str, Any]]]:
        """Some of the agents for each core: how many they are, their draws (agents, draws, varying), and for each kind
        their rows in blocks; agents are padded."""
        (observations,) = self.problem.source.observations  # type: ignore[attr-defined]
        own = {kind: (rows, self.agent[rows.origin]) for kind, rows in observations.kinds.items() if len(rows)}
        draws, parts = normal_draws(self.agents, self.draws, len(self.varying)), []
        for some in cut(self.agents, least=2 * ALIKE):
            count = some.stop - some.start
            padded = np.zeros((-(-count // ALIKE) * ALIKE, *draws.shape[1:]))
            padded[:count] = draws[some]
            rows = {kind: self._laid_out(kept, agent, some) for kind, (kept, agent) in own.items()}
            parts.append((count, padded, {kind: laid for kind, laid in rows.items() if laid is not None}))
        return parts

    def _laid_out(self, rows: Rows, agent: np.ndarray, some: slice) -> tuple[Any, ...] | None:
        """The rows of some of the agents in blocks; None where there are none."""
        theirs = np.flatnonzero((agent >= some.start) & (agent < some.stop))
        if not len(theirs):
            return None
        scaling = self.problem.scaling
        return _blocks(
            (rows.alternatives()[theirs] - scaling.location) / scaling.scale,
            rows.weight[theirs], agent[theirs] - some.start, ELEMENTS // self.draws,
        )  # fmt: skip


def varying(specification: Specification) -> tuple[int, ...]:
    """Places of the parameters that vary between agents: those of the rewards."""
    return tuple(int(place) for place in np.unique(np.concatenate(specification.reward_slots)))


def normal_draws(agents: int, draws: int, dimensions: int, seed: int = 0) -> np.ndarray:
    """(agents, draws, dimensions) standard normal, consecutive stretches of a scrambled Sobol sequence."""
    from scipy import special
    from scipy.stats import qmc  # slow to import

    power = (agents * draws - 1).bit_length()
    uniform = qmc.Sobol(dimensions, seed=seed).random_base2(power)[: agents * draws]
    tiny = np.finfo(float).eps
    return special.ndtri(np.clip(uniform, tiny, 1 - tiny)).reshape(agents, draws, dimensions)


def _blocks(rows: np.ndarray, weight: np.ndarray, agent: np.ndarray, elements: int) -> tuple[Any, ...]:
    """Rows (blocks, chunks, rows, alternatives, features), their weights, and each chunk's agent.

    A chunk has rows of one agent; what is missing has weight 0 and repeats a row, which keeps derivatives finite.
    """
    order = np.argsort(agent, kind="stable")
    counts = np.bincount(agent)
    size = min(TOGETHER, key=lambda size: (size + 1) * np.sum(-(-counts // size)))
    chunks = -(-counts // size)
    owner = np.repeat(np.arange(len(counts)), chunks)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(chunks) - chunks, chunks)  # among those of its agent
    place = size * number[:, None] + np.arange(size)
    there = place < counts[owner][:, None]
    first = np.cumsum(counts) - counts
    taken = order[np.where(there, first[owner][:, None] + place, first[owner][:, None])]
    together = max(1, elements // size)
    blocks = -(-len(owner) // together)
    step = 1 << max(0, blocks.bit_length() - 4)  # data of similar size share compiled code
    padding = -(-blocks // step) * step * together - len(owner)

    def laid(values: np.ndarray) -> np.ndarray:
        padded = np.concatenate([values, np.repeat(values[:1], padding, axis=0)])
        return padded.reshape(-1, together, *values.shape[1:])

    seen = np.concatenate([np.where(there, weight[taken], 0.0), np.zeros((padding, size))])
    return laid(rows[taken]), seen.reshape(-1, together, size), laid(owner)


def _log_probabilities(specification: Specification, kind: str) -> Callable[..., jax.Array]:
    """A function of (gaps of each level, parameters common to all) whose gradient is the likelihood's closed form."""

    def found(gaps: list[jax.Array], common: Parameters) -> Derivatives:
        flat = [gap.reshape(1, -1) for gap in gaps]
        return specification.derivatives(kind, jax.tree.map(lambda part: part[None], common), flat)

    @jax.custom_vjp
    def logs(gaps: list[jax.Array], common: Parameters) -> jax.Array:
        return found(gaps, common).value.reshape(gaps[0].shape)

    def forward(gaps: list[jax.Array], common: Parameters) -> tuple[jax.Array, Any]:
        own = found(gaps, common)
        return own.value.reshape(gaps[0].shape), (own.gradient, own.lapse, common)

    def backward(kept: Any, change: jax.Array) -> tuple[Any, Any]:
        gradient, lapse, common = kept
        by_gap = [change * slope.reshape(change.shape) for slope, _ in gradient]
        by_threshold = jnp.stack([jnp.vdot(change, slope) for _, slope in gradient])
        by_lapse = jnp.zeros(()) if lapse is None else jnp.vdot(change, lapse.first)
        return by_gap, common._replace(alpha=jnp.zeros_like(common.alpha), epsilon=by_threshold, lapse=by_lapse)

    logs.defvjp(forward, backward)
    return logs


def _log_mean(
    specification: Specification, places: tuple[int, ...], vector: jax.Array, draws: jax.Array, rows: dict[str, Any]
) -> jax.Array:
    """(agents,) log mean_r Π p(row | θ_agent,r)^weight, block by block: what a block needs is computed twice."""
    mean, deviation, slots = vector[: specification.size], vector[specification.size :], np.array(places)
    lower, upper = (jnp.asarray(bound[slots]) for bound in specification.bounds)
    alpha, epsilon = specification.unpack(mean)[1:3]
    common = specification.unpack(mean)._replace(rewards=(), alpha=jnp.ones_like(alpha), epsilon=alpha * epsilon)

    def gaps(alternatives: jax.Array, agent: jax.Array) -> list[jax.Array]:
        """For each level (draws, rows), of some rows of one agent."""

        def single(normal: jax.Array) -> list[jax.Array]:
            own = mean.at[slots].set(jnp.clip(mean[slots] + deviation * normal, lower, upper))
            parameters = specification.unpack(own)
            return jax.vmap(lambda row: specification.scaled(parameters, row)[0])(alternatives)

        return jax.vmap(single)(draws[agent])

    total = jnp.zeros(draws.shape[:2])
    for kind, (alternatives, weight, agent) in rows.items():
        log_probabilities = _log_probabilities(specification, kind)

        @jax.checkpoint
        def block(own: Any, log_probabilities: Any = log_probabilities) -> jax.Array:
            logs = log_probabilities(jax.vmap(gaps)(own[0], own[2]), common)
            return jnp.einsum("cdr,cr->cd", logs, own[1])

        logs = jax.lax.map(block, (alternatives, weight, agent))
        total = total.at[agent.reshape(-1)].add(logs.reshape(-1, draws.shape[1]))
    return jax.nn.logsumexp(total, axis=1) - jnp.log(draws.shape[1])


_by_agent = compiled(_log_mean)


@compiled
def _evaluate(
    specification: Specification, places: tuple[int, ...], vector: jax.Array, *data: Any
) -> tuple[jax.Array, jax.Array]:
    return jax.value_and_grad(lambda own: -jnp.sum(_log_mean(specification, places, own, *data)))(vector)
