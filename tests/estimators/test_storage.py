"""Does a saved model come back whole, and is every other file refused in one sentence?"""

import json

import numpy as np
import pytest

import lori
from lori.estimators.lori import load_agents, save_agents

TRUTH = lori.OrderedModel.linear([[2.0, 0.5], [-0.3, 3.0]], epsilon=[1.5, 0.0])


@pytest.fixture(scope="module")
def seen():
    return lori.simulate(TRUTH, 400, seed=0)


@pytest.fixture(scope="module")
def model(seen):
    return lori.LORI(levels=2, starts=8).fit(seen)


@pytest.fixture
def saved(model, tmp_path):
    model.save(tmp_path / "model.json")
    return tmp_path / "model.json"


def refused(path, says: str) -> None:
    with pytest.raises(lori.ModelFileError, match=says) as caught:
        lori.load(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert message.endswith(".")
    assert "\n" not in message
    assert caught.value.exit_code == 2


def test_a_round_trip_keeps_predictions_and_summary(model, saved, seen):
    loaded = lori.load(saved)
    assert np.array_equal(loaded.predict_proba(seen), model.predict_proba(seen))
    assert str(loaded.summary()) == str(model.summary())
    assert loaded.summary().to_dict() == model.summary().to_dict()
    assert loaded.log_likelihood_ == model.log_likelihood_
    assert loaded.status_ == model.status_
    assert loaded.score(seen) == model.score(seen)
    assert np.array_equal(loaded.predict(seen), model.predict(seen))
    assert np.array_equal(loaded.explain(seen[:5]).flips, model.explain(seen[:5]).flips, equal_nan=True)
    for own, reference in zip(loaded.levels_, model.levels_, strict=True):
        assert np.array_equal(own.thresholds, reference.thresholds)


def test_saving_twice_gives_the_same_file(model, saved, tmp_path):
    lori.load(saved).save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == saved.read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"model.json", "again.json"}  # nothing else is left


def test_the_file_is_plain_versioned_json(saved):
    def no_constants(name):
        raise AssertionError(name)

    document = json.loads(saved.read_text(), parse_constant=no_constants)
    assert document["format"] == "lori-model"
    assert document["version"] == 1
    assert document["lori"] == lori.__version__


def test_many_agents_in_one_file(model, saved, seen, tmp_path):
    save_agents({"anna": model, "ben": model}, tmp_path / "agents.json")
    loaded = load_agents(tmp_path / "agents.json")
    assert list(loaded) == ["anna", "ben"]
    assert np.array_equal(loaded["ben"].predict_proba(seen), model.predict_proba(seen))
    refused(tmp_path / "agents.json", "agents")
    with pytest.raises(lori.ModelFileError):
        load_agents(saved)


def test_foreign_and_damaged_files(saved, tmp_path):
    text = saved.read_text()
    for name, content in {
        "truncated": text[: len(text) // 2],
        "empty": "",
        "foreign": '{"a": 1}',
        "list": "[1, 2]",
        "csv": "left,right\n1,2\n",
    }.items():
        path = tmp_path / f"{name}.json"
        path.write_text(content)
        refused(path, "expected a model saved by LORI")
    binary = tmp_path / "binary.json"
    binary.write_bytes(bytes(range(128, 256)))
    refused(binary, "expected a model saved by LORI")


def test_a_newer_version(saved, tmp_path):
    document = json.loads(saved.read_text())
    for version in (2, 99, "1", None):
        path = tmp_path / "other.json"
        path.write_text(json.dumps({**document, "version": version}))
        refused(path, f"got version {version}")


def test_parts_missing_or_of_the_wrong_kind(saved, tmp_path):
    document = json.loads(saved.read_text())
    level = document["model"]["levels"][0]
    broken = [{key: value for key, value in document.items() if key != part} for part in ("model", "summary", "ranges")]
    broken.append({**document, "model": {**document["model"], "levels": "two"}})
    broken.append({**document, "model": {**document["model"], "levels": []}})
    broken.append({**document, "model": {**document["model"], "levels": [{**level, "parameters": [1.0]}] * 2}})
    broken.append({**document, "model": {**document["model"], "levels": [{**level, "reward": {"kind": "magic"}}] * 2}})
    broken.append({**document, "settings": {"no_such_setting": 1}})
    for content in broken:
        path = tmp_path / "broken.json"
        path.write_text(json.dumps(content))
        refused(path, "parts missing|damaged")


def test_paths_that_are_not_files(tmp_path, model):
    refused(tmp_path / "nowhere.json", "no such file")
    refused(tmp_path, "expected a model saved by LORI")
    with pytest.raises(lori.LoriError):
        model.save(tmp_path)
    with pytest.raises(lori.LoriError):
        model.save(tmp_path / "no" / "such" / "folder" / "model.json")
