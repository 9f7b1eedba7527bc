"""Long files of sets: choices, rankings, both ends, opt-out and ties, the reference files, and bad input."""

import numpy as np
import pandas
import pytest

from lori.data.reading.readers import read, read_choices

NAN = np.nan


def chosen_names(choices) -> list[str]:
    return [choices.names[place] for place in choices.label[choices.chosen]]


# -- reading ---------------------------------------------------------------------------------------------


def test_a_set_has_the_agent_of_the_chosen_row(write):
    path = write("c.csv", "set,chosen,x,agent,weight\n1,yes,5,A,2\n1,no,6,B,3\n2,False,1,C,1\n2,TRUE,2,D,0.5\n")
    choices = read_choices(path)
    assert choices.features == ("x",)
    assert choices.differences.tolist() == [[-1], [1]]
    assert choices.agent.tolist() == ["A", "D"]
    assert choices.weight.tolist() == [2, 0.5]
    assert choices.names == ("1", "2")


def test_rows_of_a_set_need_not_stand_together(write):
    path = write("c.csv", "set,chosen,x,count\nq,0,1,3\np,1,2,1\nq,1,3,3\np,0,4,1\nq,0,5,3\n")
    choices = read_choices(path)
    assert choices.sizes.tolist() == [3, 2]
    assert choices.alternatives.ravel().tolist() == [1, 3, 5, 2, 4]
    assert choices.times.tolist() == [3, 1]


def test_a_mapped_column_gives_up_its_own_name(write):
    path = write("c.csv", "set,chosen,weight\n1,1,70\n1,0,80\n")
    choices = read_choices(path, columns={"kilograms": "weight"})
    assert choices.features == ("kilograms",)
    assert choices.weight is None


MODES = "set,alternative,chosen,time\n1,bus,0,20\n1,car,1,10\n2,car,0,15\n2,bus,1,15\n2,Tram,0,9\n"


def test_names_and_constants(write):
    path = write("c.csv", MODES)
    assert read_choices(path).names == ("bus", "car", "Tram")
    assert read_choices(path, constants=True).features == ("time", "bus", "car")
    assert read_choices(path, constants="bus").features == ("time", "car", "Tram")
    assert read_choices(path, constants=["Tram"]).features == ("time", "Tram")
    asked = read_choices(path, features=["car", "time"])  # a name of an alternative is its constant
    assert asked.alternatives[:, 0].tolist() == [0, 1, 1, 0, 0]
    ordered = read_choices(path, alternatives=["Tram", "car", "bus", "walk"], constants=True)
    assert ordered.features == ("time", "Tram", "car", "bus")
    assert read_choices(path, features=["bus"]).features == ("bus",)
    only = write("d.csv", "set,alternative,chosen\n1,bus,1\n1,car,0\n")
    assert read_choices(only, constants=True).features == ("bus",)


def test_columns_with_a_role_can_be_features_and_names_of_roles_constants(write):
    path = write("c.csv", "set,alternative,chosen,x,count\n1,weight,1,5,2\n1,set,0,6,2\n")
    choices = read_choices(path, features=["count", "weight", "x"])
    assert choices.alternatives.tolist() == [[2, 1, 5], [2, 0, 6]]
    assert choices.times.tolist() == [2]
    assert read_choices(path, constants=True).features == ("x", "weight")


def test_codes_of_alternatives(write):
    path = write("c.csv", "set,alternative,chosen,x\n1,1.0,1,5\n1,2.0,0,6\n2,2,1,3\n2,1,0,3\n")
    choices = read_choices(path, values={"air": 1, "bus": 2})
    assert choices.names == ("air", "bus")
    assert chosen_names(choices) == ["air", "bus"]


def test_what_was_not_available_is_left_out(write):
    choices = read_choices(write("c.csv", "set,chosen,available,x\n1,0,0,\n1,1,1,5\n1,0,1,6\n"))
    assert choices.alternatives.ravel().tolist() == [5, 6]


def test_rankings(write):
    path = write("c.csv", "set,rank,x,agent\n1,2,5,A\n1,1,6,A\n1,3,7,A\n2,,1,B\n2,1,2,B\n2,,3,B\n")
    choices = read_choices(path)
    assert choices.sizes.tolist() == [3, 2, 3]
    assert choices.occasion.tolist() == [0, 0, 1]
    assert choices.alternatives[choices.chosen].ravel().tolist() == [6, 5, 2]
    assert choices.agent.tolist() == ["A", "A", "B"]


def test_best_and_worst(write):
    path = write("c.csv", "set,best,worst,x\n1,0,1,5\n1,1,0,6\n1,0,0,7\n")
    signs = write("d.csv", "set,chosen,x\n1,-1,5\n1,1,6\n1,0,7\n")
    for choices in (read_choices(path), read_choices(signs)):
        assert choices.sizes.tolist() == [3, 2]
        assert choices.worst.tolist() == [False, True]
        assert choices.alternatives[choices.chosen].ravel().tolist() == [6, 5]
    only = read_choices(write("e.csv", "set,worst,x\n1,1,5\n1,0,6\n1,0,7\n"))
    assert (only.sizes.tolist(), only.worst.tolist()) == ([3], [True])


def test_opt_out(write):
    path = write("c.csv", "set,alternative,chosen,price\n1,tea,0,2\n1,milk,0,1\n2,tea,1,1\n2,milk,0,2\n")
    choices = read_choices(path, opt_out="none")
    assert choices.features == ("price", "none")
    assert choices.names == ("tea", "milk", "none")
    assert chosen_names(choices) == ["none", "tea"]
    assert choices.alternatives[2].tolist() == [0, 1]
    assert read_choices(path, opt_out="none", constants=True).features == ("price", "tea", "none")
    assert read_choices(path, opt_out="none", constants="none").features == ("price", "tea", "milk")
    row = write("d.csv", "set,alternative,chosen,price\n1,tea,0,2\n1,none,1,\n2,tea,1,1\n2,none,0,\n")
    named = read_choices(row, opt_out="none")
    assert named.alternatives.tolist() == [[2, 0], [0, 1], [1, 0], [0, 1]]
    assert chosen_names(named) == ["none", "tea"]
    ranked = write("e.csv", "set,alternative,rank,price\n1,tea,1,2\n1,none,2,\n1,milk,,1\n")
    assert chosen_names(read_choices(ranked, opt_out="none")) == ["tea", "none"]


def test_ties(write):
    path = write("c.csv", "set,chosen,x\n1,1,5\n1,0,6\n1,1,7\n2,1,1\n2,0,2\n")
    choices = read_choices(path, ties="observed")
    assert choices.tied.tolist() == [True, False]
    ranked = read_choices(write("d.csv", "set,rank,x\n1,1,5\n1,3,6\n1,1,7\n1,,8\n"), ties="observed")
    assert (ranked.sizes.tolist(), ranked.tied.tolist()) == ([4, 2], [True, False])


def test_choices_to_be_predicted_need_no_outcome(write):
    path = write("c.csv", "set,available,x\n1,0,5\n2,1,1\n1,1,6\n2,1,2\n1,1,7\n")
    choices = read_choices(path, outcome_needed=False)
    assert choices.alternatives[choices.chosen].ravel().tolist() == [6, 1]


# -- the reference files ---------------------------------------------------------------------------------


def test_mode_canada(shared, refused):
    path, columns = shared / "choice" / "ModeCanada.csv.gz", {"set": "case", "chosen": "choice", "alternative": "alt"}
    choices = read_choices(path, columns=columns, features=["cost", "ivt", "ovt", "freq"], constants="car")
    rows = pandas.read_csv(path)
    assert len(choices.alternatives) == len(rows)
    assert len(choices) == rows["case"].nunique() == 4324
    assert choices.features == ("cost", "ivt", "ovt", "freq", "train", "bus", "air")
    assert np.bincount(choices.sizes).tolist()[2:] == (rows.groupby("case").size().value_counts().sort_index().tolist())
    message = refused(read_choices, path, columns={"set": "case", "chosen": "choice"}, secret="train")
    assert "column alt" in message
    assert "--features a,b" in message


def test_yogurt(shared):
    columns = {"set": "obsID", "chosen": "choice", "agent": "id", "alternative": "brand"}
    choices = read_choices(
        shared / "choice" / "yogurt.csv.gz", columns=columns, features=["price", "feat"], constants=True
    )
    assert (len(choices), len(choices.by_agent())) == (2412, 100)
    assert choices.names == ("dannon", "hiland", "weight", "yoplait")
    assert choices.agent[0] == "1"


def test_mode_choice(shared):
    choices = read_choices(
        shared / "choice" / "modechoice.csv",
        columns={"set": "individual", "chosen": "choice", "alternative": "mode"},
        values={"air": 1, "train": 2, "bus": 3, "car": 4},
        features=["ttme", "invc", "invt"],
        constants="car",
    )
    assert choices.sizes.tolist() == [4] * 210
    assert np.bincount(choices.label[choices.chosen]).tolist() == [58, 63, 30, 59]


def test_words_that_describe_a_set_are_no_feature(write, refused):
    text = "set,chosen,x,brand,shop\n1,1,2,A,Mrs Smith\n1,0,3,B,Mrs Smith\n2,0,4,A,Mr Jones\n2,1,5,B,Mr Jones\n"
    path = write("c.csv", text)
    choices = read(path)
    assert choices.features == ("x", "brand: B")
    assert choices.reading.categories == {"brand": ("A", "B")}  # and nobody's name is shown
    assert "differs between the alternatives" in refused(read, path, features=["x", "shop"], secret="Smith")
    assert "chosen" in refused(read, path, columns={"chosen": "picked"})  # which the file has not


def test_records_are_no_words(tmp_path, refused):
    table = pandas.DataFrame({"set": [1, 1], "chosen": [1, 0], "cost": [{"paid": "1"}, {"paid": "2"}]})
    table.to_parquet(tmp_path / "records.parquet")
    said = refused(read, tmp_path / "records.parquet", outcome_needed=False, secret="paid")
    assert "column cost: expected one number or text in every row, got lists, records or bytes" in said


# -- bad input -------------------------------------------------------------------------------------------

BAD = {
    "nothing chosen": (
        "set,chosen,x\n1,1,2\n1,0,3\nsecret,0,4\nsecret,0,5\n",
        "exactly one chosen alternative in every set, got none in 1 set, the first from row 3 below the header; ",
    ),
    "two chosen": (
        "set,chosen,x\n1,1,2\n1,1,3\n1,0,3\n",
        "exactly one chosen alternative in every set, got several in 1 set, the first from row 1",
    ),
    "single row": (
        "set,chosen,x\n1,1,2\n1,0,3\nsecret,1,4\n",
        "at least two alternatives in every set, got fewer in 1 set, the first from row 3",
    ),
    "nothing available": ("set,chosen,available,x\n1,1,1,2\n1,0,1,3\n2,0,0,2\n2,0,0,3\n", "at least two alternatives"),
    "not available": ("set,chosen,available,x\n1,1,0,2\n1,0,1,3\n1,0,1,3\n", "chosen alternative that was available"),
    "ragged": ("set,chosen,available,x\n1,1,1,2\n1,0,1,\n1,0,0,\n", "empty cells in row 2 below the header"),
    "unknown word": (
        "set,chosen,x\n1,maybe,2\n1,0,3\n",
        "only 1 or 0, true or false, yes or no, -1 for the worst, got another word in row 1",
    ),
    "text feature": ("set,chosen,x,name\n1,1,2,secret\n1,0,3,secret\n", "--features a,b"),
    "no features": ("set,chosen\n1,1\n1,0\n", "at least one feature column"),
    "no set": ("chosen,x\n1,2\n0,3\n", "a column set"),
    "no outcome": ("set,x\n1,2\n1,3\n", "a column chosen"),
    "two outcomes": ("set,chosen,rank,x\n1,1,1,2\n1,0,2,3\n", "one of the columns chosen, rank, or best and worst"),
    "empty set label": ("set,chosen,x\n1,1,2\n,0,3\n", "column set: expected a label"),
    "repeated": ("set,alternative,chosen,x\n1,secret,1,2\n1,secret,0,3\n", "column alternative: expected every"),
    "rank gap": ("set,rank,x\n1,1,2\n1,3,3\n1,,4\n", "ranks 1, 2, 3 and so on in every set, got a gap in 1 set"),
    "repeated rank": ("set,rank,x\n1,1,2\n1,1,3\n1,2,4\n", "every rank once in every set, got a repeated rank"),
    "rank zero": ("set,rank,x\n1,0,2\n1,1,3\n1,2,4\n", "whole ranks from 1"),
    "rank text": ("set,rank,x\n1,secret,2\n1,1,3\n1,2,4\n", "whole ranks from 1"),
    "no ranks": ("set,rank,x\n1,,2\n1,,3\n", "at least one rank"),
    "best is worst": ("set,best,worst,x\n1,1,1,2\n1,0,0,3\n1,0,0,3\n", "a worst alternative that was not chosen, too"),
    "two worst": ("set,best,worst,x\n1,1,0,2\n1,0,1,3\n1,0,1,3\n", "at most one worst"),
    "two best": ("set,best,worst,x\n1,1,0,2\n1,1,0,3\n1,0,1,3\n", "exactly one chosen alternative"),
    "count": ("set,chosen,x,count\n1,1,2,0.5\n1,0,3,1\n", "column count: expected whole numbers"),
    "weight": ("set,chosen,x,weight\n1,1,2,-1\n1,0,3,1\n", "column weight: expected finite numbers"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "part"), BAD.values(), ids=BAD)
def test_bad_sets(text, part, write, refused):
    path = write("c.csv", text)
    message = refused(read_choices, path, secret="secret")
    assert part in message
    assert message.startswith(path)


OPTIONS = {
    "baseline": ({"constants": "ship"}, "baseline: expected the name of one of the 3 alternatives"),
    "constants": ({"constants": ["ship"]}, "constants: expected names of alternatives"),
    "code": ({"values": {"bus": 1, "car": "car"}}, "alternative: expected only 1, car, got 2 other words in rows"),
    "name": ({"alternatives": ["bus", "car"]}, "expected only bus, car, got another word in row 5"),
    "codes of others": ({"alternatives": ["bus", "car"], "values": {"ship": 1}}, "alternatives, got codes of ship"),
    "same code": ({"values": {"bus": 1, "car": 1, "tram": 2}}, "a word of its own for every alternative"),
    "same name": ({"alternatives": ["bus", "bus"]}, "2 different, non-empty names"),
    "ties": ({"ties": "split"}, "error or observed"),
    "feature": ({"features": ["speed"]}, "a column speed"),
    "constant and feature": ({"columns": {"car": "time"}, "constants": True}, "alternatives that no feature has"),
}  # fmt: skip


@pytest.mark.parametrize(("options", "part"), OPTIONS.values(), ids=OPTIONS)
def test_bad_options(options, part, write, refused):
    assert part in refused(read_choices, write("c.csv", MODES), secret="Tram", **options)


def test_an_opt_out_has_its_rank(write, refused):
    path = write("c.csv", "set,rank,x\n1,1,2\n1,2,3\n")
    assert "a row for the opt-out, with its rank" in refused(read_choices, path, opt_out="none")


def test_too_many_constants(write, refused):
    rows = "".join(f"{place // 2},p{place},{place % 2},{place}\n" for place in range(500))
    path = write("c.csv", f"set,alternative,chosen,x\n{rows}")
    assert len(read_choices(path).names) == 500
    assert "at most 200 of them, got 499" in refused(read_choices, path, constants=True, secret="p1")
