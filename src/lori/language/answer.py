"""Answer in sentences: what comes first, from which difference on, what comes next, and how well is that supported?

The one place where a summary becomes words. Terminal, pipe, JSON and report show the same sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lori.language.notes import note_sentences
from lori.language.numbers import (
    NONE,
    an_ordinal,
    counted,
    estimate,
    fine_percent,
    interval,
    level_count,
    may_be_zero,
    ordinal,
    percent,
    rounded,
)
from lori.language.sentence import Name, Sentence, clause, joined, of_fact

if TYPE_CHECKING:
    from lori.language.results import LevelSummary, Status, Summary, Support
    from lori.model.quantity import Quantity

DOUBT = "not distinguishable from zero"
UNKNOWN = "not known"
NOTHING = "None of the features matters."
DIFFERENCES = "differences between people"  # the verdict on a level where agents who differ explain more
WORTH_TELLING = 0.05  # a smaller gain in log-likelihood is none
WORTH_SAYING = 0.01  # a smaller share of undecided comparisons is not mentioned


def answer(summary: Summary) -> list[Sentence]:
    """The order of the levels, what else was learned about them, and how far the number of levels is supported."""
    support = summary.support
    if support and not support.holds:
        return [support_sentence(support), _best_order(summary), *_slips(summary)]
    if len(summary.levels) == 1:
        (only,) = summary.levels
        told = _facts(only, alone=True) or [_matters_most(only, len(summary.features))]
        if only.leading:
            told.append(_what_counts(only, len(summary.features)))
        if only.outweighs:
            told.append(_outweighs(only))
    else:
        told = [_place(level, len(summary.levels), summary.sets) for level in summary.levels]
        told += [fact for level in summary.levels for fact in _facts(level)]
    told += [_cap(level, alone=len(summary.levels) == 1) for level in summary.levels if level.told_cap]
    if summary.undecided_share >= WORTH_SAYING:
        told.append(_undecided(summary))
    told += _slips(summary)
    return [*told, support_sentence(support)] if support else told


def leaders(level: LevelSummary) -> Sentence:
    """The features that stand for a level, and which way is better."""
    doubted = [name for name in level.leading if may_be_zero(level.weights[name])]
    named = []
    for name in level.leading:
        doubt = ", but its weight may be zero" if name in doubted and len(doubted) < len(level.leading) else ""
        way = f"{_better(level, name)} is better{doubt}"
        named.append(clause("{name} ({way})", name=Name(name), way=way))
    return joined(named, between=" and ") if named else Sentence("no feature")


def threshold_clause(level: LevelSummary, *, named: bool = False) -> Sentence:
    """From which difference on a level with a threshold counts, or why that is not known.

    `named` says in which feature, for a clause that does not follow its name.
    """
    least, several = level.threshold, len(level.leading) > 1
    assert least is not None
    name = Name(level.leading[0])
    if may_be_zero(level.weights[level.leading[0]]):
        which = clause(" in {name}", name=name) if named or several else ""
        return clause("how large a difference{which} must be to count is not known", which=which)
    known = f" ({_interval(least)})" if least.interval else ""
    if may_be_zero(least):
        which = clause(" of {name}", name=name) if named or several else ""
        return clause("the threshold{which} is {doubt}{interval}", which=which, doubt=DOUBT, interval=known)
    which = clause(" in {name} alone", name=name) if several else clause(" in {name}", name=name) if named else ""
    value = estimate(least)
    return clause("differences of {value} or more{which}{interval} count", value=value, which=which, interval=known)


def threshold_text(level: LevelSummary, feature: str) -> str:
    """The threshold of a feature in a table, in words where there is nothing to read into its value."""
    value = level.thresholds[feature].value
    if value is not None and not level.has_threshold:
        return "0"
    if value is not None and may_be_zero(level.weights[feature]):
        return UNKNOWN
    return estimate(level.thresholds[feature])


def threshold_interval(level: LevelSummary, feature: str) -> str:
    """The interval beside it, or the reason why there is nothing to say."""
    quantity = level.thresholds[feature]
    if threshold_text(level, feature) == UNKNOWN:
        return "the weight may be zero"
    return interval(quantity) if level.has_threshold else NONE


def open_questions(summary: Summary) -> list[Sentence]:
    """What the data leave open: the notes of the fit, and leading numbers whose interval says little."""
    told = note_sentences(summary.status.notes)
    for level in summary.levels:
        for name in level.leading:
            slots = {"name": Name(name), "level": level.level}
            weight, least = level.weights[name], level.thresholds[name]
            if may_be_zero(weight):
                text = "The weight of {name} on level {level} is {doubt} ({interval})."
                told.append(Sentence.of(text, **slots, doubt=DOUBT, interval=_interval(weight)))
            elif level.threshold is not None and least.interval is None:
                told.append(Sentence.of("The threshold of {name} on level {level} has no interval.", **slots))
            elif level.threshold is not None and may_be_zero(least):
                text = "The threshold of {name} on level {level} is {doubt} ({interval})."
                told.append(Sentence.of(text, **slots, doubt=DOUBT, interval=_interval(least)))
    if summary.support and not summary.support.holds:
        told.append(_open_level(summary.support))
    return told


def support_sentence(support: Support) -> Sentence:
    """What another level gains, and what it costs."""
    price = _price(support.gain, support.extra_parameters)
    a_level = f"{an_ordinal(support.level)} level"
    rival = "" if support.rival_gain is None else "; differences between people do not explain it as well"
    if support.verdict == "supported":
        return Sentence.of(f"The choices support {a_level}: {price}{rival}.")
    if support.verdict == "weakly supported":
        return Sentence.of(f"Evidence for {a_level} is weak: {price}{rival}.")
    if support.verdict == DIFFERENCES:
        assert support.rival_gain is not None
        assert support.rival_parameters is not None
        theirs = _price(support.rival_gain, support.rival_parameters)
        return Sentence.of(
            f"Agents who differ explain the pooled choices better ({theirs}) than {a_level} does "
            f"({support.gain:+,.1f} for {support.extra_parameters}): fit each agent alone (--by agent), or "
            f"{level_count(support.recommended)} for all."
        )
    instead = f": fit {level_count(support.recommended)} instead" if support.recommended != support.level else ""
    return Sentence.of(f"The choices do not support {a_level} ({price}){instead}.")


def _price(gain: float, parameters: int) -> str:
    """What further parameters gain; a search with a prior may end with less than nothing."""
    more = counted(parameters, "more parameter")
    return f"log-likelihood {gain:+,.1f} for {more}" if gain >= WORTH_TELLING else f"no better fit with {more}"


def enough_sentence(support: Support) -> Sentence:
    """Why a model has no more levels than it has: what the first one too many would have gained."""
    if support.verdict == DIFFERENCES:
        return support_sentence(support)
    price = _price(support.gain, support.extra_parameters)
    are = f"{level_count(support.recommended)} {'is' if support.recommended == 1 else 'are'}"
    return Sentence.of(
        f"{are[:1].upper()}{are[1:]} shown: the choices do not support {an_ordinal(support.level)} one ({price})."
    )


def many_levels(levels: int) -> Sentence:
    """A warning before a fit of so many levels."""
    return Sentence(
        f"A fit of {level_count(levels)} takes minutes, because it fits every smaller number of levels first; few data "
        "support more than three (--levels auto finds out)."
    )


def search_sentence(status: Status) -> Sentence:
    """How the search for the best parameters ended."""
    ended = "The search converged" if status.converged else "The search did not converge"
    if status.starts == 1:
        return Sentence(f"{ended}; it had a single start.")
    return Sentence(
        f"{ended}; {percent(status.share_at_best)} of its {status.starts:,} starts reached the best optimum."
    )


def share_of_comparisons(share: float, *, sets: bool = False) -> str:
    """How many comparisons, or choices where alternatives came in sets."""
    those = "choices" if sets else "comparisons"
    if share in (0, 1):
        return f"all {those}" if share else f"none of the {those}"
    return f"{percent(share)} of the {those}"


def _open_level(support: Support) -> Sentence:
    """What is not known where the last level is not supported: neither that it is there nor that it is not."""
    may, other = "be noise", "few choices or many slips can hide a level that is there"
    if support.verdict == DIFFERENCES:
        may, other = "reflect differences between people", "people may have that level and differ as well"
    return Sentence.of(
        "It is open whether there is {place} level at all: what the numbers say about it, and about the threshold of "
        f"the level above it, may {may}. On the other hand, {other}.",
        place=an_ordinal(support.level),
    )


def _place(level: LevelSummary, count: int, sets: bool) -> Sentence:
    """Where a level stands in the order, from which difference on it counts, and how much it decides."""
    decides = share_of_comparisons(level.decides, sets=sets)
    if not level.leading:
        return Sentence(f"No feature stands out on level {level.level}, which decides {decides}.")
    several, last = len(level.leading) > 1, level.level == count
    slots = {
        "leaders": leaders(level),
        "come": "come" if several else "comes",
        "place": ordinal(level.level),
        "decide": "decide" if several else "decides",
        "decides": decides,
    }
    plain = "{leaders} {come} {place} and {decide} {decides}"
    if level.threshold is None:
        return Sentence.of(f"{plain}{'' if last else '; every difference counts'}.", **slots)
    counts = threshold_clause(level)
    if threshold_text(level, level.leading[0]) == UNKNOWN or may_be_zero(level.threshold):
        return Sentence.of(f"{plain}; {{counts}}.", **slots, counts=counts)
    rest = "" if last else "; smaller differences go to the next level"
    subject = "they decide" if several else "it decides"
    text = "{leaders} {come} {place}: {counts}, and {subject} {decides}{rest}."
    return Sentence.of(text, **slots, counts=counts, subject=subject, rest=rest)


def _matters_most(level: LevelSummary, features: int) -> Sentence:
    if not level.leading:
        return Sentence(NOTHING)
    several, doubt = len(level.leading) > 1, ""
    if all(may_be_zero(level.weights[name]) for name in level.leading):
        doubt = f", but {'their weights are' if several else 'its weight is'} {DOUBT}"
    if features > len(level.leading):
        matter = "matter most" if several else "matters most"
    else:
        matter = "both matter" if several else "matters"
    return Sentence.of("{leaders} {matter}{doubt}.", leaders=leaders(level), matter=matter, doubt=doubt)


def _what_counts(level: LevelSummary, features: int) -> Sentence:
    if level.threshold is None:
        others = "the other" if features == 2 else "the others"
        outweigh = (
            f", and a large enough difference in one feature can outweigh {others}"
            if features > 1 and not level.outweighs
            else ""
        )
        return Sentence(f"Every difference counts{outweigh}.")
    return Sentence.of("{counts}.", counts=threshold_clause(level, named=True))


def _facts(level: LevelSummary, *, alone: bool = False) -> list[Sentence]:
    """What only rewards of a certain family have learned."""
    if level.particulars is None:
        return []
    where = "" if alone else f"On level {level.level}, "
    return [Sentence.of(f"{where}{{fact}}.", fact=of_fact(fact)) for fact in level.particulars.facts()]


def _cap(level: LevelSummary, *, alone: bool) -> Sentence:
    where, on_level = level.told_cap, "" if alone else f"on level {level.level}, "
    assert where is not None
    more, above = ("more", "above") if _better(level, where.feature) == "more" else ("less", "below")
    text = "{on_level}{more} {name} no longer counts {above} {value}."
    slots = {"more": more, "name": Name(where.feature), "above": above, "value": rounded(where.value)}
    return Sentence.of(text, on_level=on_level, **slots)


def _outweighs(level: LevelSummary) -> Sentence:
    """That the weights of a single level make an order already, as "take the best" does."""
    first, *others = level.outweighs
    rest = [name for name, share in level.importance.items() if share > 0 and name != first]
    against = clause("any difference in {name}", name=Name(rest[0])) if len(rest) == 1 else "all others together"
    text = "Even the smallest difference in {name} outweighs {rest}: within this one level, {order}."
    order = joined([clause("{name} already comes first", name=Name(first)), *map(Name, others)], between=", then ")
    return Sentence.of(text, name=Name(first), rest=against, order=order)


def _undecided(summary: Summary) -> Sentence:
    equal = "several alternatives are equally good" if summary.sets else "neither side is preferred"
    outcome = "a coin decides" if summary.ties == "split" else equal
    share = share_of_comparisons(summary.undecided_share, sets=summary.sets)
    return Sentence(f"In {share}, no difference counts and {outcome}.")


def _slips(summary: Summary) -> list[Sentence]:
    """How many answers seem to be given at random."""
    rate = summary.lapse
    if rate is None or rate.value is None:
        return []
    least, most = rate.interval or (None, None)
    if (rate.value if most is None else most) < WORTH_SAYING:
        return [Sentence("Hardly any answers look like slips (fewer than 1 %).")]
    between = "" if least is None or most is None else f" (95 % interval {fine_percent(least)} to {fine_percent(most)})"
    share = fine_percent(rate.value)
    about = f"About {share}" if share[0].isdigit() else share.capitalize()
    return [Sentence(f"{about} of the answers look like slips, given at random{between}.")]


def _best_order(summary: Summary) -> Sentence:
    """What is known of an order with more levels than the data support."""
    named = [leaders(level) for level in summary.levels if level.leading]
    if not named:
        return Sentence(NOTHING)
    if len(named) < len(summary.levels):
        named.append(Sentence("nothing else"))
    text = "The best order of {count} would be {order}."
    return Sentence.of(text, count=level_count(len(summary.levels)), order=joined(named, between=", then "))


def _interval(quantity: Quantity) -> str:
    return f"95 % interval {interval(quantity)}"


def _better(level: LevelSummary, name: str) -> str:
    weight = level.weights[name].value
    return "less" if weight is not None and weight < 0 else "more"
