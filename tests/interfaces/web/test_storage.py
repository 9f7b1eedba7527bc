"""Storage: an answer is there once, in either database, whoever writes at the same time.

For PostgreSQL name an empty database: LORI_POSTGRES=postgresql://user@host/name.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sql

from lori.errors import InputError
from lori.inference.interview.interview import Question
from lori.inference.interview.study_file import study_from
from lori.interfaces.web.storage import Storage, Turn, hashed, new_token
from lori.interfaces.web.tables import connect, metadata

from .conftest import TABLE


@pytest.fixture(params=["sqlite", "postgresql"])
def storage(request, tmp_path):
    url = f"sqlite:///{tmp_path}/study.db"
    if request.param == "postgresql":
        url = os.environ.get("LORI_POSTGRES", "")
        if not url:
            pytest.skip("no PostgreSQL is named in LORI_POSTGRES")
    own = Storage(url, study_from(TABLE)[0])
    yield own
    if request.param == "postgresql":
        with own.engine.begin() as connection:
            metadata.drop_all(connection)
            connection.execute(sql.text("DROP TABLE alembic_version"))
    own.engine.dispose()


def question(number):
    return Question(number, (1.0, 2.0, 3.0), (3.0, 2.0, float(number)))


@pytest.fixture
def person(storage):
    [(number, token)] = storage.add()
    storage.consent(number, "", question(1))
    assert storage.find(token).id == number
    return number


def test_the_database_is_what_the_tables_say(storage):
    inspector = sql.inspect(storage.engine)
    for table in metadata.sorted_tables:
        stored = {column["name"]: column["nullable"] for column in inspector.get_columns(table.name)}
        assert stored == {column.name: bool(column.nullable) for column in table.columns}


def test_an_answer_is_written_once(storage, person):
    [first], second = storage.turns(person), Turn(question(2), None, 2.0, None)
    assert storage.answer(person, first, "left", second)
    assert not storage.answer(person, first, "right", second)
    assert not storage.answer(person, Turn(question(7), None, first.asked_at, None), "right", second)
    assert [(turn.question.number, turn.answer) for turn in storage.turns(person)] == [(1, "left"), (2, None)]


def test_many_at_once_write_one_answer(storage, person):
    [first], second = storage.turns(person), Turn(question(2), None, 2.0, None)
    with ThreadPoolExecutor(8) as pool:
        answers = ["left", "right"] * 8
        written = list(pool.map(lambda own: storage.answer(person, first, own, second), answers))
    assert sum(written) == 1
    kept = storage.turns(person)
    assert [turn.question.number for turn in kept] == [1, 2]
    assert kept[0].answer == answers[written.index(True)]


def test_a_turn_that_was_taken_back_and_asked_again_is_another_one(storage, person):
    [first], second = storage.turns(person), Turn(question(2), None, 2.0, None)
    storage.answer(person, first, "left", second)
    storage.undo(person, 1)
    storage.answer(person, first, "right", Turn(question(2), None, 3.0, None))
    assert not storage.answer(person, second, "left", None)  # what was answered before it is not what it was
    storage.set_state("no")
    assert not storage.answer(person, storage.turns(person)[-1], "left", None)
    storage.set_state("invited")
    assert storage.answer(person, storage.turns(person)[-1], "left", None)


def test_undo_and_the_end(storage, person):
    storage.answer(person, *storage.turns(person), "tie", None, '{"order": ["a"], "probability": 0.9}')
    assert storage.everybody()[0].finished_at is not None
    assert not storage.undo(person, 2)
    assert storage.undo(person, 1)
    assert not storage.undo(person, 1)
    [own] = storage.everybody()
    assert (own.finished_at, own.result) == (None, "")


def test_deleting_leaves_others_alone(storage, person):
    [(other, _)] = storage.add()
    storage.consent(other, "", question(1))
    storage.delete(person)
    assert [own.id for own in storage.everybody()] == [other]
    assert [own for own, _ in storage.all_turns()] == [other]


def test_tokens_have_128_bits_and_are_stored_as_hashes(storage):
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(len(token) == 22 for token in tokens)
    assert storage.find(hashed(next(iter(tokens)))) is None


@pytest.mark.parametrize("url", ["mysql://x", "nonsense", "sqlite:////nowhere/at/all.db", "postgresql://127.0.0.1:1/x"])
def test_addresses_that_cannot_be_opened_are_refused(url):
    with pytest.raises(InputError, match="--db"):
        connect(url)
