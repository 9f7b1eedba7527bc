"""A search finds the same optimum whatever the order of rows and features, sides, units, weights and seed."""

import numpy as np
import pytest

import lori

FEATURES = ("a", "b", "c")


def data_set(seed: int, least: int, most: int) -> lori.Preferences:
    """Two levels of three features, or one, with some slips."""
    random = np.random.default_rng(seed)
    weights = random.normal(0.0, 2.5, size=(1 + seed % 2, 3))
    epsilon = [*random.uniform(0.5, 4.0, len(weights) - 1), 0.0]
    truth = lori.OrderedModel.linear(weights, epsilon=epsilon, features=FEATURES, lapse=0.05 * (seed % 3))
    return lori.simulate(truth, int(random.integers(least, most)), seed=seed)


def changed(data: lori.Preferences, how: str) -> lori.Preferences:
    left, right, counts = data.left_features, data.right_features, data.outcome_counts
    features, weight = data.features, np.ones(len(data))
    random = np.random.default_rng(1)
    if how == "rows":
        order = random.permutation(len(data))
        left, right, counts = left[order], right[order], counts[order]
    elif how == "sides":
        turned = random.uniform(size=len(data)) < 0.5
        left, right = np.where(turned[:, None], right, left), np.where(turned[:, None], left, right)
        counts = np.where(turned[:, None], counts[:, ::-1], counts)
    elif how == "features":
        left, right, features = left[:, ::-1], right[:, ::-1], features[::-1]
    elif how == "units":
        left, right = left * [1000.0, 1.0, 1.0], right * [1000.0, 1.0, 1.0]
    elif how == "weights":
        weight = weight * 10.0
    return lori.Preferences.from_arrays(left, right, counts=counts, features=features, weight=weight)


def found(data: lori.Preferences, seed: int = 0) -> tuple[float, tuple, str]:
    model = lori.LORI(levels=2, seed=seed, standard_errors="none").fit(data)
    summary = model.summary()
    return model.log_likelihood_, tuple(level.leading[:1] for level in summary.levels), summary.support.verdict


def differences(seed: int, least: int, most: int) -> dict[str, tuple]:
    """What differs, and how, under each change."""
    data = data_set(seed, least, most)
    value, order, verdict = found(data)
    different = {}
    for how in ("seed", "rows", "sides", "features", "units", "weights"):
        own, its_order, its_verdict = found(changed(data, how), seed=7 if how == "seed" else 0)
        same_order = its_order == order or verdict == "not supported"  # an order that is not there may be any
        if abs(own - value) > 1e-3 or not same_order or its_verdict != verdict:
            different[how] = (own - value, order, its_order, verdict, its_verdict)
    return different


@pytest.mark.parametrize("seed", [100, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(101, 120))])
def test_few_pairs(seed):
    assert differences(seed, 120, 400) == {}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_pairs(seed):
    assert differences(seed, 7_000, 30_000) == {}


@pytest.mark.parametrize("seed", [100, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(101, 110))])
def test_counts_and_single_rows(seed):
    """Five equal answers are five, whether they are written in one row or in five."""
    data = data_set(seed, 120, 400)
    times = np.random.default_rng(seed).integers(1, 6, len(data))
    sides = {"left": data.left_features, "right": data.right_features, "features": data.features}
    counted = lori.Preferences.from_arrays(**sides, counts=data.outcome_counts * times[:, None])
    value, order, verdict = found(counted)
    its_value, its_order, its_verdict = found(data.subset(np.repeat(np.arange(len(data)), times)))
    assert its_value == pytest.approx(value, abs=1e-6)
    assert (its_order, its_verdict) == (order, verdict)


@pytest.mark.parametrize("seed", [100, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(101, 110))])
def test_one_extreme_value_is_named_and_leaves_the_others_alone(seed):
    """A code such as 999999 costs the other choices less than its own choice costs, as it was or as it is now."""
    random = np.random.default_rng(seed)
    left, right = random.normal(size=(2, 200, 3))
    truth = lori.OrderedModel.linear([[1.57, 1.0, -0.8]], epsilon=[0.0], features=FEATURES)
    counts = truth.sample(left, right, seed=random)
    odd, others = left.copy(), np.arange(200) != 17
    odd[17, 0] = 1e6
    plain, disturbed = (
        lori.LORI(levels=1).fit(lori.Preferences.from_arrays(side, right, counts=counts, features=FEATURES))
        for side in (left, odd)
    )

    def logs(model: lori.LORI, side: np.ndarray) -> np.ndarray:
        return np.sum(counts * np.log(np.maximum(model.predict_proba(side, right), 1e-300)), axis=1)

    share = max(-logs(plain, left)[17], -logs(disturbed, odd)[17])
    assert abs(logs(disturbed, left)[others].sum() - logs(plain, left)[others].sum()) < share
    assert "extreme" in [note.code for note in disturbed.summary().status.notes]
