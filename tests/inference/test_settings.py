"""Is everything that is impossible refused at the door, in one sentence that says what to do?"""

import numpy as np
import pytest

import lori
from lori.inference.settings import checked_settings

SEEN = lori.Preferences.from_arrays([[0.0, 1.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0]], features=["need", "benefit"])
TIED = lori.Preferences.from_arrays([[0.0, 1.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0]], wins=[1, 0], ties=[0, 1])


def checked(seen=SEEN, **settings):
    return checked_settings(lori.LORI(**settings).get_params(deep=False), [seen])


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"levels": 0}, "levels: expected a whole number from 1, got 0"),
        ({"levels": 2.5}, "levels: .*got 2.5"),
        ({"levels": True}, "levels: .*got True"),
        ({"levels": "2"}, "levels"),
        ({"starts": 0}, "starts"),
        ({"seed": -1}, "seed"),
        ({"seed": None}, "seed"),
        ({"ties": "coin"}, "ties: .*split or observed or printed, got 'coin'"),
        ({"epsilon": -0.1}, "epsilon: .*from 0, got -0.1"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": float("inf")}, "epsilon"),
        ({"epsilon": "small"}, "epsilon"),
        ({"epsilon": (None,)}, "epsilon: .*2 levels, got 1 values"),
        ({"epsilon": (None, None, 0.0)}, "epsilon: .*3 values"),
        ({"epsilon": (0.5, None), "alpha": None}, "epsilon of level 1"),
        ({"alpha": 0}, "alpha: .*above 0, got 0"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": (1.0,)}, "alpha"),
        ({"prior": "strong"}, "prior: .*got 'strong'"),
        ({"prior": 1.0}, "prior"),
        ({"method": "guess"}, "method: expected newton or paper"),
        ({"standard_errors": "hopeful"}, "standard_errors"),
        ({"standard_errors": "clustered"}, "standard_errors: .*agent"),
        ({"reward": [lori.Linear()]}, "reward: .*list of 2"),
        ({"reward": [lori.Linear()] * 3}, "reward: .*list of 2"),
        ({"reward": "quadratic"}, "reward: expected linear or capped or network"),
        ({"reward": lori.Linear}, "reward"),
        ({"reward": 3}, "reward"),
        ({"reward": lori.Linear(increasing=["need", "cost"])}, "increasing: .*need, benefit, got cost"),
        ({"reward": lori.Linear(decreasing="cost")}, "decreasing: .*got cost"),
        ({"reward": lori.Linear(increasing="all", decreasing=["need"])}, "need in both"),
        ({"reward": [lori.Linear(), lori.Capped(increasing=["cost"])]}, "got cost"),
    ],
)
def test_refused_in_one_sentence(settings, says):
    with pytest.raises(lori.InputError, match=says) as caught:
        checked(**settings)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("rule", ["split", "printed"])
def test_observed_ties_need_the_rule_for_them(rule):
    with pytest.raises(lori.DataError, match=r"ties: .*1 observed ties; use ties='observed'.*\.$"):
        checked(TIED, ties=rule)


def test_observed_ties_need_a_threshold():
    with pytest.raises(lori.InputError, match=r"epsilon: .*zero threshold a tie could never happen\.$"):
        checked(TIED, epsilon=(None, 0.0))


def test_the_tie_rule_follows_the_data():
    assert checked().specification.likelihood.rule == "split"
    assert checked(TIED).specification.likelihood.rule == "observed"
    assert checked(ties="printed").specification.likelihood.rule == "printed"


def test_the_door_is_the_one_of_fit():
    with pytest.raises(lori.InputError, match="levels"):
        lori.LORI(levels=0).fit(SEEN)
    with pytest.raises(lori.InputError, match="levels"):
        lori.fit_by_agent(lori.LORI(levels=0), lori.tversky1969())
    with pytest.raises(lori.DataError, match=r"agent.*\.$"):
        lori.fit_by_agent(lori.LORI(), SEEN)


def test_a_single_pair_teaches_nothing():
    with pytest.raises(lori.DataError, match=r"at least two pairs, got one; .*\.$"):
        lori.LORI().fit(SEEN[:1])


def test_numpy_numbers_are_numbers():
    settings = checked(levels=np.int64(2), epsilon=np.array([0.5, 0.0]), alpha=np.float64(2.0), seed=np.int32(3))
    assert settings.specification.levels == 2
    assert settings.specification.epsilon == (1.0, 0.0)  # inside α is 1 and ε is in units of α r
    assert settings.alpha == (2.0, 2.0)


def test_one_reward_stands_for_every_level_and_words_for_rewards():
    assert checked(reward="capped", levels=3).specification.rewards == (lori.Capped(),) * 3
    assert checked().specification.rewards == (lori.Linear(),) * 2
    mixed = [lori.Capped(increasing=["need"]), lori.Linear()]
    assert checked(reward=mixed).specification.rewards == tuple(mixed)
