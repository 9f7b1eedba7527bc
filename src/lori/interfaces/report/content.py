"""Content of a report: everything that a person needs to read about a fitted model and its data."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from markupsafe import Markup
from matplotlib.figure import Figure

from lori import __version__
from lori.data.choices import Choices
from lori.errors import DataError, LoriError
from lori.estimators.lori import LORI
from lori.evaluation.checks import RareChoices, Surprise, rare_choices, surprises
from lori.evaluation.favourites import SetSurprise, by_chance, predictable
from lori.evaluation.metrics import HeldOut, advantage, held_out
from lori.evaluation.overview import Description, describe
from lori.inference.posterior.draws import Posterior
from lori.inference.statistics import Observed
from lori.interfaces.figures import plots
from lori.interfaces.figures import posterior as intervals
from lori.interfaces.figures.style import caption_of, inline
from lori.interfaces.report import sentences
from lori.language.answer import open_questions, search_sentence
from lori.language.reading import remarks as remarks_on_reading
from lori.language.results import Summary
from lori.language.sentence import Sentence, paragraph

SURPRISING = 20_000  # sets that are looked at for surprises; of more, some are drawn
SHOWN_FEATURES = 8  # of a surprising pair; the ones that weigh most
PACKAGES = ("jax", "numpy", "scipy", "scikit-learn", "matplotlib")


@dataclass(frozen=True)
class Picture:
    """A figure for a page, and the same in words."""

    key: str
    title: str
    caption: Sentence
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
    chance_log_likelihood: float | None = None  # of sets, where all alternatives are equally likely
    chance_accuracy: float | None = None


@dataclass(frozen=True)
class Report:
    """Plain values and sentences, for every form of the report."""

    title: str
    asked: Sentence
    description: Description
    dropped: int
    answer: list[Sentence]
    order: Sentence  # with what probability which objective comes first; empty where that is unknown
    summary: Summary
    search: Sentence
    unsure: list[Sentence]
    quality: Quality | None  # None: too few pairs
    surprises: list[Surprise] | list[SetSurprise]
    shown_features: list[str]
    rare: RareChoices
    citation: list[str]
    versions: dict[str, str]
    command: str
    pictures: dict[str, Picture]
    remarks: dict[str, Sentence]  # by section: why something is not shown, or what to beware of
    words: dict[str, str]  # what the file calls left, tie and right, where it has words of its own
    worth: list[Sentence]  # of units of features in those of one of them, where that was asked for

    template = "report"

    @property
    def features(self) -> tuple[str, ...]:
        return self.summary.features


def report(
    model: LORI,
    preferences: Observed,
    *,
    title: str = sentences.TITLE,
    command: str = "",
    dropped: int = 0,
    pairs: bool = True,
    currency: str | None = None,
    progress: Callable[[str], None] = lambda stage: None,
) -> Report:
    """Everything about `model` and the `preferences` it was fitted to; further fits tell how well it predicts.

    The most surprising pairs are shown as they were recorded; `pairs=False` leaves such raw data out. With a `currency`
    the worth of every feature is told in its units. `progress` is told what is being done.
    """
    summary = model.summary()
    # The very preferences that were fitted, where possible: then their posterior need not search again.
    same = preferences if preferences.features == model.features_ else preferences.select(model.features_)
    progress("Report: how sure that is")
    posterior = _posterior(model, same)
    progress("Report: choices that were left out of a fit")
    quality, predictions = _quality(model, same)
    progress("Report: figures")
    pictures, remarks = _pictures(model, same, posterior, predictions)
    citation, versions = made_with()
    looked_at = predictable(same, 0, SURPRISING) if isinstance(same, Choices) else same
    surprising = surprises(model.model_, looked_at)
    if surprising:
        remarks["pairs"] = sentences.raw_data(sets=isinstance(same, Choices), shown=pairs)
    if model.reading_ is not None and (read := remarks_on_reading(model.reading_)):
        remarks["reading"] = paragraph(read)
    return Report(
        title=title,
        asked=sentences.question(summary, prior=model.prior is not None, seed=model.seed),
        description=describe(same),
        dropped=dropped,
        answer=sentences.answer(summary, posterior),
        order=sentences.order(summary, posterior),
        summary=summary,
        search=search_sentence(summary.status),
        unsure=open_questions(summary),
        quality=quality,
        surprises=surprising if pairs else [],
        shown_features=_weightiest(summary),
        rare=rare_choices(model.model_, looked_at),
        citation=citation,
        versions=versions,
        command=command,
        pictures=pictures,
        remarks=remarks,
        words=model.reading_.words if model.reading_ is not None else {},
        worth=posterior.worth(currency).sentences() if currency and posterior is not None else [],
    )


def made_with() -> tuple[list[str], dict[str, str]]:
    """What to cite, and the versions of what was used."""
    own = f"The LORI developers: LORI {__version__}, lexicographically ordered rewards from preferences."
    used = {"lori": __version__, "Python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    return [sentences.PAPER, own], used


def _posterior(model: LORI, preferences: Observed) -> Posterior | None:
    """None where standard errors are unknown, as for networks."""
    try:
        return model.posterior(preferences)
    except LoriError:
        return None


def _quality(model: LORI, preferences: Observed) -> tuple[Quality | None, HeldOut | None]:
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
        *(by_chance(own.preferences) if isinstance(own.preferences, Choices) else ()),
    )
    return quality, own


def _pictures(
    model: LORI, preferences: Observed, posterior: Posterior | None, predictions: HeldOut | None
) -> tuple[dict[str, Picture], dict[str, Sentence]]:
    """The figures that this model and these data allow, and why others are missing."""
    figures = {"ladder": ("What comes first", model.plot.ladder())}
    remarks = {}
    trusted = posterior is not None and posterior.trust.trusted
    known = model.plot.posterior(density=None if trusted else ())
    if caption_of(known) == intervals.UNKNOWN:
        remarks["thresholds"] = intervals.UNKNOWN
    else:
        figures["posterior"] = ("How precisely weights and thresholds are known", known)
    if len(plots.leaders(model)) > 1:
        draws = (plots.posterior_draws(model) or []) if trusted else []
        figures["tradeoff"] = ("What makes up for a loss", model.plot.tradeoff(data=preferences, draws=draws))
        if not isinstance(preferences, Choices):  # which have no sides; `chances` is their map
            figures["regions"] = ("Which side is preferred, and where neither is", model.plot.regions(data=preferences))
        support = model.summary().support
        beware = [sentences.UNSUPPORTED] if support is not None and not support.holds else []
        if not draws:
            beware.append(sentences.NO_INTERVAL if posterior is None else sentences.no_draws(posterior))
        if beware:
            remarks["tradeoff"] = paragraph(beware)
    else:
        remarks["tradeoff"] = sentences.NOTHING_TO_TRADE
    if isinstance(preferences, Choices):
        figures["survivors"] = ("Who is left after each level", model.plot.survivors(preferences))
        telling = [name for name in plots.leaders(model) if name not in preferences.names]  # what is no constant
        telling += [name for name in model.features_ if name not in (*telling, *preferences.names)]
        if len(telling) > 1:
            moved = model.plot.chances(*telling[:2], data=preferences)
            figures["chances"] = ("Who is chosen as features change", moved)
    seen = predictions.preferences if predictions else preferences
    figures["calibration"] = ("Predicted and observed", model.plot.calibration(seen, predictions=predictions))
    return {key: picture(key, title, figure) for key, (title, figure) in figures.items()}, remarks


def picture(key: str, title: str, figure: Figure) -> Picture:
    return Picture(key, title, caption_of(figure), inline(figure, key))


def _weightiest(summary: Summary) -> list[str]:
    """The features that weigh most on any level, in the order of the model."""
    most = {name: max(level.importance[name] for level in summary.levels) for name in summary.features}
    kept = sorted(most, key=lambda name: -most[name])[:SHOWN_FEATURES]
    return [name for name in summary.features if name in kept]
