"""Mixed-integer programmes: which policy without chance is best, level after level, where outcomes are random?

Occupation measures x as in the linear programme, and a switch z(s, a) ∈ {0, 1} for each action: Σ_a z(s, a) = 1 and
x(s, a) ≤ M(s) z(s, a), where M(s) is how often the state can be visited at most. For small worlds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from lori.errors import FitError, InputError
from lori.policies.finite.backward import best_course, flow_of, flow_values
from lori.policies.finite.mdp import FiniteMDP
from lori.policies.finite.occupation import Level, Reached

MOST = 3_000  # switches
TOLERANCE = 1e-7  # relative, of what was reached above
SECONDS = 300.0


def chain(
    mdp: FiniteMDP, levels: Sequence[Level], discount: float, horizon: int | None
) -> tuple[np.ndarray, list[Reached]]:
    """How often the best policy without chance takes each action, (steps, states, actions), and what levels reached."""
    steps, size, count = horizon or 1, mdp.states, len(mdp.actions)
    total = steps * size * count
    if total > MOST:
        raise InputError(
            "reading", expected=f"at most {MOST:,} states × actions{' × steps' if horizon else ''} for a policy "
            "without chance where outcomes are random", got=f"{total:,}", fix="use reading='expectation'",
        )  # fmt: skip
    flows, inflow = _balance(mdp, discount, horizon)
    one_action = sparse.kron(sparse.identity(steps * size), np.ones((1, count)))
    most = np.repeat(_visits(mdp, discount, horizon), count)
    rows = [
        LinearConstraint(sparse.hstack([flows, sparse.csr_array(flows.shape)]), inflow, inflow),
        LinearConstraint(sparse.hstack([sparse.csr_array(one_action.shape), one_action]), 1, 1),
        LinearConstraint(sparse.hstack([sparse.identity(total), -sparse.diags(most)]), -np.inf, 0),
    ]
    allowed = np.ones((size, count), bool) if mdp.available is None else mdp.available
    bounds = Bounds(0, np.concatenate([most, np.tile(allowed.ravel(), steps)]))
    whole = np.concatenate([np.zeros(total), np.ones(total)])
    floors: dict[int, float] = {}
    reached: list[Reached] = []
    for turn, level in enumerate([*levels, *levels]):
        own = np.concatenate([np.tile(mdp.rewards[:, :, level.objective].ravel(), steps), np.zeros(total)])
        held = [LinearConstraint(np.concatenate([np.tile(mdp.rewards[:, :, j].ravel(), steps), np.zeros(total)]),
                                 floor - TOLERANCE * max(abs(floor), 1.0)) for j, floor in floors.items()]  # fmt: skip
        solved = milp(-own, integrality=whole, bounds=bounds, constraints=[*rows, *held],
                      options={"time_limit": SECONDS, "mip_rel_gap": 0.0})  # fmt: skip
        if solved.status != 0:
            raise FitError("The mixed-integer programme was not solved in time; use reading='expectation'.")
        chosen = solved.x[total:].reshape(steps, size, count).argmax(axis=2)
        flow = flow_of(mdp, chosen, discount, horizon)  # exactly, which the solver is not
        best = float(flow_values(mdp, flow)[level.objective])
        if turn < len(levels):
            floors[level.objective] = min(best, level.threshold) - level.slack
            reached.append(Reached(best, floors[level.objective]))
        else:
            floors[level.objective] = max(best, floors[level.objective])
    return flow, reached


def _balance(mdp: FiniteMDP, discount: float, horizon: int | None) -> tuple[sparse.csr_array, np.ndarray]:
    """Σ_a x(s, a) − γ Σ Pr(s | s', a) x(s', a) = Pr(start in s), for each step where there is a horizon."""
    size, count = mdp.states, len(mdp.actions)
    here = sparse.kron(sparse.identity(size), np.ones((1, count))).tocsr()
    moved = (discount * mdp.transitions.T).tocsr()
    if horizon is None:
        return (here - moved).tocsr(), mdp.start
    earlier = sparse.diags([np.ones(horizon - 1)], [-1], shape=(horizon, horizon)) if horizon > 1 else None
    table = sparse.kron(sparse.identity(horizon), here)
    if earlier is not None:
        table = table - sparse.kron(earlier, moved)
    return table.tocsr(), np.concatenate([mdp.start, np.zeros((horizon - 1) * size)])


def _visits(mdp: FiniteMDP, discount: float, horizon: int | None) -> np.ndarray:
    """How often each state can be visited at most."""
    if horizon is not None:
        return np.repeat(discount ** np.arange(horizon), mdp.states)
    visits = np.empty(mdp.states)
    for state in range(mdp.states):
        rewards = np.zeros((mdp.states, len(mdp.actions), 1))
        rewards[state] = 1.0
        counting = FiniteMDP(mdp.transitions, rewards, mdp.start, mdp.actions, ("visits",), available=mdp.available)
        visits[state] = best_course(counting, np.ones((1, 1)), discount, None).values[0]
    return visits * (1 + 1e-9)
