"""`lori demo` (`make run`): what does LORI do, shown on the examples that come with it?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lori.data.writing import folder, writing
from lori.interfaces.commands.console import shown
from lori.interfaces.commands.report import write_report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lori.data.preferences import Preferences
    from lori.estimators.lori import LORI

PERSON = "1"


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the figure, the JSON files and the report.")] = Path("out"),
) -> None:
    """Fit the built-in examples, print what was found, and write a figure, JSON files and a report."""
    import numpy as np

    from lori.data.examples import tversky1969
    from lori.estimators.lori import LORI
    from lori.model.ordered import OrderedModel
    from lori.model.rewards import Linear
    from lori.model.simulation import simulate

    folder(out)
    people = tversky1969()
    more_is_better = Linear(increasing="all")
    typer.echo(
        "Eight people choose between gambles (Tversky 1969). Probability and payoff pull in opposite directions.\n"
    )
    two = LORI(levels=2, reward=more_is_better, epsilon=(None, 0.0), lapse=0, prior=None).fit_by_agent(people)
    one = LORI(levels=1, reward=more_is_better, epsilon=0.0, lapse=0, prior=None).fit_by_agent(people)
    from lori.interfaces.commands.terminal import agents_table

    typer.echo(agents_table(two))
    typer.echo(f"With one level: {sum(model.log_likelihood_ for model in one.values()):.2f}\n")
    typer.echo(f"Person {PERSON} in full:\n")
    typer.echo(two[PERSON].summary())

    typer.echo("\n\nAn allocation that puts need first unless it differs little, simulated: 2 000 choices.\n")
    truth = OrderedModel.linear([[0.0, 0.05], [0.02, 0.0]], epsilon=[3.0, 0.0], features=["benefit", "need"])
    pairs = np.random.default_rng(0).normal([300, 200], [150, 80], size=(2000, 2, 2))
    allocation = LORI(levels=2, reward=more_is_better).fit(simulate(truth, pairs, seed=0))
    typer.echo(allocation.summary())
    typer.echo("(The truth: need weighs 0.05 with a threshold of 60 days, then benefit weighs 0.02.)")

    _write(out / "tversky.json", {agent: model.summary().to_dict() for agent, model in two.items()})
    allocation.save(out / "allocation.json")
    person = people.by_agent()[PERSON]
    _draw(out / "priorities.png", person, two[PERSON], one[PERSON], allocation)
    priorities, tversky, saved = (shown(out / name) for name in ("priorities.png", "tversky.json", "allocation.json"))
    typer.echo(f"\nWrote {priorities}, {tversky} and {saved}")
    page = out / "report.html"
    write_report(two[PERSON], person, page, title=f"What comes first for Tversky's person {PERSON}?")
    typer.echo(f"Wrote the report on person {PERSON}: open {shown(page)} in a browser")


def _draw(path: Path, choices: Preferences, two: LORI, one: LORI, allocation: LORI) -> None:
    from matplotlib.figure import Figure

    from lori.interfaces.figures import ladder, style

    with style.style():
        figure = Figure(figsize=(14, 3.8), layout="constrained")
        axes = figure.subplots(1, 3)
        ladder.draw(axes[0], two.summary(), f"Person {PERSON}: what comes first")
        _draw_observed(axes[1], choices, two, one)
        ladder.draw(axes[2], allocation.summary(), "Simulated allocation (days)")
        for panel in (axes[0], axes[2]):
            ladder.add_legend(panel)
    style.save(figure, path)


def _draw_observed(axes: Axes, choices: Preferences, two: LORI, one: LORI) -> None:
    """Observed shares as dots, two levels as a line, and one level as a dashed line."""
    import numpy as np

    from lori.interfaces.figures.style import COLOURS

    steps = np.rint(-choices.differences[:, 0] * 24)
    left, _, right = choices.outcome_counts.T
    shares = left / (left + right)
    models = (two.predict_proba(choices)[:, 0], one.predict_proba(choices)[:, 0])
    x = np.unique(steps)
    observed, predicted, baseline = ([values[steps == s].mean() for s in x] for values in (shares, *models))
    axes.axhline(0.5, color="#bbbbbb", linewidth=0.8, zorder=0)
    axes.plot(x, baseline, "--", color=COLOURS[7], label="one level")
    axes.plot(x, predicted, "-", color=COLOURS[0], label="two levels")
    axes.plot(x, observed, "o", color="black", markersize=4, label="observed")
    axes.set_xlabel("difference in probability of winning (24ths)")
    axes.set_ylabel("share choosing the higher payoff")
    axes.set_ylim(0, 1)
    axes.set_xticks(x)
    axes.legend()
    axes.set_title(f"Person {PERSON}: choices and models")


def _write(path: Path, content: dict) -> None:
    with writing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
