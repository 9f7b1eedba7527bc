"""Readings of the paper: what becomes of a figure if a setting is read otherwise, as printed or as the scripts have it?

One setting is changed at a time, and only what it touches is computed again. Each can be run whole with
`lori reproduce STUDY --set NAME=VALUE`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from lori.applications.cancer import world
from lori.applications.cancer.dynamics import Cancer
from lori.experiments import cancer
from lori.experiments.cancer import CancerSettings
from lori.experiments.study import HERE, Cell, Row, Study, measured, setting
from lori.policies.comparison import how_often_preferred
from lori.policies.rollouts import roll_out


@dataclass(frozen=True)
class ReadingsSettings:
    """The sizes of the cancer study, which are the paper's."""

    trajectories: int = setting(1000, "demonstrations, and rollouts of each policy", printed=HERE, scripts=HERE)
    pairs: int = setting(1000, "preferences to learn from, and as many to test", printed=HERE, scripts=HERE)
    starts: int = setting(48, "of LORI", printed="1", scripts="1")
    cells: int = setting(100, "of each feature, in planning", scripts=HERE)
    birl_cells: int = setting(25, "of each feature, in Bayesian IRL", scripts=HERE)
    birl_samples: int = setting(11_000, "of its chain", printed=HERE, scripts=HERE)


@lru_cache(maxsize=64)
def lori_error(settings: CancerSettings, seed: int) -> float:
    """RMSE of LORI, both levels capped."""
    given = cancer.seen(settings, seed)
    return cancer.error(cancer.fit_lori(settings, given, seed, capped=2).model_, given)


@lru_cache(maxsize=64)
def birl_error(settings: CancerSettings, seed: int) -> float:
    """RMSE of BIRL, a single true reward."""
    single = replace(settings, single=True)
    given = cancer.seen(single, seed)
    return cancer.error(cancer.fit_birl(single, given, seed).model_, given)


@lru_cache(maxsize=64)
def cloned(settings: CancerSettings, seed: int) -> float:
    """BC against Behaviour, %."""
    given = cancer.seen(settings, seed)
    return _against(given, cancer.clone(settings, given, seed), settings, seed)


@lru_cache(maxsize=64)
def optimal(settings: CancerSettings, seed: int) -> float:
    """Optimal against Behaviour, %."""
    given = cancer.seen(settings, seed)
    best = world.optimal_policy(given.truth, settings.cells, settings.planning_noise, settings.at_centres)
    return _against(given, best, settings, seed)


def _against(given: cancer.Seen, policy: Any, settings: CancerSettings, seed: int) -> float:
    ours, theirs = (
        roll_out(Cancer(), each, count=settings.trajectories, seed=cancer.DISTINCT * seed + 200 + place).means
        for place, each in enumerate((policy, given.behaviour))
    )
    return 100 * how_often_preferred(given.truth, ours, theirs)[0]


OTHER: dict[tuple[str, Any], Callable[[CancerSettings, int], float]] = {
    ("prior_degrees", 3.0): lori_error,
    ("new_trajectories", False): lori_error,
    ("planning_noise", 0.3536): optimal,
    ("bc_apart", 100): cloned,
    ("at_centres", False): birl_error,
    ("birl_thinning", 100): birl_error,
    ("birl_flat_in", "log"): birl_error,
}
"""What a setting is elsewhere, and the figure that it touches."""


def cell(settings: ReadingsSettings, seed: int) -> Cell:
    """Each figure as it is here, and as it becomes."""
    usual = CancerSettings(**{each.name: getattr(settings, each.name) for each in fields(settings)})
    answer: Cell = {}
    for (name, value), figure in OTHER.items():
        answer[f"{name}={value}"] = {
            "here": figure(usual, seed),
            "then": figure(replace(usual, **{name: value}), seed),
        }
    return answer


def rows(settings: ReadingsSettings, cells: Sequence[Cell]) -> list[Row]:
    """A row for each reading, with the figure's name."""
    return [
        {
            "method": f"{name}={value}: {_title(figure)}",
            **{part: measured([each[f"{name}={value}"][part] for each in cells]) for part in ("here", "then")},
        }
        for (name, value), figure in OTHER.items()
    ]


def _title(figure: Callable[..., float]) -> str:
    return (figure.__doc__ or "").rstrip(".")


STUDY = Study(
    "readings",
    "What becomes of a figure if a setting is read otherwise",
    ReadingsSettings(),
    ReadingsSettings(trajectories=60, pairs=150, starts=4, cells=20, birl_cells=8, birl_samples=220),
    cell=cell,
    rows=rows,
)
