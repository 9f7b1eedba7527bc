"""Choices: what is made of arrays, what can be looked at, cut, joined and written, and what is refused."""

import numpy as np
import pytest

from lori.data.choices import Choices

NAN = np.nan
X = np.arange(24.0).reshape(3, 4, 2) ** 2
NAMES = ["bus", "tram", "car", "walk"]


@pytest.fixture
def choices():
    """Three sets of 4, 3 and 2 alternatives."""
    available = [[1, 1, 1, 1], [1, 1, 0, 1], [0, 0, 1, 1]]
    return Choices.from_arrays(
        X, [0, 3, 2], available=available, agents=["a", "b", "a"], counts=[1, 2, 1], weight=[1, 0.5, 2],
        features=["time", "cost"], alternatives=NAMES,
    )  # fmt: skip


def test_only_what_is_available_is_kept(choices):
    assert choices.sizes.tolist() == [4, 3, 2]
    assert choices.label.tolist() == [0, 1, 2, 3, 0, 1, 3, 2, 3]
    assert choices.chosen.tolist() == [True, *[False] * 3, False, False, True, True, False]
    assert repr(choices) == "Choices(3 sets of 2 to 4 alternatives, 4 choices, 2 features, 2 agents)"
    hidden = X.copy()
    hidden[1, 2] = NAN
    again = Choices.from_arrays(hidden, [0, 3, 2], available=[[1, 1, 1, 1], [1, 1, 0, 1], [0, 0, 1, 1]])
    np.testing.assert_array_equal(again.alternatives, choices.alternatives)
    assert again.names == ("1", "2", "3", "4")


def test_tables_have_a_column_for_every_name(choices):
    table = choices.table(choices.chosen.astype(float), absent=-1)
    assert table.tolist() == [[1, 0, 0, 0], [0, 0, -1, 1], [-1, -1, 1, 0]]
    assert choices.shape == (3, 4, 2)


def test_parts_keep_whole_sets(choices):
    part = choices[[2, 0]]
    assert part.label.tolist() == [2, 3, 0, 1, 2, 3]
    assert (part.agent.tolist(), part.weight.tolist()) == (["a", "a"], [2, 1])
    assert {agent: len(own) for agent, own in choices.by_agent().items()} == {"a": 2, "b": 1}
    together = Choices.concatenate([choices[1], choices[[0, 2]]])
    assert together.to_frame().iloc[:, 1:].equals(choices[[1, 0, 2]].to_frame().iloc[:, 1:])


def test_constants(choices):
    assert choices.with_constants().features == ("time", "cost", "bus", "tram", "car")
    own = choices.with_constants("tram")
    assert own.features == ("time", "cost", "bus", "car", "walk")
    assert own.alternatives[:, 2].tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 0]


def test_pairs_share_their_winner(choices):
    pairs = choices.as_pairs()
    assert pairs.wins.tolist() == [1, 1, 1, 2, 2, 1]
    assert pairs.agent.tolist() == ["a", "a", "a", "b", "b", "a"]
    np.testing.assert_array_equal(pairs.differences, choices.differences)


def test_a_ranking_is_a_sequence_of_choices():
    ranks = [[2, 1, 3, 4], [NAN, 1, NAN, NAN], [NAN, 2, 1, NAN]]
    choices = Choices.from_rankings(X, ranks, agents=["a", "b", "c"], alternatives=NAMES)
    assert choices.sizes.tolist() == [4, 3, 2, 4, 4, 3]
    assert choices.occasion.tolist() == [0, 0, 0, 1, 2, 2]
    assert [NAMES[place] for place in choices.label[choices.chosen]] == ["tram", "bus", "car", "tram", "car", "tram"]
    assert choices.agent.tolist() == ["a", "a", "a", "b", "c", "c"]
    first, second = choices.split(0.5, seed=1)
    assert not set(first.agent) & set(second.agent)  # a ranking stays together


def test_equal_ranks_are_ties_when_asked():
    choices = Choices.from_rankings(X, [[1, 1, 3, NAN], [1, 2, 2, 2], [1, 1, 2, 2]], ties="observed")
    assert choices.sizes.tolist() == [4, 2, 4, 4]
    assert choices.tied.tolist() == [True, False, False, True]
    assert choices.n_ties == 2


def test_best_and_worst():
    choices = Choices.from_best_worst(X, [0, 1, 2], [3, 0, 0], counts=[5, 1, 1])
    assert choices.sizes.tolist() == [4, 3] * 3
    assert choices.worst.tolist() == [False, True] * 3
    assert choices.times.tolist() == [5, 5, 1, 1, 1, 1]
    assert choices.label[choices.chosen].tolist() == [0, 3, 1, 0, 2, 0]
    pairs = choices[[1]].as_pairs()  # what was picked as the worst lost against the others
    assert pairs.right_features.tolist() == [X[0, 3].tolist()] * 2
    two = Choices.from_best_worst(X[:, :2], [0, 1, 0], [1, 0, 1])  # the other one is the worst: nothing new
    assert two.worst is None
    assert len(two) == 3


ARRAYS = {
    "shape": ({"X": X[0]}, "shape (sets, alternatives, features)"),
    "position": ({"chosen": [0, 4, 1]}, "position of an alternative, 0 to 3"),
    "negative": ({"chosen": [0, -1, 1]}, "position of an alternative"),
    "fraction": ({"chosen": [0, 1.0, 1]}, "position of an alternative"),
    "none": ({"chosen": np.zeros((3, 4))}, "a chosen alternative in every set, got none in sets 1, 2, 3"),
    "all": ({"chosen": np.ones((3, 4))}, "an alternative that was not chosen in every set, got all chosen"),
    "available": ({"available": [[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]]}, "that was available in every set, got"),
    "alone": ({"available": [[1, 1, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1]]}, "two alternatives in every set, got fewer in"),
    "no mask": ({"available": np.full((3, 4), 2)}, "true or false"),
    "ragged": ({"X": np.where(X == 1, NAN, X)}, "finite features of all that was available in every set, got NaN"),
    "agents": ({"agents": ["a", "b"]}, "agents: expected one entry for each of the 3 sets"),
    "counts": ({"counts": [1, 2, 0.5]}, "counts: expected whole numbers"),
    "nothing": ({"counts": [0, 0, 0]}, "at least one choice in total"),
    "weight": ({"weight": [1, 2, -1]}, "weight: expected finite numbers"),
    "names": ({"alternatives": ["a", "b", "b", "c"]}, "4 different, non-empty names, got 3"),
    "features": ({"features": ["a"]}, "2 different, non-empty names"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "part"), ARRAYS.values(), ids=ARRAYS)
def test_arrays_that_are_refused(changes, part, refused):
    assert part in refused(Choices.from_arrays, **({"X": X, "chosen": [0, 3, 2]} | changes))


def test_answers_that_are_refused(choices, refused):
    assert "ranks: expected an array of shape (3, 4)" in refused(Choices.from_rankings, X, [[1, 2, 3, 4]])
    assert "not chosen, too" in refused(Choices.from_best_worst, X, [0, 1, 2], [0, 1, 2])
    assert "best: expected" in refused(Choices.from_best_worst, X, [0, 1, 4], [0, 1, 2])
    several = np.tile([True, True, False, False], (3, 1))
    assert "at most one worst" in refused(Choices.from_best_worst, X, [2, 2, 2], several)
    unavailable = np.ones((3, 4))
    unavailable[0, 1] = 0
    ranks = np.tile([1.0, 2, 3, 4], (3, 1))
    assert "that was available" in refused(Choices.from_rankings, X, ranks, available=unavailable)
    assert "the name of one of the 4 alternatives, with others beside it, got 'ship'" in refused(
        choices.with_constants, "ship"
    )
    assert "no feature has" in refused(choices.with_constants().with_constants)
    assert "a label for each set" in refused(Choices.from_arrays(X, [0, 1, 2]).by_agent)
    assert "different features or names" in refused(
        Choices.concatenate, [choices, Choices.from_arrays(X, [0, 1, 2], agents=["a", "b", "c"])]
    )


def test_one_alternative_is_there_once(choices, refused):
    fields = vars(choices) | {"label": np.zeros(9, int)}
    assert "every alternative once in every set, got one that is repeated in sets 1, 2, 3" in refused(Choices, **fields)
    assert "indices from 0 to 3" in refused(Choices, **(fields | {"label": np.arange(9)}))


def test_frames_have_names_that_can_be_read(choices, refused):
    odd = Choices.from_arrays(X, [0, 1, 2], features=["weight", "cost"])
    assert "names that can head a column, got weight" in refused(odd.to_frame)
    assert "head a column" in refused(Choices.from_arrays(X, [0, 1, 2], features=["Unnamed: 0", "cost"]).to_frame)
    frame = choices.to_frame()
    assert frame.columns.tolist() == ["set", "alternative", "time", "cost", "chosen", "agent", "count", "weight"]
