"""Do intervals come from where they are said to?"""

import lori
from lori.evaluation.intervals import known

MODEL = lori.OrderedModel.linear([[0.0, 2.0], [1.0, 0.0]], epsilon=[1.0, 0.0], features=["benefit", "need"])


def summary():
    def number(value, interval=None):
        return {"value": value, "standard_error": None, "interval": interval}

    return {
        "features": ["benefit", "need"],
        "levels": [
            {"level": 1, "leading": ["need"], "epsilon": number(1.0), "alpha": number(1.0),
             "importance": {"benefit": 0.0, "need": 1.0},
             "weights": {"benefit": number(0.0), "need": number(2.0, [1.0, 3.0])},
             "thresholds": {"benefit": number(None), "need": number(0.5, [0.4, 0.6])}},
            {"level": 2, "leading": ["benefit"], "epsilon": number(0.0), "alpha": number(1.0),
             "importance": {"benefit": 0.9, "need": 0.1},
             "weights": {"benefit": number(1.0), "need": number(0.0)},
             "thresholds": {"benefit": number(0.0), "need": number(None)}},
        ],
    }  # fmt: skip


def test_reported_intervals_and_no_threshold_of_zero():
    rows = known(summary())
    assert [(row.level, row.kind, row.feature) for row in rows] == [
        (1, "weight", "need"), (1, "threshold", "need"),
        (2, "weight", "benefit"), (2, "weight", "need"),
    ]  # fmt: skip
    assert rows[0].interval == (1.0, 3.0)
    assert rows[2].interval is None


def test_intervals_of_draws():
    draws = [
        lori.OrderedModel.linear([[0.0, w], [1.0, 0.0]], epsilon=[1.0, 0.0], features=MODEL.features)
        for w in (1.0, 2.0, 4.0)
    ]
    rows = known(summary(), draws)
    assert rows[0].interval == (1.0, 4.0)
    assert rows[1].interval == (0.25, 1.0)
    assert rows[2].interval is None  # the same in every draw
