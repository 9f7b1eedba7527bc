"""Function rewards: any function of one alternative, for one level or for several jointly."""

import json
import sys
from functools import partial

import jax.numpy as jnp
import numpy as np
import pytest

from lori.errors import InputError
from lori.model.likelihoods import Pairs
from lori.model.rewards import Function, reward_from
from lori.model.specification import Specification

NAMES = ("cost", "benefit", "need")
INF = np.inf
BENT = Function(lambda p, x: p[0] * x[0] + jnp.tanh(p[1] * x[2]), start=(0.5, 1.0), lower=(0.0, -1.0), upper=(2.0, INF))


def test_bounds_are_those_that_are_given():
    assert [part.tolist() for part in BENT.bounds(NAMES)] == [[0.0, -1.0], [2.0, INF]]


def test_a_function_keeps_its_own_units():
    reward = BENT
    assert not reward.standardised
    assert reward.in_units(np.array([1.0, 2.0]), np.ones(3), np.ones(3)).tolist() == [1.0, 2.0]


def curved(p, x):
    return p[0] * x[0] + jnp.tanh(p[1] * x[2])


def test_a_function_is_kept_by_where_it_is_imported_from():
    reward = Function(curved, start=(0.5, 1.0), lower=(0.0, -INF), share="bend", spread=0.1)
    told = json.loads(json.dumps(reward.settings()))
    assert told["function"] == f"{__name__}:curved"
    assert told["lower"] == [0.0, None]
    assert reward_from(told) == reward


@pytest.mark.parametrize(
    "function",
    [BENT.function, Function.joint, partial(curved, np.ones(2))],
    ids=["lambda", "method", "partial"],
)
def test_a_function_without_a_name_in_a_module_is_not_saved(refused, function):
    assert "a name in a module" in refused(Function(function).settings)


@pytest.mark.parametrize(
    "path", ["not_imported:f", "os:system", "posix:system", "json:nothing", "json", ":", "sys:path"]
)
def test_a_path_is_of_a_python_function_that_is_imported_already(refused, path):
    assert "before the model is loaded" in refused(Function, path)
    assert "not_imported" not in sys.modules


def test_parameters_are_told_with_their_errors():
    told = BENT.particulars(np.array([1.5, 3.0]), np.array([0.2, np.nan]), NAMES, np.ones(3))
    assert Function.particulars_from({"parameters": told.to_dict()}) == told
    assert told.to_dict()["parameter 1"]["standard_error"] == 0.2
    assert "parameter 2 = {value1}" in told.details()[0].clause
    assert told.facts() == ()
    assert Function(curved).particulars(np.empty(0), np.empty(0), NAMES, np.ones(3)) is None
    assert Function.particulars_from({}) is None


def test_the_bounds_of_a_function_need_one_number_for_each_parameter(refused):
    assert refused(Function, lambda p, x: p[0], start=(1.0, 2.0), lower=(0.0,)).startswith("lower: ")


def test_a_function_starts_from_the_first_guess_and_may_have_no_parameters(random):
    assert BENT.draw(random, NAMES, 3)[0].tolist() == [0.5, 1.0]
    fixed = Function(lambda p, x: x[1])
    assert fixed.size(NAMES) == 0
    assert fixed.draw(random, NAMES, 4).shape == (4, 0)


def two(p, x):
    return jnp.stack([p[0] * x[0], p[0] * x[1] + p[1] * x[2]])


def test_a_joint_function_makes_levels_of_the_same_parameters(values):
    first, second = Function.joint(two, (1.0, 2.0), levels=2, lower=(0.0, -INF))
    x = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 4.0]])
    np.testing.assert_allclose(values(first, [3.0, 5.0], x), [3.0, -3.0])
    np.testing.assert_allclose(values(second, [3.0, 5.0], x), [21.0, 21.5])
    specification = Specification((first, second), (None, 0.0), (1.0, None), Pairs(), NAMES)
    assert [slots.tolist() for slots in specification.reward_slots] == [[0, 1], [0, 1]]
    assert specification.size == 4  # two parameters, a threshold and an α
    assert specification.shared
    assert specification.names == ("shared parameter 1", "shared parameter 2", "level 1: threshold", "level 2: alpha")
    assert specification.bounds[0].tolist()[:2] == [0.0, -INF]


def test_functions_share_parameters_only_by_name():
    one, other = (
        Function.joint(two, (1.0, 2.0), levels=2, share="a"),
        Function.joint(two, (1.0, 2.0), levels=2, share="b"),
    )
    specification = Specification((*one, *other), (0.0,) * 4, (1.0,) * 4, Pairs(), NAMES)
    assert [slots.tolist() for slots in specification.reward_slots] == [[0, 1], [0, 1], [2, 3], [2, 3]]
    alone = Specification((Function(two, (1.0, 2.0), output=0),) * 2, (0.0,) * 2, (1.0,) * 2, Pairs(), NAMES)
    assert alone.size == 4
    assert not alone.shared


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda p, x: p[0] * jnp.log(x[0]), r"NaN or infinity for 2 of 3 alternatives"),
        (lambda p, x: p[0] * x, r"one number for each alternative, got an array of shape \(2,\)"),
        (lambda p, x: p[0] * x[0] + "a", r"1 parameters and 2 features, got \w+Error when it was called"),
    ],
)
def test_a_function_that_gives_no_finite_number_is_refused_in_a_sentence(function, says):
    reward = Function(function, start=[1.0])
    with pytest.raises(InputError, match=says) as caught:
        reward.check(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 2.0]]))
    assert "\n" not in str(caught.value)
    Function(lambda p, x: p[0] * x[0], start=[1.0]).check(np.zeros((3, 2)))
