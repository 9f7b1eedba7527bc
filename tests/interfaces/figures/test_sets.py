"""Do the figures of sets show who is left and who is chosen, and say it in words?"""

import numpy as np
import pytest

from lori.evaluation.set_landscapes import SetLandscape, Survival
from lori.interfaces.figures import sets

FOUND = Survival(("bus", "tram"), np.array([[0.9, 0.5], [0.7, 0.3]]), np.array([0.72, 0.28]), 2.0, np.array([1.4, 1.0]))
AXIS = np.linspace(0, 1, 5)
UP = np.add.outer(AXIS, AXIS) / 2
LAND = SetLandscape(
    "minutes", "price", "bus", ("bus", "tram", "train"), AXIS, AXIS, (1 - UP, UP / 2, UP / 2), (0.5, 0.5)
)


def test_survivors():
    figure = sets.survivors(FOUND)
    assert len(figure.axes[0].patches) == 2 * 3
    assert (
        "bus is left after level 1 in 90 % and level 2 in 70 % of its sets and was chosen in 72 %" in figure.get_label()
    )


@pytest.mark.parametrize("share", ["bus 50 %", "tram 25 %"])
def test_chances(share):
    figure = sets.chances(LAND)
    assert [axes.get_title("left") for axes in figure.axes[:3]] == ["bus", "tram", "train"]
    assert share in figure.get_label()
