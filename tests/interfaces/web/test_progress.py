"""Progress: what the database counts is what there is."""

import json

from lori.inference.interview.interview import Question
from lori.interfaces.web.progress import Progress, latest, progress
from lori.interfaces.web.storage import Turn

from .conftest import question


def test_an_empty_study(storage):
    assert progress(storage) == Progress(0, 0, 0, 0, None, 0, 0)
    assert latest(storage, 5) == []


def test_answers_are_counted_and_repeats_compared(storage, number):
    [(other, _)] = storage.add()
    again = [Question(place, (3.0, 2.0, 1.0), (1.0, 2.0, 3.0), place - 3) for place in (4, 5, 6)]
    asked = [*storage.turns(number), *(Turn(question(place), None, 0.0, None) for place in (2, 3))]
    asked += [Turn(own, None, 0.0, None) for own in again]
    answers = ["left", "tie", "skip", "right", "left", "left"]  # alike, not alike, skipped the first time
    result = json.dumps({"order": ["wait"], "probability": 0.9})
    for turn, answer, following in zip(asked, answers, [*asked[1:], None], strict=True):
        assert storage.answer(number, turn, answer, following, "" if following else result)
    found = progress(storage)
    assert found[:4] == (2, 1, 1, 6)
    assert found.seconds > 1e6  # since 1970, as the questions say
    assert (found.repeated, found.alike) == (2, 1)
    assert [(own.id, count) for own, count in latest(storage, 5)] == [(number, 6), (other, 0)]
    assert [own.id for own, _ in latest(storage, 1)] == [other]
