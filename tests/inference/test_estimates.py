"""Are reported numbers in the user's units, whatever α is asked for and however features are measured?"""

import warnings

import numpy as np
import pytest

import lori
from lori.inference.estimates import Units
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Pairs
from lori.model.ordered import Level
from lori.model.specification import Specification

TRUTH = lori.OrderedModel.linear([[2.0, 0.5], [-0.3, 3.0]], epsilon=[1.5, 0.0])


@pytest.fixture(scope="module")
def seen():
    return lori.simulate(TRUTH, 400, seed=0)


def fitted(seen, **settings):
    return lori.LORI(**{"levels": 2, "starts": 8, **settings}).fit(seen)


@pytest.fixture(scope="module")
def plain(seen):
    return fitted(seen)


def test_a_learned_alpha_takes_over_the_scale(seen, plain):
    learned = fitted(seen, alpha=None)
    for level, reference in zip(learned.levels_, plain.levels_, strict=True):
        assert np.abs(level.weights).sum() == pytest.approx(1.0)
        assert level.alpha == pytest.approx(np.abs(reference.weights).sum())
        assert level.alpha * level.weights == pytest.approx(reference.weights)
        assert level.alpha * level.epsilon == pytest.approx(reference.epsilon)
        assert level.thresholds == pytest.approx(reference.thresholds)
    assert learned.predict_proba(seen) == pytest.approx(plain.predict_proba(seen), abs=1e-10)
    assert learned.log_likelihood_ == pytest.approx(plain.log_likelihood_)


def test_a_fixed_alpha_divides_weights_and_threshold(seen, plain):
    other = fitted(seen, alpha=22.0)
    for level, reference in zip(other.levels_, plain.levels_, strict=True):
        assert level.alpha == 22.0
        assert level.weights == pytest.approx(reference.weights / 22)
        assert level.epsilon == pytest.approx(reference.epsilon / 22)
        assert level.thresholds == pytest.approx(reference.thresholds)
    assert other.predict_proba(seen) == pytest.approx(plain.predict_proba(seen), abs=1e-10)


def test_a_feature_that_does_not_count_has_no_threshold_and_warns_nobody(plain):
    specification = plain.settings_.specification
    units = Units(specification, Scaling(np.zeros(2), np.ones(2)), (1.0, 1.0))
    vector = np.zeros(specification.size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(units.reported(vector)[0].thresholds).all()
        units.standard_errors(vector, np.eye(specification.size))


def test_standard_errors_follow_the_scale(seen, plain):
    def level_one(model):
        return model.summary().to_dict()["levels"][0]

    one, scaled = level_one(plain), level_one(fitted(seen, alpha=22.0))
    for name in ("x1", "x2"):
        assert scaled["weights"][name]["standard_error"] == pytest.approx(one["weights"][name]["standard_error"] / 22)
        mine, reference = scaled["thresholds"][name], one["thresholds"][name]
        assert mine["standard_error"] == pytest.approx(reference["standard_error"])
    assert scaled["epsilon"]["standard_error"] == pytest.approx(one["epsilon"]["standard_error"] / 22)


@pytest.mark.parametrize("prior", [None, "weak"])
def test_nothing_depends_on_the_units_of_a_feature(seen, prior):
    factor = np.array([1000.0, 1.0])
    large = lori.Preferences.from_arrays(
        seen.left_features * factor, seen.right_features * factor, wins=seen.wins, losses=seen.losses
    )
    settings = {"epsilon": (None, 0.0), "prior": prior}
    one, other = fitted(seen, **settings), fitted(large, **settings)
    assert other.log_likelihood_ == pytest.approx(one.log_likelihood_, abs=1e-6)
    for level, reference in zip(other.levels_, one.levels_, strict=True):
        assert level.weights * factor == pytest.approx(reference.weights, rel=1e-5)
        assert level.thresholds / factor == pytest.approx(reference.thresholds, rel=1e-5)
    assert other.predict_proba(large) == pytest.approx(one.predict_proba(seen), abs=1e-6)


def test_a_shift_of_a_feature_changes_nothing(seen):
    shift = np.array([500.0, 0.0])
    moved = lori.Preferences.from_arrays(
        seen.left_features + shift, seen.right_features + shift, wins=seen.wins, losses=seen.losses
    )
    one, other = fitted(seen), fitted(moved)
    assert other.predict_proba(moved) == pytest.approx(one.predict_proba(seen), abs=1e-6)


@pytest.mark.parametrize("slope", [4.0, -4.0])
def test_levels_with_one_gate_report_the_same_gate(slope):
    """In the user's units, whatever α is asked for, and for the mirror image, too."""
    features = ("risk", "age", "gain")
    shared = lori.Gated(context="age", share="gate").among(features)
    specification = Specification((shared, shared), (None, 0.0), (1.0, 1.0), Pairs(), features)
    location, scale = np.array([1.0, 35.0, -2.0]), np.array([0.5, 20.0, 3.0])
    vector = np.array([1.0, 2.0, 3.0, 4.0, 0.7, slope, -1.0, -2.0, -3.0, -4.0, 0.9])
    units = Units(specification, Scaling(location, scale), (2.0, None))
    first, second = units.model(vector, np.tile(location, (5, 1))).levels
    np.testing.assert_allclose(first.parameters[4:], second.parameters[4:], rtol=1e-13)
    assert first.parameters[5] == pytest.approx(0.2)
    assert -first.parameters[4] / first.parameters[5] == pytest.approx(35.0 - 20.0 * 0.7 / slope)
    weights = vector[:4] / scale[[0, 2, 0, 2]] / 2
    np.testing.assert_allclose(first.parameters[:4], weights if slope > 0 else weights[[2, 3, 0, 1]])


@pytest.fixture(scope="module")
def capped():
    """Need in days counts up to 40 days; below a difference of 5 days benefit decides."""
    reward = lori.Capped(increasing=["need"])
    first = Level(reward, np.array([0.5, 0.0, 20.0]), epsilon=2.5, slopes=np.array([0.5, 0.0]))
    second = Level(lori.Linear(), np.array([0.0, 3.0]), epsilon=0.0, slopes=np.array([0.0, 3.0]))
    truth = lori.OrderedModel((first, second), ("need", "benefit"))
    generator = np.random.default_rng(5)
    pairs = np.stack([generator.uniform(0, 80, size=(1500, 2)), generator.normal(size=(1500, 2))], axis=2)
    seen = lori.simulate(truth, pairs, seed=6)
    rewards = [lori.Capped(increasing=["need"]), lori.Linear()]
    return truth, seen, lori.LORI(levels=2, reward=rewards, epsilon=(None, 0.0), starts=8).fit(seen)


@pytest.mark.slow
def test_the_cap_comes_out_in_units_of_the_feature(capped):
    _, _, model = capped
    first = model.summary().to_dict()["levels"][0]
    assert first["reward"] == "capped"
    assert first["leading"] == ["need"]
    assert first["cap_in_feature"]["feature"] == "need"
    assert first["cap_in_feature"]["value"] == pytest.approx(40.0, abs=2.0)
    assert first["thresholds"]["need"]["value"] == pytest.approx(5.0, abs=1.0)
    assert first["cap"]["value"] == pytest.approx(20.0, abs=4 * first["cap"]["standard_error"])
    assert "more does not count above" in str(model.summary())


@pytest.mark.slow
def test_the_capped_model_is_saved_and_loaded(capped, tmp_path):
    _, seen, model = capped
    model.save(tmp_path / "model.json")
    loaded = lori.load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict_proba(seen), model.predict_proba(seen))
    assert loaded.levels_[0].cap == model.levels_[0].cap
    assert loaded.levels_[0].reward == model.levels_[0].reward


@pytest.mark.slow
def test_the_capped_model_predicts_like_the_truth(capped):
    truth, seen, model = capped
    error = model.predict_proba(seen) - truth.predict_proba(seen.left_features, seen.right_features)
    assert np.sqrt(np.mean(error**2)) < 0.04


JUDGED_TRUTH = lori.OrderedModel.linear([[1.5, 0.2], [-0.3, 1.2]], epsilon=[1.5, 0.0])
SETTINGS = {"lapse": 0, "levels": 2, "epsilon": (None, 0.0), "prior": None, "starts": 8}


@pytest.fixture(scope="module")
def judged():
    """Each pair is compared five times, so that counts matter; 40 agents."""
    return lori.simulate(JUDGED_TRUTH, 400, times=5, agents=40, seed=1)


@pytest.fixture(scope="module")
def models(judged):
    return {
        kind: lori.LORI(**SETTINGS, standard_errors=kind).fit(judged) for kind in ("observed", "robust", "clustered")
    }


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
def naive(judged, models):
    """Covariances in the user's units, by expanding every comparison into a row of its own."""
    levels = models["observed"].levels_
    at = np.concatenate([levels[0].weights, levels[1].weights, [levels[0].epsilon]])
    d = np.concatenate([np.repeat(judged.differences, judged.wins.astype(int), axis=0),
                        np.repeat(-judged.differences, judged.losses.astype(int), axis=0)])  # fmt: skip
    agent = np.concatenate([np.repeat(judged.agent, count.astype(int)) for count in (judged.wins, judged.losses)])
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


def test_the_three_kinds_differ_and_share_their_estimates(models):
    errors = {
        kind: [number["standard_error"] for number in model.summary().to_dict()["levels"][0]["weights"].values()]
        for kind, model in models.items()
    }
    assert not np.allclose(errors["observed"], errors["robust"], rtol=1e-4)
    assert not np.allclose(errors["clustered"], errors["robust"], rtol=1e-4)
    assert len({model.log_likelihood_ for model in models.values()}) == 1


@pytest.mark.parametrize("kind", ["observed", "robust", "clustered"])
def test_counts_are_rows(kind, judged, models):
    """Five comparisons in one row say as much as five rows."""
    parts = []
    for count, side in ((judged.wins, "wins"), (judged.losses, "losses")):
        rows = np.repeat(np.arange(len(judged)), count.astype(int))
        own = judged[rows]
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
    for level, truth in ((first, JUDGED_TRUTH.levels[0]), (second, JUDGED_TRUTH.levels[1])):
        for (_, number), value in zip(level["weights"].items(), truth.weights, strict=True):
            assert abs(number["value"] - value) < 4 * number["standard_error"]
    assert abs(first["epsilon"]["value"] - 1.5) < 4 * first["epsilon"]["standard_error"]


def test_what_is_fixed_or_not_identified_has_no_standard_error(models):
    x = np.random.default_rng(0).normal(size=(200, 2, 2))
    x[:, :, 1] = x[:, :, 0]
    y = np.where(np.random.default_rng(1).uniform(size=200) < 1 / (1 + np.exp(x[:, 1, 0] - x[:, 0, 0])), 1, 0)
    twins = (
        lori.LORI(levels=1, epsilon=0.0, lapse=0, prior=None, starts=8)
        .fit(x, y)
        .summary()
        .to_dict()["levels"][0]["weights"]
    )
    assert twins["x1"]["standard_error"] is None
    assert twins["x2"]["standard_error"] is None
    assert models["observed"].summary().to_dict()["levels"][1]["epsilon"]["standard_error"] is None
