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
from lori.experiments.procedures import as_printed, as_scripted
from lori.experiments.study import HERE, Cell, Row, by_method, setting
from lori.inference.search.paper import PaperRun
from lori.model.ordered import OrderedModel
from lori.model.priors import Prior
from lori.model.rewards import Capped, Linear
from lori.policies.comparison import preference_matrix
from lori.policies.mdp import FactoredMDP
from lori.policies.planning import plan_for
from lori.policies.policy import Policy
from lori.policies.preferred import prefer
from lori.policies.rollouts import Rollouts, roll_out

SIGNS: dict[str, Any] = {"increasing": ("wbc",), "decreasing": ("tumour",)}
PAPER_ROWS = ("Behaviour", "BC", "BIRL", "T-REX", "Optimal", "LORI")
PRINTED, SCRIPTED, BOTH_CAPPED = "LORI, as printed", "LORI, as scripted", "LORI, both levels capped"
ADVISED = "LORI, one level as advised"
OURS = ("LORI", BOTH_CAPPED, PRINTED, SCRIPTED)  # all with two levels, as the paper's is
DISTINCT = 1000  # seeds of one experiment lie this far from those of the next


@dataclass(frozen=True)
class CancerSettings:
    """The paper's protocol (section "Improving Behavior", appendix C); where that is read otherwise, it says so."""

    single: bool = setting(False, "the truth is the single reward of appendix B", printed=HERE, scripts="no such study")
    trajectories: int = setting(1000, "demonstrations, and rollouts of each policy", printed=HERE, scripts=HERE)
    pairs: int = setting(1000, "preferences to learn from, and as many to test", printed=HERE, scripts=HERE)
    new_trajectories: bool = setting(
        True,
        "test preferences are between new trajectories",
        printed="additional preferences",
        scripts="False: other pairs of the same trajectories",
    )
    prior_degrees: float = setting(
        1.0,
        "Student-t prior of LORI and T-REX; 1 is the Cauchy density, for experts who hardly err, chosen on seeds from "
        "100 on, which no table uses",
        printed="none",
        scripts="none",
    )
    starts: int = setting(48, "of LORI and T-REX", printed="1", scripts="1")
    passes: int = setting(
        100_000, "after which the printed algorithm is cut off", printed="no limit", scripts="25 000, also in our row"
    )
    cells: int = setting(100, "of each feature, in planning", scripts=HERE)
    planning_noise: float = setting(
        0.5,
        "deviation of the simulator's noise in planning",
        printed=HERE,
        scripts="0.354 (0.5/√2): the ½ is missing in the exponent of the density",
    )
    at_centres: bool = setting(
        True, "transitions on the grid are densities at the centres of the cells, which hold its edges", scripts=HERE
    )
    bc_apart: int = setting(
        99, "steps between the two losses that the stopping rule of behavioural cloning compares", printed="100",
        scripts=HERE,
    )  # fmt: skip
    birl_cells: int = setting(25, "of each feature, in Bayesian IRL", scripts=HERE)
    birl_samples: int = setting(
        11_000, "of its chain, of which the first eleventh is left out", printed=HERE, scripts=HERE
    )
    birl_thinning: int = setting(1, "the mean is of every so-many-th sample", printed="100", scripts="100")
    birl_flat_in: str = setting("theta", "of which the prior is flat: theta or log (theta)", scripts="log")
    rounds: int = setting(
        200, "of the search for a preferred policy", printed="no such policy", scripts="no such policy"
    )
    branches: int = setting(500, "of that search", printed="no such policy", scripts="no such policy")


SMOKE = CancerSettings(
    trajectories=60, pairs=200, starts=8, passes=500, cells=20, birl_cells=10, birl_samples=1_100, rounds=5, branches=50
)


@dataclass(frozen=True, eq=False)
class Seen:
    """One seed's demonstrations and preferences."""

    truth: OrderedModel
    behaviour: Policy
    demonstrations: Rollouts
    train: Preferences
    test: Preferences


@dataclass(frozen=True, eq=False)
class Learned:
    """Everything that is learned from what was seen."""

    birl: BayesianIRL
    models: Mapping[str, OrderedModel]  # inferred, by method
    lori: LORI
    converged: Mapping[str, bool]  # of LORI, however it was fitted
    supported: OrderedModel  # LORI's, with as many levels as its summary recommends


@lru_cache(maxsize=64)
def seen(settings: CancerSettings, seed: int) -> Seen:
    """Demonstrations by clinicians, and preferences between trajectories."""
    seeds = DISTINCT * seed + np.arange(4)
    truth = world.single_model() if settings.single else world.true_model()
    behaviour = world.behaviour_policy(truth, settings.cells, settings.planning_noise, settings.at_centres)
    demonstrations, others = (
        roll_out(Cancer(), behaviour, count=settings.trajectories, seed=int(each)) for each in seeds[:2]
    )
    train = world.preferences(demonstrations, settings.pairs, truth, int(seeds[2]))
    of = others if settings.new_trajectories else demonstrations
    test = world.preferences(of, settings.pairs, truth, int(seeds[3]))
    return Seen(truth, behaviour, demonstrations, train, test)


@lru_cache(maxsize=64)
def learned(settings: CancerSettings, seed: int) -> Learned:
    """What each method infers; tables of the same world share it."""
    given = seen(settings, seed)
    with ThreadPoolExecutor(1) as beside:  # these hardly compile; the others do
        chain = beside.submit(fit_birl, settings, given, seed)
        paths = beside.submit(descents, settings, given, seed)
        trex = TREX(reward=Linear(**SIGNS), **_options(settings, seed)).fit(given.train)
        lori, both = (fit_lori(settings, given, seed, capped=capped) for capped in (1, 2))
    birl, (printed, scripted) = chain.result(), paths.result()
    models = {
        "BIRL": birl.model_,
        "T-REX": trex.model_,
        "LORI": lori.model_,
        BOTH_CAPPED: both.model_,
        PRINTED: printed[0],
        SCRIPTED: scripted[0],
    }
    ends = (lori.converged_, both.converged_, printed[1].stopped, scripted[1].stopped)
    return Learned(
        birl, models, lori, dict(zip(OURS, map(bool, ends), strict=True)), lori.supported(given.train).model_
    )


def fit_lori(settings: CancerSettings, given: Seen, seed: int, *, capped: int) -> LORI:
    """Two levels, of which the first `capped` may have a cap. The paper's printed model has two; one knows more than
    that learner does, as do the authors' scripts: that only the first objective has an end."""
    rewards = [Capped(**SIGNS)] * capped + [Linear(**SIGNS)] * (2 - capped)
    return LORI(levels=2, reward=rewards, lapse=0, **_options(settings, seed)).fit(given.train)


def descents(settings: CancerSettings, given: Seen, seed: int) -> list[tuple[OrderedModel, PaperRun]]:
    """The printed algorithm's answer and that of the authors' scripts."""
    return [method(given.train, SIGNS, seed, settings.passes) for method in (as_printed, as_scripted)]


def fit_birl(settings: CancerSettings, given: Seen, seed: int) -> BayesianIRL:
    """Bayesian IRL on the demonstrations."""
    birl = BayesianIRL(
        reward=Linear(**SIGNS),
        samples=settings.birl_samples,
        burn_in=settings.birl_samples // 11,
        thinning=settings.birl_thinning,
        flat_in=settings.birl_flat_in,
        seed=seed,
    )
    return birl.fit(given.demonstrations, _mdp(settings, settings.birl_cells))


def clone(settings: CancerSettings, given: Seen, seed: int) -> Policy:
    """Behavioural cloning by the paper's procedure."""
    cloning = BehaviouralCloning(actions=Cancer().actions, method="paper", apart=settings.bc_apart, seed=seed)
    return cloning.fit(given.demonstrations).policy_


def _options(settings: CancerSettings, seed: int) -> dict[str, Any]:
    prior = Prior(degrees=settings.prior_degrees)
    return {"prior": prior, "starts": settings.starts, "seed": seed, "standard_errors": "none"}  # tables tell none


def _mdp(settings: CancerSettings, cells: int) -> FactoredMDP:
    return world.mdp(cells, settings.planning_noise, settings.at_centres)


def error(model: OrderedModel, given: Seen) -> float:
    """RMSE of a model's probabilities on the test preferences."""
    left, right = given.test.left_features, given.test.right_features
    true = given.truth.predict_proba(left, right)[:, 0]
    return rmse(model.predict_proba(left, right)[:, 0], true)


def rewards_cell(settings: CancerSettings, seed: int) -> Cell:
    """Tables 2 and 4: how well are preferences predicted that were not learned from?"""
    given, found = seen(settings, seed), learned(settings, seed)
    cell: Cell = {
        method: {"RMSE": error(model, given), "accuracy %": 100 * accuracy(model, given.test)}
        for method, model in {**found.models, "the truth": given.truth}.items()
    }
    cell["BIRL"]["mixed"] = float(found.birl.mixed_)
    for method, converged in found.converged.items():
        cell[method]["converged"] = float(converged)
    cell["LORI"] |= {
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
    lori = next(row for row in rows if row["method"] == "LORI")
    lori["words"] = _which_models(rows, len(cells))
    return rows


def _which_models(rows: Sequence[Row], seeds: int) -> list[str]:
    ended = {row["method"]: round(seeds * row["converged"]) for row in rows if "converged" in row}
    return [
        f"{BOTH_CAPPED}: the paper's printed model (appendix C), found by our search. LORI: a cap on the first level "
        "alone, as in the authors' scripts; it knows more than the printed learner does, namely which objective has an "
        "end.",
        f"{PRINTED}: Algorithm 1, RMSprop from one start; it stopped by its own rule in {ended[PRINTED]} of {seeds} "
        f"seeds, the others were cut off. {SCRIPTED}: the authors' public scripts, likewise from one start; stopped in "
        f"{ended[SCRIPTED]} of {seeds}.",
    ]


def policies_cell(settings: CancerSettings, seed: int) -> Cell:
    """Tables 3 and 5: how often, in percent, are trajectories of one policy preferred to those of the ones before?"""
    given = seen(settings, seed)
    policies = _policies(settings, given, seed)
    rollouts = {
        name: roll_out(Cancer(), policy, count=settings.trajectories, seed=DISTINCT * seed + 100 + place).means
        for place, (name, policy) in enumerate(policies.items())
    }
    matrix = preference_matrix(given.truth, rollouts)
    return {
        name: {
            f"against {other}": 100 * float(matrix.probability[place, against])
            for against, other in enumerate(PAPER_ROWS[:place])
        }
        for place, name in enumerate(policies)
        if place > 0
    }


def _policies(settings: CancerSettings, given: Seen, seed: int) -> dict[str, Policy]:
    """The paper's policies, those that are planned for what is preferred (whole trajectories), and with a single true
    reward that of the one level which LORI's summary advises there."""
    found = learned(settings, seed)
    mdp, simulator = _mdp(settings, settings.cells), Cancer()
    models = {
        "BIRL": found.models["BIRL"],
        "T-REX": found.models["T-REX"],
        "Optimal": given.truth,
        **{name: found.models[name] for name in OURS},
        **({ADVISED: found.supported} if settings.single else {}),
    }
    search = {"rounds": settings.rounds, "branches": settings.branches, "seed": seed}
    with ThreadPoolExecutor(1) as beside:  # cloning takes long and hardly compiles; the others compile first
        cloned = beside.submit(clone, settings, given, seed)
        planned = {name: plan_for(model, mdp).policy for name, model in models.items()}
        preferred = {
            "LORI, preferred policy": prefer(found.models["LORI"], simulator, given.behaviour, **search).policy,
            "true rewards, preferred policy": prefer(given.truth, simulator, given.behaviour, **search).policy,
        }
    return {"Behaviour": given.behaviour, "BC": cloned.result(), **planned, **preferred}


def policies_rows(settings: CancerSettings, cells: Sequence[Cell]) -> list[Row]:
    """A row for each policy, and which model each is planned for."""
    rows = by_method(settings, cells)
    advised = f" {ADVISED}: the same planner for the model that LORI's summary advises here." if settings.single else ""
    for row in rows:
        if row["method"] == "LORI":
            row["words"] = [
                f"LORI, {BOTH_CAPPED.removeprefix('LORI, ')}, {PRINTED.removeprefix('LORI, ')} and "
                f"{SCRIPTED.removeprefix('LORI, ')}: two levels (the models of the table before), planned for with the "
                f"discounted planner of the paper.{advised} Preferred policies are planned for whole trajectories by "
                "lori.prefer, for the two levels of LORI and for the truth."
            ]
    return rows


def policies_paper(percent: Mapping[str, Mapping[str, tuple[float, float]]]) -> dict[str, Any]:
    """What the paper prints: mean and deviation of each row's policy against each column's."""
    printed = {
        name: {f"against {other}": {"mean": mean, "std": std} for other, (mean, std) in row.items()}
        for name, row in percent.items()
    }
    return {**printed, **dict.fromkeys(OURS, printed["LORI"])}


def rewards_paper(**methods: tuple[float, float, float, float]) -> dict[str, Any]:
    """RMSE ± and accuracy ± of each method."""
    printed = {
        name.replace("_", "-"): {
            "RMSE": {"mean": numbers[0], "std": numbers[1]},
            "accuracy %": {"mean": numbers[2], "std": numbers[3]},
        }
        for name, numbers in methods.items()
    }
    return {**printed, **dict.fromkeys(OURS, printed["LORI"])}
