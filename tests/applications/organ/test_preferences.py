"""Each recipient is compared with everybody else who waited that day and went without."""

from dataclasses import replace

import numpy as np
import pytest

from lori.applications.organ import preferences as module
from lori.applications.organ.allocation import policy_named
from lori.applications.organ.features import after_transplant, before_transplant, candidates, compatible, donors, on_day
from lori.applications.organ.preferences import preferences, preferences_by_organ
from lori.applications.organ.truth import PREFERENCES
from lori.errors import DataError


def naive(registry, estimates, everybody):
    """One pair after the other, straight from the definition; the organs in the order of their days."""
    people, left, right = registry.patients, [], []

    def values(person, organ):
        one, gift = people.iloc[[person]], registry.organs.loc[[organ]]
        without = estimates.before.survival.integrated(estimates.before.survival.predictor(before_transplant(one)))
        pair = after_transplant(on_day(candidates(one), gift["TX_DATE"].to_numpy(float)), donors(gift))
        with_organ = estimates.after.survival.integrated(estimates.after.survival.predictor(pair))
        return [float(with_organ[0] - without[0]), float(-without[0])]

    arrival, leaving, received, group = (
        people[name].to_numpy() for name in ("INIT_DATE", "END_DATE", "TX_DATE", "ABO")
    )
    gifts = registry.organs.sort_values("TX_DATE", kind="stable")
    for organ, day, donor in zip(gifts.index, gifts["TX_DATE"], gifts["ABO_DON"], strict=True):
        for other in range(len(people)):
            possible = everybody or compatible(group[other], donor)
            if possible and received[other] != day and arrival[other] <= day <= leaving[other]:
                left.append((organ, organ))
                right.append((other, organ))
    some = np.random.default_rng(0).choice(len(left), 15, replace=False)
    return len(left), some, *(np.array([values(*pair[i]) for i in some]) for pair in (left, right))


@pytest.mark.parametrize("everybody", [False, True])
def test_pairs_restated(registry, estimates, everybody):
    count, some, left, right = naive(registry, estimates, everybody)
    found = preferences(registry, estimates, everybody=everybody)
    assert len(found) == count
    assert found.features == ("benefit", "need")
    np.testing.assert_allclose(found.left_features[some], left, atol=0.03)
    np.testing.assert_allclose(found.right_features[some], right, atol=0.03)
    assert found.wins.sum() == count


def test_the_size_of_a_chunk_makes_no_difference(registry, estimates, monkeypatch):
    whole = preferences(registry, estimates, panel=PREFERENCES)
    monkeypatch.setattr(module, "CHUNK_PAIRS", 1_000)
    again = preferences(registry, estimates, panel=PREFERENCES)
    np.testing.assert_array_equal(again.left_features, whole.left_features)
    np.testing.assert_array_equal(again.right_features, whole.right_features)
    np.testing.assert_array_equal(again.outcome_counts, whole.outcome_counts)


def test_a_panel_draws_each_pair_from_its_model(registry, estimates):
    found = preferences(registry, estimates, panel=PREFERENCES, seed=2)
    chance = PREFERENCES.predict_proba(found.left_features, found.right_features)[:, 0]
    assert (found.wins + found.losses == 1).all()
    for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.0)):
        inside = (chance >= low) & (chance <= high)
        error = np.sqrt((chance * (1 - chance))[inside].sum())
        assert inside.sum() > 100
        assert abs((found.wins - chance)[inside].sum()) < 4 * error


def test_a_policy_chooses_the_recipient_from_the_expected_days(registry, estimates):
    """Nobody who goes without has more need than the recipient of a strict policy; the patients stay the same."""
    recorded, organs = preferences_by_organ(registry, estimates)
    found, places = preferences_by_organ(registry, estimates, policy=policy_named("strict"))
    assert (found.left_features[:, 1] >= found.right_features[:, 1]).all()
    np.testing.assert_array_equal(places, organs)
    assert (found.left_features != recorded.left_features).any()
    for place in np.unique(places)[:5]:
        own = places == place
        days = [np.vstack([data.left_features[own][:1], data.right_features[own]]) for data in (recorded, found)]
        np.testing.assert_allclose(np.sort(days[0], axis=0), np.sort(days[1], axis=0))


def test_nobody_else_was_waiting(registry, estimates):
    alone = replace(registry, patients=registry.organs.head(1).reset_index(drop=True))
    with pytest.raises(DataError, match="at least two patients waiting"):
        preferences(alone, estimates)
