"""How many kinds of people are there?"""

import numpy as np

import lori
from lori.evaluation.classes import left_out


def test_two_kinds_are_told_from_one(two_kinds):
    data, _ = two_kinds
    chosen = lori.select_classes(data, 2, estimator=lori.Population(levels=1, lapse=0, starts=6))
    assert [own.name for own in chosen.candidates] == [
        "people who differ, one level", "one model for all, one level", "two classes, one level",
    ]  # fmt: skip
    differ, one, two = chosen.candidates
    assert two.bic < one.bic
    assert two.within.mean() > one.within.mean()
    assert chosen.recommended in (differ, two)
    assert chosen.to_dict()["recommended"] == chosen.recommended.name
    assert str(chosen).endswith(chosen.reason)


def test_a_quarter_is_left_out_of_every_agent_or_of_the_agents(two_kinds):
    data, _ = two_kinds
    within, agents = left_out(data, by_agent=False), left_out(data, by_agent=True)
    counts = [within[data.agent == own].sum() for own in np.unique(data.agent)]
    assert counts == [5] * 60
    by_agent = {own: agents[data.agent == own] for own in np.unique(data.agent)}
    assert all(own.all() or not own.any() for own in by_agent.values())
    assert sum(own.all() for own in by_agent.values()) == 15
