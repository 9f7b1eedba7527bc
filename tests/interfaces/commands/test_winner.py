"""`lori winner`: from a table of preferences, or alternatives and a model, to a mixture."""

import json

import numpy as np

import lori
from lori.model.ordered import OrderedModel


def test_a_table_of_preferences(run, tmp_path):
    file = tmp_path / "preferences.csv"
    file.write_text("name,a,b,c\na,0.5,0.9,0.2\nb,0.1,0.5,0.8\nc,0.8,0.2,0.5\n")
    _, out, _ = run("winner", str(file))
    assert out.splitlines()[1:] == ["c: 40 %", "a: 30 %", "b: 30 %"]


def test_alternatives_and_a_model(run, tmp_path):
    lori.save_ordered_model(
        OrderedModel.linear(np.eye(2), epsilon=[1.0, 1.0], features=["x", "y"]), tmp_path / "model.json"
    )
    (tmp_path / "items.csv").write_text("name,x,y\na,-0.6,2\nb,0,0\nc,0.6,-2\n")
    found = json.loads(run("winner", str(tmp_path / "items.csv"), str(tmp_path / "model.json"), "--json")[1])
    np.testing.assert_allclose(found["weights"], [0.254, 0.493, 0.254], atol=1e-3)
    (tmp_path / "other.csv").write_text("name,x\na,1\nb,2\n")
    code, _, err = run("winner", str(tmp_path / "other.csv"), str(tmp_path / "model.json"))
    assert code == 2
    assert "none for y" in err
