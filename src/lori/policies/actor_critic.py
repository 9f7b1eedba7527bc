"""Lexicographic actor-critic: what should one do in a world that cannot be listed?

A network acts, another one values each level, and levels are learned in stages, the first one first. In stage i the
actor climbs the advantage

    A = Σ_{k ≤ i} c_k A_k,    c_k = β_k + λ_k Σ_{k < j ≤ i} β_j,

of its levels, each in units of its spread, by clipped steps (Schulman et al. 2017). The multiplier λ_k grows while
level k is below the best that it had, less its slack, and shrinks otherwise (Skalse et al. 2022, lexicographic policy
gradients; λ is on the slower time scale). A threshold is one on whole episodes: min(R_k, threshold_k) counts.

Guarantee. With a policy for each state, exact gradients and step sizes on two time scales, the published scheme
converges to a policy of which no small change is lexicographically better. With networks, samples and steps of fixed
size nothing of this is proved, and a local optimum is not a global one. What does hold: every few updates the policy
without chance is followed in the same episodes, and the one that is kept is better than all before it, level by level,
as far as these episodes tell. Several seeds that agree are the check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from lori.errors import InputError, whole
from lori.policies.checkpoints import Checkpoint, read_checkpoint, write_checkpoint
from lori.policies.copies import Copies, Experience
from lori.policies.finite.exploration import check_rewards, objective_count, objective_names, own_limit, steps_of
from lori.policies.gradients import Learned, advantages, climbed, padded
from lori.policies.levels import EpisodeLevels
from lori.policies.observing import Observing
from lori.policies.policy import layers, random_parameters

LOWER = 0.5  # β of a level, of that above it
FIRMER, SOFTER = 0.5, 0.95  # a multiplier's growth for each spread below the best, and its decay
JUDGED = 5  # updates between two looks at the policy without chance
SURE = 2.0  # standard errors: smaller differences of means are none
ASTRAY = 0.1  # spreads of a level that trying things out may cost it
QUIET = 0.01  # spreads of a level: less is no signal


@dataclass(frozen=True)
class ActorCriticSettings:
    """How an actor and its critic are trained."""

    environments: int = 32
    """Episodes of an update, side by side."""
    hidden: tuple[int, ...] = (64,)
    """Units of the layers of both networks."""
    learning_rate: float = 0.01
    """Of Adam, at first; it falls to a tenth of that."""
    entropy: float = 0.05
    """What variety of actions is worth; in the last stage it falls to nearly nothing."""
    tries: int = 1
    """So often training begins anew, with networks drawn afresh and an equal share of the updates; the best policy of
    all is kept. Where a later level has local optima, several short tries do more than a long one."""


@dataclass(eq=False)
class ActorCritic:
    """Networks that grow with experience. `learn` takes so many updates in all: one that was stopped goes on."""

    env: Any
    levels: EpisodeLevels
    slack: tuple[float, ...]
    horizon: int
    seed: int
    settings: ActorCriticSettings

    def __post_init__(self) -> None:
        count, own = objective_count(self.env), self.settings
        self.objectives = objective_names(self.env, count)
        self._begin(0)
        self._copies, self._generator = Copies(self.env, own.environments), np.random.default_rng([self.seed, 2])
        self._judging = np.random.default_rng([self.seed, 3]).integers(2**31, size=own.environments)
        self.updates, self._kept, self.values = 0, self._learned, np.full(len(self.levels.order), -np.inf)

    def _begin(self, number: int) -> None:
        """Networks drawn afresh, for a try counted from 0."""
        own, depth, more = self.settings, len(self.levels.order), [number] if number else []
        self.policy = Observing.for_environment(self.env, self.levels, own.hidden, self.horizon, [self.seed, *more])
        critic = random_parameters(np.random.default_rng([self.seed, 1, *more]), self.policy.inputs, own.hidden, depth)
        start = Learned(self.policy.parameters, self.policy.spread, critic)
        self._learned = jax.tree.map(lambda part: jnp.asarray(part, jnp.float32), start)
        self._memory = optax.adam(1.0).init(self._learned)
        self.multipliers, self._best, self._scale = np.zeros(depth), np.full(depth, -np.inf), np.full(depth, 1e-9)

    # -- learning ----------------------------------------------------------------------------------------

    def learn(
        self,
        updates: int,
        *,
        checkpoint: str | Path | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ActorCritic:
        """Train until so many updates are done in all, an equal share for each try, and there for each level."""
        depth, tries = len(self.levels.order), self.settings.tries
        whole("updates", updates, depth * whole("tries", tries, 1))
        if checkpoint is not None and Path(checkpoint).exists():
            self._restore(read_checkpoint(checkpoint, "actor-critic", self._made_for()))
        while self.updates < updates:
            number, before = (done * tries // updates for done in (self.updates, self.updates - 1))
            if number > before and number:
                self._begin(number)
            stage, inside = divmod(self.updates * tries * depth / updates - number * depth, 1)
            self._update(int(stage), inside)
            self.updates += 1
            if self.updates % JUDGED == 0 or self.updates == updates:
                self._judge()
                if checkpoint is not None:
                    write_checkpoint(checkpoint, "actor-critic", self._made_for(), self._state())
            if progress is not None:
                progress(self.updates, updates)
        self.policy = self._following(self._kept)
        return self

    def act(self, observed: Any, step: int, total: np.ndarray) -> Any:
        """What the best policy so far does, so that episodes can follow the learner itself."""
        return self.policy.act(observed, step, total)

    def _following(self, learned: Learned) -> Observing:
        actor, spread = np.asarray(learned.actor, float), np.asarray(learned.spread, float)
        return replace(self.policy, parameters=actor, spread=spread)

    def _episodes(self, policy: Observing, seeds: Any, likeliest: bool) -> Experience:
        fast = replace(policy, parameters=policy.parameters.astype(np.float32))

        def choose(observed: np.ndarray, step: int, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            outputs = fast.outputs(fast.seen(observed, step, totals))
            chosen = fast.likeliest(outputs) if likeliest else fast.drawn(self._generator, outputs)
            return chosen, fast.for_env(chosen)

        return self._copies.run(
            choose, seeds, objectives=len(self.objectives), discount=self.levels.discount, horizon=self.horizon
        )

    def _update(self, stage: int, inside: float) -> None:
        policy = self._following(self._learned)
        seeds = self._generator.integers(2**31, size=len(self._copies))
        seen = self._episodes(policy, seeds, likeliest=False)
        steps = len(seen.alive)
        counted = self.levels.counted(seen.totals[-1])
        self._scale = np.maximum(self._scale, counted.std(axis=0))
        self._weigh(counted / self._scale, stage)
        gains = np.stack([self.levels.gained(seen.totals[t], seen.totals[t + 1], t) for t in range(steps)])
        inputs = np.stack([policy.seen(seen.observed[t], t, seen.totals[t]) for t in range(steps)])
        values = layers(np.asarray(self._learned.critic), inputs, self.settings.hidden, len(self._best))
        ahead = advantages(gains / self._scale, values, seen.alive, self.levels.discount)
        rows = seen.alive
        unit = np.ones(len(self._best))
        unit[stage] = max(ahead[rows][:, stage].std(), QUIET)  # what is learned now, in units of its present spread
        together = (ahead[rows] / unit) @ self._weights(stage)
        spread = together.std()
        together = (together - together.mean()) / (spread if spread > 1e-8 else 1.0)
        batch = padded(
            inputs[rows], seen.actions[rows], together.astype(np.float32),
            (ahead + values)[rows].astype(np.float32), np.ones(int(rows.sum()), np.float32),
        )  # fmt: skip
        rate = self.settings.learning_rate * (1 - 0.9 * (stage + inside) / len(self._best))
        last = stage == len(self._best) - 1
        entropy = self.settings.entropy * (1 - inside if last else 1)  # what is settled early cannot be given up later
        self._learned, self._memory = climbed(
            replace(policy, parameters=np.zeros(0), spread=np.zeros(0)), self._learned, self._memory, batch,
            np.float32(rate), np.float32(entropy),
        )  # fmt: skip

    def _weigh(self, scaled: np.ndarray, stage: int) -> None:
        """Multipliers grow where a level lost what it had; lower levels are then not judged."""
        means, errors = scaled.mean(axis=0), scaled.std(axis=0) / np.sqrt(len(scaled))
        for level in range(stage):
            allowed = self.slack[level] / self._scale[level] + max(SURE * errors[level], ASTRAY)
            short = self._best[level] - allowed - means[level]
            if short > 0:
                self.multipliers[level] += FIRMER * short
                break
            self.multipliers[level] *= SOFTER
        self._best[stage] = max(self._best[stage], means[stage])

    def _weights(self, stage: int) -> np.ndarray:
        """c_k of each level, zero below the stage."""
        share = np.where(np.arange(len(self._best)) <= stage, LOWER ** np.arange(len(self._best)), 0.0)
        below = share.sum() - np.cumsum(share)
        return share + self.multipliers * below

    def _judge(self) -> None:
        """Keep the policy if it is better, without chance, on the same episodes."""
        seen = self._episodes(self._following(self._learned), self._judging, likeliest=True)
        counted = self.levels.counted(seen.totals[-1])
        means, errors = counted.mean(axis=0), counted.std(axis=0) / np.sqrt(len(counted))
        for level, (mean, kept) in enumerate(zip(means, self.values, strict=True)):
            near = max(self.slack[level], SURE * errors[level], 1e-9 * abs(mean))
            if not abs(mean - kept) <= near:
                if mean > kept:
                    self._kept, self.values = self._learned, means
                return

    # -- checkpoints ---------------------------------------------------------------------------------------

    def _made_for(self) -> dict[str, Any]:
        own = self.settings
        return {
            "objectives": list(self.objectives), "order": list(self.levels.order), "seed": self.seed,
            "thresholds": [None if np.isinf(t) else t for t in self.levels.thresholds], "slack": list(self.slack),
            "discount": self.levels.discount, "horizon": self.horizon, "environments": own.environments,
            "hidden": list(own.hidden), "learning_rate": own.learning_rate, "entropy": own.entropy,
            "tries": own.tries,
        }  # fmt: skip

    def _state(self) -> Checkpoint:
        parts = jax.tree.leaves((self._learned, self._memory, self._kept))
        arrays = {f"part{i}": np.asarray(part) for i, part in enumerate(parts)}
        own = {"multipliers": self.multipliers, "best": self._best, "scale": self._scale, "values": self.values}
        return Checkpoint({**arrays, **own}, self.updates, self._generator.bit_generator.state)

    def _restore(self, found: Checkpoint) -> None:
        whole_tree = (self._learned, self._memory, self._kept)
        leaves = [jnp.asarray(found.arrays[f"part{i}"]) for i in range(len(jax.tree.leaves(whole_tree)))]
        self._learned, self._memory, self._kept = jax.tree.unflatten(jax.tree.structure(whole_tree), leaves)
        self.multipliers, self._best = found.arrays["multipliers"].copy(), found.arrays["best"].copy()
        self._scale, self.values = found.arrays["scale"].copy(), found.arrays["values"].copy()
        self.updates, self._generator.bit_generator.state = found.done, found.random


def actor_critic(
    env: Any,
    thresholds: Sequence[float | None] | None = None,
    *,
    order: Sequence[int] | None = None,
    slack: Sequence[float] | None = None,
    discount: float = 1.0,
    horizon: int | None = None,
    updates: int = 300,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Any,
) -> ActorCritic:
    """Learn by trying, for environments that cannot be listed, also with actions by amounts.

    `thresholds`, `order` and `slack` are as in `plan_lexicographic`, thresholds on whole episodes; other settings are
    those of `ActorCriticSettings`. The result's `policy` can be followed, saved and loaded; its `values` are what
    counts of it for each level. With `checkpoint` the state is written every few updates, and the same call goes on
    from there.
    """
    check_rewards(env)
    levels = EpisodeLevels.of(objective_count(env), order, thresholds, discount)
    slacks = tuple(0.0 for _ in levels.order) if slack is None else tuple(map(float, slack))
    if len(slacks) != len(levels.order) or min(slacks) < 0:
        raise InputError(
            "slack", expected=f"a number from 0 for each of the {len(levels.order)} levels", got=str(slack)[:60],
            fix="leave it out for none",
        )  # fmt: skip
    steps = steps_of(horizon, own_limit(env))
    known = ActorCriticSettings.__dataclass_fields__
    unknown = [name for name in settings if name not in known]
    if unknown:
        raise InputError("settings", expected=f"some of {', '.join(known)}", got=unknown[0], fix="use these names")
    learner = ActorCritic(env, levels, slacks, steps, whole("seed", seed, 0), ActorCriticSettings(**settings))
    return learner.learn(updates, checkpoint=checkpoint, progress=progress)
