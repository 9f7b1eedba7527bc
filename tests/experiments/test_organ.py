"""The study of organ allocation says what its numbers say, draws them, and finds what policies put first."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from lori.applications.organ.synthetic import SyntheticSettings, write_registry
from lori.applications.organ.truth import PREFERENCES
from lori.errors import DataError
from lori.experiments import organ
from lori.experiments.organ_results import (
    _price,
    best_of,
    between,
    covering,
    decisive,
    draw,
    explained,
    order_of,
    sentences,
)
from lori.interfaces.commands import main as cli
from lori.model.ordered import OrderedModel

SINGLE = OrderedModel.linear([[0.0086, 0.0137]], epsilon=[0.0], features=["benefit", "need"])


def number(value, error=None):
    interval = None if error is None else [value - 1.96 * error, value + 1.96 * error]
    return {"value": value, "standard_error": error, "interval": interval}


def fit_of(model: OrderedModel, decides, leading, bic: float, log_likelihood: float = -100.0):
    """A fit as the study keeps it, made up around a model."""
    levels = [
        {
            "level": place,
            "leading": lead,
            "decides": share,
            "weights": dict(zip(model.features, map(number, map(float, level.weights)), strict=True)),
            "epsilon": number(level.epsilon),
            "thresholds": {
                name: number(float(level.epsilon / weight) if weight else None, 1.0 if weight else None)
                for name, weight in zip(model.features, level.weights, strict=True)
            },
        }
        for place, (level, share, lead) in enumerate(zip(model.levels, decides, leading, strict=True), start=1)
    ]
    summary = {"levels": levels, "log_likelihood": log_likelihood, "comparisons": 1_000, "by_levels": [{"bic": bic}]}
    return {"accuracy": 0.93, "summary": summary, "model": model.describe()}


@pytest.fixture
def found():
    """What the paper reports, as if it had been fitted here."""
    return {
        "registry": {
            "year": 2019,
            "patients": 4070,
            "organs": 3942,
            "preferences": 2450718,
            "steps": [],
            "unknown": {},
        },
        "survival": {},
        "extremes": {"benefit": 1000.0, "need": 900.0},
        "correlation": 0.9,
        "fits": {
            "T-REX": fit_of(SINGLE, [1.0], [["need", "benefit"]], bic=300.0),
            "LORI, 2 levels": fit_of(PREFERENCES, [0.9, 0.08], [["need"], ["benefit"]], bic=200.0),
        },
    }


def test_need_first_in_the_papers_words(found):
    data, first, single = sentences(found)
    assert "3,942 organs" in data
    assert "2,450,718 preferences" in data
    assert "takes away 86 % of a coin's uncertainty" in data  # 1 − 100 / (1000 log 2)
    assert first.startswith("Need comes first and decides 90 % of the comparisons.")
    assert "need difference above 72 days cannot be outweighed by any benefit that occurs" in first
    assert "need alone counts from 64.3 days (95 % interval 62.4 to 66.3)" in first
    assert "Below that, benefit decides 8 %, from a difference of 33.5 days" in first
    assert "a day of need is worth 1.59 days of benefit" in single


def test_beyond_the_limit_no_benefit_outweighs_need(found):
    """Restated with the model itself: at the limit the needier patient is preferred as often as not."""
    limit = decisive(found["fits"]["LORI, 2 levels"]["summary"]["levels"][0], found["extremes"])
    adverse = PREFERENCES.predict_proba([[-1000.0, limit - 1], [-1000.0, limit + 1]], np.zeros((2, 2)))[:, 0]
    assert adverse[0] < 0.5 < adverse[1]


def test_neither_explains(found):
    coin = fit_of(SINGLE, [1.0], [[]], bic=1.0, log_likelihood=-1_000 * np.log(2) * 0.99)
    assert explained(coin["summary"]) == pytest.approx(0.01)
    said = sentences({**found, "fits": {**found["fits"], "LORI, 1 level": coin}})
    assert len(said) == 2
    assert said[1].startswith("Neither benefit nor need explains the allocation")
    assert "1.0 % of a coin's uncertainty" in said[1]


def test_other_orders(found):
    swapped = OrderedModel.linear([[0.02, 0.0], [0.0, 0.01]], epsilon=[1.0, 0.0], features=["benefit", "need"])
    fits = {**found["fits"], "LORI, 2 levels": fit_of(swapped, [0.7, 0.3], [["benefit"], ["need"]], bic=100.0)}
    _, first, _ = sentences({**found, "fits": fits})
    assert "Benefit comes first" in first
    assert "benefit difference above 50 days cannot be outweighed by any need;" in first
    assert first.endswith("Below that, need decides 30 %.")
    _, first, _ = sentences({**found, "fits": {name: found["fits"]["T-REX"] for name in ("T-REX", "LORI, 1 level")}})
    assert first.startswith("Neither comes first: a day of need is worth 1.59 days of benefit")


def test_a_level_that_decides_nothing_does_not_come_first(found):
    three = OrderedModel.linear(
        [[0.01, 0.0], [0.0001, 0.0139], [0.0562, 0.0002]], epsilon=[15.0, 0.9, 1.9], features=["benefit", "need"]
    )
    fit = fit_of(three, [0.001, 0.9, 0.09], [["benefit"], ["need"], ["benefit"]], bic=1.0)
    fits = {**found["fits"], "LORI, 3 levels": fit}
    assert best_of(fits) == "LORI, 3 levels"
    assert sentences({**found, "fits": fits})[1].startswith("Need comes first")


def test_rows_have_the_numbers_and_the_best_one_tells_about_the_registry(found):
    table = organ.rows(organ.SMOKE, [found])
    assert [row["method"] for row in table] == ["T-REX", "LORI, 2 levels"]
    assert table[1]["need 1"]["mean"] == 0.0139
    assert table[1]["days of need 1"]["mean"] == pytest.approx(0.8944 / 0.0139)
    assert table[1]["BIC below T-REX"]["mean"] == 100.0
    assert "days of need 2" not in table[1]
    assert "words" not in table[0]
    assert table[1]["words"] == sentences(found)
    assert table[1]["registry"] == found["registry"]


@pytest.mark.parametrize(("limit", "price"), [(40.0, None), (70.0, np.nan)])
def test_the_price_of_need(limit, price):
    """Where benefit makes up for need, both are preferred equally often; above the threshold it never does."""
    (paid,) = _price(PREFERENCES, np.array([limit]), 500.0)
    if price is None:
        assert float(PREFERENCES.preference([[-paid, limit]], [[0.0, 0.0]])[0]) == pytest.approx(0, abs=1e-6)
        assert _price(SINGLE, np.array([limit]), 500.0)[0] == pytest.approx(limit * 0.0137 / 0.0086)
    else:
        assert np.isnan(paid)


def test_figures(found, tmp_path):
    """White lies in the middle of LORI's panel, and T-REX's has none."""
    draw({"rows": organ.rows(organ.SMOKE, [found])}, tmp_path / "organ.png")
    picture = imread(tmp_path / "organ.png")[:, :, :3]
    height, width = picture.shape[:2]
    assert width > 2 * height
    panel = picture[: int(0.8 * height), 2 * width // 3 :]
    white = (panel > 0.99).all(axis=2)
    colours = [(np.abs(panel - np.array(rgb) / 255) < 0.02).all(axis=2) for rgb in ((213, 94, 0), (86, 180, 233))]
    assert min(colour.mean() for colour in colours) > 0.1
    rows, columns = (colours[0] | colours[1]).nonzero()
    middle = white[(rows.min() + rows.max()) // 2 - 5 :, (columns.min() + columns.max()) // 2 - 5 :][:10, :10]
    assert middle.all()


def test_figures_of_an_allocation_that_nothing_explains(found, tmp_path):
    nothing = OrderedModel.linear([[0.0, 0.0]], epsilon=[0.0], features=["benefit", "need"])
    fits = {name: fit_of(nothing, [1.0], [[]], bic=1.0, log_likelihood=-693.1) for name in ("T-REX", "LORI, 1 level")}
    draw({"rows": organ.rows(organ.SMOKE, [{**found, "fits": fits}])}, tmp_path / "organ.png")
    assert (tmp_path / "organ.png").stat().st_size > 10_000


def test_another_content_is_another_study(tmp_path):
    file = tmp_path / "registry.csv"
    file.write_text("a")
    before = organ.registry_study(file)
    file.write_text("b")
    after = organ.registry_study(file, 2018)
    assert before.settings != after.settings
    assert after.settings.year == 2018
    assert replace(before.settings, digest="", year=0) == replace(after.settings, digest="", year=0)
    with pytest.raises(DataError, match="absent"):
        organ.registry_study(tmp_path / "absent.csv")


def test_a_registry_that_would_never_end_or_cannot_be_read_twice(tmp_path):
    with pytest.raises(DataError, match="got a device"):
        organ.registry_study(Path("/dev/zero"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="got a pipe"):
        organ.registry_study(tmp_path / "pipe")


def run(monkeypatch, capsys, *words_: str) -> tuple[int, str, str]:
    monkeypatch.setattr("lori.interfaces.commands.main.use_cache", lambda: None)
    monkeypatch.setattr(sys, "argv", ["lori", *words_])
    with pytest.raises(SystemExit) as left:
        cli.main()
    shown = capsys.readouterr()
    return int(left.value.code or 0), shown.out, shown.err


def test_commands(monkeypatch, capsys, tmp_path, found):
    """From `simulate` to `reproduce --registry`, with the fits made up."""
    out = str(tmp_path / "made")
    size = ("--patients", "60", "--organs", "40")
    code, shown, _ = run(monkeypatch, capsys, "simulate", "organ", "--policy", "model", *size, "--out", out)
    assert code == 0
    assert "registry.csv" in shown
    assert (tmp_path / "made" / "truth.json").exists()
    seen = []
    monkeypatch.setattr(
        organ, "STUDY", replace(organ.STUDY, cell=lambda settings, seed: seen.append(settings) or found)
    )
    registry = ("--registry", f"{out}/registry.csv", "--year", "2018")
    code, shown, _ = run(monkeypatch, capsys, "reproduce", "organ", *registry, "--out", str(tmp_path / "out"))
    assert code == 0
    assert seen[0].registry.endswith("registry.csv")
    assert seen[0].year == 2018
    assert "Need comes first" in shown
    assert "Need comes first" in (tmp_path / "out" / "organ.md").read_text()
    code, _, err = run(monkeypatch, capsys, "reproduce", "table2", *registry, "--out", str(tmp_path / "out"))
    assert code == 2
    assert "lori reproduce organ --registry" in err
    code, _, err = run(monkeypatch, capsys, "simulate", "organ", "--policy", "lottery", "--out", str(tmp_path / "no"))
    assert code == 2
    assert "meld, strict, veto, benefit, waiting, model or sets" in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("meld", "Need comes first"),
        ("benefit", "Benefit comes first"),
        ("waiting", "Neither benefit nor need explains the allocation"),
    ],
)
def test_what_a_policy_puts_first_is_found(policy, said, tmp_path):
    pytest.importorskip("lifelines", reason="needs the extra [organ]")
    write_registry(tmp_path / "registry.csv", SyntheticSettings(policy=policy))
    study = organ.registry_study(tmp_path / "registry.csv")
    answer = study.cell(replace(study.settings, levels=2), 0)
    assert sentences(answer)[1].startswith(said)
    text = json.dumps(answer)
    assert json.loads(text) == answer
    assert len(text) < 40_000  # no patient's row is in it


@pytest.mark.slow
def test_the_papers_model_is_found_again_at_the_papers_size():
    pytest.importorskip("lifelines", reason="needs the extra [organ]")
    answer = organ.cell(replace(organ.OrganSettings(), levels=2), 0)
    levels = answer["fits"]["LORI, 2 levels"]["summary"]["levels"]
    numbers = [level["epsilon"] for level in levels] + [levels[0]["weights"]["need"]]
    for found_, truth in zip(numbers, (0.8944, 1.8830, 0.0139), strict=True):
        assert abs(found_["value"] - truth) < 3 * found_["standard_error"]
    assert abs(levels[0]["thresholds"]["need"]["value"] - 64.3) < 2
    assert best_of(answer["fits"]) == "LORI, 2 levels"


def test_several_registries_tell_how_far_they_agree(found):
    assert order_of(found) == "need"
    assert between([found]) == []
    (said,) = between([found, found])
    assert "first comes need in 2" in said
    assert "need counts from 64.3 to 64.3 days" in said
    assert "holds the mean of the others in 2 of 2" in said
    rows = organ.rows(organ.SMOKE, [found, found])
    assert all(len(row["accuracy %"]["values"]) == 2 for row in rows)


def test_an_interval_is_judged_by_the_other_registries():
    numbers = [{"value": value, "interval": [value - 2, value + 2]} for value in (60.0, 61.0, 70.0)]
    assert covering(numbers) == [False, False, False]
    assert covering(numbers[:2]) == [True, True]
