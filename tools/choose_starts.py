"""Choose how the search for sets begins: how many rows its starts see, and how many of them are polished.

Seeds from 1000 on, which no table uses. Trips as in `lori bench sets`, of one person with two random levels and of
three such people whose choices are pooled (then no model is true, and there are more optima). Each line is one
choice of `BUDGET` and `POLISHED` of `lori.inference.search.guided`: processor seconds of a fit, and in how many data
sets it ended more than 0.05 below the best that any of them found. Takes half an hour on one core:

    python tools/choose_starts.py
"""

from itertools import product
from time import process_time

import numpy as np

from lori.data.choices import Choices
from lori.estimators.lori import LORI
from lori.experiments.bench.recovery import random_model
from lori.experiments.bench.sets import swissmetro_like
from lori.inference.search import guided
from lori.model.decisions import simulated

FIRST, DATA_SETS, TRIPS = 1000, 10, 3000
PEOPLE = (1, 3)
BUDGETS = (2e4, 4e4, 1.5e5)
POLISHED = (1, 3, 5)
MISSED = 0.05


def pooled(seed: int, people: int) -> Choices:
    """Trips of so many people, as many of each."""
    generator = np.random.default_rng(seed)
    asked, parts = swissmetro_like(TRIPS, seed), []
    for number in range(people):
        truth = random_model(generator, 2, asked.n_features, speaks=0.1)
        parts.append(simulated(truth, asked[number::people], generator))
    return Choices.concatenate(parts)


def main() -> None:
    for people in PEOPLE:
        data = [pooled(seed, people) for seed in range(FIRST, FIRST + DATA_SETS)]
        values, seconds = {}, {}
        for choice in product(BUDGETS, POLISHED):
            guided.BUDGET, guided.POLISHED = choice
            estimator = LORI(levels=2, lapse=0, prior=None, standard_errors="none")
            estimator.copy().fit(data[0])  # so that code is compiled
            start = process_time()
            values[choice] = np.array([estimator.copy().fit(own).log_likelihood_ for own in data])
            seconds[choice] = (process_time() - start) / len(data)
        best = np.max(list(values.values()), axis=0)
        for (budget, polished), own in values.items():
            missed = int(np.sum(own < best - MISSED))
            time = seconds[budget, polished]
            print(
                f"{people} people, budget {budget:g}, {polished} polished: {time:.2f} s, {missed} of {len(own)} missed"
            )


if __name__ == "__main__":
    main()
