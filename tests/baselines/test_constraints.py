"""Are inferred constraints those that a list of all histories gives?"""

import numpy as np
import pytest

from lori.baselines.constraints import ConstraintInference
from lori.errors import InputError

REWARD = 0.5 * np.add.outer(np.arange(5.0), np.zeros(5))  # to the east
WALL = {(2, 2), (2, 3)}


@pytest.fixture(scope="module")
def shown(histories, drawn):
    """People who want to go east and never enter the wall."""
    cells = histories.states.astype(int)
    blocked = np.zeros((5, 5), bool)
    blocked[tuple(np.array(list(WALL)).T)] = True
    allowed = ~blocked[tuple(np.moveaxis(cells, -1, 0))].any(axis=1)
    return drawn(allowed * np.exp(REWARD[tuple(np.moveaxis(cells, -1, 0))].sum(axis=1)), 60)


def by_enumeration(histories, shown, kind, least):
    """Greedily, from the list of all histories: forbid what was never seen and has the highest probability."""
    cells = histories.states.astype(int)
    worth = np.exp(REWARD[tuple(np.moveaxis(cells, -1, 0))].sum(axis=1))
    numbers = {  # what each history does, a number for each thing that can be forbidden
        "cells": lambda states, actions: states[..., 0] * 5 + states[..., 1],
        "actions": lambda states, actions: actions,
        "cells and actions": lambda states, actions: actions * 25 + states[:, :-1, 0] * 5 + states[:, :-1, 1],
    }[kind]
    done, seen = numbers(cells, histories.actions), numbers(shown.states.astype(int), shown.actions)
    options = sorted(set(np.unique(done)) - set(np.unique(seen)))
    alive, found = np.ones(len(worth), bool), []
    while options:
        lost = [worth[alive & (done == own).any(axis=1)].sum() / worth[alive].sum() for own in options]
        if max(lost) < least:
            break
        place = int(np.argmax(lost))
        found.append((int(options[place]), lost[place]))
        alive &= ~(done == options.pop(place)).any(axis=1)
    return found


@pytest.mark.parametrize("kind", ["cells", "actions", "cells and actions"])
def test_constraints_equal_enumeration(kind, grid_world, histories, shown):
    model = ConstraintInference(reward=REWARD, kind=kind, least=0.03).fit(shown, grid_world)
    truth = by_enumeration(histories, shown, kind, 0.03)
    numbers = [
        {"cells": 0, "actions": 0, "cells and actions": 25}[kind] * (own.action or 0)
        + (own.action if kind == "actions" else own.cell[0] * 5 + own.cell[1])
        for own in model.constraints_
    ]
    assert numbers == [number for number, _ in truth]
    assert [own.probability for own in model.constraints_] == pytest.approx([share for _, share in truth])


def test_the_wall_comes_first(grid_world, shown):
    model = ConstraintInference(reward=REWARD).fit(shown, grid_world)
    assert {own.cell for own in model.constraints_[:2]} == WALL


def test_constraints_come_first_and_the_reward_second(grid_world, histories, shown):
    model = ConstraintInference(reward=REWARD, most=2).fit(shown, grid_world)
    broken = model.violates(histories.states, histories.actions)
    bad, good = histories.states[broken][:20], histories.states[~broken]
    assert np.all(model.predict_proba(bad, good[:20])[:, 0] == 0.01)
    gap = (good[:20, :, 0] - good[-20:, :, 0]).sum(axis=1) * 0.5
    assert model.predict_proba(good[:20], good[-20:])[:, 0] == pytest.approx(1 / (1 + np.exp(-gap)))


def test_a_reward_of_another_shape_is_refused(grid_world, shown):
    with pytest.raises(InputError, match="secondary reward of each cell"):
        ConstraintInference(reward=REWARD[:3]).fit(shown, grid_world)
