"""Which names does the library promise, and what does importing it cost?"""

import subprocess
import sys

import pytest

import lori

NAMES = {
    "BayesianIRL", "BehaviouralCloning", "Capped", "DataError", "FitError", "Function", "Gated", "InputError", "LORI",
    "Linear", "LoriError", "ModelFileError", "Network", "OrderedModel", "Preferences", "Steps", "Prior", "TREX",
    "Trajectories", "__version__", "fit_by_agent", "load", "load_agents", "load_policy", "plan_for", "prefer", "read",
    "read_choices", "read_comparisons", "read_pairs", "read_trajectories", "roll_out", "simulate", "tversky1969",
    "next_questions", "predictive_check", "select_levels", "select_levels_by_agent", "select_order", "Single",
    "write_pairs", "open_stream", "Posterior", "MissingExtra", "save_agents", "save_ordered_model",
    "load_ordered_model", "neg_log_loss", "Choices", "write_choices", "Population", "select_classes",
    "FiniteMDP", "plan_lexicographic", "winner", "q_learning", "actor_critic", "evaluate_off_policy",
    "Interview", "Study", "Attribute", "read_study", "lexicographic_people",
    "CPNet", "CPNetLearner", "ConstraintInference", "DREX", "GaussianProcess", "LexicographicOrder",
    "LexicographicTree", "MaximumEntropyIRL", "ModelVoting", "NetworkTREX", "RewardEnsemble",
    "SpecificationInference", "VariableVoting", "compare_methods",
}  # fmt: skip
HEAVY = ("jax", "pandas", "sklearn", "scipy", "pyarrow", "matplotlib", "optax", "rich", "typer")


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_exactly_these_names_are_exported():
    assert set(lori.__all__) == NAMES
    assert len(lori.__all__) == len(NAMES)
    assert set(dir(lori)) == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_each_name_can_be_imported(name):
    value = getattr(lori, name)
    assert name == "__version__" or value.__name__ == name


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match="no_such_name"):
        lori.no_such_name  # noqa: B018


def test_a_star_import_gives_the_same_names():
    namespace: dict = {}
    exec("from lori import *", namespace)
    assert set(namespace) - {"__builtins__"} == NAMES


def test_importing_loads_nothing_heavy():
    loaded = run(f"import sys, lori; print([name for name in {HEAVY!r} if name in sys.modules])")
    assert loaded == "[]"


def test_data_can_be_made_without_jax_or_scikit_learn():
    loaded = run("import sys, lori; lori.tversky1969(); print([n for n in ('jax', 'sklearn') if n in sys.modules])")
    assert loaded == "[]"


def test_small_linear_models_are_fitted_saved_and_shown_without_jax(tmp_path):
    code = f"""
import sys, lori
from lori.data.writing import write_pairs
model = lori.LORI(levels=1, lapse=0, prior=None).fit(lori.tversky1969().by_agent()["1"])
model.save({str(tmp_path / "model.json")!r})
print(str(model.summary())[:4], [n for n in ('jax', 'sklearn', 'scipy.stats') if n in sys.modules])
"""
    assert run(code) == "LORI []"
    code = f"""
import sys, lori
model, pairs = lori.load({str(tmp_path / "model.json")!r}), lori.tversky1969()[:5]
model.predict_proba(pairs), model.explain(pairs).describe(0)
print([n for n in ('jax', 'sklearn', 'scipy', 'matplotlib') if n in sys.modules])
"""
    assert run(code) == "[]"
