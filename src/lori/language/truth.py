"""Truth in words: how near did a fit come to the decision-maker behind simulated choices?"""

from __future__ import annotations

from lori.language.answer import threshold_interval, threshold_text
from lori.language.numbers import NONE, level_count, number, ordinal
from lori.language.results import LevelSummary, Summary
from lori.language.sentence import Name, Sentence, clause, listed


def comparison(found: Summary, truth: Summary, difference: float) -> list[Sentence]:
    """A sentence for each true level, and one on probabilities, which differ by so much on average."""
    said = []
    if len(found.levels) != len(truth.levels):
        said.append(
            Sentence.of(
                "The truth has {true}, the model {own}.", true=level_count(len(truth.levels)),
                own=level_count(len(found.levels)),
            )
        )  # fmt: skip
    for true, own in zip(truth.levels, found.levels, strict=False):
        leads = Sentence.of(
            "{place} in truth: {true}; found: {own}", place=ordinal(true.level), true=listed(true.leading),
            own=listed(own.leading) or "nothing",
        )  # fmt: skip
        threshold = _threshold(true, own)
        said.append(Sentence(*leads.parts, *(("; ", *threshold.parts) if threshold else ()), "."))
    points = number(100 * difference, 2)
    said.append(Sentence.of("Predicted probabilities are {points} percentage points off, on average.", points=points))
    return said


def _threshold(true: LevelSummary, own: LevelSummary) -> Sentence | None:
    """From what difference on the leading feature counts, in truth and by the fit."""
    if true.threshold is None or true.leading[0] not in own.thresholds:
        return None
    feature = true.leading[0]
    between = threshold_interval(own, feature)
    return clause(
        "differences in {feature} count from {true} on, found {own}{between}", feature=Name(feature),
        true=threshold_text(true, feature), own=threshold_text(own, feature),
        between="" if between == NONE else f" (95 % interval {between})",
    )  # fmt: skip
