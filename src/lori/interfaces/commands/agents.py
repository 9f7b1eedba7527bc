"""Agents: a model for each of them, from one call of `lori fit --by agent`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lori.interfaces.commands.console import working

if TYPE_CHECKING:
    from lori.data.preferences import Preferences
    from lori.estimators.lori import LORI
    from lori.evaluation.selection import Selection
    from lori.interfaces.commands.fit import ModelOptions


def fit_agents(model: ModelOptions, preferences: Preferences) -> tuple[dict[str, LORI], dict[str, Selection] | None]:
    """A model for each agent, with levels as asked for or as many as its own choices support."""
    estimator = model.estimator().for_parts_of(preferences)
    if not model.chooses_levels:
        with working(f"Fitting {preferences.n_comparisons:,} choices"):
            fitted = estimator.fit_by_agent(preferences)
            if model.climbs:
                groups = preferences.by_agent()
                fitted = {agent: own.supported(groups[agent]) for agent, own in fitted.items()}
            return fitted, None
    from lori.evaluation.selection import select_levels_by_agent

    with working("Weighing the number of levels") as say:
        chosen = select_levels_by_agent(preferences, estimator=estimator, progress=say)
    groups = preferences.by_agent()
    return {agent: estimator.with_levels(own.recommended).fit(groups[agent]) for agent, own in chosen.items()}, chosen


def agents_content(fitted: dict[str, LORI], chosen: dict[str, Selection] | None) -> dict[str, Any]:
    """What is said of each agent, for machines."""
    summaries = {agent: model.summary().to_dict() for agent, model in fitted.items()}
    if chosen is None:
        return summaries
    from lori.evaluation.selection import shares

    agents = {agent: {"selection": chosen[agent].to_dict(), **summary} for agent, summary in summaries.items()}
    return {"agents": agents, "shares": shares(chosen)}


def verdicts(chosen: dict[str, Selection]) -> list[str]:
    """Is each agent lexicographic at all? In lines of text."""
    from lori.evaluation.selection import shares
    from lori.language.names import label
    from lori.language.numbers import percent

    width = max(len(label(agent)) for agent in chosen)
    lines = ["Is each agent lexicographic at all?"]
    for agent, own in chosen.items():
        first = own.posterior.order().first()
        leader, probability = next(iter(first.items()))
        leads = f"{label(leader)} first ({percent(probability)})" if own.recommended > 1 else ""
        lines.append(f"  {label(agent):<{width}}  {own.verdict:<11}  {leads:<40.40}  {own.reason}")
    said = ", ".join(f"{verdict} {percent(share)}" for verdict, share in shares(chosen).items())
    return [*lines, f"Of {len(chosen)} agents: {said}."]
