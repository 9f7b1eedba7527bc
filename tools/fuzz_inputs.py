"""Inputs of the fuzzer: what is put through LORI's doors? Small valid files, damaged in ways that files are.

`case(number, seed)` is the same case every time. Cells carry a marker that no message may repeat.
"""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas

MARKER = "SECRET7731"
MODELS = Path(__file__).resolve().parents[1] / "tests" / "golden" / "models"
ODD_CELLS = (
    "", " ", "nan", "NaN", "inf", "-inf", "1e999", "1e19", "1e200", "1e-320", "-0", "0x10", "1_000", "１２", "1,5", '"1',
    "'1'", "=1+1", "\x00", MARKER, f"[1, {MARKER}]", MARKER * 2000, "\u202eabc", "\x1b[2J", "2021-01-01", "True", "1+2j",
    "9" * 400, "left", "right", "tie", "7.5", "-3",
)  # fmt: skip
ODD_NAMES = (
    "", " ", "left.", "right.", "left.a", "choice", "*", "a*", "agent", "weight", "left_wins", "count", "id", "set",
    "x" * 300, "x" * 70_000, "\x1b[31m", "\u202e", "\ud7ff", "1", "nan", "left.left.a", "'", '"', "a\nb", "trajectory",
)  # fmt: skip
ODD_NUMBERS: tuple[Any, ...] = (
    0, -1, 1, 2, 300, 10**9, 10**19, 10**400, 1e308, -1e308, 1e-320, float("nan"), float("inf"), True, None, "", "x", [],
    {}, [1], {"a": 1}, [[]], "1" * 10_000, [0.0] * 1000, 0.5,
)  # fmt: skip
ODD_PATHS = (
    "", ".", "..", "/", "/dev/null", "/dev/full", "/proc/self/mem", "nowhere.csv", "no/where.csv", "folder", "loop", "-",
    "n" * 252 + ".csv", "n" * 300 + ".csv", "\x1b[2J.csv", "\u202e.csv", "empty.csv", "noise.csv", "folder/", "pairs.csv/x",
    "~", "pairs.csv\n", "\udce4.csv",
)  # fmt: skip

OUTSIDE = ("/", "..")  # folders that can be written into: never where a case makes files


@dataclass
class Case:
    """Files to be laid out in an empty folder, and the words of a command."""

    door: str
    files: dict[str, bytes]
    command: list[str]
    fits: bool = False  # may reach a fit, and then takes longer
    outputs: tuple[str, ...] = ()


def case(number: int, seed: int) -> Case:
    """The case of this number."""
    chance = random.Random(f"{seed} {number}")
    doors, weights = zip(*DOORS.items(), strict=True)
    return chance.choices(doors, weights)[0](chance)


# -- valid tables ---------------------------------------------------------------------------------------------------


@lru_cache
def tables() -> dict[str, dict[str, pandas.DataFrame]]:
    """The five forms, by the names of their files."""
    chance = np.random.default_rng(0)

    def numbers(rows: int) -> pandas.DataFrame:
        return pandas.DataFrame(chance.normal(size=(rows, 3)).round(3), columns=["benefit", "need", "cost"])

    def people(rows: int) -> list[str]:
        return [f"{MARKER}-{i % 3}" for i in range(rows)]

    sides = pandas.concat([numbers(12).add_prefix("left."), numbers(12).add_prefix("right.")], axis=1)
    words = sides.assign(choice=["left", "right", "tie"] * 4, agent=people(12))
    counts = sides.assign(left_wins=3, right_wins=[1, 2] * 6, ties=0, weight=1.0)
    sets = numbers(12).assign(set=[f"{MARKER}s{i // 3}" for i in range(12)], chosen=[1, 0, 0] * 4, agent=people(12))
    items = numbers(5).assign(id=[f"{MARKER}i{i}" for i in range(5)])
    won = pandas.DataFrame({"winner": [f"{MARKER}i{i % 4}" for i in range(8)], "loser": f"{MARKER}i4", "count": 2})
    steps = numbers(12).assign(trajectory=[f"{MARKER}t{i // 4}" for i in range(12)], step=[0, 1, 2, 3] * 3)
    compared = pandas.DataFrame({"left": [f"{MARKER}t0"] * 4, "right": [f"{MARKER}t1", f"{MARKER}t2"] * 2})
    return {
        "pairs": {"pairs": words},
        "counts": {"pairs": counts},
        "choices": {"choices": sets},
        "comparisons": {"items": items, "comparisons": won},
        "trajectories": {"steps": steps, "compared": compared.assign(choice=["left", "right"] * 2)},
    }


@lru_cache
def as_csv(form: str, name: str) -> str:
    return tables()[form][name].to_csv(index=False)


def as_parquet(frame: pandas.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


# -- damage ---------------------------------------------------------------------------------------------------------


def damaged_bytes(chance: random.Random, content: bytes) -> bytes:
    content = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(content) + 1)
        match chance.randrange(6):
            case 0:
                del content[place:]
            case 1 if content:
                content[place - 1] ^= 1 << chance.randrange(8)
            case 2:
                content[place:place] = chance.randbytes(chance.randint(1, 8))
            case 3:
                del content[place : place + chance.randint(1, 40)]
            case 4:
                content[place:place] = content[place : place + chance.randint(1, 60)]
            case 5:
                content[place:place] = chance.choice(ODD_CELLS).encode("utf-8", "surrogatepass")
    return bytes(content)


def damaged_table(chance: random.Random, text: str) -> str:
    """Cells, columns and lines of a CSV that somebody touched."""
    rows = [line.split(",") for line in text.splitlines()]
    for _ in range(chance.randint(1, 3)):
        if not rows or not rows[0]:
            break
        row, column = chance.randrange(len(rows)), chance.randrange(len(rows[0]))
        match chance.randrange(10):
            case 0 | 1 | 2:
                if column < len(rows[row]):
                    rows[row][column] = chance.choice(ODD_CELLS)
            case 3 | 4 if column < len(rows[0]):
                rows[0][column] = chance.choice(ODD_NAMES)
            case 5:
                rows.insert(row, list(chance.choice(rows)))
            case 6:
                rows = [[*own, own[column]] if column < len(own) else own for own in rows]  # a column twice
            case 7:
                rows = [[cell for i, cell in enumerate(own) if i != column] for own in rows]
            case 8:
                rows[row] = rows[row][:column] if chance.random() < 0.5 else [*rows[row], chance.choice(ODD_CELLS)]
            case 9:
                del rows[row]
    return "\n".join(",".join(own) for own in rows) + "\n"


def encoded(chance: random.Random, text: str) -> bytes:
    if chance.random() < 0.7:
        return text.encode("utf-8", "surrogatepass")
    match chance.randrange(8):
        case 0:
            return text.encode("utf-16", "surrogatepass")
        case 1:
            return text.encode("latin-1", "replace")
        case 2:
            return b"\xef\xbb\xbf" + text.encode("utf-8", "surrogatepass")
        case 3:
            return text.replace("\n", chance.choice(["\r\n", "\r", "\n\n"])).encode("utf-8", "surrogatepass")
        case 4:
            return text.replace(",", chance.choice([";", "\t", "|", " "])).encode("utf-8", "surrogatepass")
        case 5:
            return gzip.compress(text.encode("utf-8", "surrogatepass"))
        case 6:
            return text.encode("utf-32", "surrogatepass")
        case _:
            return text.replace("\n", ",\n").encode("utf-8", "surrogatepass")


def damaged_frame(chance: random.Random, frame: pandas.DataFrame) -> pandas.DataFrame:
    """Columns of kinds that Parquet has and nobody expects."""
    frame, rows = frame.copy(), len(frame)
    name = chance.choice(list(frame.columns))
    kinds: tuple[Callable[[], Any], ...] = (
        lambda: pandas.Series([[1, 2]] * rows), lambda: pandas.Series([{"a": MARKER}] * rows),
        lambda: pandas.Series([MARKER.encode()] * rows), lambda: pandas.Series([MARKER] * rows),
        lambda: pandas.Series(pandas.date_range("2020", periods=rows)), lambda: pandas.Series([True, False] * rows)[:rows],
        lambda: pandas.Series([None] * rows), lambda: pandas.Series([10**18] * rows), lambda: pandas.Series([np.inf] * rows),
        lambda: pandas.Series([1, None] * rows, dtype="Int64")[:rows], lambda: frame[name].astype("category"),
        lambda: pandas.Series([1e300, -1e300] * rows)[:rows], lambda: pandas.Series(pandas.to_timedelta(range(rows))),
        lambda: pandas.Series([np.nan] * rows), lambda: frame[name].astype(str),
    )  # fmt: skip
    match chance.randrange(4):
        case 0:
            frame = frame.rename(columns={name: chance.choice(ODD_NAMES)})
            return frame.loc[:, ~frame.columns.duplicated()]
        case 1:
            return frame.iloc[: chance.choice([0, 1])]
        case _:
            return frame.assign(**{name: chance.choice(kinds)()})


def damaged_json(chance: random.Random, document: Any) -> Any:
    """The same document with a value, a key or a part that does not belong there."""
    places: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        part = waiting.pop()
        for key, value in list(part.items() if isinstance(part, dict) else enumerate(part)):
            places.append((part, key))
            if isinstance(value, dict | list):
                waiting.append(value)
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        part, key = chance.choice(places)
        if (isinstance(part, list) and key >= len(part)) or (isinstance(part, dict) and key not in part):
            continue
        match chance.randrange(6):
            case 0 | 1 | 2:
                part[key] = chance.choice(ODD_NUMBERS)
            case 3:
                del part[key]
            case 4 if isinstance(part, dict):
                part[chance.choice([*ODD_NAMES[:20], "kind", "hidden", "lapse"])] = chance.choice(ODD_NUMBERS)
            case _ if isinstance(part, list):
                part *= chance.choice([0, 2, 30])
    return document


# -- doors ----------------------------------------------------------------------------------------------------------


@lru_cache
def golden(name: str) -> str:
    return (MODELS / f"{name}.json").read_text(encoding="utf-8")


PAIRS = "pairs.csv"


def reading(chance: random.Random, files: list[str], form: str) -> tuple[list[str], bool]:
    """A command that reads these files; most stop before a fit, at a number of levels that nobody may have."""
    if form != "counts" and chance.random() < 0.3:
        return [chance.choice(["predict", "predict", "explain"]), "model.json", *files], False
    if chance.random() < 0.02:
        return ["fit", *files, "--levels", "1", "--starts", "1", "--epsilon", "0", "--json"], True
    return [
        "fit",
        *files,
        "--levels",
        "99",
        *chance.choice([[], [], ["--identical", "drop"], ["--by", "agent"]]),
    ], False


def csv_door(chance: random.Random) -> Case:
    form = chance.choice(list(tables()))
    files = {"model.json": golden("linear").encode()}
    hurt = chance.choice(list(tables()[form]))
    for name in tables()[form]:
        text = as_csv(form, name)
        if name != hurt:
            files[f"{name}.csv"] = text.encode()
        elif chance.random() < 0.6:
            files[f"{name}.csv"] = encoded(chance, damaged_table(chance, text))
        else:
            files[f"{name}.csv"] = damaged_bytes(chance, text.encode())
    command, fits = reading(chance, [name for name in files if name != "model.json"], form)
    return Case(f"csv {form}", files, command, fits)


def parquet_door(chance: random.Random) -> Case:
    form = chance.choice(list(tables()))
    files = {"model.json": golden("linear").encode()}
    hurt = chance.choice(list(tables()[form]))
    for name, frame in tables()[form].items():
        try:
            content = as_parquet(damaged_frame(chance, frame) if name == hurt and chance.random() < 0.6 else frame)
        except (ValueError, TypeError, UnicodeError, OverflowError):  # what no Parquet file can hold
            content = as_parquet(frame)
        files[f"{name}.parquet"] = content
        if name == hurt and chance.random() < 0.4:
            files[f"{name}.parquet"] = damaged_bytes(chance, content)
    names = [name for name in files if name != "model.json"]
    command, fits = reading(chance, names, form)
    if len(names) == 1 and command[0] == "fit" and not fits and chance.random() < 0.2:
        command += ["--engine", "stream"]
    return Case(f"parquet {form}", files, command, fits)


def columns_door(chance: random.Random) -> Case:
    form = chance.choice(list(tables()))
    files = {f"{name}.csv": as_csv(form, name).encode() for name in tables()[form]}
    ours = (*ODD_NAMES, "left.*", "right.*", "left.need", "choice", "id", "winner", "chosen", "step", "ties", "*")
    theirs = (*ours, "left.benefit", "cost", "A_*", "*1", "**", "agent")
    command = ["fit", *files, "--levels", "99"]
    for _ in range(chance.randint(1, 3)):
        option = chance.choice(["--columns", "--columns", "--values", "--features"])
        word = f"{chance.choice(ours)}{chance.choice(['=', '=', '=', '==', ''])}{chance.choice(theirs)}"
        command += [option, word.replace("\0", "") if option != "--features" else chance.choice(theirs)]
    return Case("columns", files, command)


def model_door(chance: random.Random) -> Case:
    name = chance.choice(["linear", "capped", "gated", "agents"])
    if chance.random() < 0.75:
        text = json.dumps(damaged_json(chance, json.loads(golden(name)))).encode("utf-8", "surrogatepass")
    else:
        text = damaged_bytes(chance, golden(name).encode())
    if chance.random() < 0.03:
        text = chance.choice([b"[" * 100_000, b'{"a":' * 50_000, b"", b"null", b"9" * 100_000, b"\xff\xfe", b"{}"])
    features = json.loads(golden(name))
    names = (features["agents"]["1"] if name == "agents" else features)["model"]["features"]
    header = ",".join([f"{side}.{own}" for side in ("left", "right") for own in names])
    rows = [",".join(str(round(chance.gauss(0, 1), 2)) for _ in names[1:]) for _ in range(6)]
    same = [str(round(chance.gauss(0, 1), 2)) for _ in range(3)]  # a context is shared
    lines = [f"{rows[2 * i]},{same[i]},{rows[2 * i + 1]},{same[i]}" for i in range(3)]
    files = {"model.json": text, PAIRS: "\n".join([header, *lines, ""]).encode()}
    command: list[str] = ["predict", "model.json", PAIRS]
    outputs: tuple[str, ...] = ()
    roll = chance.random()
    if roll < 0.1:
        command = ["explain", "model.json", PAIRS, "--words"]
    elif roll < 0.2:
        command, outputs = ["simulate", "model", "--model", "model.json", "--pairs", "5", "--out", "drawn"], ("drawn",)
    elif roll < 0.22:
        command, outputs = ["plot", "ladder", "model.json", "--out", "ladder.svg"], ("ladder.svg",)
    elif roll < 0.25:
        command, outputs = ["plan-study", "--truth", "model.json", *SMALL_STUDY, "--out", "plan.json"], ("plan.json",)
    return Case(f"model {name}", files, command, fits=command[0] == "plan-study", outputs=outputs)


@lru_cache
def registry_text() -> str:
    """A small made-up registry."""
    from tempfile import TemporaryDirectory

    from lori.applications.organ.synthetic import SyntheticSettings, write_registry

    with TemporaryDirectory() as place:
        file = Path(place) / "registry.csv"
        write_registry(file, SyntheticSettings(patients=30, organs=25, history=20, others=5))
        return file.read_text(encoding="utf-8")


def registry_door(chance: random.Random) -> Case:
    text = registry_text()
    content = (
        encoded(chance, damaged_table(chance, text)) if chance.random() < 0.6 else damaged_bytes(chance, text.encode())
    )
    year = chance.choice(["2019", "2019", "2019", "2018", "0", "-5", "99999999", "10000"])
    return Case("registry", {"registry.csv": content}, ["(registry)", "registry.csv", year])


ODD_WORDS = (
    "", " ", "0", "-1", "1", "2", "nan", "inf", "-inf", "1e308", "1e-320", "1e999", "9" * 30, "9" * 5000, "learned",
    "none", "learned,0", "0,0,0", ",", "auto", "all", "a,b", "need", "need,need", "\x1b[2J", "\u202e", "x" * 10_000, "true",
    "1.5", "None", "--", "=", "*", "2e1", "١", "linear", "network", "gated", "capped", "mean", "discounted", "/", "observed",
)  # fmt: skip
OPTIONS = {
    "fit": (
        "--levels", "--reward", "--increasing", "--decreasing", "--context", "--ties", "--epsilon", "--alpha", "--prior",
        "--method", "--starts", "--standard-errors", "--seed", "--engine", "--by", "--features", "--pooling", "--discount",
        "--identical", "--columns", "--values", "--save", "--report", "--lapse",
    ),
    "predict": ("--pooling", "--discount", "--columns", "--values", "--out"),
    "explain": ("--pooling", "--discount", "--columns", "--values", "--out", "--words"),
    "plot": ("--features", "--left", "--right", "--out"),
    "simulate": ("--pairs", "--times", "--agents", "--levels", "--features", "--policy", "--seed", "--model"),
    "reproduce": ("--seeds", "--jobs", "--year", "--registry"),
    "bench": ("--repeats",),
    "plan-study": (
        "--features", "--levels", "--truth", "--slips", "--choices", "--people", "--choices-each", "--power", "--runs",
        "--seed", "--keep", "--out", "--columns", "--values",
    ),
}  # fmt: skip


SMALL_STUDY = ("--choices", "10", "--runs", "2", "--jobs", "1")


def options_door(chance: random.Random) -> Case:
    command = chance.choice(["fit", "fit", "fit", *OPTIONS])
    files = {PAIRS: as_csv("pairs", "pairs").encode(), "model.json": golden("linear").encode()}
    start = {
        "fit": ["fit", PAIRS], "predict": ["predict", "model.json", PAIRS], "explain": ["explain", "model.json", PAIRS],
        "plot": ["plot", chance.choice(["ladder", "tradeoff", "regions", "check", "trajectories", "x"]), "model.json"],
        "simulate": ["simulate", chance.choice(["levels", "tversky", "model", "x"]), "--out", "drawn"],
        "reproduce": ["reproduce", chance.choice(["x", "", "nothing"]), "--out", "drawn"],
        "bench": ["bench", chance.choice(["x", "", "nothing"]), "--out", "drawn"],
        "plan-study": ["plan-study", *chance.choice([[], [PAIRS], ["--truth", "model.json"]]), *SMALL_STUDY],
    }[command]  # fmt: skip
    words, names = list(start), OPTIONS[command]
    for option in chance.sample(names, k=min(len(names), chance.randint(1, 3))):
        word = chance.choice([word for word in ODD_WORDS if option != "--keep" or word not in OUTSIDE])
        words += [option] if option == "--words" else [option, word]
    if command == "fit" and chance.random() < 0.9:  # seldom a fit: it is what takes time
        words += ["--levels", "99"]
    outputs = ("drawn", "figure.svg", *words[2:])
    return Case("options", files, words, fits=command in ("fit", "plot", "explain", "plan-study"), outputs=outputs)


def paths_door(chance: random.Random) -> Case:
    files = {
        PAIRS: as_csv("pairs", "pairs").encode(), "model.json": golden("linear").encode(), "empty.csv": b"",
        "noise.csv": chance.randbytes(300), "folder/inside.csv": b"", "loop": b"->loop",
    }  # fmt: skip
    odd, other = chance.choice(ODD_PATHS), chance.choice(ODD_PATHS)
    place = chance.choice([path for path in ODD_PATHS if path not in OUTSIDE])
    command = chance.choice([
        ["fit", odd, "--levels", "99"], ["fit", PAIRS, odd, "--levels", "99"], ["fit", odd, other, "--levels", "99"],
        ["fit", PAIRS, "--levels", "99", "--save", odd], ["fit", PAIRS, "--levels", "99", "--report", odd],
        ["predict", odd, PAIRS], ["predict", "model.json", odd], ["predict", "model.json", PAIRS, "--out", odd],
        ["explain", "model.json", PAIRS, "--out", odd], ["plot", "ladder", odd], ["plot", "ladder", "model.json", "--out", odd],
        ["report", "model.json", odd], ["report", odd, PAIRS, "--out", other], ["simulate", "tversky", "--out", place],
        ["simulate", "model", "--model", odd, "--out", "drawn"], ["fit", odd, "--engine", "stream", "--levels", "99"],
        ["reproduce", "organ", "--registry", odd, "--out", "drawn"], ["reproduce", "nothing", "--out", odd],
        ["plan-study", odd, *SMALL_STUDY], ["plan-study", "--truth", odd, *SMALL_STUDY, "--out", other],
        ["plan-study", *SMALL_STUDY, "--keep", place, "--out", "plan.csv"],
        [odd], [odd, other], ["fit", f"--{odd}"],
    ])  # fmt: skip
    outputs = ("drawn", odd, other, place, "report.html", "figure.svg", "plan.csv")
    return Case("paths", files, list(command), fits=command[0] == "plan-study", outputs=outputs)


DOORS: dict[Callable[[random.Random], Case], int] = {
    csv_door: 30, parquet_door: 15, columns_door: 10, model_door: 20, registry_door: 8, options_door: 9, paths_door: 8,
}  # fmt: skip
