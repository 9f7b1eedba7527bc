"""Order of single features: which one is looked at first, which next, if every level has a feature of its own?

Lexicographic rules of given attributes are such orders. On a level with one feature only its weight and threshold are
learned, so that people who never err are no trouble: there are no other directions that explain their choices as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from lori.errors import whole
from lori.estimators.lori import LORI
from lori.inference.problem import Problem
from lori.inference.search.solutions import Found
from lori.inference.settings import checked_settings
from lori.inference.statistics import Observed
from lori.model.priors import Prior
from lori.model.rewards import Linear, Single

Order = tuple[str, ...]
Names = Sequence[str] | Literal["all"]

WIDE = Prior(weights=25.0, epsilon=25.0, degrees=1.0, price=0.0)  # nearly flat: a level is judged by what it adds
STARTS = 2  # of each search: levels of one feature leave few optima
PRICE = 1.0  # units of log-likelihood that a level must add for each parameter that it brings, as in Akaike's criterion


class _Tried(NamedTuple):
    """What the best model with some order explains: its log-posterior, less the price of its parameters."""

    gain: float
    order: Order
    found: Found


def select_order(
    preferences: Observed,
    *,
    levels: int | None = None,
    increasing: Names = (),
    decreasing: Names = (),
    estimator: LORI | None = None,
) -> LORI:
    """The fitted model whose levels look at a single feature each, in the order that explains the choices best.

    Greedy: the first level takes the feature that explains most, each further one what adds most, as long as it adds
    more than one unit of log-likelihood for each of its parameters and there are not more than `levels`; then
    neighbours change places as long as that explains more. `increasing` and `decreasing` name features of which more,
    or less, is better. `estimator` has the other settings; its default is LORI with a prior that is nearly flat.
    """
    base = LORI(prior=WIDE) if estimator is None else estimator
    features = preferences.features
    most = len(features) if levels is None else min(whole("levels", levels, 1), len(features))
    lower, upper = Linear(increasing, decreasing).bounds(features)
    ways = np.where(lower == 0, "increasing", np.where(upper == 0, "decreasing", "either"))
    rewards = {name: Single(name, str(way)) for name, way in zip(features, ways, strict=True)}
    known: dict[Order, _Tried] = {}

    def model(order: Order) -> LORI:
        return base.copy(levels=len(order), reward=[rewards[name] for name in order])

    def tried(order: Order) -> _Tried:
        if order not in known:
            settings = checked_settings(model(order).get_params(deep=False), [preferences])
            problem = Problem.of(settings.specification, [preferences], settings.prior)
            fewer = known[order[:-1]].found if order[:-1] in known else None
            generator = np.random.default_rng(settings.seed)
            found = problem.solve(starts=STARTS, generator=generator, fewer=fewer)
            gain = -float(found.values[0]) - PRICE * settings.specification.size
            known[order] = _Tried(gain, order, found)
        return known[order]

    best = max(tried((name,)) for name in features)
    while len(best.order) < most:
        further = max(tried((*best.order, name)) for name in features if name not in best.order)
        if further.gain <= best.gain:
            break
        best = further
    while len(best.order) > 1 and (other := max(map(tried, _swapped(best.order)))).gain > best.gain:
        best = other
    return model(best.order).fit(preferences)


def _swapped(order: Order) -> Iterator[Order]:
    """The same with two neighbours changed."""
    for place in range(len(order) - 1):
        yield (*order[:place], order[place + 1], order[place], *order[place + 2 :])
