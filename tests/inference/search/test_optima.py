"""Optima of small problems: does brute force ever find a better one than the search?

The likelihood is written once more here, plainly and in NumPy, and SciPy's L-BFGS-B minimises it from hundreds of
starts. `python tests/inference/search/test_optima.py` prints the table for all problems.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import lori

PROBLEMS, BRUTE_STARTS = 60, 300
SHORT = 1e-3  # units of log-likelihood that the search may be short of
TINY = 1e-300


@dataclass(frozen=True)
class Objective:
    """Minus the log-posterior of standardised differences, with its gradient: equations (4) and (5)."""

    levels: int
    ties: str
    decided: np.ndarray  # (rows, features): the preferred alternative minus the other
    tied: np.ndarray
    prior: bool

    @property
    def size(self) -> int:
        return self.levels * (self.decided.shape[1] + 1)

    @property
    def scales(self) -> np.ndarray:
        """Student-t with three degrees of freedom; inner thresholds are small unless ties are observed."""
        inner = [0 < level < self.levels - 1 and self.ties != "observed" for level in range(self.levels)]
        thresholds = np.where(inner, 0.02, 2.5)
        return np.append(np.full(self.levels * self.decided.shape[1], 2.5), thresholds)

    def __call__(self, vector: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = self.likelihood(vector)
        if self.prior:
            u = vector / self.scales
            value = value + 2.0 * np.log1p(u**2 / 3).sum()
            slope = slope + 4.0 * u / (3 + u**2) / self.scales
        return value, slope

    def likelihood(self, vector: np.ndarray) -> tuple[float, np.ndarray]:
        features = self.decided.shape[1]
        weights = vector[: self.levels * features].reshape(self.levels, features)
        thresholds = vector[self.levels * features :]
        slope_weights, slope_thresholds = np.zeros_like(weights), np.zeros_like(thresholds)
        better, worse, equal = _says(self.decided @ weights.T, thresholds)
        up, down = better * (1 - better), worse * (1 - worse)
        after = [np.full(len(self.decided), 0.5 if self.ties == "split" else 0.0)]
        for i in reversed(range(self.levels)):
            after.insert(0, better[:, i] + equal[:, i] * after[0])
        chance = np.maximum(after[0], TINY)
        value, reached = -np.log(chance).sum(), 1 / chance
        for i in range(self.levels):
            slope_weights[i] -= (reached * (up[:, i] + (down - up)[:, i] * after[i + 1])) @ self.decided
            slope_thresholds[i] -= reached @ (-up[:, i] + (up + down)[:, i] * after[i + 1])
            reached = reached * equal[:, i]
        if len(self.tied):
            better, worse, equal = _says(self.tied @ weights.T, thresholds)
            up, down, equal = better * (1 - better), worse * (1 - worse), np.maximum(equal, TINY)
            value -= np.log(equal).sum()
            slope_weights -= ((down - up) / equal).T @ self.tied
            slope_thresholds -= ((up + down) / equal).sum(axis=0)
        return float(value), np.append(slope_weights.ravel(), slope_thresholds)


def _says(gap: np.ndarray, threshold: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    better, worse = expit(gap - threshold), expit(-gap - threshold)
    return better, worse, -np.expm1(-2 * threshold) * (1 - better) * (1 - worse)  # e = 1 - s - t, without subtracting


def brute_force(objective: Objective, starts: int, seed: int) -> tuple[float, np.ndarray]:
    """The best of many runs of L-BFGS-B, and where it is."""
    random = np.random.default_rng(seed)
    weights = objective.levels * objective.decided.shape[1]
    bounds = [(None, None)] * weights + [(0.0, None)] * objective.levels

    def run(start: np.ndarray, iterations: int) -> tuple[float, np.ndarray]:
        options = {"maxiter": iterations, "maxfun": 2 * iterations, "ftol": 1e-12, "gtol": 1e-7}
        with np.errstate(all="ignore"):
            end = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        return (float(end.fun) if np.isfinite(end.fun) else np.inf), end.x

    ends = []
    for _ in range(starts):
        strength = np.exp(random.uniform(np.log(0.3), np.log(10.0)))
        start = np.append(random.normal(0.0, strength, weights), random.uniform(0.0, 2 * strength, objective.levels))
        ends.append(run(start, 300))
    ends.sort(key=lambda end: end[0])
    return min((run(end[1], 5000) for end in ends[:5]), key=lambda end: end[0])


@dataclass(frozen=True)
class Case:
    """A random small problem."""

    levels: int
    ties: str
    prior: str | None
    preferences: lori.Preferences

    @classmethod
    def of(cls, seed: int) -> Case:
        random = np.random.default_rng([seed, 17])
        levels, ties = 1 + seed % 3, ("split", "observed", "printed")[seed // 3 % 3]
        prior = ("weak", None)[seed // 9 % 2]
        features, pairs, true = random.integers(2, 5), random.integers(50, 151), random.integers(1, 4)
        left, right = random.normal(size=(2, pairs, features))
        if random.uniform() < 0.3:
            left, right = np.round(left), np.round(right)
        truth = lori.OrderedModel.linear(
            random.normal(0, 2.5, (true, features)), epsilon=random.uniform(0.3, 3.0, true), ties=ties
        )
        counts = truth.sample(left, right, seed=random)
        names = [f"f{i}" for i in range(features)]
        return cls(levels, ties, prior, lori.Preferences.from_arrays(left, right, counts=counts, features=names))

    def fit(self, **settings: object) -> lori.LORI:
        if "lapse" in lori.LORI().get_params():
            settings["lapse"] = 0.0
        return lori.LORI(levels=self.levels, ties=self.ties, prior=self.prior, **settings).fit(self.preferences)

    @property
    def objective(self) -> Objective:
        data = self.preferences
        differences = data.left_features - data.right_features
        differences = differences / np.sqrt((differences**2).mean(axis=0) / 2)
        decided = np.concatenate([np.repeat(differences, data.wins.astype(int), axis=0),
                                  np.repeat(-differences, data.losses.astype(int), axis=0)])  # fmt: skip
        tied = np.repeat(differences, data.ties.astype(int), axis=0)
        return Objective(self.levels, self.ties, decided, tied, self.prior is not None)


def test_the_gradient_of_the_referee_is_right():
    for seed in range(9):
        objective = Case.of(seed).objective
        vector = np.random.default_rng(seed).uniform(0.2, 2.0, objective.size)
        steps = 1e-6 * np.eye(objective.size)
        numeric = [(objective(vector + step)[0] - objective(vector - step)[0]) / 2e-6 for step in steps]
        np.testing.assert_allclose(objective(vector)[1], numeric, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("seed", "starts"), [(14, 15), (27, 60)])
def test_a_search_is_not_beaten_by_brute_force(seed, starts):
    """Three levels with observed ties, and one level told best by a step; without a prior. Searches were short once."""
    case = Case.of(seed)
    model = case.fit()
    value, _ = case.objective(model.optimum_.vector)
    ridge = 5e-6 * np.log1p((model.optimum_.vector / 10) ** 2).sum()  # which tells equal optima apart
    assert value + ridge == pytest.approx(model.optimum_.value, abs=1e-6)
    assert value <= brute_force(case.objective, starts, seed)[0] + SHORT


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_no_search_is_beaten_by_brute_force(seed):
    case = Case.of(seed)
    model, more = case.fit(), case.fit(starts=200)
    forced, _ = brute_force(case.objective, BRUTE_STARTS, seed)
    for own in (model, more):
        assert case.objective(own.optimum_.vector)[0] <= forced + SHORT
    assert more.optimum_.value <= model.optimum_.value + 1e-9  # with the ridge, which the referee does not know


@pytest.mark.parametrize("seed", [14, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (5, 32, 41, 50))])
def test_three_levels_with_observed_ties_explain_what_one_does(seed):
    """But for the prior's difference: that of two levels more that never speak."""
    case = replace(Case.of(seed), levels=3, ties="observed", prior="weak")
    three, one = case.fit(), replace(case, levels=1).fit()
    features, silent = case.preferences.n_features, 10.0  # a threshold that next to no difference reaches
    weights, threshold = np.split(one.optimum_.vector, [features])
    idle = np.concatenate([np.zeros(2 * features), weights, [silent, silent], threshold])
    objective = case.objective
    prior = objective(idle)[0] - objective.likelihood(idle)[0] - (one.optimum_.value + one.log_likelihood_)
    assert three.log_likelihood_ >= one.log_likelihood_ - prior


if __name__ == "__main__":
    print("problem  levels ties     prior pairs features      search  200 starts brute force       short        more")
    first, last = map(int, sys.argv[1:]) if len(sys.argv) > 2 else (0, PROBLEMS)
    for number in range(first, last):
        own = Case.of(number)
        optima = [own.fit(starts=starts).optimum_ for starts in (48, 200)]
        values = [own.objective(optimum.vector)[0] for optimum in optima]
        forced, _ = brute_force(own.objective, BRUTE_STARTS, number)
        data = own.preferences
        more = optima[1].value - optima[0].value
        found = " ".join(f"{value:11.4f}" for value in (*values, forced, max(values) - forced, more))
        size = f"{len(data):5} {data.n_features:8}"
        print(f"{number:7}  {own.levels:6} {own.ties:8} {own.prior!s:5} {size} {found}", flush=True)
