"""Does the summary say in words and in plain values what was found?"""

import json

import numpy as np
import pytest

import lori
from lori.inference.statistics import Statistics
from lori.inference.summary import about_data, outweighing
from lori.model.ordered import Level
from lori.model.quantity import Quantity
from lori.model.rewards import Fact

TRUTH = lori.OrderedModel.linear([[0.1, 2.0], [3.0, -0.1]], epsilon=[2.0, 0.0])


@pytest.fixture(scope="module")
def model():
    return lori.LORI(levels=2, starts=8).fit(lori.simulate(TRUTH, 400, seed=0))


@pytest.fixture(scope="module")
def fields(model):
    return model.summary().to_dict()


def plain(value) -> bool:
    """Made of JSON values only, no NumPy numbers."""
    if isinstance(value, dict):
        return all(type(key) is str and plain(part) for key, part in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or type(value) in (str, int, float, bool)


@pytest.mark.parametrize(
    "settings",
    [
        {"levels": 2}, {"levels": 1, "epsilon": 0.0}, {"levels": 2, "epsilon": (0.0, 0.0)},
        {"levels": 2, "epsilon": (1000.0, 0.0), "prior": None},
    ],
    ids=str,
)  # fmt: skip
def test_the_dictionary_is_plain_json(settings):
    seen = lori.simulate(TRUTH, 400, seed=0)
    summary = lori.LORI(**settings, starts=8).fit(seen).summary()
    assert plain(summary.to_dict())
    assert json.loads(json.dumps(summary.to_dict(), allow_nan=False)) == summary.to_dict()
    assert "nan" not in str(summary).lower()
    assert "inf " not in str(summary)


def test_levels_in_order_with_their_leading_feature(fields):
    assert [level["leading"] for level in fields["levels"]] == [["x2"], ["x1"]]
    assert [level["level"] for level in fields["levels"]] == [1, 2]
    shares = [level["decides"] for level in fields["levels"]]
    assert sum(shares) + fields["undecided_share"] == pytest.approx(1.0)
    assert min(shares) > 0.1


def test_the_words_carry_the_numbers(model, fields):
    text = str(model.summary())
    first, second = model.summary().levels
    assert f"x2 (more is better) comes first: differences of {first.thresholds['x2'].value:.2f} or more (" in text
    assert (
        f"it decides {100 * first.decides:.0f} % of the comparisons; smaller differences go to the next level." in text
    )
    assert "x1 (more is better) comes second" in text
    assert f"{100 * second.decides:.0f} % of the comparisons" in text
    assert f"log-likelihood {model.log_likelihood_:.3f}" in text
    assert "2 levels, 400 comparisons of 400 pairs" in text
    assert "The choices support a second level: log-likelihood +" in text
    for sentence in fields["sentences"]:
        assert sentence in text
        assert sentence.endswith(".")


def test_values_are_those_of_the_model(model, fields):
    for level, described in zip(model.levels_, fields["levels"], strict=True):
        assert [described["weights"][name]["value"] for name in model.features_] == level.weights.tolist()
        assert [described["thresholds"][name]["value"] for name in model.features_] == level.thresholds.tolist()
        assert described["epsilon"]["value"] == level.epsilon
        assert described["alpha"]["value"] == 1.0
        assert sum(described["importance"].values()) == pytest.approx(1.0)


def test_support_is_the_difference_of_bic(fields):
    one, two = fields["by_levels"]
    assert two["parameters"] - one["parameters"] == fields["support"]["extra_parameters"] == 3
    assert fields["support"]["gain"] == pytest.approx(two["log_likelihood"] - one["log_likelihood"])
    for row in (one, two):
        assert row["bic"] == pytest.approx(row["parameters"] * np.log(400) - 2 * row["log_likelihood"])
    assert one["bic"] - two["bic"] > 6


def test_one_level_has_a_plain_sentence():
    summary = lori.LORI(levels=1, epsilon=0.0, starts=8).fit(lori.simulate(TRUTH, 400, seed=0)).summary()
    assert "x2 (more is better) and x1 (more is better) both matter." in str(summary)
    assert summary.to_dict()["support"] is None


@pytest.mark.parametrize("levels", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_superfluous_level_is_called_so(levels):
    """And the number of levels that is recommended is the best of all that were fitted on the way."""
    one = lori.OrderedModel.linear([[1.0, 2.0]], epsilon=[0.0])
    summary = lori.LORI(levels=levels, starts=8).fit(lori.simulate(one, 400, seed=0)).summary()
    assert summary.to_dict()["support"]["verdict"] == "not supported"
    assert f"The choices do not support a {['second', 'third'][levels - 2]} level" in str(summary)
    assert "fit one level instead." in str(summary)


def test_dust_is_zero_and_a_gain_of_nothing_is_no_support():
    """A feature that never differs has no weight, no threshold and no place in the lead."""
    x = np.random.default_rng(0).normal(size=(80, 2, 2))
    x[:, :, 1] = 3.0
    prefs = lori.Preferences.from_arrays(
        x[:, 0], x[:, 1], wins=x[:, 0, 0] > x[:, 1, 0], losses=x[:, 0, 0] <= x[:, 1, 0]
    )
    fields = lori.LORI(levels=2, starts=8).fit(prefs).summary().to_dict()
    for level in fields["levels"]:
        assert level["weights"]["x2"]["value"] == 0.0
        assert level["thresholds"]["x2"]["value"] is None
        assert "x2" not in level["leading"]
    assert fields["support"]["verdict"] == "not supported"


def test_a_reward_from_outside_the_package_is_summarised():
    """By what it says about itself: its weights, its cap and its particulars."""

    class Squeezed(lori.Capped):
        kind = "squeezed"

        def particulars(self, parameters, errors, features, typical):
            return Grip(float(parameters[-1]))

    class Grip:
        key = "grip"

        def __init__(self, strength):
            self.strength = strength

        def to_dict(self):
            return {"strength": self.strength}

        def facts(self):
            return (Fact("the grip holds {strength}", {}, {"strength": Quantity(self.strength)}),)

        details = facts

    seen = lori.simulate(TRUTH, 200, seed=0)
    summary = lori.LORI(levels=1, reward=Squeezed(), epsilon=0.0, starts=4).fit(seen).summary()
    (level,) = summary.levels
    assert level.reward == "squeezed"
    assert level.cap.value == pytest.approx(level.particulars.strength)
    assert summary.sentences[0].startswith("The grip holds ")
    assert summary.to_dict()["levels"][0]["grip"] == {"strength": level.particulars.strength}


STATUS_TRUTH = lori.OrderedModel.linear([[2.0, 0.5], [-0.3, 3.0]], epsilon=[1.5, 0.0])


@pytest.fixture(scope="module")
def seen():
    return lori.simulate(STATUS_TRUTH, 400, seed=0)


def fitted(seen, **settings):
    return lori.LORI(**{"levels": 2, "starts": 8, **settings}).fit(seen)


def note(model, code: str) -> str:
    """The text of one note, which the summary must show too."""
    (own,) = [note for note in model.status_.notes if note.code == code]
    assert own.text in str(model.summary())
    assert own.text.endswith(".")
    return str(own)


def with_column(seen, column):
    """The same choices with a third feature made from the alternatives."""
    left, right = (np.column_stack([x, column(x)]) for x in (seen.left_features, seen.right_features))
    return lori.Preferences.from_arrays(left, right, wins=seen.wins, losses=seen.losses)


def test_a_sound_fit_has_nothing_to_say_about_the_data(seen):
    model = fitted(seen)
    for code in ("one-sided", "constant", "collinear", "separation", "unidentified", "never decides", "not converged"):
        assert not model.status_.has(code)
    assert model.converged_
    assert model.status_.starts == 8
    assert 0 <= model.status_.share_at_best <= 1


@pytest.mark.parametrize("side", ["left", "right"])
def test_one_sided_choices_fit_and_say_so(seen, side):
    wins = seen.wins == 1
    first = np.where(wins[:, None], seen.left_features, seen.right_features)
    second = np.where(wins[:, None], seen.right_features, seen.left_features)
    sides = (first, second) if side == "left" else (second, first)
    counts = {"wins" if side == "left" else "losses": np.ones(len(seen))}
    model = fitted(lori.Preferences.from_arrays(*sides, **counts))
    assert model.status_.has("one-sided")
    assert f"Every choice is '{side}'" in note(model, "one-sided")
    assert model.log_likelihood_ == pytest.approx(fitted(seen).log_likelihood_, abs=1e-3)


def test_a_constant_feature_fits_and_says_so(seen):
    model = fitted(with_column(seen, lambda x: np.full(len(x), 7.0)))
    assert model.status_.has("constant")
    assert "x3 is the same on both sides of every pair" in note(model, "constant")
    assert [level.weights[2] for level in model.levels_] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert model.log_likelihood_ == pytest.approx(fitted(seen).log_likelihood_, abs=1e-3)


def test_a_duplicated_feature_fits_and_says_what_is_not_identified(seen):
    model = fitted(with_column(seen, lambda x: x[:, 0]))
    assert model.status_.has("collinear")
    assert "x1 and x3 move together" in note(model, "collinear")
    for level in model.levels_:
        assert level.weights[0] == pytest.approx(level.weights[2], abs=1e-4)


def test_a_sum_of_features_is_found_too(seen):
    model = fitted(with_column(seen, lambda x: x[:, 0] + 2 * x[:, 1]))
    assert "x1, x2 and x3 move together" in note(model, "collinear")


def test_identical_alternatives_are_counted(seen):
    x = np.stack([seen.left_features, seen.right_features], axis=1)
    x[:3, 1] = x[:3, 0]
    same = lori.Preferences.from_arrays(x[:, 0], x[:, 1], wins=seen.wins, losses=seen.losses)
    assert "0.8 % of the pairs have the same features on both sides" in note(fitted(same), "identical")


@pytest.mark.parametrize(("prior", "count"), [(None, 20), (None, 400), ("weak", 20)])
def test_separation_says_so(prior, count):
    x = np.random.default_rng(3).normal(size=(count, 2, 2))
    y = np.where((x[:, 0] - x[:, 1]) @ [1.0, 2.0] > 0, 1, 0)
    model = lori.LORI(levels=1, epsilon=0.0, prior=prior, starts=8).fit(x, y)
    assert model.status_.has("separation")
    words = note(model, "separation")
    assert ("prior alone" in words) == (prior == "weak")
    assert np.all(np.isfinite(model.levels_[0].weights))
    assert np.array_equal(model.predict(x), y)


def test_noisy_choices_are_not_separated(seen):
    for prior in (None, "weak"):
        assert not lori.LORI(levels=1, epsilon=0.0, prior=prior, starts=8).fit(seen).status_.has("separation")


def test_a_level_that_is_never_asked_says_so(seen):
    model = fitted(seen, epsilon=(0.0, 0.0))
    assert "Level 2 decides hardly any of the choices (0 %)" in note(model, "never decides")
    assert model.summary().to_dict()["levels"][1]["decides"] == 0.0


def test_a_threshold_that_no_difference_reaches_says_so(seen):
    model = fitted(seen, epsilon=(1000.0, 0.0))
    assert "Level 1 decides hardly any of the choices (" in note(model, "never decides")


@pytest.mark.slow
def test_a_cap_that_hardly_any_alternative_reaches_is_not_told():
    """Where the truth has none, and where it lies in the middle of the rewards."""
    x = np.random.default_rng(3).normal(size=(300, 2, 2))
    weights, none, middle = np.array([4.0, 2.0]), 1e6, 0.0
    shares = []
    for cap in (none, middle):
        level = Level(lori.Capped(sharpness=100.0), np.array([*weights, cap]), 0.0, 1.0, weights)
        seen = lori.simulate(lori.OrderedModel((level,), ("x1", "x2")), x, times=20, seed=1)
        model = fitted(seen, levels=1, reward=lori.Capped(), epsilon=0.0)
        (found,) = model.levels_
        reached = np.mean(seen.alternatives @ found.weights >= found.cap)
        assert model.summary().to_dict()["levels"][0]["cap_reached"] == pytest.approx(reached)
        assert model.status_.has("cap") == (reached < 0.01)
        shares.append(reached)
    assert shares[0] < 0.05 < 0.3 < shares[1]


@pytest.mark.parametrize(
    ("weights", "least", "ahead"),
    [
        ([4.0, 2.0, 1.0], [1.0, 1.0, 1.0], [0, 1]),  # binary cues, each worth more than all that follow
        ([4.0, 2.5, 2.0], [1.0, 1.0, 1.0], []),  # the others together outweigh the first
        ([5.0, 2.0, 2.0], [1.0, 1.0, 1.0], [0]),
        ([-5.0, 2.0, -2.0], [1.0, 1.0, 1.0], [0]),
        ([4.0, 2.0, 1.0], [0.01, 1.0, 1.0], []),  # small differences in the first one occur
        ([4.0, 0.0, 0.0], [1.0, 1.0, 1.0], []),  # nothing else to outweigh
    ],
)
def test_weights_that_make_an_order_within_one_level(weights, least, ahead):
    differences = np.array([least, [1.0, 1.0, 1.0]])
    assert outweighing(np.array(weights), np.full(3, 0.01), differences) == ahead
    assert outweighing(np.array(weights), np.full(3, 5.0), differences) == []  # nobody knows


def test_take_the_best_is_named():
    """Binary cues with weights 4, 2 and 1 are looked at one after the other, though they have one level."""
    pairs = np.random.default_rng(1000).integers(0, 2, size=(3000, 2, 3)).astype(float)
    truth = lori.OrderedModel.linear([[6.0, 2.8, 1.0]], epsilon=[0.0], features=["a", "b", "c"])
    summary = lori.LORI(levels=1, starts=4).fit(lori.simulate(truth, pairs, seed=1000)).summary()
    assert summary.levels[0].outweighs == ("a", "b")
    assert (
        "Even the smallest difference in a outweighs all others together: within this one level, a already comes "
        in str(summary)
    )
    assert "can outweigh" not in str(summary)
    assert type(summary).from_dict(summary.to_dict()) == summary
    trading = lori.LORI(levels=1, starts=4).fit(lori.simulate(truth, 3000, seed=1000)).summary()
    assert trading.levels[0].outweighs == ()


def test_extreme_values_are_named_with_their_number():
    random = np.random.default_rng(3)
    left, right = random.normal(size=(2, 50, 2))
    assert about_data(Statistics.of(lori.Preferences.from_arrays(left, right))) == about_data(
        Statistics.of(lori.Preferences.from_arrays(1000 * left, right * 1000))
    )
    left[4, 1] = right[9, 1] = 999_999.0
    notes = about_data(Statistics.of(lori.Preferences.from_arrays(left, right)))
    (note,) = (note for note in notes if note.code == "extreme")
    assert str(note.text).startswith("x2 has 2 extreme values")
    assert "999" not in str(note)
