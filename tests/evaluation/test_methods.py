"""Are methods compared on the same choices, with errors that tell real differences from chance?"""

import numpy as np
import pytest

import lori
from lori.baselines.lexicographic import LexicographicOrder
from lori.evaluation.methods import METHODS, REFERENCE, Method, chosen_methods, compare_methods
from lori.evaluation.metrics import parts
from lori.language.methods import BETTER, FAILED, WORSE

TRUTH = lori.OrderedModel.linear([[8.0, 0.0], [0.0, 8.0]], epsilon=[6.0, 0.0], features=["first", "second"])


@pytest.fixture(scope="module", autouse=True)
def quick():
    """LORI with one level, which is found at once, stands for LORI here."""
    with pytest.MonkeyPatch.context() as patch:
        settings = {"levels": 1, "epsilon": 0.0, "lapse": 0.0, "standard_errors": "none"}
        patch.setitem(METHODS, REFERENCE, Method("", lambda seed: lori.LORI(**settings, seed=seed)))
        yield


@pytest.fixture(scope="module")
def seen():
    return lori.simulate(TRUTH, 300, agents=20, seed=1000)


@pytest.fixture(scope="module")
def found(seen):
    return compare_methods(seen, ["lexicographic order", "T-REX", "variable voting"], folds=3)


def test_the_best_comes_first_and_real_differences_are_named(found):
    losses = [own.log_loss for own in found.scores]
    assert losses == sorted(losses)
    assert {own.method for own in found.scores} == {"lexicographic order", "T-REX", "variable voting", REFERENCE}
    told = {own.method: own for own in found.scores}
    assert told["variable voting"].verdict == WORSE
    assert told["variable voting"].gain < -found.within * told["variable voting"].gain_error
    assert told[REFERENCE].gain is None
    assert (found.folds, found.agents, found.choices) == (3, 20, 300)
    assert found.coin == pytest.approx(np.log(2))


def test_a_method_is_judged_on_what_it_did_not_see(found, seen):
    part = parts(seen, 3, 0)
    total = 0.0
    for number in range(3):
        model = LexicographicOrder(jnd="learned").fit(seen.subset(part != number))
        total += model.score(seen.subset(part == number)) * np.sum(part == number)
    told = next(own for own in found.scores if own.method == "lexicographic order")
    assert told.log_loss == pytest.approx(-total / len(seen))


def test_the_error_is_that_of_sums_by_agent(seen):
    """Twice the same pairs by the same people are no more to learn from."""
    twice = lori.Preferences.concatenate([seen, seen])
    one, two = (compare_methods(data, ["variable voting"], folds=3).scores[-1] for data in (seen, twice))
    assert one.method == two.method == "variable voting"
    assert two.gain_error == pytest.approx(one.gain_error, rel=0.25)


def test_sets_are_compared_too():
    generator = np.random.default_rng(1000)
    X = generator.normal(size=(150, 3, 2))
    chosen = (X @ [3.0, 0.5] + generator.gumbel(size=(150, 3))).argmax(axis=1)
    found = compare_methods(lori.Choices.from_arrays(X, chosen), ["T-REX", "lexicographic order"], folds=3)
    assert found.kind == "set"
    assert found.coin == pytest.approx(np.log(3))
    assert all(own.log_loss < found.coin and own.accuracy > 0.5 for own in found.scores)


def test_a_method_that_cannot_learn_says_why():
    many = np.random.default_rng(0).normal(size=(40, 2, 15))
    found = compare_methods(lori.Preferences.from_arrays(many[:, 0], many[:, 1]), ["CP-net"], folds=2)
    told = found.scores[-1]
    assert (told.method, told.verdict) == ("CP-net", FAILED)
    assert "4,096 combinations" in told.reason
    assert "CP-net was left out" in str(found)


def test_lori_loses_where_it_should():
    """A reward that no weighted sum describes: the comparison says who is better."""
    generator = np.random.default_rng(1000)
    left, right = generator.uniform(-2, 2, size=(2, 400, 1))
    won = generator.random(400) < 1 / (1 + np.exp(3 * (left**2 - right**2)[:, 0]))
    seen = lori.Preferences.from_arrays(left, right, counts=np.eye(3)[np.where(won, 0, 2)])
    told = {own.method: own for own in compare_methods(seen, ["Gaussian process"], folds=2).scores}
    assert told["Gaussian process"].verdict == BETTER
    assert told["Gaussian process"].gain > 0.2


def test_methods_are_chosen_by_name():
    assert list(chosen_methods(None)) == list(METHODS)
    assert list(chosen_methods(["T-REX"])) == ["T-REX", REFERENCE]
    with pytest.raises(lori.InputError, match="correct the names"):
        chosen_methods(["T-Rex"])
