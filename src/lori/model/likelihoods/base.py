"""Likelihood: how one kind of observation follows from rewards.

An observation belongs to a likelihood: it knows what the rows are and how they are laid out for computing, the
log-probability of a row given how much more reward its first alternative has than the others on every level, its
derivatives, how outcomes are named and drawn. What lies above (problems, searches, samplers, estimators) knows
observations through this protocol only. `lori.model.likelihoods.pairs` is the first of its kind.

A row has the chosen alternative first. Rows come in kinds of outcome (a pair is won or tied), each with a formula of
its own; `gap` and `tolerance` are as in `lori.model.likelihoods.probabilities`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from lori.model.engines import jax
from lori.model.likelihoods.derivatives import Above, Derivatives
from lori.model.likelihoods.probabilities import Levels, TieRule

if TYPE_CHECKING:
    from lori.model.rewards import Reward
    from lori.model.specification import Specification


class Rows(Protocol):
    """Rows of one kind of outcome, in the user's units."""

    @property
    def weight(self) -> np.ndarray:
        """(rows,)"""
        ...

    @property
    def origin(self) -> np.ndarray:
        """(rows,) which observation of the data each row comes from."""
        ...

    def __len__(self) -> int: ...

    def alternatives(self, part: slice = ...) -> np.ndarray:
        """(rows, alternatives, features) of some rows, the chosen one first."""
        ...

    def contrasts(self, part: slice = ...) -> np.ndarray:
        """The chosen alternative's features minus the others', for rewards of which only differences matter."""
        ...

    def taken(self, rows: np.ndarray, weight: np.ndarray) -> Any:
        """Some rows, copied, with new weights."""
        ...

    def by_outcome(self) -> np.ndarray | None:
        """(rows,) numbers of the rows, those of one outcome after those of another; None if they are so as they are."""
        ...

    def part(self, rows: slice) -> Any:
        """Consecutive rows, as a view."""
        ...

    def weighted(self, weight: np.ndarray) -> Any:
        """The same rows with other weights."""
        ...

    def __add__(self, other: Any) -> Any: ...


@dataclass(frozen=True, eq=False)
class Laid:
    """What was laid out for computing; observations that differ in their weights only share it."""

    blocks: dict[Any, Any] = field(default_factory=dict)
    contrasts: dict[Any, np.ndarray] = field(default_factory=dict)  # for NumPy, where rows are few


@dataclass(frozen=True, eq=False)
class Observations:
    """What was observed of one group, as rows by kind of outcome."""

    kinds: Mapping[str, Rows]
    count: int = 0  # how many observations there are, with those that have no row; unknown of parts
    some: bool = False  # they are a part of more
    laid: Laid = field(default_factory=Laid, repr=False)
    weights: dict[Any, Any] = field(default_factory=dict, repr=False)  # laid out beside the rows

    @property
    def rows(self) -> int:
        return sum(map(len, self.kinds.values()))

    def __add__(self, other: Observations) -> Observations:
        return Observations({kind: own + other.kinds[kind] for kind, own in self.kinds.items()})

    def __getstate__(self) -> dict[str, Any]:
        """Rows are laid out again where they arrive."""
        return {**self.__dict__, "laid": Laid(), "weights": {}}

    def sample(self, rows: int, generator: np.random.Generator) -> Observations:
        """About `rows` random rows, reweighted so that the expected log-likelihood stays the same.

        The rows, by outcome, are cut into so many parts, one after the other, and one is drawn from each.
        """
        if self.rows <= rows:
            return self
        share = rows / self.rows

        def pick(own: Rows) -> Rows:
            count = min(len(own), int(np.ceil(share * len(own))))
            ends = np.arange(count + 1) * len(own) // max(count, 1)
            chosen = ends[:-1] + (generator.random(count) * np.diff(ends)).astype(int)
            order = own.by_outcome()
            chosen = chosen if order is None else order[chosen]
            weight = own.weight[chosen]
            kept = weight.sum()
            return own.taken(chosen, weight * (own.weight.sum() / kept if kept > 0 else 1.0))

        return Observations({kind: pick(own) for kind, own in self.kinds.items()})

    def shards(self, count: int) -> list[Observations]:
        """Views of consecutive rows, about equally many each."""

        def cut(own: Rows) -> list[slice]:
            ends = np.cumsum([0] + [len(part) for part in np.array_split(np.empty(len(own)), count)])
            return [slice(int(a), int(b)) for a, b in pairwise(ends)]

        cuts = {kind: cut(own) for kind, own in self.kinds.items()}
        return [
            Observations({kind: own.part(cuts[kind][shard]) for kind, own in self.kinds.items()}, some=True)
            for shard in range(count)
        ]

    def reweighted(self, weights: np.ndarray) -> Observations:
        """The same rows, each multiplied by the weight of its observation; what is laid out stays in place."""
        kinds = {kind: own.weighted(own.weight * weights[own.origin]) for kind, own in self.kinds.items()}
        return replace(self, kinds=kinds, weights={})

    def multiplied(self, factor: float) -> Observations:
        """The same rows, all of their weights times a factor."""
        kinds = {kind: own.weighted(own.weight * factor) for kind, own in self.kinds.items()}
        return replace(self, kinds=kinds, weights={})


class Point(NamedTuple):
    """Where sums are evaluated: parameter vectors for standardised features, and how features are standardised."""

    starts: Any  # (starts, parameters)
    location: Any  # (features,)
    scale: Any


class Block(NamedTuple):
    """Rows that are computed together, as a layout has them."""

    rows: Any
    weight: Any  # (rows,) zero in padding
    certain: bool  # derivatives are finite in padding, too


class Layout(Protocol):
    """How rows lie in blocks, and how a block becomes sums. Hashable: compiled code is made for a layout."""

    plain: ClassVar[bool]  # its formulas take NumPy's arrays as well: nothing is differentiated automatically,
    light: ClassVar[bool]  # and are so few that NumPy takes no longer for them than compiled code

    @property
    def allows_single_precision(self) -> bool:
        """Are values in single precision good weights of draws? What it cannot hold must come out as no number."""
        ...

    @property
    def large(self) -> bool:
        """Is so much compiled that it must be done quickly, though it takes longer to run?"""
        ...

    def shape(self, rows: Rows, block: int) -> tuple[int, ...]:
        """Of a block with so many rows."""
        ...

    def put(self, blocks: np.ndarray, rows: Rows, part: slice, size: int) -> None:
        """Lay some rows out, `size` of them in each of these blocks (blocks, *shape)."""
        ...

    def typical_gap(self, parameters: np.ndarray, quantile: float) -> float:
        """How large a difference of a level's reward is in standardised units, for thresholds to start from."""
        ...

    def terms(
        self, specification: Specification, kind: str, order: int, point: Point, block: Block
    ) -> tuple[jax.Array, ...]:
        """What is added up over blocks of rows of a kind, with derivatives up to `order`."""
        ...

    def assembled(self, specification: Specification, order: int, point: Point, total: Any) -> tuple[jax.Array, ...]:
        """Value, gradient and curvature of the negative log-likelihood from these sums."""
        ...


class PlainLayout(Layout, Protocol):
    """A layout whose formulas for single rows are closed, too."""

    def values(self, specification: Specification, kind: str, point: Point, rows: Any) -> Any:
        """(starts, rows) log-probabilities."""
        ...

    def scores(self, specification: Specification, kind: str, point: Point, rows: Any) -> Any:
        """(starts, 1 + parameters, rows) log-probabilities, and their gradients."""
        ...


class Likelihood(Protocol):
    """One kind of observation. Implementations are frozen dataclasses of settings, hashable."""

    @property
    def rule(self) -> TieRule:
        """What a tie of all levels means."""
        ...

    def offers(self, kind: str, gap: Levels) -> Any:
        """How many outcomes the question of a row has, from which a slip is drawn."""
        ...

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of rows that `observed` makes."""
        ...

    def observed(self, data: Any) -> Observations:
        """The rows of some data."""
        ...

    def layout(self, specification: Specification) -> Layout: ...

    def gap(self, reward: Reward, values: jax.Array, row: jax.Array) -> jax.Array:
        """How much more reward the first alternative of a row (alternatives, features) has, before α."""
        ...

    def log_probability(self, kind: str, gap: Levels, tolerance: Levels) -> jax.Array:
        """Of a row of this kind."""
        ...

    def suited(self, tolerance: np.ndarray) -> Likelihood:
        """The same likelihood, which may count on tolerances of this size."""
        ...

    @property
    def quick(self) -> bool:
        """Is a row so quick to compute that some may be computed in vain, for the sake of compiling less?"""
        ...

    @property
    def effort(self) -> float:
        """How many times as long as a pair a row takes, about."""
        ...

    def simpler(self, groups: Sequence[Observations]) -> tuple[Likelihood, tuple[Observations, ...]]:
        """The same observations under a likelihood whose rows are quick; itself if they are."""
        ...

    def roughly(self, specification: Specification) -> Likelihood:
        """The same, only as exact as a search needs it, where that takes less time."""
        ...

    @property
    def single_precision(self) -> bool:
        """Are sums over many rows computed in single precision?"""
        ...

    def finite_in_padding(self, kind: str) -> bool:
        """Are derivatives finite for rows of zeros, whatever the parameters?"""
        ...

    def only_differences_matter(self, specification: Specification) -> bool:
        """Do choices depend on differences of features alone, wherever the alternatives are?"""
        ...

    def nearly_convex(self, specification: Specification) -> bool:
        """Has the negative log-likelihood hardly more than one optimum, and a cheap curvature?"""
        ...

    @property
    def concave_in_threshold(self) -> bool:
        """Is the log-likelihood of one linear level known to be concave in weights and threshold together?"""
        ...

    def needs_thresholds(self, observations: Sequence[Observations]) -> bool:
        """Were outcomes observed that need every threshold above zero?"""
        ...

    @property
    def stuck_at_zero(self) -> bool:
        """Does the gradient in the last threshold vanish at zero, so that a search has to look beyond?"""
        ...

    def explained(self, data: Any, compare: Any) -> bool:
        """Does a model without noise (`compare`, as of `OrderedModel`) explain every outcome?"""
        ...


class Compares(Likelihood, Protocol):
    """A likelihood of two alternatives: rows have one gap at each level, and few outcomes, which have names."""

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The names of what can be observed, in the order of all tables of counts and probabilities."""
        ...

    @property
    def offered(self) -> tuple[str, ...]:
        """The outcomes that a question offers, from which a slip is drawn."""
        ...

    def derivatives(
        self,
        kind: str,
        gap: Levels,
        tolerance: Levels,
        order: int = 2,
        above: Callable[[Any], Above] | None = None,
    ) -> Derivatives:
        """The same with derivatives, in closed form; those beyond `order` may be left out.

        `above` makes an answer of the probability that the levels give it, as slips do.
        """
        ...

    def log_outcomes(self, gap: Levels, tolerance: Levels) -> jax.Array:
        """Log-probabilities of all outcomes, in the order of `outcomes`."""
        ...

    def simulate(self, probabilities: np.ndarray, times: int, generator: np.random.Generator) -> np.ndarray:
        """Counts of outcomes (observations, outcomes), given their probabilities."""
        ...

    def log_likelihood(self, data: Any, log_probabilities: np.ndarray) -> np.ndarray:
        """(…, observations) of what was seen, from log-probabilities (…, observations, outcomes)."""
        ...
