"""Does every study keep the contract, and is one that does not exist refused in a sentence?"""

import statistics

import pytest

from lori.errors import InputError
from lori.experiments import study as studies


def test_the_spread_is_that_of_a_sample():
    assert studies.measured([2.0, 4.0])["std"] == statistics.stdev([2, 4])


def test_an_unknown_name_is_one_sentence():
    with pytest.raises(InputError, match="or all"):
        studies.find("table9")


@pytest.mark.parametrize("name", studies.available())
def test_every_study_keeps_the_contract(name):
    found = studies.find(name)
    assert found.name == name
    assert type(found.settings) is type(found.smoke)
    assert hash(found.settings) != hash(found.smoke)  # frozen, and smaller
    assert not hasattr(found.settings, "seeds")


def test_another_reading_changes_a_setting_and_is_remembered():
    changed = studies.find("table3").changed({"bc_apart": "100", "new_trajectories": "False", "planning_noise": "0.4"})
    assert (changed.settings.bc_apart, changed.settings.new_trajectories, changed.settings.planning_noise) == (
        100,
        False,
        0.4,
    )
    assert changed.smoke.bc_apart == 100
    assert changed.changes["bc_apart"] == "100"


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"speed": "9"}, "a setting of table3"), ({"bc_apart": "many"}, "like 99"), ({"single": "yes"}, "True or False")],
)
def test_a_wrong_reading_is_one_sentence(changes, said):
    with pytest.raises(InputError, match=said):
        studies.find("table3").changed(changes)
