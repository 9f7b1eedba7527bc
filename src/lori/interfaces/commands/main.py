"""Command line: which commands are there, and how does one end? Errors are one sentence, with an exit code.

Nothing heavy is imported at the top, neither here nor in the modules of the commands: `lori --help` must feel instant.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from lori import __version__
from lori.errors import LoriError
from lori.interfaces.commands.bench import bench
from lori.interfaces.commands.demo import demo
from lori.interfaces.commands.explain import explain
from lori.interfaces.commands.fit import fit
from lori.interfaces.commands.options import grouped
from lori.interfaces.commands.plot import plot
from lori.interfaces.commands.predict import predict
from lori.interfaces.commands.report import report
from lori.interfaces.commands.reproduce import reproduce
from lori.interfaces.commands.simulate import simulate

INTERRUPTED = 130  # exit code, as shells have it
EXAMPLES: dict[Callable[..., None], str] = {  # the commands in the order of their help
    fit: "lori fit choices.csv --levels 2 --increasing benefit,need --save model.json",
    predict: "lori predict model.json new_pairs.csv --out predictions.csv",
    explain: "lori explain model.json pairs.csv",
    plot: "lori plot ladder model.json --out ladder.svg",
    report: "lori report model.json choices.csv --out report.html",
    simulate: "lori simulate levels --pairs 5000 --out data/",
    demo: "lori demo --out out",
    bench: "lori bench organ logit --out out",
    reproduce: "lori reproduce table2 table3 --seeds 5 --out out",
}

app = typer.Typer(
    name="lori",
    help="Learn what a decision-maker puts first: rewards in priority order from pairwise preferences.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command, example in EXAMPLES.items():
    app.command(epilog=f"Example: {example}")(grouped(command))


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False) -> None:
    if version:
        typer.echo(f"lori {__version__}")
        raise typer.Exit


def main() -> None:
    """Run a command; errors are one plain sentence on standard error, with exit code 1 or 2."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    use_cache()
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(code)
    except LoriError as error:
        _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped.", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if hasattr(error, "format_message"):  # wrong usage, as the parser tells it
            _usage(error)
        # anything else is a defect of ours: no traceback, which could show somebody's data
        if os.environ.get("LORI_DEBUG"):
            raise
        _fail(f"LORI failed with {type(error).__name__}; run again with LORI_DEBUG=1 and report what it shows.", 1)


def _usage(error: Any) -> NoReturn:
    """Wrong words on the command line, in one sentence; a command without any is an answer, too: its help."""
    text = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(text)
        sys.exit(error.exit_code)
    known = error.ctx.command_path if getattr(error, "ctx", None) else "lori"
    _fail(f"{' '.join(text.split()).rstrip('.')}; {known} --help tells what there is.", error.exit_code)


def _fail(sentence: str, code: int) -> NoReturn:
    typer.echo(f"Error: {sentence}", err=True)
    sys.exit(code)


def cache_folder() -> Path | None:
    """Where compiled code is kept, or None where that is switched off."""
    wanted = os.environ.get("LORI_CACHE", "")
    if wanted.lower() in ("off", "0", "no"):
        return None
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(wanted) if wanted else Path(base) / "lori"


def use_cache() -> None:
    """Tell JAX, before it is imported, to keep what it compiles; say so once if that is not possible."""
    _quiet_warnings()
    folder = cache_folder()
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _say(f"The cache folder {folder} cannot be used ({error.strerror}); going on without it.")
        return
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(folder))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")


def _quiet_warnings() -> None:
    """No warning reaches the terminal, but a cache that cannot be written is worth one sentence."""
    said: list[str] = []

    def show(message, *_, **__) -> None:
        if "compilation cache" in str(message) and not said:
            said.append("once")
            _say(f"Compiled code could not be kept in {cache_folder()} (is the disk full?); going on without it.")

    warnings.simplefilter("default")
    warnings.showwarning = show


def _say(sentence: str) -> None:
    print(f"Note: {sentence}", file=sys.stderr)
