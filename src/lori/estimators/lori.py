"""LORI: the estimator, from preferences to an ordered model, with scikit-learn's contract.

What only a fit needs is imported by `fit`: a model that was saved predicts at once.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.data.reading.stream import PreferenceStream
from lori.errors import DataError, InputError, one_of, whole
from lori.estimators import storage
from lori.estimators.contract import WORDS, Coding, Estimator, as_preferences, not_fitted, registered_plots
from lori.inference import explanation
from lori.inference.estimates import Optimum, Units
from lori.inference.set_explanation import explain_sets
from lori.inference.settings import FitSettings, checked_prior, checked_settings
from lori.language.results import Status, Summary
from lori.model.ordered import Level, OrderedModel
from lori.model.priors import Prior
from lori.model.rewards import Reward

if TYPE_CHECKING:
    from lori.inference.fitting import Fit
    from lori.inference.posterior.draws import Posterior
    from lori.inference.sources.stream import Progress

REACH = 1.0  # explanations look for changes of a feature up to this many times its range in the data


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
    lapse : rate of slips, answers drawn at random from what the question offers: None (default) learns it, a number
        fixes it, 0 means that nobody slips.
    prior : `weak` (default), None for pure maximum likelihood, or a `Prior`.
    method : `newton` (default), or `paper` for the paper's RMSprop procedure.
    starts : random starts of the search; more make it surer that the best optimum is found.
    standard_errors : what they and intervals take for independent: `auto` (default) the agents where there are
        several, else the choices; `observed` the choices, `robust` these without trust in the likelihood, `clustered`
        the agents; `none` spares them.
    seed : the same seed gives the same numbers.

    Attributes
    ----------
    levels_ : the learned levels in priority order, with weights, epsilon, alpha, cap and thresholds.
    model_ : the learned `OrderedModel`, which predicts, samples and compares.
    log_likelihood_, converged_, status_, features_, ties_ : what the fit says about itself.
    classes_ : the labels of left, tie and right as `y` had them, in the order of the columns of `predict_proba`.
    feature_names_in_, n_features_in_ : as scikit-learn has them; names where the data had some.

    >>> from lori import Linear, tversky1969
    >>> first = tversky1969().by_agent()["1"]
    >>> model = LORI(levels=2, reward=Linear(increasing="all"), epsilon=(None, 0.0), lapse=0, prior=None).fit(first)
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
        lapse: float | None = None,
        prior: Prior | str | None = "weak",
        method: str = "newton",
        starts: int = 48,
        standard_errors: str = "auto",
        seed: int = 0,
    ) -> None:
        self.levels = levels
        self.reward = reward
        self.alpha = alpha
        self.epsilon = epsilon
        self.ties = ties
        self.lapse = lapse
        self.prior = prior
        self.method = method
        self.starts = starts
        self.standard_errors = standard_errors
        self.seed = seed

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        clusters: Any = None,
        client: Any = None,
        progress: Progress | None = None,
    ) -> LORI:
        """Learn from `Preferences`, from a stream (`lori.open_stream`), or from pairs X (n, 2, features) with y.

        `y` holds 'left', 'right' and 'tie', or 1 for left, 0 for right and 0.5 for a tie, or 1, −1 and 0;
        without y the first alternative of each pair is the preferred one. `clusters` (pairs,) label choices that belong
        together, for standard errors and intervals, where that is not the agent. A stream is read pass by pass; with a
        Dask `client` its rows stay on the cluster. `progress(passes, log_likelihood)` is called after each pass, with
        the best log-likelihood so far.
        """
        if isinstance(X, PreferenceStream):
            from lori.estimators.streaming import fit_stream

            return fit_stream(self, X, y, sample_weight, client, progress)
        from lori.inference.fitting import fit_groups

        data, coding = as_preferences(X, y, sample_weight)
        together = None if clusters is None else np.asarray(clusters)
        if together is not None and together.shape != (len(data),):
            each = f"a label for each of the {len(data):,} pairs"
            raise DataError("clusters", expected=each, got=f"the shape {together.shape}", fix="give one for each pair")
        settings = checked_settings(self.get_params(deep=False), [data], clustered=together is not None)
        pooled = getattr(data, "pooled", None)
        self._learned(settings, fit_groups(settings, [data], clusters=together)[0], coding, pooled)
        self.fitted_to_, self.reading_ = weakref.ref(data), getattr(data, "reading", None)
        if isinstance(X, Preferences | Choices):  # whose features have names of their own
            self.feature_names_in_ = np.array(self.features_, object)
        return self

    def with_levels(self, levels: int) -> LORI:
        """An unfitted copy with so many levels: the first ones of what is given level by level, or the last repeated.

        The threshold of the last level stays what it is, for being fixed at zero has to do with being last.
        """
        changes: dict[str, Any] = {"levels": levels}
        for name in ("reward", "alpha", "epsilon"):
            given = getattr(self, name)
            if isinstance(given, list | tuple | np.ndarray):
                listed = list(given)
                last = listed[-1:] if name == "epsilon" else []
                others = listed[:-1] if last and len(listed) > 1 else listed
                changes[name] = [*others, *others[-1:] * levels][: levels - len(last)] + last
        return self.copy(**changes)

    def for_parts_of(self, preferences: Preferences | Choices) -> LORI:
        """An unfitted copy for agents or folds of these preferences, all with the tie rule of the whole.

        Otherwise a tie would be impossible for a part that happens to have none.
        """
        return self.copy(ties="observed") if self.ties == "auto" and preferences.has_ties else self.copy()

    def supported(self, preferences: Preferences | Choices) -> LORI:
        """This fitted model if the data support all of its levels, else one with as many as its summary recommends.

        A level that the data do not support may stand anywhere in the order: do not plan for it. `preferences` are
        those that were fitted.
        """
        support = self.summary().support
        if support is None or support.recommended == self.levels:
            return self
        return self.with_levels(support.recommended).fit(preferences)

    def fit_by_agent(self, preferences: Preferences | Choices) -> dict[str, LORI]:
        """A fitted copy of this estimator for each agent, all fitted as one batch."""
        from lori.estimators.agents import fit_by_agent

        return fit_by_agent(self, preferences)

    def predict_proba(self, left: Any, right: Any = None) -> np.ndarray:
        """Columns: left preferred, tie, right preferred. Takes two arrays, pairs (n, 2, features) or Preferences.

        Of `Choices`: a column for each name of an alternative, zero where it is not in the set.
        """
        if isinstance(left, Choices):
            return self._model.choice_proba(self._same(left))
        return self._model.predict_proba(*self._sides(left, right))

    def predict(self, left: Any, right: Any = None) -> np.ndarray:
        """The likeliest outcome of each pair, in the words or numbers of the `y` that was fitted.

        Of `Choices`: the name of the likeliest alternative.
        """
        if isinstance(left, Choices):
            return np.array(left.names)[self.predict_proba(left).argmax(axis=1)]
        probabilities = self.predict_proba(left, right)
        return self.coding_.words(probabilities.argmax(axis=1))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean log-likelihood of a comparison: higher is better, log ½ is a coin.

        (Not accuracy: that hardly tells a well calibrated model from a bold one. See `lori.evaluation`. Where
        scikit-learn asks for a score by name, give `scoring=lori.neg_log_loss`: "neg_log_loss" in quotes takes columns
        to be sorted by label, and ours are left, tie and right, as `classes_` says.)
        """
        data, _ = as_preferences(X, y, sample_weight, features=self._model.features)
        if isinstance(data, Preferences):
            self._sides(data, None)  # raises if trajectories were pooled in another way
        return float(self._model.log_likelihood(data).sum() / (data.comparisons @ data.weights))

    def explain(self, left: Any, right: Any = None) -> Any:
        """Per pair: which level decides with what probability, and the smallest changes that flip the choice.

        Of `Choices`, for each set: who is left after each level, too.
        """
        if isinstance(left, Choices):
            return explain_sets(self._model, self._same(left), REACH * self.ranges_)
        return explanation.explain(self._model, *self._sides(left, right), REACH * self.ranges_)

    def posterior(
        self,
        preferences: Any = None,
        y: Any = None,
        *,
        method: str = "laplace",
        draws: int = 1000,
        seed: int | None = None,
    ) -> Posterior:
        """Draws of everything learned, in the user's units: how sure are we?

        `laplace` (default) is a Gaussian around every optimum found, instant at any size; a fitted or loaded model
        needs no preferences for it (then around the best optimum alone, unchecked). `smc`, tempered sequential Monte
        Carlo, handles several modes and gives the evidence; `nuts` is for a single mode. Both need the extra `bayes`.
        """
        from lori.inference.posterior.sampling import METHODS, posterior_of_optimum, sample_posterior

        one_of("method", method, METHODS)
        count, own_seed = whole("draws", draws, 10), self.seed if seed is None else whole("seed", seed, 0)
        if preferences is None:
            if method != "laplace":
                raise InputError(
                    "preferences", expected=f"the data, for method={method!r}", got="none",
                    fix="pass the preferences, or use method='laplace'",
                )  # fmt: skip
            self._model  # noqa: B018 (raises if not fitted)
            if self.optimum_ is None or self.optimum_.curvature is None:
                raise InputError(
                    "posterior", expected="a model with few parameters, whose file tells its curvature",
                    got="another model", fix="pass the preferences and use method='smc'",
                )  # fmt: skip
            return posterior_of_optimum(self.optimum_, draws=count, seed=own_seed)
        data, _ = as_preferences(preferences, y, None)
        settings = checked_settings(self.get_params(deep=False), [data])
        known = None
        same_data = self.fitted_to_ is not None and self.fitted_to_() is data
        if same_data and self.optimum_ is not None and settings == self.settings_:  # `set_params` may have come between
            known = self.optimum_, self.rivals_
        return sample_posterior(settings, data, method=method, draws=count, seed=own_seed, known=known)

    def summary(self) -> Summary:
        """Levels in order, weights, thresholds in feature units, standard errors, status; print it or `to_dict()`."""
        self._model  # noqa: B018 (raises if not fitted)
        return self.summary_

    @property
    def classes_(self) -> np.ndarray:
        if not hasattr(self, "coding_"):
            raise AttributeError("classes_: known once the model has been fitted")
        return self.coding_.labels

    @property
    def plot(self) -> Any:
        """Figures of the fitted model: `model.plot.ladder()`, `.tradeoff()`, … return Matplotlib figures."""
        self._model  # noqa: B018 (raises if not fitted)
        return registered_plots()(self)

    def report(self, path: str | Path, preferences: Any = None, y: Any = None, **options: Any) -> None:
        """Write one page (HTML) about the fitted model and its data: what was fitted, or `preferences`.

        Options are `title`, `pairs` (False leaves raw data out) and `currency`, as those of `lori report`.
        """
        self._model  # noqa: B018 (raises if not fitted)
        data = self.fitted_to_() if preferences is None and self.fitted_to_ is not None else preferences
        if data is None:
            raise InputError("preferences", expected="the data", got="none", fix="pass what was fitted")
        registered_plots().report(self, path, as_preferences(data, y, None)[0], **options)

    @property
    def nested_(self) -> tuple[OrderedModel, ...]:
        """The best models with 1, 2, … levels, which the fit found on its way; the last one is `model_`."""
        self._model  # noqa: B018 (raises if not fitted)
        smaller = [units.model_at_centre(vector) for units, vector in self.chain_[:-1]]
        return (*smaller, self.model_)

    def save(self, path: str | Path) -> None:
        """Write the fitted model as versioned JSON."""
        storage.save(path, {"kind": "model", "settings": storage.saved_settings(self), **self._content()})

    # -- inside ----------------------------------------------------------------------------------------

    @property
    def _model(self) -> OrderedModel:
        if not hasattr(self, "model_"):
            raise not_fitted("LORI")
        return self.model_

    chain_: tuple[tuple[Units, np.ndarray], ...] = ()  # by number of levels; a loaded model does not know them
    pooled_: tuple[str, float | None] | None = None  # how the trajectories that were fitted became features
    settings_: FitSettings | None = None  # of the fit; a loaded model does not know them
    fitted_to_: weakref.ref[Preferences] | None = None  # so that a posterior of the same data need not search again

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "fitted_to_": None}

    def _learned(
        self, settings: FitSettings, fit: Fit, coding: Coding, pooled: tuple[str, float | None] | None
    ) -> None:
        """Everything that a fit leaves behind; nothing of an earlier one stays."""
        from lori.inference.summary import summarise

        self.settings_ = settings
        self.model_: OrderedModel = fit.model
        self.summary_ = summarise(fit)
        self.ranges_ = fit.ranges
        self.optimum_: Optimum | None = fit.optimum
        self.rivals_ = fit.rivals
        self.chain_ = fit.nested
        self.log_likelihood_ = fit.log_likelihood
        self.coding_, self.pooled_ = coding, pooled
        self.fitted_to_ = self.reading_ = None
        self.__dict__.pop("feature_names_in_", None)
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
            "peak": None if self.optimum_ is None else self.optimum_.describe(),
            "pooled": self.pooled_,
            "reading": None if self.reading_ is None else self.reading_.to_dict(),
        }

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> LORI:
        model = OrderedModel.from_description(content["model"])
        settings = storage.loaded_settings(content["settings"])
        estimator = cls(**settings, reward=[level.reward for level in model.levels])
        estimator.model_ = model
        estimator.summary_ = Summary.from_dict(content["summary"])
        str(estimator.summary_)  # a file whose words cannot be made is refused now, not when they are asked for
        estimator.ranges_ = np.array(content["ranges"], float)
        prior = checked_prior(settings["prior"])
        kept = content.get("peak")  # files of the first version have none
        estimator.optimum_ = Optimum.from_description(kept, model.likelihood, model.features, prior) if kept else None
        estimator.log_likelihood_ = estimator.summary_.log_likelihood
        estimator._mirror(estimator.summary_.status)
        estimator.coding_ = WORDS
        estimator.pooled_, estimator.reading_ = storage.read_by(content)
        return estimator

    def _same(self, choices: Choices) -> Choices:
        return choices if choices.features == self._model.features else choices.select(self._model.features)

    def _sides(self, left: Any, right: Any) -> tuple[np.ndarray, np.ndarray]:
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


def load(path: str | Path) -> LORI:
    """Read a model that `save` wrote."""
    return storage.load(path, LORI._from_content, kind="model")
