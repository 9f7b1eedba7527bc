"""Do policies say what they should, and survive being saved?"""

import jax
import numpy as np
import pytest

from lori.errors import ModelFileError
from lori.policies.policy import Softened, Tabular, load_policy
from lori.policies.simulator import View

ACTIONS = ("left", "stay", "right")


@pytest.fixture
def tabular() -> Tabular:
    table = np.random.default_rng(0).dirichlet(np.ones(3), size=(4, 6))
    return Tabular(table, np.array([0.0, -1.0]), np.array([3.0, 1.0]), ACTIONS)


def seen(*state: float) -> View:
    return View(np.array(state), np.zeros(2), np.float64(0.0))


@pytest.mark.parametrize("state", [(0.0, -1.0), (1.4, 0.37), (2.6, -0.61), (-50.0, 0.1), (1.0, 50.0), (3.0, 1.0)])
def test_the_nearest_cell_is_looked_up(tabular, state):
    row = np.argmin(np.abs(np.linspace(0, 3, 4) - state[0]))
    column = np.argmin(np.abs(np.linspace(-1, 1, 6) - state[1]))
    assert np.asarray(tabular.probabilities(seen(*state))) == pytest.approx(tabular.table[row, column], abs=1e-7)


def test_softening_mixes_with_the_uniform_policy(tabular):
    softened = Softened(tabular, 0.3, ACTIONS)
    plain = np.asarray(tabular.probabilities(seen(1.0, 0.2)))
    mixed = np.asarray(softened.probabilities(seen(1.0, 0.2)))
    assert mixed == pytest.approx(0.7 * plain + 0.1, abs=1e-6)


def test_numbers_of_a_policy_are_arguments_of_compiled_code(tabular):
    compiled = jax.jit(lambda policy, view: policy.probabilities(view))
    first = compiled(Softened(tabular, 0.3, ACTIONS), seen(1.0, 0.2))
    second = compiled(Softened(tabular, 0.9, ACTIONS), seen(1.0, 0.2))
    assert compiled._cache_size() == 1
    assert not np.allclose(first, second)


def test_a_saved_policy_is_the_same_policy(tabular, tmp_path):
    Softened(tabular, 0.25, ACTIONS).save(tmp_path / "policy.json")
    loaded = load_policy(tmp_path / "policy.json")
    assert isinstance(loaded, Softened)
    assert isinstance(loaded.base, Tabular)
    assert float(loaded.share) == 0.25
    assert loaded.actions == loaded.base.actions == ACTIONS
    np.testing.assert_array_equal(loaded.base.table, tabular.table)
    np.testing.assert_array_equal(loaded.base.upper, tabular.upper)


def test_a_file_that_holds_no_policy_is_refused(tmp_path):
    (tmp_path / "other.json").write_text('{"format": "lori-model", "version": 1, "kind": "model"}')
    with pytest.raises(ModelFileError, match="expected a policy, got a fitted model"):
        load_policy(tmp_path / "other.json")
    (tmp_path / "new.json").write_text(
        '{"format": "lori-model", "version": 1, "kind": "policy", "policy": {"kind": "unheard of"}}'
    )
    with pytest.raises(ModelFileError):
        load_policy(tmp_path / "new.json")
