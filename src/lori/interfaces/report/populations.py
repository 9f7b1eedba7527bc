"""Report of a population: which kinds of people are there, who is of which kind, and how well are they foretold?"""

from __future__ import annotations

from dataclasses import dataclass

from lori.estimators.population import Population
from lori.evaluation.overview import Description, describe
from lori.evaluation.people import Foretold, compare
from lori.inference.statistics import Observed
from lori.interfaces.figures import ladder
from lori.interfaces.report.content import Picture, made_with, picture
from lori.language.populations import PopulationSummary, class_heading, question
from lori.language.sentence import Sentence


@dataclass(frozen=True)
class PopulationReport:
    """Plain values and sentences, for every form of the report."""

    title: str
    asked: Sentence
    description: Description
    dropped: int
    answer: list[Sentence]
    summary: PopulationSummary
    quality: Foretold | None  # None: too few choices
    citation: list[str]
    versions: dict[str, str]
    command: str
    classes: list[Picture]
    pictures: dict[str, Picture]

    template = "population"

    @property
    def features(self) -> tuple[str, ...]:
        return self.summary.classes[0].summary.features


def report(
    population: Population, data: Observed, *, title: str, command: str = "", dropped: int = 0
) -> PopulationReport:
    """Everything about a `population` and the `data` it was fitted to; further fits tell how well it predicts."""
    summary = population.summary()
    same = data if data.features == population.features_ else data.select(population.features_)
    citation, versions = made_with()
    ladders = [
        picture(f"class-{number}", class_heading(number, own, spread=summary.spread), ladder.figure(own.summary))
        for number, own in enumerate(summary.classes, start=1)
        if not own.empty
    ]
    map_of_people = population.plot.members()
    return PopulationReport(
        title=title,
        asked=question(summary, seed=population.seed),
        description=describe(same),
        dropped=dropped,
        answer=summary.sentences,
        summary=summary,
        quality=compare(population, same),
        citation=citation,
        versions=versions,
        command=command,
        classes=ladders,
        pictures={"members": picture("members", "Who is of which kind", map_of_people)},
    )
