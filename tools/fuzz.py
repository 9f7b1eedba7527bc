"""Fuzzer: does any odd input end in a traceback, a hang, a half-written file, NaN or a leaked cell?

    python tools/fuzz.py --inputs 10000 --seed 0       all cases (`make fuzz`)
    python tools/fuzz.py --from 4000 --inputs 100      go on from a case
    python tools/fuzz.py --from 4711 --inputs 1        one case again
    python tools/fuzz.py --door model                  one door

Inputs are those of `fuzz_inputs.py`. Each runs as a command inside one of two worker processes; a worker that hangs is
ended and replaced. What is found is kept in a folder, so that it can become a test, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

SECONDS, SECONDS_OF_A_FIT = 2.0, 30.0  # of a processor
NAMES = (b"benefit", b"need", b"winner", b"loser", b"trajectory")  # of columns: where one stands, all of them do
PATIENCE = 15  # times as long on the clock, where others use the machine
MEMORY = 1 << 21  # KiB that a case may add


class Outcome(NamedTuple):
    """What became of a case."""

    number: int
    door: str
    code: int | None
    findings: tuple[str, ...]


# -- one case ---------------------------------------------------------------------------------------------------------


def run(number: int, seed: int, keep: Path | None) -> Outcome:
    """Run a case in an empty folder and look at what it leaves behind."""
    from fuzz_inputs import case

    own, place = case(number, seed), Path(tempfile.mkdtemp(prefix="fuzz"))
    try:
        for name, content in own.files.items():
            (place / name).parent.mkdir(exist_ok=True)
            if content.startswith(b"->"):
                (place / name).symlink_to(content[2:].decode())
            else:
                (place / name).write_bytes(content)
        before = _listing(place)
        memory, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        code, out, err, trace = _call(own.command, place)
        findings = [] if trace is None else [f"traceback: {trace}"]
        seconds = time.process_time() - started
        if seconds > (SECONDS_OF_A_FIT if own.fits else SECONDS):
            findings.append(f"slow: {seconds:.1f} s of a processor")
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory > MEMORY:
            findings.append("memory: more than 2 GiB")
        findings += _odd_ending(code, err) if trace is None else []
        findings += _odd_files(before, place, code, own.outputs)
        findings += _odd_output(own.files, code, out, err)
        if findings and keep is not None:
            _keep(keep / f"{number:06d}", own, findings, out, err)
        return Outcome(number, own.door, code, tuple(findings))
    finally:
        os.chdir("/")
        shutil.rmtree(place, ignore_errors=True)


def _call(command: list[str], place: Path) -> tuple[int | None, str, str, str | None]:
    """Exit code, standard output, standard error, and the traceback of what is no error of LORI's."""
    os.chdir(place)
    streams = [tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogateescape") for _ in range(2)]  # noqa: SIM115
    kept = [os.dup(1), os.dup(2)]
    before, code, trace = (sys.stdout, sys.stderr, sys.argv), None, None
    for number, stream in zip((1, 2), streams, strict=True):
        os.dup2(stream.fileno(), number)
    sys.stdout, sys.stderr = (open(os.dup(number), "w", encoding="utf-8") for number in (1, 2))  # noqa: SIM115
    try:
        code = _registry(command[1:]) if command[0] == "(registry)" else _lori(command)
    except BaseException:
        trace = traceback.format_exc()
    finally:
        sys.stdout.close(), sys.stderr.close()
        sys.stdout, sys.stderr, sys.argv = before
        for number, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, number)
            os.close(copy)
    texts = []
    for stream in streams:
        stream.seek(0)
        texts.append(stream.read())
        stream.close()
    return code, *texts, trace


def _lori(command: list[str]) -> int:
    from lori.interfaces.commands.main import main

    sys.argv = ["lori", *command]
    try:
        main()
    except SystemExit as left:
        return int(left.code or 0)
    return 0


def _registry(words: list[str]) -> int:
    from lori.applications.organ.registry import read_registry
    from lori.errors import LoriError

    try:
        read_registry(words[0], year=int(words[1]))
    except LoriError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


# -- what is wrong with it --------------------------------------------------------------------------------------------


def _odd_ending(code: int | None, err: str) -> list[str]:
    """Success is silent, an error is one sentence; notes may stand before it."""
    lines = [line for line in err.splitlines() if not line.startswith("Note: ")]
    if any("LORI failed with" in line for line in lines):
        return ["defect"]
    if code == 0 and not lines:
        return []
    if code in (1, 2) and len(lines) == 1 and lines[0].startswith("Error: ") and len(lines[0]) < 3000:
        return []
    if code == 2 and not lines:  # a command without words shows its help
        return []
    return [f"ending: exit code {code} with {len(lines)} lines of {sum(map(len, lines))} characters on standard error"]


def _odd_files(before: set[str], place: Path, code: int | None, outputs: tuple[str, ...]) -> list[str]:
    made = _listing(place) - before
    hidden = sorted(name for name in made if Path(name).name.startswith("."))
    if hidden:
        return [f"leftover: {', '.join(hidden)}"]
    foreign = sorted(name for name in made if code != 0 and (place / name).is_file())
    if foreign:
        return [f"written although it failed: {', '.join(foreign)}"]
    unasked = sorted(name for name in made if not any(name.startswith(Path(own).parts[:1] or "") for own in outputs))
    return [f"written without being asked: {', '.join(unasked)}"] if unasked else []


def _odd_output(files: dict[str, bytes], code: int | None, out: str, err: str) -> list[str]:
    from fuzz_inputs import MARKER

    found = []
    said = [line for line in err.splitlines() if " is a category: " not in line]  # which names its words, to be seen
    if any(MARKER in line for line in said) and not any(map(_marked_header, files.values())):
        found.append("leak: a cell on standard error")
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", err):
        found.append("control characters on standard error")
    if "Warning" in err:
        found.append("a raw warning on standard error")
    named = any(b"nan" in content.split(b"\n")[0].lower() for content in files.values())
    if code == 0 and not named and re.search(r"\bnan\b", out, re.IGNORECASE):
        found.append("NaN on standard output")
    return found


def _marked_header(content: bytes) -> bool:
    """Did damage put the marker among the names of columns? These may be told, unlike a first row of data."""
    from fuzz_inputs import MARKER

    first = content.replace(b"\0", b"").split(b"\n")[0]  # also where a character takes two bytes
    return MARKER.encode() in first and any(name in first for name in NAMES)


def _listing(place: Path) -> set[str]:
    return {path.relative_to(place).as_posix() for path in place.rglob("*")}


def _keep(folder: Path, own: Any, findings: list[str], out: str, err: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in own.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    told = "\n".join(["lori " + ascii(own.command), *findings, "-- stdout", out[-2000:], "-- stderr", err[-2000:]])
    (folder / "FINDING.txt").write_text(told, encoding="utf-8", errors="backslashreplace")


# -- many cases -------------------------------------------------------------------------------------------------------


def work(pipe: Connection, seed: int, keep: Path) -> None:
    """A worker: answers every number with the outcome of its case."""
    os.environ |= {"LORI_DEBUG": "1", "JAX_PLATFORMS": "cpu", "COLUMNS": "200"}
    _warm()
    pipe.send("ready")
    for number in iter(pipe.recv, None):
        pipe.send(run(number, seed, keep))


def _warm() -> None:
    """Import and compile what cases need, so that the first of them is not slow."""
    import numpy as np
    from fuzz_inputs import MODELS, PAIRS, as_csv, registry_text, tables

    import lori.evaluation.checks
    import lori.experiments.organ
    import lori.interfaces.figures.plots
    import lori.interfaces.report.rendering

    registry_text()
    for name in ("linear", "capped", "gated"):
        model = lori.load(MODELS / f"{name}.json")
        model.explain([[0.0] * len(model.features_)] * 3, [[0.0] * len(model.features_)] * 3)
    with tempfile.TemporaryDirectory(prefix="fuzz") as place:
        sets = tables()["choices"]["choices"]
        sizes = (2, 3, 4, 6)  # damage makes one set of two; every size is compiled for itself
        alike = [sets.assign(set=np.arange(12) // n, chosen=np.arange(12) % n == 0).to_csv(index=False) for n in sizes]
        for text in (as_csv("pairs", "pairs"), *alike):
            (Path(place) / PAIRS).write_text(text)
            for command in ("predict", "explain"):
                _call([command, str(MODELS / "linear.json"), PAIRS], Path(place))
        _call(["reproduce", "nothing"], Path(place))
        os.chdir("/")


class Worker:
    """A process that runs one case at a time."""

    def __init__(self, seed: int, keep: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(other, seed, keep), daemon=True)
        self.process.start()
        other.close()
        self.number, self.until, self.ready = -1, 0.0, False

    def give(self, number: int, fits: bool) -> None:
        if not self.ready:  # the clock of its first case starts when everything is imported
            self.ready = self.pipe.recv() == "ready"
        limit = PATIENCE * (SECONDS_OF_A_FIT if fits else SECONDS)
        self.number, self.until = number, time.monotonic() + limit
        self.pipe.send(number)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--door", default="", help="only cases of this door: csv, parquet, columns, model, …")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"), help="folder for what is found")
    given = parser.parse_args()
    from fuzz_inputs import case

    given.out = given.out.resolve()
    every = range(given.first, given.first + given.inputs)
    numbers = (number for number in every if case(number, given.seed).door.startswith(given.door))
    outcomes, started = [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz-cache") as cache:
        os.chmod(cache, 0o700)
        os.environ.setdefault("LORI_CACHE", cache)
        workers = {}

        def next_case(worker: Worker) -> None:
            number = next(numbers, None)
            if number is None:
                worker.end()
                return
            worker.give(number, case(number, given.seed).fits)
            workers[worker.pipe] = worker

        for worker in [Worker(given.seed, given.out) for _ in range(given.jobs)]:
            next_case(worker)
        while workers:
            for pipe in wait(list(workers), timeout=1.0):
                worker = workers.pop(pipe)  # type: ignore[index]
                try:
                    outcomes.append(worker.pipe.recv())
                except EOFError:  # it died
                    outcomes.append(_lost(worker.number, given.seed, given.out, "the process died"))
                    worker.end()
                    worker = Worker(given.seed, given.out)
                _say(outcomes[-1], len(outcomes))
                next_case(worker)
            for worker in [own for own in workers.values() if time.monotonic() > own.until]:
                del workers[worker.pipe]
                worker.end()
                outcomes.append(_lost(worker.number, given.seed, given.out, "hang"))
                _say(outcomes[-1], len(outcomes))
                next_case(Worker(given.seed, given.out))
    return _summary(outcomes, time.monotonic() - started, given.out)


def _lost(number: int, seed: int, keep: Path, what: str) -> Outcome:
    from fuzz_inputs import case

    own = case(number, seed)
    _keep(keep / f"{number:06d}", own, [what], "", "")
    return Outcome(number, own.door, None, (what,))


def _say(outcome: Outcome, done: int) -> None:
    if outcome.findings:
        what = outcome.findings[0].strip().splitlines()
        print(
            f"case {outcome.number} ({outcome.door}): {what[0]} {what[-1] if len(what) > 1 else ''}"[:300], flush=True
        )
    if done % 500 == 0:
        print(f"{done:,} cases", flush=True)


def _summary(outcomes: list[Outcome], seconds: float, keep: Path) -> int:
    doors = Counter(outcome.door.split()[0] for outcome in outcomes)
    codes = Counter((outcome.door.split()[0], outcome.code) for outcome in outcomes)
    found = [outcome for outcome in outcomes if outcome.findings]
    print(f"\n{len(outcomes):,} inputs in {seconds:.0f} s")
    for door, count in doors.items():
        ends = ", ".join(f"{codes[door, code]:,} with code {code}" for code in (0, 1, 2, None) if codes[door, code])
        print(f"  {door:<9} {count:>6,}: {ends}")
    kinds = Counter(finding.split(":")[0] for outcome in found for finding in outcome.findings)
    print(f"{len(found)} findings" + (f" in {keep}: {dict(kinds)}" if found else ""))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
