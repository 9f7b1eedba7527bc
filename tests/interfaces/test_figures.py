"""Figures: drawn from a summary alone, written whole."""

import matplotlib.pyplot as plt
import pytest

from lori.errors import DataError
from lori.interfaces import figures

NUMBER = {"value": 0.5, "standard_error": 0.1, "interval": [0.3, 0.7]}
SUMMARY = {
    "features": ["need", "benefit"],
    "levels": [
        {
            "level": 1,
            "importance": {"need": 0.9, "benefit": 0.1},
            "leading": ["need"],
            "thresholds": {"need": NUMBER, "benefit": NUMBER},
            "decides": 0.6,
        },
        {
            "level": 2,
            "importance": {"need": 0.0, "benefit": 0.0},
            "leading": [],
            "thresholds": {"need": NUMBER, "benefit": NUMBER},
            "decides": 0.4,
        },
    ],
}


def test_ladder_shows_levels_shares_and_thresholds(tmp_path):
    figure, axes = plt.subplots()
    figures.draw_ladder(axes, SUMMARY, "Title")
    words = " ".join(text.get_text() for text in axes.texts)
    assert "decides 60%" in words
    assert "need counts from a difference of 0.5 (0.3 to 0.7)" in words
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Level 1", "Level 2"]
    figures.save(figure, tmp_path / "ladder.png")
    assert (tmp_path / "ladder.png").stat().st_size > 1000
    with pytest.raises(DataError):
        figures.save(plt.figure(), tmp_path / "missing" / "ladder.png")
