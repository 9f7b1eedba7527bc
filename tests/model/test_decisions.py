"""Which level decides, and who is left: drawn noise against closed forms."""

from dataclasses import replace

import numpy as np
import pytest

import lori
from lori.model.decisions import decided, simulated, survivors
from lori.model.likelihoods.subsets import survival

MODEL = lori.OrderedModel.linear([[1.5, 0.0], [0.0, 2.0]], epsilon=[0.8, 0.4])


def test_sets_of_two_are_decided_as_pairs_are():
    table = np.random.default_rng(0).normal(size=(30, 2, 2))
    pairs = decided(MODEL, lori.Preferences.from_arrays(table[:, 0], table[:, 1]))
    sets = decided(MODEL, lori.Choices.from_arrays(table, np.zeros(30, int)), draws=20_000)
    np.testing.assert_allclose(sets, pairs, atol=4 * np.sqrt(0.25 / 20_000))
    np.testing.assert_allclose(sets.sum(axis=1), 1)


def test_survivors_of_the_first_level_have_their_probabilities():
    table = np.random.default_rng(1).normal(size=(1, 4, 2))
    data = lori.Choices.from_arrays(table, [0])
    found = survivors(MODEL, data, draws=40_000)
    exact = survival(np.exp(MODEL.rewards(table[0])[:, 0]), 0.8)
    for place in range(4):
        expected = sum(chance for own, chance in exact.items() if place in own)
        assert found[0, place] == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 40_000))
    assert (found[1] <= found[0]).all()


def test_what_is_simulated_is_chosen_as_often_as_the_closed_form_says():
    count = 40_000
    table = np.repeat(np.random.default_rng(2).normal(size=(1, 3, 2)), count, axis=0)
    slipping = replace(MODEL, lapse=0.1)
    data = simulated(slipping, lori.Choices.from_arrays(table, np.zeros(count, int)), seed=3)
    found = np.bincount(data.label[data.chosen], minlength=3) / count
    exact = slipping.choice_proba(data[:1])[0]
    assert (np.abs(found - exact) < 4 * np.sqrt(exact * (1 - exact) / count)).all()


def test_a_level_decides_in_closed_form_what_draws_of_the_noise_say():
    generator = np.random.default_rng(3)
    data = lori.Choices.from_arrays(generator.normal(size=(40, 4, 2)), np.zeros(40, int))
    closed = lori.OrderedModel.linear(2 * np.eye(2), epsilon=[1.5, 0.0])
    open_ended = lori.OrderedModel.linear(2 * np.eye(2), epsilon=[1.5, 1e-9])  # whose shares are drawn
    found, drawn = decided(closed, data), decided(open_ended, data, draws=4000)
    np.testing.assert_allclose(found, drawn, atol=4 * 0.5 / np.sqrt(4000))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_allclose(
        decided(lori.OrderedModel.linear([[1.0, 1.0]], epsilon=[0.0]), data), np.array([[1.0, 0.0]] * 40)
    )
