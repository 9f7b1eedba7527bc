"""Is each known answer found? Those that take no time; the others are in the study of table 1."""

import pytest

from lori.experiments.known_answers import KNOWN

QUICK = set(KNOWN) - {"Bayesian IRL", "LORI", "constraints", "reward ensemble", "network T-REX", "Gaussian process"}


@pytest.mark.parametrize("name", [name for name in KNOWN if name in QUICK])
def test_the_answer_is_found(name):
    assert KNOWN[name](1000) is True


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in KNOWN if name not in QUICK])
def test_the_answer_is_found_by_the_slower_ones(name):
    assert KNOWN[name](1000) is True
