"""Does the case of many agents run, in a process of its own?"""

import pytest

from lori.experiments.bench.population_scale import SMOKE, measure


@pytest.mark.slow
def test_both_fits_are_timed_and_memory_is_told():
    measured = measure(SMOKE)
    assert [row.contestant for row in measured.rows] == ["one model for all", "2 classes"]
    assert "× the data" in measured.rows[1].note
