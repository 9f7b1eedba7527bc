"""Fits of choices from sets: how they are found, and what an estimator does with them."""

from pathlib import Path

import numpy as np
import pandas
import pytest

import lori

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "data"


@pytest.fixture(scope="module")
def data() -> lori.Choices:
    truth = lori.OrderedModel.linear([[3.0, 0.0], [0.0, 3.0]], epsilon=[3.0, 0.0], features=["a", "b"])
    generator = np.random.default_rng(0)
    table = generator.normal(size=(300, 3, 2))
    asked = lori.Choices.from_arrays(table, np.zeros(300, int), features=["a", "b"])
    chances = truth.choice_proba(asked)
    chosen = (chances.cumsum(axis=1) > generator.uniform(size=(300, 1))).argmax(axis=1)
    return lori.Choices.from_arrays(table, chosen, features=["a", "b"])


@pytest.fixture(scope="module")
def fitted(data) -> lori.LORI:
    return lori.LORI(levels=2, reward=lori.Linear(increasing="all"), epsilon=(None, 0.0), lapse=0).fit(data)


def test_the_order_is_found(fitted):
    first, second = fitted.levels_
    assert fitted.converged_
    assert first.weights[0] > first.weights[1]
    assert second.weights[1] > second.weights[0]
    assert fitted.summary().support.holds
    assert "300 choices from 300 sets" in str(fitted.summary())


def test_it_predicts_scores_saves_and_loads(fitted, data, tmp_path):
    table = fitted.predict_proba(data)
    assert table.shape == (300, 3)
    np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-12)
    assert fitted.score(data) * 300 == pytest.approx(fitted.log_likelihood_, rel=1e-9)
    fitted.save(tmp_path / "model.json")
    np.testing.assert_allclose(lori.load(tmp_path / "model.json").predict_proba(data), table, atol=1e-12)
    assert set(fitted.predict(data)) <= {"1", "2", "3"}


def test_more_levels_explain_no_less(fitted):
    steps = fitted.summary().by_levels
    assert steps[1].log_likelihood > steps[0].log_likelihood


def test_a_posterior_of_sets(fitted, data):
    posterior = fitted.posterior(data, draws=200)
    assert len(posterior.models(5)) == 5


@pytest.fixture(scope="module")
def swissmetro() -> lori.Choices:
    if not SHARED.is_dir():
        pytest.skip("the folder shared/data is not beside the project")
    table = pandas.read_csv(SHARED / "choice" / "swissmetro.csv.gz")
    table.loc[table.GA == 1, ["TRAIN_CO", "SM_CO"]] = 0
    for name in ("TT", "CO"):
        table[[f"{mode}_{name}" for mode in ("TRAIN", "SM", "CAR")]] /= 100
    return lori.read_choices(
        table,
        columns={"time": "*_TT", "cost": "*_CO", "available": "*_AV", "choice": "CHOICE", "agent": "ID"},
        values={"TRAIN": 1, "SM": 2, "CAR": 3},
        constants="SM",
        where={"PURPOSE": [1, 3], "CHOICE": [1, 2, 3]},
    )


def test_swissmetro_as_one_level_is_multinomial_logit(swissmetro):
    model = lori.LORI(levels=1, epsilon=0.0, lapse=0, prior=None, standard_errors="none").fit(swissmetro)
    assert len(swissmetro) == 6768
    assert model.log_likelihood_ == pytest.approx(-5331.252, abs=1e-3)
    assert (model.status_.starts, model.converged_) == (1, True)  # one way down, from anywhere


@pytest.mark.slow
def test_swissmetro_has_a_second_level(swissmetro):
    model = lori.LORI(levels=2, lapse=0, prior=None, standard_errors="none").fit(swissmetro)
    assert model.log_likelihood_ >= -5095.7


TABLES = {
    "heating_data.csv.gz": ({"ic": "ic.*", "oc": "oc.*", "choice": "depvar"}, {"constants": "hp"}),
    "ModeCanada.csv.gz": (
        {"set": "case", "chosen": "choice", "alternative": "alt"},
        {"features": ["cost", "ivt", "ovt", "freq"], "constants": "car"},
    ),
    "yogurt.csv.gz": (
        {"set": "obsID", "chosen": "choice", "agent": "id", "alternative": "brand"},
        {"features": ["price", "feat"], "constants": True},
    ),
    "modechoice.csv": (
        {"set": "individual", "chosen": "choice", "alternative": "mode"},
        {
            "values": {"air": 1, "train": 2, "bus": 3, "car": 4},
            "features": ["ttme", "invc", "invt"],
            "constants": "car",
        },
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("file", TABLES)
def test_one_level_is_the_conditional_logit_of_statsmodels(file):
    if not SHARED.is_dir():
        pytest.skip("the folder shared/data is not beside the project")
    conditional = pytest.importorskip("statsmodels.discrete.conditional_models")
    columns, options = TABLES[file]
    sets = lori.read_choices(SHARED / "choice" / file, columns=columns, **options)
    ours = lori.LORI(levels=1, epsilon=0.0, lapse=0, prior=None, standard_errors="none").fit(sets)
    scaled = sets.alternatives / sets.alternatives.std(axis=0)
    theirs = conditional.ConditionalLogit(sets.chosen.astype(int), scaled, groups=sets.owner)
    assert ours.log_likelihood_ == pytest.approx(theirs.fit(disp=0, method="bfgs", gtol=1e-8).llf, abs=1e-4)
