"""Is every sentence the one that was read through?"""


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
