"""Planning: are plans exact in MO-Gymnasium's worlds for every order of the objectives, and how fast are they?

Deep Sea Treasure (both maps), Resource Gathering, Four Room, Fruit Tree (depth 5 and 6) and the deterministic Minecart
as far as it can be listed. The answers are chosen by a plain restatement, level after level, from the Pareto front that
the environment publishes, or else from a list made in another way: all sequences of actions in Minecart, shortest paths
in Four Room, living paths in Resource Gathering. Times are those of the processor: the work is on one core.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import permutations
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse

from lori.errors import MissingExtra
from lori.experiments.bench.contest import Measured, Row, Seconds
from lori.policies.finite.exploration import as_meant
from lori.policies.finite.fronts import front, undominated
from lori.policies.finite.lexicographic import plan_lexicographic
from lori.policies.finite.mdp import FiniteMDP

STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
WORLDS: dict[str, tuple[str, dict[str, Any], float, int, int | None]] = {  # id, options, discount, horizon, explored
    "deep sea treasure, convex": ("deep-sea-treasure-v0", {}, 1.0, 60, None),
    "deep sea treasure, concave": ("deep-sea-treasure-concave-v0", {}, 1.0, 60, None),
    "resource gathering": ("resource-gathering-v0", {}, 0.9, 60, None),
    "fruit tree, depth 5": ("fruit-tree-v0", {"depth": 5}, 1.0, 10, None),
    "fruit tree, depth 6": ("fruit-tree-v0", {"depth": 6}, 1.0, 10, None),
    "minecart, 6 steps": ("minecart-deterministic-v0", {}, 1.0, 6, 6),
    "four room": ("four-room-v0", {}, 1.0, 50, None),
}


@dataclass(frozen=True)
class PlanningSettings:
    """What is planned."""

    worlds: tuple[str, ...] = tuple(WORLDS)
    """Environments; Four Room has 593 920 states and takes minutes to explore."""
    thresholds: int = 20
    """Thresholds for every order of the objectives."""
    orders: int = 720
    """Orders of the objectives at most."""
    cells: int = 100
    """The grid of the linear programme has so many cells in each direction."""


SMOKE = PlanningSettings(("deep sea treasure, concave",), 3, 2, 8)


def measure(settings: PlanningSettings) -> Measured:
    measured = Measured()
    for name in settings.worlds:
        _world(measured, name, settings)
    _grid(measured, settings.cells)
    return measured


def _world(measured: Measured, name: str, settings: PlanningSettings) -> None:
    try:
        import mo_gymnasium
    except ImportError:
        raise MissingExtra("mo-gymnasium", "rl") from None
    code, options, discount, horizon, explored = WORLDS[name]
    started = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = mo_gymnasium.make(code, **options)
        mdp = FiniteMDP.explore(env, horizon=explored)
    exploring = process_time() - started
    started = process_time()
    known = front(mdp, discount, horizon)
    fronting = process_time() - started
    assert known is not None
    points = _listed(env, mdp, name, discount, horizon)
    same = _agree(known.values, points)
    times, right, count = [], 0, 0
    for seed, order in enumerate(list(permutations(range(points.shape[1])))[: settings.orders]):
        for thresholds in _drawn(points, order, settings.thresholds, seed):
            started = process_time()
            plan = plan_lexicographic(
                mdp, thresholds, order=order, discount=discount, horizon=horizon, reading="deterministic"
            )
            times.append(process_time() - started)
            right += np.allclose(plan.values, _best(points, order, thresholds), atol=1e-6)
            count += 1
    note = (
        f"{mdp.states:,} states explored in {exploring:.1f} s; front in {fronting:.2f} s; {right:,} of {count:,} right"
    )
    measured.rows.append(Row(name, "a plan", Seconds(tuple(times)), None, note,
                             {"right": float(right), "plans": float(count), "front": fronting}))  # fmt: skip
    measured.claim(
        f"{name}: share of exact plans", right / count if same else 0.0, 1.0, at_least=True, at_any_size=True
    )
    measured.claim(f"{name}: processor seconds of the slowest plan, front included", fronting + max(times), 1.0)


def _listed(env: Any, mdp: FiniteMDP, name: str, discount: float, horizon: int) -> np.ndarray:
    """The front by other means than the planner's."""
    if name.startswith("minecart"):
        points = _all_sequences(mdp, horizon)
    elif name == "four room":
        points = _shortest_paths(env.unwrapped, mdp, horizon)
    elif name == "resource gathering":
        points = living_paths(discount)
    else:
        points = np.array(env.unwrapped.pareto_front(discount))
    if name.startswith("fruit"):
        points = np.array([as_meant(point.astype(np.float32)) for point in points])
    return points[undominated(points)]


def _all_sequences(mdp: FiniteMDP, horizon: int) -> np.ndarray:
    assert mdp.successors is not None
    ended, states, gathered = [], np.flatnonzero(mdp.start), np.zeros((1, mdp.rewards.shape[2]))
    for _ in range(horizon):
        after, total = mdp.successors[states], gathered[:, None] + mdp.rewards[states]
        ended.append(total[after < 0])
        states, gathered = after[after >= 0], total[after >= 0]
    return np.unique(np.concatenate([*ended, gathered]).round(12), axis=0)


def _shortest_paths(env: Any, mdp: FiniteMDP, horizon: int) -> np.ndarray:
    """Items are gathered once, so a state tells what was gathered, and only how soon it can be reached matters."""
    from scipy.sparse.csgraph import dijkstra

    assert mdp.successors is not None
    assert mdp.observations is not None
    rows, columns = np.nonzero(mdp.successors >= 0)
    onward = sparse.csr_array(
        (np.ones(len(rows)), (rows, mdp.successors[rows, columns])), shape=(mdp.states, mdp.states)
    )
    soonest = dijkstra(onward, unweighted=True, indices=int(np.flatnonzero(mdp.start)[0]))
    kinds = np.zeros((len(env.shape_ids), 3))
    for place, item in env.shape_ids.items():
        kinds[item, int(env.maze[place]) - 1] = 1.0
    gathered = mdp.observations[:, 2:] @ kinds
    at_goal = (mdp.successors < 0).any(axis=1) & (soonest + 1 <= horizon)
    return np.unique(np.concatenate([gathered[soonest <= horizon], gathered[at_goal] + 1.0]), axis=0)


def living_paths(discount: float, longest: int = 18, most_enemies: int = 2) -> np.ndarray:
    """Ways through Resource Gathering: the path of one who lives is all that is chosen, so paths are listed."""
    enemies, gold, diamond, home = {(1, 2), (0, 3)}, (0, 2), (1, 4), (4, 2)
    ways = {(home, False, False): {(0, 0.0)}}  # enemies met, what they cost
    ends: set[tuple[float, ...]] = {(0.0, 0.0, 0.0)}
    for step in range(longest):
        following: dict[Any, set[tuple[int, float]]] = {}
        for (place, *has), met in ways.items():
            for move in STEPS:
                there = (min(max(place[0] + move[0], 0), 4), min(max(place[1] + move[1], 0), 4))
                if there in enemies:
                    own = {(n + 1, cost - 0.1 * 0.9**n * discount**step) for n, cost in met if n < most_enemies}
                else:
                    own = met
                carried = (has[0] or there == gold, has[1] or there == diamond)
                if there == home:
                    ends |= {(cost, *(0.9**n * discount**step * got for got in carried)) for n, cost in own}
                else:
                    following.setdefault((there, *carried), set()).update(own)
        ways = following
    return np.unique(np.array(sorted(ends)).round(13), axis=0)


def _agree(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return ours.shape == theirs.shape and bool(np.allclose(ours, theirs, atol=1e-6))


def _drawn(points: np.ndarray, order: tuple[int, ...], count: int, seed: int) -> list[list[float | None]]:
    """Thresholds of all levels but the last, at points of the front by turns with others."""
    generator, spread = np.random.default_rng(seed), np.ptp(points, axis=0)
    drawn = []
    for turn in range(count):
        anywhere = points.min(axis=0) + generator.uniform(-0.1, 1.1, points.shape[1]) * spread
        chosen = points[generator.integers(len(points))] if turn % 2 else anywhere
        drawn.append([*(float(chosen[objective]) for objective in order[:-1]), None])
    return drawn


def _best(points: np.ndarray, order: tuple[int, ...], thresholds: list[float | None]) -> np.ndarray:
    """One objective after the other, up to its threshold, then all again without."""
    left = points
    for limits in (thresholds, [None] * len(order)):
        for objective, limit in zip(order, limits, strict=True):
            own = np.minimum(left[:, objective], np.inf if limit is None else limit)
            left = left[own >= own.max() - 1e-9]
    return left[0]


def _grid(measured: Measured, cells: int) -> None:
    """Moves on a grid that go astray once in ten times, random rewards of two objectives, for ever."""
    mdp = noisy_grid(cells)
    for discount in (0.9, 0.99):
        first = plan_lexicographic(mdp.seen_through([[1.0, 0.0]]), discount=discount).values[0]
        started = process_time()
        plan = plan_lexicographic(mdp, [0.95 * first, None], discount=discount)
        seconds = process_time() - started
        case = f"grid of {cells} × {cells}, discount {discount:g}"
        note = f"values {plan.values[0]:.4f} and {plan.values[1]:.4f}"
        measured.rows.append(Row(case, "linear programme, two levels", Seconds((seconds,)), None, note))
        measured.claim(f"{case}: processor seconds", seconds, 10.0)


def noisy_grid(cells: int, seed: int = 0, astray: float = 0.1) -> FiniteMDP:
    size = cells * cells
    row, column = np.divmod(np.arange(size), cells)
    targets = [np.clip(row + a, 0, cells - 1) * cells + np.clip(column + b, 0, cells - 1) for a, b in STEPS]
    moves = [sparse.coo_array((np.ones(size), (np.arange(size), to)), shape=(size, size)).tocsr() for to in targets]
    chances = np.full((4, 4), astray / 3) + np.eye(4) * (1 - astray - astray / 3)
    rewards = np.repeat(np.random.default_rng(seed).random((size, 1, 2)), 4, axis=1)
    mixed = [sum(chance * move for chance, move in zip(own, moves, strict=True)) for own in chances]
    return FiniteMDP.from_arrays(mixed, rewards, np.full(size, 1 / size))
