"""Policies choose one patient for each organ, by what they are named after."""

import numpy as np
import pytest

from lori.applications.organ.allocation import Offers, policy_named
from lori.errors import InputError
from lori.model.ordered import OrderedModel

FEATURES = ("benefit", "need")


def offers(count: int = 200, organs: int = 7, seed: int = 0) -> Offers:
    generator = np.random.default_rng(seed)
    return Offers(generator.integers(0, organs, count), *(generator.normal(0, 100, (4, count))))


@pytest.mark.parametrize("name", ["meld", "benefit", "waiting", "model"])
def test_one_patient_for_each_organ(name):
    model = OrderedModel.linear([[0.0, 0.01]], epsilon=[0.5], features=FEATURES) if name == "model" else None
    given = offers()
    chosen = policy_named(name, model)(given, np.random.default_rng(1))
    assert sorted(given.organ[chosen]) == sorted(set(given.organ))


def test_benefit_and_waiting_choose_the_greatest():
    given, generator = offers(), np.random.default_rng(2)
    for chosen, values in (
        (policy_named("benefit")(given, generator), given.benefit),
        (policy_named("waiting")(given, generator), np.round(given.waited)),
    ):
        for one in chosen:
            assert values[one] >= values[given.organ == given.organ[one]].max() - 1


def test_offers_go_down_the_list_until_somebody_accepts():
    """The chosen are among the neediest, and gain more from this organ than they usually would."""
    ranks, gains = [], []
    for seed in range(60):
        given = offers(seed=seed)
        chosen = policy_named("meld")(given, np.random.default_rng(seed))
        gains += list((given.benefit - given.usual)[chosen])
        ranks += [(given.need[given.organ == given.organ[one]] > given.need[one]).sum() for one in chosen]
    assert np.mean(ranks) < 1.5  # about every second offer is accepted
    assert max(ranks) > 2
    assert np.mean(gains) > 3 * np.std(gains) / np.sqrt(len(gains))


def test_a_sharp_model_lets_the_needy_win():
    model = OrderedModel.linear([[0.0, 100.0]], epsilon=[0.0], features=FEATURES)
    given = offers()
    for one in policy_named("model", model)(given, np.random.default_rng(3)):
        assert given.need[one] == given.need[given.organ == given.organ[one]].max()


def test_two_patients_are_chosen_with_the_models_probability():
    model = OrderedModel.linear([[0.001, 0.01], [0.02, 0.0]], epsilon=[0.8, 1.0], features=FEATURES)
    pairs = 4_000
    values = np.tile([[60.0, 0.0], [0.0, 20.0]], (pairs, 1))
    nothing = np.zeros(2 * pairs)
    given = Offers(np.repeat(np.arange(pairs), 2), nothing, values[:, 0], nothing, values[:, 1])
    chosen = policy_named("model", model)(given, np.random.default_rng(4))
    chance = float(model.predict_proba(values[:1], values[1:2])[0, 0])
    assert abs((chosen % 2 == 0).mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / pairs)


@pytest.mark.parametrize(
    ("name", "model", "said"),
    [
        ("lottery", None, "policy: expected meld, benefit, waiting or model"),
        ("model", None, "got none"),
        ("meld", OrderedModel.linear([[1.0, 1.0]], epsilon=[0.0], features=FEATURES), "one for the policy 'meld'"),
        ("model", OrderedModel.linear([[1.0]], epsilon=[0.0], features=["cost"]), "got one of cost"),
    ],
)
def test_policies_that_do_not_exist(name, model, said):
    with pytest.raises(InputError, match=said):
        policy_named(name, model)
