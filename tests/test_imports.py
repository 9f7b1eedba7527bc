"""Imports point one way: data → model → inference → policies → … → interfaces.

Read from the source with `ast`, so that imports inside functions and under TYPE_CHECKING count as well.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "lori"
ORDER = (
    "data", "model", "language", "inference", "estimators", "policies", "baselines", "evaluation", "applications",
    "experiments", "interfaces",
)  # fmt: skip
ALLOWED = {layer: {"errors", *ORDER[: place + 1]} for place, layer in enumerate(ORDER)}
ALLOWED["errors"] = set()
ALLOWED["__init__"] = {"errors", *ORDER[:-1]}  # the public face; the command line is not part of it
ALLOWED["__main__"] = {"interfaces"}  # python -m lori


def layer_of(module: str) -> str:
    """The folder or the file right below the package: lori.data.writing → data, lori itself → __init__."""
    return module.split(".")[1] if "." in module else "__init__"


def imported(module: str, text: str, is_package: bool = False) -> Iterator[str]:
    """Every module of LORI that the source names in an import (`from lori import x` counts as lori.x)."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parent, *([base] if base else [])])
            names = [f"lori.{alias.name}" for alias in node.names] if base == "lori" else [base]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__"):
            names = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        else:
            continue
        yield from (name for name in names if name == "lori" or name.startswith("lori."))


def violations(module: str, text: str, is_package: bool = False) -> list[str]:
    layer = layer_of(module)
    return [
        f"{module} imports {name}"
        for name in imported(module, text, is_package)
        if layer_of(name) not in ALLOWED[layer] | {"__version__"}
    ]


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def test_there_is_something_to_read():
    layers = {layer_of(name) for name in modules()}
    assert {"data", "model", "inference", "interfaces", "errors"} <= layers


@pytest.mark.parametrize(("name", "path"), modules().items(), ids=list(modules()))
def test_imports_point_one_way(name, path):
    assert layer_of(name) in ALLOWED, "a new layer: say in ORDER where it belongs"
    assert violations(name, path.read_text(encoding="utf-8"), path.name == "__init__.py") == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("lori.data.writing", "from lori.model.rewards import Linear"),
        ("lori.data.preferences", "import lori.model.ordered"),
        ("lori.model.ordered", "def f():\n    from ..inference import search"),
        ("lori.inference.search.search", "from lori import LORI"),
        ("lori.inference.search.search", "import importlib\nimportlib.import_module('lori.interfaces.commands.main')"),
        ("lori.evaluation.metrics", "if TYPE_CHECKING:\n    from lori.applications import cancer"),
        ("lori.experiments.table2", "from ..interfaces.cli import main"),
        ("lori.errors", "from .data import files"),
        ("lori", "from lori.interfaces import cli"),
    ],
)
def test_a_wrong_import_would_be_seen(module, text):
    assert len(violations(module, text, is_package=module == "lori")) == 1


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("lori.data.writing", "from lori.errors import DataError\nfrom . import tables\nimport numpy as np"),
        (
            "lori.inference.search.search",
            "from lori.model.rewards import Linear\nfrom ..data import preferences",
        ),
        ("lori.interfaces.commands.main", "from lori import __version__\nfrom lori.evaluation import metrics"),
        ("lori", "from .estimators.lori import LORI"),
        ("lori.applications.organ.registry", "import loris\nfrom lori.policies.mdp import Tabular"),
    ],
)
def test_a_right_import_is_left_in_peace(module, text):
    assert violations(module, text, is_package=module == "lori") == []
