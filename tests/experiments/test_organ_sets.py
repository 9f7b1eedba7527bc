"""Is what the readings of an organ's choice say told side by side?"""

from lori.experiments import organ_sets
from lori.experiments.organ_sets import READINGS, THRESHOLD, OrganSetsSettings, rows


def test_readings_stand_side_by_side():
    def said(low, high):
        told = {"first": "need", "threshold": 60.0, "interval": [low, high], "decides": 0.5}
        return told | {"log-likelihood of the choice": -2.0}

    cell = {"alternatives": 20.0, **dict(zip(READINGS, (said(50, 70), said(62, 66), said(40, 80)), strict=True))}
    table = rows(OrganSetsSettings(), [cell, cell])
    assert [row["method"] for row in table] == list(READINGS)
    assert round(THRESHOLD) == 60
    assert [row["holds the truth (60 days) %"]["mean"] for row in table] == [100.0, 0.0, 100.0]
    assert [row["width of the interval"]["mean"] for row in table] == [20.0, 4.0, 40.0]
    assert organ_sets.STUDY.name == "organ_sets"
