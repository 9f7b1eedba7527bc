"""Talks: what follows an open question is worked out once, and again only where a worker was ended."""

import asyncio
from concurrent.futures import BrokenExecutor, Future
from dataclasses import replace

import pytest

from lori.inference.interview.study_file import study_from
from lori.interfaces.web.storage import Respondent, Turn
from lori.interfaces.web.talks import Talks

from .conftest import TABLE, question

PERSON = Respondent(1, 7, "", 0.0, None, 0.0, None, "", "")
FIRST, SECOND = Turn(question(1), None, 1.0, None), Turn(question(2), None, 2.0, None)


class Counting:
    """Workers who count their calls; what they are asked when `broken` or `late` does not come."""

    def __init__(self):
        self.calls, self.broken, self.late = [], False, False

    def first_question(self, beginning):
        raise AssertionError("it was known")

    def following(self, beginning, answered, asked, urgent=True):
        self.calls.append((beginning.respondent, len(answered), asked.number))
        found = Future()
        if self.broken:
            found.set_exception(BrokenExecutor())
        elif not self.late:
            found.set_result({"left": len(self.calls)})
        return found


@pytest.fixture
def talks():
    own = Talks(study_from(TABLE)[0])
    own.close()
    own.workers = Counting()
    return own


def test_a_turn_is_worked_on_once(talks):
    talk = talks.take_up("a", PERSON, [FIRST])
    assert talks.take_up("a", PERSON, [FIRST]) is talk
    assert talks.take_up("a", PERSON, [replace(FIRST, answer="left")]) is None
    talks.go_on("a", talk, "left", SECOND, ())
    assert talks.get("a").answered == ((FIRST.question, "left"),)
    assert talks.take_up("a", PERSON, [replace(FIRST, answer="left"), SECOND]) is talks.get("a")
    assert talks.workers.calls == [(1, 0, 1), (1, 1, 2)]


def test_those_who_begin_alike_share_what_follows_the_first_question(talks):
    first = talks.take_up("a", PERSON, [FIRST])
    second = talks.take_up("b", replace(PERSON, id=2), [FIRST])
    assert second.following is first.following
    assert talks.take_up("c", replace(PERSON, id=3, seed=8), [FIRST]).following is not first.following
    for token, talk in (("a", first), ("b", second)):
        talks.go_on(token, talk, "left", SECOND, ())
    assert talks.get("a").following is not talks.get("b").following


def test_what_interviews_begin_with_is_known_before_anybody_comes(talks):
    talks.warm_up()
    first = asyncio.run(talks.first_question(PERSON))
    talk = talks.take_up("a", PERSON, [Turn(first, None, 1.0, None)])
    following = asyncio.run(talks.following(talk, "left"))
    assert (first.number, following.question.number) == (1, 2)
    assert talks.workers.calls == []


def test_what_an_ended_worker_did_not_find_is_asked_for_again(talks):
    talks.workers.broken = True
    talk = talks.take_up("a", PERSON, [FIRST])
    talks.workers.broken = False
    assert asyncio.run(talks.following(talk, "left")) == 2
    assert asyncio.run(talks.following(talk, "left")) == 2  # it is known now


def test_where_what_follows_is_late_the_spare_question_is_asked(talks):
    talk, spare, further = talks.take_up("a", PERSON, [FIRST]), question(3), question(4)
    talks.workers.late = True
    talks.go_on("a", talk, "left", SECOND, (spare, further))
    late = talks.get("a")
    found = asyncio.run(talks.following(late, "left"))
    assert (found.question, found.spare, found.sure) == (spare, (further,), 0.0)
    assert late.following.cancelled()  # both answers will be counted together
    talks.workers.late = False
    assert asyncio.run(talks.following(late, "left")) == len(talks.workers.calls)  # where nothing was written, again


def test_what_comes_in_time_is_not_replaced(talks):
    talk = talks.take_up("a", PERSON, [FIRST])
    talks.workers.late = True
    talks.go_on("a", talk, "left", SECOND, (question(3),))

    async def answered():
        asyncio.get_running_loop().call_later(0.001, talks.get("a").following.set_result, {"left": "found"})
        return await talks.following(talks.get("a"), "left")

    assert asyncio.run(answered()) == "found"


def test_after_the_last_question_there_is_none_instead(talks):
    talk = talks.take_up("a", PERSON, [FIRST])
    last = Turn(question(talks.study.questions), None, 2.0, None)
    talks.go_on("a", talk, "left", last, (question(3),))
    assert talks.get("a").spare == ()
