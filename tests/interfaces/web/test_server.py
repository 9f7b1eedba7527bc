"""A whole interview by plain forms; whatever is sent twice, late or from elsewhere changes nothing."""

import json

import pytest

from lori.inference.interview.interview import Interview
from lori.interfaces.web.storage import history

from .conftest import Desk, Person, served


def test_a_whole_interview_without_javascript(site):
    server, app = site
    person = Person(app)
    assert "I take part of my own free will." in person.client.get("/").text
    page = person.begin()
    for number in range(1, 7):
        assert f"Question {number} of at most 6" in page.text
        page = person.answer("left" if number % 2 else "tie")
    assert "What you seem to put first" in page.text
    [respondent] = server.storage.everybody()
    assert respondent.finished_at is not None
    assert [turn.answer for turn in server.storage.turns(respondent.id)] == ["left", "tie"] * 3
    assert person.client.get("/").text == page.text


def test_consent_is_needed(site):
    person = Person(site[1])
    csrf = person.field(person.client.get("/").text, "csrf")
    page = person.client.post("/begin", data={"csrf": csrf})
    assert "Please agree before you begin." in page.text
    assert site[0].storage.everybody() == []


def test_a_double_click_a_reload_and_a_second_tab_change_nothing(site, person):
    server = site[0]
    form = {**person.form(), "answer": "left"}
    first = person.client.post("/answer", data=form)
    for other in ("left", "right", "skip"):
        again = person.client.post("/answer", data={**form, "answer": other})
        assert again.text == first.text
    assert [turn.answer for turn in server.storage.turns(1)] == ["left", None]


def test_the_script_gets_the_part_that_changes(person):
    page = person.client.post("/answer", data={**person.form(), "answer": "right"}, headers={"X-Part": "1"})
    assert page.headers["x-part"] == "1"
    assert "<html" not in page.text
    assert "Question 2 of at most 6" in page.text


def test_undo_takes_one_answer_back_once(site, person):
    asked = person.form()
    person.answer()
    person.answer()
    assert "Question 2 of" in person.undo(2).text
    assert "Question 2 of" in person.undo(2).text  # sent twice
    assert "Question 1 of" in person.undo(1).text
    assert person.form() == asked
    assert [turn.answer for turn in site[0].storage.turns(1)] == [None]


def test_an_answer_to_a_question_that_was_taken_back_is_not_taken_for_another(site, person):
    person.answer()
    stale = {**person.form(), "answer": "left"}
    person.undo(1)
    person.answer("right")
    fresh = person.form()
    page = person.client.post("/answer", data={**stale, "mark": "0" * 12})
    assert "Question 2 of" in page.text
    assert person.form() == fresh


def test_a_new_process_goes_on_where_the_old_one_was(site, person, tmp_path):
    server = site[0]
    for answer in ("left", "right", "tie"):
        person.answer(answer)
    asked = person.form()
    other, app = served(f"sqlite:///{tmp_path}/study.db")
    assert other.storage.admin_token is None
    again = Person(app)
    again.client.cookies = person.client.cookies
    assert again.form() == asked
    again.answer("skip")
    assert person.form()["number"] == "5"  # the first process sees it
    person.answer("left")
    assert [turn.answer for turn in server.storage.turns(1)] == ["left", "right", "tie", "skip", "left", None]
    other.talks.close()


def test_what_another_process_took_back_is_not_remembered(site, person, tmp_path):
    person.answer("left")  # the first process knows the second question, after "left"
    other, app = served(f"sqlite:///{tmp_path}/study.db")
    again = Person(app)
    again.client.cookies = person.client.cookies
    again.undo(1)
    again.answer("right")
    person.answer("tie")
    *known, still = site[0].storage.turns(1)
    assert [turn.answer for turn in known] == ["right", "tie"]
    [own] = site[0].storage.everybody()
    talk = Interview.again(site[0].study, history(known[:1]), known[1].question, seed=own.seed)
    assert talk.prepare()["tie"].question == still.question
    other.talks.close()


def test_other_attributes_need_another_database(site, tmp_path):
    with pytest.raises(ValueError, match="the attributes with which this database was begun"):
        served(f"sqlite:///{tmp_path}/study.db", attributes=[{"name": name, "values": [1, 2]} for name in "ab"])


def test_a_respondent_can_delete_everything(site, person):
    person.answer()
    csrf = person.form()["csrf"]
    assert "Your answers are deleted." in person.client.post("/delete", data={"csrf": csrf}).text
    assert site[0].storage.everybody() == []
    assert site[0].storage.all_turns() == []


def test_the_desk_counts_invites_closes_and_exports(site, person):
    server, app = site
    desk = Desk(app)
    assert "not the administrator" in desk.login("wrong").text
    desk.login(server.storage.admin_token)
    for answer in ("left", "skip", "tie"):
        person.answer(answer)
    links = [line for line in desk.post("invite", count="2", days="9").text.split() if "/r/" in line]
    assert len({link.rpartition("/")[2].removesuffix("</pre>") for link in links}) == 2
    invited = Person(app)
    assert "I agree" in invited.client.get("/r/" + links[0].rpartition("/r/")[2]).text
    lines = desk.client.get("/admin/export.csv").text.splitlines()
    assert lines[0] == "left.efficacy,left.effects,left.wait,right.efficacy,right.effects,right.wait,choice,agent"
    assert [line.split(",")[-2:] for line in lines[1:]] == [["left", "r1"], ["tie", "r1"]]
    everything = desk.client.get("/admin/export.json").json()
    assert [own["answer"] for own in everything["respondents"][0]["answers"]] == ["left", "skip", "tie", None]
    assert server.storage.admin_token not in json.dumps(everything)
    desk.post("state", state="no")
    assert person.answer().status_code == 403
    assert Person(app).client.get("/").status_code == 403
    desk.post("state", state="invited")
    assert invited.begin().status_code == 200
    assert Person(app).client.get("/").status_code == 403
    desk.post("state", state="yes")
    assert Person(app).client.get("/").status_code == 200


def test_nothing_of_the_browser_is_stored(site, person, tmp_path):
    person.answer()
    site[0].storage.engine.dispose()
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in ("testclient", "testserver", "python-httpx", person.client.cookies["talk"]):
        assert secret.encode() not in content


def test_earlier_respondents_are_what_the_next_one_starts_from(tmp_path):
    server, app = served(f"sqlite:///{tmp_path}/study.db", population=True, questions=2)
    for _ in range(2):
        person = Person(app)
        person.begin()
        person.answer()
        person.answer()
    first, second = (json.loads(own.belief) for own in server.storage.everybody())
    assert max(first) - min(share for share in first if share) < 1e-9
    assert max(second) > max(first)
    server.talks.close()
