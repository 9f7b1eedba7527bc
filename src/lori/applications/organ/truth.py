"""The truth of a synthetic registry: who is listed, how long would they live, and what do allocators prefer?

Patients and donors are random, with plausible values; the preferences are those of the paper. The coefficients are
those of the UK Transplant Benefit Score for patients without cancer (NHS Blood and Transplant), for the features that
the registry has, in its units (mg/dL and g/dL). Their effect of age squared before transplant is replaced by its slope
at the mean age. The baselines are Weibull hazards near the score's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lori.applications.organ.features import Features
from lori.applications.organ.survival import HORIZON, Survival
from lori.model.ordered import OrderedModel

if TYPE_CHECKING:
    import pandas

PREFERENCES = OrderedModel.linear(
    [[0.0001, 0.0139], [0.0562, 0.0002]], epsilon=[0.8944, 1.8830], features=["benefit", "need"]
)
"""What the paper inferred from the registry of 2019: need first, then benefit."""

BEFORE = {
    "age": 0.044,
    "female": -0.099,
    "log_creatinine": 0.811,
    "log_bilirubin": -0.827,
    "log_inr": 0.452,
    "sodium": -0.077,
    "log_bilirubin×sodium": 0.0124,
}
AFTER = {
    "age": -0.0034,
    "female": -0.005,
    "hcv": -0.297,
    "log_creatinine": -0.972,
    "log_bilirubin": 0.036,
    "log_inr": -0.44,
    "sodium": -0.0082,
    "albumin": -0.146,
    "abdominal_surgery": 0.144,
    "encephalopathy": 0.0093,
    "ascites": 0.025,
    "log_waiting": -0.0032,
    "diabetes": 0.142,
    "donor_age": 0.0063,
    "donor_stroke": 0.238,
    "donor_trauma": -0.338,
    "donor_tumour": -0.073,
    "donor_bmi": 0.0123,
    "donor_diabetes": -0.231,
    "blood_group_differs": 0.165,
    "hcv×donor_diabetes": 0.841,
    "hcv×donor_age": 0.0147,
    "age×log_creatinine": 0.0212,
}


@dataclass(frozen=True, eq=False)
class Weibull:
    """Deaths with H(t) = yearly · (t / 365)^shape · exp(linear predictor)."""

    survival: Survival
    yearly: float
    shape: float

    @classmethod
    def of(cls, coefficients: dict[str, float], references: dict[str, float], yearly: float, shape: float) -> Weibull:
        days = np.arange(1.0, HORIZON + 1)
        return cls(Survival(coefficients, references, days, yearly * (days / 365) ** shape), yearly, shape)

    def draw(self, features: Features, generator: np.random.Generator) -> np.ndarray:
        """Days until death, whole, from 1."""
        scaled = generator.exponential(size=len(next(iter(features.values())))) / self.yearly
        return np.ceil(365 * (scaled * np.exp(-self.survival.predictor(features))) ** (1 / self.shape))


# References are an average patient and donor; what a reference is worth is part of the baseline.
WITHOUT = Weibull.of(
    BEFORE,
    {
        "age": 55.0,
        "female": 0.0,
        "log_creatinine": 0.0,
        "log_bilirubin": 1.0,
        "log_inr": 0.34,
        "sodium": 136.5,
        "log_bilirubin×sodium": 136.5,
    },
    yearly=0.51,
    shape=0.88,
)
WITH = Weibull.of(
    AFTER,
    {
        **dict.fromkeys(AFTER, 0.0),
        "age": 55.0,
        "log_bilirubin": 1.0,
        "log_inr": 0.34,
        "sodium": 136.5,
        "albumin": 3.1,
        "log_waiting": 4.3,
        "donor_age": 42.0,
        "donor_bmi": 27.0,
    },
    yearly=0.085,
    shape=0.4,
)

# Laboratory values at listing: a Gaussian copula, on the log scale except for sodium and albumin.
MEDIANS = {
    "INIT_BILIRUBIN": 2.3, "INIT_INR": 1.4, "INIT_SERUM_CREAT": 1.0, "INIT_SERUM_SODIUM": 136.5, "INIT_ALBUMIN": 3.1,
}  # fmt: skip
SPREADS = (0.9, 0.3, 0.42, 4.5, 0.6)
RANGES = ((0.2, 50.0), (0.8, 8.0), (0.3, 8.0), (115.0, 152.0), (1.0, 5.0))
DECIMALS = (1, 2, 2, 0, 1)
CORRELATION = np.array(
    [  # as in cirrhosis: a failing liver shows in bilirubin and INR together, then in kidneys, sodium and albumin
        [1.00, 0.55, 0.20, -0.25, -0.20],
        [0.55, 1.00, 0.15, -0.25, -0.35],
        [0.20, 0.15, 1.00, -0.20, -0.05],
        [-0.25, -0.25, -0.20, 1.00, 0.20],
        [-0.20, -0.35, -0.05, 0.20, 1.00],
    ]
)
BLOOD_GROUP_SHARES = (0.45, 0.39, 0.12, 0.04)  # O, A, B, AB


def draw_patients(count: int, generator: np.random.Generator) -> pandas.DataFrame:
    """Patients on the day of listing, in the columns of the registry, decoded."""
    import pandas

    columns = {
        "INIT_AGE": np.clip(np.round(generator.normal(55, 11, count)), 18, 78),
        "GENDER": _share(0.36, count, generator),
        "ABO": generator.choice(4, count, p=BLOOD_GROUP_SHARES).astype(float),
        "HCV_NAT": _share(0.2, count, generator),
        "PREV_AB_SURG_TCR": _share(0.4, count, generator),
        "INIT_ENCEPH": _share(0.55, count, generator),
        "INIT_ASCITES": _share(0.7, count, generator),
        "DIAB": _share(0.28, count, generator),
    }
    normal = generator.multivariate_normal(np.zeros(5), CORRELATION, count, method="cholesky")
    measures = zip(MEDIANS.items(), SPREADS, RANGES, DECIMALS, normal.T, strict=True)
    for (name, median), spread, limits, decimals, score in measures:
        logarithmic = name not in ("INIT_SERUM_SODIUM", "INIT_ALBUMIN")
        value = median * np.exp(spread * score) if logarithmic else median + spread * score
        columns[name] = np.clip(np.round(value, decimals), *limits)
    return pandas.DataFrame(columns)


def draw_donors(count: int, generator: np.random.Generator) -> pandas.DataFrame:
    """Donors, in the columns of the registry, decoded."""
    import pandas

    return pandas.DataFrame(
        {
            "AGE_DON": np.clip(np.round(generator.normal(42, 16, count)), 5, 85),
            "COD_CAD_DON": generator.choice([1.0, 2.0, 3.0, 4.0], count, p=(0.42, 0.3, 0.27, 0.01)),
            "BMI_DON_CALC": np.round(np.clip(27.0 * np.exp(0.22 * generator.normal(size=count)), 14, 60), 1),
            "DIABETES_DON": _share(0.13, count, generator),
            "ABO_DON": generator.choice(4, count, p=BLOOD_GROUP_SHARES).astype(float),
        }
    )


def at_transplant(patients: pandas.DataFrame, waited: np.ndarray, generator: np.random.Generator) -> pandas.DataFrame:
    """What is recorded again on the day of transplant: people got older and, on the whole, sicker."""
    import pandas

    count = len(patients)

    def worse(name: str, limits: tuple[float, float], decimals: int) -> np.ndarray:
        drift = np.exp(0.05 + 0.2 * generator.normal(size=count))
        return np.clip(np.round(patients[name].to_numpy(float) * drift, decimals), *limits)

    def by_now(name: str, new: float) -> np.ndarray:
        return np.maximum(patients[name].to_numpy(float), _share(new, count, generator))

    bilirubin, inr, creatinine, _, albumin = RANGES
    return pandas.DataFrame(
        {
            "AGE": patients["INIT_AGE"].to_numpy(float) + np.floor(waited / 365.25),
            "CREAT_TX": worse("INIT_SERUM_CREAT", creatinine, 2),
            "TBILI_TX": worse("INIT_BILIRUBIN", bilirubin, 1),
            "INR_TX": worse("INIT_INR", inr, 2),
            "ALBUMIN_TX": np.clip(np.round(patients["INIT_ALBUMIN"] + generator.normal(0, 0.3, count), 1), *albumin),
            "PREV_AB_SURG_TRR": by_now("PREV_AB_SURG_TCR", 0.03),
            "ENCEPH_TX": by_now("INIT_ENCEPH", 0.1),
            "ASCITES_TX": by_now("INIT_ASCITES", 0.1),
        },
        index=patients.index,
    )


def _share(share: float, count: int, generator: np.random.Generator) -> np.ndarray:
    return (generator.uniform(size=count) < share).astype(float)
