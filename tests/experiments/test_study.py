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
