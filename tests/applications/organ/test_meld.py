"""MELD and MELD 3.0 equal published values."""

import numpy as np
import pytest

from lori.applications.organ.meld import meld, meld3


def test_meld_of_a_worked_example():
    assert float(meld(1.9, 4.2, 1.2)) == pytest.approx(20.0391626, abs=1e-7)


def test_meld3_equals_table_4_of_kim_2021():
    female = [0, 1, 0, 0, 1, 0, 0, 1]
    bilirubin = [2.5, 2.5, 6, 6, 6, 12, 12, 12]
    sodium = [131, 131, 131, 131, 131, 128, 128, 128]
    inr = [1, 1, 1.5, 1.5, 1.5, 2.2, 2.2, 2.2]
    creatinine = [1.2, 1.2, 1.5, 1.5, 1.5, 1.8, 2.8, 2.8]
    albumin = [3.8, 3.8, 3.5, 2.2, 2.2, 2.0, 2.0, 2.0]
    scores = meld3(female, creatinine, bilirubin, inr, sodium, albumin)
    np.testing.assert_array_equal(np.round(scores), [16, 17, 25, 26, 27, 34, 38, 39])


def test_values_beyond_the_bounds_count_as_the_bounds():
    assert meld(9.0, 0.3, 0.7) == meld(4.0, 1.0, 1.0)
    assert meld3(0, 9.0, 0.3, 0.7, 110, 0.5) == meld3(0, 3.0, 1.0, 1.0, 125, 1.5)
    assert meld3(0, 1.0, 1.0, 1.0, 150, 5.0) == meld3(0, 1.0, 1.0, 1.0, 137, 3.5)
