"""Plots: which figures can a fitted model show? `model.plot.KIND(...)` returns a Matplotlib figure, ready to be saved.

`figure.get_label()` says the same in words, for those who cannot see it. Numbers come from `lori.evaluation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from lori.data.choices import Choices
from lori.data.trajectories import Trajectories
from lori.errors import InputError, LoriError
from lori.evaluation.checks import predictive_check
from lori.evaluation.metrics import HeldOut, Predicts, reliability
from lori.evaluation.overview import known, values_of
from lori.evaluation.set_landscapes import set_landscape, survival
from lori.evaluation.tradeoffs import Landscape, landscape, median_alternative, place_of, spans, trade_off
from lori.inference.statistics import Observed
from lori.interfaces.figures import calibration, ladder, populations, posterior, sets, tradeoff, trajectories
from lori.model.ordered import OrderedModel

if TYPE_CHECKING:
    from lori.estimators.lori import LORI
    from lori.estimators.population import Population

DRAWS, DENSE = 100, 400  # for intervals, and for densities
Draws = Sequence[OrderedModel]


class Plots:
    """The figures of one model. Features are chosen by name; leaders of the first levels stand for names not given."""

    def __init__(self, model: LORI) -> None:
        self._model = model

    @staticmethod
    def of_population(population: Population) -> PopulationPlots:
        return PopulationPlots(population)

    @staticmethod
    def report(model: LORI, path: str | Path, data: Observed, **options: Any) -> None:
        """Write the page that `LORI.report` promises."""
        from lori.interfaces.commands.report import check_page
        from lori.interfaces.report import content, rendering

        check_page("path", Path(path))
        rendering.write_html(content.report(model, data, **options), Path(path))

    def ladder(self) -> Figure:
        """Levels in order with weights, thresholds and the share of decisions that each one makes."""
        return ladder.figure(self._model.summary())

    def tradeoff(
        self,
        loss_of: str | None = None,
        gain_of: str | None = None,
        *,
        data: Observed | None = None,
        at: ArrayLike | None = None,
        draws: Draws | None = None,
    ) -> Figure:
        """How much of one feature makes up for a loss of another, with its interval from `draws` of the posterior."""
        first, second = self._features(loss_of, gain_of)
        reach = spans(self._model.model_, self._model.ranges_)
        found = trade_off(
            self._model.model_, first, second, up_to=reach[first], most=self._range(second),
            at=self._at(data, at), draws=posterior_draws(self._model) if draws is None else draws,
        )  # fmt: skip
        return tradeoff.figure(found)

    def regions(
        self,
        across: str | None = None,
        up: str | None = None,
        *,
        data: Observed | None = None,
        at: ArrayLike | None = None,
    ) -> Figure:
        """Where left is preferred, where right is, and where no difference counts."""
        return tradeoff.regions(self._landscape(across, up, self._at(data, at), ties_apart=True), self._sides())

    def surface(
        self,
        across: str | None = None,
        up: str | None = None,
        *,
        data: Observed | None = None,
        at: ArrayLike | None = None,
    ) -> Figure:
        """The probability that left is preferred, over the differences of two features."""
        return tradeoff.surface(self._landscape(across, up, self._at(data, at), ties_apart=False), self._sides())

    def calibration(self, data: Observed, *, predictions: Predicts | None = None) -> Figure:
        """Predicted against observed shares; `predictions` may be those of `held_out`, which the figure then says."""
        found = reliability(self._model.model_ if predictions is None else predictions, data)
        return calibration.calibration(found, held_out=isinstance(predictions, HeldOut))

    def check(self, data: Observed) -> Figure:
        """Could the model have produced these data? Observed shares beside replications from the posterior."""
        return calibration.check(predictive_check(self._model.posterior(data), data))

    def survivors(self, data: Choices) -> Figure:
        """Of choices from sets: how often each alternative is left after each level."""
        return sets.survivors(survival(self._model.model_, self._sets(data, "survivors")))

    def chances(self, across: str | None = None, up: str | None = None, *, data: Choices) -> Figure:
        """Of choices from sets: how likely three alternatives are, as two features of one of them change."""
        known = self._sets(data, "chances")
        return sets.chances(set_landscape(self._model.model_, known, *self._features(across, up)))

    def posterior(self, *, draws: Draws | None = None, density: Draws | None = None) -> Figure:
        """Weights and thresholds in their units, with intervals, as reported or those of `draws`, and densities."""
        summary = self._model.summary()
        numbers = known(summary, draws)
        if density is None:
            density = posterior_draws(self._model, DENSE) if draws is None else draws
        return posterior.figure(numbers, values_of(numbers, summary, density or ()))

    def trajectories(self, steps: Trajectories, left: str, right: str) -> Figure:
        """Two trajectories side by side, step by step."""
        return trajectories.figure(steps, left, right)

    def _sides(self) -> tuple[str, str]:
        """What the two sides of a pair are called in the file of the fit."""
        words = {} if self._model.reading_ is None else self._model.reading_.words
        return words.get("left", "left"), words.get("right", "right")

    def _sets(self, data: Choices | None, figure: str) -> Choices:
        if not isinstance(data, Choices):
            raise InputError(
                figure, expected="choices from sets", got="none" if data is None else "pairs",
                fix="pass a file of sets, or leave --as-pairs out",
            )  # fmt: skip
        features = self._model.features_
        return data if data.features == features else data.select(features)

    def _landscape(self, across: str | None, up: str | None, at: ArrayLike | None, *, ties_apart: bool) -> Landscape:
        first, second = self._features(across, up)
        reach = spans(self._model.model_, self._model.ranges_)
        return landscape(self._model.model_, first, second, (reach[first], reach[second]), at=at, ties_apart=ties_apart)

    def _features(self, first: str | None, second: str | None) -> tuple[str, str]:
        """The features that were named, and leaders in place of those that were not."""
        spare = iter(name for name in leaders(self._model) if name not in (first, second))
        pair = (first or next(spare, None), second or next(spare, None))
        if None in pair or pair[0] == pair[1]:
            raise InputError(
                "features", expected="two features that count", got="fewer", fix="name two different features"
            )
        for name in pair:
            place_of(self._model.model_, str(name))
        return pair  # type: ignore[return-value]

    def _range(self, feature: str) -> float:
        return float(self._model.ranges_[self._model.features_.index(feature)])

    def _at(self, data: Observed | None, at: ArrayLike | None) -> np.ndarray | None:
        if at is not None or data is None:
            return None if at is None else np.asarray(at, float)
        return median_alternative(self._model.model_, data)


class PopulationPlots:
    """The figures of a population."""

    def __init__(self, population: Population) -> None:
        self._population = population

    def classes(self) -> Figure:
        """A ladder for each class, under its share of the people."""
        return populations.classes(self._population.summary())

    def members(self) -> Figure:
        """Who belongs to which class or, where people differ continuously, what comes first for whom."""
        summary = self._population.summary()
        of_features = summary.spread and len(summary.classes) == 1
        return populations.members(*self._population.membership(), spread=of_features)


def leaders(model: LORI) -> list[str]:
    """The features that lead the levels, from the first on."""
    return list(dict.fromkeys(name for level in model.summary().levels for name in level.leading))


def posterior_draws(model: LORI, count: int = DRAWS) -> list[OrderedModel] | None:
    """Models drawn from the posterior; None where standard errors are unknown, as for networks.

    They are the draws that the reported intervals come from, where the model has kept these.
    """
    optimum = model.optimum_
    if optimum is not None and optimum.draws is not None:
        from lori.inference.posterior.sampling import posterior_as_reported

        return posterior_as_reported(optimum).models(count)
    try:
        return model.posterior(method="laplace").models(count)
    except LoriError:
        return None
