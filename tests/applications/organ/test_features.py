"""The survival models see the features of the pair: this candidate, that organ, this day."""

import numpy as np
import pytest

from lori.applications.organ.features import (
    CODES,
    after_transplant,
    as_measured,
    before_transplant,
    candidates,
    compatible,
    donors,
    on_day,
    recipients,
    taken,
)

GROUPS = CODES["ABO"]


@pytest.mark.parametrize(
    ("person", "donor", "possible"),
    [("O", "O", True), ("O", "A", False), ("A", "O", True), ("A2", "B", False), ("AB", "A1", True), ("B", "AB", False)],
)
def test_blood_groups(person, donor, possible):
    assert compatible(np.array([GROUPS[person]]), np.array([GROUPS[donor]]))[0] == possible


def test_age_and_waiting_time_are_those_of_the_day(registry):
    listed = candidates(registry.patients)
    later = on_day(listed, listed["listing_day"] + 365.25)
    np.testing.assert_allclose(later["age"] - registry.patients["INIT_AGE"], 1.0)
    np.testing.assert_allclose(np.expm1(later["log_waiting"]), 365.25)


def test_blood_group_is_compared_with_the_offered_organ(registry):
    listed, organs = candidates(registry.patients), donors(registry.organs)
    person, organ = np.array([0, 0, 0]), np.array([0, 1, 2])
    pair = after_transplant(on_day(taken(listed, person), listed["listing_day"][person] + 10), taken(organs, organ))
    own = registry.patients["ABO"].iloc[0]
    np.testing.assert_array_equal(pair["blood_group_differs"], registry.organs["ABO_DON"].iloc[:3] != own)
    np.testing.assert_allclose(pair["hcv×donor_age"], pair["hcv"] * registry.organs["AGE_DON"].iloc[:3])


def test_a_recipient_and_a_candidate_have_the_same_features(registry):
    organs = registry.transplanted()
    offered = donors(organs)
    then = after_transplant(recipients(organs), offered)
    listed = after_transplant(on_day(candidates(organs), organs["TX_DATE"].to_numpy(float)), offered)
    assert list(then) == list(listed)
    assert len(then) == 23
    np.testing.assert_allclose(then["log_waiting"], listed["log_waiting"])
    np.testing.assert_allclose(then["age×log_creatinine"], organs["AGE"] * np.log(organs["CREAT_TX"]), rtol=1e-5)


def test_without_logarithms_values_are_those_of_the_registry_and_products_follow(registry):
    plain = as_measured(before_transplant(registry.patients))
    assert not any("log" in name for name in plain)
    np.testing.assert_allclose(plain["bilirubin"], registry.patients["INIT_BILIRUBIN"], rtol=1e-6)
    np.testing.assert_allclose(plain["bilirubin×sodium"], plain["bilirubin"] * plain["sodium"])
