"""Reference for Gaussian-process preferences: BoTorch's PairwiseGP, in an environment of its own.

    python -m venv reference && reference/bin/pip install torch botorch
    reference/bin/python tools/pairwise_gp.py > tests/golden/pairwise_gp.json

BoTorch cuts standardised differences of the reward at ±3, which changes the likelihood of clear preferences. The cut
is lifted here, so that both compute the same model; nothing else is changed. Its evidence is given without the priors
of its hyper-parameters.
"""

import json
import platform

import botorch
import gpytorch
import numpy as np
import torch
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood

ITEMS, PAIRS, NEW, SEED = 40, 200, 20, 1000
KERNELS = (([0.3, 0.5], 4.0), ([0.8, 0.8], 1.0), ([0.15, 2.0], 20.0))


def problem() -> dict:
    """Alternatives, pairs with the preferred one first, and new pairs to predict."""
    generator = np.random.default_rng(SEED)
    items = generator.uniform(size=(ITEMS, 2)).round(6)
    reward = 2 * np.sin(3 * items[:, 0]) + 2 * items[:, 1] ** 2
    one = generator.integers(ITEMS, size=PAIRS)
    other = (one + generator.integers(1, ITEMS, size=PAIRS)) % ITEMS
    first = reward[one] + generator.normal(size=PAIRS) > reward[other] + generator.normal(size=PAIRS)
    left, right = np.where(first, one, other), np.where(first, other, one)
    new = generator.uniform(size=(NEW, 2, 2)).round(6)
    return {"items": items.tolist(), "left": left.tolist(), "right": right.tolist(), "new": new.tolist()}


def answer(given: dict, lengths: list, amplitude: float) -> dict:
    comparisons = torch.tensor(np.stack([given["left"], given["right"]], axis=1))
    model = PairwiseGP(torch.tensor(given["items"]), comparisons, jitter=1e-8, xtol=1e-10, maxfev=1000)
    model.likelihood._zlim = 1e6
    model.covar_module.base_kernel.lengthscale = torch.tensor([lengths])
    model.covar_module.outputscale = torch.tensor(amplitude)
    evidence = PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model)
    total = evidence(model.train()(model.datapoints), model.unconsolidated_comparisons)
    priors = sum(prior.log_prob(own(module)).sum() for _, module, prior, own, _ in evidence.named_priors())
    probabilities = []
    model.eval()
    for pair in given["new"]:
        found = model.posterior(torch.tensor(pair)).distribution
        mean, covariance = found.mean, found.covariance_matrix
        spread = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        chance = torch.special.ndtr((mean[0] - mean[1]) / torch.sqrt(2 + spread))
        probabilities.append(round(chance.item(), 8))
    found = {"evidence": round((total - priors).item(), 6), "probabilities": probabilities}
    return {"lengths": lengths, "amplitude": amplitude, **found}


def main() -> None:
    torch.set_default_dtype(torch.float64)
    given = problem()
    packages = {"botorch": botorch, "gpytorch": gpytorch, "torch": torch, "numpy": np}
    versions = {"python": platform.python_version(), **{name: own.__version__ for name, own in packages.items()}}
    answers = [answer(given, *kernel) for kernel in KERNELS]
    about = {"about": "BoTorch's PairwiseGP, without its cut at ±3"}
    print(json.dumps({**about, **given, "answers": answers, "versions": versions}))


if __name__ == "__main__":
    main()
