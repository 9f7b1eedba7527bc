"""Pareto fronts: what can be had without chance, such that no objective can get more without another getting less?

Where an action has one outcome, labels (a state, and what was gathered so far) are carried forward from the start and
those that another one dominates are dropped. Where it has several, sets of values are carried backward (White 1982):
F_t(s) = the undominated of ∪_a r(s, a) + γ Σ_s' Pr(s' | s, a) F_{t+1}(s').
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from lori.policies.finite.mdp import FiniteMDP

TIE = 1e-11  # values within this relative difference are the same
MOST = 2_000  # values of a state beyond which a front is given up
MANY = 1_000  # points that are worth a quick look before they are sorted
MOST_LABELS = 20_000_000


@dataclass(frozen=True, eq=False)
class Front:
    """Undominated values, and for each of them what to do: (state, action) at each step, or step and state → action."""

    values: np.ndarray  # (points, objectives), by the first objective
    courses: list[list[tuple[int, int]]] | None  # where nothing is left to chance
    rules: list[dict[tuple[int, int], int]] | None  # elsewhere; None for a point whose policy would need memory


def front(mdp: FiniteMDP, discount: float, horizon: int) -> Front | None:
    """All undominated values of policies without chance within a horizon; None where there are too many."""
    key = (discount, horizon)
    if key not in mdp.fronts:
        forward = mdp.successors is not None and np.count_nonzero(mdp.start) == 1
        mdp.fronts[key] = _forward(mdp, discount, horizon) if forward else _backward(mdp, discount, horizon)
    return mdp.fronts[key]


def undominated(points: np.ndarray) -> np.ndarray:
    """The places of the points that no other dominates, of equal ones the first, by the first objective."""
    scale = np.maximum(np.abs(points).max(axis=0, initial=0.0), 1.0)
    left = np.arange(len(points))
    for weights in (np.ones(points.shape[1]), *(np.eye(points.shape[1]) + 0.1)):  # most go at the sight of a few
        if len(left) < MANY:
            break
        best = left[np.argmax(points[left] @ (weights / scale))]
        beside = np.zeros(len(left), bool)
        for column in range(points.shape[1]):
            beside |= points[left, column] > points[best, column] + TIE * scale[column]
        left = np.append(left[beside], best)
    left = left[np.lexsort((left, *-points[left].T[::-1]))]
    kept = []
    while len(left):
        best, rest = left[0], left[1:]
        kept.append(best)
        left = rest[np.any(points[rest] > points[best] + TIE * scale, axis=1)]
    return np.array(kept[::-1], int)


def _forward(mdp: FiniteMDP, discount: float, horizon: int) -> Front | None:
    successors, rewards = mdp.successors, mdp.rewards
    assert successors is not None
    hopeful = bool(np.all(rewards >= 0))  # being somewhere earlier with as much is then never worse
    first = np.full((mdp.states, rewards.shape[2]), -np.inf) if hopeful else None
    layers: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []  # of each step: states, parents, actions
    states, gathered = np.flatnonzero(mdp.start), np.zeros((1, rewards.shape[2]))
    parents, taken = np.zeros(1, int), np.zeros(1, int)
    ends: list[tuple[np.ndarray, np.ndarray, np.ndarray, int]] = []  # values, last labels, last actions, step
    count, labels = len(mdp.actions), 0
    for step in range(horizon):
        layers.append((states, parents, taken))
        labels += len(states)
        if labels > MOST_LABELS:
            return None
        after = successors[states]
        total = gathered[:, None] + discount**step * rewards[states]
        allowed = np.ones(after.shape, bool) if mdp.available is None else mdp.available[states]
        over = allowed & ((after < 0) | (step == horizon - 1))
        if over.any():
            where = np.flatnonzero(over.ravel())
            values = total.reshape(-1, total.shape[2])[where]
            best = undominated(values)
            ends.append((values[best], where[best] // count, where[best] % count, step))
        onward = np.flatnonzero((allowed & (after >= 0)).ravel())
        new, values = after.ravel()[onward], total.reshape(-1, total.shape[2])[onward]
        if first is not None:
            fresh = np.any(values > first[new], axis=1)
            onward, new, values = onward[fresh], new[fresh], values[fresh]
        kept = _kept(new, values)
        states, gathered, onward = new[kept], values[kept], onward[kept]
        if first is not None:
            first[states] = np.where(np.isinf(first[states]), gathered, first[states])
        parents, taken = onward // count, onward % count
        if not len(states):
            break
    values = np.concatenate([end[0] for end in ends])
    chosen = undominated(values)
    places = [(end, place) for end in ends for place in range(len(end[0]))]
    courses = [_course(layers, end[3], int(end[1][place]), int(end[2][place]))
               for end, place in (places[point] for point in chosen)]  # fmt: skip
    return Front(values[chosen], courses, None)


def _kept(states: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The labels that no other one of the same state dominates."""
    if not len(states):
        return np.arange(0)
    order = np.lexsort((*-values.T[::-1], states))
    states, values = states[order], values[order]
    good = np.ones(len(order), bool)
    offset = 1
    while offset < len(order):
        same = states[offset:] == states[:-offset]
        if not same.any():
            break
        good[offset:] &= ~(same & good[:-offset] & np.all(values[:-offset] >= values[offset:], axis=1))
        offset += 1
    return order[good]


def _course(layers: list, step: int, label: int, action: int) -> list[tuple[int, int]]:
    course = [(int(layers[step][0][label]), action)]
    while step:
        _, parents, taken = layers[step]
        label, action, step = int(parents[label]), int(taken[label]), step - 1
        course.append((int(layers[step][0][label]), action))
    return course[::-1]


Choice = tuple[int, tuple[int, ...]]  # an action, and which value of each successor it counts on


def _backward(mdp: FiniteMDP, discount: float, horizon: int) -> Front | None:
    count, size = len(mdp.actions), mdp.rewards.shape[2]
    table = mdp.transitions
    after = [list(zip(table.indices[a:b].tolist(), table.data[a:b].tolist(), strict=True))
             for a, b in zip(table.indptr, table.indptr[1:], strict=False)]  # fmt: skip
    sets = [np.zeros((1, size)) for _ in range(mdp.states)]
    history: list[list[list[Choice]]] = []
    for _ in range(horizon):
        made = [_backed(mdp, state, after, sets, discount, count) for state in range(mdp.states)]
        if max(len(values) for values, _ in made) > MOST:
            return None
        new = [values for values, _ in made]
        history.append([choices for _, choices in made])
        if all(a.shape == b.shape and np.array_equal(a, b) for a, b in zip(sets, new, strict=True)):
            break  # and so it stays for all earlier steps
        sets = new
    starts = np.flatnonzero(mdp.start)
    if np.prod([float(len(sets[state])) for state in starts]) > MOST * 50:
        return None
    combinations = list(product(*(range(len(sets[state])) for state in starts)))
    values = np.array([
        sum(mdp.start[state] * sets[state][place] for state, place in zip(starts, places, strict=True))
        for places in combinations
    ])  # fmt: skip
    chosen = undominated(values)
    rules = [_rule(starts, combinations[point], history, after, horizon, count) for point in chosen]
    return Front(values[chosen], None, rules)  # type: ignore[arg-type]


def _backed(mdp, state, after, sets, discount, count) -> tuple[np.ndarray, list[Choice]]:
    values, choices = [], []
    for action in range(count):
        if mdp.available is not None and not mdp.available[state, action]:
            continue
        total = mdp.rewards[state, action][None]
        picked: list[tuple[int, ...]] = [()]
        for successor, chance in after[state * count + action]:
            own = discount * chance * sets[successor]
            total = (total[:, None] + own[None]).reshape(-1, total.shape[1])
            picked = [(*old, place) for old in picked for place in range(len(own))]
            if len(total) > 1:
                best = undominated(total)
                total, picked = total[best], [picked[place] for place in best]
        values.append(total)
        choices += [(action, places) for places in picked]
    together = np.concatenate(values)
    best = undominated(together)
    return together[best], [choices[place] for place in best]


def _rule(starts, places, history, after, horizon, count) -> dict[tuple[int, int], int] | None:
    """Step and state → action; None if a state would need different actions by how it was reached."""
    rule: dict[tuple[int, int], int] = {}
    now = {(int(state), int(place)) for state, place in zip(starts, places, strict=True)}
    for step in range(horizon):
        choices = history[min(horizon - step, len(history)) - 1]
        following = set()
        for state, place in now:
            action, counted_on = choices[state][place]
            if rule.setdefault((step, state), action) != action:
                return None
            successors = after[state * count + action]
            following |= {(there, own) for (there, _), own in zip(successors, counted_on, strict=True)}
        now = following
    return rule
