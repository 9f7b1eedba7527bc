"""Does the landscape restate the model, and do axes show what matters?"""

import numpy as np
import pytest

from lori import Capped, OrderedModel, Preferences
from lori.errors import InputError
from lori.evaluation.landscape import centre, landscape, median_alternative, spans
from lori.model.ordered import Level

MODEL = OrderedModel.linear([[0.0, 2.0, 0.0], [1.0, 0.0, 0.5]], epsilon=[1.0, 0.2], features=["benefit", "need", "age"])


def test_every_cell_is_a_pair_that_differs_in_two_features():
    land = landscape(MODEL, "need", "benefit", (2.0, 3.0), points=5)
    for row, column in ((0, 0), (1, 4), (4, 2)):
        left = [[land.y[row], land.x[column], 0.0]]
        expected = MODEL.predict_proba(left, np.zeros((1, 3)))[0]
        got = land.left[row, column], land.tie[row, column], land.right[row, column]
        np.testing.assert_allclose(got, expected, atol=1e-12)
    assert land.tie.max() == 0.0  # a coin decides


def test_ties_apart_is_what_no_level_decides():
    land = landscape(MODEL, "need", "benefit", (2.0, 3.0), points=5, ties_apart=True)
    nobody = MODEL.decisions(np.zeros((1, 3)), np.zeros((1, 3))).nobody[0]
    assert land.tie[2, 2] == pytest.approx(float(nobody))


def test_spans_end_beyond_the_thresholds_and_within_the_data():
    reach = spans(MODEL, [10.0, 10.0, 1.0])
    assert reach["need"] == pytest.approx(1.5)  # three times 1 / 2
    assert reach["benefit"] == pytest.approx(0.6)
    assert reach["age"] == 1.0  # its threshold is 0.4


def test_a_threshold_next_to_nothing_does_not_set_the_scale():
    none = OrderedModel.linear([[1.0, 0.0]], epsilon=[1e-15], features=["benefit", "need"])
    assert spans(none, [10.0, 20.0]) == {"benefit": 10.0, "need": 20.0}


def test_rewards_that_are_not_linear_need_an_alternative():
    capped = OrderedModel((Level(Capped(), np.array([1.0, 2.0]), 0.1, slopes=np.array([1.0])),), ("a",))
    with pytest.raises(InputError, match="not linear"):
        centre(capped, None)
    with pytest.raises(InputError, match="shape"):
        centre(capped, [1.0, 2.0])
    with pytest.raises(InputError, match="one of benefit"):
        landscape(MODEL, "nead", "benefit", (1.0, 1.0))


def test_the_median_alternative_is_in_the_models_order():
    prefs = Preferences.from_arrays([[1.0, 10.0, 5.0]], [[3.0, 30.0, 5.0]], features=["need", "benefit", "age"])
    np.testing.assert_allclose(median_alternative(MODEL, prefs), [20.0, 2.0, 5.0])
