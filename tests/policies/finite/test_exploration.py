"""Environments are listed as they are: states, exact probabilities, rewards as they were meant."""

import numpy as np
import pytest

from lori import FiniteMDP, InputError
from lori.policies.finite.exploration import steps_of

gymnasium = pytest.importorskip("gymnasium", reason="needs lori[rl]")


class Corridor(gymnasium.Env):
    """Three places in a row; the last ends it. What it hides and how it draws can be chosen."""

    def __init__(self, secret=False, draw=None, vector=True):
        self.observation_space = gymnasium.spaces.Discrete(3)
        self.action_space = gymnasium.spaces.Discrete(2)
        if vector:
            self.reward_space = gymnasium.spaces.Box(-1, 1, (2,))
        self.secret, self.draw = secret, draw

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.steps = 0, 0
        return self.at, {}

    def step(self, action):
        self.steps += 1
        slips = self.draw is not None and self.draw(self.np_random)
        if action and not slips:
            self.at += 1
        gained = -float(self.steps) if self.secret else -1.0
        return self.at, np.array([gained, float(action)], np.float32), self.at == 2, False, {}


def test_deep_sea_treasure_has_its_cells_and_its_decimals(environments):
    _, mdp = environments["convex"]
    assert mdp.states == 62  # 11 × 11 less rocks and treasures
    assert mdp.objectives == ("treasure", "time")
    assert mdp.limit == 100
    assert 8.2 in mdp.rewards  # not 8.199999809, as in single precision
    assert mdp.successors is not None


def test_enemies_have_their_exact_probability(environments):
    _, mdp = environments["gathering"]
    assert set(mdp.transitions.data) == {0.9, 1.0}
    assert mdp.rewards[..., 0].min() == pytest.approx(-0.1, abs=1e-15)


def test_chance_is_enumerated_or_sampled():
    exact = FiniteMDP.explore(Corridor(draw=lambda generator: generator.random() < 0.2))
    np.testing.assert_allclose(exact.transitions.toarray()[1], [0.2, 0.8])
    drawn = FiniteMDP.explore(Corridor(draw=lambda generator: generator.normal() < 0), samples=400)
    np.testing.assert_allclose(drawn.transitions.toarray()[1], 0.5, atol=0.1)
    with pytest.raises(InputError, match="pass samples=1000"):
        FiniteMDP.explore(Corridor(draw=lambda generator: generator.normal() < 0))


def test_a_horizon_leaves_out_what_is_farther():
    mdp = FiniteMDP.explore(Corridor(), horizon=1)
    assert mdp.states == 2
    assert mdp.rewards[1].tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("env", "changes", "words"),
    [
        (
            lambda: Corridor(vector=False),
            {},
            "expected an environment with a vector reward, got one with a single number",
        ),
        (lambda: Corridor(secret=True), {}, "observations that tell the state"),
        (lambda: Corridor(), {"most_states": 1}, "at most 1 states"),
        (lambda: Corridor(), {"horizon": 0}, "horizon: expected a whole number"),
        (lambda: "corridor", {}, "expected a Gymnasium environment, got str"),
        (lambda: gymnasium.make("Pendulum-v1"), {}, "an environment with a list of actions, got Box"),
    ],
)
def test_what_cannot_be_listed_is_said_in_one_sentence(env, changes, words):
    with pytest.raises(InputError, match=words):
        FiniteMDP.explore(env(), **changes)


def test_an_episode_has_as_many_steps_as_asked_for_or_the_worlds_own():
    assert (steps_of(7, 3), steps_of(None, 3)) == (7, 3)
    with pytest.raises(InputError, match="none, and the environment has no limit; pass horizon=100"):
        steps_of(None, None)
    with pytest.raises(InputError, match="horizon: expected a whole number"):
        steps_of(0, 3)
