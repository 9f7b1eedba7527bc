"""A study that is served without a network, and somebody who answers it."""

import re
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra web is not installed: pip install 'lori[web]'")
pytest.importorskip("alembic", reason="the extra web is not installed: pip install 'lori[web]'")
pytest.importorskip("starlette", reason="the extra web is not installed: pip install 'lori[web]'")
pytest.importorskip("httpx", reason="httpx is not installed")

from starlette.testclient import TestClient

from lori.inference.interview.study_file import study_from
from lori.interfaces.web.server import Server
from lori.interfaces.web.storage import Storage

TABLE = {
    "title": "Two medicines",
    "consent": "I take part of my own free will.",
    "questions": 6,
    "sure": 1.0,
    "attributes": [
        {"name": "efficacy", "label": "Patients who get better", "range": [40, 90], "better": "more"},
        {"name": "effects", "label": "Side effects", "values": ["none", "mild", "strong"], "better": "less"},
        {"name": "wait", "values": [1, 3, 9], "better": "less"},
    ],
}


class Person:
    """A browser without JavaScript: cookies, forms, redirects."""

    def __init__(self, app):
        self.client = TestClient(app, base_url="http://testserver")

    def field(self, page, name):
        return re.search(rf'name="{name}" value="([^"]*)"', page)[1]

    def begin(self):
        page = self.client.get("/")
        assert page.status_code == 200, page.text
        return self.client.post("/begin", data={"csrf": self.field(page.text, "csrf"), "agree": "yes"})

    def form(self, page=None):
        """The fields of the open question."""
        text = (page or self.client.get("/")).text
        return {name: self.field(text, name) for name in ("csrf", "number", "mark")}

    def answer(self, answer="left", **changes):
        return self.client.post("/answer", data={**self.form(), "answer": answer, **changes})

    def undo(self, number):
        csrf = self.field(self.client.get("/").text, "csrf")
        return self.client.post("/undo", data={"csrf": csrf, "number": str(number)})


class Desk(Person):
    """The administrator's browser."""

    def login(self, token):
        csrf = self.field(self.client.get("/admin").text, "csrf")
        return self.client.post("/admin/login", data={"csrf": csrf, "token": token})

    def post(self, where, **fields):
        csrf = self.field(self.client.get("/admin").text, "csrf")
        return self.client.post(f"/admin/{where}", data={"csrf": csrf, **fields})


def served(url, **changes):
    study, faults = study_from({**TABLE, **changes})
    assert faults == []
    storage = Storage(url, study)
    server = Server(study, storage, Path())
    return server, server.app()


@pytest.fixture
def site(tmp_path):
    server, app = served(f"sqlite:///{tmp_path}/study.db")
    yield server, app
    server.talks.close()
    server.storage.engine.dispose()


@pytest.fixture
def person(site):
    own = Person(site[1])
    assert own.begin().status_code == 200
    return own
