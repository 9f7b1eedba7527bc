"""Populations: are people who differ taken for levels, and are levels found that people have in common?

Pooled choices of simulated people. In some populations everyone has one level, and weights that are normal between
people: a second level is then a false alarm, however well it fits the pooled choices. In others everyone has two
levels, all the same or moderately different.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from math import log
from pathlib import Path

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Measured, Row
from lori.experiments.bench.trials import Keeping
from lori.experiments.study import Cell
from lori.inference.support import LEAST, NEGLIGIBLE
from lori.language.results import Support
from lori.model.ordered import OrderedModel


@dataclass(frozen=True)
class Design:
    """Who is asked what."""

    agents: int
    choices: int  # of each agent
    features: int
    values: int = 0  # of each feature, evenly spaced; 0: standard normal
    slips: float = 0.0  # share of the answers that are given at random

    def __str__(self) -> str:
        kind = f"{self.values} values each" if self.values else "continuous"
        slips = f", {self.slips:.0%} slips" if self.slips else ""
        return f"{self.agents} agents × {self.choices} choices, {self.features} features ({kind}){slips}"

    def pairs(self, generator: np.random.Generator) -> np.ndarray:
        """(agents, choices, 2, features) with deviation 1."""
        shape = (self.agents, self.choices, 2, self.features)
        if not self.values:
            return generator.normal(size=shape)
        grid = np.arange(self.values) - (self.values - 1) / 2
        return generator.choice(grid / grid.std(), size=shape)


DESIGNS = (
    Design(100, 40, 2),
    Design(400, 20, 4, slips=0.05),
    Design(200, 9, 2, values=3, slips=0.05),
    Design(300, 30, 4, values=2),
)


@dataclass(frozen=True)
class PopulationsSettings:
    """How many populations, of what kind."""

    populations: int = 20
    """Populations of each kind and design."""
    first: int = 100
    """Seed of the first one."""
    weight: float = 2.5
    """Mean weight of a feature on the only level, in log-odds of a deviation."""
    deviations: tuple[float, ...] = (1.0, 1.5)
    """Deviations of weights between people, as multiples of the mean, by turns."""
    spread: float = 0.3
    """Deviation of the logarithms of weights and thresholds of people with two levels who differ."""
    designs: tuple[Design, ...] = field(default=DESIGNS)
    """Who is asked what."""
    jobs: int = 2
    """Populations worked on at the same time."""


SMOKE = PopulationsSettings(populations=1, designs=(Design(12, 4, 2),), jobs=1)


def one_level(design: Design, seed: int, *, weight: float = 1.0, deviation: float = 1.0) -> Preferences:
    """People with one level each, whose weights are normal; `deviation` is a multiple of the mean."""
    generator = np.random.default_rng(seed)
    weights = weight * (1 + deviation * generator.normal(size=(design.agents, 1, design.features)))
    return _answers(design, [OrderedModel.linear(own, epsilon=[0.0]) for own in weights], generator)


def two_levels(
    design: Design, seed: int, *, weight: float = 3.0, threshold: float = 3.0, spread: float = 0.0
) -> Preferences:
    """People who look at the first feature, and at the second where they see no difference there.

    Weights and thresholds are log-normal between people, with deviation `spread` of their logarithms.
    """
    generator = np.random.default_rng(seed)
    own = np.exp(spread * generator.normal(size=(design.agents, 3))) * [weight, weight, threshold]
    levels = np.zeros((design.agents, 2, design.features))
    levels[:, 0, 0], levels[:, 1, 1] = own[:, 0], own[:, 1]
    models = [OrderedModel.linear(each, epsilon=[least, 0.0]) for each, least in zip(levels, own[:, 2], strict=True)]
    return _answers(design, models, generator)


def _answers(design: Design, models: list[OrderedModel], generator: np.random.Generator) -> Preferences:
    pairs = design.pairs(generator)
    counts = [
        replace(own, lapse=design.slips).sample(asked[:, 0], asked[:, 1], seed=generator)
        for own, asked in zip(models, pairs, strict=True)
    ]
    sides = pairs.reshape(-1, 2, design.features)
    agent = np.repeat(np.arange(design.agents), design.choices).astype(str)
    return Preferences.from_arrays(sides[:, 0], sides[:, 1], counts=np.concatenate(counts), agent=agent)


@dataclass(frozen=True)
class Kind:
    """A kind of population."""

    name: str
    levels: int
    differ: bool


KINDS = (
    Kind("one level, people differ", 1, True),
    Kind("two levels, people alike", 2, False),
    Kind("two levels, people differ", 2, True),
)


def measure(
    settings: PopulationsSettings, out: Path, say: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    """Every kind of every design; each population is kept in `out`, and those that are there are not judged again."""
    cases = [(kind, design) for kind in KINDS for design in settings.designs]
    seeds = range(settings.first, settings.first + settings.populations)
    work = [(settings, kind, design, seed) for kind, design in cases for seed in seeds]
    cells = Keeping(out, say, progress).each("populations", _judged, settings, work.__getitem__, len(work))
    judged = [Support.from_dict(cell) for cell in cells]
    measured = Measured()
    alarms: list[bool] = []
    for place, (kind, design) in enumerate(cases):
        found = judged[place * len(seeds) : (place + 1) * len(seeds)]
        holds, alone = [own.holds for own in found], [pays(own, design.agents * design.choices) for own in found]
        differences = sum(own.rival_bic_difference is not None and own.rival_bic_difference <= 0 for own in found)
        note = (
            f"a second level is supported in {sum(holds)} of {len(found)}, and would be in {sum(alone)} if people "
            f"were taken to be alike; agents who differ are the better answer in {differences}"
        )
        counts: dict[str, float] = {
            "supported": sum(holds),
            "alone": sum(alone),
            "differences": differences,
            "of": len(found),
        }
        measured.rows.append(Row(str(design), kind.name, note=note, measures=counts))
        if kind.levels == 1:
            alarms += holds
    share = float(np.mean(alarms))
    measured.claim("populations: share of one-level populations with a second level that is supported", share, 0.05)
    return measured


def pays(support: Support, comparisons: int) -> bool:
    """Does a level pay for its parameters, weakly at least, whoever chose?"""
    return support.gain > NEGLIGIBLE and 2 * support.gain > LEAST * support.extra_parameters * log(comparisons)


def _judged(work: tuple[PopulationsSettings, Kind, Design, int]) -> Cell:
    """Is a second level supported in one population?"""
    settings, kind, design, seed = work
    if kind.levels == 1:
        deviation = settings.deviations[seed % len(settings.deviations)]
        data = one_level(design, seed, weight=settings.weight, deviation=deviation)
    else:
        data = two_levels(design, seed, spread=settings.spread if kind.differ else 0.0)
    support = LORI(levels=2).fit(data).summary().support
    assert support is not None
    return asdict(support)
