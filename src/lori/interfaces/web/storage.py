"""Storage: how is an answer kept, once and for all, and what was answered so far?

Every function is one transaction. An answer is written only where its question is open, and the next question is
written with it: a reload, a double click, two tabs, the back button and a retry change nothing.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import Connection, Engine, Row

from lori.errors import InputError
from lori.inference.interview.interview import Question
from lori.inference.interview.study import Study
from lori.interfaces.web.tables import READING, analyses, connect, respondents, settings, turns

SEEDS = 16  # of interviews: what a respondent's begins with was mostly worked out for another one
ONE = sql.select(respondents).where(respondents.c.token == sql.bindparam("own"))
TURNS = sql.select(turns).where(turns.c.respondent == sql.bindparam("own")).order_by(turns.c.number)
STATE = sql.select(settings.c.value).where(settings.c.name == "open")
ANSWER = (
    turns.update()
    .where(
        turns.c.respondent == sql.bindparam("own"), turns.c.number == sql.bindparam("place"),
        turns.c.asked_at == sql.bindparam("then"), turns.c.answer.is_(None),
        STATE.scalar_subquery() != "no",
    )
    .values(answer=sql.bindparam("answer"), answered_at=sql.bindparam("answered_at"))
)  # fmt: skip
ASK = turns.insert()
NEW = respondents.insert().returning(respondents.c.id, sort_by_parameter_order=True)
END = respondents.update().where(respondents.c.id == sql.bindparam("own"))


def new_token() -> str:
    """128 bits, as a link carries them."""
    return secrets.token_urlsafe(16)


def hashed(token: str) -> str:
    """What is stored of a token: 128 random bits need no salt."""
    return sha256(token.encode()).hexdigest()


@dataclass(frozen=True)
class Turn:
    """A question, and its answer if there is one."""

    question: Question
    answer: str | None
    asked_at: float
    answered_at: float | None

    @cached_property
    def mark(self) -> str:
        """Tells this question from another one that had the same number before it was taken back."""
        return sha256(json.dumps([self.question.left, self.question.right]).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Respondent:
    """Who answers; the name is empty unless the study asks for it."""

    id: int
    seed: int
    name: str
    made_at: float
    expires_at: float | None
    consented_at: float | None
    finished_at: float | None
    result: str
    belief: str

    @property
    def label(self) -> str:
        return f"r{self.id}"

    @property
    def expired(self) -> bool:
        return self.expires_at is not None and self.expires_at < time.time()


class Storage:
    """Everything that is stored of one study."""

    def __init__(self, url: str, study: Study) -> None:
        self.engine: Engine = connect(url)
        self.admin_token = self._first_start(study)  # shown once, where it is new

    @property
    def is_file(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    def checkpoint(self) -> None:
        """SQLite's journal goes into its file, beside those who write: only this waits for the disk."""
        connection = self.engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")
        finally:
            connection.close()

    def reading(self) -> Connection:
        """A connection that does not write, and waits for nobody who does."""
        return self.engine.connect().execution_options(**{READING: True})

    # -- settings -------------------------------------------------------------------------------------------

    def _first_start(self, study: Study) -> str | None:
        """Make what a new database needs; the administrator's token is returned this once."""
        design = sha256(
            json.dumps(
                [study.features, [own.values for own in study.attributes], study.allows_ties, study.levels]
            ).encode()
        ).hexdigest()
        token = new_token()
        fresh = {"design": design, "admin": hashed(token), "secret": secrets.token_hex(32), "open": "yes"}
        with self.engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sql.text("SELECT pg_advisory_xact_lock(50172)"))
            known = dict(tuple(row) for row in connection.execute(sql.select(settings)))
            if not known:
                connection.execute(settings.insert(), [{"name": name, "value": own} for name, own in fresh.items()])
        self._settings = known or fresh
        if self._settings["design"] != design:
            raise InputError(
                "study", expected="the attributes with which this database was begun", got="other ones",
                fix="name another database with --db",
            )  # fmt: skip
        return None if known else token

    @property
    def secret(self) -> bytes:
        return bytes.fromhex(self._settings["secret"])

    def is_admin(self, token: str) -> bool:
        return secrets.compare_digest(hashed(token), self._settings["admin"])

    def state(self) -> str:
        """ "yes" (open to anybody), "invited" (with a link of one's own) or "no" (closed)."""
        with self.reading() as connection:
            return str(connection.scalar(STATE))

    def set_state(self, state: str) -> None:
        with self.engine.begin() as connection:
            connection.execute(settings.update().where(settings.c.name == "open").values(value=state))

    # -- respondents ----------------------------------------------------------------------------------------

    def add(self, *, count: int = 1, expires_at: float | None = None) -> list[tuple[int, str]]:
        """New respondents: (number, token) of each; the tokens are known to nobody else."""
        tokens = [new_token() for _ in range(count)]
        rows = [
            {
                "token": hashed(token), "seed": secrets.randbelow(SEEDS), "name": "", "made_at": time.time(),
                "expires_at": expires_at, "result": "", "belief": "",
            }
            for token in tokens
        ]  # fmt: skip
        with self.engine.begin() as connection:
            numbers = connection.scalars(NEW, rows).all()
        return list(zip(numbers, tokens, strict=True))

    def find(self, token: str) -> Respondent | None:
        with self.reading() as connection:
            row = connection.execute(ONE, {"own": hashed(token)}).first()
        return None if row is None else respondent_of(row)

    def consent(self, respondent: int, name: str, first: Question, belief: str = "") -> None:
        """Begin: consent is noted once, and the first question is asked."""
        with self.engine.begin() as connection:
            own = respondents.c.id == respondent
            connection.execute(
                respondents.update().where(own, respondents.c.consented_at.is_(None))
                .values(consented_at=time.time(), name=name, belief=belief)
            )  # fmt: skip
            self._ask(connection, respondent, first)

    def delete(self, respondent: int) -> None:
        """Everything of a respondent, for good."""
        with self.engine.begin() as connection:
            connection.execute(turns.delete().where(turns.c.respondent == respondent))
            connection.execute(respondents.delete().where(respondents.c.id == respondent))

    # -- turns ----------------------------------------------------------------------------------------------

    def turns(self, respondent: int) -> list[Turn]:
        """All questions of a respondent, in order; the last one may be open."""
        with self.reading() as connection:
            rows = connection.execute(TURNS, {"own": respondent}).all()
        return [_turn(row) for row in rows]

    def visited(self, token: str) -> tuple[Respondent | None, list[Turn], str]:
        """All that a page needs: who asks for it, what they were asked, and whether the study is open; see `state`."""
        with self.reading() as connection:
            state = str(connection.scalar(STATE))
            row = connection.execute(ONE, {"own": hashed(token)}).first()
            known = connection.execute(TURNS, {"own": row.id}).all() if row is not None else []
        return None if row is None else respondent_of(row), [_turn(own) for own in known], state

    def answer(self, respondent: int, turn: Turn, answer: str, following: Turn | None, result: str = "") -> bool:
        """Write an answer with what follows it: a question, or the end with its result.

        False: nothing was written, because this turn is not open any more, or the study is closed. A turn is told by
        when it was asked, too: whatever was answered before it, nobody has taken back since.
        """
        now = time.time()
        with self.engine.begin() as connection:
            values = {"own": respondent, "place": turn.question.number, "then": turn.asked_at}
            if not connection.execute(ANSWER, {**values, "answer": answer, "answered_at": now}).rowcount:
                return False
            if following is not None:
                connection.execute(ASK, _asked(respondent, following))
            else:
                connection.execute(END, {"own": respondent, "finished_at": now, "result": result})
        return True

    def undo(self, respondent: int, number: int) -> bool:
        """Take answer `number` back if it is the last one; its question is open again. False: nothing was changed."""
        with self.engine.begin() as connection:
            last = connection.scalar(
                sql.select(sql.func.max(turns.c.number))
                .where(turns.c.respondent == respondent, turns.c.answer.is_not(None))
            )  # fmt: skip
            if last is None or last != number:
                return False
            connection.execute(turns.delete().where(turns.c.respondent == respondent, turns.c.number > number))
            connection.execute(
                turns.update().where(turns.c.respondent == respondent, turns.c.number == number)
                .values(answer=None, answered_at=None)
            )  # fmt: skip
            connection.execute(
                respondents.update().where(respondents.c.id == respondent).values(finished_at=None, result="")
            )
        return True

    def _ask(self, connection: Connection, respondent: int, question: Question) -> None:
        """Another process may have asked already: the first question counts."""
        known = sql.select(turns.c.number).where(turns.c.respondent == respondent, turns.c.number == question.number)
        if connection.execute(known).first() is None:
            connection.execute(ASK, _asked(respondent, Turn(question, None, time.time(), None)))

    # -- everything -----------------------------------------------------------------------------------------

    def everybody(self) -> list[Respondent]:
        with self.reading() as connection:
            rows = connection.execute(sql.select(respondents).order_by(respondents.c.id)).all()
        return [respondent_of(row) for row in rows]

    def all_turns(self) -> list[tuple[int, Turn]]:
        with self.reading() as connection:
            rows = connection.execute(sql.select(turns).order_by(turns.c.respondent, turns.c.number)).all()
        return [(row.respondent, _turn(row)) for row in rows]

    def keep_analysis(self, answers: int, by_agent: str, report: str) -> None:
        with self.engine.begin() as connection:
            connection.execute(analyses.delete())
            connection.execute(
                analyses.insert().values(made_at=time.time(), answers=answers, by_agent=by_agent, report=report)
            )

    def analysis(self) -> Row[Any] | None:
        with self.reading() as connection:
            return connection.execute(sql.select(analyses).order_by(analyses.c.id.desc())).first()


def history(known: Sequence[Turn]) -> tuple[tuple[Question, str], ...]:
    """What an interview is taken up from: answered questions."""
    return tuple((turn.question, turn.answer) for turn in known if turn.answer is not None)


def respondent_of(row: Row[Any]) -> Respondent:
    values = row._asdict()
    return Respondent(**{own.name: values[own.name] for own in fields(Respondent)})


def _asked(respondent: int, turn: Turn) -> dict[str, Any]:
    question = turn.question
    return {
        "respondent": respondent, "number": question.number, "left": json.dumps(question.left),
        "right": json.dumps(question.right), "repeats": question.repeats, "asked_at": turn.asked_at,
    }  # fmt: skip


def _turn(row: Row[Any]) -> Turn:
    question = Question(row.number, tuple(json.loads(row.left)), tuple(json.loads(row.right)), row.repeats)
    return Turn(question, row.answer, row.asked_at, row.answered_at)
