"""Simulation: preferences drawn from a model, for tests and teaching."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lori.data.preferences import Preferences
from lori.errors import whole
from lori.model.ordered import OrderedModel


def simulate(
    model: OrderedModel,
    pairs: int | np.ndarray = 1000,
    *,
    times: int = 1,
    agents: int | None = None,
    spread: ArrayLike = 1.0,
    seed: int = 0,
) -> Preferences:
    """Draw preferences from `model` (an `OrderedModel`, or a fitted LORI's `model_`).

    `pairs` is how many pairs of alternatives to make up, normal around 0 with the deviations `spread` (one for all
    features or one for each), or the pairs themselves (n, 2, features). Each is compared `times` times. With `agents`,
    pairs are dealt to that many agents.
    """
    generator = np.random.default_rng(seed)
    if isinstance(pairs, int | np.integer):
        pairs = np.asarray(spread) * generator.normal(size=(whole("pairs", pairs, 1), 2, len(model.features)))
        for name in {name for level in model.levels for name in level.reward.context}:
            place = model.features.index(name)
            pairs[:, 1, place] = pairs[:, 0, place]  # both alternatives share their context
    left, right = pairs[:, 0], pairs[:, 1]
    counts = model.sample(left, right, times=whole("times", times, 1), seed=generator)
    labels = None if agents is None else [str(i % whole("agents", agents, 1) + 1) for i in range(len(pairs))]
    return Preferences.from_arrays(
        left,
        right,
        counts=counts,
        features=model.features,
        agent=labels,
    )


PRACTICE = (  # features in units that people know: name, mean, standard deviation, and is more better?
    ("benefit", 300, 100, True), ("need", 200, 80, True), ("cost", 50, 15, False), ("wait", 30, 10, False),
    ("risk", 20, 6, False), ("comfort", 60, 20, True),
)  # fmt: skip
STRENGTH = 6.0  # reward of a standard deviation of the feature that leads a level
THRESHOLDS = 0.5, 1.0  # standard deviations below which a difference does not count, between these


def practice(
    levels: int = 2, features: int = 4, pairs: int = 1000, *, times: int = 1, agents: int | None = None, seed: int = 0
) -> tuple[Preferences, OrderedModel]:
    """Choices to practise on, and who made them: levels that each have a leading feature of their own.

    Features are dealt to the levels; the first of a level leads it, the next weigh half as much each. A difference in
    the leading feature counts from somewhere between half and one standard deviation. So the truth can be found again
    from a thousand choices, for each level has a feature of its own.
    """
    generator = np.random.default_rng(seed)
    count = whole("features", features, whole("levels", levels, 1))
    known = [*PRACTICE, *((f"x{place}", 100, 30, True) for place in range(len(PRACTICE) + 1, count + 1))][:count]
    names, means, deviations, better = zip(*known, strict=True)
    weights = np.zeros((levels, count))
    for place in range(count):
        sign = 1.0 if better[place] else -1.0
        weights[place % levels, place] = sign * STRENGTH / deviations[place] * 0.5 ** (place // levels)
    epsilon = STRENGTH * generator.uniform(*THRESHOLDS, size=levels)
    epsilon[-1] = 0.0
    truth = OrderedModel.linear(weights, epsilon=epsilon, features=names)
    values = generator.normal(means, deviations, size=(whole("pairs", pairs, 1), 2, count))
    return simulate(truth, np.maximum(values, 0).round(), times=times, agents=agents, seed=seed), truth


def random_ordered_model(
    levels: int = 10,
    features: int = 10,
    *,
    alpha: float = 5 * float(np.log(4)),
    seed: int | np.random.Generator = 0,
) -> OrderedModel:
    """The synthetic decision-maker of the paper's appendix B: θ on the simplex, ε half-normal, one α."""
    generator = np.random.default_rng(seed)
    weights = generator.dirichlet(np.ones(whole("features", features, 1)), size=whole("levels", levels, 1))
    return OrderedModel.linear(weights, epsilon=np.abs(generator.normal(size=levels)), alpha=np.full(levels, alpha))
