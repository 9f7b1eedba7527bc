"""Tests mirror src/lori, and modules stay short enough to be read at a sitting.

`tests/FOLDER/test_NAME.py` belongs to the module or the package `src/lori/FOLDER/NAME`. What stands in `tests/` itself
is about the library as a whole, and a few files ask one question of several modules.
"""

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src" / "lori"
LONGEST = 400
ACROSS_MODULES = {
    "estimators/test_earlier_files.py": "model files that earlier versions wrote",
    "estimators/test_fit_stream.py": "a fit from files too large for memory",
    "experiments/bench/test_golden.py": "results of long benchmarks, kept in tests/golden",
    "inference/test_recovery.py": "fits of simulated data, whose truth is known",
    "inference/search/test_invariance.py": "searches of the same data told in other ways",
    "inference/search/test_optima.py": "searches of small problems against brute force",
    "inference/test_reference_data.py": "fits of published data, whose answers are known",
    "interfaces/web/test_browser.py": "whole interviews in a real browser",
    "interfaces/test_three_reports.py": "reports of three real analyses",
    "language/test_sentences.py": "every sentence, kept in tests/golden",
    "model/rewards/test_registry.py": "families of rewards, also from outside the library",
}


def module_of(file: str) -> Path:
    """Where the module of a test file stands: data/test_writing.py → src/lori/data/writing.py."""
    path = SOURCE / file
    return path.with_name(path.name.removeprefix("test_"))


def has_module(file: str) -> bool:
    module = module_of(file)
    return module.is_file() or (module.with_suffix("") / "__init__.py").is_file()


def test_every_test_file_has_its_module():
    files = {path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py") if path.parent != TESTS}
    assert "data/test_writing.py" in files
    lost = sorted(file for file in files - set(ACROSS_MODULES) if not has_module(file))
    assert lost == [], "move these to the tests of their module"


@pytest.mark.parametrize("file", ACROSS_MODULES)
def test_exceptions_are_needed(file):
    assert (TESTS / file).is_file()
    assert not has_module(file)


@pytest.mark.parametrize(
    ("file", "there"),
    [
        ("data/test_writing.py", True),
        ("model/likelihoods/test_pairs.py", True),
        ("model/test_rewards.py", True),  # a package
        ("data/test_pairs.py", False),
        ("interfaces/report/test_templates.py", False),  # a folder without code
    ],
)
def test_a_lost_test_file_would_be_seen(file, there):
    assert has_module(file) is there


def test_modules_are_short():
    lines = {
        path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8").count("\n")
        for path in SOURCE.rglob("*.py")
    }
    assert lines["data/writing.py"] > 0
    assert {file: count for file, count in lines.items() if count > LONGEST} == {}, "split these by noun"
