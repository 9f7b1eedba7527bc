"""The mixture that nothing beats: exact on random matrices, on circles, and spread out under a posterior."""

import numpy as np
import pytest

import lori
from lori import InputError, winner
from lori.model.ordered import OrderedModel

CIRCLE = OrderedModel.linear(np.eye(2), epsilon=[1.0, 1.0], features=["first", "second"])
TRIPLE = np.array([[-0.6, 2.0], [0.0, 0.0], [0.6, -2.0]])  # the paper's: each is preferred to the next, in a circle


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20, 50])
def test_random_preferences_cannot_be_exploited(count):
    for seed in range(3):
        draw = np.random.default_rng(seed).random((count, count))
        matrix = np.where(np.triu(np.ones((count, count), bool), 1), draw, 0.0)
        matrix = matrix + np.tril(1 - matrix.T, -1) + np.eye(count) / 2
        found = winner(matrix)
        assert found.exploitability < 1e-9
        assert found.weights.sum() == pytest.approx(1.0)
        assert (found.weights >= 0).all()


def test_who_beats_all_others_wins_alone():
    found = winner([[0.5, 0.6, 0.9], [0.4, 0.5, 0.2], [0.1, 0.8, 0.5]], names=["a", "b", "c"])
    assert found.weights.tolist() == [1.0, 0.0, 0.0]
    assert str(found) == "a is preferred to every other alternative, or as good."


def test_rock_paper_scissors_is_even():
    found = winner([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
    np.testing.assert_allclose(found.weights, 1 / 3, atol=1e-12)
    assert "go in circles" in str(found)


def test_the_papers_intransitive_triple_gives_its_mixture():
    found = winner(CIRCLE, TRIPLE, names=["one", "two", "three"])
    a, b, c = found.probability[[0, 1, 2], [1, 2, 0]] - 0.5
    np.testing.assert_allclose([a, b, c], [0.031, 0.031, 0.059], atol=5e-4)
    np.testing.assert_allclose(found.weights, np.array([b, c, a]) / (a + b + c), atol=1e-9)  # in closed form
    np.testing.assert_allclose(found.weights, [0.254, 0.493, 0.254], atol=1e-3)
    assert found.exploitability < 1e-9


def test_draws_spread_the_mixture():
    models = [OrderedModel.linear(np.eye(2), epsilon=[size, 1.0], features=["first", "second"])
              for size in (0.5, 1.0, 1.5)]  # fmt: skip
    found = winner(models, TRIPLE)
    assert found.draws.shape == (3, 3)
    assert found.interval.shape == (3, 2)
    assert (np.diff(found.interval) >= 0).all()
    assert found.chance_of_winning.sum() <= 1 + 1e-9
    assert "95 % interval" in str(found)
    assert found.to_dict()["interval"] is not None


@pytest.mark.slow
def test_a_posterior_is_such_draws():
    pairs = lori.simulate(CIRCLE, 300, seed=1)
    model = lori.LORI(levels=1, lapse=0.0, starts=4, standard_errors="none").fit(pairs)
    assert winner(model.posterior(pairs, method="laplace"), TRIPLE, draws=20).draws.shape == (20, 3)
    np.testing.assert_allclose(winner(model, TRIPLE).weights.sum(), 1.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"preferences": [[0.5, 0.4]]}, "a square matrix of probabilities"),
        ({"preferences": [[0.5, 0.7], [0.7, 0.5]]}, r"\[i, j\] \+ \[j, i\] = 1"),
        ({"preferences": "words"}, "a square matrix"),
        ({"preferences": [[0.5]], "names": ["a", "b"]}, "1 different names"),
        ({"preferences": CIRCLE}, "a column for each of the features first, second"),
        ({"preferences": CIRCLE, "alternatives": [[1.0]]}, "alternatives"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(given, words):
    with pytest.raises(InputError, match=words):
        winner(**given)
