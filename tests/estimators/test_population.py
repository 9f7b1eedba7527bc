"""Does `Population` find who puts what first, and keep its promises?"""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import lori

FEATURES = ("cost", "time", "comfort")


@pytest.fixture(scope="module")
def data(two_kinds):
    return two_kinds[0]


@pytest.fixture(scope="module")
def two(data):
    return lori.Population(classes=2, levels=2, starts=8).fit(data)


def test_classes_orders_and_members_are_found(two):
    assert two.converged_
    assert two.shares_ == pytest.approx([2 / 3, 1 / 3], abs=0.08)
    assert [own.levels_[0].weights.__abs__().argmax() for own in two.classes_] == [0, 2]
    assert (two.members_.argmax(axis=1) == np.repeat([0, 1], [40, 20])).mean() >= 0.95
    np.testing.assert_allclose(two.members_.sum(axis=1), 1.0)
    assert two.n_parameters_ == 2 * (6 + 2 + 1) + 1


def test_predictions_use_what_an_agent_chose_and_strangers_get_the_mixture(two, data):
    known = two.predict_proba(data)
    np.testing.assert_allclose(known.sum(axis=1), 1.0, rtol=1e-10)
    stranger = lori.Preferences.from_arrays(data.left_features[:5], data.right_features[:5], features=FEATURES)
    mixed = sum(
        share * own.model_.predict_proba(stranger.left_features, stranger.right_features)
        for share, own in zip(two.shares_, two.classes_, strict=True)
    )
    np.testing.assert_allclose(two.predict_proba(stranger), mixed, rtol=1e-8)
    assert two.score(data) > lori.LORI(levels=2, starts=8).fit(data).score(data)


@pytest.mark.parametrize("levels", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_one_class_is_the_single_model(data, levels):
    single = lori.LORI(levels=levels, lapse=0, prior=None, starts=16).fit(data)
    one = lori.Population(classes=1, levels=levels, lapse=0, prior=None, starts=16).fit(data)
    assert one.log_likelihood_ == pytest.approx(single.log_likelihood_, abs=1e-4)
    np.testing.assert_allclose(one.predict_proba(data), single.predict_proba(data), atol=1e-4)


def test_people_who_differ_are_foretold_better_than_by_one_model(data, tmp_path):
    last = np.arange(len(data)) % 20 >= 15
    kept, rest = data.subset(~last), data.subset(last)
    differ = lori.Population(classes=1, levels=1, spread=True).fit(kept)
    assert differ.converged_
    assert differ.score(rest) > lori.LORI(levels=1, starts=8).fit(kept).score(rest)
    first = np.array([max(own, key=own.get) for own in differ.first_])
    assert (first[40:] == "comfort").mean() > 0.8
    assert "People differ" in str(differ.summary())
    for own in differ.summary().differences:
        assert own.deviation.interval[0] < own.deviation.value < own.deviation.interval[1]
    differ.save(tmp_path / "people.json")
    np.testing.assert_allclose(lori.load(tmp_path / "people.json").score(rest), differ.score(rest), rtol=1e-12)


def test_what_is_said(two):
    said = [str(sentence) for sentence in two.summary().sentences]
    assert " % of the people put cost (less is better)" in said[0]
    assert " % of the people put comfort (more is better) first" in said[1]  # the weight of cost may be zero
    content = two.summary().to_dict()
    assert content["sentences"] == said
    assert content["classes"][0]["first"] == "cost"
    frame = two.members_frame()
    sure = ["first", "probability", "choices", "more_choices"]
    assert list(frame.columns) == ["agent", "class", "class_1", "class_2", *sure]
    assert len(frame) == 60
    assert (frame["choices"] > 0).all()
    assert (frame["more_choices"][frame["probability"] >= 0.95] == 0).all()


def test_an_empty_class_is_said_to_be_empty_and_nothing_else(two):
    """Neither careless nor drawn: what its model says is about nobody."""
    members = np.column_stack([np.ones(60) - 1e-9, np.full(60, 1e-9)])
    shown = two.copy()
    shown._learned(replace(two.fit_, shares=members.mean(axis=0), members=members))
    summary = shown.summary()
    assert [own.empty for own in summary.classes] == [False, True]
    said = str(summary)
    assert "One of the classes is empty: fewer classes say as much." in said
    assert "Class 2: nobody" in said
    assert "at random" not in said
    assert "under 1 %" not in said
    assert len(shown.plot.classes().axes) == 1
    assert summary.to_dict()["classes"][1]["empty"]


def test_the_contract(two, data):
    copy = clone(two)
    assert copy.get_params() == two.get_params()
    with pytest.raises(NotFittedError):
        copy.summary()
    again = pickle.loads(pickle.dumps(two))
    np.testing.assert_allclose(again.predict_proba(data), two.predict_proba(data), rtol=1e-12)


def test_a_saved_population_predicts_and_speaks_as_before(two, data, tmp_path):
    two.save(tmp_path / "people.json")
    again = lori.load(tmp_path / "people.json")
    np.testing.assert_allclose(again.predict_proba(data), two.predict_proba(data), rtol=1e-12)
    assert str(again.summary()) == str(two.summary())
    assert again.summary().to_dict() == two.summary().to_dict()
    assert again.get_params() == {**two.get_params(), "reward": again.reward}
    assert (again.agents_, again.first_) == (two.agents_, two.first_)
    np.testing.assert_array_equal(again.members_, two.members_)


def test_a_damaged_file_is_refused_in_a_sentence(two, tmp_path):
    path = tmp_path / "people.json"
    two.save(path)
    for change, where in (
        (lambda own: own["members"].pop(), "members"),
        (lambda own: own["known"][0]["shares"].pop(), "known\\[0\\].shares"),
        (lambda own: own["known"][0]["vectors"][0].pop(), "known\\[0\\].vectors"),
        (lambda own: own["classes"][1]["model"]["levels"][0]["slopes"].pop(), "classes\\[1\\].model"),
        (lambda own: own["settings"].update(classes=3), "settings.classes"),
    ):
        document = json.loads(path.read_text())
        change(document)
        (tmp_path / "damaged.json").write_text(json.dumps(document))
        with pytest.raises(lori.ModelFileError, match=where):
            lori.load(tmp_path / "damaged.json")
    with pytest.raises(lori.ModelFileError, match="expected a fitted model, got a population"):
        lori.load_ordered_model(path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"classes": 21}, "from 1 to 20"),
        ({"classes": 0}, "classes"),
        ({"classes": 2, "levels": [1, 2, 1]}, "one for each of the 2 classes"),
    ],
)
def test_odd_settings_are_refused_in_a_sentence(data, settings, message):
    with pytest.raises(lori.InputError, match=message):
        lori.Population(**settings).fit(data)


def test_data_without_agents_are_refused(two_kinds):
    plain = lori.simulate(two_kinds[1][0], 30, seed=0)
    with pytest.raises(lori.LoriError, match="agent"):
        lori.Population(classes=1).fit(plain)


def test_more_classes_than_agents_are_refused(data):
    with pytest.raises(lori.InputError, match=r"there are agents \(2\)"):
        lori.Population(classes=3).fit(data.subset(slice(0, 40)))


@pytest.mark.slow
def test_somebody_with_only_ties_and_somebody_with_one_choice_do_no_harm(data):
    """And more classes than there are kinds: one that is empty is said to be."""
    some = data.subset(np.r_[0:100, 800:900, 121])
    tied = lori.Preferences.from_arrays(
        data.left_features[:4], data.right_features[:4], wins=np.zeros(4), losses=np.zeros(4), ties=np.ones(4),
        features=FEATURES, agent=["tied"] * 4,
    )  # fmt: skip
    both = lori.Preferences.concatenate([some, tied])
    people = lori.Population(classes=2, levels=1, starts=4, ties="observed").fit(both)
    assert people.members_.shape == (12, 2)
    assert np.isfinite(people.log_likelihood_)
    differ = lori.Population(classes=1, levels=1, spread=True, ties="observed").fit(both)
    assert np.isfinite(differ.predict_proba(both)).all()
    alike = lori.Population(classes=4, levels=1, starts=4, prior="weak").fit(some)
    assert alike.shares_.sum() == pytest.approx(1.0)
    assert str(alike.summary())


@pytest.mark.slow
def test_few_choices_of_an_agent_do_no_harm(data):
    """Somebody with a single choice, and classes with different numbers of levels."""
    few = data.subset(np.r_[0:200, 800:1000, 220])
    mixed = lori.Population(classes=2, levels=[1, 2], starts=4).fit(few)
    assert sorted(len(own.levels_) for own in mixed.classes_) == [1, 2]
    assert mixed.members_.shape == (len(np.unique(few.agent)), 2)
    assert np.isfinite(mixed.log_likelihood_)
