"""`lori elicit`: a study is served to people in their browsers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from lori.errors import InputError, MissingExtra
from lori.interfaces.commands.console import say, single_threads

EXAMPLE = Path("study.toml")
MOST_PROCESSES = 4
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def elicit(
    study: Annotated[Path | None, typer.Argument(help="The study file (TOML).")] = None,
    *,
    example: Annotated[
        bool, typer.Option("--example", help="Write an example to STUDY (study.toml) that runs at once, and exit.")
    ] = False,
    db: Annotated[
        str,
        typer.Option(help="Database: sqlite:///FILE or postgresql://USER@HOST/NAME. Default: a file beside the study."),
    ] = "",
    host: Annotated[
        str, typer.Option(help="Address to listen at; put TLS in front of any but this computer's own.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at.")] = 8000,
) -> None:
    """Ask people in a browser: each next question is the one that teaches most about what they put first."""
    single_threads()
    from lori.interfaces.web.example import write_example
    from lori.language import interview as language

    if example:
        typer.echo(write_example(study or EXAMPLE))
        return
    if study is None:
        raise InputError("STUDY", expected="a study file", got="none", fix="write one with lori elicit --example")
    from lori.inference.interview.study_file import checked_study

    known, faults = checked_study(study)
    for fault in faults[1:]:
        say(f"Error: {fault}")
    if faults or known is None:
        raise faults[0]
    if not 0 < port < 65536:
        raise InputError("--port", expected="a number from 1 to 65535", got=str(port), fix="use --port 8000")
    try:
        import alembic  # noqa: F401
        import sqlalchemy  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise MissingExtra(error.name or "starlette", "web") from None
    from lori.interfaces.web.server import Server
    from lori.interfaces.web.storage import Storage

    storage = Storage(db or f"sqlite:///{study.resolve().with_suffix('.db')}", known)
    if storage.admin_token is not None:
        typer.echo(language.TOKEN.format(token=storage.admin_token))
    if host not in LOOPBACK:
        say(language.TLS)
    typer.echo(language.ADDRESSES.format(address=f"http://{host}:{port}"))
    app = Server(known, storage, study.resolve().parent, secure=host not in LOOPBACK, processes=_processes()).app()
    uvicorn.run(
        app, host=host, port=port, access_log=False, log_level="warning", server_header=False, limit_concurrency=2000,
        http="h11", h11_max_incomplete_event_size=32_768, timeout_keep_alive=30,
    )  # fmt: skip


def _processes() -> int:
    """Workers beside the process that serves pages: one for each further processor."""
    return max(1, min(MOST_PROCESSES, (os.cpu_count() or 1) - 1))
