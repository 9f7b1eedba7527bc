"""Interview: what does it save to choose each next question, and is the order that an interview ends with right?

Simulated people, drawn from the study's prior, answer with the model's noise: some questions that the interview
chooses, and twice as many random ones. Both kinds of interview learn with the same particles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.experiments.bench.contest import Measured, Row
from lori.experiments.bench.trials import each
from lori.inference.interview.interview import Interview
from lori.inference.interview.particles import Particles
from lori.inference.interview.study import Attribute, Study
from lori.language.numbers import percent


@dataclass(frozen=True)
class InterviewSettings:
    """How many people, and what they are asked."""

    people: int = 200
    """Respondents, each drawn anew: two levels, three attributes."""
    first: int = 100
    """Seed of the first one."""
    chosen: int = 60
    """Questions that the interview chooses."""
    random: int = 120
    """Random ones to compare with."""
    sure: float = 0.95
    """Probability of an order at which an interview would end."""
    no_difference: bool = True
    """Whether "no difference" may be answered."""
    test: int = 2000
    """Pairs on which the probabilities are compared with the truth."""
    jobs: int = 2
    """People worked on at the same time."""


SMOKE = InterviewSettings(people=2, chosen=3, random=4, test=50, jobs=1)


@dataclass(frozen=True)
class Talk:
    """How one interview went."""

    questions: float  # until the order was sure enough; infinite where it never was
    right: bool  # whether that order was the true one
    error: float  # RMSE of the probabilities at the end


def measure(settings: InterviewSettings) -> Measured:
    work = [(settings, seed) for seed in range(settings.first, settings.first + settings.people)]
    found = list(each(_run, work, settings.jobs))
    measured, case = Measured(), f"{settings.people} people"
    medians, errors = [], []
    for name, talks in zip(("chosen", "random"), zip(*found, strict=True), strict=True):
        most = getattr(settings, name)
        counts, ended = np.array([talk.questions for talk in talks]), [talk for talk in talks if talk.questions <= most]
        low, middle, high = (float(np.quantile(counts, q, method="higher")) for q in (0.25, 0.5, 0.75))
        right = float(np.mean([talk.right for talk in ended])) if ended else 0.0
        error = float(np.median([talk.error for talk in talks]))
        never = 1 - len(ended) / len(talks)
        note = (
            f"questions until an order has {percent(settings.sure)}: median {middle:g}, "
            f"middle half {low:g} to {high:g}, not within {most}: {percent(never)}; "
            f"the order was right for {percent(right)} of {len(ended)}; "
            f"RMSE of probabilities after {most}: median {error:.4f}"
        )
        numbers = {"median": min(middle, most), "right": right, "ended": float(len(ended)), "rmse": error}
        measured.rows.append(Row(case, f"{most} {name}", note=note, measures=numbers))
        medians.append(min(middle, most))
        errors.append(error)
        if name == "chosen" and ended:
            measured.claim("interview: share of the orders it ended with that are right", right, 0.94, at_least=True)
    measured.claim("interview: questions until the order is known, by random ones", medians[0] / medians[1], 0.5)
    measured.claim(
        f"interview: RMSE with {settings.chosen} chosen by that with {settings.random} random",
        errors[0] / errors[1], 1.0,
    )  # fmt: skip
    return measured


def example(ties: bool, questions: int) -> Study:
    """Three attributes from 0 to 10, of which more is better; never sure enough to end."""
    values = tuple(float(value) for value in range(11))
    attributes = tuple(Attribute(name, values, better="more") for name in ("first", "second", "third"))
    return Study(attributes, allows_ties=ties, questions=questions, sure=1.0)


def _run(work: tuple[InterviewSettings, int]) -> tuple[Talk, Talk]:
    settings, seed = work
    study = example(settings.no_difference, settings.random)
    known = study.specification
    truth = Particles(known, study.prior.draw(known, 1, np.random.default_rng([seed, 0])), np.zeros(1))
    return (
        _talk(study, truth, settings, seed, settings.chosen, adaptive=True),
        _talk(study, truth, settings, seed, settings.random, adaptive=False),
    )


def _talk(study: Study, truth: Particles, settings: InterviewSettings, seed: int, most: int, *, adaptive: bool) -> Talk:
    generator = np.random.default_rng([seed, 1])
    talk = Interview(study, seed=seed, adaptive=adaptive)
    ended, right = np.inf, False
    while len(talk.history) < most:
        chances = truth.probabilities(study.differences(talk.ask().pair[None]))[:, 0, 0].astype(float)
        talk.tell(study.answers[generator.choice(len(chances), p=chances / chances.sum())])
        if ended == np.inf and talk.sure > settings.sure:
            ended, right = len(talk.history), bool(talk.particles.order_probabilities().argmax() == truth.orders()[0])
    test = study.differences(study.candidates(np.random.default_rng([seed, 2]), settings.test))
    learned = np.tensordot(talk.particles.weights, talk.particles.probabilities(test)[0], 1)
    error = float(np.sqrt(np.mean((learned - truth.probabilities(test)[0, 0]) ** 2)))
    return Talk(ended, right, error)
