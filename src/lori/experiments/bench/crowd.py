"""Crowd: simulated respondents of `lori elicit`, who speak HTTP and keep a log of what was acknowledged."""

from __future__ import annotations

import asyncio
import os
import random
import re
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from urllib.parse import urlencode

PATIENCE = 120.0  # seconds that a server may take to start, or a respondent tries again
FIELD = re.compile(r'name="(csrf|number|mark)" value="([^"]*)"')
LINK = re.compile(r"/r/([\w-]{16,64})")


class Service:
    """A server of its own: `lori elicit` on this computer, as a process that can be killed."""

    def __init__(self, study: Path, db: str = "") -> None:
        self.study, self.db, self.port = study, db, _free_port()
        self.token, self.process = "", None  # type: tuple[str, subprocess.Popen[str] | None]

    def start(self) -> None:
        options = ["--port", str(self.port), *(["--db", self.db] if self.db else [])]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lori", "elicit", str(self.study), *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "token" in line:
            self.token = line.split()[-1]

    def kill(self) -> None:
        """As a power failure would, without a word."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def memory(self) -> float:
        """Peak of all processes together, in megabytes."""
        peaks = (re.search(r"VmHWM:\s+(\d+)", (own / "status").read_text()) for own in self._processes())
        return sum(int(peak[1]) for peak in peaks if peak) / 1024

    def processor(self) -> tuple[float, float]:
        """Seconds of processor time so far, which others on the same computer change less than they change waiting.

        First that of the process that serves pages, then that of its workers.
        """
        used = [(own / "stat").read_text().rpartition(")")[2].split() for own in self._processes()]
        serving, *working = ((int(own[11]) + int(own[12])) / os.sysconf("SC_CLK_TCK") for own in used)
        return serving, sum(working)

    def _processes(self) -> list[Path]:
        """Where the system tells about the server and what it started."""
        assert self.process is not None
        found = [self.process.pid]
        for own in found:
            found += map(int, Path(f"/proc/{own}/task/{own}/children").read_text().split())
        return [Path(f"/proc/{own}") for own in found]

    async def ready(self) -> None:
        visitor = Visitor(self.port)
        until = perf_counter() + PATIENCE
        while True:
            try:
                if (await visitor.request("GET", "/health"))[0] == 200:
                    return visitor.leave()
            except OSError:
                if perf_counter() > until:
                    raise
                await asyncio.sleep(0.02)


@dataclass
class Visitor:
    """A browser: one connection, cookies, the fields of the open form."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    form: dict[str, str] = field(default_factory=dict)
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, str]:
        """Status and body; OSError where the server is away."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self._streams
        body = urlencode(fields or {}).encode()
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {cookies}\r\nX-Part: 1\r\n"
        if method == "POST":
            head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        try:
            writer.write(head.encode() + b"\r\n" + body)
            await writer.drain()
            top = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = int(re.search(r"(?i)content-length: (\d+)", top)[1])  # type: ignore[index]
            content = (await reader.readexactly(length)).decode()
        except (asyncio.IncompleteReadError, OSError) as error:
            self.leave()
            raise ConnectionError from error
        for name, value in re.findall(r"(?i)set-cookie: (\w+)=([^;]*)", top):
            self.cookies[name] = value
        return int(top.split(" ", 2)[1]), content

    async def page(self, method: str, path: str, fields: dict[str, str] | None = None) -> str:
        """The page in the end, after redirects; its form is kept."""
        status, content = await self.request(method, path, fields)
        if status == 303:
            status, content = await self.request("GET", "/admin" if path.startswith("/admin") else "/")
        if status != 200:
            raise RuntimeError(f"the server answered {status} to {method} {path.partition('/r/')[0]}")
        self.form = dict(FIELD.findall(content)[:3])
        return content

    def leave(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    # -- what people do -------------------------------------------------------------------------------------

    async def links(self, token: str, count: int) -> list[str]:
        """As the administrator: invitations."""
        await self.page("GET", "/admin")
        await self.page("POST", "/admin/login", {"csrf": self.form["csrf"], "token": token})
        found: list[str] = []
        while len(found) < count:
            some = {"csrf": self.form["csrf"], "count": str(min(1000, count - len(found))), "days": "1"}
            found += LINK.findall(await self.page("POST", "/admin/invite", some))
        return found

    async def begin(self, link: str) -> None:
        await self.page("GET", f"/r/{link}")
        await self.page("POST", "/begin", {"csrf": self.form["csrf"], "agree": "yes"})

    async def answer(self, answer: str) -> None:
        """Answer the open question; afterwards the next one is open, or none."""
        await self.page("POST", "/answer", {**self.form, "answer": answer})


@dataclass
class Log:
    """What the crowd saw: times from answer to next question, and answers that were acknowledged."""

    seconds: list[float] = field(default_factory=list)
    answers: dict[str, dict[int, str]] = field(default_factory=dict)  # by link and number
    errors: list[str] = field(default_factory=list)
    retries: int = 0
    processor: tuple[float, float] = (0.0, 0.0)  # seconds of the server's: serving pages, and in workers


async def respondent(
    port: int, links: list[str], log: Log, *, every: float, going: Callable[[], bool], seed: int, again: bool = False
) -> None:
    """Answer interview after interview while it is `going`; with `again`, send until it is acknowledged."""
    choose = random.Random(seed)
    await asyncio.sleep(choose.uniform(0, every))
    while going() and links:
        link, visitor = links.pop(), Visitor(port)
        await _persistent(visitor.begin, link, log, again)
        while "mark" in visitor.form and going():
            pause = asyncio.create_task(asyncio.sleep(every))
            number, answer = int(visitor.form["number"]), choose.choice(("left", "right", "tie"))
            started = perf_counter()
            await _persistent(visitor.answer, answer, log, again)
            log.seconds.append(perf_counter() - started)
            log.answers.setdefault(link, {})[number] = answer
            await pause
        visitor.leave()


async def _persistent(action: Callable[[str], Awaitable[None]], value: str, log: Log, again: bool) -> None:
    started = perf_counter()
    while True:
        try:
            return await action(value)
        except (OSError, RuntimeError) as error:
            if not again or perf_counter() - started > PATIENCE:
                log.errors.append(str(error) or type(error).__name__)
                return
            log.retries += 1
            await asyncio.sleep(0.05)


def example_study(folder: Path, questions: int) -> Path:
    """The example, never sure enough to end early."""
    path = folder / "study.toml"
    subprocess.run([sys.executable, "-m", "lori", "elicit", "--example", str(path)], check=True, capture_output=True)
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"questions = \d+", f"questions = {questions}", text).replace("sure = 0.95", "sure = 1.0")
    path.write_text(text, encoding="utf-8")
    return path


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
