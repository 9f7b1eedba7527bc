"""Does the paper's own procedure run as printed, and stay what it is: a comparison?"""

import json

import jax
import numpy as np
import pytest

import lori
from lori.inference.search.paper import run_paper_method
from lori.model.likelihoods import Pairs
from lori.model.specification import Specification

TRUTH = lori.OrderedModel.linear([[2.0, 0.5], [0.3, 3.0]], epsilon=[1.5, 0.0])
INCREASING = lori.Linear(increasing="all")


@pytest.fixture(scope="module")
def seen():
    return lori.simulate(TRUTH, 400, seed=0)


@pytest.fixture(scope="module")
def paper(seen):
    before = jax.config.read("jax_enable_x64")
    model = lori.LORI(levels=2, reward=INCREASING, method="paper").fit(seen)
    assert jax.config.read("jax_enable_x64") == before
    return model


@pytest.fixture(scope="module")
def raw(seen):
    """The rows in raw units, and the specification with both thresholds learned."""
    specification = Specification((INCREASING,) * 2, (None, None), (1.0, 1.0), Pairs(), seen.features)
    return specification, specification.likelihood.observed(seen)


@pytest.fixture(scope="module")
def run(raw):
    return run_paper_method(*raw, seed=0)


def log_likelihood(specification, vector, seen):
    """Of a raw vector [w₁, w₂, ε₁, ε₂], by way of a model written down by hand."""
    model = lori.OrderedModel.linear([vector[:2], vector[2:4]], epsilon=vector[4:])
    logs = model.predict_log_proba(seen.left_features, seen.right_features)
    return seen.wins @ logs[:, 0] + seen.losses @ logs[:, 2]


def test_it_stops_by_its_own_rule_and_better_than_it_started(raw, run, seen):
    specification, rows = raw
    short = run_paper_method(specification, rows, seed=0, limit=20)
    assert run.stopped
    assert not short.stopped
    assert run.passes > short.passes == 20
    start = np.ones(6)  # exp(0) for every parameter with a known sign
    values = [log_likelihood(specification, vector, seen) for vector in (start, short.vector, run.vector)]
    assert values[0] < values[1] < values[2]
    assert np.all(run.vector >= 0)
    assert np.array_equal(run.vector, run.vector.astype(np.float32))


def test_the_estimator_reports_exactly_that_run(paper, raw, run, seen):
    by_hand = lori.OrderedModel.linear([run.vector[:2], run.vector[2:4]], epsilon=run.vector[4:])
    expected = by_hand.predict_proba(seen.left_features, seen.right_features)
    assert paper.predict_proba(seen) == pytest.approx(expected, abs=1e-9)
    assert paper.log_likelihood_ == pytest.approx(log_likelihood(raw[0], run.vector, seen))
    assert paper.levels_[0].weights == pytest.approx(run.vector[:2])


@pytest.mark.slow
def test_it_ends_no_better_than_newton(paper, seen):
    newton = lori.LORI(levels=2, reward=INCREASING, lapse=0, prior=None, starts=8).fit(seen)
    assert paper.log_likelihood_ <= newton.log_likelihood_ + 1e-6
    assert paper.log_likelihood_ > newton.log_likelihood_ - 30
    assert paper.status_.starts == 1
    assert json.loads(json.dumps(paper.summary().to_dict(), allow_nan=False)) == paper.summary().to_dict()
