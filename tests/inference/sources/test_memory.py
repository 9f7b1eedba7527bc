"""Rows in memory: however they are shared out, the sums are the same."""

import subprocess
import sys

import numpy as np
import pytest

from lori.data.preferences import Preferences
from lori.inference.blocks import Evaluation, evaluate
from lori.inference.sources import memory as module
from lori.inference.sources.memory import Memory
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Observations, Pairs
from lori.model.rewards import Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
SPECIFICATION = Specification(
    (Linear(),), (None,), (1.0,), Pairs("observed"), FEATURES
)  # small: each shape is compiled
SCALING = Scaling(np.array([7.0, -0.3]), np.array([2.0, 0.5]))


def preferences(n=300, seed=0) -> Preferences:
    random = np.random.default_rng(seed)
    left, right = random.normal(size=(2, n, 2))
    outcome = random.integers(0, 6, n)
    return Preferences.from_arrays(
        left, right, wins=outcome < 3, losses=(outcome == 3) | (outcome == 4), ties=outcome == 5,
        weight=random.uniform(0.5, 2.0, n),
    )  # fmt: skip


def observations(n=300, seed=0) -> Observations:
    return SPECIFICATION.likelihood.observed(preferences(n, seed))


def vectors(groups=1, starts=3) -> np.ndarray:
    random = np.random.default_rng(5)
    drawn = random.normal(size=(groups, starts, SPECIFICATION.size))
    drawn[..., 2] = random.uniform(0.3, 1.5, (groups, starts))
    return drawn


def assert_same(one: Evaluation, other: Evaluation) -> None:
    assert len(one) == len(other)
    for mine, theirs in zip(one, other, strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-11)


@pytest.fixture
def shared_out(monkeypatch):
    """Few rows count as many, for three threads."""
    monkeypatch.setattr(module, "MANY_ROWS", 10)
    monkeypatch.setattr(module, "THREADS", 3)


@pytest.mark.parametrize("order", [0, 1])
def test_threads_add_up_to_one_part(shared_out, order):
    data, at = observations(), vectors()
    source = Memory((data,))
    assert len(source._shards) == 3
    assert sum(part.rows for shard in source._shards for part in shard) == source.rows == 300
    assert_same(source.evaluate(SPECIFICATION, SCALING, at, order), evaluate(SPECIFICATION, SCALING, [data], at, order))


@pytest.mark.parametrize(("count", "order"), [(2, 1), (5, 0)])
def test_groups_are_shared_out_whole(shared_out, count, order):
    groups = tuple(observations(90 + 5 * g, seed=g) for g in range(count))
    source, at = Memory(groups), vectors(groups=count)
    assert [own for shard in source._shards for own in shard] == list(groups)
    assert len(source._shards) == min(count, 3)
    whole = evaluate(SPECIFICATION, SCALING, list(groups), at, order)
    assert_same(source.evaluate(SPECIFICATION, SCALING, at, order), whole)


def test_few_rows_are_one_part(monkeypatch):
    monkeypatch.setattr(Memory, "_shards", None)
    groups = (observations(20), observations(30, seed=1))
    source, at = Memory(groups), vectors(groups=2)
    assert (source.groups, source.rows) == (2, 50)
    assert_same(source.evaluate(SPECIFICATION, SCALING, at, 1), evaluate(SPECIFICATION, SCALING, list(groups), at, 1))


def test_fewer_rows_than_threads(shared_out):
    """Parts without a row add nothing."""
    data, at = observations(12), vectors()
    assert 0 < len(data.kinds["tied"]) < 3
    whole = evaluate(SPECIFICATION, SCALING, [data], at, 0)
    assert_same(Memory((data,)).evaluate(SPECIFICATION, SCALING, at, 0), whole)


def test_only_one_group():
    groups = tuple(observations(90 + 5 * g, seed=g) for g in range(3))
    alone = Memory(groups).only(1)
    assert alone.groups == 1
    assert alone.observations[0] is groups[1]


def test_a_sample_stands_for_all_rows_of_each_group():
    groups = (observations(300), observations(40, seed=1))
    part = Memory(groups).sample(100, np.random.default_rng(0))
    assert part.groups == 2
    assert part.observations[1] is groups[1]
    assert 100 <= part.observations[0].rows <= 102
    for kind in ("decided", "tied"):
        whole, few = (source.observations[0].kinds[kind].weight.sum() for source in (Memory(groups), part))
        assert few == pytest.approx(whole)


def test_a_sample_of_few_rows_is_the_source_itself():
    source = Memory((observations(30), observations(40, seed=1)))
    assert source.sample(40, np.random.default_rng(0)) is source


def test_a_sample_beside_the_whole_is_evaluated_by_itself():
    """A group that is in both must not bring the other's rows along."""
    groups, at = (observations(90), observations(300, seed=1)), vectors(groups=2)
    part = Memory(groups).sample(100, np.random.default_rng(0))
    part.evaluate(SPECIFICATION, SCALING, at, 0)
    fresh = [observations(90), observations(300, seed=1)]
    whole = Memory(groups).evaluate(SPECIFICATION, SCALING, at, 0)
    assert_same(whole, evaluate(SPECIFICATION, SCALING, fresh, at, 0))


@pytest.mark.parametrize("count", [1, 2])
def test_new_weights_reach_every_part(shared_out, count):
    """With rows laid out and shared out before; observations of weight zero count for nothing."""
    groups, at = [preferences(300 + 30 * g, seed=g) for g in range(count)], vectors(groups=count)
    source = Memory(tuple(SPECIFICATION.likelihood.observed(own) for own in groups))
    source.evaluate(SPECIFICATION, SCALING, at, 1)
    random = np.random.default_rng(3)
    weights = [random.uniform(0.0, 2.0, len(own)) * (np.arange(len(own)) % 4 > 0) for own in groups]
    fresh = [own.weighted(own.weights * each) for own, each in zip(groups, weights, strict=True)]
    expected = evaluate(SPECIFICATION, SCALING, [SPECIFICATION.likelihood.observed(own) for own in fresh], at, 1)
    assert_same(source.reweighted(weights).evaluate(SPECIFICATION, SCALING, at, 1), expected)


def test_no_threads_before_they_are_needed():
    """Importing makes no pool; a process that forks after it, or never fits, has none to look after."""
    code = (
        "import concurrent.futures as futures\n"
        "made = []\n"
        "futures.ThreadPoolExecutor.__init__ = lambda *args, **options: made.append(args)\n"
        "import lori.estimators.lori, lori.inference.posterior.sampling, lori.interfaces.commands.main\n"
        "assert not made, made"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_samples_are_drawn_once_where_models_are_to_share_them():
    source = Memory((observations(),), once=True)
    one, other = (source.sample(50, np.random.default_rng(seed)) for seed in (0, 1))
    assert one is other
    assert one.once
    assert np.any(
        Memory((observations(),)).sample(50, np.random.default_rng(1)).observations[0].kinds["decided"].origin
        != one.observations[0].kinds["decided"].origin
    )
