"""`lori read` shows what is understood of a file, and the command that it prints fits it without a guess."""

import json
import shlex

TEXT = "Person,A_cost,B_cost,A_form,B_form,Picked,Note\n" + "".join(
    f"p{row % 3},{row},{9 - row},{'pill' if row % 2 else 'drops'},drops,{'A' if row < 5 else 'no preference'},x\n"
    for row in range(9)
)


def test_what_is_understood_and_the_command_to_fit_it(run, tmp_path):
    (tmp_path / "survey.csv").write_text(TEXT + "p1,,3,pill,drops,B,x\n")
    code, out, err = run("read", "survey.csv")
    assert (code, err) == (0, "")
    assert "9 choices between two alternatives, 4 ties, 3 people" in out
    assert "Not used: Note" in out
    assert "Form is a category: pill compared with drops." in out
    assert "1 row with an empty cell was left out." in out
    command = shlex.split(out.splitlines()[-1].removeprefix("To fit it: "))
    assert command[:3] == ["lori", "fit", "survey.csv"]
    code, out, _ = run("read", *command[2:], "--json")
    assert code == 0
    content = json.loads(out)
    assert content["guessed"] == []
    assert (content["choices"], content["ties"], content["agents"], content["dropped"]) == (9, 4, 3, 1)


def test_a_gap_can_be_an_error(run, tmp_path):
    (tmp_path / "survey.csv").write_text(TEXT + "p1,,3,pill,drops,B,x\n")
    code, _, err = run("read", "survey.csv", "--missing", "error")
    assert code == 2
    assert "row 10" in err
