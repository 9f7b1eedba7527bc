"""Order of the objectives: with what probability does each come first? The posterior over priority orders.

An objective is a feature, which stands for the level whose standardised weights it leads; or a reward, where features
do not stand for levels: then the levels of each draw are matched with those of the posterior's middle by how alike
they rank differences.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.errors import InputError
from lori.language.sentence import Name, Sentence, Share, clause, joined

if TYPE_CHECKING:
    from lori.inference.posterior.draws import Posterior

SHOWN = 3
SUREST = 0.9999  # a share of draws is never certain


@dataclass(frozen=True)
class PriorityOrder:
    """Probabilities of orders: tuples with the objective of each level, most probable first."""

    probabilities: dict[tuple[str, ...], float]
    by: str
    effective: float  # independent draws behind them

    @property
    def best(self) -> tuple[str, ...]:
        return next(iter(self.probabilities))

    def first(self) -> dict[str, float]:
        """The probability that each objective comes first."""
        total: dict[str, float] = {}
        for order, probability in self.probabilities.items():
            total[order[0]] = total.get(order[0], 0.0) + probability
        return dict(sorted(total.items(), key=lambda item: -item[1]))

    def error(self, probability: float) -> float:
        """Monte Carlo standard error of a probability."""
        return float(np.sqrt(probability * (1 - probability) / max(self.effective, 1.0)))

    def sentences(self) -> list[Sentence]:
        """What comes first and, of several levels, the likeliest orders."""
        (leader, probability), *rest = self.first().items()
        others = [clause("{name}: {share}", name=Name(name), share=_share(own)) for name, own in rest[:SHOWN]]
        first = clause(
            "{leader} comes first with a probability of {share}", leader=Name(leader), share=_share(probability)
        )
        told = [Sentence.of("{first} ({others})." if others else "{first}.", first=first, others=joined(others))]
        if len(self.best) > 1:
            orders = [
                clause("{order} ({share})", order=_told(order), share=_share(own))
                for order, own in list(self._distinct().items())[:SHOWN]
            ]
            told.append(
                Sentence.of(
                    "Likeliest {orders}: {listed}.",
                    orders="order" if len(orders) == 1 else "orders",
                    listed=joined(orders, "; "),
                )
            )
        return told

    def _distinct(self) -> dict[tuple[str, ...], float]:
        """Orders in which each objective stands once, where it comes first: it may lead several levels."""
        total: dict[tuple[str, ...], float] = {}
        for order, probability in self.probabilities.items():
            once = tuple(dict.fromkeys(order))
            total[once] = total.get(once, 0.0) + probability
        return dict(sorted(total.items(), key=lambda item: -item[1]))

    def to_dict(self) -> dict[str, Any]:
        return {
            "by": self.by,
            "orders": [{"order": list(order), "probability": own} for order, own in self.probabilities.items()],
            "first": self.first(),
            "effective_draws": self.effective,
            "sentences": [str(sentence) for sentence in self.sentences()],
        }


def order_of(posterior: Posterior, by: str = "auto") -> PriorityOrder:
    """Count the orders among the draws of a posterior."""
    weighted = not np.isnan(posterior.weights).any()
    if by not in ("auto", "feature", "reward") or (by == "feature" and not weighted):
        raise InputError(
            "by", expected="'reward', or 'feature' for linear and capped rewards", got=repr(by), fix="use by='auto'"
        )
    by = "feature" if by == "auto" and weighted else "reward" if by == "auto" else by
    orders = _by_feature(posterior) if by == "feature" else _by_reward(posterior)
    counted = Counter(orders).most_common()
    total = sum(number for _, number in counted)
    effective = posterior.trust.numbers.get("effective size", float(len(posterior)))
    return PriorityOrder({order: number / total for order, number in counted}, by, effective)


def _by_feature(posterior: Posterior) -> list[tuple[str, ...]]:
    names = np.array(posterior.features, object)
    scale = posterior.units.scaling.scale
    leading = np.abs(np.nan_to_num(posterior.weights) * scale).argmax(axis=2)
    return [tuple(row) for row in names[leading]]


def _by_reward(posterior: Posterior) -> list[tuple[str, ...]]:
    """Levels of each draw, matched with those of the draw in the middle (nearest to the mean of all)."""
    from scipy.optimize import linear_sum_assignment

    draws = posterior.draws
    specification = posterior.units.specification
    away = (draws - draws.mean(axis=0)) / np.maximum(draws.std(axis=0), 1e-12)
    middle = draws[int(np.sum(away**2, axis=1).argmin())]
    slots = specification.reward_slots
    if len({len(own) for own in slots}) > 1:
        return [tuple(f"reward {i + 1}" for i in range(len(slots)))] * len(draws)
    reference = np.stack([_unit(middle[own]) for own in slots])
    orders = []
    for draw in draws:
        own = np.stack([_unit(draw[part]) for part in slots])
        _, matched = linear_sum_assignment(-(own @ reference.T))
        orders.append(tuple(f"reward {i + 1}" for i in matched))
    return orders


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / max(float(np.linalg.norm(vector)), 1e-12)


def _told(order: tuple[str, ...]) -> Sentence:
    if len(order) == 1:
        return clause("{name} on every level", name=Name(order[0]))
    return joined([Name(name) for name in order], " before ")


def _share(probability: float) -> Share:
    return Share(min(probability, SUREST))
