"""Which columns of the liver registry are used, and what do their codes mean?"""

from __future__ import annotations

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
