"""How sick is a liver patient? MELD and MELD 3.0, not rounded."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def meld(creatinine: ArrayLike, bilirubin: ArrayLike, inr: ArrayLike) -> np.ndarray:
    """The MELD score as used for allocation since 2002; creatinine and bilirubin in mg/dL.

    >>> round(float(meld(1.9, 4.2, 1.2)), 3)
    20.039
    """
    log_creatinine = np.log(np.clip(creatinine, 1.0, 4.0))
    return 6.43 + 9.57 * log_creatinine + 3.78 * np.log(np.maximum(bilirubin, 1.0)) + 11.2 * np.log(np.maximum(inr, 1))


def meld3(
    female: ArrayLike,
    creatinine: ArrayLike,
    bilirubin: ArrayLike,
    inr: ArrayLike,
    sodium: ArrayLike,
    albumin: ArrayLike,
) -> np.ndarray:
    """MELD 3.0 (Kim et al. 2021); sodium in mmol/L, albumin in g/dL.

    >>> round(float(meld3(1, 1.2, 2.5, 1.0, 131, 3.8)))
    17
    """
    log_creatinine = np.log(np.clip(creatinine, 1.0, 3.0))
    log_bilirubin = np.log(np.maximum(bilirubin, 1.0))
    low_sodium = 137.0 - np.clip(sodium, 125.0, 137.0)
    low_albumin = 3.5 - np.clip(albumin, 1.5, 3.5)
    return (
        6.0
        + 1.33 * np.asarray(female)
        + 4.56 * log_bilirubin
        + (0.82 - 0.24 * log_bilirubin) * low_sodium
        + 9.09 * np.log(np.maximum(inr, 1.0))
        + 11.14 * log_creatinine
        + (1.85 - 1.83 * log_creatinine) * low_albumin
    )
