"""Population: the estimator for many decision-makers who differ, in classes with an order each, or continuously."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.data.reading.stream import PreferenceStream
from lori.errors import DataError, InputError, whole
from lori.estimators import storage
from lori.estimators.contract import Estimator, not_fitted, registered_plots
from lori.estimators.lori import LORI
from lori.estimators.schema import MOST_CLASSES
from lori.inference.population.checkpoint import Checkpoint
from lori.inference.population.fitting import PopulationFit, fit_population
from lori.inference.population.prediction import Known, log_likelihood, probabilities
from lori.inference.population.search import Report
from lori.inference.population.settling import further_choices
from lori.inference.population.spread import Learned
from lori.inference.settings import FitSettings, checked_settings
from lori.inference.summary import summarise
from lori.language.populations import KNOWN, ClassSummary, Difference, PopulationSummary, is_empty
from lori.model.ordered import Level, OrderedModel
from lori.model.priors import Prior
from lori.model.rewards import Reward, reward_from


@dataclass(frozen=True, eq=False)
class PopulationClass:
    """One kind of people: a complete ordered model."""

    model_: OrderedModel
    share_: float

    @property
    def levels_(self) -> tuple[Level, ...]:
        return self.model_.levels


class Population(Estimator):
    """Many decision-makers: which kinds of people are there, what does each put first, and who is of which kind?

    Parameters
    ----------
    classes : number of kinds of people.
    levels : number of levels, one for all classes or a list with one for each.
    spread : False (default): people of a class are all alike. True: they differ continuously, with a distribution that
        is learned from all of them.
    reward, alpha, epsilon, ties, lapse, prior, seed : as of `LORI`, for every class; each has its own rate of slips.
    starts : of the search for classes.

    Attributes
    ----------
    shares_ : (classes,) of the people, the largest first.
    classes_ : the classes, each with `levels_` and `model_`; with `spread` the person in the middle.
    members_ : (agents, classes) probability of belonging to each class, in the order of `agents_`.
    first_ : for each agent, with what probability each feature comes first.
    log_likelihood_, n_parameters_, bic_, converged_ : what the fit says about itself.
    """

    def __init__(
        self,
        *,
        classes: int = 2,
        levels: int | Sequence[int] = 2,
        reward: Reward | Sequence[Reward] | str | None = None,
        spread: bool = False,
        alpha: float | Sequence[float | None] | None = 1.0,
        epsilon: float | Sequence[float | None] | None = None,
        ties: str = "auto",
        lapse: float | None = None,
        prior: Prior | str | None = "weak",
        starts: int = 24,
        seed: int = 0,
    ) -> None:
        self.classes = classes
        self.levels = levels
        self.reward = reward
        self.spread = spread
        self.alpha = alpha
        self.epsilon = epsilon
        self.ties = ties
        self.lapse = lapse
        self.prior = prior
        self.starts = starts
        self.seed = seed

    def fit(
        self,
        X: Preferences | Choices | PreferenceStream,
        y: Any = None,
        *,
        covariates: Any = None,
        checkpoint: str | Path | None = None,
        client: Any = None,
        progress: Report | None = None,
    ) -> Population:
        """Learn from `Preferences` or `Choices` with agents, or from a stream (`lori.open_stream`).

        `covariates` (agents, columns) are what is known about the agents, in the order in which they first appear: the
        shares of the classes depend on them. `checkpoint` names a folder for what stages of a long fit have found: the
        same fit, if it was interrupted, goes on from there. A stream is read pass by pass; with a Dask `client` its
        rows stay on the cluster. `progress(done, of)` is called as the search goes on.
        """
        if isinstance(X, PreferenceStream):
            from lori.estimators.streaming import fit_population_stream

            return fit_population_stream(self, X, y, covariates, checkpoint, client, progress)
        if not isinstance(X, Preferences | Choices) or y is not None:
            raise DataError(
                "X", expected="Preferences or Choices with agents, and no y", got=type(X).__name__,
                fix="make them with lori.Preferences.from_arrays(…, agent=…)",
            )  # fmt: skip
        people = 0 if X.agent is None else len(np.unique(X.agent))
        settings = self._settings(X, people=people)
        design = None if covariates is None else self._covariates(covariates, people)
        held = [value for _, value in sorted(vars(X).items()) if isinstance(value, np.ndarray)]
        kept = Checkpoint.of(checkpoint, self._told(), X.features, held, design)
        spread = bool(self.spread)
        fit = fit_population(settings, X, spread=spread, design=design, checkpoint=kept, report=progress)
        self._learned(fit, fit.panel.totals(X.comparisons))
        self.pooled_, self.reading_ = getattr(X, "pooled", None), getattr(X, "reading", None)
        return self

    def predict_proba(self, data: Preferences | Choices) -> np.ndarray:
        """Of each pair: left preferred, tie, right preferred; of sets a column for each name of an alternative.

        For an agent who was fitted, given all that this agent chose in the fit; for others, those of the population.
        """
        same = self._same(data)
        return probabilities(self.known_, same, self._persons(same))

    def score(self, data: Preferences | Choices) -> float:
        """Mean log-likelihood of a choice, person by person."""
        return float(self.log_likelihoods(data).sum() / (data.comparisons @ data.weights))

    def log_likelihoods(self, data: Preferences | Choices) -> np.ndarray:
        """(observations,) log-likelihood of each, given what is known about who chose."""
        same = self._same(data)
        return log_likelihood(self.known_, same, self._persons(same))

    @property
    def first_(self) -> list[dict[str, float]]:
        """For each agent the probability that a feature comes first."""
        self._check_fitted()
        return [dict(zip(self.features_, map(float, own), strict=True)) for own in self._first()]

    def summary(self) -> PopulationSummary:
        """Classes with shares, levels in the user's units, and what people put first; print it or `to_dict()`."""
        self._check_fitted()
        return self.summary_

    @property
    def plot(self) -> Any:
        """Figures of the population: `people.plot.classes()` and `people.plot.members()` return Matplotlib figures."""
        self._check_fitted()
        return registered_plots().of_population(self)

    def save(self, path: str | Path) -> None:
        """Write the population as versioned JSON: classes, who belongs to them, and what predictions need.

        The file names the agents.
        """
        self._check_fitted()
        storage.save(
            path,
            {
                "kind": "population",
                "settings": storage.saved_settings(self),
                "classes": [
                    {
                        "share": own.share_,
                        "careless": told.careless,
                        "model": own.model_.describe(),
                        "summary": told.summary.to_dict(),
                    }
                    for own, told in zip(self.classes_, self.summary_.classes, strict=True)
                ],
                "agents": list(self.agents_),
                "members": self.members_.tolist(),
                "known": [own.describe() for own in self.known_],
                "summary": {name: value for name, value in self.summary_.to_dict().items() if name != "classes"},
                "pooled": self.pooled_,
                "reading": None if self.reading_ is None else self.reading_.to_dict(),
            },
        )

    def membership(self) -> tuple[np.ndarray, list[str]]:
        """(agents, kinds) probabilities and the names of the kinds: classes, or with one class what comes first."""
        self._check_fitted()
        count = self.members_.shape[1]
        if count > 1:
            return self.members_, [f"class {number + 1}" for number in range(count)]
        return self._first(), list(self.features_)

    def members_frame(self) -> Any:
        """A pandas table with a row for each agent: classes with probabilities, and what comes first.

        After a fit also how many choices there are, and how many more would settle what comes first (with 95 %), if
        they told as much as those so far; empty where these do not speak for it.
        """
        import pandas

        self._check_fitted()
        first = self._first()
        leading = np.array(self.features_, object)[first.argmax(axis=1)]
        columns: dict[str, Any] = {"agent": self.agents_}
        if self.members_.shape[1] > 1:
            columns["class"] = self.members_.argmax(axis=1) + 1
            columns |= {f"class_{number + 1}": self.members_[:, number] for number in range(self.members_.shape[1])}
        columns |= {"first": leading, "probability": first.max(axis=1)}
        choices = getattr(self, "_choices", None)
        if choices is not None:
            columns["choices"] = choices.astype(int)
            columns["more_choices"] = pandas.array(further_choices(first, choices), dtype="Int64")
        return pandas.DataFrame(columns)

    # -- inside ----------------------------------------------------------------------------------------

    def _check_fitted(self) -> None:
        if not hasattr(self, "summary_"):
            raise not_fitted("Population")

    def _learned(self, fit: PopulationFit, choices: np.ndarray | None = None) -> None:
        """Everything that a fit leaves behind; `choices` (agents,) are not counted in streams."""
        self.fit_: PopulationFit = fit  # a loaded population has none
        self._choices = choices
        self.agents_ = fit.panel.agents
        self.known_ = fit.known
        self.members_ = fit.members
        models = [own.model for own in fit.classes]
        self.classes_ = tuple(map(PopulationClass, models, map(float, fit.shares)))
        self.features_ = models[0].features
        self._mirror(self._summarised(fit))

    def _mirror(self, summary: PopulationSummary) -> None:
        """Attributes that follow from the summary."""
        self.summary_ = summary
        self.shares_ = np.array([own.share_ for own in self.classes_])
        self.log_likelihood_, self.n_parameters_ = summary.log_likelihood, summary.parameters
        self.bic_, self.converged_ = summary.bic, summary.converged

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> Population:
        models = [OrderedModel.from_description(own["model"]) for own in content["classes"]]
        rewards = max((own["rewards"] for own in content["known"]), key=len)
        made = cls(**storage.loaded_settings(content["settings"]), reward=[reward_from(own) for own in rewards])
        made.classes_ = tuple(map(PopulationClass, models, (own["share"] for own in content["classes"])))
        made.agents_, made.features_ = tuple(content["agents"]), models[0].features
        made.members_ = np.array(content["members"], float)
        made.known_ = tuple(
            Known.from_description(own, models[0].likelihood, made.features_) for own in content["known"]
        )
        made._mirror(PopulationSummary.from_dict({**content["summary"], "classes": content["classes"]}))
        str(made.summary_)  # a file whose words cannot be made is refused now, not when they are asked for
        made.pooled_, made.reading_ = storage.read_by(content)
        return made

    def _settings(
        self, data: Preferences | Choices, *, people: int | None, n_ties: int | None = None
    ) -> list[FitSettings]:
        """Of each class. Data may be a sample of those of so many `people` (None: not known), with so many ties."""
        count = whole("classes", self.classes, 1, MOST_CLASSES)
        listed: list[Any] = list(self.levels) if isinstance(self.levels, list | tuple) else [self.levels] * count
        if len(listed) != count:
            raise InputError(
                "levels", expected=f"one number, or one for each of the {count} classes", got=f"{len(listed)} numbers",
                fix="give as many as classes",
            )  # fmt: skip
        if people is not None and count > max(people, 1):
            raise InputError(
                "classes", expected=f"at most as many as there are agents ({people})", got=str(count),
                fix="ask for fewer classes",
            )  # fmt: skip
        names = ("reward", "alpha", "epsilon", "ties", "lapse", "prior", "starts", "seed")
        single = LORI(levels=max(listed), **{name: getattr(self, name) for name in names})
        estimators = [single if levels == single.levels else single.with_levels(levels) for levels in listed]
        return [checked_settings(own.get_params(deep=False), [data], n_ties=n_ties) for own in estimators]

    def _told(self) -> str:
        """All settings, as they are written."""
        return repr(sorted(self.get_params(deep=False).items(), key=lambda own: own[0]))

    def _covariates(self, given: Any, people: int) -> np.ndarray:
        values = np.asarray(given, float)
        values = values[:, None] if values.ndim == 1 else values
        if values.ndim != 2 or len(values) != people or not np.isfinite(values).all():
            raise DataError(
                "covariates", expected=f"numbers for each of the {people} agents", got=f"shape {values.shape}",
                fix="give a row for each agent, in the order in which agents first appear, without gaps",
            )  # fmt: skip
        deviation = values.std(axis=0)
        return (values - values.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)

    def _same(self, data: Preferences | Choices) -> Preferences | Choices:
        self._check_fitted()
        return data if data.features == self.features_ else data.select(self.features_)

    def _persons(self, data: Preferences | Choices) -> np.ndarray:
        """The number of each observation's agent; those who were not fitted are strangers."""
        stranger = len(self.agents_)
        if data.agent is None:
            return np.full(len(data), stranger)
        known = {agent: number for number, agent in enumerate(self.agents_)}
        return np.array([known.get(str(label), stranger) for label in data.agent], int)

    def _first(self) -> np.ndarray:
        """(agents, features) probability that a feature stands for an agent's first level."""
        found = np.zeros((len(self.agents_), len(self.features_)))
        for known in self.known_:
            reward, where = known.specification.rewards[0], known.specification.reward_slots[0]
            sizes = _sizes(known, reward, where)
            leads = sizes.argmax(axis=-1)  # (persons or 1, vectors)
            for place in range(len(self.features_)):
                found[:, place] += np.sum(known.shares[:-1] * (leads[: len(found)] == place), axis=1)
        return found

    def _summarised(self, fit: PopulationFit) -> PopulationSummary:
        first = self._first()
        shares = first.mean(axis=0)
        order = np.argsort(-shares, kind="stable")
        return PopulationSummary(
            classes=tuple(
                ClassSummary(float(share), summarise(own), careless, is_empty(float(share), len(fit.panel)))
                for own, share, careless in zip(fit.classes, fit.shares, fit.careless, strict=True)
            ),
            agents=len(fit.panel),
            comparisons=fit.comparisons,
            log_likelihood=fit.log_likelihood,
            parameters=fit.parameters,
            bic=fit.parameters * float(np.log(fit.comparisons)) - 2 * fit.log_likelihood,
            converged=fit.converged,
            spread=bool(self.spread),
            first={self.features_[place]: float(shares[place]) for place in order},
            sure=float(np.mean(first.max(axis=1) >= KNOWN)),
            differences=() if fit.learned is None else _differences(fit.learned),
        )


def _differences(learned: Learned) -> tuple[Difference, ...]:
    """How people differ, class by class and parameter by parameter."""
    found = []
    for place, kind in enumerate(learned.kinds):
        own, errors = kind.distribution, learned.errors(place)
        names = kind.hierarchy.problem.specification.names
        which = f"class {place + 1}, " if len(learned.kinds) > 1 else ""
        for name, *numbers in zip(names, own.mean, errors[0], own.deviation, errors[1], strict=True):
            found.append(Difference.of(which + name, *map(float, numbers)))
    return tuple(found)


def _sizes(known: Known, reward: Reward, where: np.ndarray) -> np.ndarray:
    """(persons, vectors, features) how much each feature weighs on the first level, in standardised units."""
    values = known.vectors[..., where]
    flat = values.reshape(-1, values.shape[-1])
    centre = np.zeros((1, len(known.specification.features)))
    own = [reward.slopes(each, centre) for each in flat]
    return np.abs(np.asarray(own, float)).reshape(*values.shape[:-1], -1)


def load_population(path: str | Path) -> Population:
    """Read a population that `save` wrote."""
    return storage.load(path, Population._from_content, kind="population")
