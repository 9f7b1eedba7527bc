"""Interview: what do the pages say that ask people? A study may replace each of these texts by its own language's."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter

from lori.language.sentence import Name, Sentence, Share, joined

TEXTS = {
    "begin": "Begin",
    "agree": "I agree",
    "name": "Your name",
    "progress": "Question {number} of at most {most}",
    "which": "Which do you prefer?",
    "left": "Option A",
    "right": "Option B",
    "choose_left": "Choose A",
    "choose_right": "Choose B",
    "tie": "No difference",
    "skip": "Skip",
    "undo": "Go back one answer",
    "keys": "Keyboard: ← chooses A, → chooses B.",
    "keys_tie": "Keyboard: ← chooses A, → chooses B, ↓ means no difference.",
    "thanks_title": "Thank you",
    "thanks": "Your answers are saved. You may close this page.",
    "result_title": "What you seem to put first",
    "result": "You seem to put {first} first ({share}).",
    "result_then": "You seem to put {first} first, then {then} ({share}).",
    "result_open": "Your answers do not yet say clearly what you put first.",
    "delete": "Delete my answers",
    "delete_sure": "This removes all of your answers for good.",
    "deleted": "Your answers are deleted.",
    "closed": "This study is closed at the moment.",
    "privacy": "We store your answers and how long each took. No address, no device and nobody else's cookies.",
    "wrong_link": "This link is not valid. Please ask the people who sent it to you for another one.",
    "too_fast": "Too many requests at once. Please wait a moment and try again.",
    "failed": "That did not work. Nothing was changed. Please go back and try again.",
    "consent_needed": "Please agree before you begin.",
}
"""By key: words of the pages, with slots in braces."""


def slots(text: str) -> set[str] | None:
    """The slots of a text, or None where its braces are not those of slots.

    >>> sorted(slots("Question {number} of {most}")), slots("{"), slots("{a.b}")
    (['most', 'number'], None, None)
    """
    try:
        found = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError:
        return None
    return found if all(name.isidentifier() for name in found) else None


KNOWN_FROM = 0.5  # probability of an order below which none is named


def result_sentence(order: Sequence[str], probability: float, texts: dict[str, str] | None = None) -> Sentence:
    """What a respondent seems to put first, in the study's words.

    >>> result_sentence(["efficacy", "side effects"], 0.97)
    'You seem to put efficacy first, then side effects (97 %).'
    """
    own = {**TEXTS, **(texts or {})}
    if probability < KNOWN_FROM:
        return Sentence.of(own["result_open"])
    slots = {"first": Name(order[0]), "share": Share(min(probability, 0.99))}
    then = joined([Name(name) for name in order[1:]], last=", then ")
    return (
        Sentence.of(own["result_then"], **slots, then=then) if len(order) > 1 else Sentence.of(own["result"], **slots)
    )


ADMIN = {
    "title": "Study",
    "login": "Administrator's token",
    "login_help": "It was shown when the study was first started.",
    "enter": "Enter",
    "leave": "Leave",
    "wrong": "This token is not the administrator's.",
    "counts": "Progress",
    "respondents": "Respondents",
    "begun": "Begun",
    "finished": "Finished",
    "answers": "Answers",
    "seconds": "Median seconds per answer",
    "consistent": "Repeated questions answered alike",
    "state": "Who may answer",
    "open": "Anybody who has the address",
    "invited": "Those with an invitation",
    "closed": "Nobody: closed",
    "change": "Change",
    "invite": "Invitations",
    "invite_help": "Each link is for one respondent. It is shown this once and stored as a hash.",
    "how_many": "How many links",
    "valid_days": "Valid for so many days",
    "make_links": "Make links",
    "links": "New links",
    "answer": "What people put first",
    "analyse": "Work it out now",
    "analyse_help": "As lori fit export.csv --by agent --levels auto does. It takes a while; reload this page.",
    "no_analysis": "Not worked out yet.",
    "analysed": "From {answers} answers.",
    "report": "Everybody together",
    "by_agent": "Each respondent",
    "export": "Export",
    "csv": "Answers as CSV, for lori fit",
    "json": "Everything as JSON",
    "label": "Respondent",
    "order": "Seems to put first",
}
"""By key: words of the administrator's pages."""

TOKEN = "The administrator's token, shown this once: {token}"
ADDRESSES = "Respondents: {address}/   Administrator: {address}/admin"
TLS = "Others can reach this address: put a server with TLS in front of it; docs/interview.md has a configuration."
WROTE = "Wrote {path}. Serve it with: lori elicit {path}"
"""What the command says; by format(), for addresses and names of files are nobody's data."""
