"""Do three sentences say what the numbers say?"""

import copy

import pytest

from lori.language.answer import answer, leaders, threshold, unsure, with_interval


def number(value, interval=None):
    return {"value": value, "standard_error": None, "interval": interval}


def level(place, name, weight, least, decides):
    other = {"need": "benefit", "benefit": "need"}[name]
    return {
        "level": place, "leading": [name], "decides": decides, "reward": "linear", "alpha": number(1.0),
        "epsilon": number((least["value"] or 0.0) * abs(weight)),
        "importance": {name: 0.95, other: 0.05},
        "weights": {name: number(weight, [weight / 2, weight * 2]), other: number(0.0)},
        "thresholds": {name: least, other: number(None)},
    }  # fmt: skip


@pytest.fixture
def summary():
    return {
        "features": ["benefit", "need"],
        "levels": [
            level(1, "need", 0.05, number(59.6, [45.5, 73.6]), 0.61),
            level(2, "benefit", -0.02, number(0.0), 0.39),
        ],
        "ties": "split",
        "undecided_share": 0.0,
        "support": {"level": 2, "gain": 30.0, "extra_parameters": 3, "verdict": "supported", "recommended": 2},
        "status": {"converged": True, "share_at_best": 0.5, "starts": 8, "notes": []},
    }


def test_two_levels(summary):
    first, then, support = answer(summary)
    assert first == (
        "Need (more is better) comes first: a difference counts from 59.6 (95% interval 45.5 to 73.6) on, and decides "
        "61% of the comparisons."
    )
    assert then == "Where that does not differ enough, benefit (less is better) decides (39% of the comparisons)."
    assert support == (
        "That there are two levels is supported: the second level explains them better by 30.0 units of "
        "log-likelihood, with 3 more parameters."
    )


def test_what_is_not_supported_is_said_first(summary):
    summary["support"] |= {"verdict": "not supported", "recommended": 1}
    said = answer(summary)
    assert said[0].startswith("These choices do not support two levels")
    assert said[0].endswith("hardly better than 3 more parameters would by chance; fit one level instead.")
    assert said[1].startswith("The best such order would be: need")
    assert len(said) == 3


def test_weak_support_caps_ties_and_three_levels(summary):
    summary["support"] |= {"verdict": "weakly supported", "extra_parameters": 1}
    summary["levels"][0]["cap_in_feature"] = {"feature": "need", "value": 5.0}
    summary["undecided_share"] = 0.1
    summary["levels"].append({**copy.deepcopy(summary["levels"][0]), "level": 3, "decides": 0.02})
    first, then, support = answer(summary)
    assert "beyond 5 of need a change does not count" in first
    assert ", and then need (more is better) decides from a difference of 59.6" in then
    assert then.endswith("in 10% no difference counts and a coin decides.")
    assert "only weakly supported" in support
    assert support.endswith("1 more parameter.")


def test_one_level(summary):
    summary |= {"levels": summary["levels"][1:], "support": None}
    first, rest, search = answer(summary)
    assert first == "Benefit (less is better) matters most."
    assert rest.startswith("Every difference counts")
    assert search == "The search converged, and 50% of its starts reached the best optimum."
    summary["levels"] = [level(1, "need", 0.05, number(2.0), 0.9)]
    summary |= {"ties": "observed", "undecided_share": 0.1}
    assert answer(summary)[1] == (
        "A difference in need alone counts from 2 on; in 10% no difference counts and there is no preference."
    )


def test_two_leaders_and_none(summary):
    both = summary["levels"][0]
    both["leading"] = ["need", "benefit"]
    assert leaders(both) == "need (more is better) and benefit (more is better)"
    assert "come first: a difference in need alone counts" in answer(summary)[0]
    both["leading"] = []
    assert answer(summary)[0] == "Nothing comes first and decides 61% of the comparisons."


def test_unsure_tells_notes_and_wide_intervals(summary):
    assert unsure(summary) == []
    summary["status"]["notes"] = [{"code": "x", "text": "A note.", "remedy": "Do this."}]
    summary["levels"][0]["weights"]["need"]["interval"] = [-1.0, 2.0]
    summary["levels"][0]["thresholds"]["need"]["interval"] = None
    note, weight, threshold = unsure(summary)
    assert note == "A note. Do this."
    assert "-1 to 2, holds zero" in weight
    assert threshold == "For the threshold of need on level 1 there is no interval."
    assert with_interval(number(1.5)) == "1.5"
    assert with_interval(number(15823.4, [0.00012, 1e12])) == "15,823 (95% interval 0.00012 to 1e+12)"


def test_a_threshold_next_to_nothing_is_none(summary):
    first = summary["levels"][0]
    assert threshold(first)["value"] == 59.6
    first["epsilon"] = number(7e-16)
    assert threshold(first) is None
    assert answer(summary)[0] == "Need (more is better) comes first and decides 61% of the comparisons."


def test_a_threshold_that_may_be_zero_and_a_level_without_support_are_not_hidden(summary):
    assert unsure(summary) == []
    summary["levels"][0]["thresholds"]["need"] = number(19.2, [0.0, 43.1])
    summary["support"]["verdict"] = "not supported"
    threshold, level = unsure(summary)
    assert "the interval of the threshold reaches from zero to 43.1" in threshold
    assert level.startswith("Whether there is a second level at all")


def test_priorities_that_depend_on_a_context(summary):
    number = {"value": 0.9, "interval": None}
    gate = {"slopes": {"age": number}, "threshold": 40.96, "leading": {"closed": "need", "opened": "benefit"}}
    summary["levels"][0]["gate"] = gate
    assert answer(summary)[3] == (
        "On level 1 priorities change around age 40.96: below it need weighs most, above it benefit."
    )
    gate["leading"]["opened"] = "need"
    assert answer(summary)[3].endswith("need weighs most on both sides.")
    alone = {**summary, "levels": summary["levels"][:1], "support": None}
    assert answer(alone)[0].startswith("On level 1 priorities change around age 40.96")
    assert not any("most." in sentence and "sides" not in sentence for sentence in answer(alone))
    del gate["threshold"]  # several context features have no single one
    assert len(answer(summary)) == 3
