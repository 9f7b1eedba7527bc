"""Lexicographic planning with thresholds: what should one do in a finite world when objectives come in an order?

Three readings of "first the first objective, up to its threshold, then the second":

- `expectation`: the levels are about averages over episodes. A chain of linear programmes, exact; the policy may leave
  something to chance.
- `deterministic`: the same for policies without chance. Exact, from the Pareto front or by a mixed-integer programme.
- `per-state`: in every state, actions are compared by what is still to come, up to the threshold (Gábor, Kalmár and
  Szepesvári 1998; thresholded Q-learning converges to such policies). Fast and simple, not always optimal: the notes
  say where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.errors import InputError, one_of, whole
from lori.language import plans
from lori.policies.finite import integer, occupation
from lori.policies.finite.backward import Course, best_course, flow_of, flow_values, per_state_course
from lori.policies.finite.fronts import Front, front
from lori.policies.finite.mdp import FiniteMDP
from lori.policies.finite.occupation import Columns, Level, Reached
from lori.policies.finite.policy import FinitePolicy

READINGS = ("expectation", "deterministic", "per-state")
SAME = 1e-7  # relative: values that differ by less are the same


@dataclass(frozen=True)
class LevelResult:
    """What one level asked for, and what it got."""

    objective: str
    threshold: float | None
    slack: float
    value: float
    best: float  # the most, given the levels above
    alone: float  # the most, if it were the only level

    @property
    def given_up(self) -> float:
        return max(self.alone - self.value, 0.0)

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "given_up": self.given_up}


@dataclass(frozen=True, eq=False)
class LexicographicPlan:
    """What a plan is worth, how it is carried out, and what to know about it."""

    values: np.ndarray  # (objectives,) in the environment's order
    policy: FinitePolicy
    notes: tuple[str, ...]  # in plain sentences
    levels: tuple[LevelResult, ...]  # in order of priority
    objectives: tuple[str, ...]
    reading: str
    discount: float
    horizon: int | None
    front: np.ndarray  # (points, objectives): undominated policies without chance around the plan, as far as known
    objective_values: dict[str, float] | None = None  # by name; of a model's plan, those that its levels are made of

    def __str__(self) -> str:
        head = plans.headline(self.reading, self.objectives, self.values.tolist(), self.horizon)
        return "\n".join([head, *(f"- {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        return {
            "objectives": list(self.objectives), "objective_values": self.objective_values,
            "values": self.values.tolist(), "reading": self.reading,
            "discount": self.discount, "horizon": self.horizon, "notes": [str(note) for note in self.notes],
            "levels": [level.to_dict() for level in self.levels], "front": self.front.tolist(),
        }  # fmt: skip


def plan_lexicographic(
    mdp: FiniteMDP,
    thresholds: Sequence[float | None] | None = None,
    *,
    slack: Sequence[float] | float = 0.0,
    order: Sequence[int] | None = None,
    discount: float = 1.0,
    horizon: int | None = None,
    reading: str = "expectation",
) -> LexicographicPlan:
    """The lexicographically best policy from the start of a finite world.

    Parameters
    ----------
    thresholds
        For each level, in order of priority: from where on more does not count; None where more is always better.
    slack
        For each level: how much less than its best is as good, so that lower levels can use it.
    order
        The objectives in order of priority, numbered from 0; by default as the world has them.
    discount, horizon
        The sum of γ^t r_t counts, over so many steps, or for ever where γ is below 1.
    reading
        `expectation`, `deterministic` or `per-state`; see the page on policies.
    """
    levels = _levels(mdp, thresholds, slack, order)
    one_of("reading", reading, READINGS)
    if not isinstance(discount, int | float) or not 0 < discount <= 1:
        raise InputError("discount", expected="a number above 0 and at most 1", got=repr(discount), fix="use 0.95")
    if horizon is not None:
        horizon = whole("horizon", horizon, 1)
    elif discount == 1:
        raise InputError(
            "horizon", expected="a number of steps where nothing is discounted", got="an infinite horizon with "
            "discount 1", fix="pass horizon=100, or a discount below 1",
        )  # fmt: skip
    planner = _Planner(mdp, tuple(levels), float(discount), horizon)
    return getattr(planner, reading.replace("-", "_"))()


@dataclass(frozen=True, eq=False)
class _Planner:
    mdp: FiniteMDP
    levels: tuple[Level, ...]
    discount: float
    horizon: int | None

    def expectation(self) -> LexicographicPlan:
        known = self._front(only_certain=True)
        if known is not None:
            columns = Columns(list(known.values))
            weights, reached = occupation.chain(columns, self.levels)
            used = np.flatnonzero(weights)
            assert known.courses is not None
            policy = FinitePolicy.of_courses(self.mdp, weights[used], [known.courses[place] for place in used])
            return self._plan("expectation", weights @ known.values, policy, reached, known.values, weights[used])
        courses: list[Course] = []

        def sell(prices: np.ndarray) -> np.ndarray:
            courses.append(self._course(prices, courses[-1] if courses else first[0]))
            return courses[-1].values

        first = [self._course(np.eye(self._size)[level.objective]) for level in self.levels]
        columns = Columns([course.values for course in first], sell)
        weights, reached = occupation.chain(columns, self.levels)
        bought = {course.values.tobytes(): course for course in [*first, *courses]}
        used = np.flatnonzero(weights)
        members = [bought[columns.values[place].tobytes()] for place in used]
        flow = sum(
            weight * flow_of(self.mdp, course.actions, self.discount, self.horizon)
            for weight, course in zip(weights[used], members, strict=True)
        )
        policy = FinitePolicy.of_flow(self.mdp, np.asarray(flow), self.horizon is None)
        around = np.array(columns.values)
        return self._plan("expectation", weights @ around, policy, reached, around, weights[used])

    def deterministic(self) -> LexicographicPlan:
        known = self._front()
        if known is not None:
            place, reached = _selected(known.values, self.levels)
            policy = self._followed(known, place)
            if policy is not None:
                return self._plan("deterministic", known.values[place], policy, reached, known.values)
        flow, reached = integer.chain(self.mdp, self.levels, self.discount, self.horizon)
        policy = FinitePolicy.of_flow(self.mdp, flow, self.horizon is None)
        values = flow_values(self.mdp, flow)
        return self._plan("deterministic", values, policy, reached, values[None])

    def per_state(self) -> LexicographicPlan:
        order = tuple(level.objective for level in self.levels)
        limits, slack = (np.array([getattr(level, name) for level in self.levels]) for name in ("threshold", "slack"))
        course, settled = per_state_course(self.mdp, order, limits, slack, self.discount, self.horizon)
        best = self._reference()
        policy = FinitePolicy.of_flow(
            self.mdp, flow_of(self.mdp, course.actions, self.discount, self.horizon), self.horizon is None
        )
        reached = [Reached(level.best, level.value) for level in best.levels]
        notes = [*([] if settled else [plans.unsettled()]), *self._shortfall(course.values, best)]
        return self._plan("per-state", course.values, policy, reached, best.front, more=notes)

    def _reference(self) -> LexicographicPlan:
        """What is optimal, without chance where that is cheap to know."""
        known = self._front()
        return self.deterministic() if known is not None else self.expectation()

    def _shortfall(self, values: np.ndarray, best: LexicographicPlan) -> list[str]:
        for place, level in enumerate(self.levels):
            own, other = (min(one[level.objective], level.threshold) for one in (values, best.values))
            if other > own + level.slack + SAME * max(abs(other), 1.0):
                above = [self.mdp.objectives[upper.objective] for upper in self.levels[:place]]
                name = self.mdp.objectives[level.objective]
                random = self.mdp.successors is None
                return [plans.thresholds_per_state(
                    name, values[level.objective], best.values[level.objective], above, best.reading, random
                )]  # fmt: skip
            if own > other + level.slack + SAME * max(abs(other), 1.0):
                break  # it spends on a lower level what the reference spends here: neither is better
        return []

    @property
    def _size(self) -> int:
        return len(self.mdp.objectives)

    def _course(self, prices: np.ndarray, near: Course | None = None) -> Course:
        """The best policy at these prices; ties go to the levels in their order."""
        after = np.eye(self._size)[[level.objective for level in self.levels]]
        return best_course(self.mdp, np.vstack([prices, after]), self.discount, self.horizon, near)

    def _front(self, only_certain: bool = False) -> Front | None:
        certain = self.mdp.successors is not None and np.count_nonzero(self.mdp.start) == 1
        if self.horizon is None or (only_certain and not certain):
            return None
        return front(self.mdp, self.discount, self.horizon)

    def _followed(self, known: Front, place: int) -> FinitePolicy | None:
        assert self.horizon is not None
        return course_of(known, place, self.mdp, self.discount, self.horizon)

    def _plan(
        self, reading: str, values: np.ndarray, policy: FinitePolicy, reached: list[Reached], around: np.ndarray,
        shares: np.ndarray | None = None, more: Sequence[str] = (),
    ) -> LexicographicPlan:  # fmt: skip
        results, notes = [], []
        for place, (level, got) in enumerate(zip(self.levels, reached, strict=True), start=1):
            name, value = self.mdp.objectives[level.objective], float(values[level.objective])
            threshold = None if np.isinf(level.threshold) else level.threshold
            alone = max(float(self._alone(level.objective, around)), value)
            results.append(LevelResult(name, threshold, level.slack, value, got.best, alone))
            notes.append(plans.level_got(place, name, value, threshold, alone, level.slack))
            if threshold is not None and got.best < threshold - SAME * max(abs(threshold), 1.0):
                notes.append(plans.out_of_reach(name, threshold, got.best))
        if shares is not None and len(shares) > 1:
            notes.append(plans.mixture(sorted(shares.tolist(), reverse=True)))
        return LexicographicPlan(
            np.asarray(values, float), policy, (*notes, *more), tuple(results), self.mdp.objectives, reading,
            self.discount, self.horizon, around,
            dict(zip(self.mdp.objectives, np.asarray(values, float).tolist(), strict=True)),
        )  # fmt: skip

    def _alone(self, objective: int, around: np.ndarray) -> float:
        if self._front_known():
            return around[:, objective].max()
        key = (self.discount, self.horizon, objective)
        if key not in self.mdp.fronts:
            self.mdp.fronts[key] = self._course(np.eye(self._size)[objective]).values[objective]
        return self.mdp.fronts[key]

    def _front_known(self) -> bool:
        return self.mdp.fronts.get((self.discount, self.horizon)) is not None


def course_of(known: Front, place: int, mdp: FiniteMDP, discount: float, horizon: int) -> FinitePolicy | None:
    """The policy of a point of a front; None where it would need memory."""
    if known.courses is not None:
        return FinitePolicy.of_courses(mdp, np.ones(1), [known.courses[place]])
    assert known.rules is not None
    rule = known.rules[place]
    if rule is None:
        return None
    actions = np.zeros((horizon, mdp.states), int)
    for (step, state), action in rule.items():
        actions[step, state] = action
    return FinitePolicy.of_flow(mdp, flow_of(mdp, actions, discount, horizon), False)


def _selected(values: np.ndarray, levels: Sequence[Level]) -> tuple[int, list[Reached]]:
    """The place of the lexicographically best point, and what each level could have had."""
    scale = np.maximum(np.abs(values).max(axis=0), 1.0)
    left, reached = np.ones(len(values), bool), []
    for capped in (True, False):
        for level in levels:
            own = values[:, level.objective]
            best = own[left].max()
            floor = min(best, level.threshold) - level.slack if capped else best
            left &= own >= floor - 1e-10 * scale[level.objective]
            if capped:
                reached.append(Reached(float(best), float(floor)))
    return int(np.flatnonzero(left)[0]), reached


def _levels(
    mdp: FiniteMDP,
    thresholds: Sequence[float | None] | None,
    slack: Sequence[float] | float,
    order: Sequence[int] | None,
) -> list[Level]:
    count = len(mdp.objectives)
    places = list(range(count)) if order is None else [int(place) for place in order]
    if not places or len(set(places)) != len(places) or not set(places) <= set(range(count)):
        raise InputError(
            "order", expected=f"different objectives from 0 to {count - 1}", got=str(list(order or [])),
            fix="give each objective that counts once, the first one first",
        )  # fmt: skip
    limits = list(thresholds) if thresholds is not None else [None] * len(places)
    if len(limits) != len(places) or any(limit is not None and not np.isfinite(limit) for limit in limits):
        raise InputError(
            "thresholds", expected=f"a finite number or None for each of {len(places)} levels, the first one first",
            got=str(limits), fix="use None where more is always better",
        )  # fmt: skip
    slacks = np.full(len(places), slack, float) if np.ndim(slack) == 0 else np.asarray(slack, float)
    if slacks.shape != (len(places),) or not np.all(np.isfinite(slacks) & (slacks >= 0)):
        raise InputError(
            "slack", expected=f"a number from 0 for each of {len(places)} levels", got=str(slack), fix="use slack=0"
        )
    return [
        Level(place, np.inf if limit is None else float(limit), float(own))
        for place, limit, own in zip(places, limits, slacks, strict=True)
    ]
