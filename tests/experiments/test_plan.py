"""Is the truth that is looked for as described, and does the sentence say what was counted?"""

import numpy as np
import pytest

from lori.errors import InputError
from lori.experiments.plan import Plan, Size, typical_truth, with_one_level_less
from lori.experiments.power import Run
from lori.model.ordered import OrderedModel


def decided(model: OrderedModel, design: np.ndarray) -> np.ndarray:
    """The share of pairs that each level decides."""
    found = model.decisions(design[:, 0], design[:, 1])
    return (found.left + found.right).mean(axis=0)


@pytest.mark.parametrize("levels", [2, 3])
def test_each_level_decides_about_as_often_as_the_others(levels):
    design = np.random.default_rng(1).normal(size=(5000, 2, 4)) * [1.0, 100.0, 0.01, 1.0]
    truth = typical_truth(("a", "b", "c", "d"), levels, design)
    assert [int(np.argmax(level.weights)) for level in truth.levels] == list(range(levels))
    np.testing.assert_allclose(decided(truth, design), 1 / levels, atol=0.06)


def test_without_a_design_features_are_normal():
    truth = typical_truth(("a", "b"), 2)
    assert truth.levels[0].thresholds[0] == pytest.approx(0.954, abs=0.02)  # half of |N(0, 2)| is above
    assert truth.levels[1].epsilon == 0


def test_a_threshold_stands_between_the_values_of_a_coarse_feature():
    design = np.random.default_rng(1).integers(0, 3, size=(500, 2, 2)).astype(float)
    truth = typical_truth(("a", "b"), 2, design)
    assert truth.levels[0].thresholds[0] % 1 == pytest.approx(0.5)


def test_a_feature_that_never_differs_cannot_lead():
    design = np.random.default_rng(1).normal(size=(50, 2, 2))
    design[:, 1, 1] = design[:, 0, 1]
    with pytest.raises(InputError, match="feature b"):
        typical_truth(("a", "b"), 2, design)


def test_one_level_less_adds_up_the_last_two():
    truth = OrderedModel.linear([[1.0, 0.0], [0.0, 2.0], [3.0, 0.5]], epsilon=[1.0, 0.3, 0.2], alpha=[1.0, 2.0, 1.0])
    fewer = with_one_level_less(truth)
    assert len(fewer.levels) == 2
    assert fewer.levels[0] is truth.levels[0]
    assert fewer.levels[1].weights.tolist() == [3.0, 4.5]
    assert fewer.levels[1].epsilon == 0.2
    assert fewer.ties == truth.ties


def runs(found: int, right: int, of: int = 100) -> list[Run]:
    """So many of them found the level, and so many of these the right order."""
    return [
        Run("supported" if i < found else "not supported", i < right, 1.0, (0.5, 1.5 + i % 2), 0.05, None)
        for i in range(of)
    ]


TRUTH = OrderedModel.linear([[3.0, 0.0], [0.0, 3.0]], epsilon=[3.0, 0.0], features=["cost", "benefit"])


SIZES = (Size(100), Size(1000))


def judged(*found: int, sizes=SIZES, alarms: int = 2):
    plan = Plan(TRUTH, sizes)
    rivals = [runs(alarms, 0) for _ in sizes]
    return plan.judged([*(runs(count, count // 2) for count in found), *rivals])


def test_rows_count_what_was_found():
    study = judged(60, 100)
    first = study.rows[0].to_dict()
    assert (first["choices"], first["runs"], first["found"], first["in_order"]) == (100, 100, 0.6, 0.3)
    assert first["false_alarms"] == 0.02
    assert first["threshold_interval_width"] == 1.5  # the median of 1 and 2
    assert "The truth to be found: cost, then benefit; differences of 1 or more in cost count." in str(study)
    assert "60 ± 5 %" in study.table
    assert study.to_dict()["needed"]["choices"] == pytest.approx(np.sqrt(100 * 1000))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ((60, 100), "With 5 % slips you need about 320 choices to find the second level with a probability of 80 % "),
        ((10, 40), "With 5 % slips you need more than 1,000 choices, the most that were tried, to find"),
        ((95, 99), "With 5 % slips 100 choices, the fewest that were tried, are enough to find the second level"),
        ((30, 82), "to over 1,000 choices)."),
    ],
)
def test_the_sentence_says_how_many_are_needed(found, sentence):
    assert sentence in judged(*found).sentence


def test_people_are_counted_beside_their_choices():
    study = judged(60, 100, sizes=(Size(120, 10), Size(1200, 100)))
    assert "about 380 choices (32 people with 12 each)" in study.sentence
    assert study.table.split()[0] == "people"
    assert study.rows[0].to_dict()["people"] == 10


def test_what_is_not_there_yet_is_left_out():
    plan = Plan(TRUTH, (Size(100), Size(300), Size(1000)))
    study = plan.judged([runs(60, 60), runs(10, 10, 20), [], runs(0, 0), [], []])
    assert [row.size.choices for row in study.rows] == [100, 300]
    assert "20 to 100 runs" in study.question
    assert "–" in study.table
    assert study.to_dict()["rows"][1]["false_alarms"] is None
    nothing = plan.judged([[]] * 6)
    assert "nothing can be said" in str(nothing)


def test_both_truths_are_simulated_at_every_size():
    simulation = Plan(TRUTH, (Size(100), Size(240, 20)), slips=0.1, seed=3, runs=7).simulation
    told = [(len(each.model.levels), each.choices, each.people, each.slips) for each in simulation.scenarios]
    assert told == [(2, 100, None, 0.1), (2, 240, 20, 0.1), (1, 100, None, 0.1), (1, 240, 20, 0.1)]
    assert {each.estimator.levels for each in simulation.scenarios} == {2}
    assert simulation.seed == 3_000_000
    assert simulation.batch == 7
