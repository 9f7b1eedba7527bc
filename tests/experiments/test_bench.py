"""Are contests fair, is everything named that is missing, and is what comes out of a bench complete?"""

import json
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from lori.errors import InputError
from lori.experiments.bench import bradley_terry, data, recovery, srmp
from lori.experiments.bench.contest import Claim, Contestant, Measured, Row, Seconds, hold
from lori.experiments.bench.run import CASES, Case, run, text_claims, text_table, versions
from lori.experiments.bench.scaling import ScalingSettings
from lori.experiments.bench.scaling import measure as measure_scaling
from lori.model.ordered import OrderedModel


class Clock:
    """Time that passes only when somebody works."""

    def __init__(self):
        self.now = 0.0
        self.worked = []

    def __call__(self):
        return self.now

    def work(self, name, *durations):
        """Somebody whose turns take these seconds, the warm-up first."""
        left = list(durations)

        def run():
            self.worked.append(name)
            self.now += left.pop(0)
            return f"{name} {len(left)}"

        return run


def test_contestants_take_turns_after_a_warm_up():
    clock = Clock()
    outcome = hold(
        "case",
        [Contestant("a", clock.work("a", 100, 1, 4, 2)), Contestant("b", clock.work("b", 50, 8, 6, 7))],
        3,
        clock=clock,
    )
    assert clock.worked == ["a", "b"] * 4
    one, other = outcome.rows
    assert one.seconds.values == (1, 4, 2)  # the warm-up is not timed
    assert one.seconds.to_dict() == {"median": 2, "min": 1, "max": 4, "values": [1, 4, 2]}
    assert (one.ratio, other.ratio) == (1.0, 3.5)
    assert outcome.relative("a", "b") == pytest.approx(2 / 7)
    assert outcome.answers == {"a": "a 0", "b": "b 0"}  # of the last round


def test_a_cold_contestant_is_not_warmed_up_and_a_part_is_scaled():
    clock = Clock()
    contestants = [Contestant("a", clock.work("a", 3), warm=False), Contestant("b", clock.work("b", 9, 2), scale=10)]
    outcome = hold("case", contestants, 1, clock=clock)
    assert clock.worked == ["b", "a", "b"]
    assert [row.seconds.median for row in outcome.rows] == [3, 20]


def test_a_missing_peer_is_skipped_by_name():
    outcome = hold("case", [Contestant("ours", lambda: 1), Contestant("theirs", lambda: 2, "no_such_package")], 1)
    row = outcome.rows[1]
    assert row.seconds is None
    assert row.ratio is None
    assert row.note == "skipped: no_such_package is not installed (pip install 'lori[bench]')"
    assert "theirs" not in outcome.answers
    assert outcome.relative("ours", "theirs") is None
    assert outcome.median("theirs") is None
    outcome.add("theirs", "was never there", speed=1.0)
    assert outcome.rows[1] == row
    measured = Measured(outcome.rows)
    measured.claim("faster", outcome.relative("ours", "theirs"), 1.0)
    assert measured.claims == []
    assert "no_such_package" in text_table(outcome.rows)


def test_a_peer_that_fails_is_named_and_our_own_failure_is_raised():
    def broken():
        raise RuntimeError("no solver")

    outcome = hold("case", [Contestant("ours", lambda: 1), Contestant("theirs", broken, "json")], 2)
    assert outcome.rows[1].note == "failed: RuntimeError: no solver"
    assert outcome.rows[0].seconds is not None
    with pytest.raises(RuntimeError):
        hold("case", [Contestant("ours", broken)], 1)


def test_claims_on_speed_are_not_judged_in_a_smoke_run():
    speed, answer = Claim("speed", 0.9, 0.75), Claim("answer", 1e-9, 1e-6, at_any_size=True)
    assert speed.to_dict(smoke=False) == {"claim": "speed", "value": 0.9, "at most": 0.75, "holds": False}
    assert speed.to_dict(smoke=True)["holds"] is None
    assert answer.to_dict(smoke=True)["holds"] is True
    assert Claim("factor", 600, 500, at_least=True).holds
    assert text_claims([speed, answer], smoke=False).splitlines() == [
        "DOES NOT HOLD  speed: 0.9 ≤ 0.75", "holds          answer: 1e-09 ≤ 1e-06",
    ]  # fmt: skip


def test_the_table_lines_up():
    rows = [Row("a case", "one", Seconds((0.5, 0.25, 1.5)), 1.0), Row("a case", "the other", note="a remark")]
    lines = text_table(rows).splitlines()
    assert len({line.index("one") for line in lines[2:3]} | {line.index("the other") for line in lines[3:4]}) == 1
    assert lines[2].split() == ["a", "case", "one", "500", "ms", "250", "ms", "–", "1.5", "s", "1"]
    assert lines[4] == "    a remark"


def test_every_setting_has_a_sentence_and_a_smoke_size():
    for name, case in CASES.items():
        assert is_dataclass(case.full), name
        assert type(case.full) is type(case.smoke)
        assert type(case.full).__dataclass_params__.frozen
        assert case.settings(smoke=True, repeats=None, long=False) == case.smoke
        known = {field.name for field in fields(case.full)}
        if "repeats" in known:
            assert case.settings(smoke=False, repeats=9, long=False).repeats == 9
    assert CASES["organ"].settings(smoke=False, repeats=None, long=True).paper_to_the_end


def test_a_run_is_shown_and_written(tmp_path, monkeypatch):
    """The cheapest real case beside a fake one: the form of the JSON file, whole after each case."""
    small = ScalingSettings((200, 400), (1, 2), (1, 2), 200, 1)
    written = []

    def fake(settings):
        written.append(json.loads((tmp_path / "new" / "bench.json").read_text())["rows"])
        return Measured([Row("fake", "nobody", note="nothing")])

    monkeypatch.setitem(CASES, "scaling", Case("cost", measure_scaling, small, small))
    monkeypatch.setitem(CASES, "agents", Case("fake", fake, small, small))
    said = []
    result = run(["scaling", "agents"], tmp_path / "new", smoke=True, repeats=2, say=said.append)
    assert json.loads((tmp_path / "new" / "bench.json").read_text()) == json.loads(json.dumps(result))
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["bench.json"]
    assert {"name", "settings", "rows", "seconds", "versions"} <= set(result)
    assert len(written[0]) == 10  # after the first case: 3 × (2 sizes and an exponent) and the steepest step
    first = result["rows"][0]
    assert (first["case"], first["contestant"], first["ratio"]) == ("a pass against pairs", "200 pairs", 1.0)
    assert len(first["seconds"]["values"]) == 2
    assert first["seconds"]["min"] <= first["seconds"]["median"] <= first["seconds"]["max"]
    assert result["settings"]["scaling"]["pairs"] == (200, 400)
    assert all(claim["holds"] is None for claim in result["claims"])
    text = "\n".join(said)
    assert "200 pairs" in text
    assert "time ∝ levels^" in text
    assert str(tmp_path / "new" / "bench.json") in text


def test_one_case_has_a_file_of_its_own(tmp_path, monkeypatch):
    small = ScalingSettings()
    monkeypatch.setitem(CASES, "agents", Case("fake", lambda settings: Measured([Row("fake", "x")]), small, small))
    run(["agents", "agents"], tmp_path, say=lambda text: None)
    assert json.loads((tmp_path / "agents.json").read_text())["name"] == "agents"


@pytest.mark.parametrize(("names", "repeats"), [(["speed"], None), (["organ"], 0)])
def test_wrong_usage_is_one_sentence(tmp_path, names, repeats):
    with pytest.raises(InputError):
        run(names, tmp_path / "out", repeats=repeats)
    assert not (tmp_path / "out").exists()


def test_versions_name_what_was_compared():
    found = versions()
    assert {"python", "machine", "lori", "jax", "numpy"} <= set(found)


# -- the data that contestants are given -------------------------------------------------------------------


def test_organ_pairs_follow_the_papers_answer():
    """The share of wins on pairs that the model is sure of, within four standard errors."""
    pairs = data.organ_pairs(4_000, seed=1)
    expected = data.truth().predict_proba(pairs.left, pairs.right)[:, 0]
    error = np.sqrt(np.mean(expected * (1 - expected)) / len(expected))
    assert abs(np.mean(pairs.left_won == (expected > 0.5)) - np.mean(np.maximum(expected, 1 - expected))) < 4 * error
    chosen = pairs.preferences
    assert np.all(chosen.wins == 1)
    np.testing.assert_array_equal(chosen.left_features[pairs.left_won], pairs.left[pairs.left_won])
    np.testing.assert_array_equal(chosen.left_features[~pairs.left_won], pairs.right[~pairs.left_won])


def test_a_file_of_organ_pairs_is_read_back(tmp_path, monkeypatch):
    from lori.data.reading.stream import open_stream

    monkeypatch.setattr(data, "PIECE", 40)
    data.write_organ_pairs(tmp_path / "pairs.parquet", 100)
    stream = open_stream(tmp_path / "pairs.parquet")
    assert stream.n_pairs == 100
    parts = list(stream)
    first = data.organ_pairs(40, seed=0)
    np.testing.assert_array_equal(parts[0].left_features[:40], first.left)
    np.testing.assert_array_equal(parts[0].wins[:40], first.left_won)
    assert parts[0].features == data.FEATURES


def test_comparisons_are_counted_by_pair_of_items():
    seen = bradley_terry.Comparisons(
        np.array([0, 1, 2, 0, 1]), np.array([1, 0, 0, 2, 0]), np.array([1, 1, 0, -1, -1]), items=3
    )
    assert seen.beaten().tolist() == [[0, 2, 0], [1, 0, 0], [1, 0, 0]]
    prefs = seen.preferences()
    assert (prefs.left.tolist(), prefs.right.tolist()) == ([0, 0], [1, 2])  # 1 and 2 never met
    assert prefs.outcome_counts.tolist() == [[2, 0, 1], [0, 1, 1]]
    assert len(seen.decided().left) == 4


def test_a_task_for_srmp_has_as_much_noise_as_asked_for():
    generator = np.random.default_rng(0)
    clean = srmp.Task.draw(200, 0.3, 0.0, np.random.default_rng(5))
    noisy = srmp.Task.draw(200, 0.3, 0.1, np.random.default_rng(5))
    assert np.sum(clean.left_won != noisy.left_won) == 20
    gap = clean.left - clean.right
    sure = np.abs(gap[:, 0]) > 0.3
    np.testing.assert_array_equal(clean.left_won, np.where(sure, gap[:, 0] > 0, gap[:, 1] > 0))
    assert generator.uniform() < 1


def test_decision_makers_are_pooled_and_a_missing_rival_stays_named():
    fine = [Row("", "ours", Seconds((t,)), 1.0, "", {"accuracy": a}) for t, a in ((1.0, 0.8), (3.0, 0.9))]
    gone = Row("", "theirs", note="skipped: mcda is not installed")
    outcomes = [type("Outcome", (), {"rows": [row, gone]}) for row in fine]
    ours, theirs = srmp._pooled("20 pairs", outcomes)
    assert ours.seconds.values == (1.0, 3.0)
    assert ours.measures["accuracy"] == pytest.approx(0.85)
    assert (theirs.case, theirs.note) == ("20 pairs", gone.note)


def test_what_hangs_on_a_level_is_what_changes_without_it():
    """By hand: twice the same objective decides nothing the second time, and hardly anything the first time."""
    left = np.array([[0.3, 1.0], [0.9, -2.0], [3.0, -1.0], [0.0, 0.1]])
    right = np.zeros((4, 2))
    crossed = OrderedModel.linear([[1.0, 0.0], [0.0, 1.0]], epsilon=[1.0, 0.5])
    assert recovery.hanging(crossed, left, right).tolist() == [1 / 4, 2 / 4]  # pair 3; pairs 1 and 2
    repeated = OrderedModel.linear([[1.0, 0.0], [1.0, 0.0]], epsilon=[1.0, 0.5])
    assert recovery.hanging(repeated, left, right).tolist() == [0.0, 1 / 4]  # nothing; pair 2


def test_levels_are_matched_by_where_their_weights_point():
    truth = OrderedModel.linear([[1.0, 0.0], [0.0, 1.0]], epsilon=[1.0, 0.0])
    near = OrderedModel.linear([[5.0, 1.0], [-0.1, 0.2]], epsilon=[2.0, 0.0])
    swapped = OrderedModel.linear([[0.1, 1.0], [1.0, 0.1]], epsilon=[1.0, 0.0])
    silent = OrderedModel.linear([[1.0, 0.1], [0.0, 0.0]], epsilon=[0.0, 0.0])
    assert [recovery.in_order(truth, fitted) for fitted in (near, swapped, silent)] == [True, False, True]
    three = OrderedModel.linear([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], epsilon=[1.0, 1.0, 0.0])
    assert recovery.in_order(three, near)  # the first and the third
    assert not recovery.in_order(three, swapped)


def test_random_models_are_as_asked():
    model = recovery.random_model(np.random.default_rng(3), 3, 4, speaks=0.1, decides=0.05)
    left, right = np.random.default_rng(4).normal(size=(2, 20_000, 4))
    speaking = model.decisions(left, right)
    error = 3 * np.sqrt(0.1 / recovery.PROBES)  # the shares were judged on so many pairs
    assert (speaking.left + speaking.right).mean(axis=0).min() > 0.1 - error
    assert recovery.hanging(model, left, right).min() > 0.05 - error


def test_recovery_is_told_by_what_hangs_on_the_weakest_level(monkeypatch):
    trials = [
        recovery.Trial(0.001, right=False, fewer=True, stands=True, rmse=0.02),
        recovery.Trial(0.2, right=True, fewer=False, stands=True, rmse=0.01),
        recovery.Trial(0.1, right=True, fewer=True, stands=False, rmse=0.025),
    ]
    monkeypatch.setattr(recovery, "each", lambda function, work, jobs: trials)
    measured = recovery.measure(recovery.SMOKE)
    told = [tuple(row.measures[name] for name in ("right", "fewer", "stands", "close")) for row in measured.rows]
    assert told == [(0, 1, 1, 1), (2, 1, 1, 2)]
    assert [claim.holds for claim in measured.claims] == [True, False, True]
