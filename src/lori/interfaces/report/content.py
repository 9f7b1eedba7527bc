"""What does a person need to read about a fitted model and its data? The content, for every form of the report."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from lori import __version__
from lori.data.preferences import Preferences
from lori.errors import DataError, LoriError
from lori.estimators.lori import LORI
from lori.evaluation.checks import RareChoices, Surprise, rare_choices, surprises
from lori.evaluation.cross_validation import HeldOut, advantage, held_out
from lori.evaluation.description import Description, describe
from lori.interfaces.figures import plots, posterior
from lori.interfaces.figures.style import inline
from lori.language.answer import answer, unsure
from lori.language.names import plain_text

SHOWN_FEATURES = 8  # of a surprising pair; the ones that weigh most
PACKAGES = ("jax", "numpy", "scipy", "scikit-learn", "matplotlib")
PAPER = (
    "A. Hüyük, W. R. Zame, M. van der Schaar (2022): Inferring Lexicographically-Ordered Rewards from Preferences. "
    "Proceedings of the AAAI Conference on Artificial Intelligence."
)


@dataclass(frozen=True)
class Picture:
    """A figure for a page, and the same in words."""

    key: str
    title: str
    words: str
    drawing: Markup


@dataclass(frozen=True)
class Quality:
    """How well choices are predicted that were not learned from, beside one level."""

    folds: int
    pairs: int  # that took part
    log_likelihood: float  # of a comparison
    accuracy: float | None
    single_log_likelihood: float | None  # None where the model itself has one level
    single_accuracy: float | None
    advantage: float | None
    advantage_error: float | None


@dataclass(frozen=True)
class Report:
    """Plain values; texts may mention features by their names."""

    title: str
    asked: str
    description: Description
    dropped: int
    answer: list[str]
    order: str  # with what probability which objective comes first; empty where that is unknown
    summary: dict[str, Any]
    unsure: list[str]
    quality: Quality | None  # None: too few pairs
    surprises: list[Surprise]
    shown_features: list[str]
    rare: RareChoices
    citation: list[str]
    versions: dict[str, str]
    command: str
    pictures: dict[str, Picture]
    remarks: dict[str, str]  # by section: why something is not shown

    @property
    def features(self) -> list[str]:
        return self.summary["features"]


def report(
    model: LORI, preferences: Preferences, *, title: str = "What comes first?", command: str = "", dropped: int = 0
) -> Report:
    """Everything about `model` and the `preferences` it was fitted to; further fits tell how well it predicts."""
    summary = model.summary().to_dict()
    same = preferences.select(model.features_)
    quality, predictions = _quality(model, same)
    pictures, remarks = _pictures(model, same, predictions)
    return Report(
        title=title,
        asked=_asked(model, summary),
        description=describe(same),
        dropped=dropped,
        answer=answer(summary),
        order=_order(model, same),
        summary=summary,
        unsure=unsure(summary),
        quality=quality,
        surprises=surprises(model.model_, same),
        shown_features=_weightiest(summary),
        rare=rare_choices(model.model_, same),
        citation=[
            PAPER,
            f"The LORI developers: LORI {__version__}, lexicographically ordered rewards from preferences.",
        ],
        versions={"lori": __version__, "Python": platform.python_version()}
        | {name: version(name) for name in PACKAGES},
        command=command,
        pictures=pictures,
        remarks=remarks,
    )


def _order(model: LORI, preferences: Preferences) -> str:
    """The posterior probability of what comes first, with the verdict where it may not be trusted."""
    try:
        posterior = model.posterior(preferences)
    except LoriError:
        return ""
    if len(model.levels_) == 1 or not posterior.trust.trusted:
        return "" if posterior.trust.trusted else f"How sure the order is cannot be said. {posterior.trust.verdict}"
    return f"How sure is the order? By the posterior, {posterior.order().sentences()[0]}"


def _asked(model: LORI, summary: dict[str, Any]) -> str:
    count = len(summary["levels"])
    objective = "one objective" if count == 1 else f"up to {count} objectives in priority order"
    kinds = " and ".join(dict.fromkeys(level["reward"] for level in summary["levels"]))
    ties = {
        "split": "where no difference counts, a coin decides",
        "observed": "a tie is an answer of its own",
        "printed": "ties are treated as printed in the paper",
    }[summary["ties"]]
    prior = "no prior" if model.prior is None else "a weak prior"
    return (
        f"Which of {len(summary['features'])} features explain these choices, as {objective}, and how large must a "
        f"difference be before it counts? Rewards are {kinds}; {ties}; fitted with {prior}, "
        f"{summary['status']['starts']} starts and seed {model.seed}."
    )


def _quality(model: LORI, preferences: Preferences) -> tuple[Quality | None, HeldOut | None]:
    try:
        own = held_out(model, preferences)
    except DataError:
        return None, None
    single = held_out(model.with_levels(1), preferences) if len(model.levels_) > 1 else None
    gain = advantage(own, single) if single else (None, None)
    quality = Quality(
        own.folds,
        len(own.preferences),
        own.log_likelihood,
        own.accuracy,
        single.log_likelihood if single else None,
        single.accuracy if single else None,
        *gain,
    )
    return quality, own


def _pictures(
    model: LORI, preferences: Preferences, predictions: HeldOut | None
) -> tuple[dict[str, Picture], dict[str, str]]:
    """The figures that this model and these data allow, and why others are missing."""
    draws = plots.posterior_draws(model)
    figures = {"ladder": ("What comes first", model.plot.ladder())}
    remarks = {}
    intervals = model.plot.posterior()
    if intervals.get_label() == posterior.UNKNOWN:
        remarks["thresholds"] = posterior.UNKNOWN
    else:
        figures["posterior"] = ("How precisely weights and thresholds are known", intervals)
    if len(plots.leaders(model)) > 1:
        options = {"data": preferences}
        figures["tradeoff"] = ("What makes up for a loss", model.plot.tradeoff(draws=draws or [], **options))
        figures["regions"] = ("Who is preferred, and where nobody is", model.plot.regions(**options))
        if draws is None:
            remarks["tradeoff"] = "The curve has no interval: standard errors are not known for this model."
    else:
        remarks["tradeoff"] = "Only one feature counts, so that there is nothing to trade."
    known = predictions.preferences if predictions else preferences
    figures["calibration"] = ("Predicted and observed", model.plot.calibration(known, predictions=predictions))
    return {key: _picture(key, title, figure, model.features_) for key, (title, figure) in figures.items()}, remarks


def _picture(key: str, title: str, figure: Figure, features: tuple[str, ...]) -> Picture:
    words = str(figure.get_label())
    return Picture(key, title, words, inline(figure, key, plain_text(words, features)))


def _weightiest(summary: dict[str, Any]) -> list[str]:
    """The features that weigh most on any level, in the order of the model."""
    most = {name: max(level["importance"][name] for level in summary["levels"]) for name in summary["features"]}
    kept = sorted(most, key=lambda name: -most[name])[:SHOWN_FEATURES]
    return [name for name in summary["features"] if name in kept]
