"""The estimator: from preferences to an ordered model, with scikit-learn's contract."""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from lori.data.preferences import Preferences
from lori.errors import InputError, one_of, whole
from lori.estimators import storage
from lori.estimators.coding import WORDS, as_preferences
from lori.estimators.contract import Estimator, not_fitted
from lori.inference import explanation
from lori.inference.explanation import Explanation
from lori.inference.fitting import Fit, fit_groups
from lori.inference.optimum import Peak
from lori.inference.posterior.draws import Posterior
from lori.inference.posterior.sampling import METHODS, posterior_of_peak, sample_posterior
from lori.inference.settings import checked_prior, checked_settings
from lori.inference.status import Status
from lori.inference.summary import summarise
from lori.language.results import Summary
from lori.model.ordered import Level, OrderedModel
from lori.model.priors import Prior
from lori.model.rewards import Reward

REACH = 4.0  # explanations look for changes up to this many times the range of a feature
DRAWING = "lori.interfaces.figures.plots"  # what `LORI.plot` draws with


class LORI(Estimator):
    """Lexicographically ordered reward inference: which objective comes first, and when does it count?

    Parameters
    ----------
    levels : number of reward functions in priority order.
    reward : the family of rewards: `Linear()` by default, one for all levels or a list with one for each.
    alpha : sensitivity of each level; 1 by default (a free scale of the reward makes it redundant), None to
        learn it. One value, or one for each level.
    epsilon : threshold of each level in units of its reward; None (default) learns it, a number fixes it.
    ties : `auto` (default: `observed` if there are ties, else `split`), `split`, `observed` or `printed`.
    prior : `weak` (default), None for pure maximum likelihood, or a `Prior`.
    method : `newton` (default), or `paper` for the paper's RMSprop procedure.
    starts : random starts of the search; more make it surer that the best optimum is found.
    standard_errors : `observed` (default), `robust`, or `clustered` by agent.
    seed : the same seed gives the same numbers.

    Attributes
    ----------
    levels_ : the learned levels in priority order, with weights, epsilon, alpha, cap and thresholds.
    model_ : the learned `OrderedModel`, which predicts, samples and compares.
    log_likelihood_, converged_, status_, features_, ties_ : what the fit says about itself.

    >>> from lori import Linear, tversky1969
    >>> first = tversky1969().by_agent()["1"]
    >>> model = LORI(levels=2, reward=Linear(increasing="all"), epsilon=(None, 0.0), prior=None).fit(first)
    >>> round(model.log_likelihood_, 2)
    -113.33
    """

    def __init__(
        self,
        *,
        levels: int = 2,
        reward: Reward | Sequence[Reward] | str | None = None,
        alpha: float | Sequence[float | None] | None = 1.0,
        epsilon: float | Sequence[float | None] | None = None,
        ties: str = "auto",
        prior: Prior | str | None = "weak",
        method: str = "newton",
        starts: int = 48,
        standard_errors: str = "observed",
        seed: int = 0,
    ) -> None:
        self.levels = levels
        self.reward = reward
        self.alpha = alpha
        self.epsilon = epsilon
        self.ties = ties
        self.prior = prior
        self.method = method
        self.starts = starts
        self.standard_errors = standard_errors
        self.seed = seed

    def fit(self, X, y=None, sample_weight=None) -> LORI:
        """Learn from `Preferences`, or from pairs X (n, 2, features) with y.

        `y` holds 'left', 'right' and 'tie', or 1 for left, 0 for right and 0.5 for a tie, or 1, −1 and 0;
        without y the first alternative of each pair is the preferred one.
        """
        preferences, coding = as_preferences(X, y, sample_weight)
        settings = checked_settings(self.get_params(deep=False), [preferences])
        self._learned(fit_groups(settings, [preferences])[0])
        self.coding_, self.pooled_ = coding, preferences.pooled
        self.fitted_to_ = weakref.ref(preferences)
        return self

    def with_levels(self, levels: int) -> LORI:
        """An unfitted copy with so many levels: the first ones of what is given level by level, or the last repeated.

        The threshold of the last level stays what it is, for being fixed at zero has to do with being last.
        """
        changes: dict[str, Any] = {"levels": levels}
        for name in ("reward", "alpha", "epsilon"):
            given = getattr(self, name)
            if isinstance(given, list | tuple):
                last = list(given[-1:]) if name == "epsilon" else []
                others = given[:-1] if last and len(given) > 1 else given
                changes[name] = [*others, *others[-1:] * levels][: levels - len(last)] + last
        return self.copy(**changes)

    def supported(self, preferences: Preferences) -> LORI:
        """This fitted model if the data support all of its levels, else one with as many as its summary recommends.

        A level that the data do not support may stand anywhere in the order: do not plan for it. `preferences` are
        those that were fitted.
        """
        support = self.summary().support
        if support is None or support.recommended == self.levels:
            return self
        return self.with_levels(support.recommended).fit(preferences)

    def fit_by_agent(self, preferences: Preferences) -> dict[str, LORI]:
        """A fitted copy of this estimator for each agent, all fitted as one batch."""
        return fit_by_agent(self, preferences)

    def predict_proba(self, left, right=None) -> np.ndarray:
        """Columns: left preferred, tie, right preferred. Takes two arrays, pairs (n, 2, features) or Preferences."""
        return self._model.predict_proba(*self._sides(left, right))

    def predict(self, left, right=None) -> np.ndarray:
        """The likeliest outcome of each pair, in the words or numbers of the `y` that was fitted."""
        probabilities = self.predict_proba(left, right)
        return self.coding_.words(probabilities.argmax(axis=1))

    def score(self, X, y=None, sample_weight=None) -> float:
        """Mean log-likelihood of a comparison: higher is better, log ½ is a coin.

        (Not accuracy: that hardly tells a well calibrated model from a bold one. See `lori.evaluation`.)
        """
        preferences, _ = as_preferences(X, y, sample_weight, features=self._model.features)
        logs = self._model.predict_log_proba(*self._sides(preferences, None))
        counts = np.stack([preferences.wins, preferences.ties, preferences.losses], axis=1)
        counts = counts * preferences.weights[:, None]
        seen = counts > 0  # what is impossible and was not seen does not count
        return float(counts[seen] @ logs[seen] / counts.sum())

    def explain(self, left, right=None) -> Explanation:
        """Per pair: which level decides with what probability, and the smallest changes that flip the choice."""
        return explanation.explain(self._model, *self._sides(left, right), REACH * self.ranges_)

    def posterior(
        self, preferences=None, *, method: str = "laplace", draws: int = 1000, seed: int | None = None
    ) -> Posterior:
        """Draws of everything learned, in the user's units: how sure are we?

        `laplace` (default) is a Gaussian around every optimum found, instant at any size; a fitted or loaded model
        needs no preferences for it (then around the best optimum alone, unchecked). `smc`, tempered sequential Monte
        Carlo, handles several modes and gives the evidence; `nuts` is for a single mode. Both need the extra `bayes`.
        """
        one_of("method", method, METHODS)
        count, own_seed = whole("draws", draws, 10), self.seed if seed is None else whole("seed", seed, 0)
        if preferences is None:
            if method != "laplace":
                raise InputError(
                    "preferences", expected=f"the data, for method={method!r}", got="none",
                    fix="pass the preferences, or use method='laplace'",
                )  # fmt: skip
            self._model  # noqa: B018 (raises if not fitted)
            if self.peak_ is None or self.peak_.curvature is None:
                raise InputError(
                    "posterior", expected="a model of at most 60 parameters, from a file that tells its curvature",
                    got="another model", fix="pass the preferences and use method='smc'",
                )  # fmt: skip
            return posterior_of_peak(self.peak_, draws=count, seed=own_seed)
        data, _ = as_preferences(preferences, None, None)
        settings = checked_settings(self.get_params(deep=False), [data])
        known = None
        if self.fitted_to_ is not None and self.fitted_to_() is data and self.peak_ is not None:
            known = self.peak_, self.rivals_
        return sample_posterior(settings, data, method=method, draws=count, seed=own_seed, known=known)

    def summary(self) -> Summary:
        """Levels in order, weights, thresholds in feature units, standard errors, status; print it or `to_dict()`."""
        self._model  # noqa: B018 (raises if not fitted)
        return self.summary_

    @property
    def plot(self) -> Any:
        """Figures of the fitted model: `model.plot.ladder()`, `.tradeoff()`, … return Matplotlib figures."""
        self._model  # noqa: B018 (raises if not fitted)
        # Drawing belongs to the interfaces, which nothing here may import: it is found by name when first asked for, as
        # pandas finds its plotting backends.
        return importlib.import_module(DRAWING).Plots(self)

    def save(self, path) -> None:
        """Write the fitted model as versioned JSON."""
        storage.save(path, {"kind": "model", "settings": self._saved_settings(), **self._content()})

    # -- inside ----------------------------------------------------------------------------------------

    @property
    def _model(self) -> OrderedModel:
        if not hasattr(self, "model_"):
            raise not_fitted("LORI")
        return self.model_

    pooled_: tuple[str, float | None] | None = None  # how the trajectories that were fitted became features
    fitted_to_: weakref.ref[Preferences] | None = None  # so that a posterior of the same data need not search again

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "fitted_to_": None}

    def _learned(self, fit: Fit) -> None:
        self.model_: OrderedModel = fit.model
        self.summary_ = summarise(fit)
        self.ranges_ = fit.ranges
        self.covariance_, self.vector_ = fit.covariance, fit.peak.vector
        self.peak_: Peak | None = fit.peak
        self.rivals_ = fit.rivals
        self.log_likelihood_ = fit.log_likelihood
        self._mirror(fit.status)

    def _mirror(self, status: Status) -> None:
        """Attributes that follow from the model and its status."""
        self.levels_: tuple[Level, ...] = self.model_.levels
        self.features_ = self.model_.features
        self.n_features_in_ = len(self.features_)
        self.ties_ = self.model_.ties
        self.status_ = status
        self.converged_ = status.converged

    def _content(self) -> dict[str, Any]:
        return {
            "model": self._model.describe(),
            "summary": self.summary_.to_dict(),
            "ranges": [float(value) for value in self.ranges_],
            "peak": None if self.peak_ is None else self.peak_.describe(),
            "pooled": self.pooled_,
        }

    def _saved_settings(self) -> dict[str, Any]:
        settings = {name: value for name, value in self.get_params(deep=False).items() if name != "reward"}
        for name in ("alpha", "epsilon"):
            if isinstance(settings[name], tuple | np.ndarray):
                settings[name] = list(settings[name])
        if isinstance(self.prior, Prior):
            settings["prior"] = asdict(self.prior)
        return settings

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> LORI:
        model = OrderedModel.from_description(content["model"])
        settings = dict(content["settings"])
        if isinstance(settings["prior"], dict):
            settings["prior"] = Prior(**settings["prior"])
        estimator = cls(**settings, reward=[level.reward for level in model.levels])
        estimator.model_ = model
        estimator.summary_ = Summary.from_dict(content["summary"])
        estimator.ranges_ = np.array(content["ranges"], float)
        prior = checked_prior(settings["prior"])
        peak = content.get("peak")  # files of the first version have none
        estimator.peak_ = Peak.from_description(peak, model.ties, model.features, prior) if peak else None
        estimator.log_likelihood_ = estimator.summary_.log_likelihood
        estimator._mirror(estimator.summary_.status)
        estimator.coding_ = WORDS
        pooled = content.get("pooled")  # older files do not say
        estimator.pooled_ = (str(pooled[0]), pooled[1]) if pooled else None
        return estimator

    def _sides(self, left, right) -> tuple[np.ndarray, np.ndarray]:
        features = self._model.features
        if isinstance(left, Preferences):
            if None not in (left.pooled, self.pooled_) and left.pooled != self.pooled_:
                raise InputError(
                    "trajectories", expected=f"the pooling that was fitted, {pooling_text(self.pooled_)}",
                    got=pooling_text(left.pooled), fix="pool them in the same way",
                )  # fmt: skip
            same = left if left.features == features else left.select(features)
            return same.left_features, same.right_features
        if right is None:
            preferences, _ = as_preferences(left, None, None, features=features)
            return preferences.left_features, preferences.right_features
        return np.asarray(left, float), np.asarray(right, float)


def pooling_text(pooled: tuple[str, float | None] | None) -> str:
    how, discount = pooled or ("mean", None)
    return how if discount is None else f"{how} by {discount:g}"


def fit_by_agent(estimator: LORI, preferences: Preferences) -> dict[str, LORI]:
    """Fit `estimator`'s settings to each agent's own preferences, all agents and starts in one batch."""
    groups = preferences.by_agent()
    settings = checked_settings(estimator.get_params(deep=False), list(groups.values()))
    fitted = {}
    for agent, fit in zip(groups, fit_groups(settings, list(groups.values())), strict=True):
        own = estimator.copy()
        own._learned(fit)
        own.coding_, own.pooled_ = WORDS, preferences.pooled
        fitted[agent] = own
    return fitted


def load(path) -> LORI:
    """Read a model that `save` wrote."""
    return storage.load(path, LORI._from_content, kind="model")


def save_agents(fitted: dict[str, LORI], path) -> None:
    """Write the models of many agents into one file; `load_agents` reads it."""
    agents = {agent: {"settings": model._saved_settings(), **model._content()} for agent, model in fitted.items()}
    storage.save(path, {"kind": "agents", "agents": agents})


def load_agents(path) -> dict[str, LORI]:
    """Read what `save_agents` (or `lori fit --by agent --save`) wrote."""

    def build(document: dict[str, Any]) -> dict[str, LORI]:
        return {agent: LORI._from_content(content) for agent, content in document["agents"].items()}

    return storage.load(path, build, kind="agents")
