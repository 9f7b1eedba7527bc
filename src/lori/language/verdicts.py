"""Verdicts: whether the draws of a posterior may be relied on, in a sentence each."""

from __future__ import annotations

from lori.language.numbers import counted

NOT_CONVERGED, NOT_TRUSTED = "NOT CONVERGED", "NOT TRUSTED"


def unchecked() -> str:
    return "A Gaussian around the optimum; pass the preferences to have it checked."


def gaussian(optima: int) -> str:
    return f"{_gaussians(optima)}; with so many rows, the posterior has that shape."


def corrected(optima: int, effective: float) -> str:
    return f"{_gaussians(optima)}, corrected by the posterior itself: worth {_independent(effective)}."


def not_gaussian(optima: int, effective: float, count: int) -> str:
    where = "the optimum" if optima == 1 else f"its {optima} optima"
    return (
        f"{NOT_TRUSTED}: the posterior is not Gaussian around {where} ({count:,} draws are worth "
        f"{_independent(effective)}); use method='smc'."
    )


def unfinished() -> str:
    return f"{NOT_CONVERGED}: the particles did not get all the way from the prior to the posterior; raise draws."


def populations_disagree(r_hat: float) -> str:
    return f"{NOT_CONVERGED}: independent populations disagree (R-hat {r_hat:.2f}); raise draws, or use fewer levels."


def populations_agree(r_hat: float) -> str:
    return f"Independent populations agree (R-hat {r_hat:.2f})."


def chains_mixed(r_hat: float, effective: float, divergences: int) -> str:
    return f"The chains have mixed ({_chains(r_hat, effective, divergences)})."


def chains_not_mixed(r_hat: float, effective: float, divergences: int) -> str:
    return f"{NOT_CONVERGED}: the chains have not mixed ({_chains(r_hat, effective, divergences)}); use method='smc'."


def chain_mixed(r_hat: float, effective: float) -> str:
    return f"The chain has mixed (R-hat {r_hat:.3f}, worth {_independent(effective)})."


def chain_not_mixed(r_hat: float, effective: float) -> str:
    return (
        f"The chain has not mixed (R-hat {r_hat:.3f}, worth {_independent(effective)}): take more samples, change the "
        "step size, or discard more of the beginning."
    )


def _chains(r_hat: float, effective: float, divergences: int) -> str:
    return f"R-hat {r_hat:.2f}, worth {_independent(effective)}, {counted(divergences, 'divergence')}"


def _gaussians(optima: int) -> str:
    return "A Gaussian around the optimum" if optima == 1 else f"Gaussians around {optima} optima"


def _independent(effective: float) -> str:
    return counted(effective, "independent draw")
