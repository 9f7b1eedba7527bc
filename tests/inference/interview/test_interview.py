"""An interview: the same question until it is answered, the same particles whenever it is taken up."""

import numpy as np
import pytest

import lori
from lori.inference.interview.interview import Interview
from lori.inference.interview.particles import Particles

VALUES = tuple(float(value) for value in range(11))
STUDY = lori.Study(
    tuple(lori.Attribute(name, VALUES, better="more") for name in ("efficacy", "comfort", "price")), questions=20
)


def answer(study, truth, question, generator):
    chances = truth.probabilities(study.differences(question.pair[None]))[:, 0, 0].astype(float)
    return study.answers[generator.choice(len(chances), p=chances / chances.sum())]


def clear_person(study, leaders=(1, 0)):
    """Somebody who hardly errs, with these leading attributes."""
    vector = np.zeros(study.specification.size)
    for level, leader in enumerate(leaders):
        vector[study.specification.reward_slots[level][leader]] = 12.0
    vector[list(study.specification.epsilon_slots.values())] = (12.0, 0.5)[: len(study.specification.epsilon_slots)]
    vector[study.specification.lapse_slot] = 1e-3
    return Particles(study.specification, vector[None], np.zeros(1))


@pytest.fixture(scope="module")
def talk():
    """A whole interview with somebody who puts comfort first, then efficacy."""
    generator, truth, own = np.random.default_rng(0), clear_person(STUDY), Interview(STUDY, seed=4)
    while not own.finished:
        own.prepare()
        own.tell(answer(STUDY, truth, own.ask(), generator))
    return own


def test_what_comes_first_is_found(talk):
    assert talk.order.best == ("comfort", "efficacy")
    assert talk.sure > 0.95
    assert len(talk.history) < 20  # it stops by itself
    assert talk.posterior.order().best == talk.order.best
    assert len(talk.posterior) == 1000


def test_no_pair_is_asked_twice(talk):
    pairs = [frozenset([question.left, question.right]) for question, _ in talk.history]
    assert len(set(pairs)) == len(pairs)
    assert [question.number for question, _ in talk.history] == list(range(1, len(pairs) + 1))


def test_an_interview_is_taken_up_from_its_answers(talk):
    again = Interview.again(STUDY, talk.history, seed=4)
    np.testing.assert_array_equal(again.particles.vectors, talk.particles.vectors)


def test_a_question_stays_until_it_is_answered_and_comes_back_by_undo():
    own = Interview(STUDY, seed=1)
    first = own.ask()
    assert own.ask() == first
    ready = own.prepare()
    own.tell("left")
    assert own.ask() == ready["left"].question
    before = own.ask()
    own.undo()
    assert own.ask() == first
    assert own.history == []
    own.tell("right")
    assert own.ask().number == before.number == 2
    with pytest.raises(lori.InputError, match="an answer to take back"):
        Interview(STUDY).undo()


def test_beside_the_next_question_there_are_others_to_follow_it():
    own = Interview(STUDY, seed=1)
    asked = own.ask()
    for following in own.prepare().values():
        each = [asked, following.question, *following.spare]
        assert [own.number for own in each] == [1, 2, 3, 4, 5, 6]
        sides = [{own.left, own.right} for own in each]
        assert all(sides[i] != sides[j] for i in range(6) for j in range(i))


def test_a_skipped_question_says_nothing():
    own = Interview(STUDY, seed=2)
    before = own.particles.vectors
    assert own.tell("skip").particles.vectors is before
    assert own.ask().number == 2


def test_other_answers_are_refused():
    forced = lori.Study(STUDY.attributes, allows_ties=False)
    with pytest.raises(lori.InputError, match="left or right or skip"):
        Interview(forced).tell("tie")


def test_repeats_are_earlier_questions_with_sides_changed():
    own = Interview(lori.Study(STUDY.attributes, questions=30, sure=1.0, repeats=0.5), seed=3)
    while not own.finished:
        own.ask()
        own.tell("tie")
    asked = {question.number: question for question, _ in own.history}
    again = [question for question in asked.values() if question.repeats]
    assert 3 < len(again) < 20
    for question in again:
        old = asked[question.repeats]
        assert (question.left, question.right) == (old.right, old.left)
        assert question.number - old.number > 3


def test_forbidden_combinations_are_never_shown():
    few = tuple(lori.Attribute(name, (0.0, 1.0, 2.0)) for name in "ab")
    study = lori.Study(few, forbidden=({"a": 0.0, "b": 0.0}, {"a": 2.0}))
    pairs = study.candidates(np.random.default_rng(0), 500).reshape(-1, 2)
    assert not (pairs[:, 0] == 2).any()
    assert not (pairs == 0).all(axis=1).any()
    with pytest.raises(lori.InputError, match="at least two that differ"):
        lori.Study(few, forbidden=({"a": 0.0}, {"a": 1.0}, {"a": 2.0}))


def test_more_levels_than_attributes_are_refused():
    with pytest.raises(lori.InputError, match="levels: expected a whole number from 1 to 3"):
        lori.Study(STUDY.attributes, levels=4)


@pytest.mark.parametrize("levels", [1, 3])
def test_any_number_of_levels_can_be_asked_for(levels):
    study = lori.Study(STUDY.attributes, levels=levels, questions=3)
    own = Interview(study, seed=0)
    for _ in range(3):
        own.prepare()
        own.tell("left")
    assert len(own.order.best) == levels
