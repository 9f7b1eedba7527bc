"""A family of rewards from outside the package: one class and one line, and everything works with it.

The family has an ideal: the nearer an alternative comes to it, the better. Nothing in the package knows of it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import html5lib
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize

import lori
from lori.interfaces.report import content as reports
from lori.interfaces.report import rendering
from lori.model.ordered import Level
from lori.model.quantity import Quantity
from lori.model.rewards import FAMILIES, Fact, Reward, register

FEATURES = ("dose", "delay")
BEST = np.array([3.0, -20.0])


@dataclass(frozen=True)
class Best:
    """What the ideal of each feature is."""

    ideal: dict[str, Quantity]
    key: ClassVar[str] = "best"

    def to_dict(self) -> dict[str, Any]:
        return {name: number.to_dict() for name, number in self.ideal.items()}

    def facts(self) -> tuple[Fact, ...]:
        return tuple(
            Fact("{feature} is best at {ideal}", {"feature": name}, {"ideal": number})
            for name, number in self.ideal.items()
        )

    def details(self) -> tuple[Fact, ...]:
        return self.facts()


@dataclass(frozen=True)
class Ideal(Reward):
    """r(x) = −Σ w_f (x_f − c_f)², w ≥ 0."""

    kind: ClassVar[str] = "ideal"

    def __call__(self, parameters, x):
        weights, centre = jnp.split(parameters, 2)
        return -jnp.sum(weights * (x - centre) ** 2)

    def names(self, features):
        return (*(f"weight of {name}" for name in features), *(f"ideal {name}" for name in features))

    def bounds(self, features):
        lower, upper = super().bounds(features)
        lower[: len(features)] = 0.0
        return lower, upper

    def draw(self, generator, features, count):
        shape = count, len(features)
        return np.column_stack([np.exp(generator.normal(size=shape)), generator.normal(size=shape)])

    def in_units(self, parameters, location, scale):
        weights, centre = jnp.split(parameters, 2)
        return jnp.concatenate([weights / scale**2, location + scale * centre])

    def multiplied(self, parameters, factor):
        weights, centre = jnp.split(jnp.asarray(parameters), 2)
        return jnp.concatenate([weights * factor, centre])

    def particulars(self, parameters, errors, features, typical):
        centre, spread = parameters[len(features) :], errors[len(features) :]
        return Best({name: Quantity.of(*both) for name, *both in zip(features, centre, spread, strict=True)})

    @classmethod
    def particulars_from(cls, fields):
        return Best({name: Quantity.from_dict(number) for name, number in fields[Best.key].items()})

    def settings(self):
        return {"kind": self.kind}


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    """The one line; other tests do not see it."""
    register(Ideal)
    yield
    del FAMILIES["ideal"]


@pytest.fixture(scope="module")
def seen() -> lori.Preferences:
    level = Level(Ideal(), np.array([1.0, 0.01, *BEST]), 0.0, slopes=np.zeros(2))
    pairs = np.array([2.0, -15.0]) + [1.5, 12.0] * np.random.default_rng(0).normal(size=(500, 2, 2))
    return lori.simulate(lori.OrderedModel((level,), FEATURES), pairs, seed=1)


@pytest.fixture(scope="module")
def model(seen) -> lori.LORI:
    return lori.LORI(levels=1, reward=Ideal(), epsilon=0.0, lapse=0, prior=None, starts=4).fit(seen)


def told_ideals(text: str) -> dict[str, float]:
    """The sentences of the family, wherever they are printed: feature → number."""
    found = re.findall(r"(dose|delay)\W+is best at\W*?([-−]?\d+(?:\.\d+)?)", " ".join(text.split()), flags=re.I)
    return {name.lower(): float(number.replace("−", "-")) for name, number in found}


def test_a_fit_finds_what_scipy_finds(model, seen):
    chosen = np.where(seen.wins[:, None] > 0, seen.left_features, seen.right_features)
    other = np.where(seen.wins[:, None] > 0, seen.right_features, seen.left_features)

    def negative(parameters):
        weights, centre = np.exp(parameters[:2]), parameters[2:]
        gap = (weights * (other - centre) ** 2 - weights * (chosen - centre) ** 2).sum(axis=1)
        return np.logaddexp(0, -gap).sum()

    by_hand = minimize(negative, [0.0, -4.0, 2.0, -15.0], method="BFGS")
    assert model.log_likelihood_ == pytest.approx(-by_hand.fun, abs=1e-4)
    expected = [*np.exp(by_hand.x[:2]), *by_hand.x[2:]]
    assert model.levels_[0].parameters == pytest.approx(expected, rel=5e-3)
    assert model.levels_[0].parameters[2:] == pytest.approx(BEST, rel=0.2)
    assert model.converged_


def test_its_name_is_enough(model, seen):
    named = lori.LORI(levels=1, reward="ideal", epsilon=0.0, lapse=0, prior=None, starts=4).fit(seen)
    assert named.log_likelihood_ == model.log_likelihood_


def test_it_is_saved_and_loaded(model, seen, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = lori.load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict_proba(seen), model.predict_proba(seen))
    assert loaded.levels_[0].reward == Ideal()
    assert loaded.summary().to_dict() == model.summary().to_dict()
    assert str(loaded.summary()) == str(model.summary())
    assert np.array_equal(loaded.posterior(draws=20).draws, model.posterior(draws=20).draws)


def test_it_is_explained(model):
    """A higher dose helps up to the ideal: at equal distance from it the choice is open."""
    left, right = np.array([[1.0, -20.0]]), np.array([[2.0, -20.0]])
    told = model.explain(left, right)
    assert told.probabilities[0, 2] > 0.8
    parameters = model.levels_[0].parameters
    nearer = abs(2.0 - parameters[2])
    assert 1.0 + told.flips[0, 0] == pytest.approx(parameters[2] - nearer, abs=1e-3)
    assert "right" in told.describe()


def test_it_has_a_posterior(model, seen):
    posterior = model.posterior(seen, draws=400)
    centres = np.array([own.levels[0].parameters[2:] for own in posterior.models(100)])
    spread = centres.std(axis=0)
    assert (spread > 0).all()
    assert np.all(np.abs(centres.mean(axis=0) - model.levels_[0].parameters[2:]) < spread)


def test_its_particulars_are_in_the_summary(model):
    summary = model.summary()
    level = json.loads(json.dumps(summary.to_dict(), allow_nan=False))["levels"][0]
    assert level["reward"] == "ideal"
    centre = model.levels_[0].parameters[2:]
    assert [level["best"][name]["value"] for name in FEATURES] == pytest.approx(list(centre))
    assert all(level["best"][name]["standard_error"] > 0 for name in FEATURES)
    told = told_ideals(str(summary))
    assert told["dose"] == pytest.approx(centre[0], abs=0.1)
    assert told["delay"] == pytest.approx(centre[1], abs=1.0)


def test_it_is_reported(model, seen):
    report = reports.report(model, seen, title="Ideals", command="lori report model.json pairs.csv")
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(rendering.html(report))
    centre = model.levels_[0].parameters[2:]
    for text in (
        "".join(page.itertext()),
        rendering.markdown(report),
        json.dumps(rendering.content(report), ensure_ascii=False),
    ):
        told = told_ideals(text)
        assert told["dose"] == pytest.approx(centre[0], abs=0.1)
        assert told["delay"] == pytest.approx(centre[1], abs=1.0)
