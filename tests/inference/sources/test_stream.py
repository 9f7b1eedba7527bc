"""Are files read once for what a fit must know, and is each part let go when it was read?"""

import weakref

import numpy as np

import lori
from lori.data.reading.stream import open_stream
from lori.inference.sources import stream
from lori.inference.threads import THREADS
from lori.model.likelihoods import Pairs


def test_parts_are_let_go_when_they_were_read(tmp_path, monkeypatch):
    truth = lori.OrderedModel.linear([[1.0, 0.5]], epsilon=[0.0])
    for part in range(8):
        lori.write_pairs(lori.simulate(truth, 50, seed=part), tmp_path / f"part{part}.parquet")
    parts, held, first = [], [], stream.First.of

    def watched(preferences, *rest):
        held.append(sum(part() is not None for part in parts))
        parts.append(weakref.ref(preferences))
        return first(preferences, *rest)

    monkeypatch.setattr(stream.First, "of", watched)
    monkeypatch.setattr(stream, "SAMPLE", 8)  # of which there is one for each part; else samples are the parts
    monkeypatch.setattr(stream, "LARGE_ROWS", 8)
    statistics, source = stream.Stream.open(open_stream(tmp_path), Pairs("split"))
    assert len(parts) == 8
    assert max(held) <= 2 * THREADS  # one that is read and one that is worked on, for each core
    assert (statistics.pairs, source.rows) == (400, 400)
    assert np.isfinite(source.factor)
