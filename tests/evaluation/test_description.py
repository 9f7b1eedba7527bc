"""Are the data described by the right counts, and agents only counted?"""

import dataclasses

from lori import Preferences, tversky1969
from lori.evaluation.overview import describe


def test_counts_of_tversky():
    found = describe(tversky1969())
    assert (found.pairs, found.comparisons, found.ties, found.agents) == (80, 1600, 0, 8)
    probability = found.features[0]
    assert (probability.smallest, probability.median, probability.largest) == (7 / 24, 9 / 24, 11 / 24)


def test_no_agent_is_named():
    prefs = Preferences.from_arrays([[1.0], [2.0]], [[0.0], [2.0]], ties=[0, 1], wins=[1, 0], agent=["Mrs Smith", "b"])
    found = describe(prefs)
    assert (found.agents, found.ties, found.identical) == (2, 1, 1)
    assert "Smith" not in str(dataclasses.asdict(found))
