"""What each mechanism of allocation puts first: reading fits, and counting registries."""

import pytest

from lori.applications.organ.allocation import BY_MODEL, POLICIES
from lori.experiments.mechanisms import ORDERS, STUDY, rows
from lori.experiments.organ_results import ranked


def level(decides, *leading):
    return {"decides": decides, "leading": list(leading)}


def found(levels, *, log_likelihood=-10.0):
    summary = {
        "levels": levels,
        "log_likelihood": log_likelihood,
        "comparisons": 100,
        "by_levels": [{"bic": 30.0}],
    }
    return {"fits": {"T-REX": {}, "LORI, 2 levels": {"summary": summary}}}


@pytest.mark.parametrize(
    ("cell", "order"),
    [
        (found([level(0.9, "need"), level(0.1, "benefit", "need")]), ["need", "benefit"]),
        (found([level(0.995, "need"), level(0.005, "benefit")]), ["need"]),  # a level that decides next to nothing
        (found([level(1.0)]), []),
        (found([level(1.0, "need")], log_likelihood=-69.0), []),  # no better than a coin
    ],
)
def test_the_order_is_what_weighs_most_in_each_level(cell, order):
    assert ranked(cell) == order


def test_every_mechanism_has_a_claim():
    assert set(ORDERS) == (set(POLICIES) | set(BY_MODEL)) - {"sets"}  # that one has a study of its own


def test_registries_as_claimed_are_counted():
    def cell(order, threshold):
        own = {"order": order, "alone": True, "explained %": 90.0, "correlation": 0.97}
        return {key: {**own, "threshold": threshold, "interval": [threshold - 3, threshold + 3]} for key in ORDERS}

    table = {row["method"]: row for row in rows(STUDY.settings, [cell(["need", "benefit"], t) for t in (60, 61, 70)])}
    assert table["meld: need, then benefit"]["as claimed %"]["mean"] == 100
    assert table["veto: benefit, then need"]["as claimed %"]["mean"] == 0
    assert table["waiting: neither"]["as claimed %"]["mean"] == 0
    assert table["meld: need, then benefit"]["interval holds the others' mean %"]["values"] == [0, 0, 0]
    near = rows(STUDY.settings, [cell(["need", "benefit"], t) for t in (60, 61, 62)])
    assert near[0]["interval holds the others' mean %"]["values"] == [100, 100, 100]
    assert "days of need" not in table["benefit: benefit"]
