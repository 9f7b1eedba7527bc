"""Does Bayesian IRL draw from the posterior that it promises?"""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from lori import Linear
from lori.baselines import birl
from lori.baselines.birl import BayesianIRL
from lori.errors import InputError
from lori.model.precision import double_precision
from lori.policies.mdp import FactoredMDP, Grid
from lori.policies.planning import plan
from lori.policies.rollouts import Rollouts

DISCOUNT = 0.8
REWARD = Linear(increasing=["health"], decreasing=["cost"])
THETA = np.array([2.0, 3.0])  # of cost and health
CHAIN = {"discount": DISCOUNT, "samples": 5000, "burn_in": 500, "step": 0.2}


@pytest.fixture(scope="module")
def mdp():
    """Action 1 raises health, and cost as well."""
    grid = Grid(("cost", "health"), (0.0, 0.0), (3.0, 4.0), (4, 5))

    def expected(state, action):
        return state + jnp.stack([1.2 * action - 0.6, 1.4 * action - 0.7])

    return FactoredMDP.gaussian(grid, expected, 0.6, ("rest", "work"))


def log_chances(mdp, theta):
    """log softmax of (1 − γ) Q over dense tables, (states, actions) or (points, states, actions) for many θ."""
    dense = np.stack([np.kron(mdp.factors[0][action], mdp.factors[1][action]) for action in range(2)])
    reward = (np.array([-1.0, 1.0]) * theta) @ mdp.grid.states.reshape(-1, 2).T
    values = np.zeros_like(reward)
    for _ in range(100):
        action_values = np.stack([reward + DISCOUNT * values @ moves.T for moves in dense], axis=-1)
        values = action_values.max(axis=-1)
    scaled = (1 - DISCOUNT) * action_values
    return scaled - np.logaddexp(scaled[..., :1], scaled[..., 1:])


@pytest.fixture(scope="module")
def demonstrations(mdp):
    """Actions drawn from the likelihood at THETA, in cells drawn at random."""
    generator = np.random.default_rng(0)
    cells = generator.integers(20, size=(60, 11))
    states = mdp.grid.states.reshape(-1, 2)[cells]
    treat = np.exp(log_chances(mdp, THETA))[cells[:, :-1], 1]
    return Rollouts(states, (generator.random(treat.shape) < treat).astype(int), ("cost", "health"))


@pytest.fixture(scope="module")
def fitted(mdp, demonstrations):
    return BayesianIRL(reward=REWARD, **CHAIN, seed=0).fit(demonstrations, mdp)


def test_the_mean_and_spread_are_those_of_the_posterior_on_a_grid(fitted, mdp, demonstrations):
    counts = birl.visits(demonstrations, mdp).reshape(2, -1).T
    axes = [np.linspace(0.02, 6, 60), np.linspace(0.5, 6, 60)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)  # even in θ: the prior is flat
    logs = np.sum(counts * log_chances(mdp, points), axis=(1, 2))
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    mean = weights @ points
    spread = np.sqrt(weights @ (points - mean) ** 2)
    error = spread / np.sqrt(fitted.mixing_.effective)
    assert np.all(np.abs(np.abs(fitted.weights_) - mean) < 4 * error + 0.01)
    assert np.std(fitted.draws_, axis=0) == pytest.approx(spread, rel=0.2)
    assert np.all(np.abs(mean - THETA) < 3 * spread)


def test_it_says_how_the_chain_went(fitted, mdp, demonstrations):
    assert fitted.mixed_
    assert 0.1 < fitted.acceptance_ < 0.9
    assert fitted.converged_ == 1.0
    timid = BayesianIRL(reward=REWARD, **{**CHAIN, "step": 0.001}).fit(demonstrations, mdp)
    assert not timid.mixed_
    assert "has not mixed" in str(timid.mixing_)


@double_precision
def test_warm_starts_end_where_cold_ones_do(mdp):
    """In differences between actions, which are all that a softmax sees."""
    solve = jax.jit(birl.best_action_values)
    generator = np.random.default_rng(1)
    for _ in range(5):
        reward = jnp.asarray(generator.normal(size=mdp.grid.cells))
        cold = plan(mdp, reward[None], discount=0.95, sweeps=1000).action_values[0]
        start = cold.max(axis=0) + generator.normal(size=mdp.grid.cells) + 100.0
        warm, converged = solve(mdp, reward, 0.95, start, 500)
        error = 0.05 * np.abs((warm[1] - warm[0]) - (cold[1] - cold[0]))
        assert converged
        assert error.max() < 1e-6 * np.ptp(reward)
        assert not solve(mdp, reward, 0.95, start, 3)[1]


def test_the_same_seed_and_no_recompilation(fitted, mdp, demonstrations):
    before = birl._walk._cache_size()
    again = BayesianIRL(reward=REWARD, **CHAIN, seed=0).fit(demonstrations, mdp)
    assert np.array_equal(again.draws_, fitted.draws_)
    other = BayesianIRL(reward=REWARD, **CHAIN, seed=1).fit(demonstrations, mdp)
    assert not np.array_equal(other.draws_, fitted.draws_)
    assert birl._walk._cache_size() == before
    assert jnp.zeros(1).dtype == jnp.float32  # the user's setting is left alone


def test_visits_are_counted_in_the_nearest_cell(mdp):
    states = np.array([[[0.4, 3.6], [0.6, 9.0], [0.0, 0.0]]])
    counts = birl.visits(Rollouts(states, np.array([[0, 1]]), ("cost", "health")), mdp)
    assert counts.shape == (2, 4, 5)
    assert counts[0, 0, 4] == counts[1, 1, 4] == 1
    assert counts.sum() == 2


def test_it_predicts_preferences_by_its_mean_reward(fitted):
    left, right = np.array([[1.0, 2.0]]), np.array([[0.5, 1.0]])
    gap = fitted.weights_ @ (left - right)[0]
    assert fitted.weights_[0] < 0 < fitted.weights_[1]
    assert fitted.predict_proba(left, right)[0] == pytest.approx([1 / (1 + np.exp(-gap)), 0, 1 / (1 + np.exp(gap))])


def test_it_keeps_the_contract(fitted):
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError, match="has not been fitted"):
        copy.predict_proba([[0.0, 0.0]], [[1.0, 1.0]])
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).draws_, fitted.draws_)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reward": Linear(increasing=["health"])}, "a direction for each feature"),
        ({"reward": None}, "a direction for each feature"),
        ({"reward": Linear(increasing=["wealth"])}, "names among the features"),
        ({"discount": 1.0}, "discount"),
        ({"step": 0.0}, "step"),
        ({"step": (0.1, 0.1, 0.1)}, "step"),
        ({"samples": 1000}, "samples"),
    ],
)
def test_what_is_refused(settings, message, mdp, demonstrations):
    with pytest.raises(InputError, match=message):
        BayesianIRL(**{"reward": REWARD, **settings}).fit(demonstrations, mdp)


def test_demonstrations_of_another_world_are_refused(mdp, demonstrations):
    other = Rollouts(demonstrations.states, demonstrations.actions, ("wbc", "tumour"))
    with pytest.raises(InputError, match="the features of the demonstrations"):
        BayesianIRL(reward=REWARD).fit(other, mdp)


def test_the_scripts_thin_the_chain_and_have_a_prior_that_is_flat_in_log_theta(fitted, mdp, demonstrations):
    thinned = BayesianIRL(reward=REWARD, **CHAIN, thinning=100, seed=0).fit(demonstrations, mdp)
    np.testing.assert_allclose(thinned.weights_, fitted.draws_[::100].mean(axis=0))
    flat = BayesianIRL(reward=REWARD, **CHAIN, flat_in="log", seed=0).fit(demonstrations, mdp)
    assert np.all(np.abs(flat.weights_) < np.abs(fitted.weights_))  # more belief near 0
    with pytest.raises(InputError, match="flat_in"):
        BayesianIRL(reward=REWARD, flat_in="cubic").fit(demonstrations, mdp)
