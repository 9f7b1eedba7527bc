"""Backward induction: which action is best in each state for one weighted sum of the objectives, or level by level?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from lori.policies.finite.mdp import FiniteMDP

TIE = 1e-11  # action values within this relative difference are tied: rounding must not decide
SWEEPS = 200  # of value iteration before policies are compared exactly
ROUNDS = 1000  # of policy iteration at most


@dataclass(frozen=True, eq=False)
class Course:
    """A policy without chance, and what it is worth from the start."""

    actions: np.ndarray  # (steps, states); a single step where it is the same for ever
    values: np.ndarray  # (objectives,)


def best_course(
    mdp: FiniteMDP, weightings: np.ndarray, discount: float, horizon: int | None, near: Course | None = None
) -> Course:
    """The best policy for a weighted sum of objectives: V(s) = max_a Σ_k w_k r_k(s, a) + γ E V(s').

    Of weightings (m, objectives) the first decides, and each later one among the actions that are tied so far. `near`
    is a policy to begin with.
    """
    if horizon is None:
        return _for_ever(mdp, weightings, discount, near)
    free = np.full(len(weightings), np.inf)
    return _induced(mdp, mdp.rewards @ weightings.T, free, np.zeros(len(free)), discount, horizon)[0]


def _for_ever(mdp: FiniteMDP, weightings: np.ndarray, discount: float, near: Course | None) -> Course:
    """Value iteration for a start, then policy iteration, whose values are exact."""
    everywhere = np.arange(mdp.states)
    tied = np.ones((mdp.states, len(mdp.actions)), bool) if mdp.available is None else mdp.available
    chosen = None if near is None else near.actions[0].astype(int)
    for weights in weightings:
        rewards = np.where(tied, mdp.rewards @ weights, -np.inf)
        if chosen is None:
            value = np.zeros(mdp.states)
            for _ in range(SWEEPS):
                value = _most(rewards + discount * _expected(mdp, value))
            chosen = np.argmax(rewards + discount * _expected(mdp, value), axis=1)
        for _ in range(ROUNDS):
            values = evaluated(mdp, chosen, discount)
            worth = rewards + discount * _expected(mdp, values @ weights)
            best, least = _most(worth), TIE * max(np.abs(values @ weights).max(), 1e-300)
            better = best - worth[everywhere, chosen] > least
            if not better.any():
                break
            chosen = np.where(better, np.argmax(worth, axis=1), chosen)
        tied = worth >= (best - least)[:, None]
        if not (tied.sum(axis=1) > 1).any():
            break
    assert chosen is not None
    return Course(chosen[None].astype(np.int16), mdp.start @ values)


def evaluated(mdp: FiniteMDP, chosen: np.ndarray, discount: float) -> np.ndarray:
    """What following `chosen` (states,) for ever is worth, (states, objectives): V = (I − γ P)⁻¹ r, exactly."""
    everywhere = np.arange(mdp.states)
    moves = mdp.transitions[everywhere * len(mdp.actions) + chosen]
    return _factors(mdp, moves, discount).solve(mdp.rewards[everywhere, chosen])


def _factors(mdp: FiniteMDP, moves: sparse.csr_array, discount: float) -> Any:
    """Of I − γ P, whose diagonal dominates: no pivots are needed, and an order for symmetric patterns will do."""
    table = (sparse.identity(mdp.states) - discount * moves).tocsc()
    return splu(table, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})


def flow_of(mdp: FiniteMDP, actions: np.ndarray, discount: float, horizon: int | None) -> np.ndarray:
    """How often each action is taken, discounted: (steps, states, actions), a single step where there is no horizon."""
    everywhere, count = np.arange(mdp.states), len(mdp.actions)
    if horizon is None:
        moves = mdp.transitions[everywhere * count + actions[0]]
        visits = _factors(mdp, moves, discount).solve(mdp.start, trans="T")
        flow = np.zeros((1, mdp.states, count))
        flow[0, everywhere, actions[0]] = np.maximum(visits, 0.0)
        return flow
    flow = np.zeros((horizon, mdp.states, count))
    now = mdp.start.astype(float)
    for step in range(horizon):
        flow[step, everywhere, actions[step]] = now
        now = discount * (mdp.transitions[everywhere * count + actions[step]].T @ now)
    return flow


def flow_values(mdp: FiniteMDP, flow: np.ndarray) -> np.ndarray:
    """(objectives,): what a flow (steps, states, actions) earns."""
    return np.einsum("tsa,sak->k", flow, mdp.rewards)


def per_state_course(
    mdp: FiniteMDP, order: tuple[int, ...], thresholds: np.ndarray, slack: np.ndarray, discount: float,
    horizon: int | None,
) -> tuple[Course, bool]:  # fmt: skip
    """Thresholds in every state (Gábor, Kalmár and Szepesvári 1998; Vamplew et al. 2011), and whether it settled.

    In each state the action with the lexicographically greatest min(Q_i, threshold_i), where Q_i is what is still to
    come; actions within the slack of a level's best are tied on it. Ties that remain go to what lies beyond the
    thresholds. Backward over the horizon, or repeated until nothing changes.
    """
    return _induced(mdp, mdp.rewards[:, :, list(order)], thresholds, slack, discount, horizon)


def _induced(
    mdp: FiniteMDP, ranked: np.ndarray, thresholds: np.ndarray, slack: np.ndarray, discount: float, horizon: int | None
) -> tuple[Course, bool]:
    """Backward over the steps with rewards (states, actions, levels); without a horizon until nothing changes."""
    value = np.zeros((mdp.states, ranked.shape[2]))
    everywhere, actions = np.arange(mdp.states), []
    previous, settled = np.full(mdp.states, -1), horizon is not None
    for _ in range(horizon or ROUNDS * 10):
        worth = ranked + discount * (mdp.transitions @ value).reshape(ranked.shape)
        chosen = _greatest(mdp, worth, thresholds, slack)
        after = worth[everywhere, chosen]
        if horizon is None and np.array_equal(chosen, previous) and np.allclose(after, value, rtol=1e-13, atol=1e-13):
            settled = True
            break
        value, previous = after, chosen
        actions.append(chosen)
    table = np.array(actions[::-1] if horizon is not None else [previous], np.int16)
    return Course(table, flow_values(mdp, flow_of(mdp, table, discount, horizon))), settled


def _greatest(mdp: FiniteMDP, worth: np.ndarray, thresholds: np.ndarray, slack: np.ndarray) -> np.ndarray:
    tied = np.ones(worth.shape[:2], bool) if mdp.available is None else mdp.available.copy()
    for capped in (True, False):
        for level in range(worth.shape[2]):
            own = np.minimum(worth[:, :, level], thresholds[level]) if capped else worth[:, :, level]
            best = np.max(np.where(tied, own, -np.inf), axis=1, keepdims=True)
            tied &= own >= best - TIE * np.maximum(np.abs(best), 1.0) - (slack[level] if capped else 0.0)
    return np.argmax(tied, axis=1)


def _expected(mdp: FiniteMDP, value: np.ndarray) -> np.ndarray:
    return (mdp.transitions @ value).reshape(mdp.states, len(mdp.actions))


def _most(worth: np.ndarray) -> np.ndarray:
    """The greatest of each row; for a few columns this is faster than a reduction."""
    best = worth[:, 0]
    for column in worth.T[1:]:
        best = np.maximum(best, column)
    return best
