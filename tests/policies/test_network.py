"""Does a network policy compute what its layers say, and survive a file?"""

import subprocess
import sys

import numpy as np
import pytest

from lori.model.precision import double_precision
from lori.policies.network import NetworkPolicy, random_parameters
from lori.policies.policy import load_policy
from lori.policies.simulator import View

HIDDEN, ACTIONS = (3, 4), ("wait", "treat")


@pytest.fixture
def policy():
    generator = np.random.default_rng(0)
    size = 2 * 3 + 3 + 3 * 4 + 4 + 4 * 2 + 2
    return NetworkPolicy(generator.normal(size=size), np.array([1.0, 2.0]), np.array([3.0, 0.5]), HIDDEN, ACTIONS)


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
    policy = NetworkPolicy(np.array([0.0, 2.0, 0.5, -0.5]), np.zeros(1), np.ones(1), (), ACTIONS)
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
    assert (again.hidden, again.actions) == (HIDDEN, ACTIONS)
    assert np.array_equal(chances(again, [0.1, 0.2]), chances(policy, [0.1, 0.2]))


def test_a_fresh_program_can_load_it(policy, tmp_path):
    policy.save(tmp_path / "policy.json")
    code = "import sys; from lori.policies.policy import load_policy; print(load_policy(sys.argv[1]).kind)"
    run = subprocess.run([sys.executable, "-c", code, tmp_path / "policy.json"], capture_output=True, text=True)
    assert run.stdout.strip() == "network", run.stderr
