"""People: which model of a file with a model for each agent is meant, and what does each row's own model predict?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.errors import InputError

if TYPE_CHECKING:
    from lori.estimators.lori import LORI
    from lori.estimators.population import Population


def load_models(path: Path, agent: str | None) -> dict[str | None, LORI | Population]:
    """The model or population in a file, under None, or the models of all agents; one of them where it is named."""
    from lori.estimators.loading import load
    from lori.estimators.storage import kind_of

    if kind_of(path) != "agents":
        if agent is not None:
            raise InputError(
                "--agent", expected="a file with a model for each agent", got="a file with one model",
                fix="leave --agent out, or fit with --by agent",
            )  # fmt: skip
        return {None: load(path)}
    from lori.estimators.agents import load_agents

    models = load_agents(path)
    if agent is None:
        return {name: model for name, model in models.items()}
    if agent not in models:
        raise InputError(
            "--agent", expected=f"one of the {len(models):,} agents in the file", got="another one",
            fix="write the name as the column of agents has it",
        )  # fmt: skip
    return {None: models[agent]}


def load_any(path: Path, agent: str | None) -> LORI | Population:
    """The only model or the population of a file, or the model of the agent who is named."""
    models = load_models(path, agent)
    if None not in models:
        raise InputError(
            "MODEL", expected="one model", got=f"those of {len(models):,} agents", fix="say whose with --agent NAME"
        )
    return models[None]


def load_one(path: Path, agent: str | None) -> LORI:
    """The only model of a file, or that of the agent who is named; a population is refused with a sentence."""
    from lori.estimators.lori import LORI, load

    model = load_any(path, agent)
    return model if isinstance(model, LORI) else load(path)


def predicted(models: dict[str | None, LORI | Population], observed: Any) -> np.ndarray:
    """Probabilities of each row, by the only model or by that of the row's own agent."""
    if None in models:
        return models[None].predict_proba(observed)
    if observed.agent is None:
        raise InputError(
            "agent", expected="a column that says who chooses, for a model of each agent", got="none",
            fix="name it with --columns agent=YOURS, or choose one model with --agent NAME",
        )  # fmt: skip
    agents = np.asarray(observed.agent).astype(str)
    unknown = sorted(set(agents) - set(map(str, models)))
    if unknown:
        raise InputError(
            "agent", expected="agents that the models were fitted to", got=f"{len(unknown):,} others",
            fix="fit these, too, or leave their rows out",
        )  # fmt: skip
    parts = {agent: np.flatnonzero(agents == agent) for agent in dict.fromkeys(agents)}
    found = [models[agent].predict_proba(observed.subset(rows)) for agent, rows in parts.items()]
    return np.concatenate(found)[np.argsort(np.concatenate(list(parts.values())), kind="stable")]
