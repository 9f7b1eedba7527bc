"""Sets: how long do choices among many alternatives take, one level and two, beside libraries for choice models?

The first case has the shape of the Swissmetro data (6 768 choices among three modes, of which one is sometimes not
there; two constants, time and cost), drawn from somebody with two levels. The others are large in one way each: many
sets, or many alternatives. All fits of ours include standard errors and intervals, with one level as with two; a first
round, which compiles, is not counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.choices import Choices
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Contestant, Measured, Outcome, hold
from lori.model.decisions import simulated
from lori.model.ordered import OrderedModel

ONE, TWO, XLOGIT, REGRESSION = "LORI, 1 level", "LORI, 2 levels", "xlogit, 1 level", "scikit-learn, 1 level"
MODES = ("train", "metro", "car")
LESS_CHOICE = 0.17  # share of the sets without a car


@dataclass(frozen=True)
class SetsSettings:
    """What is measured with sets."""

    trips: int = 6768
    """Choices among three modes, as many as in the Swissmetro data."""
    many: int = 100_000
    """Sets of four alternatives with six features."""
    wide: int = 300
    """Sets of `alternatives` with two features."""
    alternatives: int = 200
    """Of each wide set."""
    repeats: int = 3
    """Rounds of each contest."""


SMOKE = SetsSettings(trips=100, many=100, wide=4, alternatives=9, repeats=0)


def measure(settings: SetsSettings) -> Measured:
    measured = Measured()
    trips = _contest(f"trips, {settings.trips:,} sets of 2 and 3", swissmetro_like(settings.trips), settings.repeats)
    measured.rows += trips.rows
    _compare(trips, measured)
    measured.claim("sets: one level by xlogit, trips", trips.relative(ONE, XLOGIT), 1.0)
    measured.claim("sets: two levels by one, trips", trips.relative(TWO, ONE), 10.0)
    large = _contest(
        f"many, {settings.many:,} sets of 4, 6 features", random_sets(settings.many, 4, 6), settings.repeats
    )
    measured.rows += large.rows
    _compare(large, measured)
    measured.claim("sets: two levels by one level of xlogit, many sets", large.relative(TWO, XLOGIT), 10.0)
    wide = random_sets(settings.wide, settings.alternatives, 2)
    outcome = hold(
        f"wide, {settings.wide:,} sets of {settings.alternatives:,}, 2 features",
        [Contestant(TWO, lambda: _estimator(2).copy().fit(wide), note="with standard errors")],
        min(settings.repeats, 1),
    )
    measured.rows += outcome.rows
    measured.claim("sets: seconds of two levels, wide sets", outcome.median(TWO), 60.0)
    return measured


def swissmetro_like(count: int, seed: int = 0) -> Choices:
    """Two constants, hours and prices of three modes; slow and cheap, fast and dear, and a car that not all have."""
    generator = np.random.default_rng(seed)
    distance = generator.lognormal(0.0, 0.5, size=(count, 1))
    hours = distance * generator.lognormal([0.5, -0.1, 0.2], 0.25, size=(count, 3))
    price = distance * generator.lognormal([-0.2, 0.1, -0.3], 0.4, size=(count, 3))
    constants = np.broadcast_to([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], (count, 3, 2))
    there = np.ones((count, 3), bool)
    there[:, 2] = generator.uniform(size=count) >= LESS_CHOICE
    features = ("train", "car", "hours", "price")
    asked = Choices.from_arrays(
        np.concatenate([constants, hours[..., None], price[..., None]], axis=2),
        np.zeros(count, int), available=there, features=features, alternatives=MODES,
    )  # fmt: skip
    weights = [[-0.5, -0.2, -3.0, -0.5], [0.3, 0.2, -0.5, -2.5]]
    truth = OrderedModel.linear(weights, epsilon=[1.5, 0.0], features=features)
    return simulated(truth, asked, generator)


def random_sets(count: int, alternatives: int, features: int, seed: int = 0) -> Choices:
    """Standard normal features: somebody looks at the first half of them, and then at the others."""
    generator = np.random.default_rng(seed)
    table = generator.normal(size=(count, alternatives, features))
    half = features // 2
    weights = np.zeros((2, features))
    weights[0, :half] = weights[1, half:] = 2.0
    truth = OrderedModel.linear(weights, epsilon=[2.0, 0.0])
    return simulated(truth, Choices.from_arrays(table, np.zeros(count, int)), generator)


def _estimator(levels: int) -> LORI:
    """The last threshold is zero, as it is for multinomial logit with one level."""
    return LORI(levels=levels, epsilon=(*[None] * (levels - 1), 0.0), lapse=0, prior=None)


def _contest(case: str, data: Choices, repeats: int) -> Outcome:
    """One level is multinomial logit, which the peers fit, too."""

    def ours(levels: int) -> LORI:
        return _estimator(levels).fit(data)

    return hold(
        case,
        [
            Contestant(ONE, lambda: ours(1), note="with standard errors"),
            Contestant(XLOGIT, _xlogit(data), "xlogit", note="with standard errors"),
            Contestant(REGRESSION, _regression(data), note="no standard errors; pairs of the same size"),
            Contestant(TWO, lambda: ours(2), note="with standard errors"),
        ],
        repeats,
    )


def _compare(outcome: Outcome, measured: Measured) -> None:
    """Log-likelihoods of one level are the same, and that of two is higher."""
    one, two = outcome.answers[ONE].log_likelihood_, outcome.answers[TWO].log_likelihood_
    outcome.add(ONE, f"log-likelihood {one:.2f}", log_likelihood=one)
    outcome.add(TWO, f"log-likelihood {two:.2f}", log_likelihood=two)
    if XLOGIT in outcome.answers:
        apart = abs(one - float(outcome.answers[XLOGIT]))
        outcome.add(XLOGIT, f"log-likelihood differs from LORI's by {apart:.1g}", apart=apart)
        measured.claim("sets: log-likelihood of one level against xlogit", apart, 1e-4 * abs(one), at_any_size=True)


def _xlogit(data: Choices):
    """Its long form, a row for each alternative, is laid out beforehand; what is not there has zeros and is marked."""
    width, sets = len(data.names), len(data)
    table = np.zeros((sets, width, data.n_features))
    there, chosen = np.zeros((sets, width), bool), np.zeros((sets, width), bool)
    table[data.owner, data.label] = data.alternatives
    there[data.owner, data.label], chosen[data.owner, data.label] = True, data.chosen
    rows = table.reshape(sets * width, -1)
    alternatives, ids = np.tile(np.arange(width), sets), np.repeat(np.arange(sets), width)

    def run() -> float:
        from xlogit import MultinomialLogit

        model = MultinomialLogit()
        model.fit(
            rows, chosen.ravel(), varnames=list(data.features), alts=alternatives, ids=ids,
            avail=None if there.all() else there.ravel().astype(int), verbose=0,
        )  # fmt: skip
        return float(model.loglikelihood)

    return run


def _regression(data: Choices):
    """scikit-learn knows no sets: its yardstick is a logistic regression on the chosen one minus each other one."""
    pairs = data.as_pairs()
    differences = pairs.left_features - pairs.right_features
    side = np.where(np.arange(len(differences)) % 2, 1.0, -1.0)

    def run() -> None:
        from sklearn.linear_model import LogisticRegression

        LogisticRegression(C=np.inf, fit_intercept=False).fit(differences * side[:, None], side > 0)

    return run
