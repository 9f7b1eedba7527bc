"""Preferred policies of finite worlds: against policies, episodes and under several models."""

import numpy as np
import pytest

import lori
from lori import InputError
from lori.model.ordered import OrderedModel
from lori.policies.environments import Episodes, Uniform
from lori.policies.finite.preferred import sampled


def model(tolerance, first=("treasure", "time")):
    return OrderedModel.linear(np.eye(2), epsilon=[tolerance, 0.0], features=list(first))


def test_the_best_answer_to_a_known_opponent_is_found(environments):
    """The opponent always gets 50 in 14 steps. Who tells treasures apart by 40 or more wants 124; others save time."""
    _, mdp = environments["concave"]
    theirs = np.tile([50.0, -14.0], (5, 1))
    sharp = lori.prefer(model(40.0), mdp, theirs, horizon=60, trajectories=2)
    assert sharp.values.tolist() == [124.0, -19.0]
    assert sharp.probability > 0.99
    calm = lori.prefer(model(100.0), mdp, theirs, horizon=60, trajectories=2)
    assert calm.values.tolist() == [1.0, -1.0]
    assert calm.verdict.startswith("A better policy was found: according to the model it is preferred")
    assert calm.candidates == 10


def test_a_posterior_makes_it_robust(environments):
    """Half of the draws think that a loss of 49 is nothing; the policy must please 95 % of them."""
    _, mdp = environments["concave"]
    drawn = [model(40.0)] * 10 + [model(100.0)] * 10
    found = lori.prefer(drawn, mdp, np.tile([50.0, -14.0], (5, 1)), horizon=60, trajectories=2)
    assert found.draws == 20
    assert found.at_least <= found.probability
    assert "under 95 % of the posterior it is at least" in found.verdict
    alone = lori.prefer(model(100.0), mdp, np.tile([50.0, -14.0], (5, 1)), horizon=60, trajectories=2)
    assert found.values.tolist() != alone.values.tolist()


def test_policies_are_opponents_too(environments, space_traders):
    _, mdp = environments["concave"]
    found = lori.prefer(model(0.5, ("time", "treasure")), mdp, Uniform(4), horizon=60, trajectories=50)
    assert found.values.tolist() == [1.0, -1.0]
    means = sampled(Uniform(3), space_traders, 1.0, 2, 4000, 0).mean(axis=0)
    chances = np.mean([1.0, 0.9, 0.85])
    np.testing.assert_allclose(means, [chances**2, -6 - 6 * chances], atol=0.2)


def test_what_is_wrong_is_said_in_one_sentence(environments, space_traders):
    _, mdp = environments["concave"]
    theirs = np.tile([50.0, -14.0], (5, 1))
    with pytest.raises(InputError, match="got gold, which it lacks"):
        lori.prefer(model(1.0, ("gold", "time")), mdp, theirs, horizon=60)
    with pytest.raises(InputError, match="what at least two episodes brought"):
        lori.prefer(model(1.0), mdp, theirs[:1], horizon=60)
    with pytest.raises(InputError, match="episodes with the objectives treasure, time"):
        lori.prefer(model(1.0), mdp, Episodes(theirs, np.ones(5, int), ("a", "b")), horizon=60)
    with pytest.raises(InputError, match="the environment has no limit"):
        lori.prefer(model(1.0, ("success", "time")), space_traders, theirs)
