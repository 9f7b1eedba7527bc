"""How does the command line choose the number of levels, and show why?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from lori.errors import InputError
from lori.interfaces.commands.output import print_json, show_agents, working

if TYPE_CHECKING:
    from lori.data.preferences import Preferences
    from lori.estimators.lori import LORI
    from lori.evaluation.selection import Selection


def in_memory(preferences: Preferences | None) -> Preferences:
    if preferences is None:
        raise InputError(
            "--levels", expected="a number for data that are not in memory", got="auto",
            fix="give the number, or use --engine memory",
        )  # fmt: skip
    return preferences


def choose_levels(estimator: LORI, preferences: Preferences | None) -> Selection:
    """Set the estimator to the recommended number of levels and say what spoke for it."""
    from lori.evaluation.selection import select_levels

    data = in_memory(preferences)
    with working("Weighing the number of levels") as status:
        chosen = select_levels(data, estimator=estimator, progress=status.update if status else lambda text: None)
    estimator.set_params(**estimator.with_levels(chosen.recommended).get_params(deep=False))
    return chosen


def choose_by_agent(
    estimator: LORI, preferences: Preferences | None, save: Path | None, as_json: bool, quiet: bool
) -> None:
    """A model for each agent with the levels that its own choices support, and the shares of agents."""
    from lori.evaluation.selection import select_levels_by_agent, shares

    data = in_memory(preferences)
    with working("Weighing the number of levels") as status:
        progress = status.update if status else lambda text: None
        chosen = select_levels_by_agent(data, estimator=estimator, progress=progress)
    groups = data.by_agent()
    fitted = {agent: estimator.with_levels(own.recommended).fit(groups[agent]) for agent, own in chosen.items()}
    if as_json:
        show_agents(fitted, save, as_json=False, quiet=True)
        print_json(
            {
                "agents": {agent: {"selection": chosen[agent].to_dict(), **fitted[agent].summary().to_dict()}
                           for agent in fitted},
                "shares": shares(chosen),
            }
        )  # fmt: skip
        return
    show_agents(fitted, save, as_json=False, quiet=quiet)
    if not quiet:
        typer.echo("\n" + "\n".join(_verdicts(chosen)))


def _verdicts(chosen: dict[str, Any]) -> list[str]:
    from lori.evaluation.selection import shares

    width = max(len(agent) for agent in chosen)
    lines = ["Is each agent lexicographic at all?"]
    for agent, own in chosen.items():
        first = own.posterior.order().first()
        leader, probability = next(iter(first.items()))
        leads = f"{leader} first with probability {probability:.2f}" if own.recommended > 1 else ""
        lines.append(f"  {agent:<{width}}  {own.verdict:<11}  {leads:<40.40}  {own.reason}")
    said = ", ".join(f"{verdict} {share:.0%}" for verdict, share in shares(chosen).items())
    return [*lines, f"Of {len(chosen)} agents: {said}."]
