"""How do people use LORI from a terminal? Commands translate words into calls and results into text.

Nothing heavy is imported at the top: `lori --help` must feel instant.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from lori import __version__
from lori.data.writing import check_targets, folder
from lori.errors import InputError, LoriError
from lori.interfaces.commands import caching, choosing, showing
from lori.interfaces.commands.arguments import (
    AsJson,
    Columns,
    Discount,
    EngineName,
    ErrorName,
    Features,
    Files,
    MethodName,
    ModelFile,
    Out,
    Pooling,
    PriorName,
    RewardName,
    SameDiscount,
    SamePooling,
    TieName,
    Values,
    World,
    names,
    numbers,
    whole,
)
from lori.interfaces.commands.output import print_json, show_agents, show_summary, show_table, working
from lori.interfaces.commands.reading import fit_files, model_and_pairs, read_kept, streams

INTERRUPTED = 130  # exit code, as shells have it

app = typer.Typer(
    name="lori",
    help="Learn what a decision-maker puts first: rewards in priority order from pairwise preferences.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command(epilog="Example: lori fit choices.csv --levels 2 --increasing benefit,need --save model.json")
def fit(
    files: Files,
    levels: Annotated[
        str, typer.Option(help="Number of reward functions in priority order; 'auto' weighs 1, 2, … and says why.")
    ] = "2",
    reward: Annotated[RewardName, typer.Option(help="Family of rewards.")] = RewardName.linear,
    increasing: Annotated[str, typer.Option(help="Features of which more is better (a,b or all).")] = "",
    decreasing: Annotated[str, typer.Option(help="Features of which less is better (a,b or all).")] = "",
    context: Annotated[str, typer.Option(help="Features on which priorities depend (a,b), for --reward gated.")] = "",
    ties: Annotated[TieName, typer.Option(help="What a tie of all levels means.")] = TieName.auto,
    epsilon: Annotated[
        str, typer.Option(help="Thresholds: 'learned', a number, or one for each level (learned,0).")
    ] = "learned",
    alpha: Annotated[str, typer.Option(help="Sensitivities: a number, 'learned', or one for each level.")] = "1",
    prior: Annotated[PriorName, typer.Option(help="Weak prior, or none for pure maximum likelihood.")] = PriorName.weak,
    method: Annotated[
        MethodName, typer.Option(help="Optimiser; 'paper' is the paper's RMSprop, for comparison.")
    ] = MethodName.newton,
    starts: Annotated[int, typer.Option(help="Random starts of the search.")] = 48,
    standard_errors: Annotated[ErrorName, typer.Option(help="Kind of standard errors.")] = ErrorName.observed,
    engine: Annotated[
        EngineName,
        typer.Option(
            help="Where the data live: auto streams Parquet folders and files too large for memory; dask uses a cluster."
        ),
    ] = EngineName.auto,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler (default: a local cluster).")
    ] = None,
    by: Annotated[str | None, typer.Option(help="'agent': a model for each agent, fitted as one batch.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same answer.")] = 0,
    save: Annotated[Path | None, typer.Option(help="Save the fitted model as JSON.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page about the model and the data (HTML).")] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    columns: Columns = None,
    values: Values = None,
    features: Features = None,
    pooling: Pooling = "mean",
    discount: Discount = 0.95,
    identical: Annotated[str, typer.Option(help="Pairs with two equal sides: error, keep or drop.")] = "error",
) -> None:
    """Learn ordered rewards from a file of choices and say what comes first."""
    if by not in (None, "agent"):
        raise InputError("--by", expected="agent", got=repr(by), fix="use --by agent or leave it out")
    check_targets([save, report], inputs=files)
    streamed = streams(files, engine)
    if report and (streamed or by):
        raise InputError(
            "--report", expected="one model of data in memory", got="a stream" if streamed else "a model for each agent",
            fix="leave --by out, or use --engine memory",
        )  # fmt: skip
    if streamed and by:
        raise InputError(
            "--by", expected="data in memory", got="a stream", fix="use --engine memory, or leave --by out"
        )
    prefs = None
    if not streamed:
        prefs, dropped = read_kept(files, columns, values, features, pooling, discount, identical)
    from lori.estimators.lori import LORI
    from lori.inference.settings import NAMED_REWARDS

    options: dict[str, Any] = {}
    if (reward is RewardName.gated) != bool(context):
        raise InputError(
            "--context", expected="a feature for --reward gated, and only there", got=repr(context),
            fix="write --reward gated --context FEATURE",
        )  # fmt: skip
    if reward is not RewardName.network:
        options = {"increasing": names(increasing), "decreasing": names(decreasing)}
    elif increasing or decreasing:
        raise InputError(
            "--increasing and --decreasing", expected="a linear, capped or gated reward", got="a network",
            fix="leave them out: a network's direction cannot be fixed",
        )  # fmt: skip
    if context:
        options["context"] = names(context)
    estimator = LORI(
        levels=2 if levels == "auto" else whole("--levels", levels),
        reward=NAMED_REWARDS[reward.value](**options),
        alpha=numbers("--alpha", alpha),
        epsilon=numbers("--epsilon", epsilon),
        ties=ties.value,
        prior=None if prior is PriorName.none else prior.value,
        method=method.value,
        starts=starts,
        standard_errors=standard_errors.value,
        seed=seed,
    )
    chosen = None
    if levels == "auto" and by:
        choosing.choose_by_agent(estimator, prefs, save, as_json, quiet)
        return
    if levels == "auto":
        chosen = choosing.choose_levels(estimator, prefs)
    if prefs is None:
        fit_files(estimator, files, columns, values, features, identical, engine, scheduler)
    else:
        with working(f"Fitting {prefs.n_pairs:,} pairs"):
            if by:
                fitted = estimator.fit_by_agent(prefs)
            else:
                estimator.fit(prefs)
    if by:
        show_agents(fitted, save, as_json, quiet)
        return
    if save:
        estimator.save(save)
    if as_json:
        content = estimator.summary().to_dict()
        print_json({**content, "selection": chosen.to_dict()} if chosen else content)
    elif not quiet:
        show_summary(estimator)
        if chosen:
            typer.echo(f"\n{chosen}")
        if save:
            typer.echo(f"\nSaved to {save}")
    if report and prefs is not None:
        showing.write_report(estimator, prefs, report, title=showing.heading(files), dropped=dropped)
        if not (as_json or quiet):
            typer.echo(f"Wrote the report to {report}")


@app.command(epilog="Example: lori predict model.json new_pairs.csv --out predictions.csv")
def predict(
    model: ModelFile,
    files: Files,
    out: Out = None,
    as_json: AsJson = False,
    columns: Columns = None,
    values: Values = None,
    pooling: SamePooling = None,
    discount: SameDiscount = None,
) -> None:
    """Probabilities that left is preferred, that neither is, and that right is, for each pair of a file."""
    check_targets([out], inputs=[model, *files])
    estimator, prefs = model_and_pairs(model, files, columns, values, pooling, discount)
    import pandas as pd

    table = pd.DataFrame(estimator.predict_proba(prefs), columns=["left", "tie", "right"])
    show_table(table, out, as_json)


@app.command(epilog="Example: lori explain model.json pairs.csv")
def explain(
    model: ModelFile,
    files: Files,
    out: Out = None,
    as_json: AsJson = False,
    words: Annotated[bool, typer.Option("--words", help="A sentence for each pair instead of a table.")] = False,
    columns: Columns = None,
    values: Values = None,
    pooling: SamePooling = None,
    discount: SameDiscount = None,
) -> None:
    """Which level decides each pair, and the smallest change of each feature that would flip the choice."""
    if words and (as_json or out is not None):
        raise InputError(
            "--words", expected="neither --json nor --out with it", got="one of them", fix="leave --words out"
        )
    check_targets([out], inputs=[model, *files])
    estimator, prefs = model_and_pairs(model, files, columns, values, pooling, discount)
    explanation = estimator.explain(prefs)
    if words:
        for pair in range(len(explanation)):
            typer.echo(f"{pair + 1}: {explanation.describe(pair)}")
    else:
        show_table(explanation.to_frame(), out, as_json)


app.command(epilog="Example: lori plot ladder model.json --out ladder.svg")(showing.plot)
app.command(epilog="Example: lori report model.json choices.csv --out report.html")(showing.report)


@app.command(epilog="Example: lori simulate levels --pairs 5000 --out data/")
def simulate(
    world: Annotated[
        World,
        typer.Argument(
            help="levels: a random decision-maker of the paper's appendix B; cancer: courses of treatment and a clinician's choices between them; age: clinicians whose priorities depend on age; tversky: the 80 counts of Tversky 1969; model: draws from --model; organ: a liver registry with the columns and codes of the real one."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for pairs.csv (cancer: trajectories.csv and comparisons.csv; organ: registry.csv) and truth.json."
        ),
    ],
    pairs: Annotated[int, typer.Option(help="Number of pairs.")] = 1000,
    times: Annotated[int, typer.Option(help="Comparisons of each pair.")] = 1,
    agents: Annotated[int | None, typer.Option(help="Deal the pairs to so many agents.")] = None,
    levels: Annotated[int, typer.Option(help="True levels (world: levels).")] = 3,
    n_features: Annotated[int, typer.Option("--features", help="Number of features (world: levels).")] = 4,
    model: Annotated[
        Path | None, typer.Option(help="A saved model to draw from (world: model; organ with --policy model).")
    ] = None,
    policy: Annotated[
        str, typer.Option(help="Who gets the organs (world: organ): meld, benefit, waiting or model.")
    ] = "meld",
    patients: Annotated[int | None, typer.Option(help="Patients of the year (world: organ; default: 4,650).")] = None,
    organs: Annotated[int | None, typer.Option(help="Organs of the year (world: organ; default: 4,150).")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same file.")] = 0,
) -> None:
    """Write a file of preferences drawn from a known decision-maker."""
    if world is World.organ:
        from lori.interfaces.commands.worlds import write_organ

        typer.echo(write_organ(out, policy, patients, organs, times, agents, model, seed))
        return
    if world is World.cancer:
        from lori.interfaces.commands.worlds import write_cancer

        typer.echo(write_cancer(out, pairs, times, agents, model, seed))
        return
    from lori.data.writing import write_pairs
    from lori.estimators.storage import save_ordered_model
    from lori.interfaces.commands.worlds import simulated

    prefs, truth = simulated(world.value, pairs, times, agents, levels, n_features, model, seed)
    folder(out)
    write_pairs(prefs, out / "pairs.csv")
    typer.echo(f"Wrote {prefs.n_comparisons:,} comparisons of {prefs.n_pairs:,} pairs to {out / 'pairs.csv'}")
    if truth is not None:
        save_ordered_model(truth, out / "truth.json")
        typer.echo(f"Wrote the true model to {out / 'truth.json'}")


@app.command(epilog="Example: lori demo --out out")
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the figure, the JSON files and the report.")] = Path("out"),
) -> None:
    """Fit the built-in examples, print what was found, and write a figure, JSON files and a report."""
    from lori.interfaces.commands.demo import run_demo

    run_demo(out)


@app.command(epilog="Example: lori bench organ logit --out out")
def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="organ, logit, bradley-terry, scaling, memory, dask, agents, srmp, posterior, cache (default: these); calibration, recovery, levels, questions.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for bench.json, or NAME.json if one is named.")] = Path("out"),
    smoke: Annotated[bool, typer.Option("--smoke", help="Tiny sizes, under a minute: does everything run?")] = False,
    repeats: Annotated[
        int | None, typer.Option(help="Rounds of each contest (default: each case has its own).")
    ] = None,
    long: Annotated[
        bool,
        typer.Option(
            "--long",
            help="Run the paper's procedure on all pairs in organ (a quarter of an hour), instead of estimating it.",
        ),
    ] = False,
) -> None:
    """Measure LORI against its peers, side by side in one run: a table of ratios, and a JSON file."""
    from lori.experiments.bench.run import run

    run(names or [], out, smoke=smoke, repeats=repeats, long=long, say=typer.echo)


@app.command(epilog="Example: lori reproduce table2 table3 --seeds 5 --out out")
def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Tables and figures of the paper: table2 to table5, figure2, organ, levels, age, or all.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for NAME.json, NAME.md, NAME.png and the work in between.")],
    seeds: Annotated[int | None, typer.Option(min=1, help="Repeats (default: 5, or 2 with --smoke).")] = None,
    smoke: Annotated[bool, typer.Option("--smoke", help="Tiny sizes, seconds each: does everything run?")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Seeds worked on at the same time.")] = 2,
    registry: Annotated[
        Path | None, typer.Option(help="A liver registry's own file (organ; default: a made-up one).")
    ] = None,
    year: Annotated[int | None, typer.Option(help="The year of the registry to study (default: 2019).")] = None,
) -> None:
    """Repeat an experiment of the paper, with its figures beside ours; a stopped run goes on where it stopped."""
    from lori.interfaces.commands.reproduce import reproduce as reproduce_study

    reproduce_study(names, out, seeds=seeds, smoke=smoke, jobs=jobs, registry=registry, year=year)


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False) -> None:
    if version:
        typer.echo(f"lori {__version__}")
        raise typer.Exit


def main() -> None:
    """Run a command; errors are one plain sentence on standard error, with exit code 1 or 2."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    caching.use_cache()
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(code)
    except LoriError as error:
        _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped.", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if hasattr(error, "format_message"):  # wrong usage, as the parser tells it
            _usage(error)
        # anything else is a defect of ours: no traceback, which could show somebody's data
        if os.environ.get("LORI_DEBUG"):
            raise
        _fail(f"LORI failed with {type(error).__name__}; run again with LORI_DEBUG=1 and report what it shows.", 1)


# -- helpers -------------------------------------------------------------------------------------------


def _usage(error: Any) -> NoReturn:
    """Wrong words on the command line, in one sentence; a command without any is an answer, too: its help."""
    text = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(text)
        sys.exit(error.exit_code)
    known = error.ctx.command_path if getattr(error, "ctx", None) else "lori"
    _fail(f"{' '.join(text.split()).rstrip('.')}; {known} --help tells what there is.", error.exit_code)


def _fail(sentence: str, code: int) -> NoReturn:
    typer.echo(f"Error: {sentence}", err=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
