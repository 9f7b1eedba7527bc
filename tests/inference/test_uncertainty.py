"""Are standard errors those of a naive restatement with finite differences?"""

import numpy as np
import pytest

import lori

TRUTH = lori.OrderedModel.linear([[1.5, 0.2], [-0.3, 1.2]], epsilon=[1.5, 0.0])
SETTINGS = {"levels": 2, "epsilon": (None, 0.0), "prior": None, "starts": 8}


@pytest.fixture(scope="module")
def seen():
    """Each pair is compared five times, so that counts matter; 40 agents."""
    return lori.simulate(TRUTH, 400, times=5, agents=40, seed=1)


@pytest.fixture(scope="module")
def models(seen):
    return {kind: lori.LORI(**SETTINGS, standard_errors=kind).fit(seen) for kind in ("observed", "robust", "clustered")}


def log_probabilities(parameters, d):
    """Two levels, the second without threshold, as printed: log Pr of winning for differences d (n, 2)."""
    first, second, epsilon = d @ parameters[:2], d @ parameters[2:4], parameters[4]
    s, t = 1 / (1 + np.exp(epsilon - first)), 1 / (1 + np.exp(epsilon + first))
    return np.log(s + (1 - s - t) / (1 + np.exp(-second)))


def derivative(function, at, step=1e-5):
    """Central differences, one row for each parameter."""
    moves = step * np.eye(len(at))
    return np.array([(function(at + move) - function(at - move)) / (2 * step) for move in moves])


@pytest.fixture(scope="module")
def naive(seen, models):
    """Covariances in the user's units, by expanding every comparison into a row of its own."""
    levels = models["observed"].levels_
    at = np.concatenate([levels[0].weights, levels[1].weights, [levels[0].epsilon]])
    d = np.concatenate([np.repeat(seen.differences, seen.wins.astype(int), axis=0),
                        np.repeat(-seen.differences, seen.losses.astype(int), axis=0)])  # fmt: skip
    agent = np.concatenate([np.repeat(seen.agent, count.astype(int)) for count in (seen.wins, seen.losses)])
    scores = derivative(lambda p: log_probabilities(p, d), at).T
    information = -derivative(lambda p: derivative(lambda q: log_probabilities(q, d).sum(), p, 1e-4), at, 1e-4)
    bread = np.linalg.inv((information + information.T) / 2)
    sums = np.array([scores[agent == who].sum(axis=0) for who in np.unique(agent)])
    groups, n, k = len(sums), len(d), len(at)
    few = groups / (groups - 1) * (n - 1) / (n - k)
    return at, {
        "observed": bread,
        "robust": bread @ scores.T @ scores @ bread,
        "clustered": few * bread @ sums.T @ sums @ bread,
    }


@pytest.mark.parametrize("kind", ["observed", "robust", "clustered"])
def test_standard_errors_of_weights_threshold_and_epsilon(kind, models, naive):
    at, covariances = naive
    expected = np.sqrt(np.diag(covariances[kind]))
    first, second = models[kind].summary().to_dict()["levels"]
    reported = [level["weights"][name]["standard_error"] for level in (first, second) for name in ("x1", "x2")]
    assert reported == pytest.approx(expected[:4], rel=1e-3)
    assert first["epsilon"]["standard_error"] == pytest.approx(expected[4], rel=1e-3)
    slope = derivative(lambda p: p[4] / np.abs(p[0]), at)
    delta = np.sqrt(slope @ covariances[kind] @ slope)
    assert first["thresholds"]["x1"]["standard_error"] == pytest.approx(delta, rel=1e-3)
    low, high = first["thresholds"]["x1"]["interval"]
    assert (high - low) / 2 == pytest.approx(1.959964 * delta, rel=1e-3)


def test_the_three_kinds_differ_and_share_their_estimates(models):
    errors = {
        kind: [number["standard_error"] for number in model.summary().to_dict()["levels"][0]["weights"].values()]
        for kind, model in models.items()
    }
    assert not np.allclose(errors["observed"], errors["robust"], rtol=1e-4)
    assert not np.allclose(errors["clustered"], errors["robust"], rtol=1e-4)
    assert len({model.log_likelihood_ for model in models.values()}) == 1


@pytest.mark.parametrize("kind", ["observed", "robust", "clustered"])
def test_counts_are_rows(kind, seen, models):
    """Five comparisons in one row say as much as five rows."""
    parts = []
    for count, side in ((seen.wins, "wins"), (seen.losses, "losses")):
        rows = np.repeat(np.arange(len(seen)), count.astype(int))
        own = seen[rows]
        parts.append(
            lori.Preferences.from_arrays(
                own.left_features, own.right_features, agent=own.agent, **{side: np.ones(len(rows))}
            )
        )
    single = lori.LORI(**SETTINGS, standard_errors=kind).fit(lori.Preferences.concatenate(parts))
    reference = models[kind].summary().to_dict()["levels"][0]["weights"]
    for name, number in single.summary().to_dict()["levels"][0]["weights"].items():
        assert number["standard_error"] == pytest.approx(reference[name]["standard_error"], rel=1e-4)


def test_intervals_cover_the_truth(models):
    """A check with its own error bar: within four standard errors."""
    first, second = models["observed"].summary().to_dict()["levels"]
    for level, truth in ((first, TRUTH.levels[0]), (second, TRUTH.levels[1])):
        for (_, number), value in zip(level["weights"].items(), truth.weights, strict=True):
            assert abs(number["value"] - value) < 4 * number["standard_error"]
    assert abs(first["epsilon"]["value"] - 1.5) < 4 * first["epsilon"]["standard_error"]


def test_what_is_fixed_or_not_identified_has_no_standard_error(models):
    x = np.random.default_rng(0).normal(size=(200, 2, 2))
    x[:, :, 1] = x[:, :, 0]
    y = np.where(np.random.default_rng(1).uniform(size=200) < 1 / (1 + np.exp(x[:, 1, 0] - x[:, 0, 0])), 1, 0)
    twins = lori.LORI(levels=1, epsilon=0.0, prior=None, starts=8).fit(x, y).summary().to_dict()["levels"][0]["weights"]
    assert twins["x1"]["standard_error"] is None
    assert twins["x2"]["standard_error"] is None
    assert models["observed"].summary().to_dict()["levels"][1]["epsilon"]["standard_error"] is None
