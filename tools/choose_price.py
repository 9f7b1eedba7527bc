"""Choose the price of deeper levels (`lori.Prior`): on real third levels and on the study of ten levels.

Seeds from 1000 on, which no table uses. Each line is one price of a parameter (with any but 0, a level must have the
evidence for it, too), "scale" the small scale of inner thresholds that stood there before. Takes an hour on two cores:

    python tools/choose_price.py
"""

from dataclasses import replace

import numpy as np

from lori.experiments import levels
from lori.experiments.bench import third_levels
from lori.model.priors import Prior

PRICES = (0.0, 0.5, 1.0, 1.2, 2.0, 3.0, None)
SIZES = (300, 500, 1000, 2000)
FIRST, TEN_LEVELS = 1000, 5


def main() -> None:
    thirds = third_levels.ThirdLevelsSettings(seed=FIRST)
    for price in PRICES:
        told = []
        for pairs in SIZES:
            _, two, three = third_levels.errors(thirds, pairs, Prior(price=price))
            told.append(f"{pairs} pairs {np.median(three):.4f}, below two levels in {np.sum(three < two)}")
        print("scale" if price is None else f"price {price:g}", *told, sep="; ", flush=True)
    for price in PRICES:
        if price is None:
            continue
        settings = replace(levels.STUDY.settings, price=price, most=5)
        cells = [levels.cell(settings, seed) for seed in range(FIRST, FIRST + TEN_LEVELS)]
        means = np.mean([[fit["RMSE"] for fit in cell["fits"]] for cell in cells], axis=0)
        print(f"price {price:g}, ten levels true, one to five fitted:", *np.round(means, 4), flush=True)


if __name__ == "__main__":
    main()
