"""Tables 2 to 5 at a small size: every row is there, percentages are percentages, and the truth is the ceiling."""

from dataclasses import replace

import pytest

from lori.experiments import cancer, table2, table3, table4, table5
from lori.experiments.cancer import SMOKE, policies_cell, rewards_cell, rewards_rows

TINY = replace(
    SMOKE, trajectories=40, pairs=120, starts=4, passes=20, cells=12, birl_cells=6, birl_samples=220, rounds=2
)


@pytest.mark.slow
@pytest.mark.parametrize("single", [False, True])
def test_the_truth_makes_no_error_and_the_others_do(single):
    cell = rewards_cell(replace(TINY, single=single), seed=0)
    ours = ["LORI", "LORI, both levels capped", "LORI, as printed", "LORI, as scripted"]
    assert list(cell) == ["BIRL", "T-REX", *ours, "the truth"]
    assert cell["the truth"]["RMSE"] == 0.0
    assert all(0 < cell[method]["RMSE"] < 1 for method in cell if method != "the truth")
    rows = rewards_rows(TINY, [cell, cell])
    assert rows[0]["mixed"] in (0.0, 1.0)
    assert set(rows[2]) == {"method", "RMSE", "accuracy %", "converged", "at the best", "levels advised", "words"}
    assert all("converged" in row for row in rows if row["method"] in ours)
    assert rows[4]["converged"] == 0.0  # twenty passes are not enough


@pytest.mark.slow
@pytest.mark.parametrize(("single", "more"), [(False, []), (True, ["LORI, one level as advised"])])
def test_each_policy_meets_those_before_it(single, more):
    cell = policies_cell(replace(TINY, single=single), seed=0)
    met = ["Behaviour", "BC", "BIRL", "T-REX", "Optimal", "LORI"]
    as_the_paper = ["LORI, both levels capped", "LORI, as printed", "LORI, as scripted"]
    preferred = ["LORI, preferred policy", "true rewards, preferred policy"]
    assert list(cell) == [*met[1:], *as_the_paper, *more, *preferred]
    for place, name in enumerate(cell, start=1):
        assert list(cell[name]) == [f"against {other}" for other in met[:place]]
        assert all(0 <= percent <= 100 for percent in cell[name].values())


@pytest.mark.slow
def test_tables_of_one_world_share_what_is_learned():
    assert cancer.learned(TINY, 0) is cancer.learned(replace(TINY), 0)


@pytest.mark.parametrize("table", [table2, table3, table4, table5])
def test_the_paper_speaks_of_our_rows(table):
    study = table.STUDY
    assert study.settings.single is (table in (table4, table5))
    assert set(study.paper) <= {"BC", "BIRL", "T-REX", "Optimal", *cancer.OURS}
    assert all(study.paper[name] == study.paper["LORI"] for name in cancer.OURS)  # each has two levels, as the paper's
