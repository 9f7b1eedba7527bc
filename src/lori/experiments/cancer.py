"""Cancer study: what do tables 2 to 5 share? One seed's demonstrations, preferences, inferred rewards and policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from lori.applications.cancer import world
from lori.applications.cancer.dynamics import Cancer
from lori.baselines.birl import BayesianIRL
from lori.baselines.cloning import BehaviouralCloning
from lori.baselines.trex import TREX
from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.evaluation.metrics import accuracy, rmse
from lori.experiments.study import Cell, Row, by_method
from lori.model.ordered import OrderedModel
from lori.model.priors import Prior
from lori.model.rewards import Capped, Linear
from lori.policies.comparison import preference_matrix
from lori.policies.planning import plan_for
from lori.policies.policy import Policy
from lori.policies.preferred import prefer
from lori.policies.rollouts import Rollouts, roll_out

SIGNS: dict[str, Any] = {"increasing": ("wbc",), "decreasing": ("tumour",)}
PAPER_ROWS = ("Behaviour", "BC", "BIRL", "T-REX", "Optimal", "LORI")
DISTINCT = 1000  # seeds of one experiment lie this far from those of the next


@dataclass(frozen=True)
class CancerSettings:
    """The paper's protocol (section "Improving Behavior", appendix C)."""

    single: bool = False  # the truth is the single reward of appendix B
    trajectories: int = 1000  # demonstrations, and rollouts of each policy that is compared
    pairs: int = 1000  # preferences to learn from, and as many to test
    prior_degrees: float = 1.0  # these experts hardly err; judged on seeds from 100 on, which no table uses
    starts: int = 48
    cells: int = 100  # of each feature, in planning
    birl_cells: int = 25
    birl_samples: int = 11_000
    rounds: int = 200  # of the search for a preferred policy
    branches: int = 500


SMOKE = CancerSettings(
    trajectories=60, pairs=200, starts=8, cells=20, birl_cells=10, birl_samples=1_100, rounds=5, branches=50
)


@dataclass(frozen=True, eq=False)
class Learned:
    """Everything that is learned from one seed's demonstrations and preferences."""

    truth: OrderedModel
    demonstrations: Rollouts
    test: Preferences
    birl: BayesianIRL
    models: Mapping[str, OrderedModel]  # inferred, by method
    lori: LORI
    supported: OrderedModel  # LORI's, with as many levels as its summary recommends: what policies are planned for


@lru_cache(maxsize=64)
def learned(settings: CancerSettings, seed: int) -> Learned:
    """Demonstrations, preferences between them, and what each method infers; tables of the same world share it."""
    seeds = DISTINCT * seed + np.arange(4)
    truth = world.single_model() if settings.single else world.true_model()
    behaviour = world.behaviour_policy(truth, settings.cells)
    demonstrations, others = (
        roll_out(Cancer(), behaviour, count=settings.trajectories, seed=int(each)) for each in seeds[:2]
    )
    train = world.preferences(demonstrations, settings.pairs, truth, int(seeds[2]))
    test = world.preferences(others, settings.pairs, truth, int(seeds[3]))
    birl = BayesianIRL(reward=Linear(**SIGNS), samples=settings.birl_samples, burn_in=settings.birl_samples // 11)
    options: dict[str, Any] = {"prior": Prior(degrees=settings.prior_degrees), "starts": settings.starts, "seed": seed}
    with ThreadPoolExecutor(1) as beside:  # a chain hardly compiles; the others do
        chain = beside.submit(birl.set_params(seed=seed).fit, demonstrations, world.mdp(settings.birl_cells))
        trex = TREX(reward=Linear(**SIGNS), **options).fit(train)
        lori = LORI(levels=2, reward=[Capped(**SIGNS), Linear(**SIGNS)], **options).fit(train)
    chain.result()
    models = {"BIRL": birl.model_, "T-REX": trex.model_, "LORI": lori.model_}
    return Learned(truth, demonstrations, test, birl, models, lori, lori.supported(train).model_)


def rewards_cell(settings: CancerSettings, seed: int) -> Cell:
    """Tables 2 and 4: how well are preferences predicted that were not learned from?"""
    found = learned(settings, seed)
    left, right = found.test.left_features, found.test.right_features
    true = found.truth.predict_proba(left, right)[:, 0]
    cell: Cell = {
        method: {
            "RMSE": rmse(model.predict_proba(left, right)[:, 0], true),
            "accuracy %": 100 * accuracy(model, found.test),
        }
        for method, model in {**found.models, "the truth": found.truth}.items()
    }
    cell["BIRL"]["mixed"] = float(found.birl.mixed_)
    cell["LORI"] |= {
        "converged": float(found.lori.converged_),
        "at the best": found.lori.status_.share_at_best,
        "levels advised": float(len(found.supported.levels)),
    }
    return cell


def rewards_rows(settings: CancerSettings, cells: Sequence[Cell]) -> list[Row]:
    """A row for each method; whether chains mixed and fits converged is told beside, as a share of the seeds, and how
    many levels LORI's summary advises in the mean."""
    rows = by_method(settings, cells)
    for row in rows:
        for name in ("mixed", "converged", "at the best", "levels advised"):
            if name in row:
                row[name] = row[name]["mean"]
    return rows


def policies_cell(settings: CancerSettings, seed: int) -> Cell:
    """Tables 3 and 5: how often, in percent, are trajectories of one policy preferred to those of the ones before?"""
    found = learned(settings, seed)
    policies = _policies(settings, found, seed)
    rollouts = {
        name: roll_out(Cancer(), policy, count=settings.trajectories, seed=DISTINCT * seed + 100 + place).means
        for place, (name, policy) in enumerate(policies.items())
    }
    matrix = preference_matrix(found.truth, rollouts)
    return {
        name: {
            f"against {other}": 100 * float(matrix.probability[place, against])
            for against, other in enumerate(PAPER_ROWS[:place])
        }
        for place, name in enumerate(policies)
        if place > 0
    }


def _policies(settings: CancerSettings, found: Learned, seed: int) -> dict[str, Policy]:
    """The paper's policies, those that are planned for what is preferred (whole trajectories), and with a single true
    reward what becomes of planning for two levels all the same."""
    mdp, simulator = world.mdp(settings.cells), Cancer()
    models = {
        "BIRL": found.models["BIRL"],
        "T-REX": found.models["T-REX"],
        "Optimal": found.truth,
        "LORI": found.supported,
    }
    behaviour = world.behaviour_policy(found.truth, settings.cells)
    cloning = BehaviouralCloning(actions=simulator.actions, method="paper", seed=seed)
    search = {"rounds": settings.rounds, "branches": settings.branches, "seed": seed}
    with ThreadPoolExecutor(1) as beside:  # cloning takes long and hardly compiles; the others compile first
        cloned = beside.submit(cloning.fit, found.demonstrations)
        planned = {name: plan_for(model, mdp).policy for name, model in models.items()}
        preferred = {
            "LORI, preferred policy": prefer(found.supported, simulator, behaviour, **search).policy,
            "true rewards, preferred policy": prefer(found.truth, simulator, behaviour, **search).policy,
        }
    policies = {"Behaviour": behaviour, "BC": cloned.result().policy_, **planned, **preferred}
    if settings.single:
        policies["LORI, always two levels"] = plan_for(found.models["LORI"], mdp).policy
    return policies


def policies_paper(percent: Mapping[str, Mapping[str, tuple[float, float]]]) -> dict[str, Any]:
    """What the paper prints: mean and deviation of each row's policy against each column's."""
    return {
        name: {f"against {other}": {"mean": mean, "std": std} for other, (mean, std) in row.items()}
        for name, row in percent.items()
    }


def rewards_paper(**methods: tuple[float, float, float, float]) -> dict[str, Any]:
    """RMSE ± and accuracy ± of each method."""
    return {
        name.replace("_", "-"): {
            "RMSE": {"mean": numbers[0], "std": numbers[1]},
            "accuracy %": {"mean": numbers[2], "std": numbers[3]},
        }
        for name, numbers in methods.items()
    }
