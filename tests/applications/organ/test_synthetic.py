"""A made-up registry reads like a real one, and the fits on it say what its policy puts first."""

from dataclasses import replace

import numpy as np
import pandas
import pytest

from lori.applications.organ.columns import COLUMNS
from lori.applications.organ.features import compatible
from lori.applications.organ.preferences import FEATURES, preferences
from lori.applications.organ.registry import read_registry
from lori.applications.organ.synthetic import SyntheticSettings, make_registry, write_registry
from lori.errors import InputError
from lori.inference.estimator import LORI
from lori.model.ordered import OrderedModel
from lori.model.rewards import Linear

SMALL = SyntheticSettings(patients=400, organs=330, history=300, others=40, seed=1)
TRUTH = OrderedModel.linear([[0.0001, 0.0139], [0.0562, 0.0002]], epsilon=[0.8944, 1.8830], features=FEATURES)


@pytest.fixture(scope="module")
def table():
    return make_registry(SMALL)


def test_columns_codes_and_dates(table):
    assert list(table) == list(COLUMNS)
    assert len(table) == 400 + 300 + 40
    assert table["INIT_DATE"].str.fullmatch(r"\d\d/\d\d/\d{4}").all()
    assert set(table["GENDER"]) == {"F", "M"}
    assert set(table["ENCEPH_TX"].dropna()) <= {"1", "2", "4"}
    assert {"P", "N", "U"} == set(table["HCV_NAT"])
    assert table["CREAT_TX"].isna().sum() > table["TX_DATE"].isna().sum()


def test_lives_are_possible(table):
    date = {name: pandas.to_datetime(table[name], format="%m/%d/%Y") for name in COLUMNS if name.endswith("_DATE")}
    received = date["TX_DATE"].notna()
    assert (date["TX_DATE"][received] >= date["INIT_DATE"][received]).all()
    assert (date["END_DATE"][received] == date["TX_DATE"][received]).all()
    dead = date["DEATH_DATE"].notna()
    assert (date["DEATH_DATE"][dead] >= date["END_DATE"][dead]).all()
    both = received & dead
    assert ((date["DEATH_DATE"] - date["TX_DATE"]).dt.days[both] == table["PTIME"][both]).all()


def test_nobody_gets_an_organ_of_the_wrong_blood_group(registry):
    organs = registry.organs
    assert compatible(organs["ABO"].to_numpy(), organs["ABO_DON"].to_numpy()).all()
    assert not organs.duplicated(["TX_DATE", "AGE_DON", "BMI_DON_CALC", "ABO_DON", "COD_CAD_DON"]).any()


def test_the_same_seed_gives_the_same_registry(table):
    pandas.testing.assert_frame_equal(make_registry(SMALL), table)
    assert not make_registry(replace(SMALL, seed=2)).equals(table)


def test_settings_are_checked(tmp_path):
    with pytest.raises(InputError, match="at least one patient"):
        write_registry(tmp_path / "registry.csv", replace(SMALL, patients=0))
    with pytest.raises(InputError, match="policy"):
        write_registry(tmp_path / "registry.csv", replace(SMALL, policy="lottery"))
    assert list(tmp_path.iterdir()) == []


def fitted(policy: str, estimates, folder, levels: int, model=None) -> LORI:
    """Fit to a year under `policy`; the survival models are those of the small registry."""
    path = folder / "registry.csv"
    write_registry(
        path, SyntheticSettings(patients=1_000, organs=900, history=10, others=0, policy=policy), model=model
    )
    found = preferences(read_registry(path), estimates, panel=model)
    return LORI(levels=levels, reward=Linear(increasing="all"), starts=16).fit(found)


def test_policy_model_is_found_again(estimates, tmp_path):
    fit = fitted("model", estimates, tmp_path, 2, TRUTH)
    table = fit.summary().to_dict()["levels"]
    for level, truth in zip(table, TRUTH.levels, strict=True):
        assert abs(level["epsilon"]["value"] - truth.epsilon) < 3 * level["epsilon"]["standard_error"]
    assert abs(fit.levels_[0].weights[1] - 0.0139) < 3 * table[0]["weights"]["need"]["standard_error"]


@pytest.mark.parametrize(("policy", "first"), [("meld", "need"), ("benefit", "benefit")])
def test_what_comes_first(policy, first, estimates, tmp_path):
    weights = fitted(policy, estimates, tmp_path, 2).levels_[0].weights
    assert weights[FEATURES.index(first)] > 2 * weights[1 - FEATURES.index(first)]


def test_neither_objective_explains_first_come_first_served(estimates, tmp_path):
    fit = fitted("waiting", estimates, tmp_path, 1)
    pairs = fit.status_
    assert np.all(fit.levels_[0].weights * 600 < 0.2), pairs  # a typical difference hardly moves the odds
