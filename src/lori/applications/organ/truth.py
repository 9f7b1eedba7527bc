"""What is true of the synthetic registry? Hazards of the Transplant Benefit kind, and the preferences of the paper.

The coefficients are those of the UK Transplant Benefit Score for patients without cancer (NHS Blood and
Transplant), for the features that the registry has, in its units (mg/dL and g/dL). Their effect of age squared before
transplant is replaced by its slope at the mean age. The baselines are Weibull hazards near the score's own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.applications.organ.features import Features
from lori.applications.organ.survival import HORIZON, Survival
from lori.model.ordered import OrderedModel

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
