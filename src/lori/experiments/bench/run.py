"""Benchmark runs: which cases are there, and how do they become a table and a file?"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import wrap
from time import perf_counter
from typing import Any

from lori.data.writing import folder, writing
from lori.errors import InputError, printable
from lori.experiments.bench import (
    actor_critic,
    agents,
    bradley_terry,
    cache,
    calibration,
    cluster,
    coverage,
    elicit,
    features,
    interview,
    learning,
    logit,
    memory,
    occupation,
    off_policy,
    organ,
    people,
    planning,
    population_classes,
    population_hierarchy,
    population_panels,
    population_scale,
    population_tversky,
    populations,
    posterior,
    questions,
    recovery,
    scaling,
    set_recovery,
    sets,
    srmp,
    start,
    stream,
    third_levels,
)
from lori.experiments.bench.contest import Claim, Measured, Row
from lori.experiments.bench.trials import each
from lori.inference.threads import THREADS

PACKAGES = (
    "lori", "jax", "numpy", "scipy", "scikit-learn", "statsmodels", "xlogit", "evalica", "choix", "mcda", "pulp",
    "distributed", "pyarrow", "blackjax", "arviz",
)  # fmt: skip
HEADER = ("case", "contestant", "median", "min – max", "ratio")
NOTE_WIDTH = 110
Bar = AbstractContextManager[Callable[[int, int], None]]


@dataclass(frozen=True)
class Case:
    """A group of measurements with its settings, for a full and for a smoke run."""

    question: str
    measure: Callable[..., Measured]
    full: Any
    smoke: Any
    by_name: bool = False
    """Statistical and long: measured only when it is named."""
    resumes: bool = False
    """Its runs are kept in the folder: it takes the folder, what says a sentence, and what is told of progress."""

    def settings(self, smoke: bool, repeats: int | None, long: bool, jobs: int | None = None) -> Any:
        chosen = self.smoke if smoke else self.full
        changes = {"repeats": repeats, "paper_to_the_end": long or None, "jobs": jobs}
        known = {field.name for field in fields(chosen)}
        return replace(
            chosen, **{name: value for name, value in changes.items() if value is not None and name in known}
        )


CASES = {
    "organ": Case("two levels at organ scale", organ.measure, organ.OrganSettings(), organ.SMOKE),
    "logit": Case("one level with standard errors", logit.measure, logit.LogitSettings(), logit.SMOKE),
    "features": Case(
        "thirty features at organ scale", features.measure, features.FeaturesSettings(), features.SMOKE, by_name=True
    ),
    "bradley-terry": Case(
        "items without features (Bradley–Terry), with and without ties",
        bradley_terry.measure, bradley_terry.BradleyTerrySettings(), bradley_terry.SMOKE,
    ),
    "scaling": Case("cost against size", scaling.measure, scaling.ScalingSettings(), scaling.SMOKE),
    "memory": Case("peak memory", memory.measure, memory.MemorySettings(), memory.SMOKE),
    "stream": Case("a pass from disk", stream.measure, stream.StreamSettings(), stream.SMOKE, by_name=True),
    "dask": Case("in memory, from disk, on a cluster", cluster.measure, cluster.ClusterSettings(), cluster.SMOKE),
    "agents": Case("many small fits", agents.measure, agents.AgentsSettings(), agents.SMOKE),
    "sets": Case("choices among many", sets.measure, sets.SetsSettings(), sets.SMOKE),
    "srmp": Case("a few noisy answers", srmp.measure, srmp.SrmpSettings(), srmp.SMOKE),
    "posterior": Case("how sure, and at what cost", posterior.measure, posterior.PosteriorSettings(), posterior.SMOKE),
    "calibration": Case(
        "are posteriors right", calibration.measure, calibration.CalibrationSettings(), calibration.SMOKE,
        by_name=True, resumes=True,
    ),
    "coverage": Case(
        "do reported intervals hold the truth",
        coverage.measure, coverage.CoverageSettings(), coverage.SMOKE, by_name=True, resumes=True,
    ),
    "recovery": Case(
        "is the order found", recovery.measure, recovery.RecoverySettings(), recovery.SMOKE, by_name=True
    ),
    "set-recovery": Case(
        "is the order found from sets",
        set_recovery.measure, set_recovery.SetRecoverySettings(), set_recovery.SMOKE, by_name=True, resumes=True,
    ),
    "set-coverage": Case(
        "do intervals from sets hold the truth",
        set_recovery.measure_coverage, set_recovery.SetCoverageSettings(), set_recovery.COVERAGE_SMOKE,
        by_name=True, resumes=True,
    ),
    "levels": Case(
        "is the number of levels found",
        recovery.measure_levels, recovery.LevelsSettings(), recovery.LEVELS_SMOKE, by_name=True,
    ),
    "third-levels": Case(
        "does a third level that is there show in small data",
        third_levels.measure, third_levels.ThirdLevelsSettings(), third_levels.SMOKE, by_name=True,
    ),
    "populations": Case(
        "are people who differ taken for levels",
        populations.measure, populations.PopulationsSettings(), populations.SMOKE, by_name=True, resumes=True,
    ),
    "population-hierarchy": Case(
        "are people who differ foretold",
        population_hierarchy.measure, population_hierarchy.HierarchySettings(), population_hierarchy.SMOKE,
        by_name=True, resumes=True,
    ),
    "population-lexicographic": Case(
        "is anybody lexicographic, where people differ",
        population_hierarchy.measure_lexicographic, population_hierarchy.LexicographicSettings(),
        population_hierarchy.LEXICOGRAPHIC_SMOKE, by_name=True, resumes=True,
    ),
    "population-classes": Case(
        "are kinds of people found",
        population_classes.measure, population_classes.ClassesSettings(), population_classes.SMOKE,
        by_name=True, resumes=True,
    ),
    "population-careless": Case(
        "are those found who answer at random",
        population_classes.measure_careless, population_classes.CarelessSettings(), population_classes.CARELESS_SMOKE,
        by_name=True, resumes=True,
    ),
    "population-panel": Case(
        "kinds of people in the Swissmetro survey",
        population_panels.measure, population_panels.PanelSettings(), population_panels.SMOKE, by_name=True,
    ),
    "population-train": Case(
        "people of the train survey, foretold",
        population_panels.measure_train, population_panels.TrainSettings(), population_panels.TRAIN_SMOKE, by_name=True,
    ),
    "population-tversky": Case(
        "who puts probability first, from a fifth of the choices",
        population_tversky.measure, population_tversky.TverskySettings(), population_tversky.SMOKE, by_name=True,
    ),
    "population-scale": Case(
        "classes of many people",
        population_scale.measure, population_scale.ScaleSettings(), population_scale.SMOKE, by_name=True,
    ),
    "questions": Case(
        "what chosen questions save", questions.measure, questions.QuestionsSettings(), questions.SMOKE, by_name=True
    ),
    "interview": Case(
        "what an interview saves that chooses its questions",
        interview.measure, interview.InterviewSettings(), interview.SMOKE, by_name=True,
    ),
    "elicit": Case(
        "how long respondents wait for the next question",
        elicit.measure, elicit.ElicitSettings(), elicit.SMOKE, by_name=True,
    ),
    "people": Case(
        "is a second level found, and only where it is, when people slip",
        people.measure, people.PeopleSettings(), people.SMOKE, by_name=True, resumes=True,
    ),
    "planning": Case(
        "are plans exact, and how fast", planning.measure, planning.PlanningSettings(), planning.SMOKE, by_name=True
    ),
    "q-learning": Case(
        "does learning by trying reach the exact plan",
        learning.measure, learning.LearningSettings(), learning.SMOKE, by_name=True,
    ),
    "actor-critic": Case(
        "do networks that learn by trying reach the exact plan",
        actor_critic.measure, actor_critic.ActorCriticBench(), actor_critic.SMOKE, by_name=True,
    ),
    "off-policy": Case(
        "do intervals from demonstrations alone hold the truth",
        off_policy.measure, off_policy.OffPolicySettings(), off_policy.SMOKE, by_name=True,
    ),
    "occupation": Case(
        "what occupation measures gain where whole trajectories are compared",
        occupation.measure, occupation.OccupationSettings(), occupation.SMOKE, by_name=True,
    ),
    "cache": Case("the command, first and second time", cache.measure, cache.CacheSettings(), cache.SMOKE),
    "start": Case("how long one waits for a first answer", start.measure, start.StartSettings(), start.SMOKE),
}  # fmt: skip


def run(
    names: Sequence[str],
    out: Path,
    *,
    smoke: bool = False,
    repeats: int | None = None,
    long: bool = False,
    jobs: int | None = None,
    say: Callable[[str], None] = print,
    warn: Callable[[str], None] = print,
    bar: Callable[[str], Bar] = lambda name: nullcontext(lambda done, of: None),
) -> dict[str, Any]:
    """Measure the cases, show each as it ends, and keep what there is in a file.

    If none is named, all are measured but the statistical ones. The file is `out/NAME.json` for one
    case and `out/bench.json` for several; it is complete after each case. In a smoke run of all, whose times say
    nothing, as many cases run at the same time as there are cores.
    """
    chosen = list(dict.fromkeys(names)) or [name for name, case in CASES.items() if not case.by_name]
    for name in chosen:
        if name not in CASES:
            raise InputError("NAME", expected="some of " + ", ".join(CASES), got=repr(name), fix="choose among these")
    if repeats is not None and repeats < 1:
        raise InputError("--repeats", expected="a whole number from 1", got=str(repeats), fix="use --repeats 3")
    name = chosen[0] if len(chosen) == 1 else "bench"
    folder(out)
    result: dict[str, Any] = {"name": name, "smoke": smoke, "settings": {}, "rows": [], "claims": []}
    result |= {"seconds": 0.0, "versions": versions()}
    started = perf_counter()
    if smoke:
        say("Smoke run: sizes are tiny, so times and ratios say nothing.\n")
    work = [(own, CASES[own].settings(smoke, repeats, long, jobs), out) for own in chosen]

    def by_turns() -> Iterator[Measured]:
        for own, settings, _ in work:
            with bar(own) if CASES[own].resumes else nullcontext(_nothing) as progress:
                yield _measured(own, settings, out, warn, progress)

    each_measured = each(_quietly, work, THREADS) if smoke and not names else by_turns()
    for (own, settings, _), measured in zip(work, each_measured, strict=True):
        case = CASES[own]
        result["settings"][own] = asdict(settings)
        result["rows"] += [{"group": own, **row.to_dict()} for row in measured.rows]
        result["claims"] += [{"group": own, **claim.to_dict(smoke)} for claim in measured.claims]
        result["seconds"] = perf_counter() - started
        say(f"{own}: {case.question}\n\n{measured.table or text_table(measured.rows)}\n")
        if measured.claims:
            say(f"{text_claims(measured.claims, smoke)}\n")
        with writing(out / f"{name}.json") as temporary:
            temporary.write_text(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    say(f"Wrote {printable(str(out / f'{name}.json'))} after {result['seconds']:.0f} s")
    return result


def _measured(
    name: str, settings: Any, out: Path, warn: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    case = CASES[name]
    return case.measure(settings, out, warn, progress) if case.resumes else case.measure(settings)


def _quietly(work: tuple[str, Any, Path]) -> Measured:
    """In a process of its own. What is compiled for a smoke run runs once: quickly is better than well."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=0".strip()
    return _measured(*work, _nothing, _nothing)


def _nothing(*_: Any) -> None:
    return None


def versions() -> dict[str, str]:
    """What was compared, and on what."""
    found = {"python": platform.python_version(), "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def text_table(rows: Sequence[Row]) -> str:
    """A line for each row and, indented below it, what there is to say about it."""
    cells = [HEADER, *(_cells(row, before) for row, before in zip(rows, [None, *rows], strict=False))]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADER))]
    lines = [_aligned(cells[0], widths), "─" * (sum(widths) + 2 * len(widths) - 2)]
    for row, line in zip(rows, cells[1:], strict=True):
        lines.append(_aligned(line, widths))
        lines += ["    " + part for part in wrap(row.note, NOTE_WIDTH)]
    return "\n".join(lines)


def text_claims(claims: Sequence[Claim], smoke: bool) -> str:
    """What must hold, with what was measured."""
    lines = []
    for claim in claims:
        verdict = {True: "holds", False: "DOES NOT HOLD", None: "not judged"}[claim.to_dict(smoke)["holds"]]
        sign = "≥" if claim.at_least else "≤"
        lines.append(f"{verdict:13}  {claim.text}: {claim.value:.3g} {sign} {claim.limit:g}")
    return "\n".join(lines)


def _cells(row: Row, before: Row | None) -> tuple[str, ...]:
    case = "" if before and before.case == row.case else row.case
    if row.seconds is None:
        return case, row.contestant, "–", "–", "–"
    low, high = min(row.seconds.values), max(row.seconds.values)
    ratio = "–" if row.ratio is None else f"{row.ratio:.3g}"
    return case, row.contestant, seconds(row.seconds.median), f"{seconds(low)} – {seconds(high)}", ratio


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    words = [
        cell.ljust(width) if place < 2 else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(words).rstrip()


def seconds(value: float) -> str:
    """Three digits and a unit.

    >>> seconds(0.00123), seconds(0.5), seconds(1234.5)
    ('1.23 ms', '500 ms', '1234 s')
    """
    if value < 1:
        return f"{1000 * value:.3g} ms"
    return f"{value:.3g} s" if value < 1000 else f"{value:.0f} s"
