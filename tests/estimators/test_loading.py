"""Does `lori.load` give back the kind of estimator that was saved?"""

from pathlib import Path

import lori

MODEL = Path(__file__).parents[1] / "interfaces" / "person1.json"


def test_a_single_model_is_a_lori():
    assert isinstance(lori.load(MODEL), lori.LORI)  # populations: test_population.py
