"""Kill `lori elicit` again and again while people answer; afterwards their own log is compared with what is stored.

    python tools/kill_elicit.py --kills 20                                  SQLite
    python tools/kill_elicit.py --kills 20 --db postgresql://user@host/name

No acknowledged answer may be lost, and none may be there twice. Exit code 1 if one is.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from pathlib import Path

from lori.experiments.bench.crowd import Log, Service, Visitor, example_study, respondent


async def trial(service: Service, kills: int, people: int, every: float) -> tuple[Log, dict, list[str]]:
    log, choose = Log(), random.Random(0)
    service.start()
    await service.ready()
    desk = Visitor(service.port)
    links = await desk.links(service.token, people * (kills + 5))
    every_link = list(links)
    left = kills
    crowd = [
        asyncio.create_task(
            respondent(service.port, links, log, every=every, going=lambda: left > 0, seed=seed, again=True)
        )
        for seed in range(people)
    ]
    while left:
        enough = len(log.seconds) + choose.randint(5, 40)  # answers between two kills
        while len(log.seconds) < enough:
            await asyncio.sleep(choose.uniform(0.0, 0.05))
        service.kill()
        left -= 1
        service.start()
        await service.ready()
    await asyncio.gather(*crowd)
    await service.ready()
    desk.leave()
    status, content = await desk.request("GET", "/admin/export.json")
    assert status == 200
    return log, json.loads(content), every_link


def compared(log: Log, stored: dict, links: list[str]) -> tuple[int, int, int]:
    """Acknowledged answers, how many of them are lost or altered, and how many are stored twice or unasked for."""
    by_link = dict(zip(links, sorted(stored["respondents"], key=lambda own: int(own["respondent"][1:])), strict=True))
    acknowledged = lost = extra = 0
    for link, own in by_link.items():
        seen = log.answers.get(link, {})
        kept = [(turn["number"], turn["answer"]) for turn in own["answers"] if turn["answer"] is not None]
        acknowledged += len(seen)
        lost += sum((number, answer) not in kept for number, answer in seen.items())
        extra += len(kept) - len(set(number for number, _ in kept)) + sum(number not in seen for number, _ in kept)
    return acknowledged, lost, extra


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--every", type=float, default=0.2, help="seconds between two answers of one respondent")
    parser.add_argument("--db", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        service = Service(example_study(Path(folder), 20), options.db)
        try:
            log, stored, links = asyncio.run(trial(service, options.kills, options.people, options.every))
        finally:
            service.kill()
    acknowledged, lost, extra = compared(log, stored, links)
    print(
        f"{options.kills} kills, {acknowledged} answers acknowledged, {log.retries} sent again, "
        f"{len(log.errors)} given up: {lost} lost, {extra} doubled or unasked for"
    )
    return int(bool(lost or extra or log.errors))


if __name__ == "__main__":
    sys.exit(main())
