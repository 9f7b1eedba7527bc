"""What long benchmarks found is kept; the files must come from the settings of today, and say what must hold."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from lori.experiments.bench.run import CASES

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_a_golden_result_is_that_of_the_default_settings(file):
    found = json.loads(file.read_text())
    assert found["name"] == file.stem
    assert not found["smoke"]
    now = json.loads(json.dumps(asdict(CASES[file.stem].full)))
    assert found["settings"][file.stem] == now
    assert {"lori", "jax", "numpy"} <= set(found["versions"])


def test_calibration_is_among_them():
    assert "calibration" in [file.stem for file in GOLDEN]
