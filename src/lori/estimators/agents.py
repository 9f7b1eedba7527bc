"""Agents: a model for each of many people, fitted as one batch, and the file that holds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lori.estimators import storage
from lori.estimators.contract import WORDS
from lori.estimators.lori import LORI
from lori.inference.settings import checked_settings
from lori.inference.statistics import Observed


def fit_by_agent(estimator: LORI, preferences: Observed) -> dict[str, LORI]:
    """Fit `estimator`'s settings to each agent's own preferences, all agents and starts in one batch."""
    from lori.inference.fitting import fit_groups

    groups, estimator = preferences.by_agent(), estimator.for_parts_of(preferences)
    settings = checked_settings(estimator.get_params(deep=False), list(groups.values()))
    fitted = {}
    for agent, fit in zip(groups, fit_groups(settings, list(groups.values())), strict=True):
        own = estimator.copy()
        own._learned(settings, fit, WORDS, getattr(preferences, "pooled", None))
        own.reading_ = getattr(preferences, "reading", None)
        fitted[agent] = own
    return fitted


def save_agents(fitted: dict[str, LORI], path: str | Path) -> None:
    """Write the models of many agents into one file; `load_agents` reads it."""
    agents = {agent: {"settings": storage.saved_settings(model), **model._content()} for agent, model in fitted.items()}
    storage.save(path, {"kind": "agents", "agents": agents})


def load_agents(path: str | Path) -> dict[str, LORI]:
    """Read what `save_agents` (or `lori fit --by agent --save`) wrote."""

    def build(document: dict[str, Any]) -> dict[str, LORI]:
        return {agent: LORI._from_content(content) for agent, content in document["agents"].items()}

    return storage.load(path, build, kind="agents")
