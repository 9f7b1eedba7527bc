"""Methods side by side, in words: which predicts best, and which differences are real?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from lori.language.numbers import NONE, counted, fine_percent, number
from lori.language.sentence import Name, Sentence, listed

BETTER, WORSE, EQUAL, FAILED = "better", "worse", "no clear difference", "not fitted"


@dataclass(frozen=True)
class MethodScore:
    """How well one method predicts choices that it has not learned from, and by how much better than the reference."""

    method: str
    row: str  # of the paper's table 1
    log_loss: float | None = None  # of a choice
    error: float | None = None  # its standard error
    accuracy: float | None = None
    seconds: float | None = None
    gain: float | None = None  # log-likelihood of a choice beyond the reference's; None for the reference itself
    gain_error: float | None = None
    verdict: str = FAILED  # beside the reference
    reason: str | None = None  # why it was not fitted


@dataclass(frozen=True)
class MethodComparison:
    """All methods, the best first."""

    reference: str
    scores: tuple[MethodScore, ...]
    choices: int
    observations: int  # pairs or sets
    kind: str  # "pair" or "set"
    folds: int
    agents: int | None
    coin: float  # log-loss of a guess
    within: float  # standard errors that count as real, for all differences together at 95 %

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join([table(self), "", *sentences(self)])


def table(found: MethodComparison) -> str:
    """A line for each method."""
    rows = [("method", "log-loss", "±", "accuracy", f"gain on {found.reference}", "±", "seconds", "verdict")]
    for own in found.scores:
        share = NONE if own.accuracy is None else fine_percent(own.accuracy)
        numbers = (
            _fixed(own.log_loss),
            _fixed(own.error),
            share,
            _fixed(own.gain, signed=True),
            _fixed(own.gain_error),
        )
        verdict = "reference" if own.method == found.reference else own.verdict
        rows.append((own.method, *numbers, NONE if own.seconds is None else f"{own.seconds:.1f}", verdict))
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    last = len(widths) - 1
    lines = [
        "  ".join(
            cell.ljust(width) if place in (0, last) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def sentences(found: MethodComparison) -> list[Sentence]:
    """What was done, which methods are better and worse than the reference, and which could not be fitted."""
    people = "" if found.agents is None else f" by {counted(found.agents, 'agent')}"
    independent = "agents" if found.agents is not None else f"{found.kind}s"
    said = [
        Sentence.of(
            "{choices}{people}, predicted in {folds} parts by models of the others; a guess has a log-loss of {coin}.",
            choices=counted(found.choices, "choice"), people=people, folds=found.folds, coin=_fixed(found.coin),
        )
    ]  # fmt: skip
    for verdict, words in (
        (BETTER, "{methods} predicted better than {reference}."),
        (WORSE, "{methods} predicted worse than {reference}."),
        (EQUAL, "No clear difference from {reference}: {methods}."),
    ):
        names = [own.method for own in found.scores if own.verdict == verdict and own.method != found.reference]
        if names:
            said.append(Sentence.of(words, methods=listed(names), reference=Name(found.reference)))
    said.append(
        Sentence.of(
            "A difference is called real beyond {within} standard errors (95 % for all of them together, {what} being "
            "independent).", within=number(found.within, 2), what=independent,
        )
    )  # fmt: skip
    for own in found.scores:
        if own.reason is not None:
            said.append(Sentence.of("{method} was left out: {reason}", method=Name(own.method), reason=own.reason))
    return said


def _fixed(value: float | None, *, signed: bool = False) -> str:
    """Four places, which is what standard errors of some thousand choices allow."""
    return NONE if value is None else f"{value:+.4f}" if signed else f"{value:.4f}"


def lost_sentence(problem: str, better: list[tuple[str, float, float]], ours: float, own: str = "LORI") -> Sentence:
    """Which methods predict a problem of a study better than LORI: (name, log-loss, by how much it is smaller)."""
    told = [f"{name} ({_fixed(loss)}, {_fixed(gain)} less)" for name, loss, gain in better]
    return Sentence.of(
        "{problem}: {own} loses (log-loss {ours}) to {methods}.", problem=Name(problem).capital(), own=own,
        ours=_fixed(ours), methods=", ".join(told),
    )  # fmt: skip


def no_loss_sentence(problem: str, ours: float, own: str = "LORI") -> Sentence:
    """No method is clearly better than LORI."""
    return Sentence.of(
        "{problem}: no method has a clearly smaller log-loss than {own} ({ours}).", problem=Name(problem).capital(),
        own=own, ours=_fixed(ours),
    )  # fmt: skip
