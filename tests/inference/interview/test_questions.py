"""Which question next: information restated naively, and batches that do not ask the same twice."""

import numpy as np
import pytest

import lori
from lori.errors import InputError
from lori.inference.interview.questions import next_questions

TRUTH = lori.OrderedModel.linear([[2.0, 0.2]], epsilon=[0.5])


@pytest.fixture(scope="module")
def posterior():
    return lori.LORI(levels=1).posterior(lori.simulate(TRUTH, 40, seed=0), draws=200)


def test_information_is_mutual_information(posterior):
    left, right = np.random.default_rng(0).normal(size=(2, 6, 2))
    found = next_questions(posterior, left, right)
    p = posterior.with_common_lapse().predict_proba(left, right)
    for i in range(6):
        joint = p[:, i] / len(p)  # draws × outcomes
        outer = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
        seen = joint > 0
        assert found.information[i] == pytest.approx(np.sum(joint[seen] * np.log2(joint[seen] / outer[seen])), abs=1e-9)
    assert found.chosen[0] == found.information.argmax()


def test_an_answer_that_is_known_teaches_nothing(posterior):
    left = np.array([[50.0, 0.0], [0.0, 0.0], [0.5, 2.0]])
    information = next_questions(posterior, left, np.zeros((3, 2))).information
    assert information[0] < 1e-3  # sure
    assert information[1] < 1e-9  # a coin for every draw
    assert information[2] > 1e-3


def test_a_diverse_batch_does_not_ask_the_same_twice(posterior):
    left = np.concatenate([np.tile([[0.2, 3.0]], (20, 1)), [[0.9, 0.1]]])
    right = np.zeros((21, 2))
    alone = next_questions(posterior, left, right)
    assert alone.information[0] > alone.information[20] > 0
    batch = next_questions(posterior, left, right, count=12).chosen
    assert len(set(batch)) == 12
    assert 20 in batch
    assert 20 not in next_questions(posterior, left, right, count=12, diverse=False).chosen


def test_wrong_requests(posterior):
    with pytest.raises(InputError, match="left and right: expected pairs"):
        next_questions(posterior, np.zeros((3, 1)), np.zeros((3, 1)))
    with pytest.raises(InputError, match="count: expected at most 3"):
        next_questions(posterior, np.zeros((3, 2)), np.ones((3, 2)), count=4)
