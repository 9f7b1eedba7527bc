"""Table 1, measured: what does each kind of method find, in a problem of its own kind and in those of the others?

The paper's table says what methods are given and what they infer. Here each has to find a known answer of its own kind
(`known_answers`), and all that learn from preferences meet the same problems. Where LORI loses, the table says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lori.applications.cancer import world
from lori.baselines.birl import BayesianIRL
from lori.baselines.drex import DREX
from lori.baselines.lexicographic import LexicographicOrder, ModelVoting, VariableVoting
from lori.baselines.lexicographic_tree import LexicographicTree, Node
from lori.baselines.maximum_entropy import MaximumEntropyIRL
from lori.data.examples import tversky1969
from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.evaluation.feature_order import WIDE, select_order
from lori.evaluation.methods import LEAST, METHODS, REFERENCE, Method
from lori.evaluation.metrics import accuracy, log_likelihoods, rmse
from lori.experiments import cancer
from lori.experiments.cancer import CancerSettings
from lori.experiments.known_answers import KNOWN, attributes, first_difference, preferred
from lori.experiments.study import HERE, Cell, Row, Study, by_method, setting
from lori.language.methods import lost_sentence, no_loss_sentence
from lori.language.results import LevelSummary
from lori.model.ordered import OrderedModel
from lori.model.rewards import Linear
from lori.model.simulation import simulate

Fit = Callable[["Problem"], Any]
OWN, SEPARATOR = "own kind", ": "
CAPPED = "LORI, with a cap"  # on its first level, as in the paper's tables
SINGLE = "LORI with single features"  # one on each level, as ordinal lexicographic learners have them
STARTS = 8  # of its fit: levels of one feature have few optima
UNKNOWN = "no such script"


@dataclass(frozen=True)
class Table1Settings:
    """Sizes of the problems."""

    pairs: int = setting(1000, "to learn from, in made-up problems", scripts=UNKNOWN)
    test: int = setting(2000, "other pairs, on which methods are judged", scripts=UNKNOWN)
    trajectories: int = setting(1000, "demonstrations in the cancer study", printed=HERE, scripts=UNKNOWN)
    birl_samples: int = setting(2000, "of Bayesian IRL in the cancer study", printed="11 000", scripts=UNKNOWN)
    cells: int = setting(
        50, "of each feature, for maximum-entropy IRL and D-REX; 25 lose the drift of the tumour", scripts=UNKNOWN
    )
    people: int = setting(8, "of Tversky's, whose choices are halved at random", scripts=UNKNOWN)
    methods: str = setting("", "only these, separated by commas; all where it is empty", scripts=UNKNOWN)


@dataclass(frozen=True, eq=False)
class Problem:
    """Preferences to learn from and others to predict, whose true probabilities may be known."""

    train: Preferences
    test: Preferences
    truth: np.ndarray  # (pairs,) of left, or what was observed
    order: tuple[str, ...] = ()  # features, as far as the truth looks at one after the other


def made_up(truth: OrderedModel, order: tuple[str, ...], settings: Table1Settings, seed: int, **how: Any) -> Problem:
    train, test = (
        simulate(truth, count, seed=1000 * seed + place, **how)
        for place, count in enumerate((settings.pairs, settings.test))
    )
    return Problem(train, test, truth.predict_proba(test.left_features, test.right_features)[:, 0], order)


def thresholds(settings: Table1Settings, seed: int) -> Problem:
    """Two levels of two features each, with a threshold on the first."""
    weights = [[6.0, 2.0, 0.0, 0.0], [0.0, 0.0, 6.0, 2.0]]
    return made_up(OrderedModel.linear(weights, epsilon=[5.0, 0.0]), ("x1", "x3"), settings, seed)


def single_features(settings: Table1Settings, seed: int) -> Problem:
    """Three levels of one feature each, with thresholds and noise: what ordinal learners are made for."""
    return made_up(OrderedModel.linear(8 * np.eye(3), epsilon=[6.0, 6.0, 0.0]), ("x1", "x2"), settings, seed)


def no_noise(settings: Table1Settings, seed: int) -> Problem:
    """Four attributes with three values, compared one after the other: no thresholds, no noise."""
    generator = np.random.default_rng(1000 * seed)
    sides = [attributes(generator, count, 4, 3) for count in (settings.pairs, settings.test)]
    train, test = (preferred(left, right, first_difference(left, right)) for left, right in sides)
    return Problem(train, test, (first_difference(*sides[1]) > 0).astype(float), train.features)


def single_reward(settings: Table1Settings, seed: int) -> Problem:
    """One linear reward of three features."""
    return made_up(OrderedModel.linear([[2.0, -1.0, 0.5]], epsilon=[0.0]), (), settings, seed)


def intransitive(settings: Table1Settings, seed: int) -> Problem:
    """As Tversky's gambles: more of the one is less of the other, and small differences in the first do not count."""
    truth = OrderedModel.linear([[10.0, 0.0], [0.0, 5.0]], epsilon=[5.0, 0.0], features=["probability", "payoff"])
    generator = np.random.default_rng(1000 * seed)

    def drawn(count: int) -> Preferences:
        place = generator.uniform(size=(count, 2, 1))
        pairs = np.concatenate([place, 1 - place], axis=2) + 0.1 * generator.normal(size=(count, 2, 2))
        return simulate(truth, pairs, seed=int(generator.integers(1 << 31)))

    train, test = drawn(settings.pairs), drawn(settings.test)
    true = truth.predict_proba(test.left_features, test.right_features)[:, 0]
    return Problem(train, test, true, ("probability", "payoff"))


def cancer_settings(settings: Table1Settings) -> CancerSettings:
    return CancerSettings(trajectories=settings.trajectories, pairs=settings.pairs, birl_samples=settings.birl_samples)


def treatments(settings: Table1Settings, seed: int) -> Problem:
    """The paper's: white blood cells up to 5 first, then the tumour."""
    given = cancer.seen(cancer_settings(settings), seed)
    true = given.truth.predict_proba(given.test.left_features, given.test.right_features)[:, 0]
    return Problem(given.train, given.test, true, ("wbc", "tumour"))


def people(settings: Table1Settings, seed: int) -> list[Problem]:
    """Of each pair, ten of the twenty answers to learn from and ten to predict."""
    found = []
    for number, seen in enumerate(list(tversky1969().by_agent().values())[: settings.people]):
        generator = np.random.default_rng([seed, number])
        counts = seen.outcome_counts.astype(int)
        half = counts.sum(axis=1) // 2
        first = generator.hypergeometric(counts[:, 0], counts[:, 2], half)
        kept = np.stack([first, np.zeros_like(first), half - first], axis=1)
        train, test = (
            Preferences.from_indices(seen.alternatives, seen.left, seen.right, counts=own, features=seen.features)
            for own in (kept, counts - kept)
        )
        found.append(Problem(train, test, test.outcome_counts[:, 0] / test.comparisons, ("probability", "payoff")))
    return found


PROBLEMS: dict[str, Callable[[Table1Settings, int], Problem | list[Problem]]] = {
    "Tversky's people": people,
    "cancer": treatments,
    "thresholds": thresholds,
    "single features": single_features,
    "single features, no noise": no_noise,
    "single reward": single_reward,
    "intransitive": intransitive,
}


def order_of(model: Any, differences: np.ndarray) -> tuple[str, ...] | None:
    """What a model looks at, one after the other, of those that say so.

    `differences` (features,) are the largest that occur.
    """
    if isinstance(model, LORI):
        return order_of_levels(model.summary().levels, dict(zip(model.features_, differences, strict=True)))
    if isinstance(model, LexicographicOrder):
        return model.order_
    if isinstance(model, VariableVoting):  # as far as ranks are not shared
        order = np.argsort(model.ranks_, kind="stable")
        shared = np.append(np.diff(model.ranks_[order]) == 0, False)
        return tuple(model.features_[place] for place in order[: np.append(shared, True).argmax()])
    if isinstance(model, ModelVoting):
        return model.sample_orders(1)[0]
    if isinstance(model, LexicographicTree):  # down its first branches
        names: list[str] = []
        node: Node | None = model.tree_
        while node is not None:
            names.append(model.features_[node.attribute])
            node = next((below for below in node.below if below is not None), None)
        return tuple(names)
    return None


def order_of_levels(levels: Sequence[LevelSummary], most: dict[str, float]) -> tuple[str, ...]:
    """The features that each outweigh all that follow in their level, and the one that leads what is left, by level.

    A feature says nothing on a level whose threshold exceeds the largest difference in it, `most`.
    """
    found: list[str] = []
    for level in levels:
        heard = [
            name for name, least in level.thresholds.items() if least.value is not None and least.value < most[name]
        ]
        first = [name for name in level.outweighs if name in heard]
        rest = sorted((name for name in heard if name not in first), key=lambda name: -level.importance[name])
        found += [name for name in (*first, *rest[:1]) if name not in found]
    return tuple(found)


def judged(problem: Problem, fit: Fit) -> dict[str, float]:
    """One method on one problem."""
    started = perf_counter()
    model = fit(problem)
    seconds = perf_counter() - started
    test = problem.test
    chances = model.predict_proba(test.left_features, test.right_features)
    each = log_likelihoods(test, np.log(np.maximum(chances, LEAST)))
    told = {
        "accuracy %": 100 * accuracy(model, test),
        "log-loss": float(-each.sum() / test.comparisons.sum()),
        "RMSE": rmse(chances[:, 0], problem.truth),
        "seconds": seconds,
    }
    order = order_of(model, np.abs(problem.train.differences).max(axis=0))
    if order is not None and problem.order:
        told["order found %"] = 100.0 * (order[: len(problem.order)] == problem.order)
    return told


def cell(settings: Table1Settings, seed: int) -> Cell:
    """All methods on all problems; those that need demonstrations on the cancer study alone."""
    wanted = [name.strip() for name in settings.methods.split(",") if name.strip()]
    found: Cell = {}
    for name, finds in KNOWN.items():
        if not wanted or name in wanted:
            started = perf_counter()
            found[f"{OWN}{SEPARATOR}{name}"] = {"found %": 100.0 * finds(seed), "seconds": perf_counter() - started}
    for title, make in PROBLEMS.items():
        made = make(settings, seed)
        problems = made if isinstance(made, list) else [made]
        learners: dict[str, Fit] = {name: _learner(method, seed) for name, method in METHODS.items()}
        learners[SINGLE] = lambda problem: single_levels(problem.train, seed)
        if title == "cancer":
            learners |= _of_treatments(settings, seed)
        for name, fit in learners.items():
            if not wanted or name in wanted or name == REFERENCE:
                each = [judged(problem, fit) for problem in problems]
                found[f"{title}{SEPARATOR}{name}"] = {
                    metric: float(np.mean([own[metric] for own in each])) for metric in each[0]
                }
    return found


def single_levels(train: Preferences, seed: int) -> LORI:
    """A feature a level, in the order that explains most."""
    return select_order(train, estimator=LORI(prior=WIDE, starts=STARTS, standard_errors="none", seed=seed))


def _learner(method: Method, seed: int) -> Fit:
    return lambda problem: method.make(seed).fit(problem.train)


def _of_treatments(settings: Table1Settings, seed: int) -> dict[str, Fit]:
    """LORI as the paper has it there, and what learns from demonstrations."""
    study = cancer_settings(settings)
    shown = cancer.seen(study, seed).demonstrations
    coarse = world.mdp(study.birl_cells, study.planning_noise, study.at_centres)  # as in the paper's tables
    fine = world.mdp(settings.cells, study.planning_noise, at_centres=False)
    signs = Linear(**cancer.SIGNS)
    samples = settings.birl_samples
    return {
        CAPPED: lambda problem: cancer.fit_lori(study, cancer.seen(study, seed), seed, capped=1),
        "maximum-entropy IRL": lambda problem: MaximumEntropyIRL().fit(shown, fine),
        "Bayesian IRL": lambda problem: BayesianIRL(
            reward=signs, samples=samples, burn_in=samples // 4, step=0.05, seed=seed
        ).fit(shown, coarse),
        "D-REX": lambda problem: DREX(seed=seed).fit(shown, fine),
    }


def rows(settings: Table1Settings, cells: Sequence[Cell]) -> list[Row]:
    """A row for each problem and method; below the table, where LORI loses."""
    found = by_method(settings, cells)
    found[-1]["words"] = [str(said) for said in losses(found)]
    return found


def losses(found: Sequence[Row]) -> list[Any]:
    """For each problem, the methods with a smaller log-loss than LORI's, seed by seed."""
    said = []
    for title in PROBLEMS:
        own = {
            row["method"].removeprefix(title + SEPARATOR): row["log-loss"]
            for row in found
            if row["method"].startswith(title + SEPARATOR)
        }
        for name in (REFERENCE, SINGLE):
            if name in own:
                better = _better(own, name)
                ours = own[name]["mean"]
                said.append(lost_sentence(title, better, ours, name) if better else no_loss_sentence(title, ours, name))
    return said


def _better(own: dict[str, Any], name: str) -> list[tuple[str, float, float]]:
    """Other methods than LORI whose log-loss is smaller by more than two standard errors: with it, and by how much."""
    found = []
    for rival, loss in own.items():
        gain = np.array(own[name]["values"]) - np.array(loss["values"])
        error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else 0.0
        if rival not in (REFERENCE, CAPPED, SINGLE) and gain.mean() > 2 * error:
            found.append((rival, loss["mean"], float(gain.mean())))
    return sorted(found, key=lambda each: each[1])


def draw(result: dict[str, Any], path: Path) -> None:
    """Log-loss of each method on each problem, beyond that of the best; a cross where LORI is not the best."""
    means = {row["method"]: row["log-loss"]["mean"] for row in result["rows"] if "log-loss" in row}
    titles = [title for title in PROBLEMS if any(name.startswith(title + SEPARATOR) for name in means)]
    names = list(dict.fromkeys(name.split(SEPARATOR, 1)[1] for name in means))
    table = np.array([[means.get(f"{title}{SEPARATOR}{name}", np.nan) for title in titles] for name in names])
    beyond = table - np.nanmin(table, axis=0)
    figure = Figure(figsize=(2.2 + 1.15 * len(titles), 1.6 + 0.32 * len(names)), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(beyond, cmap="Blues", vmin=0, vmax=0.3, aspect="auto")
    for (row, column), value in np.ndenumerate(table):
        if np.isfinite(value):
            best = beyond[row, column] == 0
            axes.text(
                column, row, f"{value:.3f}", ha="center", va="center", fontsize=8,
                fontweight="bold" if best else "normal", color="white" if beyond[row, column] > 0.2 else "black",
            )  # fmt: skip
    axes.set_xticks(
        range(len(titles)), [title.replace(", ", ",\n").replace(" ", "\n", 1) for title in titles], fontsize=8
    )
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_title("Log-loss of a choice that was not learned from (bold: the best)", loc="left", fontsize=10)
    figure.colorbar(image, ax=axes, label="beyond the best", shrink=0.8)
    figure.savefig(path, dpi=160)


STUDY = Study(
    "table1",
    "Every method of the paper's table 1, measured",
    Table1Settings(),
    Table1Settings(pairs=120, test=120, trajectories=60, birl_samples=100, cells=20, people=1),
    cell=cell,
    rows=rows,
    draw=draw,
    version=4,
)
