"""Do names from data stay harmless, legible and where they belong?"""

import unicodedata

import html5lib
import pytest

from lori.language.names import END, ISOLATE, clean, html_name, html_text, label, markdown_text, plain_text, short


def text_of(fragment) -> str:
    return "".join(html5lib.parseFragment(str(fragment)).itertext())


def test_a_page_shows_the_name_and_runs_nothing(hostile):
    for name in hostile:
        parsed = html5lib.parseFragment(str(html_name(name)), namespaceHTMLElements=False)
        assert [element.tag for element in parsed.iter()][1:] == ["bdi"]
        assert text_of(html_name(name)) == short(name)
        if len(clean(name)) > 40:
            assert parsed.find("bdi").get("title") == clean(name)


def test_clean_takes_away_what_turns_or_breaks_text_and_nothing_else(hostile):
    assert clean("turned \u202eoverride") == "turned override"
    assert clean("a\x00b\x1b[31m\ud800\ufffe") == "ab[31m"
    assert clean("line\nbreak") == "line break"
    assert clean("👩‍⚕️") == "👩‍⚕️"  # a joiner holds it together
    assert clean(" \n") == "(no name)"
    assert all(unicodedata.category(char) != "Cc" for name in hostile for char in clean(name))


def test_sentences_mention_names_whole_or_capitalised():
    sentence = "Age comes first; average pages and age<b> count."
    assert str(html_text(sentence, ["age", "age<b>"])) == (
        "<bdi>Age</bdi> comes first; average pages and <bdi>age&lt;b&gt;</bdi> count."
    )
    assert text_of(html_text("A & B < C", [])) == "A & B < C"


def test_long_names_are_shortened_in_sentences():
    long = "x" * 300
    said = plain_text(f"{long.capitalize()} comes first.", [long])
    assert len(said) < 80
    assert "…" in said


def test_right_to_left_names_are_isolated():
    assert label("عمر") == f"{ISOLATE}عمر{END}"
    assert label("age") == "age"
    assert plain_text("Between عمر and 5", ["عمر"]) == f"Between {ISOLATE}عمر{END} and 5"


@pytest.mark.parametrize("name", ["a|b", "*bold*", "<img src=x>", "[link](http://x)", "`code`", "a_b_"])
def test_markdown_shows_the_name_as_it_is(name):
    from markdown_it import MarkdownIt

    shown = MarkdownIt().enable("table").render(markdown_text(f"First {name} counts.", [name]))
    parsed = html5lib.parseFragment(shown, namespaceHTMLElements=False)
    assert [element.tag for element in parsed.iter()][1:] == ["p"]
    assert "".join(parsed.itertext()).strip() == f"First {name} counts."
