"""OrderedModel: levels in priority order, complete with numbers in the user's units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.errors import InputError
from lori.model.engines import arrays_of, jax, jnp
from lori.model.likelihoods import Pairs, Sets
from lori.model.likelihoods.base import Compares
from lori.model.likelihoods.probabilities import TIE_RULES, Decisions, TieRule, decisions, lexicographic_order
from lori.model.likelihoods.sets import SetRows, arrangements
from lori.model.precision import double_precision
from lori.model.rewards import Linear, Reward, are_vectorised, reward_from
from lori.model.specification import Parameters, Specification

CHUNK = 1 << 16  # pairs predicted at once; smaller inputs are padded to a power of two, so that code is reused


@dataclass(frozen=True, eq=False)
class Level:
    """One reward function with its threshold: a difference below `epsilon` does not count."""

    reward: Reward
    parameters: np.ndarray
    epsilon: float
    alpha: float = 1.0
    slopes: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def weights(self) -> np.ndarray:
        """What one unit of each feature is worth, in the order of the features (average slope for a network)."""
        return self.slopes

    @property
    def cap(self) -> float | None:
        cap = self.reward.cap(self.parameters)
        return None if cap is None else float(cap)

    @property
    def thresholds(self) -> np.ndarray:
        """How large a difference in each feature alone must be before it counts: ε / |weight|."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.slopes == 0, np.inf, self.epsilon / np.abs(self.slopes))

    @property
    def scale(self) -> float:
        """Σ |weight|, which a learned α of a reward with free scale takes over."""
        return float(np.sum(np.abs(self.weights)))


@dataclass(frozen=True, eq=False)
class OrderedModel:
    """Rewards in priority order: the thing that predicts, explains, samples and is saved.

    >>> model = OrderedModel.linear([[0.0, 1.0], [1.0, 0.0]], epsilon=[0.5, 0.0], features=["benefit", "need"])
    >>> model.predict_proba([[0.0, 2.0]], [[5.0, 0.0]]).round(3)
    array([[0.818, 0.   , 0.182]])
    """

    levels: tuple[Level, ...]
    features: tuple[str, ...]
    ties: TieRule = "split"
    lapse: float = 0.0  # the rate of slips: answers drawn at random

    @classmethod
    def linear(
        cls,
        weights: ArrayLike,
        *,
        epsilon: ArrayLike,
        alpha: ArrayLike | None = None,
        features: Sequence[str] | None = None,
        ties: TieRule = "split",
        lapse: float = 0.0,
    ) -> OrderedModel:
        """A model from weights (levels, features), thresholds in reward units, sensitivities and a rate of slips."""
        matrix = np.atleast_2d(np.asarray(weights, float))
        names = tuple(features) if features is not None else tuple(f"x{i + 1}" for i in range(matrix.shape[1]))
        thresholds = np.asarray(epsilon, float)
        sensitivities = np.ones(len(matrix)) if alpha is None else np.asarray(alpha, float)
        if not len(matrix) == len(thresholds) == len(sensitivities) or matrix.shape[1] != len(names):
            raise InputError(
                "weights, epsilon, alpha and features",
                expected="one row of weights, one epsilon and one alpha for each level, one column for each feature",
                got=f"weights of shape {matrix.shape}, {len(thresholds)} epsilon, {len(sensitivities)} alpha "
                f"and {len(names)} features",
                fix="give them all for the same levels and features",
            )
        if not np.all(np.isfinite(matrix)) or not np.all(thresholds >= 0) or not np.all(sensitivities >= 0):
            raise InputError(
                "weights, epsilon and alpha", expected="finite weights, epsilon and alpha from 0",
                got="other numbers", fix="correct them",
            )  # fmt: skip
        if ties not in TIE_RULES:
            raise InputError("ties", expected=" or ".join(TIE_RULES), got=str(ties), fix="use split")
        if not 0 <= lapse < 1:
            raise InputError("lapse", expected="a rate from 0 to below 1", got=str(lapse), fix="use 0 for no slips")
        levels = tuple(
            Level(Linear(), row, float(e), float(a), slopes=row)
            for row, e, a in zip(matrix, thresholds, sensitivities, strict=True)
        )
        return cls(levels, names, ties, float(lapse))

    @property
    def specification(self) -> Specification:
        fixed = (0.0,) * len(self.levels)  # only the structure matters for prediction
        rewards = tuple(level.reward for level in self.levels)
        return Specification(rewards, fixed, fixed, self.likelihood, self.features, None if self.lapse else 0.0)

    @property
    def likelihood(self) -> Pairs:
        """How its choices between two alternatives follow from the levels."""
        return Pairs(self.ties)

    @property
    def only_differences_matter(self) -> bool:
        """Whether choices depend on differences of features alone, wherever the alternatives are."""
        return self.likelihood.only_differences_matter(self.specification)

    @property
    def parameters(self) -> Parameters:
        return Parameters(
            rewards=tuple(np.asarray(level.parameters, float) for level in self.levels),
            epsilon=np.array([level.epsilon for level in self.levels]),
            alpha=np.array([level.alpha for level in self.levels]),
            lapse=np.array(self.lapse),
        )

    def rewards(self, x: ArrayLike) -> np.ndarray:
        """The reward of each alternative on each level, shape (alternatives, levels)."""
        x = self._checked(x, "alternatives")
        if self._vectorised:
            return np.stack([np.asarray(level.reward(level.parameters, x)) for level in self.levels], axis=1)
        return self._compiled_rewards(x)

    @double_precision
    def _compiled_rewards(self, x: np.ndarray) -> np.ndarray:
        columns = [jax.vmap(level.reward, (None, 0))(jnp.asarray(level.parameters), x) for level in self.levels]
        return np.stack([np.asarray(column) for column in columns], axis=1)

    def predict_log_proba(self, left: ArrayLike, right: ArrayLike) -> np.ndarray:
        """Logarithms of `predict_proba`, exact where probabilities underflow."""
        return self._mapped(_log_outcomes, left, right)

    def predict_proba(self, left: ArrayLike, right: ArrayLike) -> np.ndarray:
        """Columns: left preferred, tie, right preferred. Shape (pairs, 3)."""
        return np.exp(self.predict_log_proba(left, right))

    def preference(self, left: ArrayLike, right: ArrayLike) -> np.ndarray:
        """log Pr(left ≻ right) − log Pr(right ≻ left) of an answer that is no slip: positive where left is likelier."""
        return self._mapped(_log_odds, left, right)[:, 0]

    def decisions(self, left: ArrayLike, right: ArrayLike) -> Decisions:
        """Which level decides, with what probability, and for whom; arrays of shape (pairs, levels)."""
        table = self._mapped(_decisions, left, right)
        k = len(self.levels)
        return Decisions(table[:, :k], table[:, k : 2 * k], table[:, 2 * k])

    def compare(self, left: ArrayLike, right: ArrayLike) -> np.ndarray:
        """The choice without noise: 1 for left, −1 for right, 0 if every difference is below its threshold."""
        left, right = self._both_checked(left, right)
        epsilon = [level.epsilon for level in self.levels]
        return lexicographic_order(self.rewards(left).T, self.rewards(right).T, epsilon)

    def sample(
        self, left: ArrayLike, right: ArrayLike, *, times: int = 1, seed: int | np.random.Generator = 0
    ) -> np.ndarray:
        """Draw each choice `times` times: counts of left preferred, tie and right preferred, (pairs, 3)."""
        return self.likelihood.simulate(self.predict_proba(left, right), times, np.random.default_rng(seed))

    # -- choices from sets ------------------------------------------------------------------------------

    def choice_log_proba(self, choices: Choices) -> np.ndarray:
        """(rows,) for each alternative of each set the log-probability that it is chosen; a full tie is a coin."""
        found = np.empty(len(choices.alternatives))
        for kind, rows, place in arrangements(choices):
            found[rows] = self._of_rows(kind, "split", choices.alternatives, place)
        return found

    def choice_proba(self, choices: Choices) -> np.ndarray:
        """(sets, names): the probability that each alternative is chosen, zero where it is not in the set."""
        return choices.table(np.exp(self.choice_log_proba(choices)))

    def log_likelihood(self, data: Preferences | Choices) -> np.ndarray:
        """(observations,) of what was seen, times its count and weight."""
        same = data if data.features == self.features else data.select(self.features)
        if isinstance(same, Preferences):
            logs = self.predict_log_proba(same.left_features, same.right_features)
            return self.likelihood.log_likelihood(same, logs)
        rule: TieRule = "observed" if same.has_ties or self.ties == "observed" else "split"
        found = np.zeros(len(same))
        likelihood = Sets.for_data(rule, [same], (None,))
        for kind, rows in likelihood.observed(same).kinds.items():
            if len(rows):
                logs = self._of_rows(kind, rule, same.alternatives, cast(SetRows, rows).place)
                found[rows.origin] = logs * rows.weight
        return found

    @double_precision
    def _of_rows(self, kind: str, rule: TieRule, table: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Log-probabilities of rows (rows, alternatives) of a table, what is chosen first."""
        fixed = (0.0,) * len(self.levels)
        rewards = tuple(level.reward for level in self.levels)
        likelihood = Sets(rule, self.levels[-1].epsilon == 0)
        lapse = None if self.lapse else 0.0
        specification = Specification(rewards, fixed, fixed, likelihood, self.features, lapse)
        parts = []
        step = max(64, CHUNK // place.shape[1] ** 2)
        for start in range(0, len(place), step):
            some = place[start : start + step]
            space = min(step, 1 << max(4, (len(some) - 1).bit_length()))
            rows = np.where(some[..., None] < 0, np.nan, table[some])
            padded = np.concatenate([rows, np.repeat(rows[:1], space - len(rows), axis=0)])
            parts.append(np.asarray(_log_choices(specification, kind, self.parameters, padded))[: len(some)])
        return np.concatenate(parts)

    def describe(self) -> dict[str, Any]:
        """The model as plain JSON values; `from_description` is the inverse."""
        return {
            "features": list(self.features),
            "ties": self.ties,
            "lapse": self.lapse,
            "levels": [
                {
                    "reward": level.reward.settings(),
                    "parameters": [float(value) for value in level.parameters],
                    "epsilon": level.epsilon,
                    "alpha": level.alpha,
                    "slopes": [float(value) for value in level.slopes],
                }
                for level in self.levels
            ],
        }

    @classmethod
    def from_description(cls, description: dict[str, Any]) -> OrderedModel:
        levels = tuple(
            Level(
                reward_from(level["reward"]),
                np.array(level["parameters"], float),
                float(level["epsilon"]),
                float(level["alpha"]),
                np.array(level["slopes"], float),
            )
            for level in description["levels"]
        )
        features, ties = tuple(description["features"]), description["ties"]
        lapse = float(description.get("lapse", 0.0))  # the first files have none
        whole = levels and ties in TIE_RULES and 0 <= lapse < 1 and all(_fits(level, features) for level in levels)
        if not whole:
            raise ValueError("the description of a model does not fit together")
        return cls(levels, features, ties, lapse)

    @property
    def _vectorised(self) -> bool:
        """Can all levels be computed with NumPy, without loading and compiling anything?"""
        return are_vectorised(level.reward for level in self.levels)

    def _mapped(self, function: Callable[..., jax.Array], left: ArrayLike, right: ArrayLike) -> np.ndarray:
        """Apply a function of one pair to all of them, a chunk at a time."""
        left, right = self._both_checked(left, right)
        if not self._vectorised:
            return self._compiled(function, left, right)
        specification, parameters = self.specification, self.parameters
        with np.errstate(all="ignore"):  # probabilities may be zero
            parts = [
                function(specification, parameters, (left[start : start + CHUNK], right[start : start + CHUNK])).T
                for start in range(0, max(len(left), 1), CHUNK)
            ]
        return np.concatenate(parts)

    @double_precision
    def _compiled(self, function: Callable[..., jax.Array], left: np.ndarray, right: np.ndarray) -> np.ndarray:
        parts = [
            np.asarray(_for_each_pair(function, self.specification, self.parameters, padded))[:count]
            for padded, count in _chunks(np.stack([left, right], axis=1))
        ]
        return np.concatenate(parts)

    def _both_checked(self, left: ArrayLike, right: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        left, right = self._checked(left, "left"), self._checked(right, "right")
        if left.shape != right.shape:
            raise InputError(
                "left and right", expected="as many alternatives on both sides",
                got=f"{len(left)} and {len(right)}", fix="pass arrays of equal length",
            )  # fmt: skip
        for name in dict.fromkeys(name for level in self.levels for name in level.reward.context):
            place = self.features.index(name)
            if not np.array_equal(left[:, place], right[:, place]):
                raise InputError(
                    f"context {name}", expected="the same value on both sides of each pair", got="two values in some",
                    fix="only what the two alternatives share can be context",
                )  # fmt: skip
        return left, right

    def _checked(self, x: ArrayLike, what: str) -> np.ndarray:
        array = np.ascontiguousarray(np.atleast_2d(np.asarray(x, float)))  # sums do not depend on how it lies
        if array.ndim != 2 or array.shape[1] != len(self.features):
            raise InputError(
                what,
                expected=f"{len(self.features)} features for each alternative ({', '.join(self.features)})",
                got=f"an array of shape {np.shape(x)}",
                fix="pass the features that the model was fitted with, in this order",
            )
        if not np.all(np.isfinite(array)):
            raise InputError(what, expected="finite numbers", got="NaN or infinity", fix="remove or mend those rows")
        return array


def _fits(level: Level, features: tuple[str, ...]) -> bool:
    """Are the numbers of a level finite, and as many as its reward and the features need?"""
    numbers = [*level.parameters, *level.slopes, level.epsilon, level.alpha]
    sizes = level.parameters.shape == (level.reward.size(features),) and level.slopes.shape == (len(features),)
    return sizes and bool(np.all(np.isfinite(numbers))) and level.epsilon >= 0 and level.alpha >= 0


def _chunks(pairs: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    for start in range(0, max(len(pairs), 1), CHUNK):  # no pairs are one empty chunk
        part = pairs[start : start + CHUNK]
        room = 1 << max(6, (len(part) - 1).bit_length())
        yield np.pad(part, [(0, room - len(part)), (0, 0), (0, 0)]), len(part)


@partial(jax.jit, static_argnums=(0, 1))
def _for_each_pair(
    summarise: Callable[..., jax.Array], specification: Specification, parameters: Parameters, pairs: jax.Array
) -> jax.Array:
    """`summarise(specification, parameters, pair)`, written for one pair, over many."""
    return jax.vmap(lambda pair: summarise(specification, parameters, pair))(pairs)


@partial(jax.jit, static_argnums=(0, 1))
def _log_choices(specification: Specification, kind: str, parameters: Parameters, rows: jax.Array) -> jax.Array:
    return jax.vmap(lambda row: specification.log_probability_at(kind, parameters, row))(rows)


def _log_outcomes(specification: Specification, parameters: Parameters, pair: Any) -> jax.Array:
    return specification.log_outcomes(parameters, pair)


def _log_odds(specification: Specification, parameters: Parameters, pair: Any) -> jax.Array:
    left, _, right = cast(Compares, specification.likelihood).log_outcomes(*specification.scaled(parameters, pair))
    return (left - right)[None]


def _decisions(specification: Specification, parameters: Parameters, pair: Any) -> jax.Array:
    result = decisions(*specification.scaled(parameters, pair))
    return arrays_of(*result).concatenate([result.left, result.right, result.nobody[None]])
