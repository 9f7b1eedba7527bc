"""`lori elicit`: an example that is sound, and faults in plain sentences."""

import pytest

from lori.inference.interview.study_file import read_study


def test_the_example_runs_at_once(run, tmp_path):
    path = tmp_path / "study.toml"
    code, out, _ = run("elicit", "--example", str(path))
    assert code == 0
    assert "lori elicit" in out
    study = read_study(path)
    assert study.features == ("efficacy", "side_effects", "waiting")
    assert (study.questions, study.sure, study.levels) == (20, 0.95, 2)
    assert run("elicit", "--example", str(path))[0] == 2  # nothing is replaced


@pytest.mark.parametrize(
    ("text", "options", "named"),
    [
        (None, (), "STUDY"),
        ("title = 3", (), "title"),
        ('title = "a"', (), "attributes"),
        ("example", ("--port", "0"), "--port"),
        ("example", ("--db", "mysql://x"), "--db"),
    ],
)
def test_faults_are_sentences(run, tmp_path, text, options, named):
    pytest.importorskip("sqlalchemy", reason="the extra web is not installed: pip install 'lori[web]'")
    path = tmp_path / "study.toml"
    if text == "example":
        run("elicit", "--example", str(path))
    elif text is not None:
        path.write_text(text)
    code, _, err = run("elicit", *([str(path)] if text is not None else []), *options)
    assert code == 2
    assert named in err
    assert "Traceback" not in err
