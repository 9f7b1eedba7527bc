"""Policies do what their tables and layers say, mix and survive a file."""

import subprocess
import sys

import jax
import numpy as np
import pytest

from lori.errors import ModelFileError
from lori.model.precision import double_precision
from lori.policies.policy import NetworkPolicy, Softened, Tabular, load_policy, random_parameters
from lori.policies.simulator import View

ACTIONS = ("left", "stay", "right")


@pytest.fixture
def tabular() -> Tabular:
    table = np.random.default_rng(0).dirichlet(np.ones(3), size=(4, 6))
    return Tabular(table, np.array([0.0, -1.0]), np.array([3.0, 1.0]), ACTIONS)


def seen(*state: float) -> View:
    return View(np.array(state), np.zeros(2), np.float64(0.0))


@pytest.mark.parametrize("state", [(0.0, -1.0), (1.4, 0.37), (2.6, -0.61), (-50.0, 0.1), (1.0, 50.0), (3.0, 1.0)])
def test_the_nearest_cell_is_looked_up(tabular, state):
    row = np.argmin(np.abs(np.linspace(0, 3, 4) - state[0]))
    column = np.argmin(np.abs(np.linspace(-1, 1, 6) - state[1]))
    assert np.asarray(tabular.probabilities(seen(*state))) == pytest.approx(tabular.table[row, column], abs=1e-7)


def test_softening_mixes_with_the_uniform_policy(tabular):
    softened = Softened(tabular, 0.3, ACTIONS)
    plain = np.asarray(tabular.probabilities(seen(1.0, 0.2)))
    mixed = np.asarray(softened.probabilities(seen(1.0, 0.2)))
    assert mixed == pytest.approx(0.7 * plain + 0.1, abs=1e-6)


def test_numbers_of_a_policy_are_arguments_of_compiled_code(tabular):
    compiled = jax.jit(lambda policy, view: policy.probabilities(view))
    first = compiled(Softened(tabular, 0.3, ACTIONS), seen(1.0, 0.2))
    second = compiled(Softened(tabular, 0.9, ACTIONS), seen(1.0, 0.2))
    assert compiled._cache_size() == 1
    assert not np.allclose(first, second)


def test_a_saved_policy_is_the_same_policy(tabular, tmp_path):
    Softened(tabular, 0.25, ACTIONS).save(tmp_path / "policy.json")
    loaded = load_policy(tmp_path / "policy.json")
    assert isinstance(loaded, Softened)
    assert isinstance(loaded.base, Tabular)
    assert float(loaded.share) == 0.25
    assert loaded.actions == loaded.base.actions == ACTIONS
    np.testing.assert_array_equal(loaded.base.table, tabular.table)
    np.testing.assert_array_equal(loaded.base.upper, tabular.upper)


def test_a_file_that_holds_no_policy_is_refused(tmp_path):
    (tmp_path / "other.json").write_text('{"format": "lori-model", "version": 1, "kind": "model"}')
    with pytest.raises(ModelFileError, match="expected a policy, got a fitted model"):
        load_policy(tmp_path / "other.json")
    (tmp_path / "new.json").write_text(
        '{"format": "lori-model", "version": 1, "kind": "policy", "policy": {"kind": "unheard of"}}'
    )
    with pytest.raises(ModelFileError):
        load_policy(tmp_path / "new.json")


HIDDEN, TREATMENTS = (3, 4), ("wait", "treat")


@pytest.fixture
def policy():
    generator = np.random.default_rng(0)
    size = 2 * 3 + 3 + 3 * 4 + 4 + 4 * 2 + 2
    return NetworkPolicy(generator.normal(size=size), np.array([1.0, 2.0]), np.array([3.0, 0.5]), HIDDEN, TREATMENTS)


@double_precision
def chances(policy, state):
    return np.asarray(policy.probabilities(View(np.asarray(state), np.zeros(2), 0.0)))


def test_the_layers_restated(policy):
    p = policy.parameters
    inside = (np.array([2.5, 1.0]) - policy.location) / policy.scale
    first = np.tanh(inside @ p[:6].reshape(2, 3) + p[6:9])
    second = np.tanh(first @ p[9:21].reshape(3, 4) + p[21:25])
    scores = np.exp(second @ p[25:33].reshape(4, 2) + p[33:])
    assert chances(policy, [2.5, 1.0]) == pytest.approx(scores / scores.sum(), rel=1e-12)


def test_without_hidden_layers_it_is_logistic():
    policy = NetworkPolicy(np.array([0.0, 2.0, 0.5, -0.5]), np.zeros(1), np.ones(1), (), TREATMENTS)
    assert chances(policy, [0.3])[1] == pytest.approx(1 / (1 + np.exp(-(2 * 0.3 - 1.0))))


def test_random_parameters_fit_the_layers_and_have_the_promised_size():
    drawn = random_parameters(np.random.default_rng(0), 2, (400,), 5)
    assert drawn.shape == (2 * 400 + 400 + 400 * 5 + 5,)
    assert drawn[:800].std() == pytest.approx(1 / np.sqrt(2), rel=4 / np.sqrt(2 * 800))
    assert drawn[1200:3200].std() == pytest.approx(1 / np.sqrt(400), rel=4 / np.sqrt(2 * 2000))
    assert np.all(drawn[800:1200] == 0)


def test_a_saved_network_acts_the_same(policy, tmp_path):
    policy.save(tmp_path / "policy.json")
    again = load_policy(tmp_path / "policy.json")
    assert isinstance(again, NetworkPolicy)
    assert (again.hidden, again.actions) == (HIDDEN, TREATMENTS)
    assert np.array_equal(chances(again, [0.1, 0.2]), chances(policy, [0.1, 0.2]))


def test_a_fresh_program_can_load_it(policy, tmp_path):
    policy.save(tmp_path / "policy.json")
    code = "import sys; from lori.policies.policy import load_policy; print(load_policy(sys.argv[1]).kind)"
    run = subprocess.run([sys.executable, "-c", code, tmp_path / "policy.json"], capture_output=True, text=True)
    assert run.stdout.strip() == "network", run.stderr
