"""Are contests fair, and is everything named that is missing?"""

import pytest

from lori.experiments.bench.contest import Claim, Contestant, Measured, hold
from lori.experiments.bench.run import text_claims, text_table


class Clock:
    """Time that passes only when somebody works."""

    def __init__(self):
        self.now = 0.0
        self.worked = []

    def __call__(self):
        return self.now

    def work(self, name, *durations):
        """Somebody whose turns take these seconds, the warm-up first."""
        left = list(durations)

        def run():
            self.worked.append(name)
            self.now += left.pop(0)
            return f"{name} {len(left)}"

        return run


def test_contestants_take_turns_after_a_warm_up():
    clock = Clock()
    outcome = hold(
        "case",
        [Contestant("a", clock.work("a", 100, 1, 4, 2)), Contestant("b", clock.work("b", 50, 8, 6, 7))],
        3,
        clock=clock,
    )
    assert clock.worked == ["a", "b"] * 4
    one, other = outcome.rows
    assert one.seconds.values == (1, 4, 2)  # the warm-up is not timed
    assert one.seconds.to_dict() == {"median": 2, "min": 1, "max": 4, "values": [1, 4, 2]}
    assert (one.ratio, other.ratio) == (1.0, 3.5)
    assert outcome.relative("a", "b") == pytest.approx(2 / 7)
    assert outcome.answers == {"a": "a 0", "b": "b 0"}  # of the last round


def test_there_is_a_rest_before_each_turn_that_is_timed():
    heard = []
    contestants = [Contestant(name, lambda name=name: heard.append(name)) for name in "ab"]
    hold("case", contestants, 1, rest=lambda seconds: heard.append("rest"))
    assert heard == ["a", "b", "rest", "a", "rest", "b"]
    heard.clear()
    hold("case", contestants, 0, rest=lambda seconds: heard.append("rest"))
    assert heard == ["a", "b"]


def test_a_cold_contestant_is_not_warmed_up_and_a_part_is_scaled():
    clock = Clock()
    contestants = [Contestant("a", clock.work("a", 3), warm=False), Contestant("b", clock.work("b", 9, 2), scale=10)]
    outcome = hold("case", contestants, 1, clock=clock)
    assert clock.worked == ["b", "a", "b"]
    assert [row.seconds.median for row in outcome.rows] == [3, 20]


def test_a_missing_peer_is_skipped_by_name():
    outcome = hold("case", [Contestant("ours", lambda: 1), Contestant("theirs", lambda: 2, "no_such_package")], 1)
    row = outcome.rows[1]
    assert row.seconds is None
    assert row.ratio is None
    assert row.note == "skipped: no_such_package is not installed (pip install 'lori[bench]')"
    assert "theirs" not in outcome.answers
    assert outcome.relative("ours", "theirs") is None
    assert outcome.median("theirs") is None
    outcome.add("theirs", "was never there", speed=1.0)
    assert outcome.rows[1] == row
    measured = Measured(outcome.rows)
    measured.claim("faster", outcome.relative("ours", "theirs"), 1.0)
    assert measured.claims == []
    assert "no_such_package" in text_table(outcome.rows)


def test_a_peer_that_fails_is_named_and_our_own_failure_is_raised():
    def broken():
        raise RuntimeError("no solver")

    outcome = hold("case", [Contestant("ours", lambda: 1), Contestant("theirs", broken, "json")], 2)
    assert outcome.rows[1].note == "failed: RuntimeError: no solver"
    assert outcome.rows[0].seconds is not None
    with pytest.raises(RuntimeError):
        hold("case", [Contestant("ours", broken)], 1)


def test_claims_on_speed_are_not_judged_in_a_smoke_run():
    speed, answer = Claim("speed", 0.9, 0.75), Claim("answer", 1e-9, 1e-6, at_any_size=True)
    assert speed.to_dict(smoke=False) == {"claim": "speed", "value": 0.9, "at most": 0.75, "holds": False}
    assert speed.to_dict(smoke=True)["holds"] is None
    assert answer.to_dict(smoke=True)["holds"] is True
    assert Claim("factor", 600, 500, at_least=True).holds
    assert text_claims([speed, answer], smoke=False).splitlines() == [
        "DOES NOT HOLD  speed: 0.9 ≤ 0.75", "holds          answer: 1e-09 ≤ 1e-06",
    ]  # fmt: skip
