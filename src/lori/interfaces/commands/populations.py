"""`lori fit --classes`: which kinds of people are there, and how is that shown?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lori.errors import InputError
from lori.interfaces.commands.console import print_json, shown, working
from lori.interfaces.commands.options import whole

if TYPE_CHECKING:
    from lori.data.preferences import Preferences
    from lori.data.reading.stream import PreferenceStream
    from lori.estimators.lori import LORI
    from lori.estimators.population import Population
    from lori.evaluation.classes import ClassSelection
    from lori.interfaces.commands.options import EngineOptions

AUTO_LEVELS = (1, 2)  # that are weighed with --levels auto
MOST_WEIGHED = 6  # classes, with --classes auto
DIGITS = "%.4f"  # of probabilities in a file
SHARED = ("reward", "alpha", "epsilon", "ties", "lapse", "prior", "seed")


@dataclass(frozen=True)
class PeopleOptions:
    """Whether people differ, and how."""

    classes: Annotated[
        str | None,
        typer.Option(help="Kinds of people, with an order each: a number, or 'auto' to weigh 1, 2, … of them."),
    ] = None
    spread: Annotated[
        bool, typer.Option("--spread", help="People differ continuously, with a distribution learned from all of them.")
    ] = False
    members: Annotated[
        Path | None, typer.Option(help="Write who belongs to which class, and what each puts first (CSV).")
    ] = None
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Folder for what a long fit of --classes or --spread has found: if interrupted, the same command goes on."
        ),
    ] = None

    @property
    def asked(self) -> bool:
        return self.classes is not None or self.spread

    def check(self, by: str | None, streamed: bool) -> None:
        """What does not go together is refused before anything is read."""
        for name, given in (("--members", self.members), ("--checkpoint", self.checkpoint)):
            if given is not None and not self.asked:
                raise InputError(
                    name, expected="--classes or --spread beside it", got="neither", fix="add --classes auto"
                )
        if not self.asked:
            return
        if self.spread and self.classes == "auto":
            raise InputError(
                "--classes", expected="a number or none beside --spread", got="'auto'", fix="leave one of them out"
            )
        if by is not None:
            raise InputError("--by", expected="none beside --classes or --spread", got="one", fix="leave --by out")
        if streamed and (self.spread or self.classes == "auto"):
            raise InputError(
                "--spread" if self.spread else "--classes", expected="a number of classes for data that are not in memory",
                got="a stream", fix="give --classes 3, or use --engine memory",
            )  # fmt: skip


def fit_people(
    options: PeopleOptions,
    single: LORI,
    choose_levels: bool,
    data: Preferences | PreferenceStream,
    *,
    engine: EngineOptions,
    save: Path | None,
    as_json: bool,
    quiet: bool,
) -> Population:
    """Fit, save and show a population with the settings of `single`."""
    from lori.data.writing import writing

    population, chosen = _fitted(options, single, choose_levels, data, engine)
    if save is not None:
        population.save(save)
    if options.members is not None:
        with writing(options.members) as target:
            population.members_frame().to_csv(target, index=False, float_format=DIGITS)
    if as_json:
        content: dict[str, Any] = population.summary().to_dict()
        print_json({**content, "selection": chosen.to_dict()} if chosen else content)
    elif not quiet:
        typer.echo(str(population.summary()))
        if chosen:
            typer.echo(f"\n{chosen}")
        if options.members is not None:
            typer.echo(f"\nWrote {len(population.agents_):,} agents to {shown(options.members)}")
        if save is not None:
            typer.echo(f"\nSaved to {shown(save)}")
    return population


def _fitted(
    options: PeopleOptions,
    single: LORI,
    choose_levels: bool,
    data: Preferences | PreferenceStream,
    engine: EngineOptions,
) -> tuple[Population, ClassSelection | None]:
    from lori.data.reading.stream import PreferenceStream
    from lori.estimators.population import Population

    shared = {name: getattr(single, name) for name in SHARED}
    population = Population(classes=1, levels=single.levels, spread=options.spread, **shared)
    kept = options.checkpoint
    if isinstance(data, PreferenceStream):
        own = population.copy(classes=whole("--classes", options.classes or "1"))
        with working(f"Fitting {data.n_pairs:,} pairs of many people"), engine.client() as client:
            return own.fit(data, client=client, checkpoint=kept), None
    text = f"Fitting {data.n_comparisons:,} choices of many people"
    if options.classes == "auto":
        from lori.evaluation.classes import select_classes

        with working("Weighing classes") as say:
            levels = AUTO_LEVELS if choose_levels else None
            chosen = select_classes(
                data, MOST_WEIGHED, estimator=population, levels=levels, progress=say, checkpoint=kept
            )
        best = chosen.recommended
        with working(text):
            return population.copy(classes=best.classes, levels=best.levels, spread=best.spread).fit(
                data, checkpoint=kept
            ), chosen
    classes = 1 if options.classes is None else whole("--classes", options.classes)
    with working(text):
        tried = [
            population.copy(classes=classes, levels=count).fit(data, checkpoint=kept)
            for count in (AUTO_LEVELS if choose_levels else (single.levels,))
        ]
    return min(tried, key=lambda own: own.bic_), None
