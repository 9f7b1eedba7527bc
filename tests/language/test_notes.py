"""Notes are told each in a sentence, and many of one kind in one."""

from lori.language.notes import Note, note_sentences


def test_many_notes_of_one_kind_become_one_with_a_count():
    notes = [Note("constant", {"feature": f"x{place}"}) for place in range(1000)]
    (said,) = note_sentences(notes)
    assert said.startswith("x0 is the same on both sides")
    assert said.endswith("The same is true of 999 others.")
    assert note_sentences(notes[:3]) == [note.sentence for note in notes[:3]]
    assert len(note_sentences([*notes, Note("not converged")])) == 2


def test_many_names_in_one_note_are_counted():
    said = str(Note("collinear", {"features": tuple(f"x{place}" for place in range(1000))}))
    assert "x18, x19 and 980 others move together" in said
