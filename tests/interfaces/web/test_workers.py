"""Workers: the same questions in a process of its own, which is replaced when it dies and never outlives its server."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor, wait

import pytest

from lori.inference.interview.interview import Interview
from lori.inference.interview.study_file import study_from
from lori.interfaces.web.workers import AHEAD, Beginning, Interviewer, Worker, Workers

from .conftest import TABLE

PERSON = Beginning(1, 7, "")
SERVER = """
import os, sys, time
from lori.inference.interview.study_file import study_from
from lori.interfaces.web.workers import Workers
if __name__ == "__main__":
    workers = Workers(study_from({table})[0], 1)
    print(workers._workers[0].submit(True, os.getpid).result(), flush=True)
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def study():
    return study_from(TABLE)[0]


def test_a_worker_goes_on_from_what_it_knows(study):
    worker, talk = Interviewer(study), Interview(study, seed=7)
    assert worker.first_question(PERSON) == talk.ask()
    for answer in ("left", "skip", "tie"):
        assert worker.following(PERSON, tuple(talk.history), talk.ask()) == talk.prepare()
        talk.tell(answer)
    talk.undo()
    assert worker.following(PERSON, tuple(talk.history), talk.ask()) == talk.prepare()
    assert Interviewer(study).following(PERSON, tuple(talk.history), talk.ask()) == talk.prepare()


def test_after_the_last_question_none_follows(study):
    talk = Interview(study, seed=7)
    for _ in range(5):
        talk.tell("left")
    for following in Interviewer(study).following(PERSON, tuple(talk.history), talk.ask()).values():
        assert following.question is None
        assert following.order in talk.order.probabilities
        assert 0 <= following.sure <= following.probability <= 1


def test_a_process_that_was_ended_is_replaced(study):
    workers = Workers(study, 1)
    try:
        first = workers.first_question(PERSON).result()
        os.kill(workers._workers[0].submit(True, os.getpid).result(), signal.SIGKILL)
        with contextlib.suppress(BrokenExecutor):  # it may not be noticed yet
            workers.first_question(PERSON).result()
        assert workers.first_question(PERSON).result() == first
    finally:
        workers.close()


def test_a_process_leaves_with_its_server(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SERVER.format(table=repr(TABLE)))
    server = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    worker = int(server.stdout.readline())
    server.kill()
    server.wait()
    until = time.monotonic() + 20
    while _lives(worker) and time.monotonic() < until:
        time.sleep(0.02)
    assert not _lives(worker)


def _lives(process):
    """Zombies do not: somebody else has yet to collect them."""
    try:
        os.kill(process, 0)
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_is_urgent_goes_first_and_what_nobody_wants_is_left_out():
    worker, begin, done = Worker(lambda: ThreadPoolExecutor(1)), threading.Event(), []
    first = [worker.submit(False, begin.wait) for _ in range(AHEAD)]  # so many are on their way
    later = [worker.submit(urgent, done.append, name) for urgent, name in ((False, "a"), (False, "b"), (True, "c"))]
    assert later[0].cancel()
    begin.set()
    wait([*first, *later], timeout=30)
    assert done == ["c", "b"]
    failed = worker.submit(True, int, "no number")
    assert isinstance(failed.exception(timeout=30), ValueError)
    worker.close()
