"""Files of other tools give the observations of their pairs form, with one option or none, and say what was guessed."""

from pathlib import Path

import numpy as np
import pandas
import pytest

import lori
from lori.data.reading.guesses import guess
from lori.data.reading.understanding import GuessedColumns

FILES = Path(__file__).resolve().parents[1] / "files"
ANSWER = {"columns": {"choice": "Antwort"}}
FORMATS = {
    "unnamed.csv": {}, "preferred.csv": {}, "excel.csv": ANSWER, "unicode.txt": ANSWER,
    "survey.xlsx#Answers": {"missing": "drop"}, "biogeme.csv": {}, "apollo.csv": {}, "cbctools.csv": {},
    "projoint.csv": {}, "conjointly.csv": {}, "qualtrics.csv": {}, "pairs.rds": {},
}  # fmt: skip


def told(observed) -> list[tuple]:
    """Who preferred what to what, whatever the side; choices from sets of two are pairs."""
    pairs = observed.as_pairs() if isinstance(observed, lori.Choices) else observed
    won = pairs.outcome_counts[:, :1] > 0
    first, second = (np.where(won == side, pairs.left_features, pairs.right_features) for side in (True, False))
    rows = zip(pairs.agent, *np.column_stack([first, second]).T, strict=True)
    return sorted((str(agent), *map(float, numbers)) for agent, *numbers in rows)


def fitted(observed) -> list[float]:
    model = lori.LORI(levels=1, epsilon=0.0, lapse=0.0, starts=1, standard_errors="observed").fit(observed)
    place = [observed.features.index(name) for name in sorted(observed.features)]
    return [model.log_likelihood_, *model.levels_[0].weights[place]]


@pytest.fixture(scope="module")
def of_pairs():
    return lori.read(FILES / "pairs.csv")


@pytest.fixture(scope="module")
def fit_of_pairs(of_pairs):
    return fitted(of_pairs)


@pytest.mark.filterwarnings("ignore::lori.data.reading.understanding.GuessedColumns")
@pytest.mark.parametrize("name", FORMATS)
def test_each_format_gives_the_same_observations_and_the_same_fit(name, of_pairs, fit_of_pairs):
    if name.endswith(".rds"):
        pytest.importorskip("rdata", reason="rdata is not installed (pip install 'lori[r]')")
    observed = lori.read(f"{FILES}/{name}", **FORMATS[name])
    assert told(observed) == told(of_pairs)
    np.testing.assert_allclose(fitted(observed), fit_of_pairs, rtol=1e-6)
    assert observed.reading.dropped == (1 if "xlsx" in name else 0)


def test_what_was_guessed_is_said():
    with pytest.warns(GuessedColumns, match=r"left\.\*=\*1, right\.\*=\*2, left=choice1, right=choice2"):
        observed = lori.read(FILES / "unnamed.csv")
    again = lori.read(FILES / "unnamed.csv", **observed.reading.options())  # no warning: it was said
    assert told(again) == told(observed)
    assert observed.reading.words == {"left": "choice1", "right": "choice2"}


def test_a_table_in_memory():
    frame = pandas.read_csv(FILES / "pairs.csv")
    assert told(lori.read(frame)) == told(lori.read(FILES / "pairs.csv"))
    assert told(lori.Preferences.from_frame(frame)) == told(lori.read(FILES / "pairs.csv"))


@pytest.mark.parametrize(
    ("names", "words", "expected"),
    [
        (["A_cost", "B_cost", "A_time", "B_time"], "AB", {"left.*": "A_*", "right.*": "B_*"}),
        (["priceA", "priceB"], "AB", {"left.*": "*A", "right.*": "*B"}),
        (["cost_optionA", "cost_optionB", "time_optionA", "time_optionB"], "12", {"left.*": "*_optionA"}),
        (["Price A (€)", "Price B (€)"], "AB", {"left.Price (€)": "Price A (€)", "right.Price (€)": "Price B (€)"}),
        (["Drug X: price", "Drug Y: price"], ["Drug X", "Drug Y"], {"left.*": "Drug X: *"}),
        (["tt.bus", "tt.car", "tt.tram"], ["bus", "tram"], {"tt": "tt.*"}),
        (["A_cost", "B_cost"], "01", {}),  # 0 and 1 could mean either
        (["A_cost", "B_cost"], "AC", {}),
        (["cost", "time"], "AB", {}),
    ],
)
def test_pairs_of_columns(names, words, expected):
    random = np.random.default_rng(0)
    frame = pandas.DataFrame({name: random.normal(10, 1, 6) * (9 if "time" in name else 1) for name in names})
    found = guess(frame.assign(choice=[*words] * 3), {}, {}).columns
    assert found.items() >= expected.items()
    assert bool(found) == bool(expected)


@pytest.mark.filterwarnings("ignore::lori.data.reading.understanding.GuessedColumns")
def test_published_files(shared):
    """Train and Swissmetro with nothing but the rows to keep."""
    train = lori.read(shared / "choice/train_data.csv.gz")
    assert (train.n_pairs, train.features) == (2929, ("price", "time", "change", "comfort"))
    swiss = lori.read(
        shared / "choice/swissmetro.csv.gz", where={"PURPOSE": [1, 3], "CHOICE": [1, 2, 3]}, constants="CAR"
    )
    told = {"time": "*_TT", "cost": "*_CO", "available": "*_AV", "choice": "CHOICE", "agent": "ID"}
    expected = lori.read_choices(
        shared / "choice/swissmetro.csv.gz", columns=told, values={"TRAIN": 1, "SM": 2, "CAR": 3},
        constants="CAR", where={"PURPOSE": [1, 3], "CHOICE": [1, 2, 3]},
    )  # fmt: skip
    assert swiss.n_comparisons == 6768
    np.testing.assert_array_equal(swiss.alternatives, expected.alternatives)
    np.testing.assert_array_equal(swiss.chosen, expected.chosen)


# -- categories and gaps ------------------------------------------------------------------------------------------

WORDS = (
    "left.form,right.form,left.cost,right.cost,choice\npill,drops,1,2,left\ndrops,patch,3,,right\npatch,pill,2,5,tie\n"
)


def test_words_are_categories(write, refused):
    path = write("words.csv", WORDS)
    assert "row 2" in refused(lori.read, path)
    observed = lori.read(path, missing="drop")
    assert observed.features == ("cost", "form: patch", "form: pill")
    assert observed.reading.categories == {"form": ("drops", "patch", "pill")}
    assert observed.reading.dropped == 1
    assert observed.differences.tolist() == [[-1, 0, 1], [-3, 1, -1]]
    again = lori.read(path, missing="drop", features=["form: pill", "cost"], categories=observed.reading.categories)
    assert again.features == ("form: pill", "cost")
    unknown = write("new.csv", WORDS.replace("patch", "secret"))
    message = refused(lori.read, unknown, missing="drop", categories=observed.reading.categories, secret="secret")
    assert "drops, patch, pill" in message


def test_gaps_in_sets(write, refused):
    path = write("sets.csv", "set,chosen,cost\n1,1,2\n1,0,\n2,0,3\n2,1,4\n")
    assert "row 2" in refused(lori.read, path)
    observed = lori.read(path, missing="drop")
    assert (observed.n_comparisons, observed.reading.dropped) == (1, 1)
    assert "none" in refused(lori.read, write("gap.csv", "set,chosen,cost\n1,1,2\n1,0,\n"), missing="drop")


def test_orders(refused, write):
    """Three people say apple, pear, plum: three choices of apple, three of pear from the rest, and so on."""
    fruit = lori.read([FILES / "fruit.soc", FILES / "fruit.csv"])
    ranks = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
    expected = lori.Choices.from_rankings([[[2, 1], [1, 2.5], [3, 5]]] * 3, ranks, counts=[3, 2, 1])
    assert fruit.names == ("apple", "pear", "plum")
    np.testing.assert_array_equal(fruit.alternatives, expected.alternatives)
    np.testing.assert_array_equal(fruit.times, expected.times)
    assert "one of the items" in refused(lori.read, FILES / "fruit.soc")
    assert "line 1" in refused(lori.read, [write("bad.soc", "3: 1,x\n"), FILES / "fruit.csv"])


def test_a_choice_column_of_any_name_is_told_by_its_words():
    frame = pandas.DataFrame(
        {
            "Medicine A: Cost (€)": [1, 5, 2], "Medicine B: Cost (€)": [3, 4, 4], "Remark": ["", "", "well"],
            "Which would you take?": ["Medicine A", "Medicine B", "No preference"],
        }
    )  # fmt: skip
    found = guess(frame, {}, {})
    assert found.columns["choice"] == "Which would you take?"
    assert found.values == {"left": "Medicine A", "right": "Medicine B", "tie": "No preference"}
    twice = frame.assign(Again=frame["Which would you take?"])  # two such columns: nobody knows which one is meant
    assert not guess(twice, {}, {}).columns
