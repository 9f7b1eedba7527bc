"""Made-up patients have the margins and correlations that were asked for."""

import numpy as np

from lori.applications.organ.truth import CORRELATION, MEDIANS, at_transplant, draw_donors, draw_patients


def test_laboratory_values_are_correlated_as_in_cirrhosis():
    table = draw_patients(40_000, np.random.default_rng(0))[list(MEDIANS)]
    found = np.corrcoef(table.rank().to_numpy().T)
    expected = 6 / np.pi * np.arcsin(CORRELATION / 2)  # rank correlation of a Gaussian copula
    np.testing.assert_allclose(found, expected, atol=0.03)
    np.testing.assert_allclose(table.median(), list(MEDIANS.values()), rtol=0.03)


def test_people_get_older_and_never_lose_a_history():
    generator = np.random.default_rng(1)
    patients = draw_patients(1_000, generator)
    later = at_transplant(patients, np.full(1_000, 800.0), generator)
    assert (later["AGE"] - patients["INIT_AGE"] == 2).all()
    assert (later["PREV_AB_SURG_TRR"] >= patients["PREV_AB_SURG_TCR"]).all()
    assert (later["CREAT_TX"] > 0).all()


def test_donors_are_complete():
    assert draw_donors(500, np.random.default_rng(2)).notna().all(axis=None)
