"""Wide files of sets: a star in the column map stands for an alternative. Reference files, and bad input."""

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lori.data.reading.readers import read, read_choices
from lori.data.reading.wide import is_wide, numbers_in

TRIPS = (
    "TRAIN_TT,SM_TT,CAR_TT,TRAIN_HE,SM_HE,TRAIN_AV,SM_AV,CAR_AV,ID,AGE,CHOICE\n"
    "112,63,117,120,20,1,1,1,p1,3,2\n"
    "103,60,,30,10,1,1,0,p1,3,1\n"
    "130,67,110,60,30,1,1,1,p2,5,3\n"
)
MAP = {"time": "*_TT", "available": "*_AV", "choice": "CHOICE", "agent": "ID"}
CODES = {"TRAIN": 1, "SM": 2, "CAR": 3}


def chosen_names(choices) -> list[str]:
    return [choices.names[place] for place in choices.label[choices.chosen]]


def test_a_star_stands_for_an_alternative(write):
    choices = read_choices(write("t.csv", TRIPS), columns=MAP, values=CODES)
    assert choices.names == ("TRAIN", "SM", "CAR")
    assert choices.features == ("time",)
    assert choices.sizes.tolist() == [3, 2, 3]
    assert choices.alternatives.ravel().tolist() == [112, 63, 117, 103, 60, 130, 67, 110]
    assert chosen_names(choices) == ["SM", "TRAIN", "CAR"]
    assert choices.agent.tolist() == ["p1", "p1", "p2"]


def test_numbers_and_single_columns_stand_beside_patterns(write):
    columns = MAP | {"headway": "*_HE", "CAR.headway": 0, "age": "AGE"}
    choices = read_choices(write("t.csv", TRIPS), columns=columns, values=CODES, constants="CAR")
    assert choices.features == ("time", "headway", "age", "TRAIN", "SM")
    assert choices.alternatives[:3].tolist() == [[112, 120, 3, 1, 0], [63, 20, 3, 0, 1], [117, 0, 3, 0, 0]]
    named = MAP | {"SM.headway": "SM_HE", "CAR.headway": "0", "TRAIN.headway": "TRAIN_HE"}
    again = read_choices(write("t.csv", TRIPS), columns=named, values=CODES, features=["headway", "SM"])
    assert again.alternatives[:3].tolist() == [[120, 0], [20, 1], [0, 0]]


def test_names_of_alternatives_as_choices(write):
    path = write("t.csv", "choice,time.bus,time.tram,cost.bus,cost.tram\nBus,1,2,3,4\ntram,5,6,7,8\n")
    choices = read_choices(path, columns={"time": "time.*", "cost": "cost.*"})
    assert choices.alternatives.tolist() == [[1, 3], [2, 4], [5, 7], [6, 8]]
    assert chosen_names(choices) == ["bus", "tram"]
    picked = read_choices(path, columns={"bus.t": "time.bus", "tram.t": "time.tram"}, alternatives=["tram", "bus"])
    assert picked.alternatives.ravel().tolist() == [2, 1, 6, 5]


def test_rankings_and_marks_of_alternatives(write):
    ranked = write("r.csv", "p_a,p_b,p_c,rank_a,rank_b,rank_c\n1,2,3,2,1,3\n4,5,6,,1,\n")
    choices = read_choices(ranked, columns={"price": "p_*", "rank": "rank_*"})
    assert choices.sizes.tolist() == [3, 2, 3]
    assert chosen_names(choices) == ["b", "a", "b"]
    marks = write("m.csv", "p_a,p_b,p_c,y_a,y_b,y_c\n1,2,3,0,1,-1\n4,5,6,1,,\n")
    choices = read_choices(marks, columns={"price": "p_*", "chosen": "y_*"})
    assert chosen_names(choices) == ["b", "c", "a"]
    assert choices.worst.tolist() == [False, True, False]


def test_best_and_worst_by_code(write):
    path = write("b.csv", "p1,p2,p3,B,W\n1,2,3,1,3\n4,5,6,2,1\n")
    choices = read_choices(path, columns={"price": "p*", "best": "B", "worst": "W"})
    assert chosen_names(choices) == ["1", "3", "2", "1"]
    assert choices.occasion.tolist() == [0, 0, 1, 1]


def test_opt_out_by_code(write):
    path = write("o.csv", "p1,p2,choice\n1,2,1\n4,5,0\n")
    choices = read_choices(path, columns={"price": "p*"}, values={"1": 1, "2": 2, "none": 0}, opt_out="none")
    assert choices.names == ("1", "2", "none")
    assert chosen_names(choices) == ["1", "none"]
    assert choices.alternatives[:3].tolist() == [[1, 0], [2, 0], [0, 1]]


def test_choices_to_be_predicted(write):
    path = write("p.csv", "p_a,p_b,av_a,av_b\n1,2,1,1\n3,4,1,1\n")
    choices = read_choices(path, columns={"price": "p_*", "available": "av_*"}, outcome_needed=False)
    assert chosen_names(choices) == ["a", "a"]


def test_what_a_map_speaks_of():
    assert is_wide({"time": "time_*"})
    assert is_wide({"bus.time": "t1"}, ["bus", "tram"])
    assert not is_wide({"left.*": "*1", "choice": "pick"})
    assert not is_wide({"set": "case"}, ["bus"])
    assert numbers_in({"a.x": "0", "b.x": "col", "x": "7"}) == ({"b.x": "col", "x": "7"}, {"a.x": 0.0})


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 5), st.integers(1, 3), st.integers(1, 6), st.integers(0, 10_000))
def test_wide_is_long(tmp_path_factory, width, n_features, sets, seed):
    """The same sets, written both ways, are the same choices."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(sets, width, n_features))
    there = random.random((sets, width)) < 0.7
    there[:, :2] = True
    chosen = np.array([random.choice(np.flatnonzero(own)) for own in there])
    folder = tmp_path_factory.mktemp("wide")
    wide = pandas.DataFrame({f"A{a}_f{f}": x[:, a, f] for a in range(width) for f in range(n_features)})
    for a in range(width):
        wide[f"av{a}A"] = there[:, a].astype(int)
    wide = wide.assign(pick=[f"A{a}" for a in chosen])
    wide.to_csv(folder / "wide.csv", index=False)
    rows = [(i, f"A{a}", int(a == chosen[i]), *x[i, a]) for i in range(sets) for a in range(width) if there[i, a]]
    names = [f"f{f}" for f in range(n_features)]
    pandas.DataFrame(rows, columns=["set", "alternative", "chosen", *names]).to_csv(folder / "long.csv", index=False)
    columns = {name: f"*_{name}" for name in names} | {"choice": "pick"}
    columns |= {f"A{a}.available": f"av{a}A" for a in range(width)}
    order = [f"A{a}" for a in range(width)]
    one = read(folder / "wide.csv", columns=columns, alternatives=order)
    other = read(folder / "long.csv", alternatives=order)
    assert one.to_frame().equals(other.to_frame())
    assert one.names == other.names


# -- the reference files ---------------------------------------------------------------------------------


def test_swissmetro(shared):
    choices = read_choices(
        shared / "choice" / "swissmetro.csv.gz",
        columns={"time": "*_TT", "cost": "*_CO", "available": "*_AV", "choice": "CHOICE", "agent": "ID"},
        values=CODES,
        constants="CAR",
        where={"PURPOSE": [1, 3], "CHOICE": [1, 2, 3]},
    )
    assert len(choices) == 6768
    assert choices.features == ("time", "cost", "TRAIN", "SM")
    assert np.bincount(choices.label[choices.chosen]).tolist() == [908, 4090, 1770]
    assert np.bincount(choices.sizes).tolist() == [0, 0, 1161, 5607]


def test_heating(shared):
    choices = read_choices(
        shared / "choice" / "heating_data.csv.gz",
        columns={"ic": "ic.*", "oc": "oc.*", "choice": "depvar"},
        constants="hp",
    )
    assert choices.sizes.tolist() == [5] * 900
    assert choices.features == ("ic", "oc", "gc", "gr", "ec", "er")
    assert np.bincount(choices.label[choices.chosen]).tolist() == [573, 129, 64, 84, 50]


# -- bad input -------------------------------------------------------------------------------------------

GOOD = "t_a,t_b,choice\n1,2,a\n3,4,b\n"
TIME = {"time": "t_*"}
BAD = {
    "unknown code": ("t_a,t_b,choice\n1,2,a\n3,4,secret\n", TIME, {}, "only a, b, got another word in row 2"),
    "unknown number": ("t_a,t_b,choice\n1,2,1\n3,4,0\n", TIME, {"values": {"a": 1, "b": 2}}, "--where COLUMN=1,2"),
    "empty code": ("t_a,t_b,choice\n1,2,\n3,4,a\n", TIME, {}, "another word in row 1"),
    "not available": (
        "t_a,t_b,v_a,v_b,choice\n1,2,0,1,a\n1,2,1,1,a\n",
        TIME | {"available": "v_*"},
        {},
        "a chosen alternative that was available in every set, got another one in row 1",
    ),
    "one left": (
        "t_a,t_b,v_a,v_b,choice\n1,2,1,0,a\n1,2,1,1,a\n",
        TIME | {"available": "v_*"},
        {},
        "at least two alternatives in every set, got fewer in row 1",
    ),
    "ragged": ("t_a,t_b,choice\n1,2,a\n3,secret,a\n", TIME, {}, "column t_b: expected a finite number in every row"),
    "lacking": ("t_a,t_b,c_a,choice\n1,2,3,a\n", TIME | {"cost": "c_*"}, {}, "a column of cost for each of a, b"),
    "no availability": (
        "t_a,t_b,v_a,choice\n1,2,1,a\n",
        TIME | {"available": "v_*"},
        {},
        "a column b.available",
    ),
    "one alternative": ("t_a,choice\n1,a\n", TIME, {}, "columns of at least two alternatives"),
    "no such columns": (GOOD, {"time": "x_*"}, {}, "a column x_* for time"),
    "no choice": ("t_a,t_b\n1,2\n", TIME, {}, "a column choice"),
    "two outcomes": ("t_a,t_b,choice,best\n1,2,a,b\n", TIME, {}, "one column choice, columns best and worst"),
    "two stars": (GOOD, {"time": "*_*"}, {}, "patterns such as"),
    "feature": (GOOD, TIME, {"features": ["cost"]}, "the features cost in the column map, got the features time"),
    "baseline": (GOOD, TIME, {"constants": "c"}, "the name of one of the 2 alternatives"),
    "rank gap": ("t_a,t_b,r_a,r_b\n1,2,1,3\n", TIME | {"rank": "r_*"}, {}, "got a gap in row 1"),
    "nothing chosen": ("t_a,t_b,y_a,y_b\n1,2,0,0\n", TIME | {"chosen": "y_*"}, {}, "exactly one chosen"),
    "two chosen": ("t_a,t_b,t_c,y_a,y_b,y_c\n1,2,3,1,1,0\n", TIME | {"chosen": "y_*"}, {}, "got several in row 1"),
    "same end": ("t_a,t_b,t_c,best,worst\n1,2,3,a,a\n", TIME, {}, "a worst alternative that was not chosen, too"),
}


@pytest.mark.parametrize(("text", "columns", "options", "part"), BAD.values(), ids=BAD)
def test_bad_wide_files(text, columns, options, part, write, refused):
    assert part in refused(read_choices, write("w.csv", text), columns=columns, secret="secret", **options)
