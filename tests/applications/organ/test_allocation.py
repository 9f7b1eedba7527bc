"""Policies choose one patient for an organ, by what they are named after."""

import numpy as np
import pytest

from lori.applications.organ.allocation import LIKE_NEED, Offers, policy_named
from lori.errors import InputError
from lori.model.ordered import OrderedModel

FEATURES = ("benefit", "need")


def offers(count: int = 60, seed: int = 0) -> Offers:
    return Offers(*np.random.default_rng(seed).normal(0, 100, (3, count)))


def chosen(name: str, given: Offers, seed: int = 0, model: OrderedModel | None = None) -> int:
    return policy_named(name, model)(given, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(5))
def test_benefit_and_waiting_choose_the_greatest(seed):
    given = offers(seed=seed)
    assert chosen("benefit", given) == given.benefit.argmax()
    assert given.waited[chosen("waiting", given)] >= given.waited.max() - 1


def test_who_came_on_the_same_day_draws_lots():
    same = Offers(np.full(3, 20.0), np.arange(3.0), np.arange(3.0))
    assert {chosen("waiting", same, seed) for seed in range(50)} == {0, 1, 2}


def test_benefit_decides_among_patients_of_like_need_only():
    nothing = np.zeros(4)
    benefit, need = np.array([100.0, 300.0, 900.0, 200.0]), np.array([-50.0, -100.0, -(50 + LIKE_NEED + 1), -60.0])
    assert chosen("meld", Offers(nothing, benefit, need)) == 1
    assert chosen("meld", Offers(nothing, benefit, need + 1000 * (need == -50))) == 0


def test_a_veto_lets_benefit_overrule_any_need_and_strictness_nothing():
    nothing = np.zeros(3)
    benefit, need = np.array([100.0, 300.0, 300.0 + LIKE_NEED - 1]), np.array([-5.0, -400.0, -500.0])
    assert (
        chosen("veto", Offers(nothing, benefit, need)) == 1
    )  # the neediest declines, the better off of the others waits
    assert chosen("strict", Offers(nothing, benefit, need)) == 0


def test_a_model_without_threshold_chooses_by_luces_rule():
    """One level with ε = 0: in proportion to exp(reward)."""
    model = OrderedModel.linear([[0.002, 0.01]], epsilon=[0.0], features=FEATURES)
    given = Offers(np.zeros(3), np.array([50.0, 0.0, -50.0]), np.array([0.0, 60.0, -40.0]))
    policy, generator, draws = policy_named("model", model), np.random.default_rng(3), 1_500
    counts = np.bincount([policy(given, generator) for _ in range(draws)], minlength=3)
    share = np.exp(0.002 * given.benefit + 0.01 * given.need)
    share /= share.sum()
    assert (np.abs(counts / draws - share) < 4 * np.sqrt(share * (1 - share) / draws)).all()


@pytest.mark.parametrize(
    ("name", "model", "said"),
    [
        ("lottery", None, "policy: expected meld, strict, veto, benefit, waiting, model or sets"),
        ("model", None, "got none"),
        ("meld", OrderedModel.linear([[1.0, 1.0]], epsilon=[0.0], features=FEATURES), "one for the policy 'meld'"),
        ("model", OrderedModel.linear([[1.0]], epsilon=[0.0], features=["cost"]), "got one of cost"),
    ],
)
def test_policies_that_do_not_exist(name, model, said):
    with pytest.raises(InputError, match=said):
        policy_named(name, model)


def test_one_choice_among_all_of_the_list():
    """Of those whose need is near the greatest, the one who gains most."""
    model = OrderedModel.linear([[0.0, 10.0], [10.0, 0.0]], epsilon=[600.0, 0.0], features=FEATURES)
    given = Offers(np.zeros(3), np.array([100.0, 300.0, 900.0]), np.array([-10.0, -40.0, -200.0]))
    assert chosen("sets", given, model=model) == 1
    assert chosen("sets", Offers(*np.ones((3, 1))), model=model) == 0
