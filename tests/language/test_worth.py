"""What features are worth in units of one of them, as a table, in words and in a notebook."""

import pytest

from lori.language.worth import LevelWorth, Worth
from lori.model.quantity import Quantity

WORTH = Worth("cost", (LevelWorth(1, {"need": Quantity.of(16.732, 2.31), "QALY": Quantity(3.0)}), LevelWorth(2, {})))


def test_a_row_for_each_feature_of_each_level_with_rates():
    table = WORTH.to_frame()
    assert table[["level", "feature", "worth"]].values.tolist() == [[1, "need", 16.732], [1, "QALY", 3.0]]
    assert table["low"][0] == pytest.approx(16.732 - 1.96 * 2.31, abs=0.01)
    assert Worth("cost", (LevelWorth(1, {}),)).to_frame().empty


def test_numbers_have_as_many_digits_as_their_intervals_support():
    assert str(WORTH).splitlines()[1:] == [
        "Level 1: need 16.7 (95 % interval 12.2 to 21.3).",
        "Level 1: QALY 3.",
        "Level 2 does not say: the weight of cost may be zero there.",
    ]
    assert "<td>16.7</td>" in WORTH._repr_html_()
    assert "QALY" in WORTH._repr_html_()


def test_a_dictionary_for_machines():
    assert WORTH.to_dict()["levels"][1] == {}
    assert WORTH.to_dict()["levels"][0]["need"]["value"] == 16.732
