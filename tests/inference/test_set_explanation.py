"""Explanations of choices from sets."""

import numpy as np
import pytest

import lori
from lori.inference.set_explanation import explain_sets


@pytest.fixture(scope="module")
def explained():
    model = lori.OrderedModel.linear([[0.0, -3.0], [-2.0, 0.0]], epsilon=[2.0, 0.0], features=["minutes", "changes"])
    table = np.array([[[30.0, 0.0], [20.0, 2.0], [29.0, 0.0]], [[10.0, 1.0], [12.0, 1.0], [11.0, 3.0]]])
    sets = lori.Choices.from_arrays(table, [0, 0], features=model.features, alternatives=["bus", "train", "tram"])
    return model, sets, explain_sets(model, sets, np.array([40.0, 8.0]))


def test_it_says_who_is_left_and_who_wins(explained):
    _, _, found = explained
    assert [found.names[y] for y in found.favourite] == ["tram", "bus"]
    assert found.left[0, 0, 1] < 0.1  # the train and its changes
    assert len(found) == 2
    np.testing.assert_allclose(found.decides.sum(axis=1) + found.nobody, 1)


def test_flips_flip(explained):
    model, sets, found = explained
    for place in range(2):
        change = found.flips[place, 0]
        moved = sets.alternatives.copy()
        row = sets.offsets[place] + found.favourite[place]
        moved[row, 0] += change * 1.001
        again = model.choice_proba(sets._derived(alternatives=moved))
        assert again[place].argmax() != found.favourite[place]
        moved[row, 0] -= change * 0.002
        again = model.choice_proba(sets._derived(alternatives=moved))
        assert again[place].argmax() == found.favourite[place]


def test_in_words_and_as_a_table(explained):
    _, _, found = explained
    said = str(found.describe(0))
    assert said.startswith("Tram is likeliest (78 %); level 1 leaves bus, tram; level ")
    assert "another would become likelier if its minutes rose by" in said
    assert found.to_frame().columns.tolist()[:4] == ["bus", "train", "tram", "favourite"]
