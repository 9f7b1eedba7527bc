"""Plain sums by NumPy are those of compiled code, and where they suffice JAX is not loaded."""

import numpy as np
import pytest

from lori.data.preferences import Preferences
from lori.inference import blocks, plain
from lori.inference import rows as rows_one_by_one
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Observations, Pairs
from lori.model.rewards import Capped, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
SCALING = Scaling(np.array([7.0, -0.3]), np.array([20.0, 0.1]))
TIED = Specification((Linear(), Linear()), (None, None), (1.0, 2.0), Pairs("observed"), FEATURES, None)  # with slips
SPLIT = Specification((Linear(), Linear()), (None, 0.0), (1.0, 1.0), Pairs(), FEATURES)


def observations(specification: Specification, n: int = 100):
    random = np.random.default_rng(3)
    sides = SCALING.location + SCALING.scale * random.normal(size=(2, n, 2))
    outcome = np.eye(3)[random.integers(0, 3, n) if specification is TIED else random.choice([0, 2], n)]
    weight = np.where(np.arange(n) < n // 10, 0.0, random.uniform(0.5, 3.0, n))
    data = Preferences.from_arrays(*sides, counts=outcome, weight=weight, features=FEATURES)
    return specification.likelihood.observed(data)


def vectors(specification: Specification, size: float = 1.0) -> np.ndarray:
    drawn = np.random.default_rng(5).normal(size=(1, 3, specification.size))
    drawn[..., [*specification.epsilon_slots.values()]] = 0.4
    if specification.lapse_slot is not None:
        drawn[..., specification.lapse_slot] = 0.03
    return drawn * size if specification is SPLIT else drawn


@pytest.mark.parametrize(("specification", "size"), [(TIED, 1.0), (SPLIT, 1.0), (SPLIT, 400.0)])
def test_sums_are_those_of_compiled_code(specification, size, monkeypatch):
    rows, at = observations(specification), vectors(specification, size)
    ours = [blocks.evaluate(specification, SCALING, [rows], at, order) for order in (0, 1, 2)]
    by_row = rows_one_by_one.by_rows("values", specification, SCALING, rows, at[0])
    scores = rows_one_by_one.by_rows("scores", specification, SCALING, rows, at[0])
    monkeypatch.setattr(plain, "MOST_ROWS", 0)
    compiled = blocks.evaluate(specification, SCALING, [rows], at, 2)
    for order, own in enumerate(ours):
        for mine, theirs in zip(own[: order + 1], compiled, strict=False):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-11 * max(1.0, size))
    for kind, own in rows_one_by_one.by_rows("values", specification, SCALING, rows, at[0]).items():
        np.testing.assert_allclose(by_row[kind], own, rtol=1e-12, atol=1e-12)
    for kind, own in rows_one_by_one.by_rows("scores", specification, SCALING, rows, at[0]).items():
        np.testing.assert_allclose(scores[kind], own, rtol=1e-10, atol=1e-10)


def test_rows_in_parts_give_the_same_sums(monkeypatch):
    rows, at = observations(SPLIT), vectors(SPLIT)
    twice = SPLIT, SCALING, [rows, rows], np.repeat(at, 2, axis=0), 2
    whole = plain.evaluate(*twice)
    monkeypatch.setattr(plain, "ELEMENTS", 1)
    for one, other in zip(whole, plain.evaluate(*twice), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_starts_with_very_wide_thresholds_are_computed_by_themselves():
    rows, at = observations(SPLIT), np.repeat(vectors(SPLIT), 2, axis=1)
    at[0, [1, 4], SPLIT.epsilon_slots[0]] = 400.0
    together = plain.evaluate(SPLIT, SCALING, [rows], at, 2)
    each = [plain.evaluate(SPLIT, SCALING, [rows], at[:, [start]], 2) for start in range(at.shape[1])]
    for part, apart in zip(together, zip(*each, strict=True), strict=True):
        np.testing.assert_allclose(part, np.concatenate(apart, axis=1), rtol=1e-12)


@pytest.mark.parametrize("specification", [TIED, SPLIT])
@pytest.mark.parametrize("size", [1.0, 10.0, 400.0])
def test_draws_are_weighed_in_single_precision_where_that_will_do(specification, size):
    """Whatever the size of gaps and thresholds: those that are too large for it are computed as ever."""
    rows, at = observations(specification), vectors(specification, size)
    thresholds = [*specification.epsilon_slots.values()]
    at[:, 1:, thresholds] = np.array([[20.0], [140.0]])
    (exact,) = plain.evaluate(specification, SCALING, [rows], at, 0)
    narrow = specification.narrow(at[0], np.float32).tolist()
    assert narrow == [size < 100 or specification is TIED, specification is SPLIT, False]
    np.testing.assert_allclose(plain.roughly(specification, SCALING, [rows], at), exact, rtol=1e-6, atol=1e-5)


def test_no_rows_add_up_to_nothing():
    sums = plain.evaluate(SPLIT, SCALING, [Observations({})], vectors(SPLIT), 2)
    assert [part.shape for part in sums] == [(1, 3), (1, 3, 5), (1, 3, 5, 5)]
    assert not any(part.any() for part in sums)


def test_many_rows_and_rewards_that_are_not_linear_are_compiled():
    rows = observations(SPLIT)
    capped = Specification((Capped(), Linear()), (None, 0.0), (1.0, 1.0), Pairs(), FEATURES)
    assert plain.suffices(SPLIT, [rows])
    assert not plain.suffices(capped, [rows])
    assert not plain.suffices(SPLIT, [rows] * (plain.MOST_GROUPS + 1))
    assert not plain.suffices(SPLIT, [observations(SPLIT, plain.MOST_ROWS + 1)])


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("engine", ["NumPy", "compiled"])
def test_sums_by_group_are_sums_of_rows(engine, shuffled, monkeypatch):
    """However rows are cut into parts, and in whatever order the groups come."""
    monkeypatch.setattr(rows_one_by_one, "ROWS_AT_A_TIME", 7)
    if engine == "compiled":
        monkeypatch.setattr(plain, "MOST_ROWS", 0)
    rows, at = observations(TIED), vectors(TIED)[0]
    group = np.sort(np.random.default_rng(0).integers(5, size=rows.count)) * 2  # every other group has none
    group = np.random.default_rng(1).permutation(group) if shuffled else group
    for what in ("values", "scores"):
        each = rows_one_by_one.by_rows(what, TIED, SCALING, rows, at)
        expected = np.zeros((*each["tied"].shape[:-1], 10))
        for kind, own in rows.kinds.items():
            for place, (weight, origin) in enumerate(zip(own.weight, own.origin, strict=True)):
                expected[..., group[origin]] += weight * each[kind][..., place]
        found = rows_one_by_one.by_groups(what, TIED, SCALING, rows, at, group, 10)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_next_to_nothing_of_a_sample_is_not_worth_a_call_of_compiled_code():
    rows, rough = observations(SPLIT), SPLIT.roughly()
    assert not plain.suffices(rough, [rows])
    assert plain.suffices(rough, [rows], 3)
    assert not plain.suffices(rough, [rows], plain.LEAST)
    both = [plain.evaluate(own, SCALING, [rows], vectors(SPLIT), 2) for own in (rough, SPLIT)]
    for ours, theirs in zip(*both, strict=True):
        np.testing.assert_array_equal(ours, theirs)
