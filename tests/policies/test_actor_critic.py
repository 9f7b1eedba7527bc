"""The actor-critic: it finds the plan in a small world, goes on where it stopped, and refuses nonsense."""

import numpy as np
import pytest

import lori
from lori import InputError, ModelFileError
from lori.policies.environments import make_environment, run_episodes

pytest.importorskip("mo_gymnasium", reason="needs lori[rl]")
TREE = {"order": [0, 1], "horizon": 10, "environments": 16, "hidden": (16,), "tries": 2}


def test_a_stopped_run_goes_on_as_if_it_had_not_stopped(tmp_path):
    def learned(updates, **options):
        return lori.actor_critic(
            make_environment("fruit-tree-v0"), [7.0, None], updates=updates, seed=3, **TREE, **options
        )

    told = []
    whole = learned(20, progress=lambda done, of: told.append((done, of)), checkpoint=tmp_path / "whole.npz")
    assert told[-1] == (20, 20)
    path = tmp_path / "state.npz"

    class Stopped(Exception):
        pass

    def stop(done, of):
        if done == 10:
            raise Stopped

    with pytest.raises(Stopped):
        learned(20, checkpoint=path, progress=stop)
    again = learned(20, checkpoint=path)
    np.testing.assert_array_equal(again.policy.parameters, whole.policy.parameters)
    assert again.values.tolist() == whole.values.tolist()
    with pytest.raises(ModelFileError, match="another seed"):
        lori.actor_critic(make_environment("fruit-tree-v0"), [7.0, None], updates=20, seed=4, checkpoint=path, **TREE)
    followed = run_episodes(make_environment("fruit-tree-v0"), whole.policy, episodes=1)
    assert min(followed.returns[0, 0], 7.0) == pytest.approx(whole.values[0])


@pytest.mark.slow
def test_it_finds_what_the_planner_finds():
    learned = lori.actor_critic(
        make_environment("fruit-tree-v0"), [7.0, None], updates=150, seed=1001, order=[0, 1], horizon=10
    )
    mdp = lori.FiniteMDP.explore(make_environment("fruit-tree-v0"))
    plan = lori.plan_lexicographic(mdp, [7.0, None], order=[0, 1], horizon=10, reading="deterministic")
    assert learned.values == pytest.approx([7.0, plan.values[1]])


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"discount": 0.0}, "discount"), ({"order": [0, 0]}, "order"), ({"slack": [1.0]}, "slack"),
     ({"updates": 0}, "updates"), ({"tries": 2}, "updates"), ({"depth": 3}, "environments, hidden")],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_sentence(changes, said):
    with pytest.raises(InputError, match=said):
        lori.actor_critic(make_environment("deep-sea-treasure-v0"), **{"updates": 2, "horizon": 5, **changes})
    with pytest.raises(InputError, match="horizon"):
        lori.actor_critic(make_environment("fruit-tree-v0"), updates=2)
