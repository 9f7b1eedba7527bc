"""Thresholded Q-learning: it finds the plan in a small world, goes on where it stopped, and refuses nonsense."""

import numpy as np
import pytest

import lori
from lori import InputError
from lori.policies.environments import make_environment, run_episodes

pytest.importorskip("mo_gymnasium", reason="needs lori[rl]")
SEA = "deep-sea-treasure-concave-v0"


def test_it_finds_what_the_planner_finds():
    learned = lori.q_learning(
        make_environment(SEA), [8.0, None], episodes=600, horizon=40, learning_rate=1.0, seed=1
    )  # fmt: skip
    seen = run_episodes(make_environment(SEA), learned, episodes=1, horizon=60)
    assert seen.returns[0].tolist() == [8.0, -8.0]
    before = learned.episodes
    assert learned.learn(5, horizon=40).episodes == before + 5


def test_the_same_seed_learns_the_same():
    first, second = (
        lori.q_learning(make_environment("fruit-tree-v0"), episodes=30, seed=4, exploration=0.5) for _ in range(2)
    )
    assert first.values == second.values
    assert first.objectives[0] == "protein"
    told = []
    first.learn(3, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    "changes", [{"discount": 0.0}, {"exploration": 2.0}, {"order": [0, 0]}, {"thresholds": [1.0]}, {"episodes": 0}]
)
def test_what_is_wrong_is_said_in_one_sentence(changes):
    with pytest.raises(InputError):
        lori.q_learning(make_environment(SEA), **{"episodes": 1, **changes})


@pytest.mark.slow
def test_chance_is_averaged():
    env = make_environment("resource-gathering-v0")
    learned = lori.q_learning(env, order=[0, 2, 1], discount=0.9, episodes=4000, horizon=60, seed=1)
    seen = run_episodes(make_environment("resource-gathering-v0"), learned, episodes=1, discount=0.9)
    np.testing.assert_allclose(seen.returns[0], [0.0, 0.0, 0.9**9])


def test_a_stopped_run_goes_on_side_by_side_with_thresholds_on_whole_episodes(tmp_path):
    def learned(**options):
        return lori.q_learning(
            make_environment(SEA), [-5.0, None], order=[1, 0], whole_episodes=True, episodes=400, horizon=20,
            learning_rate=1.0, environments=4, seed=1, **options,
        )  # fmt: skip

    class Stopped(Exception):
        pass

    def stop(done, of):
        if done == 240:
            raise Stopped

    whole, path = learned(checkpoint=tmp_path / "whole.npz"), tmp_path / "state.npz"
    with pytest.raises(Stopped):
        learned(checkpoint=path, progress=stop)
    again = learned(checkpoint=path)
    assert again.values == whole.values
    assert again.counts == whole.counts
    seen = run_episodes(make_environment(SEA), again, episodes=1, horizon=20)
    assert seen.returns[0].tolist() == [3.0, -5.0]
