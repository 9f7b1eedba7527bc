"""Which known decision-makers can be simulated from the command line?"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lori.data.examples import tversky1969
from lori.data.preferences import Preferences
from lori.data.writing import folder, write_table
from lori.errors import InputError
from lori.estimators.storage import load_ordered_model, load_ranges, save_ordered_model
from lori.model.ordered import OrderedModel
from lori.model.simulation import random_ordered_model, simulate

ACROSS = 4.0  # standard deviations that the values of a feature range over
COURSES = 1000  # of treatment, as in the paper


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
    _model_where_it_belongs(world, model)
    if world == "tversky":
        _once_by_nobody(world, times, agents)
        return tversky1969(), None
    if world == "age":
        from lori.applications.cancer import age

        _once_by_nobody(world, times, agents)
        return age.preferences(pairs, seed=seed), age.true_model()
    if model is None:
        truth, spread = random_ordered_model(levels, features, seed=seed), np.ones(1)
    else:
        truth, spread = load_ordered_model(model), load_ranges(model) / ACROSS
    return simulate(truth, pairs, times=times, agents=agents, spread=spread, seed=seed), truth


def write_cancer(out: Path, pairs: int, times: int, agents: int | None, model: Path | None, seed: int) -> str:
    """Write treatment courses and a clinician's choices between them; says what was written."""
    import pandas

    from lori.applications.cancer import world
    from lori.applications.cancer.dynamics import Cancer
    from lori.policies.rollouts import roll_out

    _model_where_it_belongs("cancer", model)
    _once_by_nobody("cancer", times, agents)
    truth, first = world.true_model(), 2 * seed  # courses and choices are drawn apart
    courses = roll_out(Cancer(), world.behaviour_policy(truth), count=COURSES, seed=first)
    chosen = world.preferences(courses, pairs, truth, seed=first + 1)
    count, steps, _ = courses.states.shape
    long = pandas.DataFrame(courses.states.reshape(count * steps, -1), columns=list(courses.features))
    long.insert(0, "trajectory", np.repeat(np.arange(count), steps))
    long.insert(1, "step", np.tile(np.arange(steps), count))
    comparisons = pandas.DataFrame(
        {"left": chosen.left, "right": chosen.right, "choice": np.where(chosen.wins > 0, "left", "right")}
    )
    folder(out)
    write_table(long, out / "trajectories.csv")
    write_table(comparisons, out / "comparisons.csv")
    save_ordered_model(truth, out / "truth.json")
    return (
        f"Wrote {count:,} treatment courses to {out / 'trajectories.csv'}, {len(comparisons):,} choices between them "
        f"to {out / 'comparisons.csv'} and the true model to {out / 'truth.json'}"
    )


def write_organ(
    out: Path,
    policy: str,
    patients: int | None,
    organs: int | None,
    times: int,
    agents: int | None,
    model: Path | None,
    seed: int,
) -> str:
    """Write a made-up liver registry; says what was written."""
    from lori.applications.organ.synthetic import SyntheticSettings, write_registry
    from lori.applications.organ.truth import PREFERENCES

    _once_by_nobody("organ", times, agents)
    truth = load_ordered_model(model) if model else PREFERENCES if policy == "model" else None
    sizes = {name: size for name, size in (("patients", patients), ("organs", organs)) if size is not None}
    folder(out)
    write_registry(out / "registry.csv", SyntheticSettings(policy=policy, seed=seed, **sizes), model=truth)
    if truth is None:
        return f"Wrote a registry to {out / 'registry.csv'}"
    save_ordered_model(truth, out / "truth.json")
    return f"Wrote a registry to {out / 'registry.csv'} and the true model to {out / 'truth.json'}"


def _once_by_nobody(world: str, times: int, agents: int | None) -> None:
    if times != 1 or agents is not None:
        raise InputError(
            "--times and --agents", expected=f"neither in the world {world!r}", got="one of them", fix="leave them out"
        )


def _model_where_it_belongs(world: str, model: Path | None) -> None:
    if (world == "model") != (model is not None):
        raise InputError(
            "--model", expected="a saved model for the world 'model', and only there",
            got="none" if model is None else f"one for the world {world!r}",
            fix="write: lori simulate model --model model.json --out DIR",
        )  # fmt: skip
