"""Questions: what do well chosen questions save? Simulated deciders who answer chosen and random questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Measured, Row
from lori.experiments.bench.trials import answered, each
from lori.inference.interview.questions import next_questions
from lori.inference.posterior.draws import Posterior
from lori.model.ordered import OrderedModel


@dataclass(frozen=True)
class QuestionsSettings:
    """How many deciders, and what they are asked."""

    runs: int = 20
    """Deciders, each drawn anew: two levels, three features."""
    chosen: int = 60
    """Chosen questions."""
    random: int = 120
    """Random ones to compare with."""
    batch: int = 3
    """Questions between two looks at the posterior."""
    candidates: int = 1500
    """Pairs to choose among each time."""
    draws: int = 600
    """Particles of each posterior."""
    test: int = 2000
    """Pairs on which the probabilities are compared with the truth."""
    jobs: int = 2
    """Deciders worked on at the same time."""


SMOKE = QuestionsSettings(runs=1, chosen=10, random=12, candidates=20, draws=40, test=50, jobs=1)
MODEL = LORI(levels=2)


def measure(settings: QuestionsSettings) -> Measured:
    work = [(settings, seed) for seed in range(settings.runs)]
    found = list(each(_run, work, settings.jobs))
    measured, case = Measured(), f"{settings.runs} deciders"
    names = (f"{settings.chosen} chosen", f"{settings.chosen} random", f"{settings.random} random")
    medians = np.median(found, axis=0)
    for name, median, values in zip(names, medians, np.transpose(found), strict=True):
        low, high = np.quantile(values, [0.25, 0.75])
        note = f"RMSE of probabilities: median {median:.4f}, middle half {low:.4f} to {high:.4f}"
        measured.rows.append(Row(case, name, note=note, measures={"median": float(median)}))
    measured.claim(
        f"questions: RMSE with {settings.chosen} chosen by that with {settings.random} random",
        medians[0] / medians[2], 1.0,
    )  # fmt: skip
    return measured


def _run(work: tuple[QuestionsSettings, int]) -> tuple[float, float, float]:
    """RMSE after chosen questions, after as many random ones, and after all random ones."""
    settings, seed = work
    generator = np.random.default_rng(seed)
    weights = generator.normal(scale=2.5, size=(2, 3))
    truth = OrderedModel.linear(weights, epsilon=np.abs(generator.normal(scale=2.5, size=2)))
    test = generator.normal(size=(2, settings.test, 3))
    exact = truth.predict_proba(*test)[:, 0]

    def asked(left: np.ndarray, right: np.ndarray) -> Preferences:
        return answered(truth, left, right, generator)

    def error(posterior: Posterior) -> float:
        return float(np.sqrt(np.mean((posterior.predict_proba(*test)[:, :, 0].mean(axis=0) - exact) ** 2)))

    def learned(data: Preferences) -> Posterior:
        return MODEL.posterior(data, method="smc", draws=settings.draws, seed=seed)

    data = asked(*generator.normal(size=(2, settings.batch, 3)))
    while len(data) < settings.chosen:
        left, right = generator.normal(size=(2, settings.candidates, 3))
        places = next_questions(learned(data), left, right, count=settings.batch, aim="prediction").chosen
        data = Preferences.concatenate([data, asked(left[places], right[places])])
    everything = asked(*generator.normal(size=(2, settings.random, 3)))
    some = everything[: settings.chosen]
    return error(learned(data)), error(learned(some)), error(learned(everything))
