"""Options of commands: are groups taken apart and put together, values understood, and large files streamed?

Typer sees each option, the command gets the groups.
"""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, get_type_hints

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import lori
from lori.errors import InputError
from lori.interfaces.commands import options
from lori.interfaces.commands.options import (
    DataOptions,
    EngineName,
    EngineOptions,
    ModelDataOptions,
    assignments,
    grouped,
    names,
    numbers,
    whole,
)


@dataclass(frozen=True)
class Size:
    width: Annotated[int, typer.Option(min=1, help="How wide.")]
    height: Annotated[int, typer.Option(help="How high.")] = 2

    def area(self) -> int:
        return self.width * self.height


@dataclass(frozen=True)
class Solid(Size):
    depth: Annotated[int, typer.Option("--deep", "-d", help="How deep.")] = 3


def measure(name: str, *, loud: bool = False, solid: Solid) -> None:
    """Measure a thing."""
    typer.echo(f"{name}{'!' if loud else ''} {solid.area() * solid.depth}")


def call(*given: str):
    app = typer.Typer()
    app.command()(grouped(measure))
    return CliRunner().invoke(app, given)


def test_every_field_is_an_option_and_the_command_gets_the_group():
    assert call("box", "--width", "4").output == "box 24\n"
    assert call("box", "--width", "4", "--height", "1", "-d", "5", "--loud").output == "box! 20\n"


def test_help_shows_them_in_the_order_of_the_signature():
    shown = call("--help").output
    assert "Measure a thing." in shown
    order = [shown.index(word) for word in ("--loud", "How wide.", "How high.", "How deep.")]
    assert order == sorted(order)


def test_limits_and_what_is_required_hold():
    assert call("box").exit_code == 2
    assert "--width" in call("box").output
    assert call("box", "--width", "0").exit_code == 2


def test_two_options_of_one_name_are_refused():
    def twice(width: int, size: Size) -> None: ...

    with pytest.raises(ValueError, match="duplicate parameter name"):
        grouped(twice)


def test_what_people_write_is_understood():
    assert assignments("--columns", ["left.*=*1", "choice=won"]) == {"left.*": "*1", "choice": "won"}
    assert assignments("--columns", None) == {}
    assert names("a, b,") == ["a", "b"]
    assert names(None) == []
    assert names("all") == "all"
    assert numbers("--epsilon", "learned") is None
    assert numbers("--epsilon", "learned, 0.5") == [None, 0.5]
    assert whole("--levels", "12") == 12


@pytest.mark.parametrize(
    ("parse", "text"), [(assignments, ["a="]), (assignments, ["=b"]), (numbers, "much"), (whole, "2.5")]
)
def test_what_is_not_understood_is_said(parse, text):
    with pytest.raises(InputError, match=r"^--option: expected"):
        parse("--option", text)


# -- files of a command -------------------------------------------------------------------------------------------

PAIRS = "price1,price2,choice\n1,2,first\n2,2,second\n3,1,second\n"
OTHER_NAMES = {"columns": ["left.*=*1", "right.*=*2"], "values": ["left=first", "right=second"]}


@pytest.fixture
def table(tmp_path):
    (tmp_path / "pairs.csv").write_text(PAIRS)
    return tmp_path / "pairs.csv"


def test_columns_and_choices_may_have_other_names(table):
    read, dropped = DataOptions(**OTHER_NAMES, identical="keep").read([table])
    assert read.features == ("price",)
    assert (len(read), dropped) == (3, 0)


def test_pairs_of_equal_sides_are_dropped_and_counted(table):
    read, dropped = DataOptions(**OTHER_NAMES, identical="drop").read([table])
    assert (len(read), dropped) == (2, 1)


WIDE = "TRAIN_TT,CAR_TT,PURPOSE,CHOICE\n10,20,1,1\n30,20,2,0\n30,15,3,2\n"
WIDE_NAMES = {"columns": ["time=*_TT", "choice=CHOICE"], "values": ["TRAIN=1", "CAR=2"], "where": ["PURPOSE=1, 3"]}


def test_sets_are_read_as_what_they_are(tmp_path):
    (tmp_path / "wide.csv").write_text(WIDE)
    files = [tmp_path / "wide.csv"]
    choices, dropped = DataOptions(**WIDE_NAMES, constants=True).read(files)
    assert isinstance(choices, lori.Choices)
    assert (len(choices), dropped, choices.features) == (2, 0, ("time", "TRAIN"))
    assert DataOptions(**WIDE_NAMES, baseline="TRAIN").read(files)[0].features == ("time", "CAR")
    assert DataOptions(**WIDE_NAMES, alternatives="CAR,TRAIN").read(files)[0].names == ("CAR", "TRAIN")
    pairs, _ = DataOptions(**WIDE_NAMES, as_pairs=True).read(files)
    assert isinstance(pairs, lori.Preferences)
    codes = WIDE_NAMES | {"where": None, "values": ["TRAIN=1", "CAR=2", "none=0"]}
    assert DataOptions(**codes, opt_out="none").read(files)[0].features == ("time", "none")


def test_ties_in_sets_are_read_when_asked(tmp_path):
    file = tmp_path / "sets.csv"
    file.write_text("set,chosen,x\n1,1,5\n1,1,6\n1,0,7\n")
    assert DataOptions().read([file], ties="observed")[0].has_ties
    with pytest.raises(InputError, match="--ties observed"):
        DataOptions().read([file])


def test_a_model_is_shown_its_own_features_and_constants(tmp_path):
    """Constants of the model are found by their names; what is to be predicted needs no choice."""
    (tmp_path / "wide.csv").write_text(WIDE)
    fitted = SimpleNamespace(features_=("TRAIN", "time"), pooled_=None, reading_=None)
    read = ModelDataOptions(columns=["time=*_TT"]).read([tmp_path / "wide.csv"], fitted, outcome_needed=False)
    assert read.features == ("TRAIN", "time")
    assert read.alternatives[:2].tolist() == [[1, 10], [0, 20]]


def test_sets_are_not_streamed(tmp_path):
    for given in ({"constants": True}, {"opt_out": "none"}, {"where": ["a=1"]}, {"as_pairs": True}):
        with pytest.raises(InputError, match="expected data in memory, got a stream"):
            DataOptions(**given).stream([tmp_path / "pairs.parquet"])


def test_large_files_and_folders_are_streamed(table, tmp_path, monkeypatch):
    folder = tmp_path / "parts"
    folder.mkdir()
    pairs = lori.Preferences.from_arrays(np.ones((40, 1)), np.zeros((40, 1)))
    lori.write_pairs(pairs, folder / "pairs.parquet")
    parquet = [folder / "pairs.parquet"]
    assert not EngineOptions().streams([table])
    assert not EngineOptions().streams(parquet)
    assert EngineOptions().streams([folder])
    assert EngineOptions(engine=EngineName.dask).streams([table])
    assert not EngineOptions(engine=EngineName.memory).streams([folder])
    monkeypatch.setattr(options, "LARGE_FILE", 100)
    assert EngineOptions().streams(parquet)
    assert len(DataOptions().stream(parquet)) == 40


def test_a_large_file_that_is_damaged_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(options, "LARGE_FILE", 100)
    file = tmp_path / "pairs.parquet"
    lori.write_pairs(lori.Preferences.from_arrays(np.ones((40, 1)), np.zeros((40, 1))), file)
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(InputError, match="expected a whole Parquet file"):
        EngineOptions().streams([file])
    assert not EngineOptions().streams([tmp_path / ("a" * 300 + ".parquet")])


def test_limits_are_those_of_a_fit():
    """The command line has them a second time, so that help stays light."""
    from lori.inference import settings
    from lori.interfaces.commands import options
    from lori.interfaces.commands.simulate import WorldOptions
    from lori.model.specification import MOST_LEVELS

    levels = get_type_hints(WorldOptions, include_extras=True)["levels"].__metadata__[0]
    assert options.MOST_SEED == settings.MOST_SEED
    assert levels.max == MOST_LEVELS
