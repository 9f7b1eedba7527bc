"""Are numbers rounded by their uncertainty, and counted in good English?"""

import doctest

import pytest

from lori.language import numbers, sentence
from lori.language.numbers import an_ordinal, between, may_be_zero, number, odds, ordinal, rounded, with_interval
from lori.model.quantity import Quantity


@pytest.mark.parametrize("module", [numbers, sentence], ids=lambda module: module.__name__)
def test_examples(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (62.5649, 6.99, "62.6"), (0.1089091, 0.00771, "0.1089"), (2.0, 0.0996, "2.00"), (41873.0, 5400.0, "41,900"),
        (0.0, 0.3, "0"), (1.234e-7, 3e-9, "1.234e-07"), (15823.4567, 1e-9, "15,823.46"), (5.0, None, "5"),
        (5.0, float("nan"), "5"), (None, 1.0, "–"), (-0.0004, 0.3, "0"), (3.2e12, 4e10, "3.200e+12"),
    ],
)  # fmt: skip
def test_the_error_keeps_two_digits(value, error, text):
    assert rounded(value, error) == text


def test_intervals():
    assert between((0.0, 21880.0)) == "0 to 21,900"
    assert with_interval(Quantity(62.56, None, (48.9, 76.3))) == "62.6 (48.9 to 76.3)"
    assert with_interval(Quantity(None)) == "–"
    assert may_be_zero(Quantity.of(1.0, 0.6))
    assert not may_be_zero(Quantity(1.0))
    assert number(1234567.8) == "1,234,568"


def test_eleven_and_more():
    assert [ordinal(place) for place in (1, 12, 13, 21, 22, 23, 101, 112)] == [
        "first", "twelfth", "13th", "21st", "22nd", "23rd", "101st", "112th",
    ]  # fmt: skip
    assert an_ordinal(11) == "an eleventh"
    assert odds(0.0) == "1.0 to 1"
