"""Command line: which commands are there, and how does one end? Errors are one sentence, with an exit code.

Nothing heavy is imported at the top, neither here nor in the modules of the commands, and only the command that is called
is: `lori --help` must feel instant, and so must a prediction.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer

from lori import __version__
from lori.errors import LoriError, printable
from lori.interfaces.commands.cache import use_cache
from lori.interfaces.commands.options import grouped

LONGEST = 1_500  # characters of a sentence
INTERRUPTED = 130  # exit code, as shells have it
OBJECTS = 50_000  # new ones between two searches for garbage: starting makes many, and none is garbage
COMMANDS = {  # in the order of their help: the module of each, and an example
    "fit": ("fit", "lori fit choices.csv --levels 2 --increasing benefit,need --save model.json"),
    "read": ("read", "lori read survey.xlsx --sheet Answers"),
    "predict": ("predict", "lori predict model.json new_pairs.csv --out predictions.csv"),
    "explain": ("explain", "lori explain model.json pairs.csv"),
    "plot": ("plot", "lori plot ladder model.json --out ladder.svg"),
    "report": ("report", "lori report model.json choices.csv --out report.html"),
    "plan": (
        "plan",
        "lori plan deep-sea-treasure-concave-v0 --threshold treasure=20 --reading deterministic --save policy.json",
    ),
    "prefer": (
        "plan",
        "lori prefer deep-sea-treasure-concave-v0 model.json --against behaviour.npz --save better.json",
    ),
    "rollout": ("plan", "lori rollout deep-sea-treasure-concave-v0 policy.json --episodes 1000"),
    "winner": ("winner", "lori winner preferences.csv"),
    "compare": ("compare", "lori compare choices.csv --folds 5"),
    "plan-study": ("plan_study", "lori plan-study --features cost,benefit --slips 0.05 --choices 100,300,1000"),
    "elicit": ("elicit", "lori elicit study.toml --port 8000"),
    "simulate": ("simulate", "lori simulate levels --pairs 5000 --out data/"),
    "demo": ("demo", "lori demo --out out"),
    "bench": ("bench", "lori bench organ logit --out out"),
    "reproduce": ("reproduce", "lori reproduce table2 table3 --seeds 5 --out out"),
}


def application(words: Sequence[str] = ()) -> typer.Typer:
    """The command line for these words: with the one command that they call, or with all."""
    app = typer.Typer(
        name="lori",
        help="Learn what a decision-maker puts first: rewards in priority order from pairwise preferences.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_root)
    called = words[0] if words else ""
    for name, (module, example) in COMMANDS.items():
        if name == called or called not in COMMANDS:
            command = getattr(import_module(f"{__package__}.{module}"), name.replace("-", "_"))
            app.command(epilog=f"Example: {example}")(grouped(command))
    return app


def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        typer.echo(f"lori {__version__}")
        raise typer.Exit


def main() -> None:
    """Run a command; errors are one plain sentence on standard error, with exit code 1 or 2."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    gc.set_threshold(OBJECTS)
    _check_streams()
    use_cache()
    try:
        code = application(sys.argv[1:])(standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.stdout.flush()  # here, where a failure is a sentence
        sys.exit(code)
    except LoriError as error:
        _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped.", INTERRUPTED)
    except BrokenPipeError:
        _listen_no_more()
        sys.exit(1)
    except MemoryError:
        _fail("There is not enough memory for this; give less data, or use --engine stream.", 1)
    except OSError as error:
        _listen_no_more()
        what = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else "standard output"
        _fail(f"{what}: expected to read or write it, got {error.strerror or type(error).__name__}; check it.", 2)
    except Exception as error:
        if hasattr(error, "format_message"):  # wrong usage, as the parser tells it
            _usage(error)
        # anything else is a defect of ours: no traceback, which could show somebody's data
        if os.environ.get("LORI_DEBUG"):
            raise
        _fail(f"LORI failed with {type(error).__name__}; run again with LORI_DEBUG=1 and report what it shows.", 1)


def _check_streams() -> None:
    """Somebody must be listening; whatever a name holds can be printed, in any encoding."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (for as long as the process lives)
    if sys.stdout is None:
        _fail("standard output: expected an open one, got a closed one; send it to a file or to /dev/null.", 2)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _listen_no_more() -> None:
    """What is left in the buffer goes nowhere, so that leaving does not fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: Any) -> NoReturn:
    """Wrong words on the command line, in one sentence; a command without any is an answer, too: its help."""
    text = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(text)
        sys.exit(error.exit_code)
    known = error.ctx.command_path if getattr(error, "ctx", None) else "lori"
    _fail(f"{' '.join(text.split()).rstrip('.')}; {known} --help tells what there is.", error.exit_code)


def _fail(sentence: str, code: int) -> NoReturn:
    if len(sentence) > LONGEST:  # it repeats a word that is somebody's whole file
        sentence = f"{sentence[: LONGEST // 2]} … {sentence[-LONGEST // 2 :]}"
    typer.echo(f"Error: {printable(sentence)}", err=True)
    sys.exit(code)
