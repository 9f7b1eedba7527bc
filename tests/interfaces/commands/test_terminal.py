"""Does a person at a terminal see the answer at a glance, and a file the whole summary without colours?"""

import io
import sys

from rich.console import Console

from lori.interfaces.commands import console
from lori.interfaces.commands.terminal import print_compact


def shown(summary, **options) -> str:
    console = Console(file=io.StringIO(), width=100, **options)
    print_compact(summary, console)
    return console.file.getvalue()


def test_the_answer_the_levels_and_the_notes(model):
    text = shown(model.summary().to_dict())
    assert "Probability (more is better) comes first" in text
    assert "███████ 37%" in text
    assert "Note: Probability and payoff move together" in text
    assert "converged" in text
    assert "\x1b[" in shown(model.summary().to_dict(), force_terminal=True)


def test_markup_in_names_is_not_obeyed(model):
    summary = model.summary().to_dict()
    fields = {**summary, "features": ["[bold red]x"], "levels": [
        {**level, "leading": ["[bold red]x"], "thresholds": {"[bold red]x": level["epsilon"]},
         "weights": {"[bold red]x": level["epsilon"]}} for level in summary["levels"]
    ]}  # fmt: skip
    assert "[bold red]x" in shown(fields)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_only_where_somebody_looks(model, monkeypatch, capsys):
    console.show_summary(model)
    assert capsys.readouterr().out.startswith("LORI: 2 levels")
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    console.show_summary(model)
    assert sys.stdout.getvalue().startswith("LORI: 2 levels")
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setattr(sys, "stdout", Terminal())
    console.show_summary(model)
    assert "What comes first" in sys.stdout.getvalue()
