"""Data that are not in memory: streamed and distributed fits give the in-memory answer, whatever happens."""

import os
import signal

import numpy as np
import pytest

import lori
from lori.data.reading.stream import open_stream
from lori.data.writing import write_pairs
from lori.errors import DataError, InputError
from lori.inference.sources.cluster import connect
from lori.model.ordered import OrderedModel

SETTINGS = {"levels": 2, "reward": lori.Linear(increasing="all"), "starts": 8, "epsilon": [None, 0.0]}
ONLY = {"standard_errors": "none"}  # intervals of streams are those of one level, below


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """3 600 pairs in three Parquet files of several row groups, with ties left out."""
    truth = OrderedModel.linear([[0.0, 1.5], [2.0, 0.0]], epsilon=[1.0, 0.0], features=["benefit", "need"])
    place = tmp_path_factory.mktemp("pairs")
    for part in range(3):
        write_pairs(lori.simulate(truth, 1200, seed=part), place / f"part{part}.parquet")
    return place


@pytest.fixture(scope="module")
def in_memory(folder):
    parts = [lori.read_pairs(file) for file in sorted(folder.iterdir())]
    return lori.LORI(**SETTINGS, **ONLY).fit(lori.Preferences.concatenate(parts))


def numbers(model: lori.LORI) -> np.ndarray:
    return np.array([value for level in model.levels_ for value in (*level.weights, level.epsilon)])


def same(one: lori.LORI, other: lori.LORI) -> None:
    np.testing.assert_allclose(numbers(one), numbers(other), rtol=1e-8, atol=1e-10)
    assert one.log_likelihood_ == pytest.approx(other.log_likelihood_, rel=1e-12)
    assert one.summary().to_dict()["comparisons"] == other.summary().to_dict()["comparisons"] == 3_600


def test_a_stream_gives_the_answer_of_memory(folder, in_memory, monkeypatch):
    monkeypatch.setattr("lori.data.reading.stream.PIECE_ROWS", 500)
    monkeypatch.setattr("lori.inference.sources.stream.LARGE_ROWS", 1200)
    monkeypatch.setattr("lori.inference.search.minimising.WHOLE", 0)  # so that the search sees a sample only
    seen: list[tuple[int, float]] = []
    streamed = lori.LORI(**SETTINGS, **ONLY).fit(open_stream(folder), progress=lambda *args: seen.append(args))
    same(streamed, in_memory)
    assert streamed.converged_
    assert [passes for passes, _ in seen] == sorted(passes for passes, _ in seen)
    assert seen[-1][0] < 40  # passes over all rows
    assert 0 <= seen[-1][1] - in_memory.log_likelihood_ < 0.01  # the largest that was seen; the prior asks for less


def test_a_model_of_a_stream_predicts_and_forgets_what_was_fitted_before(folder):
    """In words, as there is no y; and a posterior of the earlier data is a search of its own."""
    earlier = lori.simulate(
        OrderedModel.linear([[-1.0, 1.0]], epsilon=[0.0], features=["benefit", "need"]), 300, seed=9
    )
    X = np.stack([earlier.left_features, earlier.right_features], axis=1)
    single = {**SETTINGS, "levels": 1, "epsilon": 0.0}
    file = folder / "part0.parquet"
    in_memory = lori.LORI(**single).fit(lori.read_pairs(file))
    model = lori.LORI(**single).fit(X, np.where(earlier.wins, 1, -1))
    assert set(model.predict(X)) == {1, -1}
    model.fit(earlier)
    assert model.fitted_to_() is earlier
    model.fit(open_stream(file))
    assert model.fitted_to_ is None
    weights, streamed = (each.summary().levels[0].weights["need"] for each in (in_memory, model))
    assert streamed.standard_error == pytest.approx(weights.standard_error, rel=1e-6)
    assert set(model.predict(earlier)) == {"left", "right"}
    np.testing.assert_array_equal(
        model.predict(earlier), np.where(in_memory.predict_proba(earlier)[:, 0] > 0.5, "left", "right")
    )
    assert "benefit" in str(model.summary())
    fresh = lori.LORI(**single).fit(earlier).posterior(earlier, draws=50)
    np.testing.assert_allclose(model.posterior(earlier, draws=50).draws, fresh.draws, rtol=1e-6)


def test_outcomes_beside_a_stream_are_refused(folder):
    with pytest.raises(DataError, match="none beside a stream"):
        lori.LORI(**SETTINGS).fit(open_stream(folder), ["left"])
    with pytest.raises(DataError, match="none beside a stream"):
        lori.LORI(**SETTINGS).fit(open_stream(folder), sample_weight=[1.0])


def test_what_needs_the_rows_in_memory_is_refused(folder):
    with pytest.raises(InputError, match="observed"):
        lori.LORI(**SETTINGS, standard_errors="robust").fit(open_stream(folder))
    with pytest.raises(InputError, match="newton"):
        lori.LORI(**SETTINGS, method="paper").fit(open_stream(folder))


@pytest.mark.slow
def test_a_cluster_gives_the_answer_of_memory_though_a_worker_dies(folder, in_memory):
    distributed = pytest.importorskip("distributed", reason="dask is not installed (pip install 'lori[scale]')")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=60) as cluster,
        distributed.Client(cluster) as client,
    ):
        killed: list[int] = []

        def kill_one(passes: int, _: float) -> None:
            if passes == 2 and not killed:  # at least one more pass needs what that worker held
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        fitted = lori.LORI(**SETTINGS, **ONLY).fit(open_stream(folder), client=client, progress=kill_one)
    assert killed
    same(fitted, in_memory)


def test_an_unreachable_scheduler_is_one_sentence(monkeypatch):
    pytest.importorskip("distributed", reason="dask is not installed (pip install 'lori[scale]')")
    monkeypatch.setattr("lori.inference.sources.cluster.PATIENCE", 1)
    with pytest.raises(InputError, match="no answer from"):
        connect("tcp://127.0.0.1:9")
