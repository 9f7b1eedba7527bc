"""The same answers from many processes on one cache, from threads at once, and from a pickled model elsewhere."""

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import lori

TRUTH = lori.OrderedModel.linear([[2.0, 0.3], [0.2, 2.0]], epsilon=[1.0, 0.0], features=["need", "benefit"])


@pytest.fixture(scope="module")
def choices():
    return lori.simulate(TRUTH, 200, seed=0)


@pytest.fixture(scope="module")
def model(choices):
    return lori.LORI(levels=2, starts=8).fit(choices)


def test_threads_fit_and_predict_at_once(choices, model):
    def fit(_: int) -> float:
        return lori.LORI(levels=2, starts=8).fit(choices).log_likelihood_

    def predict(_: int) -> np.ndarray:
        return model.predict_proba(choices)

    expected = model.predict_proba(choices)
    with ThreadPoolExecutor(6) as pool:
        fitted, predicted = [pool.submit(fit, i) for i in range(3)], [pool.submit(predict, i) for i in range(12)]
        assert {answer.result() for answer in fitted} == {model.log_likelihood_}
        for answer in predicted:
            np.testing.assert_array_equal(answer.result(), expected)


def _predict(pickled: bytes, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return pickle.loads(pickled).predict_proba(left, right)


def test_a_pickled_model_predicts_the_same_in_a_worker(choices, model):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        sides = choices.left_features, choices.right_features
        elsewhere = pool.submit(_predict, pickle.dumps(model), *sides).result(timeout=120)
    np.testing.assert_array_equal(elsewhere, model.predict_proba(choices))


@pytest.mark.slow
def test_eight_fits_share_one_cache(choices, tmp_path):
    lori.write_pairs(choices, tmp_path / "choices.csv")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("JAX_")}
    environment |= {"LORI_CACHE": str(tmp_path / "cache")}
    line = [
        sys.executable,
        "-m",
        "lori",
        "fit",
        str(tmp_path / "choices.csv"),
        "--levels",
        "2",
        "--starts",
        "8",
        "--json",
        "--save",
    ]
    running = [
        subprocess.Popen(
            [*line, str(tmp_path / f"model{i}.json")], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for i in range(8)
    ]
    answers = [process.communicate(timeout=600) for process in running]
    assert [process.returncode for process in running] == [0] * 8
    assert {err for _, err in answers} == {b""}
    assert len({out for out, _ in answers}) == 1
    assert json.loads(answers[0][0])["status"]["converged"]
    assert len({(tmp_path / f"model{i}.json").read_bytes() for i in range(8)}) == 1
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]
