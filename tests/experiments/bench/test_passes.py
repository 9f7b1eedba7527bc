"""Are passes over all rows counted, and no others?"""

from collections import Counter

import numpy as np

from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Outcome, Row, Seconds
from lori.experiments.bench.data import organ_pairs
from lori.experiments.bench.passes import Pass, add_passes, passes_of, told
from lori.inference.blocks import Evaluation
from lori.inference.problem import Problem


def test_passes_over_all_rows_are_counted(monkeypatch):
    """Against a count of what problems are asked, by the number of their rows."""
    data = organ_pairs(120_000).preferences
    estimator = LORI(levels=2, lapse=0, prior=None).fit(data)
    asked, evaluate = Counter(), Problem.evaluate

    def noted(self: Problem, vectors: np.ndarray, order: int = 2) -> Evaluation:
        if self.source.rows == len(data):
            asked[Pass(self.specification.levels, self.specification.likelihood.single_precision, order)] += 1
        return evaluate(self, vectors, order)

    monkeypatch.setattr(Problem, "evaluate", noted)
    found = passes_of(estimator, data)
    assert found == asked
    assert {own.levels for own in found} == {1, 2}
    assert 2 <= found.total() < 20


def test_few_rows_have_no_samples_and_are_not_counted():
    row = Row("case", "ours", Seconds((1.0,)))
    outcome = Outcome([row], {})
    add_passes(outcome, "ours", LORI(), organ_pairs(100).preferences)
    assert outcome.rows == [row]


def test_one_pass_is_told():
    assert told(Counter({Pass(1, False, 2): 1})) == "1 pass over all rows: a curvature of 1 level in double precision"
