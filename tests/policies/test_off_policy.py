"""Off-policy evaluation: what another policy would bring, from records alone, with an interval that holds the truth."""

from dataclasses import replace

import numpy as np
import pytest

import lori
from lori import InputError
from lori.model.ordered import OrderedModel
from lori.policies.off_policy import evaluate_off_policy
from lori.policies.policy import Tabular
from lori.policies.rollouts import Rollouts


def always(action):
    return Tabular(np.tile(np.eye(2)[action], (2, 1)), np.array([0.0]), np.array([1.0]), ("wait", "push"))


def recorded(count=300, horizon=6, push=0.5, seed=0):
    """x' = 0.8 x + push + noise, pushed half of the time."""
    generator = np.random.default_rng(seed)
    states, actions = [np.ones(count)], []
    for _ in range(horizon):
        actions.append(generator.random(count) < push)
        x = states[-1]
        states.append(0.8 * x + actions[-1] + 0.1 * generator.normal(size=count))
    return Rollouts(np.stack(states, axis=1)[..., None], np.stack(actions, axis=1).astype(int), ("x",))


def test_the_interval_holds_what_the_world_does():
    truth = recorded(20_000, push=1.0, seed=9).means.mean()
    model = OrderedModel.linear([[5.0]], epsilon=[0.0], features=["x"])
    found = evaluate_off_policy(recorded(), always(1), model, samples=20)
    assert found.intervals[0, 0] < truth < found.intervals[0, 1]
    assert found.means[0] == pytest.approx(truth, abs=0.02)
    assert found.probability_interval[0] < found.probability < found.probability_interval[1]
    assert found.probability > 0.9
    assert found.trusted
    assert "preferred to the recorded ones with probability" in str(found)


def test_what_cannot_be_judged_is_said_in_one_sentence():
    with pytest.raises(InputError, match="without push"):
        evaluate_off_policy(recorded(push=0.0), always(1))
    with pytest.raises(InputError, match="samples"):
        evaluate_off_policy(recorded(), always(1), samples=1)
    with pytest.raises(InputError, match="9 trajectories"):
        evaluate_off_policy(recorded(9), always(1))


def test_a_world_that_does_not_fit_is_not_trusted():
    seen = recorded()
    drift = np.array([0.0, 0.0, 0.0, 5.0, 10.0, 20.0, 40.0])  # with time, which the state does not tell
    found = evaluate_off_policy(replace(seen, states=seen.states + drift[:, None]), always(1), samples=20)
    assert not found.trusted
    assert "NOT TRUSTED" in str(found)


@pytest.mark.slow
def test_treatments_are_judged_by_demonstrations_alone():
    """The paper's 1 000 demonstrations: the truth of the simulator lies in the intervals."""
    from lori.applications.cancer.dynamics import Cancer
    from lori.applications.cancer.world import behaviour_policy, optimal_policy, true_model

    best, truth = optimal_policy(), true_model()
    means = lori.roll_out(Cancer(), best, count=20_000, seed=7).means.mean(axis=0)
    inside = np.zeros(2, int)
    for seed in range(100, 110):
        demonstrations = lori.roll_out(Cancer(), behaviour_policy(), count=1000, seed=seed)
        found = evaluate_off_policy(demonstrations, best, truth, seed=seed)
        inside += (found.intervals[:, 0] <= means) & (means <= found.intervals[:, 1])
    assert (inside >= 9).all()
