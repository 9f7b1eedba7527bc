"""`lori fit`: what comes first, learned from a file of choices, and how is that shown, saved and reported?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lori.data.writing import check_targets
from lori.errors import InputError, one_of
from lori.interfaces.commands.agents import agents_content, fit_agents, verdicts
from lori.interfaces.commands.console import print_json, remark, show_summary, shown, working
from lori.interfaces.commands.options import (
    AsJson,
    DataOptions,
    EngineOptions,
    Files,
    Overwrite,
    Seed,
    WithPairs,
    names,
    numbers,
    whole,
)
from lori.interfaces.commands.populations import PeopleOptions, fit_people
from lori.interfaces.commands.report import check_page, heading, write_report

if TYPE_CHECKING:
    from lori.data.preferences import Preferences
    from lori.estimators.lori import LORI
    from lori.estimators.population import Population
    from lori.evaluation.selection import Selection
    from lori.language.results import Support
    from lori.model.rewards import Reward

MOST_TRIED = 4  # levels that are tried where all of them are supported
MANY = 6  # levels beyond which a fit takes long


TieName = StrEnum("TieName", ["auto", "split", "observed", "printed"])


class PriorName(StrEnum):
    weak = "weak"
    none = "none"


class MethodName(StrEnum):
    newton = "newton"
    paper = "paper"


class ErrorName(StrEnum):
    auto = "auto"
    observed = "observed"
    robust = "robust"
    clustered = "clustered"
    none = "none"


@dataclass(frozen=True)
class ModelOptions:
    """What to learn, and how."""

    levels: Annotated[
        str,
        typer.Option(
            help="Number of reward functions in priority order: a number, 'auto' (as many as the choices support), or 'evidence' (weighs 1, 2, … by their posteriors, which takes longer)."
        ),
    ] = "auto"
    reward: Annotated[str, typer.Option(help="Family of rewards: linear, capped, network, gated or steps.")] = "linear"
    increasing: Annotated[str, typer.Option(help="Features of which more is better (a,b or all).")] = ""
    decreasing: Annotated[str, typer.Option(help="Features of which less is better (a,b or all).")] = ""
    context: Annotated[str, typer.Option(help="Features on which priorities depend (a,b), for --reward gated.")] = ""
    ties: Annotated[TieName, typer.Option(help="What a tie of all levels means.")] = TieName.auto
    epsilon: Annotated[
        str, typer.Option(help="Thresholds: 'learned', a number, or one for each level (learned,0).")
    ] = "learned"
    alpha: Annotated[str, typer.Option(help="Sensitivities: a number, 'learned', or one for each level.")] = "1"
    lapse: Annotated[
        str, typer.Option(help="Rate of slips, answers at random: 'learned', a number, or 0 for none.")
    ] = "learned"
    prior: Annotated[PriorName, typer.Option(help="Weak prior, or none for pure maximum likelihood.")] = PriorName.weak
    method: Annotated[MethodName, typer.Option(help="Optimiser; 'paper' is the paper's RMSprop, for comparison.")] = (
        MethodName.newton
    )
    starts: Annotated[int, typer.Option(help="Random starts of the search.")] = 48
    standard_errors: Annotated[
        ErrorName,
        typer.Option(
            help="What standard errors and intervals take for independent: agents where there are several, else choices (auto)."
        ),
    ] = ErrorName.auto
    seed: Seed = 0

    @property
    def chooses_levels(self) -> bool:
        return self.levels == "evidence"

    @property
    def climbs(self) -> bool:
        """As many levels as are supported, unless something is given for each of them."""
        return self.levels == "auto"

    def estimator(self) -> LORI:
        """With two levels, or as many as something is given for, where their number is still to be chosen."""
        from lori.estimators.lori import LORI

        alpha, epsilon = numbers("--alpha", self.alpha), numbers("--epsilon", self.epsilon)
        given = [len(own) for own in (alpha, epsilon) if isinstance(own, list)]
        chosen = max(given, default=2)
        return LORI(
            reward=self._reward(),
            levels=chosen if self.chooses_levels or self.climbs else whole("--levels", self.levels),
            alpha=alpha,
            epsilon=epsilon,
            ties=self.ties.value,
            lapse=numbers("--lapse", self.lapse),
            prior=None if self.prior is PriorName.none else self.prior.value,
            method=self.method.value,
            starts=self.starts,
            standard_errors=self.standard_errors.value,
            seed=self.seed,
        )

    def _reward(self) -> Reward:
        """The family that was named, with the options that it has."""
        from lori.model.rewards import FAMILIES, commanded, named_reward, options_of

        one_of("--reward", self.reward, commanded())
        given = {name: names(getattr(self, name)) for name in ("increasing", "decreasing", "context")}
        for name, features in given.items():
            takers = [kind for kind, family in FAMILIES.items() if name in options_of(family)]
            if features and self.reward not in takers:
                raise InputError(
                    f"--{name}", expected=f"a reward that has it ({' or '.join(takers)})", got=repr(self.reward),
                    fix="leave it out, or choose such a reward with --reward",
                )  # fmt: skip
        return named_reward(self.reward, **{name: features for name, features in given.items() if features})


@dataclass(frozen=True)
class OutputOptions:
    """Where the answer goes."""

    save: Annotated[Path | None, typer.Option(help="Save the fitted model as JSON.")] = None
    truth: Annotated[
        Path | None,
        typer.Option(help="The model behind simulated choices, to compare with: truth.json of `lori simulate`."),
    ] = None
    overwrite: Overwrite = False
    report: Annotated[Path | None, typer.Option(help="Write a page about the model and the data (HTML).")] = None
    pairs: WithPairs = True
    currency: Annotated[
        str | None,
        typer.Option(help="Also tell what a unit of each feature is worth in units of this one: willingness to pay."),
    ] = None
    full: Annotated[bool, typer.Option("--full", help="The whole summary at a terminal, too, not only the answer.")] = (
        False
    )
    as_json: AsJson = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False

    def show(self, estimator: LORI, chosen: Selection | Support | None = None) -> None:
        """One model, and what spoke for its number of levels where that was `chosen`."""
        if self.save:
            estimator.save(self.save)
        if self.as_json:
            content = estimator.summary().to_dict()
            content |= {"worth": estimator.posterior().worth(self.currency).to_dict()} if self.currency else {}
            print_json({**content, "selection": chosen_content(chosen)} if chosen else content)
        elif not self.quiet:
            show_summary(estimator, self.full)
            if chosen:
                typer.echo(f"\n{chosen_text(chosen)}")
            if self.currency:
                typer.echo(f"\n{estimator.posterior().worth(self.currency)}")
            if self.save:
                typer.echo(f"\nSaved to {shown(self.save)}")

    def show_truth(self, estimator: LORI, data: Preferences) -> None:
        """How near the model comes to the one behind the choices, where that is given."""
        if self.truth is None or self.as_json or self.quiet:
            return
        import numpy as np

        from lori.estimators.lori import load
        from lori.language.truth import comparison

        truth = load(self.truth)
        off = float(np.abs(truth.predict_proba(data) - estimator.predict_proba(data)).max(axis=1).mean())
        typer.echo("\n" + "\n".join(comparison(estimator.summary(), truth.summary(), off)))

    def show_agents(self, fitted: dict[str, LORI], chosen: dict[str, Selection] | None = None) -> None:
        """A model for each agent, and what spoke for its number of levels where that was `chosen`."""
        from lori.estimators.agents import save_agents

        if self.save:
            save_agents(fitted, self.save)
        if self.as_json:
            print_json(agents_content(fitted, chosen))
        elif not self.quiet:
            from lori.interfaces.commands.terminal import agents_table

            typer.echo(agents_table(fitted))
            if self.save:
                typer.echo(f"\nSaved {len(fitted)} models to {shown(self.save)}")
            if chosen:
                typer.echo("\n" + "\n".join(verdicts(chosen)))

    def show_report(self, estimator: LORI | Population, data: Preferences, files: list[Path], dropped: int) -> None:
        """The page, where one is asked for."""
        if self.report is None:
            return
        write_report(
            estimator,
            data,
            self.report,
            title=heading(files),
            dropped=dropped,
            pairs=self.pairs,
            currency=self.currency,
        )
        if not (self.as_json or self.quiet):
            typer.echo(f"Wrote the report to {shown(self.report)}")


def fit(
    files: Files,
    *,
    model: ModelOptions,
    engine: EngineOptions,
    by: Annotated[str | None, typer.Option(help="'agent': a model for each agent, fitted as one batch.")] = None,
    people: PeopleOptions,
    output: OutputOptions,
    data: DataOptions,
) -> None:
    """Learn ordered rewards from a file of choices and say what comes first."""
    if by not in (None, "agent"):
        raise InputError("--by", expected="agent", got=repr(by), fix="use --by agent or leave it out")
    check_targets([output.save, output.report, people.members], inputs=files, overwrite=output.overwrite)
    check_page("--report", output.report)
    streamed = engine.streams(files)
    people.check(by, streamed)
    _check_memory(streamed, by, output.report)
    if streamed:
        estimator = model.estimator()
        if model.chooses_levels:
            raise InputError(
                "--levels", expected="a number for data that are not in memory", got="evidence",
                fix="give the number, or use --engine memory",
            )  # fmt: skip
        pairs = data.stream(files)
        if not output.quiet and any(file.is_dir() for file in files):
            from lori.language.reading import folder_remark

            remark(folder_remark(pairs.n_files, pairs.n_pairs))
        if people.asked:
            fit_people(
                people, estimator, False, pairs, engine=engine,
                save=output.save, as_json=output.as_json, quiet=output.quiet,
            )  # fmt: skip
            return
        engine.fit(estimator, pairs)
        output.show(estimator)
        return
    told: list[str] = []
    with working(f"Reading {shown(files[-1])}"):
        ties = "observed" if model.ties is TieName.observed else "error"
        preferences, dropped = data.read(files, ties=ties, say=told.append)
    for sentence in () if output.quiet else told:
        remark(sentence)
    if output.currency is not None:
        one_of("--currency", output.currency, preferences.features)
    if not output.quiet and not (model.chooses_levels or model.climbs):
        from lori.language.answer import many_levels
        from lori.model.specification import MOST_LEVELS

        if MANY < (levels := whole("--levels", model.levels)) <= MOST_LEVELS:
            remark(many_levels(levels))
    if people.asked:
        found = fit_people(
            people, model.estimator(), model.chooses_levels or model.climbs, preferences, engine=engine,
            save=output.save, as_json=output.as_json, quiet=output.quiet,
        )  # fmt: skip
        output.show_report(found, preferences, files, dropped)
        return
    if by:
        output.show_agents(*fit_agents(model, preferences))
        return
    estimator, chosen = _fit_one(model, preferences)
    output.show(estimator, chosen)
    output.show_truth(estimator, preferences)
    output.show_report(estimator, preferences, files, dropped)


def _check_memory(streamed: bool, by: str | None, report: Path | None) -> None:
    """Some things need all data at once."""
    if report and (streamed or by):
        raise InputError(
            "--report", expected="one model of data in memory", got="a stream" if streamed else "a model for each agent",
            fix="leave --by out, or use --engine memory",
        )  # fmt: skip
    if streamed and by:
        raise InputError(
            "--by", expected="data in memory", got="a stream", fix="use --engine memory, or leave --by out"
        )


def _fit_one(model: ModelOptions, preferences: Preferences) -> tuple[LORI, Selection | Support | None]:
    """With the number of levels that was asked for, or the recommended one and what spoke for it."""
    estimator, chosen = model.estimator(), None
    if model.chooses_levels:
        from lori.evaluation.selection import select_levels

        with working("Weighing the number of levels") as say:
            chosen = select_levels(preferences, estimator=estimator, progress=say)
        estimator = estimator.with_levels(chosen.recommended)
    with working(f"Fitting {preferences.n_comparisons:,} choices"):
        fitted = estimator.fit(preferences)
    if model.climbs:
        with working("Asking how many levels the choices support"):
            return as_supported(fitted, preferences)
    return fitted, chosen


def as_supported(fitted: LORI, preferences: Preferences) -> tuple[LORI, Support | None]:
    """The model with as many levels as the choices support, and what was said of the first level that is too many.

    Where all levels are supported another one is tried, up to `MOST_TRIED`, unless something is given for each level.
    """
    each = any(isinstance(own, list) for own in (fitted.alpha, fitted.epsilon))
    while (support := fitted.summary().support) is not None:
        if support.recommended < fitted.levels:
            return fitted.supported(preferences), support
        if fitted.levels >= MOST_TRIED or each:
            break
        more = fitted.with_levels(fitted.levels + 1).fit(preferences)
        said = more.summary().support
        if said is None or said.recommended < more.levels:
            return fitted, said
        fitted = more
    return fitted, None


def chosen_content(chosen: Selection | Support) -> dict[str, Any]:
    """Why there are so many levels, for machines."""
    from lori.language.results import Support

    return asdict(chosen) if isinstance(chosen, Support) else chosen.to_dict()


def chosen_text(chosen: Selection | Support) -> str:
    """Why there are so many levels, in words."""
    from lori.language.answer import enough_sentence
    from lori.language.results import Support

    return str(enough_sentence(chosen)) if isinstance(chosen, Support) else str(chosen)
