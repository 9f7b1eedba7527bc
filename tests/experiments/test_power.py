"""Are slips what they are said to be, batches what a loop would give, and numbers of choices interpolated rightly?"""

from dataclasses import replace

import numpy as np
import pytest

from lori.data.preferences import Preferences
from lori.errors import FitError
from lori.estimators.lori import LORI
from lori.experiments import power
from lori.experiments.power import Run, Scenario, Share, Simulation, fit_all, needed
from lori.model.ordered import OrderedModel

SURE = OrderedModel.linear([[1e4, 0.0]], epsilon=[0.0])  # whoever chooses by x1 and hardly ever errs
TWO = OrderedModel.linear([[3.0, 0.0], [0.0, 3.0]], epsilon=[3.0, 0.0])


def test_slips_are_answers_at_random():
    drawn = Scenario(SURE, 4000, slips=0.3).draw(seed=1)
    by_rule = np.where(drawn.differences[:, 0] > 0, 1, -1)
    chosen = drawn.outcome_counts @ [1, 0, -1]
    wrong = Share.among((chosen != by_rule).tolist())
    assert wrong.value == pytest.approx(0.15, abs=4 * wrong.error)  # half of the slips hit the better one
    assert not drawn.n_ties
    without = Scenario(SURE, 4000).draw(seed=1)
    assert np.mean(without.outcome_counts @ [1, 0, -1] != by_rule) < 0.001


def test_slips_include_ties_where_questions_offer_them():
    sure = OrderedModel.linear([[1e4]], epsilon=[0.01], ties="observed")
    drawn = Scenario(sure, 4000, slips=0.3).draw(seed=1)
    ties = Share(drawn.n_ties, 4000)
    assert ties.value == pytest.approx(0.1, abs=4 * ties.error)


def test_studies_of_other_sizes_or_seeds_have_no_pair_in_common():
    few, many, other = Scenario(TWO, 50).draw(3), Scenario(TWO, 60).draw(3), Scenario(TWO, 50).draw(4)
    for others in (many, other):
        assert not np.isin(few.left_features, others.left_features).any()
    np.testing.assert_array_equal(few.outcome_counts, Scenario(TWO, 50).draw(3).outcome_counts)


def test_a_design_is_asked_whole_before_any_pair_comes_again():
    design = np.random.default_rng(0).normal(size=(10, 2, 2))
    drawn = Scenario(TWO, 27, design=design, people=3).draw(0)
    times = np.array([np.sum(drawn.left_features[:, 0] == left) for left in design[:, 0, 0]])
    assert sorted(times) == [2] * 3 + [3] * 7
    assert len(set(drawn.agent)) == 3


def test_a_batch_gives_the_answers_of_a_loop():
    data_sets = [Scenario(TWO, 120, slips=0.05).draw(seed) for seed in range(1000, 1004)]
    estimator = LORI(levels=2, starts=12)
    together, alone = fit_all(estimator, data_sets), [estimator.copy().fit(data) for data in data_sets]
    for one, other, data in zip(together, alone, data_sets, strict=True):
        assert one.summary().support.verdict == other.summary().support.verdict
        # the prior's units are those of all data sets: the models differ by next to nothing
        assert one.log_likelihood_ == pytest.approx(other.log_likelihood_, abs=0.1)
        np.testing.assert_allclose(one.predict_proba(data), other.predict_proba(data), atol=0.02)


def test_a_run_says_what_was_found():
    data = Scenario(TWO, 1500).draw(7)
    model = LORI(levels=2, starts=12).fit(data)
    run = Run.of(model, TWO, data)
    assert run.verdict == "supported"
    assert run.found
    assert run.in_order
    low, high = run.threshold_interval
    assert low < run.threshold < high
    assert run.threshold == pytest.approx(1.0, abs=0.3)
    assert 0 <= run.slips < 0.05
    single = Run.of(model, OrderedModel.linear([[3.0, 1.0]], epsilon=[0.0]), data)
    assert not single.in_order  # there is no order where there is one level


def test_the_order_is_told_in_deviations_not_in_units():
    """In raw units the weights of the second feature are as good as zero."""
    truth = OrderedModel.linear([[3.0, 0.0], [0.0, 3e-4]], epsilon=[3.0, 0.0])
    drawn = Scenario(truth, 1500, spread=(1.0, 1e4)).draw(7)
    fitted = LORI(levels=2, starts=12).fit(drawn)
    assert Run.of(fitted, truth, drawn).in_order
    swapped = OrderedModel.linear([[0.0, 3e-4], [3.0, 0.0]], epsilon=[3.0, 0.0])
    assert not Run.of(fitted, swapped, drawn).in_order


def test_data_sets_with_agents_are_fitted_with_them():
    data = Scenario(TWO, 40, people=4).draw(0)
    (fitted,) = fit_all(LORI(levels=2, starts=4, standard_errors="clustered"), [data])
    assert fitted.summary().pairs == 40


@pytest.mark.parametrize(("count", "text"), [(0, "0 ± 1 %"), (57, "57 ± 5 %"), (100, "100 ± 1 %")])
def test_a_share_has_an_error_even_where_all_agree(count, text):
    share = Share(count, 100)
    assert share.error > 0
    assert str(share) in (text, text.replace("± 1", "± 0"))


def test_what_is_needed_lies_between_the_sizes_on_either_side():
    enough = needed([1000, 100], [Share(100, 100), Share(60, 100)], 0.8)
    assert enough.value == pytest.approx(np.sqrt(100 * 1000))
    assert 100 < enough.low < enough.value < enough.high < 1000
    assert not enough.at_once


def test_what_is_needed_has_an_interval_that_covers():
    """Studies whose power is known: the level is found with a probability that grows with the logarithm of the size."""
    generator = np.random.default_rng(5)
    sizes, chances = [100, 300, 1000], np.array([0.3, 0.75, 0.98])
    true = needed(sizes, [Share(round(10_000 * chance), 10_000) for chance in chances], 0.8).value
    covered = []
    for _ in range(40):
        found = [Share(int(count), 60) for count in generator.binomial(60, chances)]
        enough = needed(sizes, found, 0.8)
        covered.append((enough.low or 0) <= true <= (enough.high or np.inf))
    share = Share.among(covered)
    assert share.value == pytest.approx(0.95, abs=4 * share.error)


def test_sizes_that_are_all_too_small_or_all_large_enough():
    small = needed([100, 300], [Share(1, 100), Share(10, 100)], 0.8)
    assert (small.value, small.low, small.high, small.at_once) == (None, None, None, False)
    large = needed([100, 300], [Share(99, 100), Share(100, 100)], 0.8)
    assert (large.value, large.at_once) == (None, True)


def test_a_share_that_falls_by_chance_does_not_mislead():
    enough = needed([100, 200, 400], [Share(50, 100), Share(46, 100), Share(95, 100)], 0.8)
    assert 200 < enough.value < 400


def fake_runs(scenario: Scenario, seeds: range) -> list[Run]:
    return [Run(f"{scenario.choices} {seed}", in_order=False) for seed in seeds]


def test_a_simulation_goes_on_and_can_be_longer(tmp_path, monkeypatch):
    asked, broken = [], True

    def counting(scenario, seeds):
        if broken and (scenario.choices, seeds[0]) >= (20, 102):
            raise FitError("The power went out.")
        asked.append((scenario.choices, seeds[0]))
        return fake_runs(scenario, seeds)

    monkeypatch.setattr(power, "fitted_runs", counting)
    simulation = Simulation("dice", [Scenario(TWO, 10), Scenario(TWO, 20)], runs=3, seed=100, batch=2)
    with pytest.raises(FitError):
        simulation.carry_out(tmp_path, jobs=1)
    assert [len(runs) for runs in simulation.so_far(tmp_path)] == [3, 2]
    broken = False
    runs = simulation.carry_out(tmp_path, jobs=1)
    assert [run.verdict for run in runs[1]] == ["20 100", "20 101", "20 102"]
    assert asked == [(10, 100), (20, 100), (10, 102), (20, 102)]
    longer = replace(simulation, runs=6).carry_out(tmp_path, jobs=1)
    assert [len(own) for own in longer] == [6, 6]
    assert asked[4:] == [(10, 104), (20, 104)]


def test_runs_of_another_truth_are_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(power, "fitted_runs", fake_runs)
    Simulation("dice", [Scenario(TWO, 10)], runs=2, seed=0, batch=2).carry_out(tmp_path)
    for other in (Scenario(SURE, 10), Scenario(TWO, 10, slips=0.1), Scenario(TWO, 10, estimator=LORI(starts=3))):
        assert Simulation("dice", [other], runs=2, seed=0, batch=2).so_far(tmp_path) == [[]]


def test_scenarios_tell_designs_apart():
    designs = np.random.default_rng(0).normal(size=(2, 5, 2, 2))
    told = [Scenario(TWO, 10, design=design).describe()["design"] for design in designs]
    assert told[0] != told[1]
    assert isinstance(Scenario(TWO, 10, design=designs[0]).draw(0), Preferences)
