"""Sources: where the rows live. Here in memory, for one decision-maker or for many; elsewhere: `stream`, `cluster`.

A source adds up evaluations over its parts. Nothing above knows more about it than this protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from lori.inference import plain
from lori.inference.arrangement import SLAB
from lori.inference.blocks import Evaluation, Pending, begun, begun_roughly
from lori.inference.statistics import Scaling
from lori.inference.threads import THREADS
from lori.model.likelihoods import Observations
from lori.model.specification import Specification

MANY_ROWS = 800  # of pairs, or others that take as long: below this, threads cost more than they bring


class Source(Protocol):
    """Rows of one or more groups (decision-makers), wherever they are."""

    @property
    def groups(self) -> int: ...

    @property
    def rows(self) -> int: ...

    def evaluate(self, specification: Specification, scaling: Scaling, vectors: np.ndarray, order: int) -> Evaluation:
        """Negative log-likelihood at vectors (groups, starts, parameters), with derivatives up to `order`."""
        ...

    def sample(self, rows: int, generator: np.random.Generator) -> Memory:
        """About so many rows of each group, in memory, standing for all; the source itself if that is all."""
        ...

    def reweighted(self, weights: Sequence[np.ndarray]) -> Source:
        """The same rows, each observation times a weight, one array for each group."""
        ...

    def only(self, group: int) -> Source:
        """One of many groups."""
        ...


@dataclass(frozen=True, eq=False)
class Memory:
    """Rows in memory; the cores share them."""

    observations: tuple[Observations, ...]  # one for each group
    single: bool = False  # single vectors are evaluated very often
    once: bool = False  # samples are drawn once: models with more levels share them, laid out as they are by then

    @property
    def groups(self) -> int:
        return len(self.observations)

    @property
    def rows(self) -> int:
        return sum(own.rows for own in self.observations)

    def __getstate__(self) -> dict[str, Any]:
        """Shards are cut again where the rows arrive."""
        return {"observations": self.observations, "single": self.single, "once": self.once}

    @cached_property
    def _shards(self) -> list[list[Observations]]:
        """Parts for the threads: rows of the only group, or some of the groups."""
        if self.groups == 1:
            slabs = -(-self.rows // (THREADS * SLAB))
            return [[shard] for shard in self.observations[0].shards(THREADS * slabs)]
        cuts = np.array_split(np.arange(self.groups), THREADS)
        return [[self.observations[i] for i in cut] for cut in cuts if len(cut)]

    @cached_property
    def _drawn(self) -> dict[int, Memory]:
        return {}

    def evaluate(self, specification: Specification, scaling: Scaling, vectors: np.ndarray, order: int) -> Evaluation:
        return self._shared(
            specification,
            vectors,
            lambda some, own, lane: begun(specification, scaling, some, own, order, self.single, lane),
        )

    def rough_values(self, specification: Specification, scaling: Scaling, vectors: np.ndarray) -> np.ndarray:
        """Values alone, only as exact as the weights of draws need them, where that takes less time."""
        return self._shared(
            specification,
            vectors,
            lambda some, own, lane: begun_roughly(specification, scaling, some, own, lane),
        ).value

    def _shared(
        self,
        specification: Specification,
        vectors: np.ndarray,
        begin: Callable[[list[Observations], np.ndarray, int | None], Pending],
    ) -> Evaluation:
        """What is made of some observations and their vectors, the cores sharing them: each part is computed on a lane,
        and always on the same."""
        few = self.rows * specification.likelihood.effort < MANY_ROWS or THREADS == 1
        shards = [list(self.observations)] if few else self._shards
        if len(shards) == 1 or plain.suffices(specification, self.observations, vectors.shape[1]):
            return begin(list(self.observations), vectors, None)()
        if self.groups == 1:
            own: Sequence[np.ndarray] = [vectors] * len(shards)
        else:
            own = np.split(vectors, np.cumsum([len(shard) for shard in shards])[:-1])
        begun = [begin(*part, place % THREADS) for place, part in enumerate(zip(shards, own, strict=True))]
        done = [each() for each in begun]
        if self.groups == 1:
            return sum(done[1:], start=done[0])
        return Evaluation(*(np.concatenate(parts) for parts in zip(*done, strict=True) if parts[0] is not None))

    def reweighted(self, weights: Sequence[np.ndarray]) -> Memory:
        reweighted = tuple(own.reweighted(each) for own, each in zip(self.observations, weights, strict=True))
        changed = replace(self, observations=reweighted)
        if self.groups == 1 and len(self._shards) > 1:
            shards = [[shard.reweighted(weights[0]) for shard in part] for part in self._shards]
            changed.__dict__["_shards"] = shards  # rows that are laid out stay in place
        return changed

    def only(self, group: int) -> Memory:
        return replace(self, observations=(self.observations[group],))

    def sample(self, rows: int, generator: np.random.Generator) -> Memory:
        if all(own.rows <= rows for own in self.observations):
            return self
        if self.once and rows in self._drawn:
            return self._drawn[rows]
        drawn = replace(self, observations=tuple(own.sample(rows, generator) for own in self.observations))
        if self.once:
            self._drawn[rows] = drawn
        return drawn
