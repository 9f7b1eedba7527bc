"""Does the estimator fit what it should: known models by other means, and rewards beyond linear ones?"""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

import lori
from lori.inference.posterior import sampling
from lori.inference.settings import checked_settings
from lori.model.ordered import Level


def negative_rao_kupper(parameters, x, wins, ties, losses):
    """Rao and Kupper 1967: worths π = exp(wᵀx), tie parameter θ = exp(ε) ≥ 1."""
    weights, theta = parameters[:-1], np.exp(parameters[-1])
    left, right = np.exp(x[:, 0] @ weights), np.exp(x[:, 1] @ weights)
    wins_left, wins_right = left / (left + theta * right), right / (right + theta * left)
    tied = (theta**2 - 1) * left * right / ((left + theta * right) * (right + theta * left))
    return -(wins @ np.log(wins_left) + losses @ np.log(wins_right) + ties @ np.log(tied))


def test_one_level_with_observed_ties_is_rao_kupper():
    truth = lori.OrderedModel.linear([[1.0, -0.5, 0.3]], epsilon=[0.7], ties="observed")
    seen = lori.simulate(truth, 300, times=2, seed=4)
    assert seen.ties.sum() > 50
    x = np.stack([seen.left_features, seen.right_features], axis=1)
    other = minimize(
        negative_rao_kupper, [0.0, 0.0, 0.0, 0.5], args=(x, seen.wins, seen.ties, seen.losses),
        method="L-BFGS-B", bounds=[(None, None)] * 3 + [(1e-6, None)], options={"ftol": 1e-15, "gtol": 1e-9},
    )  # fmt: skip
    model = lori.LORI(levels=1, lapse=0, prior=None, starts=8).fit(seen)
    assert model.ties_ == "observed"
    assert model.levels_[0].weights == pytest.approx(other.x[:-1], abs=2e-5)
    assert model.levels_[0].epsilon == pytest.approx(other.x[-1], abs=2e-5)
    assert model.log_likelihood_ == pytest.approx(-other.fun, abs=1e-6)
    assert model.predict_proba(seen)[:, 1].mean() == pytest.approx(seen.ties.sum() / seen.n_comparisons, abs=0.02)


@pytest.mark.slow
def test_more_levels_never_fit_worse():
    seen = lori.simulate(lori.OrderedModel.linear([[2.0, 0.5], [-0.3, 3.0]], epsilon=[1.5, 0.0]), 400, seed=0)
    rows = lori.LORI(levels=2, lapse=0, prior=None, starts=8).fit(seen).summary().to_dict()["by_levels"]
    assert [row["levels"] for row in rows] == [1, 2]
    assert rows[1]["log_likelihood"] > rows[0]["log_likelihood"] + 3


@pytest.fixture(scope="module")
def bent():
    """Closer to the origin is better: no linear reward can say so."""
    generator = np.random.default_rng(7)
    x = generator.normal(size=(400, 2, 2))
    gap = 2 * (np.sum(x[:, 1] ** 2, axis=1) - np.sum(x[:, 0] ** 2, axis=1))
    y = np.where(generator.uniform(size=400) < 1 / (1 + np.exp(-gap)), "left", "right")
    return (x[:300], y[:300]), (x[300:], y[300:])


@pytest.mark.slow
def test_a_small_network_learns_what_a_linear_reward_cannot(bent, tmp_path):
    train, test = bent
    straight = lori.LORI(levels=1, epsilon=0.0, starts=4).fit(*train)
    network = lori.LORI(levels=1, reward=lori.Network(hidden=(6,)), epsilon=0.0, starts=4).fit(*train)
    assert network.score(*test) > straight.score(*test) + 0.2
    assert straight.score(*test) < np.log(0.5) + 0.03
    network.save(tmp_path / "network.json")
    assert np.array_equal(lori.load(tmp_path / "network.json").predict_proba(test[0]), network.predict_proba(test[0]))


@pytest.mark.slow
def test_a_larger_network_goes_by_quasi_newton_and_has_no_standard_errors(bent):
    train, test = bent
    reward = lori.Network(hidden=(16,))
    network = lori.LORI(levels=1, reward=reward, epsilon=0.0, starts=1).fit(train[0][:150], train[1][:150])
    assert reward.size(network.features_) > 60
    assert network.score(*test) > np.log(0.5) + 0.2
    weights = network.summary().to_dict()["levels"][0]["weights"]
    assert all(number["standard_error"] is None for number in weights.values())


def test_a_function_without_parameters_learns_only_its_alpha(bent, tmp_path):
    train, _ = bent
    reward = lori.Function(lambda parameters, x: -jnp.sum(x**2))
    model = lori.LORI(levels=1, reward=reward, alpha=None, epsilon=0.0, lapse=0, prior=None, starts=4).fit(*train)
    x, y = train
    gap = np.sum(x[:, 1] ** 2, axis=1) - np.sum(x[:, 0] ** 2, axis=1)
    towards = np.where(y == "left", gap, -gap)
    by_hand = minimize_scalar(lambda alpha: np.logaddexp(0, -alpha * towards).sum(), bounds=(0.1, 10), method="bounded")
    assert model.levels_[0].alpha == pytest.approx(by_hand.x, abs=1e-4)
    assert model.levels_[0].alpha == pytest.approx(2.0, abs=0.6)
    assert model.log_likelihood_ == pytest.approx(-by_hand.fun, abs=1e-6)
    with pytest.raises(lori.InputError, match=r"pickle instead\.$"):
        model.save(tmp_path / "function.json")
    assert not list(tmp_path.iterdir())


def distance(parameters, x):
    return -2.0 * jnp.sum((x - parameters) ** 2)


def test_a_function_with_parameters_finds_them_and_is_saved_by_its_name(bent, tmp_path):
    train, (left, *_) = bent
    reward = lori.Function(distance, start=(0.5, -0.5))
    model = lori.LORI(levels=1, reward=reward, epsilon=0.0, lapse=0, prior=None, starts=4).fit(*train)
    assert model.levels_[0].parameters == pytest.approx([0.0, 0.0], abs=0.15)
    assert model.converged_
    assert "parameter 2 = " in str(model.summary())
    file = tmp_path / "function.json"
    model.save(file)
    again = lori.load(file)
    np.testing.assert_array_equal(again.predict_proba(left), model.predict_proba(left))
    assert str(again.summary()) == str(model.summary())
    file.write_text(file.read_text().replace(f"{__name__}:distance", "elsewhere:distance"))
    with pytest.raises(
        lori.ModelFileError, match=r"imported at model.levels\[0\].reward.*import elsewhere before the model"
    ):
        lori.load(file)


def test_fewer_and_more_levels_of_what_is_given_level_by_level():
    capped, linear = lori.Capped(), lori.Linear()
    two = lori.LORI(levels=2, reward=[capped, linear], alpha=(2.0, None), epsilon=(None, 0.0))
    one, three = two.with_levels(1), two.with_levels(3)
    assert (one.reward, one.alpha, one.epsilon) == ([capped], [2.0], [0.0])
    assert (three.reward, three.alpha) == ([capped, linear, linear], [2.0, None, None])
    assert three.epsilon == [None, None, 0.0]
    assert lori.LORI(epsilon=[0.5]).with_levels(2).epsilon == [0.5, 0.5]
    assert lori.LORI(epsilon=0.5).with_levels(2).epsilon == 0.5
    prefs = lori.simulate(lori.OrderedModel.linear([[2.0, -1.0]], epsilon=[0.5]), 100, seed=0)
    own = checked_settings(two.get_params(deep=False), [prefs]).specification
    assert checked_settings(one.get_params(deep=False), [prefs]).specification == own.fewer()


@pytest.mark.slow
def test_levels_that_are_not_supported_are_left_out():
    one = lori.OrderedModel.linear([[2.0, -1.0]], epsilon=[0.0])
    two = lori.OrderedModel.linear([[3.0, 0.0], [0.0, 3.0]], epsilon=[3.0, 0.0])
    for truth, levels in ((one, 1), (two, 2)):
        prefs = lori.simulate(truth, 600, seed=0)
        fitted = lori.LORI(levels=2, starts=8).fit(prefs)
        supported = fitted.supported(prefs)
        assert len(supported.levels_) == levels
        assert (supported is fitted) == (levels == 2)
        assert supported.supported(prefs) is supported
    assert fitted.copy(method="paper").fit(prefs).supported(prefs).levels == 2  # which says nothing on fewer


# -- levels that share parameters ------------------------------------------------------------------------


def test_a_joint_function_of_two_levels_finds_its_parameters():
    """Against SciPy on the paper's equations: both levels turn by the same angle and have the same strength."""

    def both(p, x):
        return jnp.stack([p[0] * x[0] + p[1] * x[1], p[1] * x[0] - p[0] * x[1]])

    seen = lori.simulate(lori.OrderedModel.linear([[2.0, 1.0], [1.0, -2.0]], epsilon=[1.5, 0.0]), 600, seed=1)
    rewards = lori.Function.joint(both, (1.0, 0.0), levels=2)
    model = lori.LORI(levels=2, reward=rewards, epsilon=(None, 0.0), lapse=0, prior=None, starts=2).fit(seen)
    d = np.where(seen.wins[:, None] > 0, seen.differences, -seen.differences)

    def negative(parameters):
        p, q, epsilon = parameters
        first, second = d @ [p, q], d @ [q, -p]
        s, t = 1 / (1 + np.exp(epsilon - first)), 1 / (1 + np.exp(epsilon + first))
        return -np.log(s + (1 - s - t) / (1 + np.exp(-second))).sum()

    starts = [(1.0, 0.0, 1.0), (-1.0, 0.5, 1.0), (0.5, -1.0, 2.0), (2.0, 1.0, 1.5)]
    bounds = [(None, None), (None, None), (0.0, None)]
    other = min((minimize(negative, start, bounds=bounds, tol=1e-12) for start in starts), key=lambda end: end.fun)
    assert model.log_likelihood_ == pytest.approx(-other.fun, abs=1e-5)
    assert model.optimum_.vector == pytest.approx(other.x, abs=1e-3)
    first, second = model.levels_
    assert np.array_equal(first.parameters, second.parameters)
    assert first.weights == pytest.approx(other.x[:2], abs=1e-3)
    assert second.weights == pytest.approx([other.x[1], -other.x[0]], abs=1e-3)


@pytest.mark.slow
def test_two_levels_with_one_gate_are_fitted_saved_and_loaded(tmp_path):
    """Priorities change at the same age on both levels."""
    features, gate = ("risk", "gain", "age"), [-20.0, 0.5]
    shared = lori.Gated(context="age", share="gate")
    truth = lori.OrderedModel(
        tuple(
            Level(shared.among(features), np.array([*weights, *gate]), epsilon, slopes=np.zeros(3))
            for weights, epsilon in (((3.0, 0.0, 0.0, 3.0), 3.0), ((0.0, 4.0, -4.0, 0.0), 0.0))
        ),
        features,
    )
    generator = np.random.default_rng(0)
    pairs = generator.normal(size=(1500, 2, 3))
    pairs[:, :, 2] = generator.uniform(20, 60, size=(1500, 1))
    seen = lori.simulate(truth, pairs, seed=1)
    settings = {"levels": 2, "epsilon": (None, 0.0), "starts": 4, "prior": None}
    model = lori.LORI(**settings, reward=shared).fit(seen)
    assert model.converged_
    assert len(model.optimum_.vector) == 4 + 4 + 2 + 1  # two objectives a level, one gate, one threshold
    first, second = (level.parameters for level in model.levels_)
    assert np.array_equal(first[4:], second[4:])
    assert -first[4] / first[5] == pytest.approx(40.0, abs=1.5)
    logs = truth.predict_log_proba(pairs[:, 0], pairs[:, 1])
    at_truth = seen.wins @ logs[:, 0] + seen.losses @ logs[:, 2]
    assert at_truth < model.log_likelihood_ < at_truth + 15  # eleven parameters gain about five and a half
    apart = lori.LORI(**settings, reward=lori.Gated(context="age")).fit(seen)
    assert len(apart.optimum_.vector) == 13
    assert model.log_likelihood_ <= apart.log_likelihood_ + 1e-3  # of which the shared gate is a special case
    model.save(tmp_path / "model.json")
    loaded = lori.load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict_proba(seen), model.predict_proba(seen))
    assert loaded.optimum_.units.specification == model.optimum_.units.specification
    assert np.array_equal(loaded.posterior(draws=50).draws, model.posterior(draws=50).draws)


# -- settings that change between a fit and what follows ---------------------------------------------------


def test_levels_given_as_arrays_are_taken_level_by_level():
    three = lori.LORI(levels=3, alpha=np.array([1.0, 2.0, 3.0]), epsilon=np.array([0.5, 0.25, 0.0]))
    two, four = three.with_levels(2), three.with_levels(4)
    assert (two.levels, two.alpha, two.epsilon) == (2, [1.0, 2.0], [0.5, 0.0])
    assert (four.levels, four.alpha, four.epsilon) == (4, [1.0, 2.0, 3.0, 3.0], [0.5, 0.25, 0.25, 0.0])


@pytest.mark.parametrize("method", ["laplace", *(pytest.param(own, marks=pytest.mark.slow) for own in ("smc", "nuts"))])
def test_a_posterior_follows_settings_that_were_changed_after_the_fit(method):
    """With the weights believed to be 0.01 standardised units or so, draws are far from the optimum without prior."""
    if method != "laplace":
        pytest.importorskip("blackjax", reason="blackjax is not installed (pip install 'lori[bayes]')")
    seen = lori.simulate(lori.OrderedModel.linear([[1.5]], epsilon=[0.0]), 200, seed=0)
    model = lori.LORI(levels=1, epsilon=0.0, starts=2).fit(seen)
    before = model.posterior(seen, method=method, draws=200)
    strict = lori.Prior(weights=0.01, degrees=50.0)
    after = model.set_params(prior=strict).posterior(seen, method=method, draws=200)
    fresh = lori.LORI(levels=1, epsilon=0.0, starts=2, prior=strict).fit(seen).posterior(seen, method=method, draws=200)
    assert before.weights.mean() == pytest.approx(model.levels_[0].weights[0], abs=0.3)
    assert abs(after.weights.mean()) < 0.2 < before.weights.mean()
    np.testing.assert_allclose(after.draws, fresh.draws, rtol=1e-6, atol=1e-9)


def test_a_posterior_of_the_same_data_does_not_search_again(monkeypatch):
    seen = lori.simulate(lori.OrderedModel.linear([[1.5]], epsilon=[0.0]), 200, seed=0)
    model = lori.LORI(levels=1, epsilon=0.0, starts=2).fit(seen)
    searches = []
    original = sampling.fit_groups
    monkeypatch.setattr(sampling, "fit_groups", lambda *args: (searches.append(args), original(*args))[1])
    same = model.posterior(seen, draws=50)
    assert not searches
    copy = model.posterior(seen[np.arange(len(seen))], draws=50)
    assert len(searches) == 1
    np.testing.assert_allclose(same.draws, copy.draws, rtol=1e-6)
    model.set_params(prior=None).posterior(seen, draws=50)
    assert len(searches) == 2


@pytest.mark.parametrize("levels", [1, 2])
def test_a_tie_is_possible_for_an_agent_who_gave_none_so_far(levels):
    """Ties are offered to all, since some gave them: a slip may be one even where the last threshold is zero."""
    truth = lori.OrderedModel.linear([[2.0, 1.0]], epsilon=[1.0], ties="observed")
    everything = lori.simulate(truth, 160, agents=4, seed=1000)
    later = (everything.agent == "1") & (everything.ties > 0)
    assert later.sum() >= 3
    own = lori.LORI(levels=levels, starts=8).fit_by_agent(everything.subset(~later))["1"]
    assert own.ties_ == own.ties == "observed"  # of a part of these data it is known, too
    assert own.levels_[-1].epsilon == 0
    assert own.score(everything.subset(later)) > -10


def test_parts_have_the_tie_rule_of_the_whole():
    forced = lori.simulate(lori.OrderedModel.linear([[1.0, 2.0]], epsilon=[0.0]), 40, seed=0)
    tied = lori.simulate(lori.OrderedModel.linear([[1.0, 2.0]], epsilon=[2.0], ties="observed"), 40, seed=0)
    assert tied.has_ties
    assert lori.LORI().for_parts_of(forced).ties == "auto"
    assert lori.LORI().for_parts_of(tied).ties == "observed"
    assert lori.LORI(ties="printed").for_parts_of(tied).ties == "printed"
