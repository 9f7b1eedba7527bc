"""Does a cluster whose workers are gone say so, instead of waiting for ever?"""

import pytest

import lori
from lori.inference.sources import cluster

distributed = pytest.importorskip("distributed")


def test_a_cluster_without_workers_says_so(tmp_path, monkeypatch):
    truth = lori.OrderedModel.linear([[1.0, 0.5]], epsilon=[0.0])
    lori.write_pairs(lori.simulate(truth, 50, seed=0), tmp_path / "pairs.parquet")
    monkeypatch.setattr(cluster, "PATIENCE", 0.4)
    monkeypatch.setattr(cluster, "PAUSE", 0.2)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None, silence_logs=60) as nobody,
        distributed.Client(nobody) as client,
        pytest.raises(lori.FitError, match="no worker left"),
    ):
        lori.LORI(levels=1, starts=2).fit(lori.open_stream(tmp_path / "pairs.parquet"), client=client)
