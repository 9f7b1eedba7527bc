"""What long benchmarks found is kept: do settings and numbers of today agree with it, and do the pages quote it?

Each file holds the whole result of a case, which takes minutes, and under `trials` what became of single data sets: the
arguments of a trial, what it found, and for all of them how far a number may be off (ranks are counted in thousandths
of the draws; a question that is chosen otherwise changes all that follow).
"""

import json
from dataclasses import asdict, is_dataclass
from pathlib import Path

import pytest

from lori.experiments.bench import calibration, questions, recovery
from lori.experiments.bench.run import CASES

ROOT = Path(__file__).parents[3]
FILES = sorted(file for file in (ROOT / "tests" / "golden").glob("*.json") if file.stem in CASES)  # others are studies
GOLDEN = {file.stem: json.loads(file.read_text()) for file in FILES}
TRIALS = {
    "calibration": calibration._trial,
    "levels": recovery._recommended,
    "questions": questions._run,
    "recovery": recovery._trial,
}
QUICK = ("recovery", 0)  # the others take from seconds to a minute


def trials() -> list:
    found = []
    for name, golden in GOLDEN.items():
        for place in range(len(golden["trials"])):
            slow = [] if (name, place) == QUICK else [pytest.mark.slow]
            found.append(pytest.param(name, place, marks=slow, id=f"{name} {place}"))
    return found


def plain(found):
    """As it is kept in a file."""
    return json.loads(json.dumps(asdict(found) if is_dataclass(found) else found))


def numbers(found, path=""):
    """Every number of a nested answer, by its path."""
    if isinstance(found, dict | list):
        items = found.items() if isinstance(found, dict) else enumerate(found)
        return {name: value for key, own in items for name, value in numbers(own, f"{path}/{key}").items()}
    return {path: float(found)}


def measures(name: str, case: str = "") -> dict[str, dict[str, float]]:
    return {row["contestant"]: row["measures"] for row in GOLDEN[name]["rows"] if row["case"].startswith(case)}


@pytest.mark.parametrize("name", GOLDEN)
def test_a_golden_result_is_that_of_the_default_settings(name):
    found = GOLDEN[name]
    assert found["name"] == name
    assert not found["smoke"]
    assert found["settings"][name] == plain(CASES[name].full)
    assert {"lori", "jax", "numpy"} <= set(found["versions"])


def test_every_statistical_case_is_among_them():
    """But for those that keep every run in a folder of their own, from which they go on, one of a single batch, and
    those whose results stand on a page alone, or nowhere yet."""
    whole = {"coverage", "people", "populations", "set-coverage", "set-recovery", "third-levels"}
    whole |= {
        "planning",
        "q-learning",
        "actor-critic",
        "occupation",
        "off-policy",
        "interview",
        "elicit",
        "features",
        "stream",
    } | {name for name in CASES if name.startswith("population-")}
    assert set(GOLDEN) | whole == {name for name, case in CASES.items() if case.by_name}
    assert set(GOLDEN) == set(TRIALS)


@pytest.mark.parametrize(("name", "place"), trials())
def test_a_trial_finds_what_it_found(name, place):
    golden = GOLDEN[name]
    trial = golden["trials"][place]
    found = plain(TRIALS[name]((CASES[name].full, *trial["work"])))
    off = golden["tolerance"]
    assert numbers(found) == pytest.approx(numbers(trial["found"]), rel=min(off, 1e-6), abs=off)


@pytest.mark.parametrize("name", GOLDEN)
def test_what_must_hold_did_hold_or_the_page_says_so(name):
    page = (ROOT / "docs" / "bench.md").read_text()
    for claim in GOLDEN[name]["claims"]:
        holds = claim.get("at least", -1e9) <= claim["value"] <= claim.get("at most", 1e9)
        assert claim["holds"] == holds
        told = f"{claim['value']:.3f} (**" if "chi-square" in claim["claim"] else f"{100 * claim['value']:.1f}"
        assert holds or (told in page and "**does not hold**" in page), claim["claim"]


def test_trials_agree_with_the_whole():
    for trial in GOLDEN["levels"]["trials"]:
        levels, seed = trial["work"]
        told = GOLDEN["levels"]["rows"][levels - 1]["note"].split("recommended ")[1].split()
        assert int(told[seed]) == trial["found"]
    for trial in GOLDEN["recovery"]["trials"]:
        band = sum(trial["found"]["hanging"] >= edge for edge in recovery.BANDS) - 1
        assert trial["found"]["rmse"] <= list(measures("recovery").values())[band]["largest RMSE"]


# -- the pages quote what was recorded ----------------------------------------------------------------------------


def test_the_coverage_that_is_quoted_is_that_of_the_default_method():
    claims = {claim["claim"]: claim["value"] for claim in GOLDEN["calibration"]["claims"]}
    default, smc = (claims[f"calibration: coverage of 90 % intervals, {by}, at least"] for by in ("laplace", "smc"))
    front, page = ((ROOT / name).read_text().replace(" %", "%") for name in ("README.md", "docs/bench.md"))
    assert f"90% intervals cover {default:.0%} of the truths" in front
    assert f"| `laplace` (the default), 2 000 pairs | {default:.1%} |" in page
    assert f"| `smc`, 300 pairs | {smc:.1%} |" in page


def test_the_tables_are_those_of_the_files():
    page = (ROOT / "docs" / "bench.md").read_text()
    for own in measures("recovery").values():
        counts = " | ".join(str(own[name]) for name in ("of", "right", "fewer", "stands", "close"))
        assert f"| {counts} ({own['largest RMSE']:.4f}) |" in page
    for asked, own in measures("questions").items():
        assert f"| {asked} | {own['median']:.4f} |" in page
    told = [f"{own['right']} of {own['of']}" for own in measures("levels").values()]
    assert page.index(told[0]) < page.index(told[1], page.index("`lori bench levels`, 1 000"))
