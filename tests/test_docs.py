"""Does the documentation run, print what it shows, and lead where it points?

A page is run from top to bottom in one namespace and one temporary folder. `csv` blocks with a title become files,
`python` and `sh` blocks are carried out, and an `output` block must be what the block before it printed (numbers to two
percent). A comment above a block may shrink it (`tested with count=100`) or excuse it (`not run: REASON; TEST FILE`).
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import lori
from lori.interfaces.commands.main import application

ROOT = Path(__file__).resolve().parents[1]
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [*sorted(ROOT.glob("*.md")), *DOCS]
RUN_ELSEWHERE = {"analysis.md": "tests/test_analysis.py"}
SLOW = {"cancer.md", "choosing.md", "organ.md", "uncertainty.md"}  # simulators, survival models, posteriors
BLOCK = re.compile(r'(?:<!-- ([^>]*) -->\n)?^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:    )?(lori [a-z].*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
NUMBER = re.compile(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Block:
    """A fenced part of a page, with the comment above it."""

    mark: str
    kind: str
    title: str
    body: str


def blocks(page: Path) -> list[Block]:
    return [Block(*(part or "" for part in found)) for found in BLOCK.findall(page.read_text(encoding="utf-8"))]


def ids(page: Path) -> str:
    return page.name


def run_here() -> list:
    return [
        pytest.param(page, id=page.name, marks=[pytest.mark.slow] if page.name in SLOW else [])
        for page in DOCS
        if page.name not in RUN_ELSEWHERE and any(block.kind in ("python", "sh") for block in blocks(page))
    ]


@pytest.mark.parametrize("page", run_here())
def test_a_page_runs_and_prints_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict = {"__name__": page.stem}
    printed = ""
    for block in blocks(page):
        if block.mark.startswith("not run"):
            continue
        if block.kind == "csv" and block.title:
            Path(block.title).write_text(block.body, encoding="utf-8")
        elif block.kind == "python":
            printed = run_python(block, page, namespace)
        elif block.kind == "sh":
            printed = "".join(run_command(words) for words in commands(block.body))
        elif block.kind == "output":
            assert_same(printed, block.body)


def run_python(block: Block, page: Path, namespace: dict) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(smaller(block), str(page), "exec"), namespace)
    return said.getvalue()


def smaller(block: Block) -> str:
    """The code with the sizes that its comment names."""
    code = block.body
    if block.mark.startswith("tested with "):
        for name, size in (part.split("=") for part in block.mark.removeprefix("tested with ").split(", ")):
            code, found = re.subn(rf"\b{name}=\w+", f"{name}={size}", code)
            assert found, f"no {name} in the block below the comment"
    return code


def commands(body: str) -> list[list[str]]:
    return [words for line in joined(body).splitlines() if (words := shlex.split(line, comments=True))]


def joined(text: str) -> str:
    """A command on one line although it was written on several."""
    return text.replace("\\\n", " ")


def run_command(words: list[str]) -> str:
    """What a command prints. Only our own is run: of others, it is checked that they name what there is."""
    program, *arguments = words
    if program == "lori":
        result = CliRunner().invoke(application(), arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout
    assert program == "pip", f"do not know how to check {program}"
    assert arguments[0] == "install"
    extra = re.fullmatch(r"lori\[(\w+)\]", arguments[1])
    assert arguments[1] == "." or (extra and extra[1] in project()["optional-dependencies"])
    return ""


def assert_same(printed: str, shown: str) -> None:
    """The same words, and numbers within two percent: the last digits depend on the machine."""
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", shown).split(), printed
    values = [[float(number.replace(",", "")) for number in NUMBER.findall(text)] for text in (printed, shown)]
    assert values[0] == pytest.approx(values[1], rel=0.02, abs=1e-9), printed


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_outputs_are_compared_word_for_word_and_number_for_number():
    assert_same("Need comes first: 62.57 days", "Need comes first: 62.56 days")
    for other in ("Need comes first: 72.6 days", "Benefit comes first: 62.57 days", "Need comes first: 62.57"):
        with pytest.raises(AssertionError):
            assert_same("Need comes first: 62.57 days", other)


@pytest.mark.parametrize("page", DOCS, ids=ids)
def test_blocks_are_well_formed_and_excuses_name_a_test(page):
    text = page.read_text(encoding="utf-8")
    assert len(blocks(page)) * 2 == len(re.findall(r"^```", text, re.MULTILINE)), "a block that is not understood"
    for block in blocks(page):
        assert block.kind in ("python", "sh", "csv", "output", "text")
        if block.kind == "python":
            compile(smaller(block), str(page), "exec")
        if block.mark.startswith("not run"):
            excuse = re.fullmatch(r"not run: (\w[^;]+); (tests/\S+\.py)", block.mark)
            assert excuse
            assert (ROOT / excuse[2]).is_file()
    if page.name in RUN_ELSEWHERE:
        assert page.name in (ROOT / RUN_ELSEWHERE[page.name]).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_command_on_a_page_is_one_that_lori_understands(page):
    group = typer.main.get_command(application())
    for line in COMMAND.findall(joined(page.read_text(encoding="utf-8"))):
        _, name, *arguments = shlex.split(line, comments=True)
        assert name in group.commands, line
        group.commands[name].make_context(name, arguments)


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_links_lead_somewhere(page):
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if link.startswith(("https://", "http://")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links, here as on GitHub."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title.lower())) for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_files_of_the_repository_that_a_page_names_exist(page):
    for name in re.findall(r"`([a-z][\w/]*/[\w/]+\.py)`", page.read_text(encoding="utf-8")):
        assert (ROOT / name).is_file() or (ROOT / "src" / "lori" / name).is_file(), name


def test_the_reference_has_every_public_name_once():
    named = re.findall(r"^::: lori\.(\w+)$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(set(lori.__all__) - {"__version__"}), "docs/api.md names what lori exports"


def test_the_reference_has_every_argument_of_the_estimator():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| `(\w+)` \| (?:`(.*?)`|(\S+))", page, re.MULTILINE)
    defaults = {name: ast.literal_eval(code or plain) for name, code, plain in described}
    assert defaults == lori.LORI().get_params()


def test_the_site_is_built_without_warnings_and_asks_nothing_of_the_internet(tmp_path, monkeypatch):
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    monkeypatch.chdir(ROOT)
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path)))  # strict: a warning stops it
    pages = list(tmp_path.rglob("*.html"))
    assert {page.stem for page in DOCS} <= {page.stem for page in pages}
    for page in pages:
        fetched = re.findall(r"<(?:script|img|link|iframe)\b[^>]*?(?:src|href)=\"?(https?:[^\s\">]+)", page.read_text())
        assert not fetched, page.name
