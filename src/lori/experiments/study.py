"""Studies: what does `lori reproduce` carry out? Settings, the work of one seed, and what becomes of the answers.

A study is a module `lori/experiments/NAME.py` with a constant `STUDY`, listed in `NAMES` below. Its contract:

    settings, smoke     two values of one frozen dataclass with plain fields (numbers, words, tuples of these), none of
                        them called `seeds`; `smoke` is so small that the whole study takes seconds
    cell(settings, seed)    the work of one seed (0, 1, 2, …): a dict of plain JSON values without NaN. It depends on
                        its two arguments alone and runs in a thread beside other cells: no global state, and JAX only
                        through functions under `@double_precision` (that setting belongs to a thread)
    rows(settings, cells)   all answers, in the order of the seeds, become rows {"method": NAME, METRIC: {"mean", "std",
                        "values"}}, made with `measured`. Left out, cells are {method: {metric: number}}. A row may
                        hold other plain values for the figure; the table shows only what was measured, and below it
                        stand the paragraphs of a row's list `words`
    paper               what the paper printed: {method: {metric: {"mean", "std"}}}, `std` where there is one
    draw(result, path)  writes the figure as PNG to `path`; `result` is the content of NAME.json. Use
                        `matplotlib.figure.Figure` and not pyplot. Left out, `figures.draw_rows` draws the rows
    random              False where nothing is drawn at random: there is one cell then, of seed 0
    version             goes up when `cell` changes its meaning, so that older cells are not used again

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Settings:
...     pairs: int = 1000
>>> study = Study("dice", "How often does the model win?", Settings(), Settings(pairs=4),
...               cell=lambda settings, seed: {"LORI": {"accuracy": seed / settings.pairs}},
...               paper={"LORI": {"accuracy": {"mean": 0.5, "std": 0.01}}})
>>> study.rows(study.smoke, [study.cell(study.smoke, seed) for seed in (1, 2, 3)])
[{'method': 'LORI', 'accuracy': {'mean': 0.5, 'std': 0.25, 'values': [0.25, 0.5, 0.75]}}]
"""

from __future__ import annotations

import importlib
import importlib.util
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from lori.errors import InputError

NAMES = (
    "table1",
    "table2",
    "table3",
    "table4",
    "table5",
    "figure2",
    "expressive",
    "organ",
    "mechanisms",
    "organ_sets",
    "levels",
    "age",
    "readings",
)
"""In the order of the paper; those whose module exists can be run."""

HERE, SILENT = "as here", "–"

Cell = dict[str, Any]
Row = dict[str, Any]


def setting(default: Any, says: str, *, printed: str = SILENT, scripts: str = SILENT) -> Any:
    """A field of a study's settings, with its origin: what the paper prints and what its authors' scripts do.

    Each is `HERE`, `SILENT`, or says what it is there instead. docs/provenance.md is made from it.
    """
    return field(default=default, metadata={"says": says, "printed": printed, "scripts": scripts})


def measured(values: Sequence[float]) -> dict[str, Any]:
    """Mean and sample standard deviation over seeds (none for a single seed), with every seed's value."""
    numbers = [float(value) for value in values]
    spread = statistics.stdev(numbers) if len(numbers) > 1 else None
    return {"mean": statistics.fmean(numbers), "std": spread, "values": numbers}


def by_method(settings: Any, cells: Sequence[Cell]) -> list[Row]:
    """A row for each method of cells {method: {metric: number}}."""
    return [
        {"method": method, **{metric: measured([cell[method][metric] for cell in cells]) for metric in metrics}}
        for method, metrics in cells[0].items()
    ]


def metrics(rows: Sequence[Row]) -> list[str]:
    """What was measured, in the order in which it first appears."""
    return list(dict.fromkeys(name for row in rows for name, entry in row.items() if _is_measured(entry)))


def _is_measured(entry: Any) -> bool:
    return isinstance(entry, dict) and {"mean", "std", "values"} <= entry.keys()


@dataclass(frozen=True)
class Study:
    """One table or figure of the paper; the contract is told at the top of this file."""

    name: str
    title: str
    settings: Any
    smoke: Any
    cell: Callable[[Any, int], Cell]
    rows: Callable[[Any, Sequence[Cell]], list[Row]] = by_method
    paper: dict[str, Any] = field(default_factory=dict)
    draw: Callable[[dict[str, Any], Path], None] | None = None
    random: bool = True
    version: int = 1
    changes: Mapping[str, str] = field(default_factory=dict)  # settings that were asked for, as they were written

    def changed(self, changes: Mapping[str, str]) -> Study:
        """The same study with other settings, given as text."""
        values = {name: self._read(name, text) for name, text in changes.items()}
        return replace(
            self,
            settings=replace(self.settings, **values),
            smoke=replace(self.smoke, **values),
            changes={**self.changes, **changes},
        )

    def _read(self, name: str, text: str) -> Any:
        """The value of a setting, of the type that it has."""
        known = [each.name for each in fields(self.settings)]
        if name not in known:
            raise InputError(
                "--set",
                expected=f"a setting of {self.name}: {', '.join(known)}",
                got=repr(name),
                fix="correct the name",
            )
        usual = getattr(self.settings, name)
        words = {"True": True, "False": False}
        try:
            return words[text] if isinstance(usual, bool) else type(usual)(text)
        except (KeyError, ValueError):
            kind = "True or False" if isinstance(usual, bool) else f"a value like {usual}"
            raise InputError("--set", expected=f"{kind} for {name}", got=repr(text), fix="correct it") from None


def available() -> list[str]:
    """The names that `lori reproduce` understands."""
    return [name for name in NAMES if importlib.util.find_spec(f"lori.experiments.{name}")]


def find(name: str) -> Study:
    """The study of that name; only its own module is imported."""
    if name not in available():
        raise InputError(
            "NAME", expected=f"one of {', '.join(available())} or all", got=repr(name), fix="choose among these"
        )
    return importlib.import_module(f"lori.experiments.{name}").STUDY
