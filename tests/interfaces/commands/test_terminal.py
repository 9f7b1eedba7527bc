"""Does a person at a terminal see the answer at a glance, and a file the whole summary without colours?"""

import io
import sys
from dataclasses import replace

from rich.console import Console

from lori.interfaces.commands import console
from lori.interfaces.commands.terminal import print_compact


def shown(summary, **options) -> str:
    console = Console(file=io.StringIO(), width=100, **options)
    print_compact(summary, console)
    return console.file.getvalue()


def test_the_answer_the_levels_and_the_notes(model):
    text = shown(model.summary())
    assert "Probability (more is better) comes first" in text
    assert "███████ 37 %" in text
    assert "Note: Probability and payoff move together" in text
    assert "converged" in text
    assert "\x1b[" in shown(model.summary(), force_terminal=True)


def test_markup_in_names_is_not_obeyed(model):
    name = "[bold red]x"
    levels = [
        replace(level, leading=(name,), thresholds={name: level.epsilon}, weights={name: level.epsilon})
        for level in model.summary().levels
    ]
    assert name in shown(replace(model.summary(), features=(name,), levels=tuple(levels)))


def test_the_same_sentences_as_everywhere(model):
    """Terminal, pipe and JSON say the same."""
    console = Console(file=io.StringIO(), width=1000)
    print_compact(model.summary(), console)
    for sentence in model.summary().to_dict()["sentences"]:
        assert sentence in console.file.getvalue()
        assert sentence in str(model.summary())


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
