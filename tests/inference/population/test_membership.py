"""Are memberships averaged over what is known about the classes?"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, log_expit

import lori
from lori.inference.population import membership
from lori.inference.population.classes import Mixture
from lori.inference.population.panel import Panel
from lori.inference.population.search import Classes
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings

PEOPLE, CHOICES = 12, 5


@pytest.fixture(scope="module")
def opposed():
    """Half of a few people want more of the only feature, half want less; the best two classes."""
    random = np.random.default_rng(1)
    left, right = random.normal(size=(2, PEOPLE * CHOICES, 1))
    wants = np.repeat(np.where(np.arange(PEOPLE) % 2, 1.0, -1.0), CHOICES)
    won = random.uniform(size=len(wants)) < expit(1.5 * wants * (left - right)[:, 0])
    agent = np.repeat(np.arange(PEOPLE), CHOICES).astype(str)
    data = lori.Preferences.from_arrays(left, right, counts=np.column_stack([won, 0 * won, ~won]), agent=agent)
    checked = checked_settings(lori.LORI(levels=1, epsilon=0.0, lapse=0).get_params(deep=False), [data])
    problem = Problem.of(checked.specification, [data], checked.prior)
    mixture = Mixture((problem,) * 2, Panel.of(data), np.ones((PEOPLE, 1)))
    best = mixture.polished(np.array([[1.0, -1.0, 0.0]]), tolerance=1e-8)
    (members,), (total,) = mixture.memberships(best.vectors)
    around = best.gradient[0], best.curvature[0]
    return data, mixture, Classes(best.vectors[0], best.values[0], total.sum(), True, *around, 1, members, total)


def test_memberships_are_those_of_a_fine_grid(opposed, monkeypatch):
    data, mixture, found = opposed
    (problem, _), weights, odds = mixture.problems, np.linspace(-9, 9, 73), np.linspace(-5, 5, 31)
    signed = data.differences[:, 0] / problem.scaling.scale * np.where(data.wins > 0, 1.0, -1.0)
    logs = np.add.reduceat(log_expit(weights[:, None] * signed), np.arange(0, len(signed), CHOICES), axis=1)
    prior = -problem.penalty(weights[:, None], order=0).value
    one = log_expit(-odds)[:, None, None, None] + logs[:, None]
    other = log_expit(odds)[:, None, None, None] + logs[None, :]
    posterior = np.logaddexp(one, other).sum(axis=-1) + prior[:, None] + prior
    posterior = np.where(weights[:, None] > weights, np.exp(posterior - posterior.max()), 0.0)  # classes keep names
    expected = np.einsum("oij,oija->a", posterior, expit(one - other)) / posterior.sum()
    monkeypatch.setattr(membership, "SWEEPS", 60)
    averaged = membership.averaged(mixture, found, np.random.default_rng(0))
    np.testing.assert_allclose(averaged.sum(axis=0), 1.0)
    np.testing.assert_allclose(averaged[0], expected, atol=0.02)
    assert np.abs(found.members[0] - expected).max() > 0.05  # those of the best parameters are others


def test_where_no_proposal_is_taken_memberships_are_those_of_the_best_parameters(opposed, monkeypatch):
    _, mixture, found = opposed
    monkeypatch.setattr(membership, "SWEEPS", membership.FORGOTTEN + 1)
    far = membership._proposals(mixture, found)
    far = [replace(own, mean=own.mean + 100.0) for own in far]
    monkeypatch.setattr(membership, "_proposals", lambda *_: far)
    np.testing.assert_allclose(membership.averaged(mixture, found, np.random.default_rng(0)), found.members)
