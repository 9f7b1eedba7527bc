"""Do the sentences say what the numbers say?"""

from dataclasses import replace

import pytest

from lori.language.answer import answer, leaders, open_questions, threshold_interval, threshold_text
from lori.language.notes import Note
from lori.language.results import CapInFeature, Status
from lori.model.quantity import Quantity


def test_two_levels(made):
    first, then, support = answer(made.summary())
    assert first == (
        "Need (more is better) comes first: differences of 62.6 or more (95 % interval 48.9 to 76.3) count, and it "
        "decides 59 % of the comparisons; smaller differences go to the next level."
    )
    assert then == "Benefit (less is better) comes second and decides 41 % of the comparisons."
    assert support == "The choices support a second level: log-likelihood +21.4 for 3 more parameters."


def test_what_is_not_supported_tells_no_story(made):
    support, order = answer(made.summary(support=made.supported(2, "not supported", recommended=1)))
    assert support.endswith("(log-likelihood +1.2 for 3 more parameters): fit one level instead.")
    assert order == "The best order of two levels would be need (more is better), then benefit (less is better)."


def test_two_leaders_agree_with_their_verbs(made):
    both = made.level(leading=("need", "benefit"))
    assert leaders(both) == "need (more is better) and benefit (more is better)"
    first, *_ = answer(made.summary(both, made.level(2)))
    assert "come first: differences of 62.6 or more in need alone" in first
    assert "they decide 59 %" in first


@pytest.mark.parametrize("count", [3, 12])
def test_any_number_of_levels(made, count):
    told = answer(made.several(count))
    assert len(told) == count + 1
    assert str(made.several(count))


def test_caps_that_nobody_reaches_are_not_told(made):
    capped = replace(made.level(), cap=Quantity(1.0), cap_in_feature=CapInFeature("need", 250.0), cap_reached=0.2)
    assert "On level 1, more need no longer counts above 250." in answer(made.summary(capped, made.level(2)))
    seldom = replace(capped, cap_reached=0.001)
    assert not any("no longer" in sentence for sentence in answer(made.summary(seldom, made.level(2))))


def test_a_threshold_next_to_nothing_is_none(made):
    level = replace(made.level(), epsilon=Quantity(7e-16))
    assert level.threshold is None
    assert threshold_text(level, "need") == "0"
    assert answer(made.summary(level, made.level(2)))[0].endswith("every difference counts.")


def test_what_is_not_told_apart_from_zero_is_said_in_words(made):
    vague = made.level(weight=Quantity.of(0.0007, 0.0014), least=Quantity.of(4187.0, 9000.0, positive=True))
    assert threshold_text(vague, "need") == "not known"
    assert threshold_interval(vague, "need") == "the weight may be zero"
    text = str(made.summary(vague))
    assert "4187" not in text.replace(",", "")
    assert "not distinguishable from zero" in text
    near = made.level(least=Quantity.of(19.2, 12.2, positive=True))
    said = "the threshold, 19, is not distinguishable from zero (95 % interval 0 to 43)"
    assert said in answer(made.summary(near, near))[0]


def test_open_questions_tell_notes_and_wide_intervals(made):
    assert open_questions(made.summary()) == []
    noted = made.summary(status=Status(True, 8, 0.5, (Note("constant", {"feature": "need"}),)))
    assert open_questions(noted)[0].startswith("Need is the same on both sides of every pair")
    no_interval = made.summary(made.level(least=Quantity(62.5)))
    assert open_questions(no_interval) == ["The threshold of need on level 1 has no interval."]
    (open_level,) = open_questions(made.summary(support=made.supported(2, "not supported")))
    assert open_level.startswith("It is open whether there is a second level at all")
    (of_people,) = open_questions(made.summary(support=made.differing(2)))
    assert "may reflect differences between people" in of_people


def test_rewards_from_outside_the_package_speak_for_themselves(made):
    summary = made.summary(made.level(particulars=made.Temper()))
    assert answer(summary)[0] == "Heat counts double above 3."
    assert "  heat counts double above 3" in str(summary).splitlines()
    assert summary.to_dict()["levels"][0]["temper"] == {"heat": 3.0}
