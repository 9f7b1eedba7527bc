"""Plans for a model: its thresholds are slack, its caps are thresholds, its features are objectives."""

import numpy as np
import pytest

import lori
from lori import InputError
from lori.model.ordered import OrderedModel
from lori.policies.finite.models import plan_for_model


def test_thresholds_of_a_model_are_slack(environments):
    _, mdp = environments["concave"]
    model = OrderedModel.linear([[0.0, 2.0], [0.5, 0.0]], epsilon=[60.0, 1.0], features=["time", "treasure"])
    plan = plan_for_model(model, mdp, horizon=60, reading="deterministic")
    assert plan.objective_values == {"treasure": 124.0, "time": -19.0}  # 30 of it
    swapped = OrderedModel.linear([[1.0, 0.0], [0.0, 1.0]], epsilon=[60.0, 0.0], features=["treasure", "time"])
    assert plan_for_model(swapped, mdp, horizon=60, reading="deterministic").values.tolist() == [74.0, -17.0]
    assert lori.plan_for(swapped, mdp, 1.0, horizon=60, reading="deterministic").values.tolist() == [74.0, -17.0]


def test_a_model_of_other_features_is_refused_in_one_sentence(environments):
    _, mdp = environments["concave"]
    model = OrderedModel.linear(np.eye(2), epsilon=[0.0, 0.0], features=["gold", "time"])
    with pytest.raises(InputError, match="objectives treasure, time, got gold, which it lacks"):
        plan_for_model(model, mdp, horizon=60)
