"""Do classes of people whose choices are not in memory have the numbers of memory?"""

import numpy as np
import pytest

import lori
from lori.data.writing import write_pairs
from lori.inference.population import fitting
from lori.inference.sources.cluster import connect

SETTINGS = {"classes": 2, "levels": 1, "starts": 4}


@pytest.fixture(scope="module")
def folder(two_kinds, tmp_path_factory):
    """Two files; the choices of ten agents are in both."""
    place, data = tmp_path_factory.mktemp("people"), two_kinds[0]
    order = np.r_[0:500, 700:900, 500:700, 900:1200]
    for part, rows in enumerate(np.split(order, [600])):
        write_pairs(data.subset(rows), place / f"part{part}.parquet")
    return place


@pytest.fixture(scope="module")
def in_memory(two_kinds):
    return lori.Population(**SETTINGS).fit(two_kinds[0])


def same(one, other):
    assert one.converged_
    assert one.log_likelihood_ == pytest.approx(other.log_likelihood_, abs=1e-6)
    np.testing.assert_allclose(one.shares_, other.shares_, atol=1e-6)
    order = [one.agents_.index(agent) for agent in other.agents_]
    np.testing.assert_allclose(one.members_[order], other.members_, atol=1e-6)
    for mine, theirs in zip(one.classes_, other.classes_, strict=True):
        for level, known in zip(mine.levels_, theirs.levels_, strict=True):
            np.testing.assert_allclose(level.weights, known.weights, atol=1e-6)
            assert level.epsilon == pytest.approx(known.epsilon, abs=1e-6)
    assert [own.careless for own in one.summary().classes] == [own.careless for own in other.summary().classes]


@pytest.mark.parametrize("searched", [1000, 10**6], ids=["on some of the agents", "on all"])
def test_a_stream_gives_the_answer_of_memory(folder, in_memory, searched, monkeypatch):
    monkeypatch.setattr(fitting, "SEARCHED", searched)
    monkeypatch.setattr("lori.data.reading.stream.PIECE_ROWS", 256)
    same(lori.Population(**SETTINGS).fit(lori.open_stream(folder)), in_memory)


@pytest.mark.slow
def test_a_cluster_gives_the_answer_of_memory(folder, in_memory, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(fitting, "SEARCHED", 1000)
    client = connect()
    try:
        same(lori.Population(**SETTINGS).fit(lori.open_stream(folder), client=client), in_memory)
    finally:
        client.shutdown()


def test_what_a_stream_cannot_give_is_refused(folder):
    stream = lori.open_stream(folder)
    with pytest.raises(lori.DataError, match="spread"):
        lori.Population(classes=1, spread=True).fit(stream)
    with pytest.raises(lori.DataError, match="covariates"):
        lori.Population(classes=2).fit(stream, covariates=np.zeros(60))
    with pytest.raises(lori.InputError, match="from 1 to 20"):
        lori.Population(classes=21).fit(stream)
