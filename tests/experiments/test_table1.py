"""Table 1, measured: are its problems what they say, and does it tell where LORI loses?"""

from dataclasses import replace

import numpy as np
import pytest

from lori.baselines.lexicographic import LexicographicOrder, ModelVoting
from lori.experiments.known_answers import KNOWN
from lori.experiments.results import run_study
from lori.experiments.study import measured
from lori.experiments.table1 import (
    METHODS,
    PROBLEMS,
    SINGLE,
    STUDY,
    Problem,
    draw,
    intransitive,
    judged,
    losses,
    no_noise,
    order_of,
    order_of_levels,
    people,
    single_levels,
)
from lori.language.results import LevelSummary
from lori.model.quantity import Quantity

SMALL = replace(STUDY.smoke, people=8)


def test_tverskys_answers_are_halved():
    eight = people(SMALL, 0)
    assert len(eight) == 8
    for problem in eight:
        assert np.all(problem.train.comparisons == 10)
        assert np.all(problem.test.comparisons == 10)
    other = people(SMALL, 1)
    assert not np.array_equal(other[0].train.outcome_counts, eight[0].train.outcome_counts)


def test_without_noise_the_ordinal_learners_make_no_mistake():
    problem = no_noise(SMALL, 1000)
    for make in (LexicographicOrder, ModelVoting):
        told = judged(problem, lambda own, make=make: make(increasing="all").fit(own.train))
        assert told["accuracy %"] == 100
        assert told["order found %"] == 100
        assert told["log-loss"] < 0.02


def test_the_intransitive_truth_goes_in_circles():
    problem = intransitive(SMALL, 0)
    assert isinstance(problem, Problem)
    place = np.array([0.0, 0.45, 0.9])
    line = np.column_stack([place, 1 - place])
    model = LexicographicOrder(jnd=[0.5, 0.0], increasing="all").fit(problem.train)
    near = model.predict_proba(line[:2], line[1:])[:, 0]
    far = model.predict_proba(line[[2]], line[[0]])[:, 0]
    assert np.all(near > 0.5)  # the payoff decides between neighbours
    assert far > 0.5  # and the probability between distant ones


def row(name, losses):
    return {"method": name, "log-loss": measured(losses)}


def test_losses_are_told_seed_by_seed():
    found = [row(f"{title}: LORI", [0.5, 0.6, 0.7]) for title in PROBLEMS]
    found += [row("cancer: T-REX", [0.4, 0.5, 0.6]), row("thresholds: T-REX", [0.4, 0.7, 0.8])]
    told = [str(said) for said in losses(found)]
    assert len(told) == len(PROBLEMS)
    assert told[list(PROBLEMS).index("cancer")].startswith(
        "Cancer: LORI loses (log-loss 0.6000) to T-REX (0.5000, 0.1000"
    )
    assert told[list(PROBLEMS).index("thresholds")].startswith("Thresholds: no method")


def test_losses_of_single_features_are_told_too():
    found = [row(f"{title}: {name}", [0.5, 0.5]) for title in PROBLEMS for name in ("LORI", SINGLE)]
    told = [str(said) for said in losses([*found, row("cancer: T-REX", [0.4, 0.4])])]
    assert len(told) == 2 * len(PROBLEMS)
    assert [said.split(" loses")[0] for said in told if " loses" in said] == ["Cancer: LORI", f"Cancer: {SINGLE}"]


def test_the_figure_is_drawn(tmp_path):
    found = [row(f"{title}: {name}", [0.5]) for title in PROBLEMS for name in METHODS]
    draw({"rows": found}, tmp_path / "table1.png")
    assert (tmp_path / "table1.png").stat().st_size > 10_000


def test_orders_are_asked_of_those_that_have_one():
    problem = no_noise(SMALL, 1000)
    assert order_of(LexicographicOrder().fit(problem.train), np.full(4, 2.0)) == problem.order
    assert order_of(object(), np.full(4, 2.0)) is None


def level(weights, epsilon, outweighs=()):
    """One level of features that differ by 2 at most."""
    size = {name: abs(weight) for name, weight in weights.items()}
    least = {name: Quantity(epsilon / own if own else None) for name, own in size.items()}
    share = {name: own / max(sum(size.values()), 1e-9) for name, own in size.items()}
    told = {name: Quantity(weight) for name, weight in weights.items()}
    one = Quantity(1.0)
    return LevelSummary(1, "linear", share, (), told, Quantity(epsilon), least, one, 0.5, outweighs=tuple(outweighs))


@pytest.mark.parametrize(
    ("levels", "order"),
    [
        ([level({"a": 6, "b": 2, "c": 0}, 5), level({"a": 0, "b": 1, "c": 6}, 0)], "ac"),  # b can be traded for a
        ([level({"a": 30, "b": 9, "c": 0.5}, 4, "ab"), level({"a": 0.01, "b": 0.1, "c": 9}, 0, "cb")], "abc"),
        ([level({"a": 30, "b": 9, "c": 0.5}, 4, "abc"), level({"a": 0, "b": 0, "c": 0}, 0)], "ab"),  # c is not heard
        ([level({"a": 6, "b": 1, "c": 1}, 5), level({"a": 6, "b": 1, "c": 1}, 0)], "a"),  # nothing new comes second
    ],
)
def test_an_order_goes_through_the_levels_and_through_weights_that_outweigh(levels, order):
    assert "".join(order_of_levels(levels, dict.fromkeys("abc", 2.0))) == order


@pytest.mark.slow
def test_without_noise_lori_ties_with_the_ordinal_learners():
    problem = no_noise(replace(SMALL, pairs=400), 1000)  # of 120 hardly any are left for the fourth attribute
    ours = judged(problem, lambda own: single_levels(own.train, 1000))
    theirs = judged(problem, lambda own: LexicographicOrder(jnd="learned").fit(own.train))
    assert ours["accuracy %"] == ours["order found %"] == 100
    assert ours["log-loss"] < theirs["log-loss"]


@pytest.mark.slow
def test_a_smoke_run_has_every_method_and_every_problem(tmp_path):
    result = run_study(STUDY, tmp_path, seeds=1, smoke=True, jobs=1, say=lambda text: None)
    names = [each["method"] for each in result["rows"]]
    assert all(f"own kind: {name}" in names for name in KNOWN)
    assert all(f"{title}: {name}" in names for title in PROBLEMS for name in (*METHODS, SINGLE))
    assert result["rows"][-1]["words"]
    assert {path.name for path in tmp_path.iterdir()} >= {"table1.json", "table1.md", "table1.png"}
