"""Sets: the likelihood of choices among many alternatives, of rankings and of picking the worst.

Probabilities are in `subsets` for few alternatives and in `quadrature` for many; `logit` is one level with ε = 0.
A row has what was chosen first. Rows come in kinds by the number of alternatives, by how many were chosen together, and
by whether it is the worst that was picked: then every reward counts the other way round. Sets of many alternatives are
filled up to a few sizes, so that code is compiled for these alone; what is missing is marked by NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np

from lori.data.choices import Choices
from lori.data.fields import rows_of
from lori.errors import DataError, InputError, one_of
from lori.model.engines import jax, jnp
from lori.model.likelihoods import expanded, quadrature, subsets
from lori.model.likelihoods.base import Layout, Observations
from lori.model.likelihoods.logit import Logit
from lori.model.likelihoods.pairs import DECIDED, TIED, PairRows, Pairs
from lori.model.likelihoods.probabilities import Levels, TieRule
from lori.model.likelihoods.set_layouts import ABSENT, Contrasts, Members

if TYPE_CHECKING:
    from lori.model.rewards import Reward
    from lori.model.specification import Specification

FEW = 8  # up to so many alternatives sums are as quick as integrals, or quicker
ROOMS = (12, 20, 32, 64, 128, 200, 320, 512)  # sizes that larger sets are filled up to
CLOSED = 1e-8  # a tolerance below this is computed as if it were this: derivatives of a closed one are limits
EFFORT = {2: 2.0, 3: 4.0, 4: 10.0, 5: 40.0, 6: 100.0, 7: 250.0, 8: 1200.0}  # by alternatives: pairs that a row is worth
SHARP = {**EFFORT, 8: 600.0}  # the same where the last threshold is zero for certain: one level less has to be summed
MORE = 500.0  # and for each alternative of larger sets
RULES = ("split", "observed")
GLANCE = 100  # sets that are looked at first
ALL = slice(None)


class Kind(NamedTuple):
    """What rows of a kind have in common, and its name."""

    size: int
    tied: int = 1
    worst: bool = False

    @property
    def name(self) -> str:
        return f"{self.size}" + f" tied {self.tied}" * (self.tied > 1) + " worst" * self.worst

    @staticmethod
    @cache
    def named(name: str) -> Kind:
        words = name.split()
        return Kind(int(words[0]), int(words[2]) if "tied" in words else 1, "worst" in words)


@dataclass(frozen=True)
class Sets:
    """`rule` says what happens when several alternatives are left at the end; `sharp`, that the last threshold is zero
    for certain; `kinds` are those of the data; `rough`, that integrals have fewer nodes, as a search needs them."""

    rule: TieRule = "split"
    sharp: bool = False
    kinds: tuple[str, ...] = ()
    rough: bool = False
    single_precision: ClassVar[bool] = False

    @classmethod
    def for_data(cls, rule: str, groups: Sequence[Choices], epsilon: Sequence[float | None]) -> Sets:
        """The likelihood for these data; the rule `auto` is `observed` if some name several alternatives."""
        one_of("ties", rule, ("auto", *RULES))
        ties = sum(group.n_ties for group in groups)
        if rule == "auto":
            rule = "observed" if ties else "split"
        if ties and rule != "observed":
            raise DataError(
                "ties", expected="one chosen alternative in each set for the rule " + repr(rule),
                got=f"{ties} choices of several", fix="use ties='observed' (--ties observed), or leave those sets out",
            )  # fmt: skip
        if ties and epsilon[-1] == 0:
            raise InputError(
                "epsilon", expected="a last threshold that may exceed 0 when ties were observed", got="one fixed to 0",
                fix="use epsilon=None: with a zero threshold a tie could never happen",
            )  # fmt: skip
        kinds = sorted({kind for group in groups for kind in kinds_of(group)[0]})
        large = max((kind.size for kind in kinds if kind.tied > 1), default=0)
        if large > FEW:
            raise DataError(
                "ties", expected=f"ties in sets of at most {FEW} alternatives", got=f"a set of {large}",
                fix="leave these sets out, or name one alternative in each",
            )  # fmt: skip
        return cls(rule, epsilon[-1] == 0, tuple(kind.name for kind in kinds))  # type: ignore[arg-type]

    # -- rows ----------------------------------------------------------------------------------------------

    def observed(self, data: Choices) -> Observations:
        """Each set becomes a row of the kind it has."""
        weight = data.comparisons * data.weights
        kinds, number = kinds_of(data)
        by_kind = {}
        for name in self.kinds:
            known = Kind.named(name)
            sets = np.flatnonzero((number == kinds.index(known)) & (weight > 0)) if known in kinds else np.empty(0, int)
            place = placed(data, sets, known.size)
            by_kind[name] = SetRows(data.alternatives, place, weight[sets], sets)
        return Observations(by_kind, len(data))

    def layout(self, specification: Specification) -> Layout:
        if not self.only_differences_matter(specification):
            return Members()
        if self.sharp and specification.concave:
            return Logit()
        return Contrasts(large=any(Kind.named(kind).size > expanded.MOST for kind in self.kinds))

    # -- probabilities ---------------------------------------------------------------------------------------

    def suited(self, tolerance: np.ndarray) -> Sets:
        return self

    def gap(self, reward: Reward, values: jax.Array, row: jax.Array) -> jax.Array:
        """(others,) how much more reward each other alternative has than the first."""
        there = ~jnp.isnan(row[:, 0])
        known = jnp.where(there[:, None], row, row[0])
        rewards = jax.vmap(lambda other: -reward.gap(values, known[0], other))(known[1:])
        return jnp.where(there[1:], rewards, ABSENT)

    def log_probability(self, kind: str, gap: Levels, tolerance: Levels) -> jax.Array:
        """Of one row of this kind, whose gaps are (others,)."""
        return _log_probability(self, kind)(list(gap), list(tolerance))

    def exactly(self, kind: str) -> bool:
        """Are rows of this kind computed by sums over subsets?"""
        return Kind.named(kind).size <= FEW

    def moments(self, kind: str, gap: Levels, tolerance: Levels, order: int) -> subsets.Moments:
        """Of rows of this kind: log-probability and derivatives by gaps (others, …) and tolerances."""
        known = Kind.named(kind)
        turned, limits = [turn(own, known.worst) for own in gap], self.limits(tolerance)
        if known.tied == 1:
            limits = [own if limit is not None else None for own, limit in zip(tolerance, limits, strict=True)]
        if known.tied == 1 and known.size <= expanded.MOST and limits[0] is not None:
            found = expanded.log_choice(turned, limits, self.rule, order)
        else:
            found = subsets.log_choice(turned, limits, self.rule, known.tied, order)
        if not known.worst:
            return found
        signs = [np.array([-1.0] * len(gap[0]) + [1.0] * (own is not None)) for own in limits]
        columns = [own.reshape(-1, *(1,) * found.value.ndim) for own in signs]
        return subsets.Moments(
            found.value,
            [sign * own for sign, own in zip(columns, found.gradient, strict=bool(order))],
            {(i, j): columns[i][:, None] * columns[j] * own for (i, j), own in found.curvature.items()},
        )

    def limits(self, tolerance: Levels) -> list[Any]:
        """Tolerances as the formulas take them: None where the last one is zero for certain."""
        opened = [jnp.maximum(own, CLOSED) for own in tolerance]
        return [*opened[:-1], None] if self.sharp else opened

    def offers(self, kind: str, gap: Levels) -> Any:
        """How many outcomes the question has, from which a slip is drawn."""
        present = 1 + jnp.sum(gap[0] > ABSENT / 2, axis=0)
        return present if self.rule == "split" else 2.0**present - 1

    # -- what a search and a summary ask ---------------------------------------------------------------------

    @property
    def quick(self) -> bool:
        return False

    @property
    def effort(self) -> float:
        sizes, known = [Kind.named(kind).size for kind in self.kinds], SHARP if self.sharp else EFFORT
        return max((known[size] if size <= FEW else MORE * size for size in sizes), default=1.0)

    def simpler(self, groups: Sequence[Observations]) -> tuple[Pairs, tuple[Observations, ...]]:
        """What was chosen preferred to each other alternative of its set, one after the other."""

        def pairs(kind: str, rows: SetRows) -> PairRows:
            known, place = Kind.named(kind), rows.place
            one, other = (own.reshape(-1) for own in np.broadcast_arrays(place[:, :1], place[:, known.tied :]))
            weight, origin = (np.repeat(own, place.shape[1] - known.tied) for own in (rows.weight, rows.origin))
            there = other >= 0
            one, other, weight, origin = one[there], other[there], weight[there], origin[there]
            if known.worst:
                one, other = other, one
            return PairRows(rows_of(rows.table, one), rows_of(rows.table, other), weight, origin)

        made = []
        for own in groups:
            parts = [pairs(kind, cast(SetRows, rows)) for kind, rows in own.kinds.items()]
            none = parts[0].taken(np.empty(0, int), np.empty(0))
            made.append(Observations({DECIDED: sum(parts[1:], start=parts[0]), TIED: none}, own.count))
        return Pairs("split"), tuple(made)

    def roughly(self, specification: Specification) -> Sets:
        """With fewer nodes, where probabilities are integrals."""
        return self if all(map(self.exactly, self.kinds)) else replace(self, rough=True)

    def finite_in_padding(self, kind: str) -> bool:
        return True

    def only_differences_matter(self, specification: Specification) -> bool:
        linear = all(reward.linear and reward.free_scale for reward in specification.rewards)
        return linear and not specification.shared

    def nearly_convex(self, specification: Specification) -> bool:
        return specification.levels == 1 and self.only_differences_matter(specification)

    @property
    def concave_in_threshold(self) -> bool:
        return False

    def needs_thresholds(self, observations: Sequence[Observations]) -> bool:
        return any(len(rows) and Kind.named(kind).tied > 1 for own in observations for kind, rows in own.kinds.items())

    @property
    def stuck_at_zero(self) -> bool:
        """With a coin at the end, probabilities do not change with a small last threshold, to first order."""
        return self.rule == "split" and not self.sharp

    def explained(self, data: Choices, compare: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> bool:
        """Does the chosen alternative win against every other one of its set?"""
        if data.has_ties or (len(data) > GLANCE and not self.explained(data[:GLANCE], compare)):
            return False
        pairs = data.as_pairs()
        order = compare(pairs.left_features, pairs.right_features)
        return bool(np.all((order > 0) | pairs.identical()))


@cache
def _log_probability(likelihood: Sets, kind: str) -> Callable[[list[jax.Array], list[jax.Array]], jax.Array]:
    """Of one row; its gradient is that in closed form, or of the quadrature, not through it."""
    single = jax.custom_vjp(lambda gap, tolerance: _with_slopes(likelihood, kind, gap, tolerance, 0)[0])
    single.defvjp(partial(_forward, likelihood, kind), partial(_backward, likelihood, kind))
    return single


def _with_slopes(likelihood: Sets, kind: str, gap: list[Any], tolerance: list[Any], order: int) -> tuple[Any, Any]:
    """Log-probability of one row, and of each level its derivatives by gaps and by the tolerance if it has one."""
    if likelihood.exactly(kind):
        found = likelihood.moments(kind, gap, tolerance, order)
        return found.value, found.gradient
    sign = -1.0 if Kind.named(kind).worst else 1.0
    columns = [turn(own, sign < 0)[:, None] for own in gap]
    slopes = [sign * jnp.eye(len(own))[:, :, None] for own in gap] if order else None
    limits = likelihood.limits(tolerance)
    there = gap[0][:, None] > ABSENT / 2
    integral = quadrature.log_choice(columns, limits, there, likelihood.rule, slopes, jnp.ones(1), order)
    if not order:
        return integral.value[0], []
    sizes = [len(own) + (limit is not None) for own, limit in zip(gap, limits, strict=True)]
    return integral.value[0], jnp.split(integral.scores[0], np.cumsum(sizes)[:-1])


def _forward(likelihood: Sets, kind: str, gap: list[Any], tolerance: list[Any]) -> tuple[Any, Any]:
    value, slopes = _with_slopes(likelihood, kind, gap, tolerance, 1)
    return value, (slopes, tolerance)


def _backward(likelihood: Sets, kind: str, kept: Any, change: jax.Array) -> tuple[list[Any], list[Any]]:
    slopes, tolerance = kept
    others = len(slopes[0]) - (not likelihood.sharp or len(slopes) > 1)
    by_limit = [
        change * own[others] if len(own) > others else jnp.zeros_like(limit)
        for own, limit in zip(slopes, tolerance, strict=True)
    ]
    return [change * own[:others] for own in slopes], by_limit


def turn(gap: Any, worst: bool) -> Any:
    """Gaps as seen by somebody who picks the worst; what is not there stays away."""
    return jnp.where(gap > ABSENT / 2, -gap, gap) if worst else gap


def room(size: int) -> int:
    """The number of alternatives that a set of this size is filled up to."""
    if size <= FEW:
        return size
    return next((own for own in ROOMS if own >= size), -(-size // 256) * 256)


def kinds_of(data: Choices) -> tuple[list[Kind], np.ndarray]:
    """The kinds of these sets, and for each set the number of its own."""
    tied = np.add.reduceat(data.chosen.astype(int), data.offsets[:-1])
    worst = np.zeros(len(data), bool) if data.worst is None else data.worst
    sizes = np.array([0, *(room(size) for size in range(1, int(data.sizes.max()) + 1))])
    if (data.sizes == 3).any():  # so that there is less to compile
        sizes[2] = 3
    filled = np.where(tied == 1, sizes[data.sizes], data.sizes)
    code = (filled * (int(tied.max()) + 1) + tied) * 2 + worst
    _, first, number = np.unique(code, return_index=True, return_inverse=True)
    return [Kind(int(filled[i]), int(tied[i]), bool(worst[i])) for i in first], number.reshape(-1)


def placed(data: Choices, sets: np.ndarray, size: int) -> np.ndarray:
    """(sets, size) the rows of each set, what was chosen first; −1 where there is none."""
    inside = np.arange(size) < data.sizes[sets][:, None]
    place = np.where(inside, data.offsets[sets][:, None] + np.arange(size), -1)
    chosen = inside & data.chosen[place]
    if (chosen.sum(axis=1) > 1).any():
        return np.take_along_axis(place, np.argsort(~chosen, axis=1, kind="stable"), axis=1)
    at = np.arange(len(sets)), chosen.argmax(axis=1)
    place[at], place[:, 0] = place[:, 0].copy(), place[at]
    return place


def arrangements(data: Choices) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Each alternative of each set as if it had been chosen: by kind its row, and the rows of its set, it first."""
    sizes, worst = data.sizes, np.zeros(len(data), bool) if data.worst is None else data.worst
    rooms = np.array([room(int(size)) for size in sizes])
    for size, low in sorted(set(zip(rooms.tolist(), worst.tolist(), strict=True))):
        sets = np.flatnonzero((rooms == size) & (worst == low))
        own = np.repeat(sets, sizes[sets])
        rows = np.concatenate([np.arange(data.offsets[i], data.offsets[i + 1]) for i in sets])
        place = data.offsets[own][:, None] + np.arange(size)
        place = np.where(np.arange(size) < sizes[own][:, None], place, -1)
        at = np.arange(len(rows)), rows - data.offsets[own]
        place[at], place[:, 0] = place[:, 0].copy(), rows
        yield Kind(size, 1, bool(low)).name, rows, place


@dataclass(frozen=True, eq=False)
class SetRows:
    """Rows that point into a table of alternatives."""

    table: np.ndarray  # (alternatives, features)
    place: np.ndarray  # (rows, size) the chosen one first; −1 where there is none
    weight: np.ndarray  # (rows,) how often, times the weight of the set
    origin: np.ndarray  # (rows,) the set among the data

    def __len__(self) -> int:
        return len(self.weight)

    def alternatives(self, part: slice = ALL) -> np.ndarray:
        place = self.place[part]
        found = rows_of(self.table, place)
        if (place < 0).any():
            found[place < 0] = np.nan
        return found

    def contrasts(self, part: slice = ALL) -> np.ndarray:
        """(rows, others, features): the chosen one minus the others; NaN where there is none."""
        found = self.alternatives(part)
        return found[:, :1] - found[:, 1:]

    def taken(self, rows: np.ndarray, weight: np.ndarray) -> SetRows:
        return SetRows(self.table, self.place[rows], weight, self.origin[rows])

    def by_outcome(self) -> None:
        return None

    def part(self, rows: slice) -> SetRows:
        return SetRows(self.table, self.place[rows], self.weight[rows], self.origin[rows])

    def weighted(self, weight: np.ndarray) -> SetRows:
        return replace(self, weight=weight)

    def __add__(self, other: SetRows) -> SetRows:
        later = np.where(other.place < 0, -1, other.place + len(self.table))
        return SetRows(
            np.concatenate([self.table, other.table]),
            np.concatenate([self.place, later]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.origin, other.origin]),
        )
