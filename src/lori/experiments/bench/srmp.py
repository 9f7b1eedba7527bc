"""SRMP: who learns an ordered model better from a few noisy answers, LORI or the learner of `mcda`?

The decision-maker looks at the first criterion, and at the second where the first hardly differs; a share of the
answers is turned round. Both learners know that more is better. What is held out has no noise. SRMP compares with
reference profiles in order, learned by an integer programme that maximises the answers explained.
"""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Contestant, Measured, Outcome, Row, Seconds, hold
from lori.experiments.bench.data import FEATURES
from lori.model.rewards import Linear

OURS, RIVAL = "LORI, 2 levels", "SRMP of mcda"


@dataclass(frozen=True)
class SrmpSettings:
    """What is learned from."""

    pairs: tuple[int, ...] = (20, 40, 60)
    """Pairs to learn from, with two criteria."""
    noise: tuple[float, ...] = (0.0, 0.1, 0.2)
    """Shares of answers that are turned round."""
    makers: int = 3
    """Decision-makers (thresholds and pairs drawn anew) for each number of pairs and noise."""
    held_out: int = 2_000
    """Pairs without noise on which both are judged."""
    profiles: int = 2
    """Most reference profiles of SRMP: one for each level."""
    limit: float = 30.0
    """Seconds for each integer programme (there are three with two profiles); then its best answer so far counts."""


SMOKE = SrmpSettings((12,), (0.1,), 1, 500, 1, 3.0)


@dataclass(frozen=True)
class Task:
    """Pairs with two criteria between 0 and 1, and whether left is preferred."""

    left: np.ndarray
    right: np.ndarray
    left_won: np.ndarray

    @classmethod
    def draw(cls, pairs: int, threshold: float, noise: float, generator: np.random.Generator) -> Task:
        left, right = generator.uniform(size=(2, pairs, 2))
        gap = left - right
        won = np.where(np.abs(gap[:, 0]) > threshold, gap[:, 0] > 0, gap[:, 1] > 0)
        turned = generator.permutation(pairs) < round(noise * pairs)
        return cls(left, right, won ^ turned)


def measure(settings: SrmpSettings) -> Measured:
    measured = Measured()
    for noise in settings.noise:
        accuracies: dict[str, list[float]] = {OURS: [], RIVAL: []}
        for pairs in settings.pairs:
            outcomes = [_maker(settings, pairs, noise, maker, accuracies) for maker in range(settings.makers)]
            measured.rows += _pooled(f"{pairs} pairs, {noise:.0%} noise", outcomes)
        if accuracies[RIVAL]:
            better = float(np.mean(accuracies[OURS]) - np.mean(accuracies[RIVAL]))
            text = f"srmp: held-out accuracy of LORI above SRMP's at {noise:.0%} noise"
            measured.claim(text, better, 0.0, at_least=True)
    return measured


def _maker(settings: SrmpSettings, pairs: int, noise: float, maker: int, accuracies: dict[str, list[float]]) -> Outcome:
    generator = np.random.default_rng([maker, pairs, round(100 * noise)])
    threshold = generator.uniform(0.1, 0.5)
    task, test = (Task.draw(n, threshold, share, generator) for n, share in ((pairs, noise), (settings.held_out, 0.0)))
    counts = np.stack([task.left_won, np.zeros(pairs), ~task.left_won], axis=1)
    preferences = Preferences.from_arrays(task.left, task.right, counts=counts, features=FEATURES)
    estimator = LORI(levels=2, reward=Linear(increasing="all"))

    def ours():
        return np.sign(estimator.fit(preferences).predict_proba(test.left, test.right) @ [1, 0, -1])

    rival = Contestant(RIVAL, lambda: learn_srmp(task, settings)(test), "mcda", warm=False)
    outcome = hold("", [Contestant(OURS, ours), rival], 1)
    for name, said in outcome.answers.items():
        right = float(np.mean(np.where(said == 0, 0.5, (said > 0) == test.left_won)))
        accuracies[name].append(right)
        outcome.add(name, accuracy=right)
    return outcome


def _pooled(case: str, outcomes: list[Outcome]) -> list[Row]:
    """A line for each contestant over the decision-makers; the spread is that between them."""
    rows: list[Row] = []
    for own in zip(*(outcome.rows for outcome in outcomes), strict=True):
        times = [row.seconds.median for row in own if row.seconds]
        if len(times) < len(own):  # skipped or failed
            rows.append(replace(next(row for row in own if row.seconds is None), case=case))
            continue
        accuracy = statistics.mean(row.measures["accuracy"] for row in own)
        seconds = Seconds(tuple(times))
        first = rows[0].seconds if rows else None
        ratio = seconds.median / (first or seconds).median
        note = f"held-out accuracy {accuracy:.1%}, {len(own)} decision-makers"
        rows.append(Row(case, own[0].contestant, seconds, ratio, note, {"accuracy": accuracy}))
    return rows


def learn_srmp(task: Task, settings: SrmpSettings) -> Callable[[Task], np.ndarray]:
    """SRMP's answer to other pairs: 1 for left, −1 for right, 0 for neither (always, if it learned nothing)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of plots, which nobody asks for here
        from mcda.matrices import PerformanceTable
        from mcda.outranking.srmp import SRMPLearner
        from mcda.relations import PreferenceRelation, PreferenceStructure
        from mcda.scales import QuantitativeScale
        from pulp import PULP_CBC_CMD

    count, criteria = len(task.left), ["first", "second"]
    both = [(i, i + count) if won else (i + count, i) for i, won in enumerate(task.left_won)]
    scales = {name: QuantitativeScale(0, 1) for name in criteria}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pulp announces its next version
        table = PerformanceTable(
            np.concatenate([task.left, task.right]),
            alternatives=list(range(2 * count)),
            criteria=criteria,
            scales=scales,
        )
        relations = PreferenceStructure([PreferenceRelation(one, other) for one, other in both])
        solver = PULP_CBC_CMD(msg=False, timeLimit=settings.limit)
        learner = SRMPLearner(table, relations, max_profiles_number=settings.profiles, solver_args={"solver": solver})
        learned = learner.learn()

    def predict(test: Task) -> np.ndarray:
        """By the definition of SRMP: the first profile, in order, that more (weighted) criteria of one side reach."""
        said = np.zeros(len(test.left))
        if learned is None:
            return said
        weights = np.array([learned.criteria_weights[name] for name in criteria])
        for profile in learned.profiles.data[criteria].to_numpy()[learned.lexicographic_order]:
            reached = [(side >= profile) @ weights for side in (test.left, test.right)]
            said = np.where(said == 0, np.sign(np.round(reached[0] - reached[1], 9)), said)
        return said

    return predict
