"""Whole interviews in a real browser: by mouse, by keyboard, on a phone, without JavaScript, with reload and back.

Playwright drives a Chromium that is installed on the computer; where one of the two is absent, these tests are skipped.
With LORI_SCREENSHOTS=FOLDER the pages are kept as pictures; with AXE=FILE (axe.min.js of axe-core) that checks them.
"""

import os
import shutil
import socket
import threading
import time
from pathlib import Path

import pytest

from lori.inference.interview.study_file import study_from

from .conftest import TABLE, served

api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="the extra web is not installed: pip install 'lori[web]'")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this computer")
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The study, served in this process on a port of its own."""
    folder = tmp_path_factory.mktemp("site")
    server, app = served(
        f"sqlite:///{folder}/study.db", questions=4, explanation="Two medicines are offered.\n\nPlease choose."
    )
    server.strangers.rate = server.asking.rate = 1000.0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    web = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", access_log=False))
    thread = threading.Thread(target=web.run, daemon=True)
    thread.start()
    until = time.monotonic() + 30
    while not web.started and time.monotonic() < until:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}", server
    web.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def chromium():
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium, address):
    """Open the study in a browser of one's own; a page that breaks a rule of its own fails the test."""
    opened, faults = [], []

    def open_page(**options):
        context = chromium.new_context(viewport=options.pop("viewport", DESKTOP), **options)
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: faults.append(request.url) if address[0] not in request.url else None)
        page.goto(address[0])
        return page

    yield open_page
    for context in opened:
        context.close()
    assert faults == []


def begin(page):
    page.get_by_label("I agree").check()
    page.get_by_role("button", name="Begin").click()
    at(page, 1)


def at(page, number):
    page.get_by_text(f"Question {number} of at most 4").first.wait_for()


def picture(page, name):
    if folder := os.environ.get("LORI_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{folder}/{name}.png")


def check_accessibility(page):
    """axe-core's findings that are serious or critical; without it, the rules that matter most, by hand."""
    if script := os.environ.get("AXE"):
        found = page.evaluate(
            Path(script).read_text(encoding="utf-8") + ";axe.run({resultTypes: ['violations']}).then(r => r.violations)"
        )
        assert [own["id"] for own in found if own["impact"] in ("serious", "critical")] == []
        return
    assert page.locator("main").count() == 1
    assert page.locator("h1").count() == 1
    assert page.get_attribute("html", "lang")
    assert page.title()
    assert page.locator("[role=status][aria-live=polite]").count() == 1
    for control in page.locator("button, input:not([type=hidden]), select").all():
        named = control.evaluate("e => (e.innerText || '') + [...(e.labels || [])].map(l => l.innerText).join('')")
        assert named.strip()
    for image in page.locator("img").all():
        assert image.get_attribute("alt") is not None


def answers(address):
    """Those of the respondent who came last."""
    storage = address[1].storage
    return [turn.answer for turn in storage.turns(storage.everybody()[-1].id)]


def test_by_mouse(visit, address):
    page = visit()
    check_accessibility(page)
    picture(page, "welcome")
    begin(page)
    check_accessibility(page)
    picture(page, "question")
    for number, name in enumerate(("Choose A", "Choose B", "No difference", "Skip"), start=1):
        at(page, number)
        page.get_by_role("button", name=name).click()
    page.get_by_text("What you seem to put first").wait_for()
    check_accessibility(page)
    picture(page, "thanks")
    assert answers(address) == ["left", "right", "tie", "skip"]


def test_by_keyboard_alone(visit, address):
    page = visit()
    page.get_by_label("I agree").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    for number, key in enumerate(("ArrowLeft", "ArrowRight", "ArrowDown"), start=1):
        at(page, number)
        page.keyboard.press(key)
    at(page, 4)
    assert page.evaluate("document.activeElement.id") == "which"  # a reader goes on from here
    assert "Question 4" in page.locator("#live").inner_text()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText") == "Choose B":
            break
    page.keyboard.press("Enter")
    page.get_by_text("What you seem to put first").wait_for()
    assert answers(address) == ["left", "right", "tie", "right"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(visit, address, scheme):
    page = visit(viewport=PHONE, has_touch=True, is_mobile=True, color_scheme=scheme)
    begin(page)
    check_accessibility(page)
    picture(page, f"phone-{scheme}")
    for number in range(1, 5):
        at(page, number)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_role("button", name="Choose A").tap()
    page.get_by_text("What you seem to put first").wait_for()
    picture(page, f"phone-thanks-{scheme}")
    assert answers(address) == ["left"] * 4


def test_without_javascript(visit, address):
    page = visit(java_script_enabled=False)
    begin(page)
    for number in range(1, 5):
        at(page, number)
        page.get_by_role("button", name="Choose B").click()
    page.get_by_text("What you seem to put first").wait_for()
    assert answers(address) == ["right"] * 4


@pytest.mark.parametrize("script", [True, False])
def test_with_reload_and_back_in_the_middle(visit, address, script):
    page = visit(java_script_enabled=script)
    begin(page)
    page.get_by_role("button", name="Choose A").click()
    at(page, 2)
    page.reload()
    at(page, 2)
    page.go_back()
    page.goto(address[0])
    at(page, 2)
    page.get_by_role("button", name="Go back one answer").click()
    at(page, 1)
    page.get_by_role("button", name="Choose B").click()
    for number in (2, 3, 4):
        at(page, number)
        page.get_by_role("button", name="Choose A").click()
    page.get_by_text("What you seem to put first").wait_for()
    assert answers(address) == ["right", "left", "left", "left"]


def test_two_tabs(visit, address):
    page = visit()
    begin(page)
    other = page.context.new_page()
    other.goto(address[0])
    at(other, 1)
    page.get_by_role("button", name="Choose A").click()
    at(page, 2)
    other.get_by_role("button", name="Choose B").click()  # question 1 once more
    at(other, 2)
    page.get_by_role("button", name="Choose A").dblclick()
    at(page, 3)
    page.reload()
    at(page, 3)
    assert answers(address) == ["left", "left", None]


def test_the_desk(visit, address):
    page = visit()
    page.goto(address[0] + "/admin")
    check_accessibility(page)
    page.get_by_label("Administrator's token").fill(address[1].storage.admin_token)
    page.get_by_role("button", name="Enter").click()
    page.get_by_role("heading", name="What people put first").wait_for()
    check_accessibility(page)
    picture(page, "admin")


def test_the_study_of_these_tests_is_sound():
    assert study_from(TABLE)[1] == []
