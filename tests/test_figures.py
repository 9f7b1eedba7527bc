"""Does every figure on a page come from a command? Sections with measured numbers or pictures name what prints them.

A figure is a number with ±, a percentage, a number with decimals, or a picture, outside of code. Its section must have
a block that is run, or name a command: `lori …`, `make run`, `tools/…`. (That the command prints this very number
is not tested: most take minutes to hours.) Sections that only define something are listed below with the reason.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GENERATED = {"provenance.md"}  # from the settings in the code: tests/experiments/test_provenance.py
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in GENERATED)]
FENCED = re.compile(r"^```(\w*).*?^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`[^`]*`")
FIGURE = re.compile(r"±|\d\.\d|\d %|!\[")
COMMAND = re.compile(
    r"\b(?:lori (?:fit|predict|explain|simulate|reproduce|bench|plot|plan-study|elicit|demo)|make run)\b|tools/\w+\.py"
)
DEFINED = {
    ("api.md", "Learning"): "defaults of arguments, which tests/test_docs.py compares with the code",
    ("organ.md", "How the words come about"): "limits in the code that make the words",
    ("interview.md", "The study file"): "defaults of a study's file",
    ("model.md", "Slips"): "the prior's mode, and words of the output",
    ("index.md", "3. The answer, read from the end"): "of the output of the command in the section before",
}


def sections(page: Path) -> list[tuple[str, str]]:
    """Title and text of each part between two headings."""
    parts = re.split(r"^#+ (.*)$", FENCED.sub(_kept, page.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return list(zip(["", *parts[1::2]], parts[::2], strict=True))


def _kept(block: re.Match) -> str:
    """Of code, only its commands; that it was run at all counts as one."""
    return "lori fit" if block[1] in ("python", "sh") else " ".join(COMMAND.findall(block[0]))


def figures(text: str) -> list[str]:
    plain = INLINE.sub("", re.sub(r"\]\([^)]*\)", "]", text))
    return [line.strip() for line in plain.splitlines() if FIGURE.search(line)]


def listed() -> list[tuple[str, str, list[str], list[str]]]:
    """Page, section, its figures and its commands."""
    return [
        (page.name, title, found, COMMAND.findall(text))
        for page in PAGES
        for title, text in sections(page)
        if (found := figures(text))
    ]


@pytest.mark.parametrize(
    ("page", "title", "found", "commands"), [pytest.param(*each, id=f"{each[0]}: {each[1]}") for each in listed()]
)
def test_a_section_with_figures_names_the_command_that_prints_them(page, title, found, commands):
    assert commands or (page, title) in DEFINED, found


def test_only_sections_that_are_there_are_excused():
    known = {(page, title) for page, title, *_ in listed()}
    assert set(DEFINED) <= known
