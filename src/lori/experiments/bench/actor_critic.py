"""Learning by trying with networks: does the actor-critic reach the exact plan's first level, and keep the second?

And where no exact plan is known, on a cart with a pole: does it keep the first level without fault?
"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

from lori.experiments.bench.contest import Measured, Row, Seconds
from lori.policies.actor_critic import actor_critic
from lori.policies.environments import make_environment, run_episodes
from lori.policies.finite.lexicographic import plan_lexicographic
from lori.policies.finite.mdp import FiniteMDP
from lori.policies.levels import EpisodeLevels

ENOUGH = 0.95  # of what the exact plan's first level gets
ROUNDING = 1e-6  # of the second level, which is to be the exact one
CASES: dict[str, tuple[str, list[float | None], list[int], int, int]] = {  # the last number: tries
    "sea: treasure up to 20, then time": ("deep-sea-treasure-concave-v0", [20.0, None], [0, 1], 60, 1),
    "fruit: protein up to 7, then carbs": ("fruit-tree-v0", [7.0, None], [0, 1], 10, 4),
}


@dataclass(frozen=True)
class ActorCriticBench:
    """How long, and how often."""

    seeds: tuple[int, ...] = tuple(range(100, 105))
    """Seeds; settings were chosen on others, from 1000 on."""
    updates: int = 250
    """Of both networks in each try, 32 episodes each."""
    cart_updates: int = 104
    """Of the cart's networks: 32 episodes of 300 steps each make a million steps."""
    cases: tuple[str, ...] = tuple(CASES)
    """What is learned, and compared with the exact plan."""


SMOKE = ActorCriticBench((100,), 2, 2, ("fruit: protein up to 7, then carbs",))


def measure(settings: ActorCriticBench) -> Measured:
    measured = Measured()
    for name in settings.cases:
        code, thresholds, order, horizon, tries = CASES[name]
        mdp = FiniteMDP.explore(make_environment(code))
        plan = plan_lexicographic(mdp, thresholds, order=order, horizon=horizon, reading="deterministic")
        levels = EpisodeLevels.of(len(mdp.objectives), order, thresholds, 1.0)
        exact = levels.counted(plan.values)
        times, told, right = [], [], 0
        for seed in settings.seeds:
            started = process_time()
            learned = actor_critic(
                make_environment(code), thresholds, order=order, horizon=horizon, seed=seed,
                updates=tries * settings.updates, tries=tries,
            )  # fmt: skip
            times.append(process_time() - started)
            right += bool(learned.values[0] >= ENOUGH * exact[0] and learned.values[1] >= exact[1] - ROUNDING)
            told.append(", ".join(f"{value:.4g}" for value in learned.values))
        count = len(settings.seeds)
        note = f"exact {', '.join(f'{value:.4g}' for value in exact)}; learned {'; '.join(told)}"
        measured.rows.append(
            Row(name, "lexicographic actor-critic", Seconds(tuple(times)), None, note, {"right": float(right)})
        )
        measured.claim(f"{name}: share of seeds that reach both levels", right / count, 0.8, at_least=True)
    _cart(settings, measured)
    return measured


def _cart(settings: ActorCriticBench, measured: Measured) -> None:
    from lori.experiments.bench.cart import STEPS, Cart

    name = "cart: in the middle, then upright"
    for contestant, order in (("lexicographic actor-critic", [0, 1]), ("actor-critic, upright alone", [1])):
        times, told, safe = [], [], 0
        for seed in settings.seeds:
            started = process_time()
            learned = actor_critic(Cart(), order=order, horizon=STEPS, seed=seed, updates=settings.cart_updates)
            times.append(process_time() - started)
            outside, upright = abs(run_episodes(Cart(), learned, episodes=100, horizon=STEPS, seed=seed).means)
            safe += not outside
            told.append(f"{outside:.3g}, {upright:.0f}")
        note = f"steps outside and sum of 1 + cos of the angle, mean of 100 further episodes: {'; '.join(told)}"
        measured.rows.append(Row(name, contestant, Seconds(tuple(times)), None, note, {"safe": float(safe)}))
        if len(order) > 1:
            measured.claim(f"{name}: share of seeds never outside", safe / len(settings.seeds), 0.8, at_least=True)
