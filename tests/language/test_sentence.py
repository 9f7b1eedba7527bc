"""Does a sentence keep names apart from words, in every form?"""

import copy
import json
import pickle

import html5lib
import pytest

from lori.language.names import END, ISOLATE
from lori.language.sentence import Name, Sentence, Share, clause, joined, listed, paragraph
from lori.model.quantity import Quantity


def text_of(fragment) -> str:
    return "".join(html5lib.parseFragment(str(fragment)).itertext())


def test_names_that_are_words_do_no_harm():
    """A feature may be called as a word of ours: only the slot is a name."""
    said = Sentence.of("{first} is a level, and {second} is one, too.", first=Name("a"), second=Name("level"))
    assert said == "a is a level, and level is one, too."
    assert said.html() == "<bdi>a</bdi> is a level, and <bdi>level</bdi> is one, too."


def test_slots_are_names_numbers_shares_and_sentences():
    inner = clause("differences of {least} or more", least=Quantity.of(62.5649, 6.99))
    said = Sentence.of(
        "{name} {share} {count} {number}: {inner}.", name=Name("need"), share=Share(0.594), count=1200, number=0.25,
        inner=inner,
    )  # fmt: skip
    assert said == "Need 59 % 1,200 0.25: differences of 62.6 (48.9 to 76.3) or more."
    assert isinstance(said, str)
    assert json.dumps([said]) == json.dumps([str(said)])


@pytest.mark.parametrize(
    ("name", "shown"), [("need", "Need"), ("x2", "x2"), ("pH", "pH"), ("a", "a"), ("old age", "Old age")]
)
def test_only_ordinary_words_get_a_capital(name, shown):
    assert Sentence.of("{name} counts.", name=Name(name)) == f"{shown} counts."


def test_hostile_names_in_a_page():
    said = Sentence.of("{name} & co.", name=Name("<b>x</b>"))
    assert said.html() == "<bdi>&lt;b&gt;x&lt;/b&gt;</bdi> &amp; co."
    assert text_of(said.html()) == said


def test_long_names_are_shortened_and_right_to_left_ones_isolated():
    long = Sentence.of("{name} comes first.", name=Name("x" * 300))
    assert len(long) < 80
    assert "…" in long
    assert Sentence.of("Between {name} and 5", name=Name("عمر")) == f"Between {ISOLATE}عمر{END} and 5"
    assert "\u202e" not in Sentence.of("{name}", name=Name("turned \u202eoverride"))


@pytest.mark.parametrize("name", ["a|b", "*bold*", "<img src=x>", "[link](http://x)", "`code`", "a_b_"])
def test_markdown_shows_the_name_as_it_is(name):
    from markdown_it import MarkdownIt

    shown = MarkdownIt().enable("table").render(Sentence.of("First {name} counts.", name=Name(name)).markdown())
    parsed = html5lib.parseFragment(shown, namespaceHTMLElements=False)
    assert [element.tag for element in parsed.iter()][1:] == ["p"]
    assert "".join(parsed.itertext()).strip() == f"First {name} counts."


def test_enumerations_and_paragraphs():
    assert listed(["need"]) == "need"
    assert listed(["need", "benefit", "age"]) == "need, benefit and age"
    assert joined([], last=" and ") == ""
    both = paragraph([Sentence.of("{name} counts.", name=Name("need")), "", "So it does."])
    assert both == "Need counts. So it does."
    assert both.html().startswith("<bdi>Need</bdi>")


def test_copies_keep_the_parts():
    said = Sentence.of("{name} counts.", name=Name("need"))
    for again in (copy.deepcopy(said), pickle.loads(pickle.dumps(said))):
        assert again == said
        assert again.parts == said.parts
