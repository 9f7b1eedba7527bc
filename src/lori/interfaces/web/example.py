"""Example: a study that runs at once, about two medicines."""

from __future__ import annotations

from pathlib import Path

from lori.data.writing import writing
from lori.errors import InputError
from lori.language.interview import WROTE

EXAMPLE = '''# A study for `lori elicit study.toml`. Everything but title and attributes may be left out.
title = "Two medicines"
language = "en"
explanation = """
Imagine that you have a long-lasting illness. Two medicines are offered to you. They differ in how many patients they \\
help, in their side effects and in how long you wait for the treatment.

Please say each time which one you would take. There are no right or wrong answers, and it takes about five minutes."""
consent = "I take part of my own free will. My answers may be used for research, without my name."
thanks = "Your answers are saved. You may close this page."
show_result = true     # respondents see what they seem to put first
ask_name = false
ties = true            # "No difference" may be answered
questions = 20         # at most
sure = 0.95            # it ends earlier when an order is surely more probable than this
repeats = 0.1          # a tenth of the questions comes again, to see how consistent answers are
levels = 2             # priorities that are looked for
population = false     # true: earlier respondents say beforehand how likely each order is

[[attributes]]
name = "efficacy"
label = "Patients who get better"
unit = "of 100"
range = [40, 90]
step = 5
better = "more"

[[attributes]]
name = "side_effects"
label = "Side effects"
values = ["none", "mild", "moderate", "strong"]
better = "less"        # the earlier in the list, the better

[[attributes]]
name = "waiting"
label = "Waiting time"
unit = "weeks"
range = [0, 24]
step = 2
better = "less"

[[forbidden]]          # a combination that is never shown
efficacy = 90
side_effects = "none"

# [prior]              # what is believed beforehand; see docs/interview.md
# strength = 5.0
# [texts]              # every word of the pages can be replaced
# begin = "Los geht's"
'''


def write_example(path: Path) -> str:
    """Write it, unless there is something already; the sentence says how to go on."""
    if path.exists():
        raise InputError(str(path), expected="a new file", got="one that is there", fix="choose another name")
    with writing(path) as temporary:
        temporary.write_text(EXAMPLE, encoding="utf-8")
    return WROTE.format(path=path)
