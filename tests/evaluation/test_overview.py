"""Are data described by the right counts, with no agent named, and do intervals come from where they are said to?"""

from dataclasses import asdict, replace

import lori
from lori.evaluation.overview import describe, known
from lori.language.results import LevelSummary, Status, Summary
from lori.model.quantity import Quantity

MODEL = lori.OrderedModel.linear([[0.0, 2.0], [1.0, 0.0]], epsilon=[1.0, 0.0], features=["benefit", "need"])


def level(place, leading, weights, epsilon, thresholds):
    importance = {name: float(name in leading) for name in MODEL.features}
    one = Quantity(1.0)
    return LevelSummary(place, "linear", importance, leading, weights, Quantity(epsilon), thresholds, one, 0.5)


def summary():
    first = level(
        1, ("need",), {"benefit": Quantity(0.0), "need": Quantity(2.0, None, (1.0, 3.0))}, 1.0,
        {"benefit": Quantity(None), "need": Quantity(0.5, None, (0.4, 0.6))},
    )  # fmt: skip
    second = level(
        2, ("benefit",), {"benefit": Quantity(1.0), "need": Quantity(0.0)}, 0.0,
        {"benefit": Quantity(0.0), "need": Quantity(None)},
    )  # fmt: skip
    second = replace(second, importance={"benefit": 0.9, "need": 0.1})
    return Summary(MODEL.features, "split", (first, second), 0.0, -1.0, 10, 10, (), None, Status(True, 8, 0.5))


def test_counts_of_tversky():
    found = describe(lori.tversky1969())
    assert (found.pairs, found.comparisons, found.n_ties, found.agents) == (80, 1600, 0, 8)
    probability = found.features[0]
    assert (probability.smallest, probability.median, probability.largest) == (7 / 24, 9 / 24, 11 / 24)


def test_no_agent_is_named():
    prefs = lori.Preferences.from_arrays(
        [[1.0], [2.0]], [[0.0], [2.0]], ties=[0, 1], wins=[1, 0], agent=["Mrs Smith", "b"]
    )
    found = describe(prefs)
    assert (found.agents, found.n_ties, found.identical) == (2, 1, 1)
    assert "Smith" not in str(asdict(found))


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


def test_no_threshold_of_a_weight_that_may_be_zero():
    """Tables say that it is not known; so must a figure."""
    first, second = summary().levels
    unsure = replace(first, weights=first.weights | {"need": Quantity(2.0, None, (-1.0, 3.0))})
    assert [row.kind for row in known(replace(summary(), levels=(first, second)))][:2] == ["weight", "threshold"]
    assert {row.kind for row in known(replace(summary(), levels=(unsure, second)))} == {"weight"}
