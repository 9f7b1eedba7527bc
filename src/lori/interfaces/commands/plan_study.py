"""`lori plan-study`: how many choices are needed to find the levels, asked before any are collected?"""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lori.data.writing import DELIMITER_OF, check_targets, folder, writing
from lori.errors import DataError, InputError, whole
from lori.interfaces.commands.console import print_json, progress_bar, say, shown, stop
from lori.interfaces.commands.options import AsJson, ColumnOptions, Seed, names

if TYPE_CHECKING:
    import numpy as np

    from lori.experiments.plan import Plan, PlannedStudy, Size
    from lori.model.ordered import OrderedModel

CHOICES = "100,300,1000"
FEWEST = 10  # choices of a study
SLIPS, MOST_SLIPS = 0.05, 0.9
MOST, MOST_FEATURES = 10_000_000, 1_000  # choices of a study, and features where only their number is given
ENDINGS = (".json", *DELIMITER_OF)


@dataclass(frozen=True)
class TruthOptions:
    """What is to be found."""

    features: Annotated[
        str | None,
        typer.Option(help="Names of the features (a,b,…) or how many there are (default: one for each level)."),
    ] = None
    levels: Annotated[
        int | None, typer.Option(min=2, help="Levels, each led by one of the first features (default: 2).")
    ] = None
    truth: Annotated[
        Path | None, typer.Option(help="A saved model to be found, e.g. of a pilot, instead of --levels.")
    ] = None
    slips: Annotated[
        float | None,
        typer.Option(help="Share of the answers that are given at random (default: that of --truth, or 0.05)."),
    ] = None


@dataclass(frozen=True)
class SizeOptions:
    """How large the study may be."""

    choices: Annotated[str | None, typer.Option(help=f"Numbers of choices to try (default: {CHOICES}).")] = None
    people: Annotated[
        str | None, typer.Option(help="Numbers of people to try, with --choices-each, instead of --choices.")
    ] = None
    choices_each: Annotated[int | None, typer.Option(min=1, max=MOST, help="Choices of each person.")] = None

    def sizes(self) -> list[Size]:
        from lori.experiments.plan import Size

        if (self.people is None) != (self.choices_each is None) or (self.people and self.choices):
            raise InputError(
                "--choices, --people and --choices-each", expected="either the first or the other two",
                got="another mix", fix="write --choices 100,300 or --people 20,50 --choices-each 12",
            )  # fmt: skip
        if self.people is None or self.choices_each is None:
            return [Size(count) for count in _counts("--choices", self.choices or CHOICES, FEWEST)]
        people = _counts("--people", self.people, 2)
        fewest, most = people[0] * self.choices_each, people[-1] * self.choices_each
        if fewest < FEWEST or most > MOST:
            raise InputError(
                "--people and --choices-each", expected=f"at least {FEWEST} choices in all, and {MOST:,} at most",
                got=f"{fewest if fewest < FEWEST else most:,}", fix=f"ask for {'more' if fewest < FEWEST else 'fewer'}",
            )  # fmt: skip
        return [Size(count * self.choices_each, count) for count in people]


def plan_study(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Pairs that would be asked, or a pilot's (default: normal features)."),
    ] = None,
    *,
    truth: TruthOptions,
    size: SizeOptions,
    power: Annotated[float, typer.Option(help="Probability with which the last level is to be found.")] = 0.8,
    runs: Annotated[int, typer.Option(min=2, max=10_000, help="Simulated studies of each size.")] = 100,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(min=1, max=1_000, help="Batches worked on at the same time.")] = 2,
    keep: Annotated[
        Path | None, typer.Option(help="Folder for finished runs: the same command goes on from there.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table, too (.csv, .tsv or .json).")] = None,
    as_json: AsJson = False,
    columns: ColumnOptions,
) -> None:
    """How many choices are needed to find the levels: simulated studies of several sizes, before any is carried out."""
    from lori.experiments.plan import Plan

    given = files or []
    check_targets([out], inputs=[*given, *([truth.truth] if truth.truth else [])])
    if out is not None and out.suffix.lower() not in ENDINGS:
        raise DataError(
            str(out), expected="a name that ends in .csv, .tsv or .json", got=f"the ending {out.suffix or 'none'}",
            fix="choose one of these endings",
        )  # fmt: skip
    if truth.slips is not None:
        _check_share("--slips", truth.slips, 0.0, MOST_SLIPS)
    _check_share("--power", power, 0.01, 0.99)
    sizes = size.sizes()
    model, design, spread = _truth(truth, given, columns)
    slips = truth.slips if truth.slips is not None else model.lapse or SLIPS
    plan = Plan(model, sizes, slips, design, spread, power, runs, seed)
    with ExitStack() as stack:
        place = folder(keep) if keep else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lori-")))
        try:
            with progress_bar("plan-study") as progress:
                done = plan.simulation.carry_out(place, jobs=jobs, say=say, progress=progress)
        except KeyboardInterrupt:
            _stopped(plan, place, out, as_json, kept=keep is not None, stack=stack)
        _show(plan.judged(done), out, as_json)


def _stopped(plan: Plan, place: Path, out: Path | None, as_json: bool, *, kept: bool, stack: ExitStack) -> None:
    """Show what there is, and leave at once."""
    done = plan.simulation.so_far(place)
    if any(done):
        _show(plan.judged(done), out, as_json)
    if not kept:
        stack.close()
    on = f"the same command goes on from {place}" if kept else "with --keep DIR the same command could go on"
    stop(f"Stopped after {sum(map(len, done)):,} simulated studies; {on}.")


def _show(study: PlannedStudy, out: Path | None, as_json: bool) -> None:
    if out is not None:
        if out.suffix.lower() == ".json":
            with writing(out) as temporary:
                text = json.dumps(study.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
                temporary.write_text(text + "\n", encoding="utf-8")
        else:
            import pandas as pd

            from lori.data.writing import write_table

            write_table(pd.DataFrame([row.to_dict() for row in study.rows]), out)
    if as_json:
        print_json(study.to_dict())
        return
    typer.echo(str(study))
    if out is not None:
        typer.echo(f"\nWrote the table to {shown(out)}")


def _truth(
    given: TruthOptions, files: list[Path], columns: ColumnOptions
) -> tuple[OrderedModel, np.ndarray | None, tuple[float, ...]]:
    """What is to be found, the pairs to ask (None: normal features) and the deviations of normal features."""
    from lori.estimators.storage import load_ordered_model, load_ranges
    from lori.experiments.plan import typical_truth
    from lori.model.specification import MOST_LEVELS

    if given.truth is not None and (given.levels is not None or given.features is not None):
        raise InputError(
            "--truth", expected="no --levels and no --features beside it", got="one of them",
            fix="leave them out: the model has its own",
        )  # fmt: skip
    model = load_ordered_model(given.truth) if given.truth else None
    levels = len(model.levels) if model else whole("--levels", given.levels or 2, 2, MOST_LEVELS)
    if levels < 2:
        raise InputError(
            "--truth", expected="a model with two levels or more", got="one level", fix="there is no order to be found"
        )
    design = None
    if files:
        wanted = list(model.features) if model else names(given.features) or None
        features, design = _design(files, columns, wanted)
    else:
        features = model.features if model else _features(given.features, levels)
    if len(features) < levels and model is None:
        raise InputError(
            "--features", expected=f"at least {levels}, one for each level", got=f"{len(features)}",
            fix="name more features or ask for fewer levels",
        )  # fmt: skip
    if model is None:
        return typical_truth(features, levels, design), design, (1.0,)
    from lori.interfaces.commands.simulate import ACROSS

    assert given.truth is not None
    return model, design, tuple((load_ranges(given.truth) / ACROSS).tolist())


def _design(files: list[Path], columns: ColumnOptions, wanted: list[str] | None) -> tuple[tuple[str, ...], np.ndarray]:
    """The pairs of a file, whatever was chosen."""
    import numpy as np

    from lori.data.preferences import Preferences
    from lori.data.reading.readers import read

    preferences = read(
        files, **columns.renamed(), features=wanted, identical="drop", outcome_needed=False, as_pairs=True
    )
    assert isinstance(preferences, Preferences)
    return preferences.features, np.stack([preferences.left_features, preferences.right_features], axis=1)


def _features(text: str | None, levels: int) -> tuple[str, ...]:
    """Names, or x1, x2, … where only their number is given."""
    if text is None or text.strip().isdecimal():
        [count] = [levels] if text is None else _counts("--features", text, 1, MOST_FEATURES)
        return tuple(f"x{place + 1}" for place in range(count))
    found = names(text)
    if found == "all" or len(set(found)) < len(found):
        raise InputError(
            "--features", expected="different names, separated by commas, or their number", got=repr(text),
            fix="write for example --features cost,benefit",
        )  # fmt: skip
    return tuple(found)


def _counts(option: str, text: str, least: int, most: int = MOST) -> list[int]:
    """Whole numbers that are separated by commas, the smallest first."""
    try:
        counts = sorted({int(part) for part in text.split(",")})
    except ValueError:
        counts = []
    if not counts or counts[0] < least or counts[-1] > most:
        raise InputError(
            option, expected=f"whole numbers from {least} to {most:,}, separated by commas", got=repr(text)[:40],
            fix=f"write for example {option} 100,300",
        )  # fmt: skip
    return counts


def _check_share(option: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise InputError(
            option, expected=f"a share from {least:g} to {most:g}", got=f"{value:g}", fix=f"5 % are {option} 0.05"
            if option == "--slips" else "80 % are --power 0.8",
        )  # fmt: skip
