"""Posteriors against each other and against numerical integration; what they say about themselves."""

import numpy as np
import pytest
from scipy import special, stats

import lori
from lori.errors import InputError
from lori.inference.posterior.draws import interval, shortest

TRUTH = lori.OrderedModel.linear([[4.0, 0.2], [0.3, 4.0]], epsilon=[4.0, 0.3], features=["benefit", "need"])
MODEL = lori.LORI(levels=2, reward=lori.Linear(increasing="all"))


@pytest.fixture(scope="module")
def prefs():
    return lori.simulate(TRUTH, 300, seed=4)


@pytest.fixture(scope="module")
def gaussians(prefs):
    return MODEL.posterior(prefs, method="laplace", seed=1)


@pytest.fixture(scope="module")
def populations(prefs):
    return MODEL.posterior(prefs, method="smc", draws=400, seed=1)


@pytest.mark.parametrize("method", [pytest.param("smc", marks=pytest.mark.slow), "laplace"])
def test_evidence_equals_numerical_integration(method):
    """To 0.1 on a model with two parameters; the integrand knows nothing of LORI's code."""
    prefs = lori.simulate(lori.OrderedModel.linear([[1.0, -0.5]], epsilon=[0.0]), 60, seed=2)
    scale = np.sqrt((prefs.differences**2).mean(axis=0) / 2)
    won = np.where(prefs.wins > 0, 1.0, -1.0)[:, None] * prefs.differences / scale
    first, second = np.meshgrid(np.linspace(-2, 6, 201), np.linspace(-5, 3, 201), indexing="ij")
    grid = np.stack([first.ravel(), second.ravel()])
    log_posterior = special.log_expit(won @ grid).sum(axis=0) + stats.t(3, scale=2.5).logpdf(grid).sum(axis=0)
    expected = special.logsumexp(log_posterior) + 2 * np.log(8 / 200)
    found = lori.LORI(levels=1, epsilon=0.0, lapse=0).posterior(prefs, method=method, seed=0)
    assert found.log_evidence == pytest.approx(expected, abs=0.1)


def agree(one, other):
    assert one.trust.trusted, one.trust.verdict
    assert other.trust.trusted, other.trust.verdict
    apart = np.abs(np.median(one.draws, axis=0) - np.median(other.draws, axis=0)) / other.draws.std(axis=0)
    assert apart.max() < 0.4, apart
    lengths = [np.ptp(interval(own.draws, 0.8), axis=0) for own in (one, other)]
    assert (lengths[0] / lengths[1]).min() > 0.6
    assert (lengths[0] / lengths[1]).max() < 1.7


@pytest.mark.slow
def test_gaussians_agree_with_sequential_monte_carlo(gaussians, populations):
    agree(gaussians, populations)
    assert gaussians.log_evidence == pytest.approx(populations.log_evidence, abs=0.5)


@pytest.mark.slow
def test_nuts_agrees_and_gives_its_chains_to_arviz(prefs, populations):
    nuts = MODEL.posterior(prefs, method="nuts", draws=2000, seed=1)
    agree(nuts, populations)
    data = nuts.to_arviz()
    assert data.posterior.sizes["chain"] == 4


def test_numbers_are_in_the_users_units(gaussians):
    assert gaussians.weights.shape == (1000, 2, 2)
    assert (gaussians.weights >= 0).all()
    middle = np.median(gaussians.thresholds[:, 0, 0])
    assert 0.7 < middle < 1.4  # the truth: 4 / 4


@pytest.mark.slow
def test_other_units_give_the_same_draws(prefs, populations):
    scaled = lori.Preferences.from_arrays(
        prefs.left_features * [1000, 1], prefs.right_features * [1000, 1], wins=prefs.wins, losses=prefs.losses,
        features=prefs.features,
    )  # fmt: skip
    again = MODEL.posterior(scaled, method="smc", draws=400, seed=1)
    np.testing.assert_allclose(again.weights[:, :, 0] * 1000, populations.weights[:, :, 0], rtol=1e-6)


def test_predictions_average_the_models_of_the_draws(gaussians):
    posterior = gaussians.thinned(7)
    left, right = np.random.default_rng(0).normal(size=(2, 5, 2))
    direct = np.stack([model.predict_proba(left, right) for model in posterior.models(7)])
    np.testing.assert_allclose(posterior.predict_proba(left, right), direct, atol=1e-9)
    low, mean, high = posterior.predict_interval(left, right).T
    assert (low <= mean).all()
    assert (mean <= high).all()


def test_the_shortest_interval_leaves_out_the_thin_tail():
    draws = np.stack([np.arange(100.0), np.arange(100.0) ** 2, -(np.arange(100.0) ** 2)], axis=1)
    low, high = shortest(draws, 0.9)
    np.testing.assert_array_equal(high - low, [89, 89**2, 89**2])
    np.testing.assert_array_equal(low[1:], [0, -(89**2)])
    skewed = np.random.default_rng(0).exponential(size=(4000, 1))
    low, high = shortest(skewed, 0.9)
    assert np.mean((low <= skewed) & (skewed <= high)) == pytest.approx(0.9)
    assert (high - low < np.diff(interval(skewed, 0.9), axis=0)).all()


@pytest.mark.parametrize("kind", ["gaussians", pytest.param("populations", marks=pytest.mark.slow)])
def test_the_order_of_objectives(kind, request):
    posterior = request.getfixturevalue(kind)
    order = posterior.order()
    assert order.best == ("benefit", "need")
    assert sum(order.probabilities.values()) == pytest.approx(1.0)
    assert order.first()["benefit"] > 0.9
    assert "Benefit comes first with a probability of" in order.sentences()[0]
    assert posterior.order("reward").by == "reward"
    with pytest.raises(InputError, match="by: expected"):
        posterior.order("name")


@pytest.mark.parametrize("method", ["laplace", pytest.param("smc", marks=pytest.mark.slow)])
def test_identical_features_are_a_draw_and_the_reason_is_said(method):
    x = np.random.default_rng(0).normal(size=(300, 2, 1))
    pairs = lori.OrderedModel.linear([[2.0]], epsilon=[0.0])
    wins = pairs.sample(x[:, 0], x[:, 1], seed=1)
    twin = np.repeat(x, 2, axis=2)
    prefs = lori.Preferences.from_arrays(twin[:, 0], twin[:, 1], wins=wins[:, 0], losses=wins[:, 2])
    posterior = lori.LORI(levels=1, epsilon=0.0).posterior(prefs, method=method, draws=2000)
    assert posterior.order().first()["x1"] == pytest.approx(0.5, abs=0.1)
    assert any("move together" in str(note) for note in posterior.notes)
    assert any("nothing is known about their order" in str(note) for note in posterior.notes)


@pytest.mark.slow
def test_no_data_gives_the_prior_and_says_so():
    nobody = lori.simulate(TRUTH, 3, seed=0).subset([])
    posterior = MODEL.posterior(nobody, method="smc", draws=2000)
    assert [str(note) for note in posterior.notes] == ["There are no data: this is the prior."]
    assert posterior.log_evidence == pytest.approx(0.0, abs=1e-9)
    expected = stats.t(3, scale=2.5).ppf([0.75, 0.95])  # of |weight|: medians of the folded density
    found = np.quantile(posterior.draws, [0.5, 0.9], axis=0)
    np.testing.assert_allclose(found, np.repeat(expected[:, None], posterior.draws.shape[1], axis=1), rtol=0.2)


def test_separable_data_stay_finite():
    right, noise = np.random.default_rng(0).normal(size=(2, 100, 2))
    prefs = lori.Preferences.from_arrays(right + np.array([3.0, 0.0]) + 0.1 * noise, right)
    posterior = lori.LORI(levels=1, epsilon=0.0).posterior(prefs)
    assert np.isfinite(posterior.draws).all()
    assert np.median(posterior.weights[:, 0, 0]) > 0


def test_a_run_that_has_not_converged_gives_no_interval(gaussians):
    from dataclasses import replace

    from lori.inference.posterior.draws import Trust

    doubtful = replace(gaussians, trust=Trust(False, "NOT CONVERGED: populations disagree."))
    fields = doubtful.to_dict()
    assert all(own["interval"] is None for level in fields["levels"] for own in level["weights"].values())
    text = str(doubtful)
    assert "NOT CONVERGED" in text
    assert "not to be relied on" in text
    assert " to " not in text.split("Likeliest")[0].split("Level 1")[1].replace("not to be relied on", "")


def test_populations_that_disagree_are_not_trusted(monkeypatch, prefs):
    from lori.inference.posterior import sampling

    apart = np.stack([np.random.default_rng(0).normal(size=(200, 6)), np.random.default_rng(1).normal(2, 1, (200, 6))])
    made = [sampling.Population(own, -1.0, 5, 0.2, True) for own in apart]
    monkeypatch.setattr(sampling, "sample_by_smc", lambda *args, **kwargs: made)
    trust = MODEL.posterior(prefs, method="smc").trust
    assert not trust.trusted
    assert trust.verdict.startswith("NOT CONVERGED: independent populations disagree")


def test_a_saved_model_keeps_its_posterior(tmp_path, prefs):
    model = lori.LORI(levels=2, reward=lori.Linear(increasing="all")).fit(prefs)
    model.save(tmp_path / "model.json")
    again = lori.load(tmp_path / "model.json")
    np.testing.assert_allclose(again.posterior(seed=3).weights, model.posterior(seed=3).weights)


def test_wrong_requests(prefs):
    model = lori.LORI(levels=1, lapse=0, prior=None).fit(prefs)
    with pytest.raises(InputError, match="a prior on every parameter for smc"):
        model.posterior(prefs, method="smc")
    with pytest.raises(InputError, match="method: expected laplace or smc or nuts"):
        model.posterior(prefs, method="gibbs")
    with pytest.raises(InputError, match="preferences: expected the data"):
        model.posterior(method="smc")


def test_sequential_monte_carlo_runs_repeats_and_goes_to_arviz():
    """On few pairs and with few particles; how right it is, is measured by the slow tests and by `lori bench`."""
    pytest.importorskip("blackjax", reason="blackjax is not installed (pip install 'lori[bayes]')")
    prefs, model = lori.simulate(TRUTH, 30, seed=4), lori.LORI(levels=1, epsilon=0.0)
    first, again = (model.posterior(prefs, method="smc", draws=60, seed=1) for _ in range(2))
    np.testing.assert_array_equal(first.draws, again.draws)
    data = first.to_arviz()
    assert data.posterior["weights"].dims == ("chain", "draw", "level", "feature")
    assert list(data.posterior["feature"].values) == ["benefit", "need"]
    assert data.posterior.sizes["chain"] == 2


@pytest.mark.slow
def test_same_seed_same_draws(prefs, populations):
    again = MODEL.posterior(prefs, method="smc", draws=400, seed=1)
    np.testing.assert_array_equal(again.draws, populations.draws)


def test_worth_is_the_ratio_of_weights_where_the_currency_counts():
    truth = lori.OrderedModel.linear([[1.0, -0.5, 0.0]], epsilon=[0.0], features=["benefit", "cost", "noise"])
    model = lori.LORI(levels=1, epsilon=0.0, lapse=0.0, starts=2).fit(lori.simulate(truth, 400, seed=3))
    posterior = model.posterior()
    rates = posterior.worth("cost").levels[0].rates
    assert list(rates) == ["benefit", "noise"]
    low, high = rates["benefit"].interval
    assert low < 2.0 < high
    weights = model.levels_[0].weights
    assert rates["benefit"].value == pytest.approx(-weights[0] / weights[1], rel=0.05)
    assert posterior.worth("noise").levels[0].rates == {}
    with pytest.raises(lori.InputError, match="currency"):
        posterior.worth("price")


def test_arviz_gets_the_log_likelihood_of_each_choice_and_notebooks_a_page():
    arviz = pytest.importorskip("arviz", reason="arviz is not installed (pip install 'lori[bayes]')")
    x = np.random.default_rng(0).normal(size=(60, 2, 2))
    y = np.where(x[:, 0, 0] > x[:, 1, 0], 1, -1)
    model = lori.LORI(levels=1, epsilon=0.0, lapse=0.05, starts=2).fit(x, y)
    posterior = model.posterior(x, y, draws=200)
    observed = lori.Preferences.from_arrays(x[:, 0], x[:, 1], wins=y > 0, losses=y < 0)
    data = posterior.to_arviz(observed)
    logs = data.log_likelihood["choice"].values
    assert logs.shape == (1, 200, 60)
    by_hand = posterior.models(200)[7].log_likelihood(observed)
    np.testing.assert_allclose(logs[0, 7], by_hand, rtol=1e-9)
    assert arviz.loo(data).elpd_loo == pytest.approx(model.log_likelihood_, abs=6)
    assert repr(posterior) == "Posterior by laplace: 200 draws of one level, trusted"
    assert posterior._repr_html_().startswith("<pre>Posterior by laplace: 200 draws.")
