"""Does a saved model come back whole, and is every other file refused in one sentence?"""

import json
import time
import tracemalloc

import numpy as np
import pytest

import lori
from lori.estimators.agents import load_agents, save_agents

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
    np.testing.assert_allclose(loaded.optimum_.draws, model.optimum_.draws, rtol=1e-5)
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
        refused(path, "save the model again|update LORI")


def test_paths_that_are_not_files(tmp_path, model):
    refused(tmp_path / "nowhere.json", "no such file")
    refused(tmp_path, "expected a model saved by LORI")
    refused("/dev/zero", "got a device")
    with pytest.raises(lori.LoriError):
        model.save(tmp_path)
    with pytest.raises(lori.LoriError):
        model.save(tmp_path / "no" / "such" / "folder" / "model.json")


FIRST_REWARD = ("model", "levels", 0, "reward")


def changed(document, place, value):
    """The document with another value at a place."""
    if not place:
        return value
    first, *rest = place
    if isinstance(document, list):
        return [changed(part, rest, value) if i == first else part for i, part in enumerate(document)]
    return {**document, first: changed(document.get(first), rest, value)}


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        (("kind",), ["model"], "got something else"),
        (("kind",), "unheard-of", "got something else"),
        (("version",), 10**30, "got another version"),
        (("version",), True, "got version True"),
        (("ranges",), [1.0], "one number for each of the 2 features at ranges"),
        (("ranges",), {"x1": 1.0}, "a valid array at ranges, got an object"),
        (("ranges", 0), "wide", r"a valid number at ranges\[0\], got a word"),
        (("ranges", 1), -1.0, r"at ranges\[1\]"),
        (("settings", "seed"), 10**40, "at settings.seed"),
        (("settings", "seed"), -1, "at settings.seed"),
        (("settings", "seed"), [0], "at settings.seed, got a list"),
        (("settings", "levels"), 3, "expected 2, as the model has at settings.levels"),
        (("settings", "levels"), 10**9, "less than or equal to 20 at settings.levels"),
        (("settings", "prior"), {"weights": 1.0, "epsilon": 1.0, "degrees": 0.0}, "at settings.prior"),
        (("settings", "alpha"), "big", "a valid number at settings.alpha, got a word"),
        (("settings", "prior"), "strong", "at settings.prior"),
        (("settings", "patience"), 3, "only fields that this version of LORI knows at settings.patience.*update LORI"),
        (("slips",), 0.1, "only fields that this version of LORI knows at slips.*update LORI"),
        (("model", "slips"), 0.1, "only fields that this version of LORI knows at model.slips.*update LORI"),
        (("pooled",), "mean", "at pooled, got a word"),
        (("pooled",), ["mean"], "at pooled"),
        (("pooled",), ["median", None], r"at pooled\[0\]"),
        (("pooled",), ["discounted", {"by": 1}], r"at pooled\[1\], got an object"),
        (("peak",), 7, "at peak, got a whole number"),
        (("peak", "vector"), [0.0], "at peak"),
        (("peak", "curvature"), [[0.0]], "at peak.curvature"),
        (("peak", "draws"), [[0.0]], "at peak.draws"),
        (("peak", "scale", 0), 0.0, r"greater than 0 at peak.scale\[0\]"),
        (("peak", "epsilon"), [None], "one for each of the 2 levels at peak.epsilon"),
        (("summary",), None, "at summary, got null"),
        (("summary", "levels", 0, "weights"), {}, r"the features of the model at summary.levels\[0\].weights"),
        (("summary", "levels", 0, "leading"), ["x9"], r"features of the model at summary.levels\[0\].leading"),
        (("summary", "levels", 0, "decides"), "often", r"at summary.levels\[0\].decides, got a word"),
        (("summary", "levels", 0, "weights", "x1", "value"), 10**400, "at summary"),
        (("summary", "status", "notes"), [{"code": "constant", "text": "", "remedy": "", "slots": {}}], "do not fit"),
        (("summary", "status", "converged"), "yes", "at summary.status.converged"),
        (("summary", "support", "level"), [2], "at summary.support.level"),
        (("model", "features"), ["x1", "x1"], "features that differ in their names at model.features"),
        (("model", "ties"), "coin", "'split', 'observed' or 'printed' at model.ties"),
        (("model", "levels", 0, "epsilon"), -0.1, r"at model.levels\[0\].epsilon"),
        (("model", "levels", 0, "epsilon"), 10**400, r"at model.levels\[0\].epsilon"),
        (
            FIRST_REWARD,
            {"kind": ["linear"]},
            r"linear or capped .* at model.levels\[0\].reward.kind",
        ),
        (
            FIRST_REWARD,
            {"kind": "network", "hidden": [100_000_000]},
            "as many numbers as its reward",
        ),
        (
            FIRST_REWARD,
            {"kind": "network", "hidden": "many"},
            r"at model.levels\[0\].reward.hidden",
        ),
        (FIRST_REWARD, {"kind": "network", "hidden": []}, "one or more layer sizes"),
        (FIRST_REWARD, {"kind": "linear", "depth": 2}, r"at model.levels\[0\].reward.depth"),
        (
            FIRST_REWARD,
            {"kind": "linear", "increasing": ["x9"]},
            r"model's features at model.levels",
        ),
        (FIRST_REWARD, {"kind": "gated", "context": ["x9"]}, "as its reward has|as many numbers"),
    ],
)
def test_every_wrong_part_is_named(saved, tmp_path, place, value, says):
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(changed(json.loads(saved.read_text()), place, value)))
    refused(path, says)


def test_hostile_files_cost_neither_time_nor_memory(saved, tmp_path):
    document = json.loads(saved.read_text())
    level = document["model"]["levels"][0]
    hostile = {
        "deep": "[" * 1_000_000,
        "deep inside": saved.read_text().replace('"ranges": [', '"ranges": [' + "[" * 100_000, 1),
        "deep object": '{"a":' * 100_000,
        "many levels": json.dumps(changed(document, ("model", "levels"), [level] * 300)),
        "many digits": saved.read_text().replace('"seed": 0', '"seed": ' + "9" * 100_000),
        "not a number": saved.read_text().replace('"undecided_share": ', '"undecided_share": NaN, "was": ', 1),
        "wide": json.dumps(changed(document, ("settings", "alpha"), [1.0] * 100_000)),
        "wide network": json.dumps(changed(document, FIRST_REWARD, {"kind": "network", "hidden": [100_000_000] * 50})),
    }
    for name, text in hostile.items():
        path = tmp_path / f"{name}.json"
        path.write_text(text)
        started = time.perf_counter()
        refused(path, "expected ")
        assert time.perf_counter() - started < 1.0, name
        tracemalloc.start()
        refused(path, "expected ")
        assert tracemalloc.get_traced_memory()[1] < 100e6, name
        tracemalloc.stop()


def test_what_a_newer_version_adds_to_the_summary_is_not_read(saved, tmp_path):
    document = json.loads(saved.read_text())
    document["summary"] |= {"slips": 0.1}
    document["summary"]["support"] |= {"clusters": 4}
    document["summary"]["status"] |= {"patience": 4}
    document["summary"]["status"]["notes"].append(
        {"code": "unheard-of", "text": "Something new.", "remedy": "Read on.", "variant": "", "slots": {"share": 0.1}}
    )
    path = tmp_path / "newer.json"
    path.write_text(json.dumps(document))
    assert "Something new. Read on." in str(lori.load(path).summary())


def test_a_model_is_no_policy_and_the_truth_no_fit(saved, tmp_path, model):
    lori.save_ordered_model(model.model_, tmp_path / "truth.json")
    assert lori.load_ordered_model(tmp_path / "truth.json").features == lori.load_ordered_model(saved).features
    refused(tmp_path / "truth.json", "got a model that was not fitted")
    with pytest.raises(lori.ModelFileError, match="expected a policy, got a fitted model"):
        lori.load_policy(saved)
    save_agents({"anna": model}, tmp_path / "agents.json")
    with pytest.raises(lori.ModelFileError, match="got the models of many agents"):
        lori.load_ordered_model(tmp_path / "agents.json")
