"""Support for levels: is a further level worth its parameters, or are there people who differ?

Two questions are asked of a level. Is it better than one level less? By the Bayesian information criterion (BIC) it is
supported without reserve; evidence is weak where it pays only the part `LEAST` of that price, which simulations of one
level with slips did in less than 5 % of the cases (`lori bench people`, docs/design.md). And where the choices of many
people were pooled: is it also better than one level less for people who differ, and does its gain come from more than a
few of them? A sum of logistic curves is not logistic, so that people who have one level each and differ in its weights
look, all together, as if they had a second one.

In the BIC every parameter that is common to all costs log(comparisons), and a deviation between people log(people): so
many draws of it there are, however often each of them chose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from lori.data.choices import Choices
from lori.inference.heterogeneity import MixedProblem, varying
from lori.inference.problem import Problem
from lori.inference.statistics import Observed
from lori.language.answer import DIFFERENCES
from lori.language.results import Support

NEGLIGIBLE = 0.05  # gain in log-likelihood units that is none
LEAST = 0.7  # of the price that the BIC puts on a parameter, for weak support
SURE = 1.645  # standard errors that a gain must exceed when people are drawn anew (95 %, one-sided)
FEWEST = 10  # people who chose more than once, to tell how they differ
MOST_VARYING = 24  # parameters that may vary between people
MANY, MANY_PEOPLE = 100_000, 5_000  # pairs and people beyond which some of them stand for all


@dataclass(frozen=True)
class Step:
    """The best fit with a certain number of levels."""

    levels: int
    log_likelihood: float
    parameters: int

    def bic(self, comparisons: float, price: float = 1.0) -> float:
        return price * self.parameters * float(np.log(max(comparisons, 1.0))) - 2 * self.log_likelihood


@dataclass(frozen=True)
class Trial:
    """A level against one level less for people who differ."""

    gain: float  # log-likelihood of people who differ, beyond that of one level less
    parameters: int  # that they have beyond those of one level less
    bic_difference: float  # by which the level is better than they are
    standardised: float  # the level's own gain in standard errors, people being drawn anew


@dataclass(frozen=True, eq=False)
class People:
    """Who made the choices that models with 1, 2, … levels explain."""

    models: Sequence[tuple[Problem, np.ndarray]]  # by number of levels, for one group, with the best vector
    data: Observed
    agent: np.ndarray  # (pairs,) from 0
    lost: int = 0  # parameters of a level that no data of this kind could identify

    @classmethod
    def of(cls, models: Sequence[tuple[Problem, np.ndarray]], data: Observed | None, lost: int = 0) -> People | None:
        """None where they are too few, or their models too large, to tell how they differ."""
        if data is None or data.agent is None or len(models) < 2 or isinstance(data, Choices):
            return None
        if not many_people(data) or len(varying(models[-2][0].specification)) > MOST_VARYING:
            return None
        return cls(models, data, np.unique(data.agent, return_inverse=True)[1], lost)

    def against(self, levels: int) -> Trial:
        """The last of so many levels, put to the test."""
        larger, smaller = (self._by_agent(*self.models[count - 1]) for count in (levels, levels - 1))
        gains = larger - smaller
        chosen = self._chosen()
        here = self.data.subset(chosen[self.agent])
        problem, vector = self.models[levels - 2]
        specification, people = problem.specification, int(chosen.sum())
        _, agent = np.unique(self.agent[chosen[self.agent]], return_inverse=True)
        mixed = MixedProblem(Problem.of(specification, [here], problem.prior, problem.scaling), agent)
        gain = mixed.solve(vector).log_likelihood - float(smaller[chosen].sum())
        deviations = len(mixed.varying) - self.lost * (levels - 1)
        more = self.models[levels - 1][0].specification.size - specification.size - self.lost
        cost = more * np.log(here.n_comparisons) - deviations * np.log(people)
        error = np.sqrt(len(gains)) * gains.std(ddof=1)
        return Trial(
            gain=gain,
            parameters=deviations,
            bic_difference=float(2 * (gains[chosen].sum() - gain) - cost),
            standardised=float(gains.sum() / max(error, np.finfo(float).tiny)),
        )

    def _by_agent(self, problem: Problem, vector: np.ndarray) -> np.ndarray:
        """(agents,) log-likelihood of what each chose."""
        logs = problem.row_log_likelihood(vector)[0]
        return np.bincount(self.agent[: len(logs)], logs, minlength=int(self.agent.max()) + 1)

    def _chosen(self) -> np.ndarray:
        """(agents,) who stands for all, where all would take too long."""
        counts = np.bincount(self.agent)
        order = np.random.default_rng(0).permutation(len(counts))
        chosen = np.zeros(len(counts), bool)
        enough = int(np.searchsorted(np.cumsum(counts[order]), MANY, side="right"))
        chosen[order[: min(max(FEWEST, enough), MANY_PEOPLE)]] = True
        return chosen


def many_people(data: Observed) -> bool:
    """Are there enough who chose more than once to tell how they differ?"""
    if data.agent is None:
        return False
    _, agent = np.unique(data.agent, return_inverse=True)
    return bool(np.sum(np.bincount(agent, data.comparisons) > 1) >= FEWEST)


def judged(steps: Sequence[Step], comparisons: int, people: People | None) -> Support | None:
    """Is the last level worth its parameters, and how many levels are recommended?"""
    if len(steps) < 2:
        return None
    smaller, full = steps[-2], steps[-1]
    gain = full.log_likelihood - smaller.log_likelihood
    better, at_least = (smaller.bic(comparisons, price) - full.bic(comparisons, price) for price in (1.0, LEAST))
    verdict = _verdict(better, at_least, gain)
    recommended = min(steps, key=lambda step: step.bic(comparisons, LEAST)).levels
    tried: Trial | None = None
    if people is not None:
        trial = cache(people.against)
        if verdict != "not supported":
            tried = trial(full.levels)
            verdict = _among_people(better, at_least, gain, tried)
        while recommended > 1 and not _stands(trial(recommended)):
            recommended -= 1
    return Support(
        level=full.levels,
        gain=gain,
        extra_parameters=full.parameters - smaller.parameters,
        bic_difference=better,
        verdict=verdict,
        recommended=recommended,
        rival_gain=None if tried is None else tried.gain,
        rival_parameters=None if tried is None else tried.parameters,
        rival_bic_difference=None if tried is None else tried.bic_difference,
    )


def _verdict(better: float, at_least: float, gain: float) -> str:
    if gain <= NEGLIGIBLE or at_least <= 0:
        return "not supported"
    return "supported" if better > 0 else "weakly supported"


def _stands(trial: Trial) -> bool:
    return trial.bic_difference > 0 and trial.standardised > SURE


def _among_people(better: float, at_least: float, gain: float, trial: Trial) -> str:
    """The verdict on a level that is better than one level less for people who are all alike."""
    if trial.bic_difference <= 0:
        return DIFFERENCES
    if trial.standardised <= SURE:
        return "not supported"
    return _verdict(better, at_least, gain)
