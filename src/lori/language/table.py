"""Table of a summary in plain text: weights and thresholds with intervals, the answer, and the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lori.language.answer import threshold_interval, threshold_text
from lori.language.names import label
from lori.language.numbers import counted, fine_percent, may_be_zero, number, percent, rounded, with_interval
from lori.language.sentence import of_fact

if TYPE_CHECKING:
    from lori.language.results import LevelSummary, Summary


def lines(summary: Summary) -> list[str]:
    """All that is known about a fit, line by line."""
    status = summary.status
    reached = "a single start"
    if status.starts > 1:
        reached = f"{percent(status.share_at_best)} of {status.starts:,} starts reached the best optimum"
    told = [
        f"LORI: {counted(len(summary.levels), 'level')}, {counted(summary.comparisons, 'comparison')} "
        f"of {counted(summary.pairs, 'pair')}, log-likelihood {summary.log_likelihood:.3f}",
        f"{'converged' if status.converged else 'NOT CONVERGED'}; {reached}; ties: {summary.ties}",
    ]
    for level in summary.levels:
        told += ["", *_level(level)]
    if len(summary.by_levels) > 1:
        told += ["", "Levels  log-likelihood  parameters         BIC"]
        told += [
            f"{step.levels:>6}  {step.log_likelihood:>14.3f}  {step.parameters:>10}  {step.bic:>10.2f}"
            for step in summary.by_levels
        ]
    return [*told, "", *summary.sentences, *(f"Note: {note}" for note in status.notes)]


def _level(level: LevelSummary) -> list[str]:
    width = max(len(label(name)) for name in ("feature", *level.weights))
    told = [
        f"Level {level.level} ({level.reward}), decides {fine_percent(level.decides)}",
        f"  {'feature':<{width}}  {'weight':>11}  {'std. error':>11}  {'threshold':>11}  95 % interval",
    ]
    for name, weight in level.weights.items():
        error = weight.standard_error
        cells = (rounded(weight.value, error), rounded(error, error), threshold_text(level, name))
        row = "  ".join(f"{cell:>11}" for cell in cells)
        told.append(f"  {label(name):<{width}}  {row}  {threshold_interval(level, name)}")
    doubt = ", not distinguishable from zero" if may_be_zero(level.epsilon) else ""
    told.append(f"  ε = {with_interval(level.epsilon)} in units of the reward{doubt}; α = {with_interval(level.alpha)}")
    if level.cap is not None:
        where = level.cap_in_feature
        also = f" ({label(where.feature)} = {number(where.value)})" if where else ""
        told.append(f"  more does not count above a reward of {with_interval(level.cap)}{also}")
    if level.particulars is not None:
        told += [f"  {of_fact(fact)}" for fact in level.particulars.details()]
    return told
