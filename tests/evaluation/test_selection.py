"""The number of levels: the right one, the reason, agents."""

import numpy as np
import pytest

import lori
from lori.errors import DataError, InputError
from lori.evaluation import selection
from lori.evaluation.selection import select_levels, select_levels_by_agent, shares
from lori.experiments.bench.populations import Design, one_level

ONE = lori.OrderedModel.linear([[1.5, -1.0]], epsilon=[0.0], features=["cost", "time"])
TWO = lori.OrderedModel.linear([[4.0, 0.0], [0.0, 4.0]], epsilon=[4.0, 0.0], features=["cost", "time"])


@pytest.mark.slow  # a fast one is in interfaces/commands/test_fit.py
@pytest.mark.parametrize("method", ["laplace", "smc"])
@pytest.mark.parametrize(
    ("truth", "levels", "verdict"), [(TWO, 2, {"more levels"}), (ONE, 1, {"one level", "undecided"})]
)
def test_the_right_number(truth, levels, verdict, method):
    chosen = select_levels(lori.simulate(truth, 200, seed=0), 2, method=method, draws=400)
    assert chosen.recommended == levels
    assert chosen.verdict in verdict
    fields = chosen.to_dict()
    assert [row["levels"] for row in fields["candidates"]] == [1, 2]
    assert min(row["short_of_best"] for row in fields["candidates"]) == pytest.approx(0.0, abs=1e-9)
    assert ("One level is recommended" if levels == 1 else "Two levels are recommended") in str(chosen)


@pytest.mark.slow
def test_leaving_one_out_agrees_with_really_doing_so():
    """Importance sampling against refitting without each pair, for a model of two parameters."""
    prefs = lori.simulate(ONE, 40, seed=3)
    model = lori.LORI(levels=1, epsilon=0.0)
    chosen = select_levels(prefs, 1, estimator=model, draws=2000)
    assert chosen.held_out_by == "leaving one out"
    direct = []
    for i in range(0, 40, 8):
        rest = np.delete(np.arange(40), i)
        own = model.posterior(prefs.subset(rest), method="laplace", draws=2000)
        pair = prefs.subset([i])
        place = 0 if pair.wins[0] else 2
        direct.append(np.log(own.predict_proba(pair.left_features, pair.right_features)[:, 0, place].mean()))
    np.testing.assert_allclose(chosen.candidates[0].held_out[::8], direct, atol=0.08)


@pytest.mark.slow
def test_agents_of_tversky():
    base = lori.LORI(levels=2, reward=lori.Linear(increasing="all"), epsilon=(None, 0.0))
    everybody = lori.tversky1969()
    some = everybody.subset(np.isin(everybody.agent, ["1", "8"]))
    chosen = select_levels_by_agent(some, estimator=base)
    assert chosen["1"].verdict == "more levels"
    assert chosen["1"].posterior.order().first()["probability"] > 0.95
    assert chosen["8"].verdict in ("one level", "undecided")
    assert shares(chosen)["more levels"] == 0.5


@pytest.fixture
def fitted_to(monkeypatch):
    """What is fitted in cross-validation: the tie rule and the pairs of each fit."""
    seen = []
    real = lori.LORI.fit

    def fit(self, preferences, *rest, **options):
        seen.append((self.ties, preferences))
        return real(self, preferences, *rest, **options)

    monkeypatch.setattr(selection, "MANY", 0)  # as if there were many pairs: what is held out is really left out
    monkeypatch.setattr(lori.LORI, "fit", fit)
    return seen


def test_cross_validation_keeps_repeats_together_and_decides_ties_once(fitted_to):
    """A pair that is predicted was seen in no other row, in neither direction, and every part has the same model."""
    prefs = lori.simulate(ONE, 30, seed=0)
    tied = lori.Preferences.from_arrays([[1.0, 1.0]], [[1.1, 1.0]], counts=[[0, 1, 0]], features=ONE.features)
    doubled = lori.Preferences.concatenate([prefs, prefs.swap(), tied])
    base = lori.LORI(starts=1)
    chosen = select_levels(doubled, 1, estimator=base, method="laplace", draws=50)
    assert chosen.held_out_by == "5-fold cross-validation"
    assert len(chosen.candidates[0].held_out) == len(doubled)
    parts = [(rule, part) for rule, part in fitted_to if len(part) < len(doubled)]
    assert len(parts) == 5
    assert {rule for rule, _ in parts} == {"observed"}  # also where the only tie is held out
    assert sum(not part.has_ties for _, part in parts) == 1
    for _, part in parts:
        rows = {(*left, *right) for left, right in zip(part.left_features, part.right_features, strict=True)}
        assert all((*row[2:], *row[:2]) in rows for row in rows if row != (1.0, 1.0, 1.1, 1.0))


@pytest.mark.parametrize(
    ("gain", "error", "verdict"),
    [
        (5.0, 0.1, "more levels"), (5.0, 0.9, "undecided"), (3.1, 0.01, "more levels"), (3.1, 0.1, "undecided"),
        (-3.0, 0.1, "one level"), (-3.0, 0.9, "undecided"), (2.0, 0.0, "undecided"), (5.0, None, "more levels"),
    ],
)  # fmt: skip
def test_a_verdict_that_another_set_of_draws_could_turn_is_none(gain, error, verdict):
    """More levels need 3 units more, one level 1 unit; a difference may be wrong by twice its error."""
    kept = [selection.Candidate(i + 1, own, error, True, np.zeros(2), None) for i, own in enumerate((0.0, gain))]
    assert selection._recommendation(kept)[1] == verdict


def test_wrong_requests():
    prefs = lori.simulate(ONE, 20, seed=0)
    with pytest.raises(InputError, match="prior: expected a prior"):
        select_levels(prefs, estimator=lori.LORI(lapse=0, prior=None))
    with pytest.raises(InputError, match="up_to"):
        select_levels(prefs, 0)
    with pytest.raises(InputError, match="at least two comparisons"):
        select_levels(prefs.subset([0]))


def test_an_agent_with_a_single_pair_is_told_without_a_name():
    few = lori.simulate(ONE, 5, agents=3, seed=0)
    with pytest.raises(DataError, match="agent: expected at least two pairs of each agent, got one pair of 1 of the 3"):
        select_levels_by_agent(few)


def test_every_agent_has_the_tie_rule_of_all(monkeypatch):
    truth = lori.OrderedModel.linear([[2.0, 1.0]], epsilon=[1.0], ties="observed")
    data = lori.simulate(truth, 60, agents=3, seed=0)
    without = data.subset(~((data.agent == "1") & (data.ties > 0)))
    asked = {}
    monkeypatch.setattr(
        selection, "select_levels", lambda own, up_to, *, estimator, draws: asked.update({own.agent[0]: estimator.ties})
    )
    select_levels_by_agent(without)
    assert asked == dict.fromkeys("123", "observed")


@pytest.mark.slow
def test_people_who_differ_are_not_levels():
    """The evidence of the pooled choices speaks for a second level; people with one level each explain them better."""
    data = one_level(Design(60, 25, 2), 1000, weight=3.0)
    chosen = select_levels(data, 2, estimator=lori.LORI(starts=8), method="laplace", draws=300)
    one, two = chosen.candidates
    assert two.log_evidence > one.log_evidence + 3
    assert (chosen.recommended, chosen.verdict) == (1, "one level")
    assert chosen.reason.startswith("Agents who differ explain the pooled choices better")
