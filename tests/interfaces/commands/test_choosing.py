"""`--levels auto` on the command line: what spoke for the number, for one model and for each agent."""

import json

import pytest
from typer.testing import CliRunner

import lori
from lori.errors import InputError
from lori.evaluation.selection import select_levels
from lori.interfaces.commands import choosing
from lori.interfaces.commands.main import app

TWO = lori.OrderedModel.linear([[4.0, 0.0], [0.0, 4.0]], epsilon=[4.0, 0.0], features=["cost", "time"])


@pytest.fixture
def file(tmp_path):
    lori.write_pairs(lori.simulate(TWO, 300, agents=2, seed=0), tmp_path / "pairs.csv")
    return tmp_path / "pairs.csv"


def test_data_that_are_not_in_memory_are_refused():
    with pytest.raises(InputError, match="--levels: expected a number for data that are not in memory"):
        choosing.choose_levels(lori.LORI(), None)


def test_the_fit_takes_what_was_recommended_and_shows_why(file, monkeypatch):
    def quick(preferences, **options):
        return select_levels(preferences, 2, estimator=options["estimator"], method="laplace", draws=100)

    monkeypatch.setattr("lori.evaluation.selection.select_levels", quick)
    shown = CliRunner().invoke(app, ["fit", str(file), "--levels", "auto", "--increasing", "all"])
    assert shown.exit_code == 0, shown.output
    assert "LORI: 2 levels" in shown.output
    assert "Two levels are recommended: the odds against one level are" in shown.output


@pytest.mark.slow
def test_each_agent_gets_a_verdict(file):
    command = ["fit", str(file), "--by", "agent", "--levels", "auto", "--increasing", "all"]
    shown = CliRunner().invoke(app, command)
    assert "Is each agent lexicographic at all?" in shown.output
    assert "Of 2 agents: one level" in shown.output
    found = json.loads(CliRunner().invoke(app, [*command, "--json"]).output)
    assert set(found["agents"]) == {"1", "2"}
    assert sum(found["shares"].values()) == pytest.approx(1.0)
