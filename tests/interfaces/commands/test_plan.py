"""`lori plan` and `lori rollout`: from an environment to a policy, a page and what it brings."""

import json

import pytest

import lori
from lori.model.ordered import OrderedModel
from lori.policies import search

pytest.importorskip("mo_gymnasium", reason="needs lori[rl]")
SEA = "deep-sea-treasure-concave-v0"


def test_a_plan_is_shown_saved_reported_and_followed(run, tmp_path):
    policy, page, seen = (str(tmp_path / name) for name in ("policy.json", "plan.html", "seen.npz"))
    _, out, _ = run(
        "plan", SEA, "--threshold", "treasure=20", "--reading", "deterministic", "--save", policy, "--report", page
    )
    assert "gets treasure 24, time -13" in out
    text = (tmp_path / "plan.html").read_text()
    assert "<svg" in text
    assert "gives up" in text
    assert "://" not in text.replace("http://www.w3.org", "")
    _, out, _ = run("rollout", SEA, policy, "--episodes", "3", "--out", seen)
    assert "treasure: 24" in out
    table = json.loads(run("rollout", SEA, "random", "--episodes", "3", "--json")[1])
    assert table["objectives"] == ["treasure", "time"]


def test_a_model_brings_its_own_order(run, tmp_path):
    model = OrderedModel.linear([[0.0, 1.0], [1.0, 0.0]], epsilon=[8.0, 0.0], features=["treasure", "time"])
    lori.save_ordered_model(model, tmp_path / "model.json")
    found = json.loads(run("plan", SEA, str(tmp_path / "model.json"), "--reading", "deterministic", "--json")[1])
    assert found["objective_values"] == {"treasure": 16.0, "time": -9.0}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["CartPole-v1"], "a vector reward"),
        ([SEA, "--threshold", "gold=1"], "some of treasure, time"),
        ([SEA, "--threshold", "time=soon"], "NAME=NUMBER"),
        ([SEA, "--order", "time,gold"], "some of treasure, time"),
        (["fruit-tree-v0"], "an infinite horizon with discount 1"),
        ([SEA, "--reading", "hopeful"], "reading: expected"),
    ],
)
def test_wrong_usage_is_one_sentence(run, words, said):
    code, _, err = run("plan", *words)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_a_preferred_policy_is_found_by_listing_or_by_trying_and_has_a_page(run, tmp_path, monkeypatch):
    model = OrderedModel.linear([[0.04, 0.0], [0.0, 0.3]], epsilon=[2.0, 0.0], features=["treasure", "time"])
    lori.save_ordered_model(model, tmp_path / "model.json")
    page, given = tmp_path / "page.html", ["prefer", SEA, str(tmp_path / "model.json"), "--horizon", "20"]
    _, out, _ = run(*given, "--against", "random", "--report", str(page))
    assert "A better policy was found" in out
    text = page.read_text()
    assert text.count("<svg") == 1
    assert "What each level got" in text
    assert "://" not in text.replace("http://www.w3.org", "")
    usual = search.prefer_by_search.__kwdefaults__
    quick = {**usual, "rounds": 2, "policies": 4, "trajectories": 8}
    monkeypatch.setattr(search.prefer_by_search, "__kwdefaults__", quick)
    policy = str(tmp_path / "policy.json")
    found = json.loads(run(*given, "--against", "random", "--search", "--save", policy, "--json")[1])
    assert found["candidates"] == 8
    assert "treasure" in run("rollout", SEA, policy, "--episodes", "2", "--horizon", "20")[1]
