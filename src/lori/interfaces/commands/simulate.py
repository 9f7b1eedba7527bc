"""`lori simulate`: files of preferences drawn from a known decision-maker, in one of several worlds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lori.data.writing import check_targets, folder
from lori.errors import InputError
from lori.interfaces.commands.console import shown
from lori.interfaces.commands.options import Overwrite, Seed

if TYPE_CHECKING:
    from lori.data.preferences import Preferences
    from lori.model.ordered import OrderedModel

ACROSS = 4.0  # standard deviations that the values of a feature range over
MOST = 10_000_000  # pairs, agents, patients
FILES = {
    "cancer": ("trajectories.csv", "comparisons.csv", "truth.json"),
    "organ": ("registry.csv", "truth.json"),
}  # by world; else the next
PAIRS = ("pairs.csv", "truth.json")
COURSES = 1000  # of treatment, as in the paper


class World(StrEnum):
    levels = "levels"
    cancer = "cancer"
    age = "age"
    tversky = "tversky"
    model = "model"
    organ = "organ"


@dataclass(frozen=True)
class WorldOptions:
    """How much to draw, and from whom."""

    pairs: Annotated[int, typer.Option(max=MOST, help="Number of pairs.")] = 1000
    times: Annotated[int, typer.Option(max=MOST, help="Comparisons of each pair.")] = 1
    agents: Annotated[int | None, typer.Option(max=MOST, help="Deal the pairs to so many agents.")] = None
    levels: Annotated[int, typer.Option(max=20, help="True levels (world: levels).")] = 2
    n_features: Annotated[int, typer.Option("--features", max=10_000, help="Number of features (world: levels).")] = 4
    model: Annotated[
        Path | None, typer.Option(help="A saved model to draw from (world: model; organ with --policy model).")
    ] = None
    policy: Annotated[
        str, typer.Option(help="Who gets the organs (world: organ): meld, benefit, waiting or model.")
    ] = "meld"
    patients: Annotated[
        int | None, typer.Option(max=MOST, help="Patients of the year (world: organ; default: 4,650).")
    ] = None
    organs: Annotated[int | None, typer.Option(max=MOST, help="Organs of the year (world: organ; default: 4,150).")] = (
        None
    )
    seed: Seed = 0
    overwrite: Overwrite = False

    def check(self, world: World) -> None:
        """Are only options given that the world knows?"""
        if world is not World.organ and (world is World.model) != (self.model is not None):
            raise InputError(
                "--model", expected="a saved model for the world 'model', and only there",
                got="none" if self.model is None else f"one for the world {world.value!r}",
                fix="write: lori simulate model --model model.json --out DIR",
            )  # fmt: skip
        if world not in (World.levels, World.model) and (self.times != 1 or self.agents is not None):
            raise InputError(
                "--times and --agents", expected=f"neither in the world {world.value!r}", got="one of them",
                fix="leave them out",
            )  # fmt: skip


def simulate(
    world: Annotated[
        World,
        typer.Argument(
            help="levels: a decision-maker to practise on, whose levels can be found again; cancer: courses of treatment and a clinician's choices between them; age: clinicians whose priorities depend on age; tversky: the 80 counts of Tversky 1969; model: draws from --model; organ: a liver registry with the columns and codes of the real one."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for pairs.csv (cancer: trajectories.csv and comparisons.csv; organ: registry.csv) and truth.json."
        ),
    ],
    options: WorldOptions,
) -> None:
    """Write a file of preferences drawn from a known decision-maker."""
    options.check(world)
    read = [options.model] if options.model else []
    if out.is_dir():
        check_targets([out / name for name in FILES.get(world, PAIRS)], inputs=read, overwrite=options.overwrite)
    match world:
        case World.organ:
            typer.echo(write_organ(out, options))
        case World.cancer:
            typer.echo(write_cancer(out, options))
        case _:
            typer.echo(write_pairs(out, *draw_pairs(world, options)))


def draw_pairs(world: World, options: WorldOptions) -> tuple[Preferences, OrderedModel | None]:
    """Preferences of a world, and the model behind them where it is known."""
    if world is World.tversky:
        from lori.data.examples import tversky1969

        return tversky1969(), None
    if world is World.age:
        from lori.applications.cancer import age

        return age.preferences(options.pairs, seed=options.seed), age.true_model()
    import numpy as np

    from lori.estimators.storage import load_ordered_model, load_ranges
    from lori.model.simulation import practice, simulate

    if options.model is None:
        count = max(options.n_features, options.levels)
        many = (options.levels, count, options.pairs)
        return practice(*many, times=options.times, agents=options.agents, seed=options.seed)
    truth, spread = load_ordered_model(options.model), np.asarray(load_ranges(options.model)) / ACROSS
    drawn = simulate(
        truth, options.pairs, times=options.times, agents=options.agents, spread=spread, seed=options.seed
    )  # fmt: skip
    return drawn, truth


def write_pairs(out: Path, preferences: Preferences, truth: OrderedModel | None) -> str:
    """Write preferences and, where it is known, the model behind them; says what was written."""
    from lori.data import writing as writers

    folder(out)
    writers.write_pairs(preferences, out / "pairs.csv")
    said = f"Wrote {preferences.n_comparisons:,} comparisons of {preferences.n_pairs:,} pairs to {shown(out / 'pairs.csv')}"
    if truth is None:
        return said
    from lori.estimators.known import known

    known(truth, preferences).save(out / "truth.json")
    return f"{said}\nWrote the true model to {shown(out / 'truth.json')}"


def write_cancer(out: Path, options: WorldOptions) -> str:
    """Write treatment courses and a clinician's choices between them; says what was written."""
    import numpy as np
    import pandas

    from lori.applications.cancer import world
    from lori.applications.cancer.dynamics import Cancer
    from lori.data.preferences import OUTCOMES
    from lori.data.writing import write_table
    from lori.policies.rollouts import roll_out

    truth, first = world.true_model(), 2 * options.seed  # courses and choices are drawn apart
    courses = roll_out(Cancer(), world.behaviour_policy(truth), count=COURSES, seed=first)
    chosen = world.preferences(courses, options.pairs, truth, seed=first + 1)
    count, steps, _ = courses.states.shape
    long = pandas.DataFrame(courses.states.reshape(count * steps, -1), columns=list(courses.features))
    long.insert(0, "trajectory", np.repeat(np.arange(count), steps))
    long.insert(1, "step", np.tile(np.arange(steps), count))
    comparisons = pandas.DataFrame(
        {"left": chosen.left, "right": chosen.right, "choice": np.array(OUTCOMES)[chosen.outcome_counts.argmax(axis=1)]}
    )
    folder(out)
    write_table(long, out / "trajectories.csv")
    write_table(comparisons, out / "comparisons.csv")
    return (
        f"Wrote {count:,} treatment courses to {shown(out / 'trajectories.csv')}, {len(comparisons):,} choices between them "
        f"to {shown(out / 'comparisons.csv')} and {_write_truth(out, truth)}"
    )


def write_organ(out: Path, options: WorldOptions) -> str:
    """Write a made-up liver registry; says what was written."""
    from lori.applications.organ.synthetic import SyntheticSettings, write_registry
    from lori.applications.organ.truth import PREFERENCES
    from lori.estimators.storage import load_ordered_model

    truth = load_ordered_model(options.model) if options.model else PREFERENCES if options.policy == "model" else None
    given = (("patients", options.patients), ("organs", options.organs))
    sizes = {name: size for name, size in given if size is not None}
    folder(out)
    settings = SyntheticSettings(policy=options.policy, seed=options.seed, **sizes)
    write_registry(out / "registry.csv", settings, model=truth)
    said = f"Wrote a registry to {shown(out / 'registry.csv')}"
    return f"{said} and {_write_truth(out, truth)}" if truth is not None else said


def _write_truth(out: Path, truth: OrderedModel) -> str:
    from lori.estimators.storage import save_ordered_model

    save_ordered_model(truth, out / "truth.json")
    return f"the true model to {shown(out / 'truth.json')}"
