"""Are simulated people what they are said to be, and is every kind of population counted?"""

import numpy as np
import pytest

from lori.experiments.bench import populations
from lori.experiments.bench.populations import KINDS, SMOKE, Design, one_level, two_levels
from lori.inference.support import Step, judged


def test_everyone_is_asked_and_answers_alike_for_a_seed():
    design = Design(6, 5, 3, values=3)
    data, again = one_level(design, 1), one_level(design, 1)
    assert (data.n_pairs, data.n_features, len(data.by_agent())) == (30, 3, 6)
    assert np.array_equal(data.wins, again.wins)
    assert len(np.unique(data.alternatives)) == 3
    assert data.alternatives.std() == pytest.approx(1.0, abs=0.15)


def test_weights_differ_by_the_deviation():
    """Answers without noise show the sign of a person's only weight: 16 % of N(1, 1) are below 0."""
    data = one_level(Design(1000, 8, 1), 2, weight=50.0)
    agrees = np.where(data.wins > 0, 1, -1) == np.sign(data.differences[:, 0])
    by_person = agrees.reshape(1000, 8).mean(axis=1)
    assert np.mean(by_person < 0.5) == pytest.approx(0.1587, abs=4 * np.sqrt(0.16 * 0.84 / 1000))


def test_slips_are_random_answers():
    data = two_levels(Design(50, 200, 2, slips=0.2), 3, weight=100.0, threshold=0.0)
    wrong = np.where(data.wins > 0, 1, -1) != np.sign(data.differences[:, 0])
    assert wrong.mean() == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / 10_000) + 0.005)  # hard choices err, too


def test_the_second_feature_decides_below_the_threshold():
    data = two_levels(Design(20, 300, 2), 4, weight=30.0, threshold=30.0, spread=0.0)
    close = np.abs(data.differences[:, 0]) < 0.7
    agrees = np.where(data.wins > 0, 1, -1) == np.sign(data.differences[:, 1])
    assert agrees[close].mean() > 0.95


@pytest.mark.parametrize(("gain", "pays"), [(0.01, False), (7.0, False), (8.0, True), (11.0, True)])
def test_a_level_pays_where_it_would_be_supported_if_people_were_alike(gain, pays):
    """Three parameters cost 3 log(1000) / 2 = 10.4, and seven tenths of that are 7.3."""
    support = judged((Step(1, -600.0, 2), Step(2, -600.0 + gain, 5)), 1000, None)
    assert populations.pays(support, 1000) is support.holds is pays


def test_every_kind_is_counted_and_a_stopped_run_goes_on(tmp_path, monkeypatch):
    judged = []

    def noted(work, judge=populations._judged):
        judged.append(work)
        return judge(work)

    monkeypatch.setattr(populations, "_judged", noted)
    first, again = (populations.measure(SMOKE, tmp_path, lambda text: None, lambda done, of: None) for _ in range(2))
    assert [row.contestant for row in first.rows] == [kind.name for kind in KINDS]
    assert all(row.measures["of"] == 1 for row in first.rows)
    assert len(first.claims) == 1
    assert len(judged) == len(KINDS)
    assert again.rows == first.rows
