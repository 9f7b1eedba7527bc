"""Elicit: how long do respondents wait for the next question when many answer at once?

A server of its own on this computer, and a crowd whose members answer every two seconds, interview after interview. The
time is that from sending an answer until the next question is there.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from lori.experiments.bench.contest import Measured, Row, Seconds
from lori.experiments.bench.crowd import Log, Service, Visitor, example_study, respondent


@dataclass(frozen=True)
class ElicitSettings:
    """How many answer, how often, for how long."""

    respondents: int = 200
    """Who answer at the same time."""
    every: float = 2.0
    """Seconds between two answers of one of them."""
    seconds: float = 180.0
    """How long they answer."""
    questions: int = 20
    """Of one interview; then the next one begins."""
    stored: int = 10_000
    """Respondents who are in the database before the second round."""
    second: float = 60.0
    """How long the second round takes."""


SMOKE = ElicitSettings(respondents=3, every=0.1, seconds=1.0, questions=3, stored=10, second=0.5)


def measure(settings: ElicitSettings) -> Measured:
    measured = Measured()
    with tempfile.TemporaryDirectory() as folder:
        study = example_study(Path(folder), settings.questions)
        service = Service(study)
        started = perf_counter()
        service.start()
        try:
            cold = asyncio.run(_first_question(service, started))
            first = asyncio.run(_round(service, settings, settings.seconds))
            fill(study.with_suffix(".db"), settings.stored, settings.questions)
            second = asyncio.run(_round(service, settings, settings.second))
            memory = service.memory()
        finally:
            service.kill()
    case = f"{settings.respondents} respondents, an answer every {settings.every:g} s"
    for name, log in (("empty database", first), (f"{settings.stored:,} stored respondents", second)):
        middle, late = np.quantile(log.seconds, [0.5, 0.99])
        note = f"{len(log.seconds):,} answers, p50 {1000 * middle:.1f} ms, p99 {1000 * late:.1f} ms; "
        serving, working = (1000 * own / len(log.seconds) for own in log.processor)
        note += f"processor time an answer: {serving:.1f} ms to serve it, {working:.1f} ms in workers for the next one"
        row = Row(case, name, Seconds(tuple(np.quantile(log.seconds, [0.0, 0.5, 1.0]))), note=note)
        measures = {"p50": float(middle), "p99": float(late), "errors": float(len(log.errors))}
        measured.rows.append(row.with_measures(**measures, serving_ms=serving, working_ms=working))
        measured.claim(f"elicit, {name}: p50 in ms", 1000 * float(middle), 20)
        measured.claim(f"elicit, {name}: p99 in ms", 1000 * float(late), 100)
        measured.claim(f"elicit, {name}: errors", len(log.errors), 0, at_any_size=True)
    measured.claim("elicit: cold start to first question in s", cold, 5)
    measured.claim("elicit: peak memory in MB", memory, 1000)
    return measured


async def _first_question(service: Service, started: float) -> float:
    await service.ready()
    visitor = Visitor(service.port)
    [link] = await visitor.links(service.token, 1)
    other = Visitor(service.port)
    await other.begin(link)
    assert other.form["number"] == "1"
    return perf_counter() - started


async def _round(service: Service, settings: ElicitSettings, seconds: float) -> Log:
    log = Log()
    each = int(seconds / settings.every / settings.questions) + 2
    links = await Visitor(service.port).links(service.token, settings.respondents * each)
    until, before = perf_counter() + seconds, service.processor()

    def going() -> bool:
        return perf_counter() < until

    await asyncio.gather(
        *(
            respondent(service.port, links, log, every=settings.every, going=going, seed=seed)
            for seed in range(settings.respondents)
        )
    )
    serving, working = (now - then for now, then in zip(service.processor(), before, strict=True))
    log.processor = (serving, working)
    return log


def fill(path: Path, count: int, questions: int) -> None:
    """Respondents who have answered everything, as if they had come before."""
    with sqlite3.connect(path, timeout=30) as connection:
        start = connection.execute("SELECT max(id) FROM respondents").fetchone()[0] + 1
        people = [(start + i, f"filled {i}", i) for i in range(count)]
        connection.executemany(
            "INSERT INTO respondents (id, token, seed, name, made_at, consented_at, finished_at, result, belief) "
            "VALUES (?, ?, ?, '', 0, 0, 1, '', '')", people,
        )  # fmt: skip
        connection.executemany(
            'INSERT INTO turns (respondent, number, "left", "right", asked_at, answer, answered_at) '
            "VALUES (?, ?, '[50.0, 1.0, 4.0]', '[70.0, 2.0, 8.0]', 0, 'left', 1)",
            ((own, number) for own, _, _ in people for number in range(1, questions + 1)),
        )
