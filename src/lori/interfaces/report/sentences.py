"""Sentences of the report: the question, how good the answer is, what was surprising, and what the data are.

The answer itself is that of `lori.language.answer`, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lori.evaluation.checks import RARE, RareChoices, Surprise
from lori.evaluation.favourites import SetSurprise
from lori.evaluation.overview import Description
from lori.inference.posterior.draws import Posterior
from lori.language.answer import leaders, support_sentence
from lori.language.notes import NOT_CONVERGED, NOT_TRUSTED
from lori.language.numbers import cardinal, counted, fine_percent, percent, rounded
from lori.language.results import Summary
from lori.language.sentence import Name, Sentence, clause, paragraph

if TYPE_CHECKING:
    from lori.interfaces.report.content import Quality

TITLE = "What comes first?"
TIES = {
    "split": "where no difference counts, a coin decides",
    "observed": "a tie is an answer of its own",
    "printed": "ties are treated as printed in the paper",
}
CHANCE = {  # the log-likelihood of an answer without any model, and how often it is right
    "split": ("a coin", -math.log(2), 1 / 2),
    "observed": ("an answer at random", -math.log(3), 1 / 3),
    "printed": ("a coin", -math.log(2), 1 / 2),
}
KINDS = {"network": "neural networks", "function": "given as functions"}  # what rewards are; else the kind itself
LEGEND = Sentence(
    "In brackets: 95 % intervals. A weight is what one unit of a feature adds to the reward of its level. The "
    "threshold of a feature is the difference it takes to count if nothing else on its level differs. A number without "
    "an interval was fixed, or is not known precisely enough for one."
)
NOTHING_TO_TRADE = Sentence("Only one feature counts, so there is nothing to trade off.")
NO_INTERVAL = Sentence("The curve has no interval because none could be computed for this model.")
UNSUPPORTED = Sentence(
    "The choices do not support all of these levels: this is how the best fit trades, not what is known."
)
TOO_FEW = Sentence(
    "There are too few different questions for cross-validation. The figure shows the data that the model was fitted "
    "to."
)
RAW_PAIRS = Sentence(
    "These pairs are raw data: they show single choices as they were recorded. Before you pass this report on, ask "
    "whether they may be shown; --no-pairs leaves them out."
)
PAIRS_LEFT_OUT = Sentence("The pairs themselves, which are raw data, were left out of this report.")
RAW_SETS = Sentence(
    "These choices are raw data: they are shown as they were recorded. Before you pass this report on, ask whether "
    "they may be shown; --no-pairs leaves them out."
)
SETS_LEFT_OUT = Sentence("The choices themselves, which are raw data, were left out of this report.")
BY_LEVELS = Sentence("Fitted to all data, by number of levels (a smaller BIC is better):")
NOTHING_OPEN = Sentence(
    "Nothing that the answer rests on: the search converged, no features move together, and every leading weight and "
    "threshold has an interval that excludes zero."
)
PAPER = (
    "A. Hüyük, W. R. Zame, M. van der Schaar (2022): Inferring Lexicographically-Ordered Rewards from Preferences. "
    "Proceedings of the AAAI Conference on Artificial Intelligence."
)


def question(summary: Summary, *, prior: bool, seed: int) -> Sentence:
    """What was asked of the data, and how."""
    features, count = len(summary.features), len(summary.levels)
    which = "Does one feature explain" if features == 1 else f"Which of the {features:,} features explain"
    objectives = "one objective" if count == 1 else f"up to {cardinal(count)} objectives in order of priority"
    kinds = " and ".join(dict.fromkeys(KINDS.get(level.reward, level.reward) for level in summary.levels))
    return Sentence(
        f"{which} these choices, as {objectives}, and how large must a difference be to count? Rewards are {kinds}; "
        f"{TIES[summary.ties]}. Fitted with {'a weak' if prior else 'no'} prior, "
        f"{counted(summary.status.starts, 'start')} and seed {seed}."
    )


def answer(summary: Summary, posterior: Posterior | None) -> list[Sentence]:
    """The answer, unless the posterior, which knows other optima too, finds that another objective comes first."""
    if not _order_is_open(summary, posterior):
        return summary.sentences
    assert posterior is not None
    text = "The best single fit, whose numbers follow, puts {leaders} first: read nothing into its order."
    best = Sentence.of(text, leaders=leaders(summary.levels[0]))
    support = [support_sentence(summary.support)] if summary.support else []
    return [posterior.order().sentences()[0], best, *support]


def order(summary: Summary, posterior: Posterior | None) -> Sentence:
    """With what probability which objective comes first.

    Empty where that is unknown, told by the answer already, or no finding: with one level, or one more than supported.
    """
    levels = len(summary.levels)
    if posterior is None or levels == 1 or not _supported(summary):
        return Sentence()
    if not posterior.trust.trusted:
        return Sentence(f"The probability of the order is not known: {_reason(posterior)}")
    by_prior = any(note.code == "order by prior" for note in posterior.notes)
    notes = [note.sentence for note in posterior.notes if by_prior and note.code in ("shared out", "order by prior")]
    if _order_is_open(summary, posterior):
        return paragraph(notes)
    return paragraph(["How sure is the order?", posterior.order().sentences()[0], *notes])


def _order_is_open(summary: Summary, posterior: Posterior | None) -> bool:
    """Do several levels, as far as they are supported, come in another order at the optimum than in the posterior?"""
    levels = summary.levels
    if posterior is None or len(levels) == 1 or not _supported(summary) or not posterior.trust.trusted:
        return False
    found = posterior.order()
    return found.by == "feature" and bool(levels[0].leading) and next(iter(found.first())) not in levels[0].leading


def _supported(summary: Summary) -> bool:
    return summary.support is None or summary.support.holds


def raw_data(*, sets: bool, shown: bool) -> Sentence:
    """That surprising choices are raw data, or were left out."""
    if sets:
        return RAW_SETS if shown else SETS_LEFT_OUT
    return RAW_PAIRS if shown else PAIRS_LEFT_OUT


def no_draws(posterior: Posterior) -> Sentence:
    return Sentence(f"The curve has no interval: {_reason(posterior)}")


def cross_validation(quality: Quality, pairs: int, *, sets: bool = False) -> Sentence:
    """How predictions were made for choices that were not learned from."""
    drawn, what = " drawn from all" if quality.pairs < pairs else "", "set" if sets else "pair"
    return Sentence(
        f"Each of {counted(quality.pairs, what)}{drawn} is predicted by a model fitted without it "
        f"({quality.folds}-fold cross-validation; repeats of a {what} stay together):"
    )


def advantage(quality: Quality) -> Sentence:
    """What several levels gain over one, in choices that were not learned from."""
    if quality.advantage is None:
        return Sentence()
    return Sentence(
        f"Compared with one level, the log-likelihood of a comparison changes by "
        f"{'+' if quality.advantage > 0 else ''}{rounded(quality.advantage, quality.advantage_error)} (standard error "
        f"{rounded(quality.advantage_error, quality.advantage_error)})."
    )


def rare(found: RareChoices, *, shown: bool, sets: bool = False) -> Sentence:
    """How many choices the model finds hard to believe, beside how many it expects."""
    seen = f"{found.seen:,}" if found.seen > 1 else ("none", "one")[found.seen]
    expected = "none" if found.expected < 0.05 else f"about {found.expected:,.1f}"
    pairs = f" These are the most surprising {'choices' if sets else 'pairs'}:" if shown else ""
    made = counted(found.comparisons, "choice" if sets else "comparison")
    return Sentence(
        f"Of {made}, {seen} had an outcome that the model considers less than "
        f"{percent(RARE)} likely; if the model were true, {expected} would be expected.{pairs}"
    )


def sides(each: Surprise | SetSurprise, words: Mapping[str, str] | None = None) -> tuple[str, str]:
    """What stands in the two columns of a surprising choice."""
    if isinstance(each, Surprise):
        return (words or {}).get("left", "Left"), (words or {}).get("right", "Right")
    return "Picked as worst" if each.worst else "Chosen", "Likeliest"


def surprise(each: Surprise | SetSurprise, words: Mapping[str, str] | None = None) -> Sentence:
    """What was chosen in a surprising pair or set, and what the model makes of it; `words` are the file's for sides."""
    if isinstance(each, SetSurprise):
        who = f"level {each.level} is the likeliest to decide" if each.level else "it is likeliest that a coin decides"
        return Sentence.of(
            "{chosen} was {done} among {count}; the model gives it a probability of {chance} and {favourite} one of "
            "{best}, and {who}.",
            chosen=Name(each.chosen), done="picked as the worst" if each.worst else "chosen",
            count=counted(each.alternatives, "alternative"), chance=fine_percent(each.probability),
            favourite=Name(each.favourite), best=fine_percent(each.favourite_probability), who=who,
        )  # fmt: skip
    times = f" {each.times_chosen:,} of {each.times:,} times" if each.times > 1 else ""
    called = Name((words or {}).get(each.chosen, each.chosen.capitalize()))
    place = f"Row {each.pair:,} of the data: " if each.pair else ""
    who = (
        f"level {each.level} is the likeliest to decide" if each.level else "it is likeliest that no difference counts"
    )
    this = f"{'each such' if each.times > 1 else 'this'} {'answer' if each.chosen == 'tie' else 'choice'}"
    if each.chosen != "tie":
        answer = clause("{own} was chosen", own=called)
    else:
        what = clause("“{own}”", own=called) if words and "tie" in words else Sentence("a tie")
        answer = clause("{the} answer was {what}", the="the" if place else "The", what=what)
    return Sentence.of(
        "{place}{answer}{times}; the model gives {this} a probability of {chance}, and {who}.",
        place=place, answer=answer, times=times, this=this, chance=fine_percent(each.probability), who=who,
    )  # fmt: skip


def data(description: Description, dropped: int) -> Sentence:
    """What the data are."""
    agents = "" if description.agents is None else f" by {counted(description.agents, 'agent')}"
    ties = (
        f" {counted(description.n_ties, 'answer')} {'was a tie' if description.n_ties == 1 else 'were ties'}."
        if description.n_ties
        else ""
    )
    if description.sizes is not None:
        return _sets(description, agents, ties, dropped)
    weighted = " Pairs are weighted." if description.weighted else ""
    left_out = (
        f"{counted(dropped, 'pair')} with the same features on both sides {'was' if dropped == 1 else 'were'} left out."
    )
    same = ""
    if description.identical:
        has = "has" if description.identical == 1 else "have"
        same = f" {counted(description.identical, 'pair')} {has} the same features on both sides."
    return Sentence(
        f"{counted(description.comparisons, 'comparison')} of {counted(description.pairs, 'pair')}{agents}."
        f"{ties or ' There are no ties.'}{weighted} {left_out if dropped else 'No pair was left out.'}{same}"
    )


def statistics(summary: Summary) -> Sentence:
    """What readers of a table of results look for."""

    def number(value: float) -> str:
        return f"{value:,.1f}".replace("-", "−")

    told = [f"Log-likelihood {number(summary.log_likelihood)}"]
    if summary.null_log_likelihood is not None and summary.pseudo_r2 is not None:
        told.append(f"{number(summary.null_log_likelihood)} if all answers were equally likely")
        told.append(f"pseudo-R² {summary.pseudo_r2:.2f}")
    if summary.parameters is not None and summary.aic is not None:
        told.append(f"{counted(summary.parameters, 'parameter')}, AIC {number(summary.aic)}")
    return Sentence(f"{'; '.join(told)}.")


def _sets(description: Description, agents: str, ties: str, dropped: int) -> Sentence:
    """What choices from sets are."""
    assert description.sizes is not None
    least, most = description.sizes
    of = counted(least, "alternative") if least == most else f"{least:,} to {most:,} alternatives"
    same = ""
    if description.identical:
        has = "has" if description.identical == 1 else "have"
        same = f" {counted(description.identical, 'set')} {has} alternatives that are all the same."
    left_out = (
        f"{counted(dropped, 'set')} whose alternatives are all the same {'was' if dropped == 1 else 'were'} left out."
    )
    return Sentence(
        f"{counted(description.comparisons, 'choice')} from {counted(description.pairs, 'set')} of {of}{agents}."
        f"{ties or ' There are no ties.'}{' Sets are weighted.' if description.weighted else ''} "
        f"{left_out if dropped else 'No set was left out.'}{same}"
    )


def _reason(posterior: Posterior) -> str:
    """Why a posterior is not trusted, in the middle of a sentence, without what to do about it in Python."""
    why = posterior.trust.verdict.removeprefix(f"{NOT_TRUSTED}: ").removeprefix(f"{NOT_CONVERGED}: ")
    return f"{why.split('; use ')[0].rstrip('.')}. More choices may help."
