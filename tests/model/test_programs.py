"""Are programs found by what they were made from, and made again where that changed or they are damaged?"""

import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from lori.model import engines, programs
from lori.model.likelihoods.pairs import Pairs
from lori.model.rewards import Linear
from lori.model.specification import Specification


@pytest.fixture
def folder(tmp_path):
    programs.keep_in(tmp_path)
    yield tmp_path
    programs.keep_in(None)


def specification(*rewards, features=("need", "benefit")):
    count = len(rewards)
    return Specification(rewards, (0.5,) * count, (1.0,) * count, Pairs(), features)


def traced_sums():
    """A function that tells how often JAX has traced it."""
    traces = []

    def sums(factor, shift, x):
        traces.append(1)
        return factor * x.sum() + shift

    return engines.compiled(sums), traces


def test_a_program_is_traced_once_and_found_by_another_process(folder):
    first, traces = traced_sums()
    assert first(2, 1, np.ones(3, np.float32)) == first(2, 1, np.ones(3, np.float32)) == 7
    again, traces_again = traced_sums()
    assert again(2, 1, np.ones(3, np.float32)) == 7
    assert (len(traces), len(traces_again)) == (1, 0)
    assert len(list(folder.glob("lori-*.program"))) == 1


@pytest.mark.parametrize(
    ("static", "x"),
    [((3, 1), np.ones(3, np.float32)), ((2, 1), np.ones(4, np.float32)), ((2, 1), np.ones(3, np.int32))],
)
def test_other_programs_have_other_names(folder, static, x):
    first, _ = traced_sums()
    first(2, 1, np.ones(3, np.float32))
    other, traces = traced_sums()
    assert other(*static, x) == static[0] * x.sum() + static[1]
    assert len(traces) == 1
    assert len(list(folder.glob("lori-*.program"))) == 2


@pytest.mark.parametrize("damage", [b"", b"no program", None])
def test_a_damaged_program_is_made_again(folder, damage):
    first, _ = traced_sums()
    first(2, 1, np.ones(3, np.float32))
    (place,) = folder.glob("lori-*.program")
    whole = place.read_bytes()
    place.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    again, traces = traced_sums()
    assert again(2, 1, np.ones(3, np.float32)) == 7
    assert len(traces) == 1
    assert len(place.read_bytes()) > 0.9 * len(whole)
    assert list(folder.iterdir()) == [place]


def test_a_program_that_lacks_parts_is_not_kept(folder, monkeypatch):
    """As those that JAX took from its own cache do: they load, and fail when they run."""

    def lacking(*_):
        raise RuntimeError("NOT_FOUND: Function broadcast_divide_fusion not found")

    monkeypatch.setattr(programs, "_loaded", lambda *_: lacking)
    sums, _ = traced_sums()
    assert sums(2, 1, np.ones(3, np.float32)) == 7
    assert not list(folder.iterdir())


def test_a_program_that_fails_when_it_runs_is_made_again(folder, monkeypatch):
    first, _ = traced_sums()
    first(2, 1, np.ones(3, np.float32))
    loaded, tried = programs._loaded, []

    def failing(written, device):
        tried.append(1)
        return (lambda *_: 1 / 0) if len(tried) == 1 else loaded(written, device)

    monkeypatch.setattr(programs, "_loaded", failing)
    again, traces = traced_sums()
    assert again(2, 1, np.ones(3, np.float32)) == 7
    assert (len(tried), len(traces)) == (2, 1)


def test_a_folder_that_cannot_be_written_to_costs_nothing_but_time(tmp_path):
    programs.keep_in(tmp_path / "missing")
    try:
        sums, _ = traced_sums()
        assert sums(2, 1, np.ones(3, np.float32)) == 7
    finally:
        programs.keep_in(None)


def test_names_tell_models_apart():
    one = programs.named(specification(Linear(), Linear()))
    assert one == programs.named(specification(Linear(), Linear()))
    others = [
        specification(Linear()),
        specification(Linear(), Linear(), features=("benefit", "need")),
        Specification((Linear(), Linear()), (0.5, 0.4), (1.0, 1.0), Pairs(), ("need", "benefit")),
        Specification((Linear(), Linear()), (0.5, 0.5), (1.0, 1.0), Pairs("observed"), ("need", "benefit")),
    ]
    assert len({one, *map(programs.named, others)}) == 5


def test_what_comes_from_outside_is_not_kept(folder):
    """A later version of it would be given the code of this one."""

    @dataclass(frozen=True)
    class Own:
        power: int

    for outside in (Own(2), np.sum, object()):
        with pytest.raises(programs.Unnamed):
            programs.named((outside,))
    powers = engines.compiled(lambda own, _, x: x**own.power)
    assert powers(Own(2), 0, 3.0) == 9
    assert not list(folder.iterdir())


def test_the_command_finds_its_programs(tmp_path):
    """The second fit traces nothing: with JAX's own cache gone, it compiles nothing either."""
    generator = np.random.default_rng(0)
    rows, noise = generator.normal(size=(4000, 4)).round(3), generator.logistic(size=4000)
    left = 2 * rows[:, 0] + rows[:, 1] - 2 * rows[:, 2] - rows[:, 3] > noise
    lines = [",".join([*map(str, own), "left" if won else "right"]) for own, won in zip(rows, left, strict=True)]
    (tmp_path / "pairs.csv").write_text("\n".join(["left.x,left.y,right.x,right.y,choice", *lines]) + "\n")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("JAX_")}
    environment |= {"LORI_CACHE": str(tmp_path / "cache")}

    def fit() -> str:
        command = [sys.executable, "-m", "lori", "fit", str(tmp_path / "pairs.csv"), "--levels", "1", "--json"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    first = fit()
    kept = {entry.name for entry in (tmp_path / "cache").iterdir() if entry.name.startswith("lori-")}
    for entry in (tmp_path / "cache").iterdir():
        if entry.name not in kept:
            entry.unlink()
    assert fit() == first
    assert kept == {entry.name for entry in (tmp_path / "cache").iterdir() if entry.name.endswith(".program")}
    assert kept
