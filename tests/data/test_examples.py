"""The built-in facts are the published ones."""

import numpy as np
import pandas

from lori.data.examples import tversky1969


def test_tversky_in_outline():
    prefs = tversky1969()
    assert (len(prefs), prefs.n_comparisons, prefs.features) == (80, 1600, ("probability", "payoff"))
    assert list(prefs.by_agent()) == [str(person) for person in range(1, 9)]
    np.testing.assert_allclose(prefs.alternatives[:, 0] * 24, [7, 8, 9, 10, 11])
    np.testing.assert_allclose(prefs.alternatives[:, 1], [5, 4.75, 4.5, 4.25, 4])
    assert ((prefs.wins + prefs.losses) == 20).all()


def test_tversky_equals_the_reference(shared):
    prefs = tversky1969()
    counts = pandas.read_csv(shared / "tversky1969" / "tversky1969.csv")
    gambles = pandas.read_csv(shared / "tversky1969" / "gambles.csv").set_index("gamble")
    gambles["prob_24ths"] /= 24
    np.testing.assert_allclose(prefs.left_features, gambles.loc[counts["x"]])
    np.testing.assert_allclose(prefs.right_features, gambles.loc[counts["y"]])
    assert prefs.wins.tolist() == counts["n_x"].tolist()
    assert prefs.losses.tolist() == counts["n_y"].tolist()
    assert prefs.agent.tolist() == counts["subject"].astype(str).tolist()
