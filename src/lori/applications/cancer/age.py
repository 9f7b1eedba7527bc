"""Age: what if priorities depend on the patient? Efficacy comes first for the young, few side effects for the old.

The paper's appendix B. Its formula gives efficacy a weight that rises with age, its text puts efficacy first for the
young; this follows the text. Both treatments of a pair are for the same patient.
"""

from __future__ import annotations

import numpy as np

from lori.applications.cancer import world
from lori.applications.cancer.dynamics import Cancer
from lori.data.preferences import Preferences
from lori.errors import whole
from lori.model.ordered import Level, OrderedModel
from lori.model.rewards import Gated
from lori.policies.rollouts import roll_out

FEATURES = (*Cancer().features, "age")
THRESHOLD, SENSITIVITY = 40.0, 1.0  # years
MEAN_AGE, AGE_SPREAD = 35.0, 20.0
REWARD = Gated(context="age", increasing="wbc", decreasing="tumour", share="age")  # one gate for both levels
EFFICACY, TOXICITY = [-1.0, 0.0], [0.0, 1.0]  # weights of tumour volume and white blood cells


def true_model(*, effect: bool = True) -> OrderedModel:
    """Clinicians whose priorities change at 40 years; without `effect`, efficacy comes first at every age."""
    gate = [-THRESHOLD / SENSITIVITY, 1 / SENSITIVITY]
    old = (TOXICITY, EFFICACY) if effect else (EFFICACY, TOXICITY)
    levels = (
        Level(REWARD.among(FEATURES), np.array([*young, *aged, *gate]), world.EPSILON, world.ALPHA, slopes=np.zeros(3))
        for young, aged in zip((EFFICACY, TOXICITY), old, strict=True)
    )
    return OrderedModel(tuple(levels), FEATURES)


def preferences(
    pairs: int = 1000, *, trajectories: int = 1000, effect: bool = True, cells: int = 100, seed: int = 0
) -> Preferences:
    """What these clinicians prefer in random pairs of treatments, each pair for a patient of random age."""
    treatments = roll_out(Cancer(), world.behaviour_policy(cells=cells), count=trajectories, seed=seed).means
    generator = np.random.default_rng(seed)
    left = generator.integers(trajectories, size=whole("pairs", pairs, 1))
    right = (left + generator.integers(1, trajectories, size=pairs)) % trajectories
    age = generator.normal(MEAN_AGE, AGE_SPREAD, size=pairs)
    sides = [np.column_stack([treatments[chosen], age]) for chosen in (left, right)]
    counts = true_model(effect=effect).sample(*sides, seed=generator)
    return Preferences.from_arrays(*sides, counts=counts, features=FEATURES)
