"""Which known decision-makers can be simulated from the command line?"""

from __future__ import annotations

from pathlib import Path

from lori.data.examples import tversky1969
from lori.data.preferences import Preferences
from lori.errors import InputError
from lori.inference.simulation import random_ordered_model, simulate
from lori.inference.storage import load_ordered_model
from lori.model.ordered import OrderedModel


def simulated(
    world: str,
    pairs: int,
    times: int,
    agents: int | None,
    levels: int,
    features: int,
    model: Path | None,
    seed: int,
) -> tuple[Preferences, OrderedModel | None]:
    """Preferences of a named world, and the model behind them where it is known."""
    if (world == "model") != (model is not None):
        raise InputError(
            "--model", expected="a saved model for the world 'model', and only there",
            got="none" if model is None else f"one for the world {world!r}",
            fix="write: lori simulate model --model model.json --out DIR",
        )  # fmt: skip
    if world == "tversky":
        return tversky1969(), None
    truth = load_ordered_model(model) if model else random_ordered_model(levels, features, seed=seed)
    return simulate(truth, pairs, times=times, agents=agents, seed=seed), truth
