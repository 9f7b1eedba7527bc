"""Do the reports of the three studies state the right priority and threshold in words?"""

import html5lib
import pytest

import lori
from lori.applications.cancer import world
from lori.applications.cancer.dynamics import Cancer
from lori.applications.organ.preferences import preferences
from lori.applications.organ.registry import read_registry
from lori.applications.organ.survival import estimate
from lori.applications.organ.synthetic import SyntheticSettings, write_registry
from lori.applications.organ.truth import PREFERENCES
from lori.interfaces.report import rendering
from lori.interfaces.report.content import report
from lori.model.quantity import Quantity

pytestmark = pytest.mark.slow


def said(model, prefs) -> tuple[str, Quantity]:
    """The page in plain words, and the threshold of the first level."""
    page = rendering.html(report(model, prefs))
    assert len(page.encode()) < 3_000_000
    tree = html5lib.HTMLParser(strict=True).parse(page)
    first = model.summary().levels[0]
    return " ".join("".join(tree.itertext()).split()), first.thresholds[first.leading[0]]


def test_person_1_puts_probability_first():
    person = lori.tversky1969().by_agent()["1"]
    model = lori.LORI(levels=2, reward=lori.Linear(increasing="all"), epsilon=(None, 0.0), lapse=0, prior=None).fit(
        person
    )
    words, _ = said(model, person)
    assert "Probability (more is better) comes first: differences of 0.1089 or more" in words
    assert "Payoff (more is better) comes second" in words
    assert "The choices support a second level" in words


def test_clinicians_put_white_blood_cells_first():
    signs = {"increasing": ("wbc",), "decreasing": ("tumour",)}
    demonstrations = lori.roll_out(Cancer(), world.behaviour_policy(cells=40), count=1000, seed=0)
    prefs = world.preferences(demonstrations, 1000, seed=2)
    reward = [lori.Capped(**signs), lori.Linear(**signs)]
    words, threshold = said(lori.LORI(levels=2, reward=reward, prior=lori.Prior(degrees=1)).fit(prefs), prefs)
    assert "Wbc (more is better) comes first: differences of" in words
    assert "Tumour (less is better) comes second" in words
    assert threshold.interval[0] < world.EPSILON < threshold.interval[1]


def test_the_registry_puts_need_first(tmp_path):
    small = SyntheticSettings(policy="model", patients=400, organs=330, waiting=60, history=1_500, others=80)
    write_registry(tmp_path / "registry.csv", small, model=PREFERENCES)
    registry = read_registry(tmp_path / "registry.csv", year=small.year)
    prefs = preferences(registry, estimate(registry), panel=PREFERENCES, seed=0)
    model = lori.LORI(levels=2, reward=lori.Linear(increasing="all"), starts=8).fit(prefs)
    words, threshold = said(model, prefs)
    assert "Need (more is better) comes first: differences of" in words
    assert "Benefit (more is better) comes second" in words
    true = PREFERENCES.levels[0].thresholds[1]
    assert threshold.interval[0] < true < threshold.interval[1]
