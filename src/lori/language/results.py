"""Results of a fit: what was learned, level by level, how far it is supported, and how far it may be trusted.

Plain frozen values: `to_dict()` is their JSON, which files keep and others script against, `str()` their text.
`lori.inference.summary` computes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import exp
from typing import TYPE_CHECKING, Any

from lori.language import answer
from lori.language import results as table
from lori.language.answer import threshold_interval, threshold_text
from lori.language.names import label
from lori.language.notes import Note, note_sentences
from lori.language.numbers import (
    counted,
    estimate,
    fine_percent,
    interval,
    may_be_zero,
    percent,
    rounded,
    with_interval,
)
from lori.language.sentence import Sentence, of_fact
from lori.model.quantity import Quantity
from lori.model.rewards import FAMILIES, Particulars

if TYPE_CHECKING:
    import pandas

NEGLIGIBLE = 1e-6  # a threshold of so little log-odds is none
LARGEST = 700.0  # of an exponent
SELDOM = 0.01  # a cap that fewer alternatives reach is not told by the data


@dataclass(frozen=True)
class Status:
    """What `fit` says about itself."""

    converged: bool
    starts: int
    share_at_best: float
    notes: tuple[Note, ...] = ()

    def has(self, code: str) -> bool:
        return any(note.code == code for note in self.notes)

    def to_dict(self) -> dict[str, Any]:
        return {
            "converged": self.converged,
            "starts": self.starts,
            "share_at_best": self.share_at_best,
            "notes": [note.to_dict() for note in self.notes],
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Status:
        return cls(**{**fields, "notes": tuple(Note.from_dict(note) for note in fields["notes"])})


@dataclass(frozen=True)
class CapInFeature:
    """Where the feature that leads a level reaches its cap."""

    feature: str
    value: float


@dataclass(frozen=True)
class LevelSummary:
    """One level in the user's units. What is told by feature is a mapping in the order of the features."""

    level: int  # from 1
    reward: str  # the kind of its family
    importance: Mapping[str, float]  # shares of the standardised weight
    leading: tuple[str, ...]  # the one or two features that stand for the level
    weights: Mapping[str, Quantity]
    epsilon: Quantity
    thresholds: Mapping[str, Quantity]
    alpha: Quantity
    decides: float  # share of the comparisons
    cap: Quantity | None = None
    cap_reached: float | None = None  # share of the alternatives
    cap_in_feature: CapInFeature | None = None
    particulars: Particulars | None = None  # what only rewards of its family have
    outweighs: tuple[str, ...] = ()  # features that each outweigh all that follow together: an order within the level

    @property
    def threshold(self) -> Quantity | None:
        """From what difference on the leading feature counts; None where every difference does, or nothing leads."""
        if not self.leading or not self.has_threshold:
            return None
        quantity = self.thresholds[self.leading[0]]
        return None if quantity.value is None else quantity

    @property
    def has_threshold(self) -> bool:
        return (self.epsilon.value or 0.0) * (self.alpha.value or 0.0) >= NEGLIGIBLE

    @property
    def told_cap(self) -> CapInFeature | None:
        """The cap, unless so few alternatives reach it that these data cannot tell whether there is one."""
        return self.cap_in_feature if self.cap_reached is None or self.cap_reached >= SELDOM else None

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "level": self.level,
            "reward": self.reward,
            "importance": dict(self.importance),
            "leading": list(self.leading),
            "weights": {name: weight.to_dict() for name, weight in self.weights.items()},
            "epsilon": self.epsilon.to_dict(),
            "thresholds": {name: threshold.to_dict() for name, threshold in self.thresholds.items()},
            "alpha": self.alpha.to_dict(),
            "decides": self.decides,
        }
        if self.cap is not None:
            fields |= {"cap": self.cap.to_dict(), "cap_reached": self.cap_reached}
        if self.cap_in_feature is not None:
            fields["cap_in_feature"] = asdict(self.cap_in_feature)
        if self.particulars is not None:
            fields[self.particulars.key] = self.particulars.to_dict()
        if self.outweighs:
            fields["outweighs"] = list(self.outweighs)
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> LevelSummary:
        family = FAMILIES.get(fields["reward"])
        where, cap = fields.get("cap_in_feature"), fields.get("cap")
        return cls(
            level=fields["level"],
            reward=fields["reward"],
            importance=fields["importance"],
            leading=tuple(fields["leading"]),
            weights={name: Quantity.from_dict(weight) for name, weight in fields["weights"].items()},
            epsilon=Quantity.from_dict(fields["epsilon"]),
            thresholds={name: Quantity.from_dict(least) for name, least in fields["thresholds"].items()},
            alpha=Quantity.from_dict(fields["alpha"]),
            decides=fields["decides"],
            cap=Quantity.from_dict(cap) if cap else None,
            cap_reached=fields.get("cap_reached"),
            cap_in_feature=CapInFeature(**where) if where else None,
            particulars=family.particulars_from(dict(fields)) if family else None,
            outweighs=tuple(fields.get("outweighs", ())),
        )


@dataclass(frozen=True)
class NestedFit:
    """The best fit with a certain number of levels."""

    levels: int
    log_likelihood: float
    parameters: int
    bic: float


@dataclass(frozen=True)
class Support:
    """Is the last level worth its parameters? By the Bayesian information criterion against one level less.

    Where many agents were pooled, its rival is one level less for agents who differ.
    """

    level: int
    gain: float  # in log-likelihood
    extra_parameters: int
    bic_difference: float
    verdict: str  # "supported", "weakly supported", "not supported" or "differences between people"
    recommended: int  # levels
    rival_gain: float | None = None  # in log-likelihood, of agents who differ; None where that was not asked
    rival_parameters: int | None = None  # that they have beyond those of one level less
    rival_bic_difference: float | None = None  # by which the level is better than they are

    @property
    def holds(self) -> bool:
        """Do the data support the level, weakly at least?"""
        return self.verdict in ("supported", "weakly supported")

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Support:
        fewer = fields["level"] - (fields["verdict"] == "not supported")
        return cls(**{"recommended": fewer, **fields})  # the first files do not recommend


@dataclass(frozen=True)
class Summary:
    """Levels in priority order with weights, thresholds and caps in the user's units.

    `print(summary)` shows a table, `summary.sentences` is the answer in words, `summary.to_dict()` both as JSON.
    """

    features: tuple[str, ...]
    ties: str
    levels: tuple[LevelSummary, ...]
    undecided_share: float  # of the comparisons: no difference counts
    log_likelihood: float
    comparisons: int
    pairs: int
    by_levels: tuple[NestedFit, ...]
    support: Support | None
    status: Status
    lapse: Quantity | None = None  # the rate of slips, where it was learned
    sets: bool = False  # alternatives came in sets; then `pairs` counts these
    null_log_likelihood: float | None = None  # if all outcomes were equally likely
    agents: int | None = None  # who chose, where that is known

    @property
    def size(self) -> str:
        """How much there was to learn from."""
        if self.sets:
            return f"{counted(self.comparisons, 'choice')} from {counted(self.pairs, 'set')}"
        return f"{counted(self.comparisons, 'comparison')} of {counted(self.pairs, 'pair')}"

    @property
    def parameters(self) -> int | None:
        """That were learned; None where the fit did not count them."""
        return self.by_levels[-1].parameters if self.by_levels else None

    @property
    def aic(self) -> float | None:
        """Akaike's information criterion, 2k − 2L."""
        return None if self.parameters is None else 2 * self.parameters - 2 * self.log_likelihood

    @property
    def pseudo_r2(self) -> float | None:
        """McFadden's, 1 − L / L₀, with L₀ the log-likelihood if all outcomes were equally likely."""
        return 1 - self.log_likelihood / self.null_log_likelihood if self.null_log_likelihood else None

    @property
    def sentences(self) -> list[Sentence]:
        return answer.answer(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "features": list(self.features),
            "ties": self.ties,
            "levels": [level.to_dict() for level in self.levels],
            "undecided_share": self.undecided_share,
            "log_likelihood": self.log_likelihood,
            "comparisons": self.comparisons,
            "pairs": self.pairs,
            "by_levels": [asdict(step) for step in self.by_levels],
            "support": None if self.support is None else asdict(self.support),
            "status": self.status.to_dict(),
            "lapse": None if self.lapse is None else self.lapse.to_dict(),
            "sentences": [str(sentence) for sentence in self.sentences],
            "null_log_likelihood": self.null_log_likelihood,
            "pseudo_r2": self.pseudo_r2,
            "aic": self.aic,
            "agents": self.agents,
        } | ({"sets": True} if self.sets else {})

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Summary:
        support = fields["support"]
        return cls(
            features=tuple(fields["features"]),
            ties=fields["ties"],
            levels=tuple(LevelSummary.from_dict(level) for level in fields["levels"]),
            undecided_share=fields["undecided_share"],
            log_likelihood=fields["log_likelihood"],
            comparisons=fields["comparisons"],
            pairs=fields["pairs"],
            by_levels=tuple(NestedFit(**step) for step in fields["by_levels"]),
            support=None if support is None else Support.from_dict(support),
            status=Status.from_dict(fields["status"]),
            lapse=Quantity.from_dict(fields["lapse"]) if fields.get("lapse") else None,
            sets=bool(fields.get("sets", False)),
            null_log_likelihood=fields.get("null_log_likelihood"),
            agents=fields.get("agents"),
        )

    def to_frame(self) -> pandas.DataFrame:
        """A row for each feature of each level: weight and threshold as numbers, with standard errors and intervals.

        An odds ratio is that of a unit of the feature, on its own level and beyond its threshold.
        """
        import pandas

        rows = []
        for level in self.levels:
            for name, weight in level.weights.items():
                row: dict[str, Any] = {"level": level.level, "feature": name}
                for what, own in (("weight", weight), ("threshold", level.thresholds.get(name))):
                    low, high = (None, None) if own is None or own.interval is None else own.interval
                    row[what] = None if own is None else own.value
                    row |= {f"{what} error": None if own is None else own.standard_error}
                    row |= {f"{what} low": low, f"{what} high": high}
                rows.append(row | _odds(level, weight))
        return pandas.DataFrame(rows)

    def _rounded(self) -> pandas.DataFrame:
        """As a person reads it: numbers rounded by their uncertainty, intervals in words."""
        import pandas

        rows = []
        for level in self.levels:
            for name, weight in level.weights.items():
                limits = (threshold_text(level, name), threshold_interval(level, name))
                rows.append((str(level.level), label(name), estimate(weight), interval(weight), *limits))
        headings = ["level", "feature", "weight", "95 % interval", "threshold", "95 % interval"]
        return pandas.DataFrame(rows, columns=headings)

    def to_html(self) -> str:
        """The table of levels for a page."""
        return self._rounded().to_html(index=False, border=0)

    def to_latex(self) -> str:
        """The table of levels for a paper (package booktabs)."""
        shown = self._rounded().style.hide(axis="index").format(escape="latex")
        return shown.format_index(escape="latex", axis=1).to_latex(hrules=True)

    def _repr_html_(self) -> str:
        """As a notebook shows it: the answer, and the table of levels."""
        said = "".join(f"<p>{sentence.html()}</p>" for sentence in self.sentences)
        notes = "".join(f"<p>Note: {note.html()}</p>" for note in note_sentences(self.status.notes))
        return f"{said}{self.to_html()}{notes}"

    def __str__(self) -> str:
        return "\n".join(table.lines(self))

    __repr__ = __str__


def _odds(level: LevelSummary, weight: Quantity) -> dict[str, Any]:
    """exp(α w), with the interval of the weight."""
    names = "odds ratio", "odds ratio low", "odds ratio high"
    numbers = weight.value, *(weight.interval or (None, None))
    factor = level.alpha.value or 0.0
    ratios = [None if own is None else exp(min(factor * own, LARGEST)) for own in numbers]
    return dict(zip(names, ratios, strict=True))


def lines(summary: Summary) -> list[str]:
    """All that is known about a fit, line by line."""
    status = summary.status
    reached = "a single start"
    if status.starts > 1:
        reached = f"{percent(status.share_at_best)} of {status.starts:,} starts reached the best optimum"
    told = [
        f"LORI: {counted(len(summary.levels), 'level')}, {summary.size}, log-likelihood {summary.log_likelihood:.3f}",
        f"{'converged' if status.converged else 'NOT CONVERGED'}; {reached}; ties: {summary.ties}",
    ]
    for level in summary.levels:
        told += ["", *_level(level)]
    if summary.lapse is not None:
        rate, between = summary.lapse.value or 0.0, summary.lapse.interval
        about = "" if between is None else f" ({fine_percent(between[0])} to {fine_percent(between[1])})"
        told += ["", f"Slips: {fine_percent(rate)}{about} of the answers"]
    if len(summary.by_levels) > 1:
        told += ["", "Levels  log-likelihood  parameters         BIC"]
        told += [
            f"{step.levels:>6}  {step.log_likelihood:>14.3f}  {step.parameters:>10}  {step.bic:>10.2f}"
            for step in summary.by_levels
        ]
    return [*told, "", *summary.sentences, *(f"Note: {note}" for note in note_sentences(status.notes))]


def _level(level: LevelSummary) -> list[str]:
    width = max(len(label(name)) for name in ("feature", *level.weights))
    told = [
        f"Level {level.level} ({level.reward}), decides {fine_percent(level.decides)}",
        f"  {'feature':<{width}}  {'weight':>11}  {'95 % interval':<18}  {'threshold':>11}  95 % interval",
    ]
    for name, weight in level.weights.items():
        row = f"{estimate(weight):>11}  {interval(weight):<18}  {threshold_text(level, name):>11}"
        told.append(f"  {label(name):<{width}}  {row}  {threshold_interval(level, name)}")
    doubt = ", not distinguishable from zero" if may_be_zero(level.epsilon) else ""
    told.append(f"  ε = {with_interval(level.epsilon)} in units of the reward{doubt}; α = {with_interval(level.alpha)}")
    if level.cap is not None:
        where = level.cap_in_feature
        also = f", where {label(where.feature)} = {rounded(where.value)}" if where else ""
        told.append(f"  more does not count above a reward of {with_interval(level.cap)}{also}")
    if level.particulars is not None:
        told += [f"  {of_fact(fact)}" for fact in level.particulars.details()]
    return told
