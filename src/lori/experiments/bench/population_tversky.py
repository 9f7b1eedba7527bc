"""Tversky's eight people: who puts probability first, told from few choices by a population, and by a model for each?

With all twenty repeats of each pair both must say the same. With four of them, the population knows from the others
what people are like: its verdicts should be closer to those of all repeats. A verdict is the probability that somebody
puts probability first and ignores small differences: of belonging to a class of such people, and for a model of that
person alone from the BIC of one and of two levels. The two classes, of two levels and of one, were chosen after a look
at all repeats: what is tested here are the verdicts with few of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from lori.data.examples import TVERSKY_REPEATS, tversky1969
from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.estimators.population import Population
from lori.experiments.bench.contest import Measured, Row
from lori.model.rewards import Linear

FIRST = "probability"


@dataclass(frozen=True)
class TverskySettings:
    """How many choices are kept, and how often they are drawn."""

    repeats: int = 20
    """Times that some of the repeats of each pair are drawn."""
    first: int = 100
    """Seed of the first one."""
    kept: int = 4
    """Repeats of each pair that are kept, of twenty."""
    starts: int = 8
    """Of each search."""


SMOKE = TverskySettings(repeats=1, starts=4)


def some_repeats(data: Preferences, kept: int, seed: int) -> Preferences:
    """So many of the repeats of each pair, drawn without replacement."""
    generator = np.random.default_rng(seed)
    drawn = [generator.multivariate_hypergeometric(row, kept) for row in data.outcome_counts.astype(int)]
    return Preferences.from_arrays(
        data.left_features, data.right_features, counts=drawn, features=data.features, agent=data.agent
    )


def by_population(data: Preferences, starts: int) -> np.ndarray:
    """(people,) with an order and without: two classes, of two levels and of one."""
    people = Population(classes=2, levels=[2, 1], reward=Linear(increasing="all"), lapse=0, starts=starts).fit(data)
    ordered = [own.ordered and own.first == FIRST for own in people.summary().classes]
    return people.members_ @ np.array(ordered, float)


def by_each(data: Preferences, starts: int) -> np.ndarray:
    """(people,) each from their own choices alone."""
    single = LORI(levels=2, reward=Linear(increasing="all"), lapse=0, starts=starts, standard_errors="none")
    found = []
    for own in single.fit_by_agent(data).values():
        summary = own.summary()
        assert summary.support is not None
        leads = summary.levels[0].leading[:1] == (FIRST,)
        found.append(float(expit(summary.support.bic_difference / 2)) if leads else 0.0)
    return np.array(found)


def measure(settings: TverskySettings) -> Measured:
    data = tversky1969()
    whole = {name: how(data, settings.starts) for name, how in (("population", by_population), ("each", by_each))}
    agree = int(np.sum((whole["population"] > 0.5) == (whole["each"] > 0.5)))
    away: dict[str, list[float]] = {"population": [], "each": []}
    for seed in range(settings.first, settings.first + settings.repeats):
        few = some_repeats(data, settings.kept, seed)
        for name, how in (("population", by_population), ("each", by_each)):
            away[name].append(float(np.abs(how(few, settings.starts) - whole["each"]).mean()))
    measured, people = Measured(), len(whole["each"])
    for name, told in (("population", "Population"), ("each", "one model for each")):
        says = ", ".join(f"{own:.2f}" for own in whole[name])
        measured.rows.append(Row(f"all {TVERSKY_REPEATS} repeats", told, note=f"probability first: {says}"))
    for name, told in (("population", "Population"), ("each", "one model for each")):
        mean, error = np.mean(away[name]), np.std(away[name]) / np.sqrt(max(len(away[name]) - 1, 1))
        note = f"away from the verdicts of all repeats by {mean:.3f} ± {error:.3f}"
        measured.rows.append(Row(f"{settings.kept} repeats", told, note=note, measures={"away": float(mean)}))
    closer = float(np.mean(away["each"]) - np.mean(away["population"]))
    measured.claim("population-tversky: people of whom both say the same", agree, people, at_least=True)
    measured.claim(f"population-tversky: with {settings.kept} repeats, closer by", closer, 0.0, at_least=True)
    return measured
