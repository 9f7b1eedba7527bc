"""Are inferred tasks those that a list of all histories gives?"""

import numpy as np
import pytest

from lori.baselines.specifications import SpecificationInference, family, gain
from lori.errors import InputError


def region(*cells) -> np.ndarray:
    mask = np.zeros((5, 5), bool)
    mask[tuple(np.array(cells).T)] = True
    return mask


REGIONS = {
    "door": region((1, 3), (2, 3)),
    "goal": region((3, 2), (3, 3)),
    "lava": region((2, 2)),
    "west": region(*[(column, row) for column in (0, 1) for row in range(5)]),
}


def told(name: str, path: list[tuple[int, int]]) -> bool:
    """What the words of a formula say about a path, without machines."""
    if " and avoid " in name or " and reach " in name:
        cut = name.index(" and avoid ") if " and avoid " in name else name.index(" and reach ")
        return told(name[:cut], path) and told(name[cut + 5 :], path)

    def inside(where, cell):
        return bool(REGIONS[where][cell])

    words = name.split()
    if " and then " in name:
        first = [step for step, cell in enumerate(path) if inside(words[1], cell)]
        return bool(first) and any(inside(words[-1], cell) for cell in path[first[0] + 1 :])
    if " until " in name:
        for cell in path:
            if inside(words[-1], cell):
                return True
            if not inside(words[2], cell):
                return False
        return False
    reached = any(inside(words[1], cell) for cell in path)
    return reached if words[0] == "reach" else not reached


@pytest.fixture(scope="module")
def truths(histories):
    """Of each formula, which of all histories satisfy it."""
    paths = [[(int(x), int(y)) for x, y in states] for states in histories.states]
    return {formula.name: np.array([told(formula.name, path) for path in paths]) for formula in family(REGIONS)}


def test_formulas_and_their_chances_equal_enumeration(grid_world, histories, truths):
    start = np.zeros((5, 5))
    start[0, 2] = 1.0
    formulas = family(REGIONS)
    assert len(formulas) == 8 + 24 + 24
    for formula in formulas:
        assert np.array_equal(formula.holds(histories.states.astype(int)), truths[formula.name]), formula.name
        assert formula.by_chance(grid_world, start, histories.actions.shape[1]) == pytest.approx(
            truths[formula.name].mean()
        ), formula.name


@pytest.mark.parametrize("task", ["reach goal and avoid lava", "reach door and then goal", "stay in west until door"])
def test_the_task_is_that_of_the_highest_likelihood_over_all_histories(task, grid_world, histories, truths, drawn):
    """The likelihood of each demonstration is summed by hand, from the list of all histories."""
    shown = drawn(np.where(truths[task], 1.0, 0.002), 40)
    model = SpecificationInference(regions=REGIONS).fit(shown, grid_world)
    known = {states.tobytes() + actions.tobytes(): place for place, (states, actions) in
             enumerate(zip(histories.states, histories.actions, strict=True))}  # fmt: skip
    places = [known[s.tobytes() + a.tobytes()] for s, a in zip(shown.states, shown.actions, strict=True)]
    for name, score in model.scores_.items():
        share, chance = truths[name][places].mean(), truths[name].mean()
        if share <= chance:
            assert score == 0
            continue
        factor = np.where(truths[name], share / chance, (1 - share) / (1 - chance) if chance < 1 else 1.0)
        probability = factor / len(factor)
        assert probability.sum() == pytest.approx(1.0)
        assert score == pytest.approx(np.log(probability[places] * len(factor)).sum()), name
    assert model.formula_.name == next(iter(model.scores_))
    assert model.scores_[model.formula_.name] >= model.scores_[task]
    assert np.mean(model.holds(shown.states) == truths[task][places]) > 0.9


def test_what_does_the_task_is_preferred(grid_world, histories, truths, drawn):
    task = "reach door and then goal"
    model = SpecificationInference(regions=REGIONS).fit(drawn(np.where(truths[task], 1.0, 0.002), 40), grid_world)
    done = model.holds(histories.states)
    yes, no = histories.states[done][:10], histories.states[~done][:10]
    assert np.all(model.predict_proba(yes, no)[:, 0] > 0.9)
    assert np.all(model.predict_proba(no, no)[:, 0] == 0.5)


def test_gain_is_the_divergence_above_chance():
    assert gain(0.3, 0.5) == 0
    assert gain(1.0, 0.25) == pytest.approx(np.log(4))
    assert gain(0.5, 0.25) == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(0.5 / 0.75))


def test_regions_of_another_shape_are_refused(grid_world, histories):
    with pytest.raises(InputError, match="a mask of the cells"):
        SpecificationInference(regions={"odd": np.ones(3, bool)}).fit(histories, grid_world)
