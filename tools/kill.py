"""Kill: does a command that is killed at any moment leave nothing half-written, and go on to the same files?

    python tools/kill.py --kills 50           a fit with its model and report, and two small studies
    python tools/kill.py --kills 10 --only fit

Each command first runs undisturbed. Then it is killed (signal 9) at random moments of such a run and started again,
undisturbed, in the same folder. Between the two every file that has its final name must be whole, and at the end the
files must be the same as without the kill, but for what tells the time of a run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LORI = [sys.executable, "-m", "lori"]
COMMANDS = {
    "fit": [*LORI, "fit", "choices.csv", "--levels", "2", "--starts", "8", "--save", "model.json", "--overwrite",
            "--report", "report.html", "--json"],
    "table4": [*LORI, "reproduce", "table4", "--smoke", "--seeds", "1", "--jobs", "1", "--out", "out"],
    "figure2": [*LORI, "reproduce", "figure2", "--smoke", "--seeds", "1", "--jobs", "1", "--out", "out"],
}  # fmt: skip
# A cell's checksum is that of its seconds, too.
TIMES = re.compile(rb'"(seconds|checksum)[^"]*": [^,}\n]+|\b\d+(\.\d+)? s(econds)?\b')


def prepare(place: Path) -> None:
    import lori

    truth = lori.OrderedModel.linear([[2.0, 0.3], [0.2, 2.0]], epsilon=[1.0, 0.0], features=["need", "benefit"])
    lori.write_pairs(lori.simulate(truth, 200, seed=0), place / "choices.csv")


def started(command: list[str], place: Path, cache: Path) -> subprocess.Popen:
    environment = {**os.environ, "LORI_CACHE": str(cache), "JAX_PLATFORMS": "cpu"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))  # the same LORI, wherever it runs
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=place, env=environment, stdout=quiet, stderr=quiet, start_new_session=True)


def kept(place: Path) -> dict[str, bytes]:
    """What is there under its final name, without the times of the run."""
    files = (path for path in place.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(place).as_posix(): TIMES.sub(b"", path.read_bytes()) for path in files}


def halves(place: Path) -> list[str]:
    """Files under a final name that are not whole."""
    wrong = []
    for path in place.rglob("*"):
        if path.is_file() and not path.name.startswith("."):
            content = path.read_bytes()
            try:
                whole = bool(content) and (path.suffix != ".json" or json.loads(content) is not None)
                whole = whole and (path.suffix != ".html" or content.rstrip().endswith(b"</html>"))
            except ValueError:
                whole = False
            wrong += [] if whole else [path.name]
    return wrong


def trial(
    command: list[str], seconds: float, cache: Path, expected: dict[str, bytes], chance: random.Random
) -> list[str]:
    """Kill once, run again, compare."""
    with tempfile.TemporaryDirectory(prefix="kill") as folder:
        place = Path(folder)
        prepare(place)
        process, moment = started(command, place, cache), chance.uniform(0, seconds)
        time.sleep(moment)
        os.killpg(process.pid, 9) if process.poll() is None else None
        process.wait()
        told = [f"killed after {moment:.2f} s: {name} is not whole" for name in halves(place)]
        code = started(command, place, cache).wait()
        after = kept(place)
        if code != 0:
            told.append(f"killed after {moment:.2f} s: the second run ended with code {code}")
        different = sorted(name for name in expected.keys() | after.keys() if expected.get(name) != after.get(name))
        return told + [f"killed after {moment:.2f} s: {name} differs" for name in different]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="for each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(COMMANDS))
    given = parser.parse_args()
    chance, wrong = random.Random(given.seed), 0
    for name, command in COMMANDS.items():
        if given.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory(prefix="kill") as folder:
            cache = Path(folder) / "cache"
            cache.mkdir(mode=0o700)
            for run in ("compiles", "undisturbed"):
                place = Path(folder) / run
                place.mkdir()
                prepare(place)
                begun = time.perf_counter()
                if started(command, place, cache).wait() != 0:
                    print(f"{name}: the undisturbed run failed")
                    return 1
            seconds, expected = time.perf_counter() - begun, kept(place)
            print(f"{name}: {seconds:.1f} s undisturbed, {len(expected)} files", flush=True)
            for _ in range(given.kills):
                for finding in trial(command, seconds, cache, expected, chance):
                    wrong += 1
                    print(f"  {finding}", flush=True)
    print(f"{wrong} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
