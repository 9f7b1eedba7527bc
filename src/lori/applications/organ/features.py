"""Columns and features: what does a liver registry record, and what do the two survival models look at?

Columns are the registry's own, with their codes. Features are those of TransplantBenefit that the registry has. A set
of features is a dictionary of arrays of equal length. Interactions come last and carry a × in their name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas

DATES = ("INIT_DATE", "TX_DATE", "END_DATE", "DEATH_DATE")
DATE_FORMAT = "%m/%d/%Y"

LABORATORY = (
    "INIT_SERUM_CREAT", "INIT_BILIRUBIN", "INIT_INR", "INIT_SERUM_SODIUM", "INIT_ALBUMIN",
    "CREAT_TX", "TBILI_TX", "INR_TX", "ALBUMIN_TX",
)  # fmt: skip
"""Creatinine and bilirubin in mg/dL, sodium in mmol/L, albumin in g/dL: positive, or not measured."""

NUMBERS = ("INIT_AGE", "AGE", "AGE_DON", "BMI_DON_CALC", "PTIME", *LABORATORY)

YES_NO = {"Y": 1, "N": 0, "U": None}
GRADES = {"1": 0, "2": 1, "3": 1, "4": None}  # absent, slight, marked, unknown
BLOOD_GROUPS = {"O": 0, "A": 1, "A1": 1, "A2": 1, "B": 2, "AB": 3, "A1B": 3, "A2B": 3}  # bit 1: A, bit 2: B

CODES: dict[str, dict[str, int | None]] = {
    "GENDER": {"F": 1, "M": 0},
    "ABO": dict(BLOOD_GROUPS),
    "ABO_DON": dict(BLOOD_GROUPS),
    "HCV_NAT": {"P": 1, "N": 0, "ND": 0, "U": None},
    "PREV_AB_SURG_TCR": dict(YES_NO),
    "PREV_AB_SURG_TRR": dict(YES_NO),
    "INIT_ENCEPH": dict(GRADES),
    "ENCEPH_TX": dict(GRADES),
    "INIT_ASCITES": dict(GRADES),
    "ASCITES_TX": dict(GRADES),
    "DIAB": {"1": 0, "2": 1, "3": 1, "4": 1, "5": None, "998": None},
    "COD_CAD_DON": {"1": 1, "2": 2, "3": 3, "4": 4, "999": None},  # anoxia, stroke, head trauma, tumour, other
    "DIABETES_DON": dict(YES_NO),
    "DON_TY": {"C": 1, "L": 0},  # deceased, living
    "MULTIORG": dict(YES_NO),
    "PREV_TX_ANY": dict(YES_NO),
}
"""What each code stands for as a number; None is the registry's own "unknown"."""

COLUMNS = (*DATES, *NUMBERS, *CODES)

# What has to be recorded before a person can be a candidate, a recipient or a donor in the survival models.
BEFORE = ("INIT_AGE", "GENDER", "INIT_SERUM_CREAT", "INIT_BILIRUBIN", "INIT_INR", "INIT_SERUM_SODIUM")
CANDIDATE = (
    *BEFORE, "HCV_NAT", "INIT_ALBUMIN", "PREV_AB_SURG_TCR", "INIT_ENCEPH", "INIT_ASCITES", "DIAB", "ABO",
)  # fmt: skip
RECIPIENT = (
    "AGE", "GENDER", "HCV_NAT", "CREAT_TX", "TBILI_TX", "INR_TX", "INIT_SERUM_SODIUM", "ALBUMIN_TX",
    "PREV_AB_SURG_TRR", "ENCEPH_TX", "ASCITES_TX", "DIAB", "ABO",
)  # fmt: skip
DONOR = ("AGE_DON", "COD_CAD_DON", "BMI_DON_CALC", "DIABETES_DON", "ABO_DON")

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


def as_measured(features: Features) -> Features:
    """The same features without logarithms, as the authors' scripts take them; products follow."""
    plain = {
        name.removeprefix("log_"): np.expm1(values)
        if name == "log_waiting"
        else np.exp(values)
        if name.startswith("log_")
        else values
        for name, values in features.items()
        if "×" not in name
    }
    products = [name.replace("log_", "") for name in features if "×" in name]
    return {**plain, **{name: np.prod([plain[part] for part in name.split("×")], axis=0) for name in products}}


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
