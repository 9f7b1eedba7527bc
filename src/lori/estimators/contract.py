"""What makes an estimator one of scikit-learn's, without importing scikit-learn?

Importing `sklearn.base` takes longer than a small fit. Its functions (`clone`, `cross_val_score`, `GridSearchCV`) ask
an estimator for no more than parameters that can be read and set, and for tags, which scikit-learn itself gives when
it asks.
"""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

Own = TypeVar("Own", bound="Estimator")


class Estimator:
    """Keyword parameters of the constructor are stored under their names; `fit` learns what ends in an underscore."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's parameters (none of them holds estimators, so `deep` changes nothing)."""
        return {name: getattr(self, name) for name in self._defaults()}

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

        return BaseEstimator.__sklearn_tags__(self)

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
