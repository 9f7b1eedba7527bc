"""Do published figures come out? Stated choices of 235 people, and the gambles of Tversky 1969."""

from pathlib import Path

import numpy as np
import pytest

import lori

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
PUBLISHED = {"price": 0.0673580, "time": 1.7205514, "change": 0.3263409, "comfort": 0.9457256}


@pytest.fixture(scope="module")
def train():
    """2 929 binary choices between train journeys, price and time as the published model scales them."""
    path = SHARED / "choice" / "train_data.csv.gz"
    if not path.is_file():
        pytest.skip("the folder shared/data is not beside the project")
    read = lori.read_pairs(
        path, columns={"left.*": "*1", "right.*": "*2", "agent": "id"}, values={"left": "choice1", "right": "choice2"}
    ).select(list(PUBLISHED))
    factor = np.array([2.20371 / 100, 1 / 60, 1.0, 1.0])
    return lori.Preferences.from_arrays(
        read.left_features * factor, read.right_features * factor,
        wins=read.wins, losses=read.losses, ties=read.ties, features=read.features, agent=read.agent,
    )  # fmt: skip


def fitted(train, kind: str) -> lori.LORI:
    return lori.LORI(levels=1, epsilon=0.0, lapse=0, prior=None, standard_errors=kind).fit(train)


def test_one_level_without_threshold_is_the_published_logit(train):
    assert train.n_pairs == 2929
    assert len(np.unique(train.agent)) == 235
    model = fitted(train, "observed")
    assert model.log_likelihood_ == pytest.approx(-1724.150, abs=0.001)
    assert -model.levels_[0].weights == pytest.approx(list(PUBLISHED.values()), rel=1e-6)
    assert model.converged_


@pytest.mark.parametrize(("kind", "other"), [("observed", "nonrobust"), ("robust", "HC0"), ("clustered", "cluster")])
def test_coefficients_and_standard_errors_equal_statsmodels(train, kind, other):
    statsmodels = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
    groups = np.unique(train.agent, return_inverse=True)[1]
    options = {"cov_kwds": {"groups": groups}} if other == "cluster" else {}
    reference = statsmodels.Logit(train.wins, train.differences).fit(
        disp=False, tol=1e-14, maxiter=100, method="newton", cov_type=other, **options
    )
    weights = fitted(train, kind).summary().to_dict()["levels"][0]["weights"]
    assert [weights[name]["value"] for name in train.features] == pytest.approx(reference.params, rel=1e-6)
    assert [weights[name]["standard_error"] for name in train.features] == pytest.approx(reference.bse, rel=1e-6)


# -- Tversky 1969 --------------------------------------------------------------------------------------------

PEOPLE = [str(person) for person in range(1, 9)]


def two_levels() -> lori.LORI:
    return lori.LORI(levels=2, reward=lori.Linear(increasing="all"), epsilon=(None, 0.0), lapse=0, prior=None)


@pytest.fixture(scope="module")
def people():
    return lori.fit_by_agent(two_levels(), lori.tversky1969())


def test_two_levels_reach_the_known_likelihood(people):
    assert list(people) == PEOPLE
    assert sum(model.log_likelihood_ for model in people.values()) >= -946.6
    assert all(model.converged_ for model in people.values())


def test_one_level_reaches_the_known_likelihood(people):
    one = lori.LORI(levels=1, reward=lori.Linear(increasing="all"), epsilon=0.0, lapse=0, prior=None)
    alone = lori.fit_by_agent(one, lori.tversky1969())
    total = sum(model.log_likelihood_ for model in alone.values())
    assert total == pytest.approx(-1064.2, abs=0.01)
    first_steps = [model.summary().to_dict()["by_levels"][0]["log_likelihood"] for model in people.values()]
    assert sum(first_steps) == pytest.approx(total, abs=1e-4)


@pytest.mark.parametrize("person", PEOPLE[:6])
def test_probability_comes_first_with_a_threshold_about_half_its_range(people, person):
    model = people[person]
    first = model.summary().to_dict()["levels"][0]
    assert first["leading"] == ["probability"]
    assert 0.4 < first["thresholds"]["probability"]["value"] / (4 / 24) < 0.8
    assert model.summary().to_dict()["support"]["verdict"] in ("supported", "weakly supported")


@pytest.mark.parametrize("person", PEOPLE[6:])
def test_a_second_level_is_not_supported_for_the_others(people, person):
    summary = people[person].summary()
    assert summary.to_dict()["support"]["verdict"] == "not supported"
    assert "The choices do not support a second level" in str(summary)
    assert "comes first" not in str(summary)


@pytest.mark.slow
def test_a_batch_of_people_is_each_of_them_alone(people):
    for person, own in lori.tversky1969().by_agent().items():
        if person in ("1", "6"):
            alone = two_levels().set_params(starts=8).fit(own)
            together = people[person]
            assert alone.log_likelihood_ == pytest.approx(together.log_likelihood_, abs=1e-6)
            assert alone.predict_proba(own) == pytest.approx(together.predict_proba(own), abs=1e-5)
