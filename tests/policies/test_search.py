"""Policy search: amounts that a model prefers are found in a world that can only be tried, against anything."""

import numpy as np
import pytest

import lori
from lori import InputError
from lori.model.ordered import OrderedModel
from lori.policies.environments import Anything, Episodes, Uniform, run_episodes

gymnasium = pytest.importorskip("gymnasium", reason="needs lori[rl]")


class Dosing(gymnasium.Env):
    """One dose from 0 to 2: the benefit grows up to a dose of one, the harm always does."""

    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), float)
    action_space = gymnasium.spaces.Box(0.0, 2.0, (1,), float)
    reward_space = gymnasium.spaces.Box(-4.0, 4.0, (2,), float)
    objectives = ("benefit", "comfort")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1), {}

    def step(self, action):
        dose = float(action[0])
        return np.zeros(1), np.array([min(dose, 1.0) + 0.01 * self.np_random.normal(), -dose]), True, False, {}


@pytest.fixture(scope="module")
def model():
    return OrderedModel.linear([[20.0, 0.0], [0.0, 5.0]], epsilon=[1.0, 0.0], features=["benefit", "comfort"])


OPTIONS = {"horizon": 1, "rounds": 12, "policies": 16, "episodes": 4, "trajectories": 40, "hidden": (), "seed": 0}


def test_the_preferred_amount_is_found_against_recorded_episodes_and_is_saved(model, tmp_path):
    recorded = run_episodes(Dosing(), Anything(Dosing.action_space), episodes=40, seed=1)
    found = lori.prefer(model, Dosing(), recorded, **OPTIONS)
    assert 0.8 < -found.values[1] < 1.2
    assert found.probability > 0.75
    assert found.returns.shape == (40, 2)
    assert found.candidates == 12 * 16
    again = lori.prefer([model, model], Dosing(), recorded.returns, **OPTIONS)
    assert again.draws == 2
    assert again.at_least == pytest.approx(found.at_least)
    found.policy.save(tmp_path / "policy.json")
    followed = run_episodes(Dosing(), lori.load_policy(tmp_path / "policy.json"), episodes=3)
    np.testing.assert_allclose(followed.means[1], found.values[1])
    assert isinstance(Uniform.of(Dosing()), Anything)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"horizon": None}, "horizon"),
        ({"rounds": 0}, "rounds"),
        ({"policies": 2}, "policies"),
        ({"episodes": 1}, "episodes"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(model, changes, said):
    recorded = Episodes(np.zeros((3, 2)), np.ones(3, int), ("benefit", "comfort"))
    with pytest.raises(InputError, match=said):
        lori.prefer(model, Dosing(), recorded, **{**OPTIONS, **changes})
    with pytest.raises(InputError, match="which it lacks"):
        lori.prefer(OrderedModel.linear([[1.0]], epsilon=[0.0], features=["age"]), Dosing(), recorded, **OPTIONS)
    with pytest.raises(InputError, match="vector reward"):
        lori.prefer(model, gymnasium.make("CartPole-v1"), recorded, **OPTIONS)
