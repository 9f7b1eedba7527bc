"""Sets: rows by kind, what a slip is drawn from, and what cannot be."""

import numpy as np
import pytest

import lori
from lori.errors import DataError, InputError
from lori.model.likelihoods.sets import Kind, Sets, arrangements, kinds_of, room


def some(generator: np.random.Generator, sizes: list[int], tied: bool = False) -> lori.Choices:
    width = max(sizes)
    there = np.arange(width) < np.array(sizes)[:, None]
    chosen = np.zeros((len(sizes), width), bool)
    chosen[:, 1] = True
    if tied:
        chosen[0, 0] = True
    return lori.Choices.from_arrays(generator.normal(size=(len(sizes), width, 2)), chosen, available=there)


@pytest.mark.parametrize("kind", [Kind(3), Kind(5, 2), Kind(64, 1, True)])
def test_kinds_have_names(kind):
    assert Kind.named(kind.name) == kind


def test_larger_sets_are_filled_up_to_a_few_sizes():
    assert [room(size) for size in (2, 3, 7, 8, 9, 13, 200, 201, 700)] == [2, 3, 7, 8, 12, 20, 200, 320, 768]


def test_rows_have_what_was_chosen_first():
    data = some(np.random.default_rng(0), [2, 3, 9, 3])
    likelihood = Sets.for_data("auto", [data], (None,))
    rows = likelihood.observed(data).kinds
    assert set(rows) == {"3", "12"}  # two alternatives are filled up to three
    kinds, number = kinds_of(data)
    assert [kinds[own].name for own in number] == ["3", "3", "12", "3"]
    first = rows["3"].alternatives()[:, 0]
    np.testing.assert_array_equal(first, data.alternatives[data.offsets[[0, 1, 3]] + 1])
    assert np.isnan(rows["12"].alternatives()[0, 9:]).all()
    assert rows["3"].origin.tolist() == [0, 1, 3]


def test_every_alternative_is_arranged_once():
    data = some(np.random.default_rng(1), [2, 3, 7, 3])
    rows = np.concatenate([own for _, own, _ in arrangements(data)])
    assert sorted(rows) == list(range(len(data.alternatives)))
    for _, own, place in arrangements(data):
        np.testing.assert_array_equal(place[:, 0], own)


def test_probabilities_sum_to_one_and_are_zero_where_not_available():
    data = some(np.random.default_rng(2), [2, 3, 4, 7])
    model = lori.OrderedModel.linear([[1.0, 0.0], [0.0, 2.0]], epsilon=[0.7, 0.3], lapse=0.1)
    table = model.choice_proba(data)
    np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-8)
    assert (table[0, 2:] == 0).all()
    assert (table[0, :2] >= 0.05).all()


def test_a_set_of_two_is_a_pair():
    data = some(np.random.default_rng(3), [2] * 20)
    model = lori.OrderedModel.linear([[1.0, 0.5], [0.0, 2.0]], epsilon=[0.7, 0.3])
    pairs = model.predict_proba(data.alternatives[0::2], data.alternatives[1::2])
    np.testing.assert_allclose(model.choice_proba(data)[:, 0], pairs[:, 0], atol=1e-12)


def test_the_worst_is_the_best_of_turned_rewards():
    data = some(np.random.default_rng(4), [3] * 10)
    model = lori.OrderedModel.linear([[1.0, 0.5], [0.0, 2.0]], epsilon=[0.7, 0.3])
    turned = lori.OrderedModel.linear([[-1.0, -0.5], [0.0, -2.0]], epsilon=[0.7, 0.3])
    worst = data._derived(worst=np.ones(10, bool))
    np.testing.assert_allclose(model.choice_proba(worst), turned.choice_proba(data), atol=1e-13)


def test_ties_need_a_threshold_and_the_rule():
    data = some(np.random.default_rng(5), [3, 3], tied=True)
    with pytest.raises(DataError, match="ties"):
        Sets.for_data("split", [data], (None,))
    with pytest.raises(InputError, match="epsilon"):
        Sets.for_data("auto", [data], (None, 0.0))
    large = some(np.random.default_rng(6), [9, 3], tied=True)
    with pytest.raises(DataError, match="at most 8"):
        Sets.for_data("auto", [large], (None,))


def test_more_alternatives_are_more_effort_and_a_sharp_last_level_is_less():
    def effort(size, sharp=False):
        return Sets(sharp=sharp, kinds=(Kind(3).name, Kind(size).name)).effort

    efforts = [effort(size) for size in (2, 3, 4, 5, 6, 7, 8, 12, 20)]
    assert efforts == sorted(efforts)
    assert efforts[0] == efforts[1]  # the largest set counts
    assert effort(8, sharp=True) < effort(8)
