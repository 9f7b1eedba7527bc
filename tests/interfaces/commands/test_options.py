"""Groups of options: Typer sees each option, the command gets the groups; and what people write is understood."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from lori.errors import InputError
from lori.interfaces.commands.options import assignments, grouped, names, numbers, whole


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
