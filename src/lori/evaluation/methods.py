"""Comparison of methods: which of the paper's table 1 predicts somebody's choices best, and which differences are real?

Every method that learns from preferences predicts the same choices, each from a model that was fitted without them. The
difference between two methods is summed by agent where there are several, otherwise by pair or set, so that its
standard error does not count the same person twice. Differences are called real at 95 % for all of them together
(Bonferroni).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from scipy.stats import norm

from lori.baselines.cpnet import CPNetLearner
from lori.baselines.ensembles import RewardEnsemble
from lori.baselines.gaussian_process import GaussianProcess
from lori.baselines.lexicographic import LexicographicOrder, ModelVoting, VariableVoting
from lori.baselines.lexicographic_tree import LexicographicTree
from lori.baselines.trex import TREX, NetworkTREX
from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.errors import InputError, LoriError, whole
from lori.estimators.lori import LORI
from lori.evaluation.favourites import Favourites, by_chance, chances_of
from lori.evaluation.metrics import FOLDS, MANY, HeldOut, log_likelihoods, parts, some_of, totals
from lori.evaluation.people import gain
from lori.inference.statistics import Observed
from lori.language.methods import BETTER, EQUAL, WORSE, MethodComparison, MethodScore

REFERENCE = "LORI"
LEAST = 1e-9  # a probability below this counts as this
FEWEST_AGENTS = 10  # fewer are no sample of people

Make = Callable[[int], Any]


@dataclass(frozen=True)
class Method:
    """One way to learn from preferences, and the row of the paper's table 1 that it stands for."""

    row: str
    make: Make


METHODS: dict[str, Method] = {
    "CP-net": Method("ordinal", lambda seed: CPNetLearner()),
    "lexicographic order": Method("ordinal lexicographic", lambda seed: LexicographicOrder(jnd="learned")),
    "variable voting": Method("ordinal lexicographic", lambda seed: VariableVoting()),
    "model voting": Method("ordinal lexicographic", lambda seed: ModelVoting()),
    "lexicographic tree": Method("ordinal lexicographic", lambda seed: LexicographicTree()),
    "Gaussian process": Method("cardinal, one dimension", lambda seed: GaussianProcess(seed=seed)),
    "T-REX": Method("preference-based IRL", lambda seed: TREX(standard_errors="none", seed=seed)),
    "network T-REX": Method("preference-based IRL", lambda seed: NetworkTREX(seed=seed)),
    "reward ensemble": Method("preference-based IRL", lambda seed: RewardEnsemble(seed=seed)),
    REFERENCE: Method("lexicographic rewards", lambda seed: LORI(standard_errors="none", seed=seed)),
}
"""Those that learn from preferences alone, with their default settings."""


def chosen_methods(names: Sequence[str] | None) -> dict[str, Method]:
    """Methods by their names, LORI always among them; all of them where none are named."""
    unknown = [name for name in names or () if name not in METHODS]
    if unknown:
        raise InputError(
            "methods", expected=f"some of {', '.join(METHODS)}", got=", ".join(unknown)[:80], fix="correct the names"
        )
    return {name: own for name, own in METHODS.items() if not names or name in names or name == REFERENCE}


def compare_methods(
    data: Observed,
    methods: Sequence[str] | None = None,
    *,
    folds: int = FOLDS,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> MethodComparison:
    """Cross-validate methods on preferences or choices; the best comes first.

    Repeats of a pair or a set stay in one part. Of more than 20 000 pairs or sets so many are drawn.
    """
    asked = chosen_methods(methods)
    some = some_of(data, seed, MANY)
    part = parts(some, whole("folds", folds, 2), seed)
    agents = None if some.agent is None else np.unique(some.agent)
    grouped = agents is not None and len(agents) >= FEWEST_AGENTS
    group = np.asarray(some.agent) if grouped else np.arange(len(some))
    seen, found = totals(some), {}
    for number, (name, method) in enumerate(asked.items()):
        progress(number, len(asked))
        found[name] = _crossed(name, method, some, part, seed)
    progress(len(asked), len(asked))
    within = float(norm.ppf(1 - 0.025 / max(len(asked) - 1, 1)))
    own = found[REFERENCE]
    scores = []
    for name, (score, each) in found.items():
        if each is None:
            scores.append(score)
            continue
        mean, error = gain(each, np.zeros_like(each), seen, group)
        made = replace(score, log_loss=-mean, error=error, verdict=EQUAL)
        if name != REFERENCE and own[1] is not None:
            more, spread = gain(each, own[1], seen, group)
            verdict = EQUAL if abs(more) <= within * spread else BETTER if more > 0 else WORSE
            made = replace(made, gain=more, gain_error=spread, verdict=verdict)
        scores.append(made)
    scores.sort(key=lambda score: np.inf if score.log_loss is None else score.log_loss)
    coin = -by_chance(some)[0] if isinstance(some, Choices) else float(np.log(3 if some.has_ties else 2))
    return MethodComparison(
        REFERENCE, tuple(scores), some.n_comparisons, len(some), "set" if isinstance(some, Choices) else "pair",
        int(part.max()) + 1, len(agents) if grouped and agents is not None else None, coin, within,
    )  # fmt: skip


def _crossed(
    name: str, method: Method, data: Observed, part: np.ndarray, seed: int
) -> tuple[MethodScore, np.ndarray | None]:
    """What a method predicts of each part, having learned from the others: log-likelihood of each pair or set."""
    rows = np.empty((len(data), 3) if isinstance(data, Preferences) else len(data.alternatives))
    alone = replace(data, agent=None)  # whether agents differ is not asked of every part
    started = perf_counter()
    try:
        for number in range(int(part.max()) + 1):
            out = part == number
            estimator = method.make(seed)
            if isinstance(estimator, LORI):
                estimator = estimator.for_parts_of(data)
            model = estimator.fit(alone.subset(~out))
            if isinstance(data, Preferences):
                rows[out] = model.predict_proba(data.subset(out))
            else:
                rows[np.repeat(out, data.sizes)] = chances_of(model, data.subset(out))
    except LoriError as error:
        return MethodScore(name, method.row, reason=str(error)), None
    seconds = perf_counter() - started
    if isinstance(data, Choices):
        picked = np.add.reduceat(np.where(data.chosen, rows, 0.0), data.offsets[:-1])
        each = totals(data) * np.log(np.maximum(picked, LEAST))
        right_ones: float | None = Favourites.of(rows, data).accuracy
    else:
        logs = np.log(np.maximum(rows, LEAST))
        each = log_likelihoods(data, logs)
        right_ones = HeldOut(data, logs, int(part.max()) + 1).accuracy
    return MethodScore(name, method.row, accuracy=right_ones, seconds=seconds), each
