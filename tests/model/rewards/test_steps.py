"""Step rewards: sums over trajectories of any length, the fit of what each step is worth, and its file and words."""

import numpy as np
import pytest

import lori
from lori import DataError, InputError
from lori.data.trajectories import step_names
from lori.model.engines import jnp
from lori.model.ordered import Level, OrderedModel
from lori.model.rewards import reward_from
from lori.model.rewards.steps import PerStep, Steps

NAMES = step_names(["dose", "pain"], 3)


def trajectories(count=60, seed=1000):
    generator = np.random.default_rng(seed)
    steps = [generator.normal(size=(generator.integers(2, 4), 2)) for _ in range(count)]
    return lori.Trajectories.from_arrays(steps, features=["dose", "pain"])


@pytest.fixture(scope="module")
def truth():
    """The capped dose of each step alone: no sum of doses tells it."""
    level = Level(Steps(lori.Capped(), width=2), np.array([4.0, 0.0, 0.5]), 0.0, slopes=np.zeros(7))
    return OrderedModel((level,), NAMES)


@pytest.fixture(scope="module")
def choices(truth):
    known, generator = trajectories(), np.random.default_rng(1)
    left, right = generator.permuted(np.tile(np.arange(60), (300, 1)), axis=1)[:, :2].T
    table = known.pool("steps")
    wins = truth.sample(table[left], table[right], seed=2)
    return known.compare(left.astype(str), right.astype(str), pooling="steps", counts=wins)


@pytest.fixture(scope="module")
def fitted(choices):
    reward = Steps(lori.Capped(increasing=["dose"]))
    return lori.LORI(levels=1, reward=reward, lapse=0.0, starts=4, prior=None, epsilon=0.0).fit(choices)


def test_steps_beyond_the_end_do_not_count_and_later_ones_count_less():
    reward = Steps(lori.Linear(), 0.5).among(NAMES)
    assert reward.width == 2
    x = jnp.array([1.0, 10.0, 1.0, 10.0, 99.0, 99.0, 2.0])
    assert float(reward(jnp.array([1.0, 0.1]), x)) == pytest.approx(2.0 + 1.0)
    known = trajectories(4)
    table = known.pool("steps", steps=3)
    assert table.shape == (4, len(NAMES))
    np.testing.assert_allclose(table[:, :-1].reshape(4, 3, 2).sum(axis=1), known.pool("sum"))
    np.testing.assert_array_equal(table[:, -1], known.lengths)


def test_a_capped_step_is_found_saved_told_and_explained(choices, truth, fitted, tmp_path):
    assert fitted.log_likelihood_ >= truth.log_likelihood(choices).sum()
    weight, pain, _ = fitted.model_.levels[0].parameters
    assert weight > 5 * abs(pain)
    pooled = lori.LORI(levels=1, reward=lori.Capped(), lapse=0.0, starts=4, prior=None, epsilon=0.0).fit(
        trajectories().compare(*_sides(choices), pooling="sum", counts=choices.counts)
    )
    assert fitted.log_likelihood_ > pooled.log_likelihood_ + 5
    fitted.save(tmp_path / "model.json")
    again = lori.load(tmp_path / "model.json")
    np.testing.assert_allclose(again.predict_proba(choices), fitted.predict_proba(choices))
    told = str(fitted.summary())
    assert told == str(again.summary())
    assert "in a single step: dose" in told
    assert "step 1" not in told
    assert fitted.summary().features == ("dose", "pain")
    assert len(str(again.explain(choices.subset(np.arange(3))))) > 0


def _sides(choices):
    places = trajectories().pool("steps")
    return tuple(
        np.array([str(int(np.flatnonzero((places == row).all(axis=1))[0])) for row in side])
        for side in (choices.left_features, choices.right_features)
    )


def test_what_it_is_comes_back_from_its_description():
    reward = Steps(lori.Capped(increasing=["dose"]), 0.9).among(NAMES)
    assert reward_from(reward.settings()) == reward
    particulars = reward.particulars(np.array([1.0, 2.0, 3.0]), np.zeros(3), NAMES, np.ones(7))
    assert PerStep.from_dict(particulars.to_dict()) == particulars
    assert particulars.leading == "pain"
    assert "times as much" in particulars.facts()[0].clause
    assert reward.subjects(NAMES) == ("dose", "pain") * 3 + (None,)
    location, scale = reward.tied(np.ones(7), np.array([1.0, 2.0] * 3 + [5.0]))
    np.testing.assert_allclose(location, 0.0)
    np.testing.assert_allclose(scale, [1.0, 2.0] * 3 + [1.0])


def test_what_is_wrong_is_said():
    for wrong in (Steps(), lori.Gated(context="age"), "linear"):
        with pytest.raises(InputError, match="reward of one step"):
            Steps(wrong)
    with pytest.raises(InputError, match="discount"):
        Steps(discount=0.0)
    with pytest.raises(InputError, match="pooling='steps'"):
        Steps().among(("dose", "pain"))
    with pytest.raises(DataError, match="at least 3"):
        trajectories().pool("steps", steps=2)
    assert trajectories().pool("steps", steps=5).shape[1] == 11
