"""A made-up registry reads like a real one, and the fits on it say what its policy puts first."""

from dataclasses import replace

import numpy as np
import pandas
import pytest

from lori.applications.organ.allocation import LIKE_NEED
from lori.applications.organ.features import COLUMNS, compatible
from lori.applications.organ.preferences import preferences
from lori.applications.organ.registry import read_registry
from lori.applications.organ.survival import Estimates, SurvivalFit
from lori.applications.organ.synthetic import SyntheticSettings, make_registry, write_registry
from lori.applications.organ.truth import WITH, WITHOUT
from lori.data.preferences import Preferences
from lori.errors import InputError

SMALL = SyntheticSettings(patients=400, organs=330, history=300, others=40, seed=1)


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


@pytest.fixture(scope="module")
def known():
    """The survival models that made the registry, so that only the policy is in question."""
    nothing = {"patients": 0, "deaths": 0, "followed": 0.0, "concordance": 0.5, "left_out": ()}
    before, after = (
        SurvivalFit(truth.survival, standard_errors={}, proportional={}, **nothing) for truth in (WITHOUT, WITH)
    )
    return Estimates(before, after)


def pairs_under(policy: str, known: Estimates, folder) -> Preferences:
    settings = SyntheticSettings(patients=1_200, organs=1_050, history=0, others=0, policy=policy)
    write_registry(folder / "registry.csv", settings)
    return preferences(read_registry(folder / "registry.csv"), known)


def test_need_first(known, tmp_path):
    """Clear differences in need decide always, and among patients of like need benefit decides."""
    benefit, need = pairs_under("meld", known, tmp_path).differences.T
    clear, like = np.abs(need) > LIKE_NEED + 1, np.abs(need) < LIKE_NEED / 2
    assert like.sum() > 500
    assert (need[clear] > 0).all()
    assert (benefit[like] > 0).mean() > 0.9


def test_benefit_first(known, tmp_path):
    benefit, need = pairs_under("benefit", known, tmp_path).differences.T
    assert (benefit > -1).all()
    assert (need < -1).mean() > 0.005


def test_neither_explains_first_come_first_served(known, tmp_path):
    """However benefit and need are weighed (more is better), who got the organ is hardly better than a coin.

    Signs are fixed because those who waited long are the survivors: the less needy, by no preference of the policy.
    """
    differences = pairs_under("waiting", known, tmp_path).differences
    angles = np.linspace(0, np.pi / 2, 19)
    shares = (differences @ [np.cos(angles), np.sin(angles)] > 0).mean(axis=0)
    assert shares.max() < 0.55
