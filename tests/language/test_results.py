"""Are results plain values that files keep and read back?"""

import json
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest

from lori.language.notes import Note
from lori.language.results import CapInFeature, Status, Summary
from lori.model.quantity import Quantity


def test_a_summary_comes_back_from_json(made):
    noted = Status(True, 48, 1 / 48, (Note("rare optimum", {"starts": 48}), Note("separation", variant="no prior")))
    capped = {"cap": Quantity(1.0), "cap_reached": 0.2, "cap_in_feature": CapInFeature("need", 250.0)}
    gated = replace(made.level(2, particulars=made.gate()), reward="gated")
    for summary in (
        made.summary(status=noted), made.summary(replace(made.level(), **capped), gated), made.summary(made.level()),
    ):  # fmt: skip
        text = json.dumps(summary.to_dict(), allow_nan=False)
        again = Summary.from_dict(json.loads(text))
        assert again == summary
        assert json.dumps(again.to_dict()) == text
        assert str(again) == str(summary)


def test_files_of_the_version_before_are_read():
    """There notes hold their texts, and the recommendation may be missing."""
    path = Path(__file__).parents[1] / "interfaces" / "person1.json"
    fields = json.loads(path.read_text(encoding="utf-8"))["summary"]
    summary = Summary.from_dict(fields)
    (note,) = summary.status.notes
    assert note.code == "collinear"
    assert str(note) == " ".join([fields["status"]["notes"][0]["text"], fields["status"]["notes"][0]["remedy"]])
    assert summary.support.recommended == 2
    assert Summary.from_dict(summary.to_dict()) == summary


def test_json_keeps_its_keys(made):
    fields = made.summary().to_dict()
    assert list(fields) == [
        "features", "ties", "levels", "undecided_share", "log_likelihood", "comparisons", "pairs", "by_levels",
        "support", "status", "lapse", "sentences", "null_log_likelihood", "pseudo_r2", "aic", "agents",
    ]  # fmt: skip
    assert set(fields["levels"][0]) == {
        "level", "reward", "importance", "leading", "weights", "epsilon", "thresholds", "alpha", "decides",
    }  # fmt: skip
    assert fields["sentences"] == [str(sentence) for sentence in made.summary().sentences]
    assert all(type(sentence) is str for sentence in fields["sentences"])


def test_results_do_not_change(made):
    with pytest.raises(FrozenInstanceError):
        made.summary().ties = "observed"


def test_one_start_in_many_is_called_rare():
    lonely = Status(True, 48, 1 / 48, (Note("rare optimum", {"starts": 48}),))
    assert lonely.has("rare optimum")
    assert not lonely.has("separation")
    assert Status.from_dict(lonely.to_dict()) == lonely


def test_tables_for_notebooks_pages_and_papers(made):
    summary = made.summary(status=Status(True, 48, 1 / 48, (Note("rare optimum", {"starts": 48}),)))
    frame = summary.to_frame()
    features = sum(len(level.weights) for level in summary.levels)
    assert len(frame) == features
    first = summary.levels[0]
    row = frame[frame["feature"] == first.leading[0]].iloc[0]
    assert row["weight"] == first.weights[first.leading[0]].value
    assert (row["threshold low"], row["threshold high"]) == first.threshold.interval
    assert row["odds ratio"] == pytest.approx(np.exp(row["weight"] * (first.alpha.value or 0.0)))
    latex = summary.to_latex()
    assert latex.count("\\\\") == features + 1
    assert r"95 \% interval" in latex
    shown = summary._repr_html_()
    assert summary.to_html() in shown
    assert shown.count("<p>") == len(summary.sentences) + 1


def test_statistics_of_a_table_of_results(made):
    summary = made.summary()
    assert summary.pseudo_r2 is None
    known = replace(summary, null_log_likelihood=2 * summary.log_likelihood, agents=12)
    assert known.pseudo_r2 == pytest.approx(0.5)
    assert known.aic == 2 * known.parameters - 2 * known.log_likelihood
    assert Summary.from_dict(known.to_dict()).agents == 12
