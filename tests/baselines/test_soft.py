"""Are soft policies those of all histories, listed one by one?"""

import numpy as np
import pytest

from lori.baselines.soft import Demonstrations, expected, moved, soft_policy, visits
from lori.errors import DataError, InputError
from lori.policies.mdp import FactoredMDP


def test_histories_have_probabilities_in_proportion_to_exp_reward(grid_world, histories):
    reward = np.random.default_rng(0).normal(size=(5, 5))
    reward[2, 2] = -np.inf  # must not be entered
    forbidden = np.zeros((4, 5, 5), bool)
    forbidden[1, 1] = True
    cells = histories.states.astype(int)
    total = reward[tuple(np.moveaxis(cells, -1, 0))].sum(axis=1)
    total[forbidden[(histories.actions, *np.moveaxis(cells[:, :-1], -1, 0))].any(axis=1)] = -np.inf
    policy, values = soft_policy(grid_world, reward, histories.actions.shape[1], forbidden)
    log_z = np.log(np.exp(total).sum())
    assert values[0, 2] == pytest.approx(log_z)
    steps = [
        policy[(step, histories.actions[:, step], *cells[:, step].T)] for step in range(histories.actions.shape[1])
    ]
    assert np.sum(steps, axis=0) == pytest.approx(total - log_z)
    start = Demonstrations.of(histories, grid_world).start(grid_world)
    weight = np.exp(total - log_z)
    for step, mass in enumerate(visits(grid_world, policy, start)):
        by_hand = np.zeros((5, 5))
        np.add.at(by_hand, tuple(cells[:, step].T), weight)
        assert mass == pytest.approx(by_hand, abs=1e-12)


def test_factors_move_mass_and_values_as_dense_tables_do():
    generator = np.random.default_rng(0)
    factors = [generator.dirichlet(np.ones(size), size=(2, size)) for size in (3, 4)]
    mdp = FactoredMDP.from_factors(factors, actions=("a", "b"))
    values, mass = generator.normal(size=(3, 4)), generator.random(size=(2, 3, 4))
    dense = [np.kron(factors[0][action], factors[1][action]) for action in range(2)]
    for action in range(2):
        assert expected(mdp, values)[action].ravel() == pytest.approx(dense[action] @ values.ravel())
    by_hand = sum(mass[action].ravel() @ dense[action] for action in range(2))
    assert moved(mdp, mass).ravel() == pytest.approx(by_hand)


def test_what_is_no_demonstration_is_refused(grid_world, histories):
    with pytest.raises(DataError, match=r"call fit\(rollouts, mdp\)"):
        Demonstrations.of(histories.states, grid_world)
    other = FactoredMDP.from_factors([np.tile(np.eye(3), (4, 1, 1))], actions=grid_world.actions)
    with pytest.raises(InputError, match="column, row"):
        Demonstrations.of(histories, other)
