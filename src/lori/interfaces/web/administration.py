"""Administration: what do those see and do who run the study? Everything needs their token, in a cookie of its own."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from lori.inference.interview.interview import SKIP
from lori.interfaces.web.progress import latest, progress
from lori.interfaces.web.security import REPORT_POLICY, Limits, Refused, checked_form, csrf_token
from lori.interfaces.web.storage import new_token
from lori.language.interview import ADMIN, result_sentence

if TYPE_CHECKING:
    from lori.interfaces.web.server import Server

COOKIE, VISIT = "admin", "desk"
DAY = 24 * 3600.0
SHOWN = 500  # respondents in the list
STATES = ("yes", "invited", "no")
PATIENCE = 3600  # seconds that an analysis may take


class Administration:
    """The pages below /admin."""

    def __init__(self, server: Server) -> None:
        self.server, self.storage, self.study = server, server.storage, server.study
        self.tries = Limits(rate=0.2, reserve=10)
        self._working = threading.Lock()

    def routes(self) -> list[Route]:
        return [
            Route("/admin", self.desk),
            Route("/admin/login", self.login, methods=["POST"]),
            Route("/admin/logout", self.logout, methods=["POST"]),
            Route("/admin/state", self.state, methods=["POST"]),
            Route("/admin/invite", self.invite, methods=["POST"]),
            Route("/admin/analyse", self.analyse, methods=["POST"]),
            Route("/admin/report", self.report),
            Route("/admin/export.csv", self.export_csv),
            Route("/admin/export.json", self.export_json),
        ]

    async def desk(self, request: Request) -> Response:
        if not self._known(request):
            visit = request.cookies.get(VISIT) or new_token()
            csrf = csrf_token(self.storage.secret, visit)
            page = HTMLResponse(self.server.pages.page("login.html", csrf=csrf, wrong="wrong" in request.query_params))
            page.set_cookie(VISIT, visit, httponly=True, samesite="strict", secure=self.server.secure, path="/admin")
            return page
        return HTMLResponse(await run_sync(self._desk, request, ()))

    async def login(self, request: Request) -> Response:
        fields = await checked_form(request, self.storage.secret, request.cookies.get(VISIT, ""))
        self.tries.take(request.client.host if request.client else "")
        token = fields.get("token", "").strip()
        if not self.storage.is_admin(token):
            return RedirectResponse("/admin?wrong=1", 303)
        page = RedirectResponse("/admin", 303)
        page.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=self.server.secure, path="/admin")
        return page

    async def logout(self, request: Request) -> Response:
        await self._form(request)
        page = RedirectResponse("/admin", 303)
        page.delete_cookie(COOKIE, path="/admin")
        return page

    async def state(self, request: Request) -> Response:
        fields = await self._form(request)
        if fields.get("state") not in STATES:
            raise Refused(400, "failed", "an unknown state")
        await run_sync(self.storage.set_state, fields["state"])
        return RedirectResponse("/admin", 303)

    async def invite(self, request: Request) -> Response:
        """Links are shown once, on the page that answers this form."""
        fields = await self._form(request)
        count, days = fields.get("count", ""), fields.get("days", "")
        if not (count.isdecimal() and days.isdecimal() and 1 <= int(count) <= 1000 and 1 <= int(days) <= 3650):
            raise Refused(400, "failed", "numbers beyond their range")
        until = time.time() + DAY * int(days)
        made = await run_sync(lambda: self.storage.add(count=int(count), expires_at=until))
        base = f"{request.url.scheme}://{request.headers.get('host', '')}"
        return HTMLResponse(await run_sync(self._desk, request, [f"{base}/r/{token}" for _, token in made]))

    async def analyse(self, request: Request) -> Response:
        await self._form(request)
        threading.Thread(target=self.work_out, daemon=True).start()
        return RedirectResponse("/admin", 303)

    async def report(self, request: Request) -> Response:
        self._must_be_known(request)
        kept = await run_sync(self.storage.analysis)
        return HTMLResponse(kept.report if kept else "", headers={"content-security-policy": REPORT_POLICY})

    async def export_csv(self, request: Request) -> Response:
        self._must_be_known(request)
        content = await run_sync(self.csv)
        return Response(content, media_type="text/csv", headers=_named("export.csv"))

    async def export_json(self, request: Request) -> Response:
        self._must_be_known(request)
        content = await run_sync(lambda: json.dumps(self.everything(), ensure_ascii=False))
        return Response(content, media_type="application/json", headers=_named("export.json"))

    # -- what there is --------------------------------------------------------------------------------------

    def csv(self) -> str:
        """Answers in the pairs form that `lori fit` reads; skipped questions are left out."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        features = self.study.features
        writer.writerow([*(f"{side}.{name}" for side in ("left", "right") for name in features), "choice", "agent"])
        for respondent, turn in self.storage.all_turns():
            if turn.answer not in (None, SKIP):
                writer.writerow([*turn.question.left, *turn.question.right, turn.answer, f"r{respondent}"])
        return text.getvalue()

    def everything(self) -> dict[str, Any]:
        """All that is stored, but tokens."""
        by_respondent: dict[int, list[dict[str, Any]]] = {}
        for respondent, turn in self.storage.all_turns():
            own = {"number": turn.question.number, "left": turn.question.left, "right": turn.question.right,
                   "repeats": turn.question.repeats, "answer": turn.answer, "asked_at": turn.asked_at,
                   "answered_at": turn.answered_at}  # fmt: skip
            by_respondent.setdefault(respondent, []).append(own)
        return {
            "title": self.study.page.get("title", ""), "features": self.study.features,
            "respondents": [
                {"respondent": own.label, "name": own.name, "made_at": own.made_at, "consented_at": own.consented_at,
                 "finished_at": own.finished_at, "result": json.loads(own.result) if own.result else None,
                 "answers": by_respondent.get(own.id, [])}
                for own in self.storage.everybody()
            ],
        }  # fmt: skip

    def work_out(self) -> None:
        """What `lori fit` says of the export, in a process of its own, so that nobody waits for it."""
        if not self._working.acquire(blocking=False):
            return
        try:
            with tempfile.TemporaryDirectory() as folder:
                content = self.csv()
                data, page = Path(folder, "export.csv"), Path(folder, "report.html")
                data.write_text(content, encoding="utf-8")
                by_agent = _fitted([str(data), "--by", "agent", "--levels", "auto"], folder)
                _fitted([str(data), "--levels", "auto", "--report", str(page), "--no-pairs"], folder)
                report = page.read_text(encoding="utf-8") if page.exists() else ""
                self.storage.keep_analysis(content.count("\n") - 1, by_agent, report)
        finally:
            self._working.release()

    def _desk(self, request: Request, links: Any) -> str:
        found = progress(self.storage)
        counts = {
            "respondents": found.respondents, "begun": found.begun, "finished": found.finished,
            "answers": found.answers, "seconds": f"{found.seconds:.1f}" if found.seconds is not None else "–",
            "consistent": f"{found.alike} / {found.repeated}" if found.repeated else "–",
        }  # fmt: skip
        titles = {own.name: own.title for own in self.study.attributes}
        rows = []
        for own, answers in latest(self.storage, SHOWN):
            told = json.loads(own.result) if own.result else None
            order = result_sentence([titles[name] for name in told["order"]], told["probability"]) if told else ""
            rows.append(
                {"label": own.label, "name": own.name, "answers": answers, "finished": own.finished_at is not None,
                 "order": order}
            )  # fmt: skip
        analysis = self.storage.analysis()
        analysed = ADMIN["analysed"].format(answers=analysis.answers) if analysis else ""
        csrf = csrf_token(self.storage.secret, request.cookies.get(COOKIE, ""))
        return self.server.pages.page(
            "admin.html", counts=counts, people=rows, analysis=analysis, analysed=analysed, csrf=csrf, links=links,
            state=self.storage.state(),
        )  # fmt: skip

    # -- who asks -------------------------------------------------------------------------------------------

    def _known(self, request: Request) -> bool:
        return self.storage.is_admin(request.cookies.get(COOKIE, ""))

    def _must_be_known(self, request: Request) -> None:
        if not self._known(request):
            raise Refused(403, "failed", "not the administrator")

    async def _form(self, request: Request) -> dict[str, str]:
        self._must_be_known(request)
        return await checked_form(request, self.storage.secret, request.cookies.get(COOKIE, ""))


def _fitted(arguments: list[str], folder: str) -> str:
    """What the command prints, without the name of the passing folder."""
    done = subprocess.run(
        [sys.executable, "-m", "lori", "fit", *arguments], capture_output=True, text=True, timeout=PATIENCE, cwd=folder
    )
    return re.sub(re.escape(folder) + r"/?", "", done.stdout or done.stderr)


def _named(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
