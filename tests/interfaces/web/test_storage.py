"""Storage: an answer is there once, in either database, whoever writes at the same time."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sql

from lori.errors import InputError
from lori.interfaces.web.storage import Turn, hashed, new_token
from lori.interfaces.web.tables import connect, metadata

from .conftest import question


def test_the_database_is_what_the_tables_say(storage):
    inspector = sql.inspect(storage.engine)
    for table in metadata.sorted_tables:
        stored = {column["name"]: column["nullable"] for column in inspector.get_columns(table.name)}
        assert stored == {column.name: bool(column.nullable) for column in table.columns}


def test_an_answer_is_written_once(storage, number):
    [first], second = storage.turns(number), Turn(question(2), None, 2.0, None)
    assert storage.answer(number, first, "left", second)
    assert not storage.answer(number, first, "right", second)
    assert not storage.answer(number, Turn(question(7), None, first.asked_at, None), "right", second)
    assert [(turn.question.number, turn.answer) for turn in storage.turns(number)] == [(1, "left"), (2, None)]


def test_many_at_once_write_one_answer(storage, number):
    [first], second = storage.turns(number), Turn(question(2), None, 2.0, None)
    with ThreadPoolExecutor(8) as pool:
        answers = ["left", "right"] * 8
        written = list(pool.map(lambda own: storage.answer(number, first, own, second), answers))
    assert sum(written) == 1
    kept = storage.turns(number)
    assert [turn.question.number for turn in kept] == [1, 2]
    assert kept[0].answer == answers[written.index(True)]


def test_a_turn_that_was_taken_back_and_asked_again_is_another_one(storage, number):
    [first], second = storage.turns(number), Turn(question(2), None, 2.0, None)
    storage.answer(number, first, "left", second)
    storage.undo(number, 1)
    storage.answer(number, first, "right", Turn(question(2), None, 3.0, None))
    assert not storage.answer(number, second, "left", None)  # what was answered before it is not what it was
    storage.set_state("no")
    assert not storage.answer(number, storage.turns(number)[-1], "left", None)
    storage.set_state("invited")
    assert storage.answer(number, storage.turns(number)[-1], "left", None)


def test_undo_and_the_end(storage, number):
    storage.answer(number, *storage.turns(number), "tie", None, '{"order": ["a"], "probability": 0.9}')
    assert storage.everybody()[0].finished_at is not None
    assert not storage.undo(number, 2)
    assert storage.undo(number, 1)
    assert not storage.undo(number, 1)
    [own] = storage.everybody()
    assert (own.finished_at, own.result) == (None, "")


def test_each_invitation_has_a_number_of_its_own(storage):
    made = storage.add(count=30)
    assert len({number for number, _ in made}) == len({token for _, token in made}) == 30
    assert all(storage.find(token).id == number for number, token in made)


def test_a_checkpoint_brings_the_journal_into_the_file(storage, number, tmp_path):
    if not storage.is_file:
        pytest.skip("PostgreSQL has no journal of ours")
    storage.checkpoint()
    alone = tmp_path / "alone.db"
    alone.write_bytes((tmp_path / "study.db").read_bytes())  # without what is only in the journal
    with sqlite3.connect(alone) as copy:
        assert copy.execute("SELECT respondent, number FROM turns").fetchall() == [(number, 1)]


def test_deleting_leaves_others_alone(storage, number):
    [(other, _)] = storage.add()
    storage.consent(other, "", question(1))
    storage.delete(number)
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
