"""The desk shows what `lori fit` says of the export."""

import html
import re
import subprocess
import sys

import pytest

import lori

from .conftest import Desk, Person


def answered(app, people, answers):
    for place in range(people):
        person = Person(app)
        person.begin()
        for number in range(answers):
            person.answer(("left", "right", "tie")[(place + number) % 3 if number % 2 else 0])


def test_the_export_is_read_as_pairs_with_agents(site, tmp_path):
    server, app = site
    answered(app, 2, 6)
    path = tmp_path / "export.csv"
    path.write_text(server.administration.csv())
    preferences = lori.read(path)
    assert preferences.features == ("efficacy", "effects", "wait")
    assert len(preferences) == 12
    assert set(preferences.agent) == {"r1", "r2"}


@pytest.mark.slow
def test_the_desk_shows_what_the_command_says(site, tmp_path):
    server, app = site
    answered(app, 3, 6)
    desk = Desk(app)
    desk.login(server.storage.admin_token)
    server.administration.work_out()
    page = desk.client.get("/admin").text
    shown = html.unescape(re.search(r"<pre tabindex=\"0\">(.*?)</pre>", page, re.DOTALL)[1])
    (tmp_path / "export.csv").write_text(desk.client.get("/admin/export.csv").text)
    command = [sys.executable, "-m", "lori", "fit", "export.csv", "--by", "agent", "--levels", "auto"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.split() == done.stdout.split()
    assert "r1" in shown
    report = desk.client.get("/admin/report")
    assert "<html" in report.text
    assert "sandbox" in report.headers["content-security-policy"]
