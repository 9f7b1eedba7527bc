"""LORI learns what a decision-maker puts first: ordered rewards, with thresholds, from pairwise preferences.

Nothing heavy is imported until it is used: `import lori` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "lori.data.preferences": ("Preferences",),
    "lori.data.choices": ("Choices",),
    "lori.data.trajectories": ("Trajectories",),
    "lori.data.reading.readers": ("read", "read_pairs", "read_choices", "read_comparisons", "read_trajectories"),
    "lori.data.reading.stream": ("open_stream",),
    "lori.data.writing": ("write_choices", "write_pairs"),
    "lori.data.examples": ("tversky1969",),
    "lori.model.rewards": ("Linear", "Capped", "Network", "Function", "Gated", "Single", "Steps"),
    "lori.model.priors": ("Prior",),
    "lori.model.ordered": ("OrderedModel",),
    "lori.model.simulation": ("simulate",),
    "lori.inference.posterior.draws": ("Posterior",),
    "lori.inference.interview.questions": ("next_questions",),
    "lori.inference.interview.interview": ("Interview",),
    "lori.inference.interview.study": ("Attribute", "Study"),
    "lori.inference.interview.study_file": ("read_study",),
    "lori.estimators.lori": ("LORI",),
    "lori.estimators.contract": ("neg_log_loss",),
    "lori.estimators.loading": ("load",),
    "lori.estimators.agents": ("fit_by_agent", "load_agents", "save_agents"),
    "lori.estimators.population": ("Population",),
    "lori.estimators.storage": ("load_ordered_model", "save_ordered_model"),
    "lori.policies.rollouts": ("roll_out",),
    "lori.policies.policy": ("load_policy",),
    "lori.policies.planning": ("plan_for",),
    "lori.policies.preferred": ("prefer",),
    "lori.policies.winner": ("winner",),
    "lori.policies.q_learning": ("q_learning",),
    "lori.policies.actor_critic": ("actor_critic",),
    "lori.policies.off_policy": ("evaluate_off_policy",),
    "lori.policies.finite.mdp": ("FiniteMDP",),
    "lori.policies.finite.lexicographic": ("plan_lexicographic",),
    "lori.baselines.trex": ("NetworkTREX", "TREX"),
    "lori.baselines.constraints": ("ConstraintInference",),
    "lori.baselines.cpnet": (
        "CPNet",
        "CPNetLearner",
    ),
    "lori.baselines.drex": ("DREX",),
    "lori.baselines.ensembles": ("RewardEnsemble",),
    "lori.baselines.gaussian_process": ("GaussianProcess",),
    "lori.baselines.lexicographic": (
        "LexicographicOrder",
        "ModelVoting",
        "VariableVoting",
    ),
    "lori.baselines.lexicographic_tree": ("LexicographicTree",),
    "lori.baselines.maximum_entropy": ("MaximumEntropyIRL",),
    "lori.baselines.specifications": ("SpecificationInference",),
    "lori.baselines.birl": ("BayesianIRL",),
    "lori.baselines.cloning": ("BehaviouralCloning",),
    "lori.evaluation.selection": ("select_levels", "select_levels_by_agent"),
    "lori.evaluation.classes": ("select_classes",),
    "lori.evaluation.lexicographic": ("lexicographic_people",),
    "lori.evaluation.feature_order": ("select_order",),
    "lori.evaluation.methods": ("compare_methods",),
    "lori.evaluation.checks": ("predictive_check",),
    "lori.errors": ("LoriError", "InputError", "DataError", "ModelFileError", "MissingExtra", "FitError"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME_OF)]

if TYPE_CHECKING:
    from lori.baselines.birl import BayesianIRL as BayesianIRL
    from lori.baselines.cloning import BehaviouralCloning as BehaviouralCloning
    from lori.baselines.constraints import ConstraintInference as ConstraintInference
    from lori.baselines.cpnet import CPNet as CPNet
    from lori.baselines.cpnet import CPNetLearner as CPNetLearner
    from lori.baselines.drex import DREX as DREX
    from lori.baselines.ensembles import RewardEnsemble as RewardEnsemble
    from lori.baselines.gaussian_process import GaussianProcess as GaussianProcess
    from lori.baselines.lexicographic import LexicographicOrder as LexicographicOrder
    from lori.baselines.lexicographic import ModelVoting as ModelVoting
    from lori.baselines.lexicographic import VariableVoting as VariableVoting
    from lori.baselines.lexicographic_tree import LexicographicTree as LexicographicTree
    from lori.baselines.maximum_entropy import MaximumEntropyIRL as MaximumEntropyIRL
    from lori.baselines.specifications import SpecificationInference as SpecificationInference
    from lori.baselines.trex import TREX as TREX
    from lori.baselines.trex import NetworkTREX as NetworkTREX
    from lori.data.choices import Choices as Choices
    from lori.data.examples import tversky1969 as tversky1969
    from lori.data.preferences import Preferences as Preferences
    from lori.data.reading.readers import read as read
    from lori.data.reading.readers import read_choices as read_choices
    from lori.data.reading.readers import read_comparisons as read_comparisons
    from lori.data.reading.readers import read_pairs as read_pairs
    from lori.data.reading.readers import read_trajectories as read_trajectories
    from lori.data.reading.stream import open_stream as open_stream
    from lori.data.trajectories import Trajectories as Trajectories
    from lori.data.writing import write_choices as write_choices
    from lori.data.writing import write_pairs as write_pairs
    from lori.errors import DataError as DataError
    from lori.errors import FitError as FitError
    from lori.errors import InputError as InputError
    from lori.errors import LoriError as LoriError
    from lori.errors import MissingExtra as MissingExtra
    from lori.errors import ModelFileError as ModelFileError
    from lori.estimators.agents import fit_by_agent as fit_by_agent
    from lori.estimators.agents import load_agents as load_agents
    from lori.estimators.agents import save_agents as save_agents
    from lori.estimators.contract import neg_log_loss as neg_log_loss
    from lori.estimators.loading import load as load
    from lori.estimators.lori import LORI as LORI
    from lori.estimators.population import Population as Population
    from lori.estimators.storage import load_ordered_model as load_ordered_model
    from lori.estimators.storage import save_ordered_model as save_ordered_model
    from lori.evaluation.checks import predictive_check as predictive_check
    from lori.evaluation.classes import select_classes as select_classes
    from lori.evaluation.feature_order import select_order as select_order
    from lori.evaluation.lexicographic import lexicographic_people as lexicographic_people
    from lori.evaluation.methods import compare_methods as compare_methods
    from lori.evaluation.selection import select_levels as select_levels
    from lori.evaluation.selection import select_levels_by_agent as select_levels_by_agent
    from lori.inference.interview.interview import Interview as Interview
    from lori.inference.interview.questions import next_questions as next_questions
    from lori.inference.interview.study import Attribute as Attribute
    from lori.inference.interview.study import Study as Study
    from lori.inference.interview.study_file import read_study as read_study
    from lori.inference.posterior.draws import Posterior as Posterior
    from lori.model.ordered import OrderedModel as OrderedModel
    from lori.model.priors import Prior as Prior
    from lori.model.rewards import Capped as Capped
    from lori.model.rewards import Function as Function
    from lori.model.rewards import Gated as Gated
    from lori.model.rewards import Linear as Linear
    from lori.model.rewards import Network as Network
    from lori.model.rewards import Single as Single
    from lori.model.rewards import Steps as Steps
    from lori.model.simulation import simulate as simulate
    from lori.policies.actor_critic import actor_critic as actor_critic
    from lori.policies.finite.lexicographic import plan_lexicographic as plan_lexicographic
    from lori.policies.finite.mdp import FiniteMDP as FiniteMDP
    from lori.policies.off_policy import evaluate_off_policy as evaluate_off_policy
    from lori.policies.planning import plan_for as plan_for
    from lori.policies.policy import load_policy as load_policy
    from lori.policies.preferred import prefer as prefer
    from lori.policies.q_learning import q_learning as q_learning
    from lori.policies.rollouts import roll_out as roll_out
    from lori.policies.winner import winner as winner


def __getattr__(name: str):
    if name not in _HOME_OF:
        raise AttributeError(f"module 'lori' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
