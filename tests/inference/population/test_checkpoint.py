"""Does an interrupted fit go on from where it stopped, and end where it would have ended?"""

import numpy as np
import pytest

import lori
from lori.inference.population import search
from lori.inference.population.checkpoint import Checkpoint
from lori.inference.population.hierarchy import Hierarchy


def test_stages_are_done_once(tmp_path):
    calls = []

    def work():
        calls.append(1)
        return np.arange(3.0), np.array(7.0)

    for _ in range(2):
        found = Checkpoint.of(tmp_path, "settings", np.arange(4)).stage("search", work)
        np.testing.assert_array_equal(found[0], [0, 1, 2])
    assert (len(calls), float(found[1])) == (1, 7.0)
    assert Checkpoint.of(tmp_path, "settings", np.arange(5)).recalled("search") is None  # other data
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"torn")
    assert Checkpoint.of(tmp_path, "settings", np.arange(4)).recalled("search") is None


def test_an_interrupted_search_for_classes_goes_on(two_kinds, tmp_path, monkeypatch):
    data, settings = two_kinds[0], {"classes": 2, "levels": 1, "starts": 4}
    whole = lori.Population(**settings).fit(data)

    def interrupt(done, of):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lori.Population(**settings).fit(data, checkpoint=tmp_path, progress=interrupt)
    monkeypatch.setattr(search, "class_starts", None)  # the starts are not made again
    again = lori.Population(**settings).fit(data, checkpoint=tmp_path)
    np.testing.assert_allclose(again.members_, whole.members_, rtol=1e-12, atol=1e-12)
    assert again.log_likelihood_ == pytest.approx(whole.log_likelihood_, rel=1e-14)


def test_an_interrupted_hierarchy_goes_on(two_kinds, tmp_path, monkeypatch):
    data = two_kinds[0]
    people = lori.Population(classes=1, levels=1, spread=True, starts=4)
    whole, rounds, draw = people.copy().fit(data), [], Hierarchy.drawn

    def drawn(self, *given, **named):
        rounds.append(1)
        if len(rounds) == 3:
            raise KeyboardInterrupt
        return draw(self, *given, **named)

    monkeypatch.setattr(Hierarchy, "drawn", drawn)
    with pytest.raises(KeyboardInterrupt):
        people.copy().fit(data, checkpoint=tmp_path)
    again = people.copy().fit(data, checkpoint=tmp_path)
    assert again.log_likelihood_ == pytest.approx(whole.log_likelihood_, rel=1e-12)
