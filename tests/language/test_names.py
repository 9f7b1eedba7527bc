"""Do names from data stay harmless, legible and where they belong?"""

import unicodedata

import html5lib

from lori.language.names import END, ISOLATE, clean, html_name, label, short


def test_a_page_shows_the_name_and_runs_nothing(hostile):
    for name in hostile:
        parsed = html5lib.parseFragment(str(html_name(name)), namespaceHTMLElements=False)
        assert [element.tag for element in parsed.iter()][1:] == ["bdi"]
        assert "".join(parsed.itertext()) == short(name)
        if len(clean(name)) > 40:
            assert parsed.find("bdi").get("title") == clean(name)


def test_clean_takes_away_what_turns_or_breaks_text_and_nothing_else(hostile):
    assert clean("turned \u202eoverride") == "turned override"
    assert clean("a\x00b\x1b[31m\ud800\ufffe") == "ab[31m"
    assert clean("line\nbreak") == "line break"
    assert clean("👩‍⚕️") == "👩‍⚕️"  # a joiner holds it together
    assert clean(" \n") == "(no name)"
    assert all(unicodedata.category(char) != "Cc" for name in hostile for char in clean(name))


def test_right_to_left_names_are_isolated():
    assert label("عمر") == f"{ISOLATE}عمر{END}"
    assert label("age") == "age"
