"""Progress: how far is a study? The database counts, so that many respondents do not slow the page that shows it."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sql

from lori.inference.interview.interview import SKIP
from lori.interfaces.web.storage import Respondent, Storage, respondent_of
from lori.interfaces.web.tables import respondents, turns

ANSWERED = turns.c.answer.is_not(None)
COUNT = sql.func.count


class Progress(NamedTuple):
    """What was done so far."""

    respondents: int
    begun: int
    finished: int
    answers: int
    seconds: float | None  # that an answer takes, in the middle
    repeated: int  # questions that were answered twice
    alike: int  # of these, with the same answer


def progress(storage: Storage) -> Progress:
    took = (turns.c.answered_at - turns.c.asked_at).label("took")
    with storage.reading() as connection:
        people = connection.execute(
            sql.select(COUNT(), COUNT(respondents.c.consented_at), COUNT(respondents.c.finished_at))
        ).one()
        answers = int(connection.scalar(sql.select(COUNT()).where(ANSWERED)) or 0)
        middle = connection.scalar(sql.select(took).where(ANSWERED).order_by(took).offset(answers // 2).limit(1))
        repeated, alike = connection.execute(_repeats()).one()
    return Progress(*people, answers, middle, repeated, alike or 0)


def latest(storage: Storage, most: int) -> list[tuple[Respondent, int]]:
    """Who came last, in order, each with the number of their answers."""
    own = sql.select(COUNT()).where(turns.c.respondent == respondents.c.id, ANSWERED).scalar_subquery()
    some = sql.select(respondents, own.label("answers")).order_by(respondents.c.id.desc()).limit(most)
    with storage.reading() as connection:
        rows = connection.execute(some).all()
    return [(respondent_of(row), int(row.answers)) for row in reversed(rows)]


def _repeats() -> sql.Executable:
    """How many questions were answered twice, and how many of them alike: sides are changed the second time."""
    again, before = turns.alias(), turns.alias()
    same = sql.and_(before.c.respondent == again.c.respondent, before.c.number == again.c.repeats)
    answer = again.c.answer
    changed = sql.case((answer == "left", "right"), (answer == "right", "left"), else_=answer)
    return (
        sql.select(COUNT(), sql.func.sum(sql.case((before.c.answer == changed, 1), else_=0)))
        .select_from(again.join(before, same))
        .where(answer != SKIP, before.c.answer != SKIP)
    )
