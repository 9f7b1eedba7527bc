"""Bradley–Terry models: how long do a million comparisons of a hundred items take, against libraries for nothing else?

Everybody starts from the same list of comparisons and ends with scores of the items. Without ties all maximise the
same Bradley–Terry likelihood. With ties the models differ: LORI's threshold is that of Rao and Kupper, evalica's
`newman` follows Davidson, its `bradley_terry` counts a tie as half a win of each; choix knows no ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Contestant, Measured, hold

OURS = "LORI, 1 level"


@dataclass(frozen=True)
class BradleyTerrySettings:
    """What is measured on items without features."""

    comparisons: int = 1_000_000
    """Comparisons of two random items."""
    items: int = 100
    """Items; the first one's score is zero."""
    epsilon: float = 0.3
    """True threshold below which a comparison is a tie."""
    repeats: int = 5
    """Rounds of the contest."""


SMOKE = BradleyTerrySettings(comparisons=2_000, items=4, repeats=0)


@dataclass(frozen=True)
class Comparisons:
    """Which items met, and what came out: 1 for left, −1 for right, 0 for a tie."""

    left: np.ndarray
    right: np.ndarray
    outcome: np.ndarray
    items: int

    @property
    def counts(self) -> np.ndarray:
        """(3, items, items) how often right won, neither, and left, where the left item, by row, met the right one."""
        met = ((self.outcome + 1) * self.items + self.left) * self.items + self.right
        return np.bincount(met, minlength=3 * self.items**2).reshape(3, self.items, self.items)

    def beaten(self) -> np.ndarray:
        """(items, items) how often row beat column."""
        lost, _, won = self.counts
        return won + lost.T

    def preferences(self) -> Preferences:
        """A row for each pair of items; an item is its own feature."""
        one, other = np.triu_indices(self.items, 1)
        lost, tied, won = self.counts
        beaten, drawn = won + lost.T, tied + tied.T
        counts = np.stack([beaten[one, other], drawn[one, other], beaten[other, one]], axis=1)
        met = counts.sum(axis=1) > 0
        return Preferences.from_indices(np.eye(self.items)[:, 1:], one[met], other[met], counts=counts[met])

    def decided(self) -> Comparisons:
        kept = self.outcome != 0
        return Comparisons(self.left[kept], self.right[kept], self.outcome[kept], self.items)


def simulated(settings: BradleyTerrySettings) -> Comparisons:
    generator = np.random.default_rng(0)
    scores = generator.normal(size=settings.items)
    left = generator.integers(settings.items, size=settings.comparisons)
    right = (left + generator.integers(1, settings.items, size=settings.comparisons)) % settings.items
    gap, drawn = scores[left] - scores[right], generator.uniform(size=settings.comparisons)
    better = 1 / (1 + np.exp(settings.epsilon - gap))
    worse = 1 / (1 + np.exp(settings.epsilon + gap))
    return Comparisons(left, right, np.where(drawn < better, 1, np.where(drawn > 1 - worse, -1, 0)), settings.items)


def measure(settings: BradleyTerrySettings) -> Measured:
    everything = simulated(settings)
    decided, measured = everything.decided(), Measured()
    winners = np.where(decided.outcome > 0, decided.left, decided.right).tolist()
    losers = np.where(decided.outcome > 0, decided.right, decided.left).tolist()
    data = list(zip(winners, losers, strict=True))

    def ours(comparisons: Comparisons, **options) -> np.ndarray:
        model = LORI(levels=1, lapse=0, prior=None, **options).fit(comparisons.preferences())
        return _centred(np.append(0.0, model.levels_[0].weights))

    def choix_list() -> np.ndarray:
        import choix

        return _centred(choix.ilsr_pairwise(settings.items, data))

    def choix_matrix() -> np.ndarray:
        import choix

        return _centred(choix.ilsr_pairwise_dense(decided.beaten().astype(float)))

    outcome = hold(
        f"Bradley–Terry, {settings.comparisons:,} comparisons, ties left out",
        [
            Contestant(OURS, lambda: ours(decided, epsilon=0.0), note="counts per pair of items, then a fit"),
            Contestant("evalica bradley_terry", _evalica(decided, "bradley_terry"), "evalica"),
            Contestant("choix, list", choix_list, "choix", note="ilsr_pairwise, as documented"),
            Contestant("choix, matrix", choix_matrix, "choix", note="ilsr_pairwise_dense on the same counts as LORI"),
        ],
        settings.repeats,
    )
    for peer, answer in outcome.answers.items():
        apart = float(np.max(np.abs(answer - outcome.answers[OURS])))
        if peer != OURS:
            outcome.add(peer, f"scores differ from LORI's by {apart:.1g}", difference=apart)
            measured.claim(f"Bradley–Terry: scores against {peer}", apart, 1e-4, at_any_size=True)
    measured.rows += outcome.rows

    outcome = hold(
        f"Bradley–Terry, {settings.comparisons:,} comparisons, with ties",
        [
            Contestant(OURS, lambda: ours(everything, ties="observed"), note="threshold learned (Rao–Kupper)"),
            Contestant("evalica newman", _evalica(everything, "newman"), "evalica", note="another model (Davidson)"),
            Contestant(
                "evalica bradley_terry", _evalica(everything, "bradley_terry"), "evalica",
                note="another model (a tie is half a win)",
            ),
        ],
        settings.repeats,
    )  # fmt: skip
    for peer, answer in outcome.answers.items():
        if peer != OURS:
            alike = float(np.corrcoef(answer, outcome.answers[OURS])[0, 1])
            outcome.add(peer, f"scores correlate {alike:.4f} with LORI's", correlation=alike)
            measured.claim(f"Bradley–Terry: LORI with ties by {peer}", outcome.relative(OURS, peer), 1.0)
    measured.rows += outcome.rows
    return measured


def _evalica(comparisons: Comparisons, method: str):
    """Its form, a list of outcomes for two lists of items, is laid out beforehand."""

    def winners() -> list:
        import evalica

        words = {1: evalica.Winner.X, -1: evalica.Winner.Y, 0: evalica.Winner.Draw}
        return [words[outcome] for outcome in comparisons.outcome.tolist()]

    laid_out: list = []

    def run() -> np.ndarray:
        import evalica

        if not laid_out:  # in the warm-up
            laid_out.extend(winners())
        scores = getattr(evalica, method)(comparisons.left, comparisons.right, laid_out).scores
        return _centred(np.log(scores.sort_index().to_numpy()))

    return run


def _centred(scores: np.ndarray) -> np.ndarray:
    return scores - scores.mean()
