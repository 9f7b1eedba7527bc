"""A study that is served without a network, and somebody who answers it."""

import os
import re
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra web is not installed: pip install 'lori[web]'")
pytest.importorskip("alembic", reason="the extra web is not installed: pip install 'lori[web]'")
pytest.importorskip("starlette", reason="the extra web is not installed: pip install 'lori[web]'")
pytest.importorskip("httpx", reason="httpx is not installed")

import sqlalchemy as sql
from starlette.testclient import TestClient

from lori.inference.interview.interview import Question
from lori.inference.interview.study_file import study_from
from lori.interfaces.web.server import Server
from lori.interfaces.web.storage import Storage
from lori.interfaces.web.tables import metadata

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


@pytest.fixture(params=["sqlite", "postgresql"])
def storage(request, tmp_path):
    """In either database; for PostgreSQL name an empty one: LORI_POSTGRES=postgresql://user@host/name."""
    url = f"sqlite:///{tmp_path}/study.db"
    if request.param == "postgresql":
        url = os.environ.get("LORI_POSTGRES", "")
        if not url:
            pytest.skip("no PostgreSQL is named in LORI_POSTGRES")
    own = Storage(url, study_from(TABLE)[0])
    yield own
    if request.param == "postgresql":
        with own.engine.begin() as connection:
            metadata.drop_all(connection)
            connection.execute(sql.text("DROP TABLE alembic_version"))
    own.engine.dispose()


def question(number):
    return Question(number, (1.0, 2.0, 3.0), (3.0, 2.0, float(number)))


@pytest.fixture
def number(storage):
    """Of somebody who has begun."""
    [(number, token)] = storage.add()
    storage.consent(number, "", question(1))
    assert storage.find(token).id == number
    return number
