"""What do the two survival models look at? The features of TransplantBenefit that the registry has.

A set of features is a dictionary of arrays of equal length. Interactions come last and carry a × in their name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas

Features = dict[str, np.ndarray]
YEAR = 365.25


def before_transplant(table: pandas.DataFrame) -> Features:
    """M1: a patient as listed."""
    found = _laboratory(table, "INIT_SERUM_CREAT", "INIT_BILIRUBIN", "INIT_INR")
    found = {"age": _numbers(table, "INIT_AGE"), "female": _numbers(table, "GENDER"), **found}
    return {**found, "log_bilirubin×sodium": found["log_bilirubin"] * found["sodium"]}


def recipients(table: pandas.DataFrame) -> Features:
    """Transplanted patients on the day of their transplant, as recorded on that day."""
    return {
        "age": _numbers(table, "AGE"),
        **_person(table),
        **_laboratory(table, "CREAT_TX", "TBILI_TX", "INR_TX"),
        "albumin": _numbers(table, "ALBUMIN_TX"),
        "abdominal_surgery": _numbers(table, "PREV_AB_SURG_TRR"),
        "encephalopathy": _numbers(table, "ENCEPH_TX"),
        "ascites": _numbers(table, "ASCITES_TX"),
        "log_waiting": np.log1p(_numbers(table, "TX_DATE") - _numbers(table, "INIT_DATE")),
    }


def candidates(table: pandas.DataFrame) -> Features:
    """Waiting patients as listed; `on_day` adds what changes with the day.

    Laboratory values at a candidate's own, later transplant are not known on the day of an offer.
    """
    return {
        **_person(table),
        **_laboratory(table, "INIT_SERUM_CREAT", "INIT_BILIRUBIN", "INIT_INR"),
        "albumin": _numbers(table, "INIT_ALBUMIN"),
        "abdominal_surgery": _numbers(table, "PREV_AB_SURG_TCR"),
        "encephalopathy": _numbers(table, "INIT_ENCEPH"),
        "ascites": _numbers(table, "INIT_ASCITES"),
        "listing_age": _numbers(table, "INIT_AGE"),
        "listing_day": _numbers(table, "INIT_DATE"),
    }


def on_day(candidate: Features, day: np.ndarray) -> Features:
    """Candidates with their age and waiting time of the day."""
    waited = day - candidate["listing_day"]
    return {**candidate, "age": candidate["listing_age"] + waited / YEAR, "log_waiting": np.log1p(waited)}


def donors(table: pandas.DataFrame) -> Features:
    """The organs that went to these patients."""
    cause = _numbers(table, "COD_CAD_DON")
    return {
        "donor_age": _numbers(table, "AGE_DON"),
        "donor_stroke": np.asarray(cause == 2, float),
        "donor_trauma": np.asarray(cause == 3, float),
        "donor_tumour": np.asarray(cause == 4, float),
        "donor_bmi": _numbers(table, "BMI_DON_CALC"),
        "donor_diabetes": _numbers(table, "DIABETES_DON"),
        "donor_blood_group": _numbers(table, "ABO_DON"),
    }


def after_transplant(person: Features, organ: Features) -> Features:
    """M2: each person with the organ in the same place."""
    pair = {**person, **organ}
    return {
        **{name: pair[name] for name in AFTER},
        "blood_group_differs": np.asarray(pair["blood_group"] != pair["donor_blood_group"], float),
        "hcv×donor_diabetes": pair["hcv"] * pair["donor_diabetes"],
        "hcv×donor_age": pair["hcv"] * pair["donor_age"],
        "age×log_creatinine": pair["age"] * pair["log_creatinine"],
    }


AFTER = (
    "age", "female", "hcv", "log_creatinine", "log_bilirubin", "log_inr", "sodium", "albumin", "abdominal_surgery",
    "encephalopathy", "ascites", "log_waiting", "diabetes", "donor_age", "donor_stroke", "donor_trauma",
    "donor_tumour", "donor_bmi", "donor_diabetes",
)  # fmt: skip


def compatible(blood_group: np.ndarray, donor_blood_group: np.ndarray) -> np.ndarray:
    """May the organ be given? The donor has no antigen that the person lacks."""
    return (np.asarray(donor_blood_group, int) & ~np.asarray(blood_group, int)) == 0


def taken(features: Features, rows: np.ndarray) -> Features:
    return {name: values[rows] for name, values in features.items()}


def _person(table: pandas.DataFrame) -> Features:
    names = {"female": "GENDER", "hcv": "HCV_NAT", "diabetes": "DIAB", "blood_group": "ABO"}
    return {ours: _numbers(table, theirs) for ours, theirs in names.items()}


def _laboratory(table: pandas.DataFrame, creatinine: str, bilirubin: str, inr: str) -> Features:
    logs = {"log_creatinine": creatinine, "log_bilirubin": bilirubin, "log_inr": inr}
    found = {ours: np.log(_numbers(table, theirs)) for ours, theirs in logs.items()}
    return {**found, "sodium": _numbers(table, "INIT_SERUM_SODIUM")}


def _numbers(table: pandas.DataFrame, column: str) -> np.ndarray:
    return table[column].to_numpy(float)
