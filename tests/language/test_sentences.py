"""Is every sentence the one that was read through?"""

import re


def test_every_sentence_is_as_it_was_read(made):
    kept = made.GOLDEN.read_text(encoding="utf-8")
    assert made.text() == kept, "read the changes, then run: python tests/language/sentences.py"


def test_no_sentence_stumbles(made):
    text = made.text()
    for slip in ("  and", " ,", "..", "None", "nan", "{", "}", "1 levels", "e+0", "decides and", " a eighth", "%%"):
        prose = "\n".join(line for line in text.splitlines() if not line.startswith((" ", "Levels", "#", "None of")))
        assert slip not in prose, slip
    assert "59%" not in text


def test_every_note_of_the_catalogue_is_shown(made):
    assert len(made.notes()) == len(made.CATALOGUE)
    for note in made.notes():
        assert str(note).endswith(".")
        assert made.Note.from_dict(note.to_dict()) == note


NUMBER = r"[−-]?\d[\d,]*(?:\.\d+)?"


def test_no_number_has_more_digits_than_its_interval_supports(made):
    """The standard error, about a quarter of the interval, has at most two significant digits at the last decimal."""
    told = re.compile(rf"({NUMBER})[^()\d]*\((?:95 % interval )?({NUMBER}) to ({NUMBER})\)")
    found = told.findall(made.text())
    assert len(found) > 5
    for written in found:
        value, low, high = (float(part.replace(",", "").replace("−", "-")) for part in written)
        last = 10.0 ** -max(len(part.partition(".")[2]) for part in written)
        assert (high - low) / 3.92 < 100 * last, written
        assert (high - low) / 3.92 >= 0.95 * last or value == 0, written
