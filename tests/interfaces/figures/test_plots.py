"""Does every kind of figure show the model's numbers, and say them in words?"""

import dataclasses
import itertools

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import lori
from lori.errors import DataError, InputError
from lori.evaluation.overview import known
from lori.interfaces.figures import calibration, ladder, plots, posterior, tradeoff
from lori.interfaces.figures.style import save


def texts(figure) -> str:
    """Every text that is drawn."""
    from matplotlib.text import Text

    return " ".join(text.get_text() for text in figure.findobj(Text))


def test_ladder(model):
    figure = model.plot.ladder()
    shown, said = texts(figure), figure.get_label()
    assert "counts from 0.1089 (0.0938 to 0.1240)" in shown
    assert "Level 2" in shown
    assert "37 %" in shown
    assert "share decided" in shown
    assert said.startswith(
        "Level 1, led by probability (more is better), decides 37 % of the comparisons; differences of 0.1089 or more"
    )
    assert said.endswith("payoff 100 %.")


def test_tradeoff_with_draws(model, draws):
    figure = model.plot.tradeoff(draws=draws)
    assert (
        "Once the loss in probability reaches 0.11, no gain in payoff of up to 1 makes up for it." in figure.get_label()
    )
    shown = texts(figure)
    assert "loss in probability" in shown
    assert "gain in payoff" in shown
    assert "95 % of the posterior" in shown
    assert "95 % of the posterior" not in texts(model.plot.tradeoff(draws=[]))


def test_a_curve_outside_its_interval_is_explained(model, draws):
    kept = model.plot.tradeoff(draws=draws).get_label()
    moved = model.plot.tradeoff(draws=draws[:1]).get_label()
    assert "outside the posterior interval" not in kept
    assert "outside the posterior interval" in moved


def test_regions_and_surface_name_both_features(model):
    regions, surface = model.plot.regions(), model.plot.surface("payoff", "probability")
    assert "difference in probability, left − right" in texts(regions)
    assert "Where left has 1 more payoff but 0.167 less probability, right is preferred." in regions.get_label()
    assert "probability that left is preferred" in texts(surface)
    assert surface.get_label().startswith("Left is preferred with a probability of 95 % where it has 1 more payoff")


@pytest.mark.slow
def test_check(model, person):
    figure = model.plot.check(person)
    assert "The observed share lies within the model's 90 % interval in" in figure.get_label()
    shown = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert any(text.startswith("decided by level") for text in shown)


def test_calibration(model, person):
    figure = model.plot.calibration(person)
    assert figure.get_label().startswith("The 95 % interval of the observed share contains the predicted one in all 3 ")
    assert "81 % predicted, 82 % observed (73 % to 88 %, 100 choices)" in figure.get_label()
    assert "share of choices that it won" in texts(figure)


def test_posterior(model, draws):
    assert "level 1, threshold of probability: 0.1089 (0.0938 to 0.1240)" in model.plot.posterior().get_label()
    assert "threshold of probability: 0.1089 (0.0980 to 0.1198)" in model.plot.posterior(draws=draws).get_label()
    assert posterior.caption([]) == posterior.UNKNOWN


def test_trajectories(model):
    steps = lori.Trajectories.from_arrays(
        [[[0.1, 1.0], [0.3, 2.0]], [[0.5, 4.0]]], features=["probability", "payoff"], ids=["a", "b"]
    )
    figure = model.plot.trajectories(steps, "a", "b")
    assert figure.get_label() == (
        "Left has 2 steps and right has 1: probability averages 0.2 against 0.5 and ends at 0.3 against 0.5; "
        "payoff averages 1.5 against 4 and ends at 2 against 4."
    )
    assert "left: a" in texts(figure)
    with pytest.raises(DataError):
        model.plot.trajectories(steps, "a", "c")


def test_features_are_checked(model):
    with pytest.raises(InputError, match="one of probability, payoff"):
        model.plot.regions("probability", "luck")
    with pytest.raises(InputError, match="two different features"):
        model.plot.regions("payoff", "payoff")
    with pytest.raises(NotFittedError):
        _ = lori.LORI().plot


def test_leaders_stand_for_names_not_given(model):
    made = plots.Plots(model)
    assert made._features(None, None) == ("probability", "payoff")
    assert made._features("payoff", None) == ("payoff", "probability")
    assert made._features(None, "probability") == ("payoff", "probability")


def test_hostile_names_are_drawn_and_saved(model, hostile, tmp_path):
    trade = plots.trade_off(model.model_, "probability", "payoff", up_to=0.2, most=1.0)
    for pair in itertools.pairwise(hostile):
        named = dataclasses.replace(trade, loss_of=pair[0], gain_of=pair[1])
        save(tradeoff.figure(named), tmp_path / "a.svg")
        assert "<script" not in (tmp_path / "a.svg").read_text(encoding="utf-8")
    save(tradeoff.figure(named), tmp_path / "a.png")


def test_all_observed_in_one_bin_is_drawn():
    one = plots.reliability(
        lori.OrderedModel.linear([[1.0]], epsilon=[0.0]), lori.Preferences.from_arrays([[1.0]], [[0.0]])
    )
    assert "1 choice)" in calibration.calibration(one).get_label()
    assert np.isfinite(calibration.calibration(one).axes[0].get_xlim()).all()


def test_more_than_ten_levels_are_drawn(model, tmp_path):
    summary = model.summary()
    first, last = summary.levels
    levels = tuple(dataclasses.replace(first if place < 12 else last, level=place) for place in range(1, 13))
    many = dataclasses.replace(summary, levels=levels)
    for figure in (ladder.figure(many), posterior.figure(known(many), [np.empty(0)] * len(known(many)))):
        assert "12" in texts(figure)
        assert "evel 12, " in figure.get_label()
        save(figure, tmp_path / "many.svg")


def test_a_model_of_eleven_levels_is_drawn():
    deep = lori.OrderedModel.linear(np.eye(11), epsilon=[1.0] * 10 + [0.0])
    first, second = deep.features[0], deep.features[10]
    trade = plots.trade_off(deep, first, second, up_to=2.0, most=4.0)
    assert "no gain" in tradeoff.figure(trade).get_label()
    land = plots.landscape(deep, first, second, (2.0, 2.0), ties_apart=True)
    assert "left is preferred" in tradeoff.regions(land).get_label()
    assert plots.reliability(deep, lori.simulate(deep, 30, seed=0)).predicted.size
