"""The attack list: refused, logged without personal data, nothing changed."""

import re
import time

import pytest

from lori.interfaces.web.security import LARGEST_BODY, Limits, Refused

from .conftest import Desk, Person, served

SCRIPT = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
SQL = "1'; DROP TABLE turns; --"
ADMIN_PAGES = ("report", "export.csv", "export.json")
ADMIN_FORMS = ("logout", "state", "invite", "analyse")


@pytest.fixture
def unchanged(site, person):
    """Whatever a test sends, what is stored stays as it was."""
    server = site[0]
    person.answer("left")
    before = server.storage.everybody(), server.storage.all_turns(), server.storage.state()
    yield person
    assert (server.storage.everybody(), server.storage.all_turns(), server.storage.state()) == before


@pytest.mark.parametrize("token", ["short-one", "A" * 22, "A" * 5000, SQL, SCRIPT, "../../etc/passwd", "%00"])
def test_wrong_tokens(site, unchanged, token, caplog):
    caplog.set_level("INFO", "lori.elicit")
    stranger = Person(site[1])
    assert stranger.client.get(f"/r/{token}").status_code in (400, 403, 404)
    stranger.client.cookies.set("talk", re.sub(r"[^\w]", "", token) or "x")
    reply = stranger.client.post("/answer", data={**unchanged.form(), "answer": "left"})
    assert reply.status_code == 403
    assert token not in caplog.text


def test_expired_tokens(site, unchanged):
    server, app = site
    server.storage.add(expires_at=time.time() - 1)
    [(number, token)] = server.storage.add(expires_at=time.time() - 1)
    late = Person(app)
    assert late.client.get(f"/r/{token}").status_code == 410
    late.client.cookies.set("talk", token)
    assert late.client.post("/answer", data={"answer": "left"}).status_code == 403
    for own in (number, number - 1):
        server.storage.delete(own)


def test_another_respondents_form(site, unchanged):
    other = Person(site[1])
    other.begin()
    stolen = {**unchanged.form(), "answer": "right"}
    assert other.client.post("/answer", data=stolen).status_code == 403
    assert other.client.post("/delete", data={"csrf": stolen["csrf"]}).status_code == 403
    site[0].storage.delete(2)


@pytest.mark.parametrize("number", ["0", "3", "999999", "-1", "1e3", "9" * 50, "²", SQL, SCRIPT, ""])
def test_forged_questions(unchanged, number):
    assert unchanged.answer("left", number=number).status_code in (400, 409)


@pytest.mark.parametrize("mark", ["", "0" * 12, SQL, SCRIPT])
def test_forged_marks(unchanged, mark):
    assert unchanged.answer("left", mark=mark).status_code == 200


@pytest.mark.parametrize("answer", ["", "LEFT", "both", SQL, SCRIPT, "left\x00", "a" * 10_000])
def test_forged_answers(unchanged, answer):
    reply = unchanged.answer(answer)
    assert reply.status_code in (400, 413)
    assert "<script>alert" not in reply.text


@pytest.mark.parametrize("csrf", ["", "0" * 64, SQL, "é"])
@pytest.mark.parametrize("where", ["answer", "undo", "delete", "begin"])
def test_forms_without_their_secret(unchanged, where, csrf):
    fields = {**unchanged.form(), "answer": "left", "agree": "yes", "csrf": csrf}
    assert unchanged.client.post(f"/{where}", data=fields).status_code == 403


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}]
)
def test_forms_of_other_sites(unchanged, headers):
    fields = {**unchanged.form(), "answer": "left"}
    assert unchanged.client.post("/answer", data=fields, headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"a=" + b"x" * LARGEST_BODY, "application/x-www-form-urlencoded", 413),
        (b"&".join(b"a%d=1" % i for i in range(100)), "application/x-www-form-urlencoded", 400),
        (b"\xff\xfe=1", "application/x-www-form-urlencoded", 400),
        (b"{}", "application/json", 415),
        (b"--x\r\n", "multipart/form-data; boundary=x", 415),
    ],
)
def test_bodies_that_are_no_small_form(unchanged, content, kind, status):
    assert unchanged.client.post("/answer", content=content, headers={"content-type": kind}).status_code == status
    stream = (part for part in [content])  # without a length
    assert unchanged.client.post("/answer", content=stream, headers={"content-type": kind}).status_code == status


def test_the_desk_is_for_the_administrator_alone(site, unchanged):
    desk = Desk(site[1])
    for own in (desk.client, unchanged.client):
        for page in ADMIN_PAGES:
            assert own.get(f"/admin/{page}").status_code == 403
        for form in ADMIN_FORMS:
            assert own.post(f"/admin/{form}", data={"state": "no", "count": "1", "days": "1"}).status_code == 403
        assert "r1" not in own.get("/admin").text
    desk.login(site[0].storage.admin_token)
    for form in ADMIN_FORMS:  # with the cookie but without the secret
        assert desk.client.post(f"/admin/{form}", data={"state": "no", "csrf": "0" * 64}).status_code == 403
    for bad in ({"count": SQL, "days": "1"}, {"count": "1001", "days": "1"}, {"count": "0", "days": "1"}):
        assert desk.post("invite", **bad).status_code == 400
    assert desk.post("state", state=SQL).status_code == 400


def test_tokens_cannot_be_guessed_by_trying(site):
    desk = Desk(site[1])
    replies = [desk.login("A" * 22).status_code for _ in range(12)]
    assert replies[-1] == 429


def test_too_many_requests_are_refused():
    limits = Limits(rate=1, reserve=3)
    for _ in range(3):
        limits.take("one")
    with pytest.raises(Refused, match="too many"):
        limits.take("one")
    limits.take("other")


@pytest.mark.parametrize(
    "where", ["//evil.example", "/\\evil.example", "/r/https://evil.example", "/?next=//evil.example"]
)
def test_no_redirect_leaves_the_site(site, where):
    reply = Person(site[1]).client.get(where, follow_redirects=False)
    assert "evil" not in reply.headers.get("location", "")


@pytest.mark.parametrize(
    "path", ["/static/../server.py", "/static/%2e%2e/server.py", "/picture/..%2fstudy.db", "/picture/x"]
)
def test_no_other_file_is_served(site, path):
    assert Person(site[1]).client.get(path).status_code == 404


def test_every_reply_is_strict_about_content(site, person):
    for page in ("/", "/static/style.css", "/admin", "/nowhere", "/r/none"):
        headers = person.client.get(page).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    [cookie] = [own for own in person.client.cookies.jar if own.name == "talk"]
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite").lower() == "lax"


def test_script_in_every_text_is_shown_as_text(tmp_path):
    texts = {"which": SCRIPT, "tie": SCRIPT, "thanks_title": SCRIPT, "result_then": SCRIPT, "result_open": SCRIPT}
    server, app = served(
        f"sqlite:///{tmp_path}/study.db", title=SCRIPT, explanation=SCRIPT, consent=SCRIPT, thanks=SCRIPT,
        language=SCRIPT, ask_name=True, questions=1, texts=texts,
        attributes=[
            {"name": SCRIPT.replace(".", ""), "label": SCRIPT, "unit": SCRIPT, "values": [1, 2]},
            {"name": "words", "label": SCRIPT, "values": [SCRIPT, "b"]},
        ],
    )  # fmt: skip
    person = Person(app)
    csrf = person.field(person.client.get("/").text, "csrf")
    pages = [person.client.get("/").text]
    pages.append(person.client.post("/begin", data={"csrf": csrf, "agree": "yes", "name": SCRIPT}).text)
    pages.append(person.answer().text)
    desk = Desk(app)
    desk.login(server.storage.admin_token)
    pages.append(desk.client.get("/admin").text)
    assert server.storage.everybody()[0].name == SCRIPT
    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "&lt;script&gt;" in page
    server.talks.close()
