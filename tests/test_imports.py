"""Imports point one way: data → model → language → inference → estimators → … → interfaces.

Read from the source with `ast`, so that imports inside functions and under TYPE_CHECKING count as well. So do modules
that are named in a string, whatever becomes of it: `import_module(NAME)`, a table of homes, "module:attribute", the
arguments of `python -m`. Docstrings and comments may name what they like.
"""

import ast
import re
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
_LAYERS = "|".join(ALLOWED)
NAMED = re.compile(rf"(?<![\w.])lori\.({_LAYERS})\b")
RELATIVE = re.compile(rf"\.+({_LAYERS})\b[\w.:]*")
HIDDEN = re.compile(r"^lori\.$|(?<![\w.])lori\.[{%]")  # what comes next is put in later


def layer_of(module: str) -> str:
    """The folder or the file right below the package: lori.data.writing → data, lori itself → __init__."""
    return module.split(".")[1] if "." in module else "__init__"


def imported(module: str, text: str, is_package: bool = False) -> Iterator[str]:
    """Every module of LORI that the source names in an import or a string (`from lori import x` counts as lori.x)."""
    package = module if is_package else module.rpartition(".")[0]
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parent, *([base] if base else [])])
            names = [f"lori.{alias.name}" for alias in node.names] if base == "lori" else [base]
        else:
            continue
        yield from (name for name in names if name == "lori" or name.startswith("lori."))
    for string in strings(tree):
        yield from named_in(string)


def strings(tree: ast.AST) -> Iterator[str]:
    """String constants, also within f-strings, but no docstrings: statements that are nothing but a string."""
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.value


def named_in(string: str) -> Iterator[str]:
    """The layers that a string names; '?' stands for one that cannot be read, as in f"lori.{layer}.plots"."""
    yield from (f"lori.{layer}" for layer in NAMED.findall(string))
    if relative := RELATIVE.fullmatch(string):
        yield f"lori.{relative[1]}"
    if HIDDEN.search(string):
        yield "lori.?"


def violations(module: str, text: str, is_package: bool = False) -> list[str]:
    layer = layer_of(module)
    return [
        f"{module} names {name}"
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
        ("lori.experiments.table2", "from ..interfaces.commands.main import main"),
        ("lori.errors", "from .data import writing"),
        ("lori", "from lori.interfaces import commands"),
        ("lori.estimators.lori", "DRAWING = 'lori.interfaces.figures.plots'\nimport_module(DRAWING)"),
        ("lori.estimators.lori", "find(f'lori.interfaces.figures.{kind}')"),
        ("lori.estimators.lori", "HOMES = {'plots': 'lori.interfaces.figures.plots:Plots'}"),
        ("lori.experiments.bench.cache", "command = [sys.executable, '-m', 'lori.interfaces.commands.main', 'fit']"),
        ("lori.experiments.bench.cache", "run(['python', '-c', 'from lori.interfaces import commands'])"),
        ("lori.model.ordered", "import_module('..inference.search', __package__)"),
        ("lori.model.ordered", "import_module(f'lori.{layer}.search')"),
        ("lori.model.ordered", "import_module('lori.' + layer)"),
        ("lori.model.ordered", "import_module('lori.{}.search'.format(layer))"),
        (
            "lori.policies.policy",
            "def f():\n    'Of a file.'\n    return __import__('lori.experiments.study')",
        ),
        ("lori", "_HOMES = {'lori.interfaces.figures.plots': ('Plots',)}"),
    ],
)
def test_a_wrong_import_would_be_seen(module, text):
    assert len(violations(module, text, is_package=module == "lori")) == 1


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("lori.data.writing", "from lori.errors import DataError\nfrom . import grouping\nimport numpy as np"),
        (
            "lori.inference.search.search",
            "from lori.model.rewards import Linear\nfrom ..data import preferences",
        ),
        ("lori.interfaces.commands.main", "from lori import __version__\nfrom lori.evaluation import metrics"),
        ("lori", "from .estimators.lori import LORI"),
        ("lori", "_HOMES = {'lori.experiments.study': ('Study',)}"),
        ("lori.model.ordered", "'See lori.interfaces.figures.'\ndef f():\n    'As lori.estimators.lori does.'"),
        ("lori.model.ordered", "# as in lori.interfaces.figures\nNAME = 'lori'"),
        ("lori.data.preferences", "raise InputError('fit', fix='use lori.select_levels, or lori.LORI(levels=1).')"),
        ("lori.estimators.contract", "entry_points(group='lori.figures')"),
        ("lori.policies.policy", "_HOMES = {'preferred': 'lori.policies.preferred'}"),
        ("lori.experiments.study", "importlib.import_module(f'lori.experiments.{name}')"),
        ("lori.applications.organ.registry", "import loris\nfrom lori.policies.policy import Tabular"),
    ],
)
def test_a_right_import_is_left_in_peace(module, text):
    assert violations(module, text, is_package=module == "lori") == []
