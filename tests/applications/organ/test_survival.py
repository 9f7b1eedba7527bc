"""Cox models find the hazards that made the data, and expected days are the integral of survival."""

import sys

import numpy as np
import pytest

from lori.applications.organ import survival
from lori.applications.organ.features import before_transplant
from lori.applications.organ.survival import HORIZON, Survival, fit_cox
from lori.applications.organ.truth import WITH, WITHOUT, draw_patients
from lori.errors import FitError, InputError, MissingExtra


@pytest.fixture(autouse=True)
def _lifelines():
    pytest.importorskip("lifelines", reason="needs the extra [organ]")


def cohort(count: int, seed: int):
    """Patients with the truth's deaths, censored at random."""
    generator = np.random.default_rng(seed)
    features = before_transplant(draw_patients(count, generator))
    death, stop = WITHOUT.draw(features, generator), np.ceil(generator.exponential(900, count))
    return features, np.minimum(death, stop), death <= stop


def test_a_large_cohort_returns_the_coefficients_that_made_it():
    fitted = fit_cox("test", *cohort(12_000, seed=3))
    for name, truth in WITHOUT.survival.coefficients.items():
        assert abs(fitted.survival.coefficients[name] - truth) < 3 * fitted.standard_errors[name], name
    assert fitted.deaths > 3_000
    assert 0.7 < fitted.concordance < 0.85
    assert min(fitted.proportional.values()) > 0.001  # hazards are proportional by construction
    # Expected days agree as well, to 2 % of the horizon.
    features = before_transplant(draw_patients(2_000, np.random.default_rng(4)))
    days, known = (model.expected_days(features) for model in (fitted.survival, WITHOUT.survival))
    assert np.sqrt(np.mean((days - known) ** 2)) < 0.02 * HORIZON


def test_the_neediest_first_is_no_obstacle():
    """Censoring by need leaves few deaths to tell a feature from its interaction; the optimum is found all the same."""
    features, days, died = cohort(6_000, seed=10)
    order = np.argsort(np.argsort(-WITHOUT.survival.predictor(features)))
    stop = 1 + order / 20 + np.random.default_rng(11).exponential(20, 6_000)
    fitted = fit_cox("test", features, np.minimum(days, stop), died & (days <= stop))
    for name, truth in WITHOUT.survival.coefficients.items():
        assert abs(fitted.survival.coefficients[name] - truth) < 3 * fitted.standard_errors[name], name


def test_no_convergence_is_an_error_not_a_result(monkeypatch):
    monkeypatch.setattr(survival, "_optimum", lambda lifelines, table: np.full(table.shape[1] - 2, 40.0))
    with pytest.raises(FitError, match="did not converge"):
        fit_cox("test", *cohort(300, seed=12))


def test_the_living_count():
    """Leaving out the living, as the paper's scripts do, makes everybody look much sicker."""
    features, days, died = cohort(1_500, seed=5)
    whole = fit_cox("test", features, days, died)
    dead = fit_cox("test", {name: values[died] for name, values in features.items()}, days[died], died[died])
    means = [fit.survival.expected_days(features).mean() for fit in (whole, dead)]
    truth = WITHOUT.survival.expected_days(features).mean()
    assert abs(means[0] - truth) < 60
    assert means[1] < truth - 200


def test_effects_that_change_with_time_are_noticed():
    generator = np.random.default_rng(6)
    x = generator.integers(0, 2, 1_000).astype(float)
    days = 300 * generator.exponential(size=1_000) ** np.where(x == 1, 0.4, 1.5)
    assert fit_cox("test", {"x": x}, days, np.ones(1_000, bool)).proportional["x"] < 1e-6


def test_expected_days_of_a_step_function():
    stepped = Survival({"x": 1.0}, {"x": 0.0}, np.array([10.0, 100.0]), np.array([0.5, 2.0]))
    x = np.array([-1.0, 0.0, 2.0])
    by_hand = 10 + 90 * np.exp(-0.5 * np.exp(x)) + (HORIZON - 100) * np.exp(-2.0 * np.exp(x))
    np.testing.assert_allclose(stepped.integrated(x), by_hand)
    np.testing.assert_allclose(stepped.expected_days({"x": x}), by_hand, atol=0.01)


@pytest.mark.parametrize("model", [WITHOUT.survival, WITH.survival])
def test_the_table_is_exact_to_a_hundredth_of_a_day(model):
    predictor = np.random.default_rng(7).uniform(-12, 12, 2_000)
    grid, days = model._table
    assert np.abs(np.interp(predictor, grid, days) - model.integrated(predictor)).max() < 0.01


def test_nobody_lives_less_than_no_time_or_longer_than_the_horizon():
    model = Survival({"x": 1.0}, {"x": 0.0}, WITHOUT.survival.times, WITHOUT.survival.hazard)
    days = model.expected_days({"x": np.array([-1e6, -30.0, 30.0, 1e6])})
    np.testing.assert_allclose(days, [HORIZON, HORIZON, 1, 1], atol=0.01)


def test_both_models_of_a_registry(registry, estimates):
    assert estimates.before.patients == len(registry.listed())
    listed = registry.listed()
    waited = (listed["DEATH_DATE"] - listed["INIT_DATE"])[listed["TX_DATE"].isna()]
    assert estimates.before.deaths == (waited <= HORIZON).sum()
    assert estimates.after.patients == len(registry.transplanted())
    for fitted, truth in ((estimates.before, WITHOUT), (estimates.after, WITH)):
        assert {*fitted.survival.coefficients, *fitted.left_out} == set(truth.survival.coefficients)


def test_a_feature_that_does_not_vary_is_left_out():
    features, days, died = cohort(500, seed=8)
    fitted = fit_cox("test", {**features, "constant": np.ones(500)}, days, died)
    assert fitted.left_out == ("constant",)
    assert "constant" not in fitted.survival.coefficients


def test_too_few_deaths():
    features, days, _ = cohort(50, seed=9)
    with pytest.raises(InputError, match="survival of mice: expected at least 10 deaths to learn from, got 0 among 50"):
        fit_cox("survival of mice", features, days, np.zeros(50, bool))


def test_without_lifelines(monkeypatch):
    monkeypatch.setitem(sys.modules, "lifelines", None)
    with pytest.raises(MissingExtra, match=r"lori\[organ\]"):
        fit_cox("test", *cohort(50, seed=9))


def test_diagnostics_may_come_from_a_part(monkeypatch):
    data = cohort(1_500, seed=5)
    whole = fit_cox("test", *data)
    monkeypatch.setattr(survival, "DIAGNOSED", 700)
    part = fit_cox("test", *data)
    assert part.survival.coefficients == pytest.approx(whole.survival.coefficients)
    assert part.proportional != whole.proportional
    assert part.patients == whole.patients == 1_500


def test_of_a_very_large_registry_a_part_is_taken(registry, monkeypatch):
    monkeypatch.setattr(survival, "MOST", 500)
    found = survival.estimate(registry)
    assert found.before.patients == 500
    assert survival.estimate(registry).before.survival.coefficients == found.before.survival.coefficients
