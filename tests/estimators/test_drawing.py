"""Does a fitted model find what draws it, and say plainly if nothing does?"""

import tomllib
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from lori.errors import InputError
from lori.estimators import contract as drawing

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_what_is_registered_is_used(monkeypatch):
    asked = []

    def registry(**wanted):
        asked.append(wanted)
        return EntryPoints([EntryPoint("plots", "collections:Counter", "lori.figures")])

    monkeypatch.setattr(drawing, "entry_points", registry)
    assert drawing.registered_plots().__name__ == "Counter"
    assert asked == [{"group": "lori.figures", "name": "plots"}]


def test_nothing_registered_is_one_plain_sentence(monkeypatch):
    monkeypatch.setattr(drawing, "entry_points", lambda **wanted: EntryPoints())
    with pytest.raises(
        InputError, match=r"^plot: expected an installed package that registers 'plots'.*again with pip"
    ):
        drawing.registered_plots()


def test_this_package_registers_its_own_figures():
    registered = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["entry-points"][drawing.GROUP]
    found = EntryPoint(drawing.NAME, registered[drawing.NAME], drawing.GROUP).load()
    assert found.__name__ == "Plots"
