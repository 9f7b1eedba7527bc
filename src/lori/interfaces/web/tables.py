"""Tables: what is stored of a study, its respondents and their answers, in SQLite or PostgreSQL?

No address, no browser's name, no cookie of anybody else. Tokens are stored as hashes alone. A turn is a question with
its answer; its key (respondent, number) is what makes answering idempotent.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import event
from sqlalchemy.engine import Engine

from lori.errors import InputError

MIGRATIONS = Path(__file__).with_name("migrations")
READING = "reading"  # an option of connections that do not write
JOURNAL = 20_000  # pages of SQLite's journal at which a writer empties it itself
PATIENCE = 30  # seconds that a transaction waits for another one to end

metadata = sql.MetaData()
settings = sql.Table(
    "settings", metadata,
    sql.Column("name", sql.String(40), primary_key=True),
    sql.Column("value", sql.Text, nullable=False),
)  # fmt: skip
respondents = sql.Table(
    "respondents", metadata,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("token", sql.String(64), nullable=False, unique=True),
    sql.Column("seed", sql.Integer, nullable=False),
    sql.Column("name", sql.Text, nullable=False, default=""),
    sql.Column("made_at", sql.Float, nullable=False),
    sql.Column("expires_at", sql.Float),
    sql.Column("consented_at", sql.Float),
    sql.Column("finished_at", sql.Float),
    sql.Column("result", sql.Text, nullable=False, default=""),
    sql.Column("belief", sql.Text, nullable=False, default=""),
)  # fmt: skip
turns = sql.Table(
    "turns", metadata,
    sql.Column(
        "respondent", sql.Integer, sql.ForeignKey("respondents.id", ondelete="CASCADE"), primary_key=True
    ),
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("left", sql.Text, nullable=False),
    sql.Column("right", sql.Text, nullable=False),
    sql.Column("repeats", sql.Integer),
    sql.Column("asked_at", sql.Float, nullable=False),
    sql.Column("answer", sql.String(8)),
    sql.Column("answered_at", sql.Float),
)  # fmt: skip
analyses = sql.Table(
    "analyses", metadata,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("made_at", sql.Float, nullable=False),
    sql.Column("answers", sql.Integer, nullable=False),
    sql.Column("by_agent", sql.Text, nullable=False),
    sql.Column("report", sql.Text, nullable=False),
)  # fmt: skip


def connect(url: str) -> Engine:
    """The database at this address, brought up to date."""
    try:
        address = sql.make_url(url)
        if address.drivername == "postgresql":
            address = address.set(drivername="postgresql+psycopg")
        if address.get_backend_name() not in ("sqlite", "postgresql"):
            raise ValueError
        engine = sql.create_engine(address, **_options(address))
        _upgrade(engine)
    except (sql.exc.SQLAlchemyError, ImportError, ValueError) as error:
        raise InputError(
            "--db", expected="sqlite:///FILE or postgresql://USER@HOST/NAME that can be opened",
            got=f"an address that fails ({type(error).__name__})", fix="correct it, and check that the database runs",
        ) from None  # fmt: skip
    return engine


def _options(address: sql.URL) -> dict[str, Any]:
    if address.get_backend_name() == "sqlite":
        return {"connect_args": {"timeout": PATIENCE, "check_same_thread": False}, "pool_size": 8, "max_overflow": 8}
    return {"pool_pre_ping": True, "pool_size": 8, "max_overflow": 8}


def _upgrade(engine: Engine) -> None:
    from alembic import command
    from alembic.config import Config

    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":  # one process at a time
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(50172)")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _begin_sqlite(connection: sql.Connection) -> None:
    """Who is going to write waits here, and not halfway; readers wait for nobody."""
    connection.exec_driver_sql("BEGIN" if connection.get_execution_options().get(READING) else "BEGIN IMMEDIATE")


def _prepare_sqlite(connection: Any, _: Any) -> None:
    """Readers do not wait for writers (WAL), and nobody waits for the disk at an answer (synchronous=NORMAL).

    The journal is emptied beside them (`Storage.checkpoint`), and by a writer only where that did not keep up.

    What was acknowledged survives the end of the process, however it ends. A power failure may take the answers of the
    last moments; PostgreSQL does not lose these either.
    """
    connection.isolation_level = None  # BEGIN is ours
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", f"busy_timeout={PATIENCE * 1000}",
        f"wal_autocheckpoint={JOURNAL}",
    ):  # fmt: skip
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
