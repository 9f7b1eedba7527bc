"""Is a further level judged against one level less, against people who differ, and by people rather than choices?"""

from dataclasses import replace

import numpy as np
import pytest

import lori
from lori.experiments.bench.populations import Design, one_level, two_levels
from lori.inference.problem import Problem
from lori.inference.support import People, Step, Trial, judged, many_people
from lori.language.results import Support

DESIGN = Design(60, 25, 2)


class Known:
    """People whose trials are known by number of levels."""

    def __init__(self, **trials: Trial) -> None:
        self.trials, self.asked = trials, []

    def against(self, levels: int) -> Trial:
        self.asked.append(levels)
        return self.trials[f"level{levels}"]


STANDS, DIFFER, FEW = Trial(5.0, 2, 40.0, 4.0), Trial(90.0, 2, -120.0, 4.0), Trial(5.0, 2, 40.0, 1.2)
STEPS = (Step(1, -500.0, 3), Step(2, -450.0, 6), Step(3, -449.0, 9))


@pytest.mark.parametrize(
    ("trial", "verdict", "recommended"),
    [
        (STANDS, "supported", 2),
        (DIFFER, "differences between people", 1),
        (FEW, "not supported", 1),
        (replace(STANDS, bic_difference=2.0), "supported", 2),
    ],
)
def test_a_level_must_stand_against_people_who_differ(trial, verdict, recommended):
    people = Known(level2=trial)
    found = judged(STEPS[:2], 600, people)
    assert (found.verdict, found.recommended) == (verdict, recommended)
    assert (found.rival_gain, found.rival_parameters) == (trial.gain, 2)
    assert found.rival_bic_difference == trial.bic_difference
    assert people.asked == [2]  # once: it takes a while
    assert found.holds is (recommended == 2)


def test_without_people_the_bic_decides():
    found = judged(STEPS[:2], 600, None)
    assert (found.verdict, found.recommended, found.rival_gain) == ("supported", 2, None)


def test_what_is_recommended_stands_too():
    """The third level is not supported by the criterion alone, and of the second one people are the better answer."""
    people = Known(level2=DIFFER)
    found = judged(STEPS, 600, people)
    assert (found.verdict, found.recommended, found.rival_gain) == ("not supported", 1, None)
    assert people.asked == [2]


def test_files_of_earlier_versions_know_no_people():
    fields = {"level": 2, "gain": 4.0, "extra_parameters": 3, "bic_difference": 1.0, "verdict": "not supported"}
    assert Support.from_dict(fields).recommended == 1
    assert Support.from_dict(fields).rival_gain is None


def test_people_who_differ_are_not_a_level():
    """Everyone has one level; its weights have a deviation as large as their mean."""
    summary = lori.LORI(levels=2, starts=8).fit(one_level(DESIGN, 1000, weight=3.0)).summary()
    support = summary.support
    assert support.bic_difference > 0  # which would be a false alarm
    assert support.verdict == "differences between people"
    assert support.recommended == 1
    assert support.rival_gain > 10 * support.gain
    assert str(summary.sentences[0]).startswith("Agents who differ explain the pooled choices better (log-likelihood +")
    assert type(summary).from_dict(summary.to_dict()) == summary


def test_levels_that_people_share_are_supported():
    data = two_levels(DESIGN, 1000)
    model = lori.LORI(levels=2, starts=8).fit(data)
    support = model.summary().support
    assert support.verdict == "supported"
    assert support.rival_bic_difference > 6
    assert not model.status_.has("people")


def test_many_pairs_are_judged_by_some_of_the_people(monkeypatch):
    monkeypatch.setattr("lori.inference.support.MANY", 500)
    data = two_levels(DESIGN, 1001)
    model = lori.LORI(levels=2, starts=8).fit(data)
    assert model.summary().support.verdict == "supported"


def test_a_few_people_are_told_that_they_may_differ():
    few = two_levels(Design(6, 250, 2), 1000)
    model = lori.LORI(levels=2, starts=8).fit(few)
    assert model.summary().support.holds
    assert model.status_.has("people")
    alone = lori.LORI(levels=2, starts=8).fit(replace(few, agent=None))
    assert not alone.status_.has("people")
    assert not any(own.status_.has("people") for own in lori.LORI(levels=2, starts=4).fit_by_agent(few).values())


def test_many_people_chose_more_than_once():
    once = Design(30, 1, 2)
    assert not many_people(one_level(once, 1000))
    assert many_people(one_level(replace(once, choices=2), 1000))
    assert People.of([], one_level(once, 1000)) is None


def test_one_person_alone_makes_no_level():
    """A gain that comes from one of many people is not there when people are drawn anew."""
    gains = np.zeros(DESIGN.agents)
    gains[0] = 20.0

    class One(People):
        def _by_agent(self, problem, vector):
            return gains if problem.specification.levels == 2 else 0 * gains

    data = one_level(DESIGN, 1000)
    model = lori.LORI(levels=2, starts=4).fit(replace(data, agent=None))
    problems = [
        (Problem.of(units.specification, [data], None, units.scaling), vector) for units, vector in model.chain_
    ]
    trial = One.of(problems, data).against(2)
    assert trial.standardised == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(
    ("gain", "verdict", "recommended"),
    [(9.7, "supported", 2), (9.5, "weakly supported", 2), (6.8, "weakly supported", 2), (6.6, "not supported", 1)],
)
def test_the_price_of_a_level_is_that_of_its_parameters(gain, verdict, recommended):
    """Three parameters at 600 comparisons: ½ · 3 · log 600 = 9.60 by the BIC, and seven tenths of it, 6.72."""
    found = judged((Step(1, -500.0, 3), Step(2, -500.0 + gain, 6)), 600, None)
    assert (found.verdict, found.recommended) == (verdict, recommended)
