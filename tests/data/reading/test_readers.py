"""Readers: column maps, choice words, the reference files, and every kind of bad input."""

import numpy as np
import pandas
import pytest

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.data.reading.readers import read, read_choices, read_comparisons, read_pairs, read_trajectories

PAIRS = "left.price,right.price,choice\n1,2,left\n3,4,right\n"
ITEMS = "id,price\na,1\nb,2\nc,3\n"
STEPS = "trajectory,step,dose\nt,0,1\nt,1,2\nu,0,5\n"


# -- reading ---------------------------------------------------------------------------------------------


def test_pairs_with_counts_and_optional_ties(write):
    prefs = read_pairs(write("p.csv", "left.a,right.a,left_wins,right_wins,comment\n1,2,3,0,x\n2,1,0,4,y\n"))
    assert (prefs.wins.tolist(), prefs.losses.tolist(), prefs.ties.tolist()) == ([3, 0], [0, 4], [0, 0])


def test_pairs_with_mapped_columns_and_words(write):
    path = write("p.csv", "p1;p2;t1;t2;who;pick\n1;2;5;6;Ann;A\n3;4;7;8;Bob;none\n")
    prefs = read_pairs(
        path,
        columns={
            "left.price": "p1", "right.price": "p2", "left.t": "t1", "right.t": "t2",
            "choice": "pick", "agent": "who",
        },
        values={"left": "a", "right": "b", "tie": "None"},
        features=["t", "price"],
    )  # fmt: skip
    assert prefs.features == ("t", "price")
    assert prefs.left_features.tolist() == [[5, 1], [7, 3]]
    assert (prefs.wins.tolist(), prefs.ties.tolist()) == ([1, 0], [0, 1])
    assert prefs.agent.tolist() == ["Ann", "Bob"]


def test_patterns_take_only_what_both_sides_have(write):
    path = write("p.csv", "price1,time1,note1,price2,time2,choice,1\n1,2,9,3,4,left,0\n")
    prefs = read_pairs(path, columns={"left.*": "*1", "right.*": "*2"})
    assert prefs.features == ("price", "time")
    prefixed = write("q.csv", "A_x,B_x,choice\n1,2,right\n")
    assert read_pairs(prefixed, columns={"left.*": "A_*", "right.*": "B_*"}).losses.tolist() == [1]


def test_numeric_choice_words(write, tmp_path):
    values = {"left": 1, "right": "2"}
    path = write("p.csv", "left.a,right.a,choice\n1,2,1\n2,1,2\n")
    assert read_pairs(path, values=values).wins.tolist() == [1, 0]
    pandas.DataFrame({"left.a": [1, 2], "right.a": [2, 1], "choice": [1.0, 2.0]}).to_parquet(tmp_path / "p.pq")
    assert read_pairs(tmp_path / "p.pq", values=values).wins.tolist() == [1, 0]


def test_identical_alternatives(write, refused):
    path = write("p.csv", "left.a,right.a,choice\n1,2,left\n7.25,7.25,right\n")
    message = refused(read_pairs, path, secret="7.25")
    assert "row 2" in message
    assert "--identical keep" in message
    assert len(read_pairs(path, identical="keep")) == 2
    assert len(read_pairs(path, identical="drop")) == 1
    assert "error, keep or drop" in refused(read_pairs, path, identical="skip")
    only = write("q.csv", "left.a,right.a,choice\n1,1,left\n")
    assert "equal features" in refused(read_pairs, only, identical="drop")


def test_comparisons_with_left_and_right(write):
    items = write("i.csv", ITEMS)
    chosen = write("c.csv", "left,right,choice,count\na,b,left,2\nc,a,tie,1\n")
    prefs = read_comparisons(items, chosen)
    assert (prefs.wins.tolist(), prefs.ties.tolist()) == ([2, 0], [0, 1])
    counted = write("d.csv", "left,right,left_wins,right_wins,ties\na,b,2,3,1\n")
    assert read_comparisons(items, counted).n_comparisons == 6


def test_columns_of_two_files_in_one_map(write):
    items = write("i.csv", "item,PRICE,colour\na,1,red\nb,2,blue\n")
    compared = write("c.csv", "w,l\na,b\n")
    columns = {"id": "item", "price": "PRICE", "winner": "w", "loser": "l"}
    prefs = read_comparisons(items, compared, columns=columns, features=["price"])
    assert prefs.features == ("price",)
    assert prefs.differences.tolist() == [[-1]]


SETS = "set,chosen,price\n1,1,5\n1,0,6\n1,0,7\n2,0,1\n2,1,2\n"


def test_a_file_of_choices_is_read_as_what_it_is(write):
    path = write("c.csv", SETS)
    assert isinstance(read(path), Choices)
    pairs = read(path, as_pairs=True)
    assert isinstance(pairs, Preferences)
    assert pairs.differences.tolist() == [[-1], [-2], [1]]
    wide = write("w.csv", "p_bus,p_tram,choice\n1,2,bus\n3,2,tram\n")
    assert read(wide, columns={"price": "p_*"}).names == ("bus", "tram")
    assert read(wide, columns={"price": "p_*"}, as_pairs=True).differences.tolist() == [[-1], [-1]]


def test_a_table_in_memory_is_read_as_a_file(write, refused):
    frame = pandas.read_csv(write("c.csv", SETS)).set_index("price", drop=False)
    assert read_choices(frame).to_frame().equals(read_choices(write("c.csv", SETS)).to_frame())
    assert "the name of a file, or a pandas table" in refused(read_choices, 3)
    assert "at least one row" in refused(read_choices, frame.head(0))


def test_where_keeps_rows(write, refused):
    path = write("p.csv", "left.price,right.price,choice,purpose,note\n1,2,left,1,a\n3,x,right,9,a\n3,4,right,3.0, B\n")
    assert read(path, where={"purpose": [1, 3]}).left_features.tolist() == [[1], [3]]
    assert len(read(path, where={"purpose": [1, 3], "note": "b"})) == 1
    message = refused(read, path, where={"purpose": [9]}, secret="x\n")
    assert message.startswith(f"{path}, column right.price: ")
    assert "text or infinity in row 2 below the header" in message  # as the file counts them
    assert "got none" in refused(read, path, where={"purpose": 7})
    assert "a column aim, as where" in refused(read, path, where={"aim": 7})
    assert "names and values" in refused(read, path, where="purpose=1")


# -- the reference files ---------------------------------------------------------------------------------


def test_train_data(shared):
    prefs = read_pairs(
        shared / "choice" / "train_data.csv.gz",
        columns={"left.*": "*1", "right.*": "*2", "agent": "id"},
        values={"left": "choice1", "right": "choice2"},
    )
    assert (len(prefs), len(prefs.by_agent())) == (2929, 235)
    assert prefs.features == ("price", "time", "change", "comfort")


# -- bad input -------------------------------------------------------------------------------------------

BAD_PAIRS = {
    "no outcome": ("left.a,right.a\n1,2\n", "a column choice (left, right or tie) or the counts"),
    "only ties": ("left.a,right.a,ties\n1,2,1\n", "a column choice (left, right or tie) or the counts"),
    "half the counts": ("left.a,right.a,left_wins\n1,2,1\n", "a column right_wins"),
    "choice and counts": ("left.a,right.a,choice,left_wins\n1,2,left,1\n", "not both"),
    "one side": ("left.a,right.a,left.b,choice\n1,2,3,left\n", "a column right.b"),
    "other side": ("left.a,right.a,right.b,choice\n1,2,3,left\n", "a column left.b"),
    "no features": ("a,b,choice\n1,2,left\n", "columns left.F and right.F"),
    "text": ("left.a,right.a,choice\n1,2,left\nsecret,3,left\n", "column left.a: expected a finite number"),
    "NaN": ("left.a,right.a,choice\n1,2,left\n1,nan,left\n", "empty cells in row 2"),
    "empty cell": (
        "left.a,right.a,choice\n,2,left\n1,2,left\n",
        "empty cells in row 1 below the header; fill them in, or leave such rows out",
    ),
    "infinity": ("left.a,right.a,choice\n1,inf,left\n1,2,left\n", "column right.a"),
    "short row": ("left.a,choice,right.a\n1,left,3\n1,left\n", "column right.a"),
    "unknown word": ("left.a,right.a,choice\n1,2,left\n1,2,lfet\n", "another word in row 2"),
    "empty word": ("left.a,right.a,choice\n1,2,left\n1,2,\n", "another word in row 2"),
    "no number words": (
        "left.a,right.a,choice\n1,2,1\n1,2,0\n",
        "only left, right, tie, got 2 other words in rows 1, 2",
    ),
    "negative": ("left.a,right.a,left_wins,right_wins\n1,2,-1,2\n", "column left_wins: expected whole"),
    "fraction": ("left.a,right.a,left_wins,right_wins\n1,2,1,0\n1,2,1,0.5\n", "column right_wins"),
    "count of text": ("left.a,right.a,left_wins,right_wins\n1,2,secret,2\n", "whole numbers from 0"),
    "nothing compared": ("left.a,right.a,left_wins,right_wins\n1,2,0,0\n", "at least one comparison"),
    "weight": ("left.a,right.a,choice,weight\n1,2,left,-3\n", "column weight: expected finite numbers"),
    "agent": ("left.a,right.a,choice,agent\n1,2,left,A\n2,3,left,\n", "column agent: expected a label"),
}


@pytest.mark.parametrize(("text", "part"), BAD_PAIRS.values(), ids=BAD_PAIRS)
def test_bad_pairs(text, part, write, refused):
    path = write("p.csv", text)
    assert part in refused(read_pairs, path, secret="secret")


def test_messages_name_the_file_as_given_and_its_own_columns(write, refused):
    path = write("p.csv", "price1,price2,choice\n1,2,left\nx,2,left\n")
    message = refused(read_pairs, path, columns={"left.price": "price1", "right.price": "price2"})
    assert message.startswith(f"{path}, column price1: ")


def test_unknown_words_are_counted_and_not_shown(write, refused):
    path = write("p.csv", "left.a,right.a,choice\n1,2,left\n1,2,Mrs Smith\n1,2,Mr Jones\n1,2,Mrs Smith\n")
    message = refused(read_pairs, path, secret="Mr")
    assert "only left, right, tie, got 2 other words in rows 2, 3, 4" in message


def test_long_lists_of_columns_are_cut(write, refused):
    header = ",".join(f"c{i}" for i in range(15))
    message = refused(read_pairs, write("p.csv", header + "\n" + ",".join("1" * 15) + "\n"))
    assert "c11 and 3 more" in message


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"columns": {"left.a": "nowhere"}}, "a column nowhere for left.a"),
        ({"columns": {"agent": "nobody"}}, "a column nobody for agent"),
        ({"columns": {"left.*": "*_A"}}, "a column *_A for left.*"),
        ({"columns": {"left.*": "price"}}, "one star on each side"),
        ({"columns": {"*": "*1"}}, "left.F, right.F"),
        ({"columns": {"lft.price": "left.price"}}, "got lft.price"),
        ({"values": {"middle": "x"}}, "different words for left, right and tie"),
        ({"values": {"left": "right"}}, "different words"),
        ({"features": ["price", "age"]}, "the features age on both sides, got the features price"),
        ({"features": []}, "at least one feature"),
    ],
)
def test_bad_options(options, part, write, refused):
    assert part in refused(read_pairs, write("p.csv", PAIRS), **options)


BAD_COMPARISONS = {
    "unknown ids": (ITEMS, "winner,loser\na,b\nsecret,b\nsecret,c\n", "1 unknown id in rows 2, 3"),
    "itself": (ITEMS, "winner,loser\na,b\nc,c\n", "compared with itself in row 2"),
    "twice": ("id,x\nsecret,1\nsecret,2\nb,1\n", "winner,loser\nb,b\n", "ids that occurred before in row 2"),
    "no id": ("name,x\na,1\nb,2\n", "winner,loser\na,b\n", "a column id"),
    "no sides": (ITEMS, "first,second\na,b\n", "the columns winner and loser, or left and right"),
    "no loser": (ITEMS, "winner,b\na,b\n", "a column loser"),
    "no outcome": (ITEMS, "left,right\na,b\n", "a column choice"),
    "count": (ITEMS, "winner,loser,count\na,b,1.5\n", "column count: expected whole numbers"),
    "text": ("id,x,name\na,1,secret\nb,2,secret\n", "winner,loser\na,b\n", "--features a,b"),
    "empty id": ("id,x\na,1\n,2\n", "winner,loser\na,b\n", "column id: expected a label"),
}


@pytest.mark.parametrize(("items", "compared", "part"), BAD_COMPARISONS.values(), ids=BAD_COMPARISONS)
def test_bad_comparisons(items, compared, part, write, refused):
    paths = write("items.csv", items), write("comparisons.csv", compared)
    assert part in refused(read_comparisons, *paths, secret="secret")


BAD_TRAJECTORIES = {
    "same step": ("trajectory,step,x\nsecret,0,1\nsecret,0,2\nu,0,1\n", {}, "occurred before in row 2"),
    "text step": ("trajectory,step,x\nt,first,1\nu,0,1\n", {}, "column step: expected a finite number"),
    "no step": ("trajectory,x\nt,1\nu,1\n", {}, "a column step"),
    "pooling": (STEPS, {"pooling": "median"}, "mean, sum, last, discounted"),
    "discount": (STEPS, {"discount": 1.5}, "above 0 and up to 1"),
    "missing feature": (STEPS, {"features": ["volume"]}, "a column volume"),
}


@pytest.mark.parametrize(("steps", "options", "part"), BAD_TRAJECTORIES.values(), ids=BAD_TRAJECTORIES)
def test_bad_trajectories(steps, options, part, write, refused):
    paths = write("steps.csv", steps), write("comparisons.csv", "winner,loser\nt,u\n")
    assert part in refused(read_trajectories, *paths, secret="secret", **options)


def test_unrecognised_forms(write, refused):
    items, steps = write("i.csv", ITEMS), write("s.csv", STEPS)
    pairs, odd = write("p.csv", PAIRS), write("o.csv", "x,y\n1,2\n")
    assert "form of items: give the other file" in refused(read, [items])
    assert "form of trajectories: give the other file" in refused(read, steps)
    assert "got the columns x, y" in refused(read, [odd])
    assert "items and trajectories" in refused(read, [items, steps])
    assert "pairs and pairs" in refused(read, [pairs, pairs])
    assert "got 0 files" in refused(read, [])
    assert "got 3 files" in refused(read, [items, items, items])


def test_dates_are_not_numbers(tmp_path, refused):
    frame = pandas.DataFrame({"left.a": pandas.to_datetime(["2020-01-01"]), "right.a": [1], "choice": ["left"]})
    frame.to_parquet(tmp_path / "p.parquet")
    assert "column left.a" in refused(read_pairs, tmp_path / "p.parquet")


def test_missing_values_in_parquet(tmp_path, refused):
    frame = pandas.DataFrame({"left.a": [1, 2], "right.a": [3, np.nan], "choice": ["left", None], "agent": ["A", None]})
    frame.to_parquet(tmp_path / "p.parquet")
    assert "another word in row 2" in refused(read_pairs, tmp_path / "p.parquet")
    frame["choice"] = "left"
    frame.to_parquet(tmp_path / "p.parquet")
    assert "column right.a" in refused(read_pairs, tmp_path / "p.parquet")
    frame["right.a"] = 5
    frame.to_parquet(tmp_path / "p.parquet")
    assert "column agent" in refused(read_pairs, tmp_path / "p.parquet")


def test_a_misspelt_column_of_the_map_is_guessed(write, refused):
    path = write("pairs.csv", "A_x,B_x,picked\n1,2,A\n3,1,B\n")
    columns = {"left.*": "A_*", "right.*": "B_*", "choice": "piked"}
    assert "perhaps to picked" in refused(read_pairs, path, columns=columns, values={"left": "A", "right": "B"})
