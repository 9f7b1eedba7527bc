"""Contract of an estimator: scikit-learn's parameters, the coding of labels, and the figures that it can show.

Importing `sklearn.base` takes longer than a small fit. Its functions (`clone`, `cross_val_score`, `GridSearchCV`) ask
an estimator for no more than parameters that can be read and set, and for tags, which scikit-learn itself gives when
it asks. Drawing belongs to the interfaces, which nothing here may import: that layer registers itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import entry_points
from typing import Any, TypeVar

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import OUTCOMES, Preferences
from lori.errors import DataError, InputError

Own = TypeVar("Own", bound="Estimator")


class Estimator:
    """Keyword parameters of the constructor are stored under their names; `fit` learns what ends in an underscore."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's parameters (none of them holds estimators, so `deep` changes nothing)."""
        return {name: getattr(self, name) for name in self._defaults()}

    def _repr_html_(self) -> str:
        """As a notebook shows it: what was learned, or what is to be learned."""
        if hasattr(self, "summary_"):
            return self.summary_._repr_html_()
        return f"<pre>{escape(repr(self))}</pre>"

    def set_params(self: Own, **changes: Any) -> Own:
        known = self._defaults()
        for name, value in changes.items():
            if name not in known:
                listed = ", ".join(known)
                raise ValueError(f"{name}: expected one of the parameters {listed}; correct the name")
            setattr(self, name, value)
        return self

    def copy(self: Own, **changes: Any) -> Own:
        """A copy that has learned nothing, with some parameters changed."""
        return type(self)(**{**self.get_params(), **changes})

    def __repr__(self) -> str:
        defaults = self._defaults()
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value is not defaults[name]]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator

        tags = BaseEstimator.__sklearn_tags__(self)
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True  # pairs (n, 2, features)
        return tags

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """The constructor's parameters with their defaults."""
        return {
            name: parameter.default
            for name, parameter in inspect.signature(cls.__init__).parameters.items()
            if name != "self"
        }


def not_fitted(name: str) -> Exception:
    """scikit-learn's error for a model that was asked before it had learned."""
    from sklearn.exceptions import NotFittedError

    return NotFittedError(f"This {name} model has not been fitted: call fit(preferences) first.")


def neg_log_loss(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
    """Mean log-likelihood of a comparison, as scikit-learn takes a score: `scoring=lori.neg_log_loss`.

    Its own score of that name takes columns of probabilities to be sorted by label; ours are left, tie and right.
    """
    return float(estimator.score(X, y, sample_weight))


@dataclass(frozen=True)
class Coding:
    """What stands for left, tie and right."""

    left: Any
    tie: Any
    right: Any

    @property
    def labels(self) -> np.ndarray:
        """In the order of the columns of all tables of probabilities."""
        return np.array([self.left, self.tie, self.right])

    def words(self, outcome: np.ndarray) -> np.ndarray:
        """Labels for outcomes numbered 0 (left), 1 (tie) and 2 (right)."""
        return self.labels[outcome]


WORDS = Coding("left", "tie", "right")
UNIT = Coding(1.0, 0.5, 0.0)
SIGNS = Coding(1.0, 0.0, -1.0)


def as_preferences(X: Any, y: Any, sample_weight: Any, features: Sequence[str] | None = None) -> tuple[Any, Coding]:
    """Preferences or Choices from whatever `fit` and `score` accept."""
    if isinstance(X, Preferences | Choices):
        if y is not None:
            raise DataError(
                "y", expected="none beside Preferences or Choices, which hold their outcomes", got="an array",
                fix="leave y out, or pass pairs (n, 2, features)",
            )  # fmt: skip
        if sample_weight is not None:
            X = X.weighted(sample_weight)
        return (X if features is None or X.features == tuple(features) else X.select(features)), WORDS
    try:
        pairs = np.asarray(X, float)
    except (TypeError, ValueError):
        raise DataError(
            "X", expected="numbers of shape (n, 2, features)", got="text or rows of unequal length",
            fix="describe both sides of every pair by the same features, as numbers",
        ) from None  # fmt: skip
    if pairs.ndim != 3 or pairs.shape[1] != 2:
        raise DataError(
            "X", expected="Preferences, or pairs of shape (n, 2, features)", got=f"an array of shape {pairs.shape}",
            fix="stack left and right: numpy.stack([left, right], axis=1)",
        )  # fmt: skip
    coding, outcome = _decoded(y, len(pairs))
    made = Preferences.from_arrays(
        pairs[:, 0], pairs[:, 1],
        counts=np.eye(len(OUTCOMES))[outcome], features=features, weight=sample_weight,
    )  # fmt: skip
    return made, coding


def _decoded(y: Any, count: int) -> tuple[Coding, np.ndarray]:
    """Which coding `y` uses, and the outcomes as 0 (left), 1 (tie), 2 (right)."""
    if y is None:
        return WORDS, np.zeros(count, int)
    labels = np.asarray(y)
    if labels.shape != (count,):
        raise DataError("y", expected=f"{count} labels, one for each pair", got=f"shape {labels.shape}",
                        fix="pass a one-dimensional array")  # fmt: skip
    if labels.dtype.kind in "OUS":
        coding = WORDS
    else:
        labels = labels.astype(float)
        coding = SIGNS if (labels == -1).any() else UNIT
    options = (coding.left, coding.tie, coding.right)
    outcome = np.select([labels == option for option in options], [0, 1, 2], default=-1)
    if (outcome < 0).any():
        raise DataError(
            "y", expected="left, right, tie; or 1, 0 and 0.5 for a tie; or 1, −1 and 0 for a tie",
            got=f"{int((outcome < 0).sum())} other labels", fix="use one of these codings throughout",
        )  # fmt: skip
    return coding, outcome


GROUP, NAME = "lori.figures", "plots"  # as pyproject.toml has them


def registered_plots() -> Any:
    """What takes a fitted estimator and has a method for each kind of figure; `of_population` takes a population."""
    for found in entry_points(group=GROUP, name=NAME):
        return found.load()
    raise InputError(
        "plot", expected=f"an installed package that registers {NAME!r} under {GROUP!r}", got="none",
        fix="install LORI again with pip",
    )  # fmt: skip
