"""Server: which address does what? Handlers translate a request into a call and its outcome into a page."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from lori.inference.interview.interview import SKIP
from lori.inference.interview.study import Study
from lori.interfaces.web.administration import Administration
from lori.interfaces.web.pages import HERE, Pages
from lori.interfaces.web.security import Limits, Refused, SecureHeaders, checked_form, csrf_token, log
from lori.interfaces.web.storage import Respondent, Storage, Turn, new_token
from lori.interfaces.web.talks import Talk, Talks

TALK, VISIT = "talk", "visit"  # cookies: who answers, and who has not yet begun
YEAR = 365 * 24 * 3600
LONGEST_NAME = 200
KEPT_EVERY = 2.0  # seconds between two checkpoints of SQLite's journal
PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
TOKEN_LENGTHS = range(16, 65)
Found = TypeVar("Found")


class Server:
    """One study, its storage and the talks that are going on."""

    def __init__(
        self, study: Study, storage: Storage, folder: Path, *, secure: bool = False, processes: int = 0
    ) -> None:
        self.study, self.storage, self.folder = study, storage, folder
        self.secure = secure
        self.pages, self.talks = Pages(study), Talks(study, processes)
        self.asking = Limits(rate=8, reserve=40)  # of each respondent
        self.strangers = Limits(rate=2, reserve=60)  # of each address: new respondents, unknown tokens
        self.pictures = {item.picture for item in study.items if item.picture}
        self.administration = Administration(self)

    def app(self) -> Starlette:
        routes = [
            Route("/", self.home),
            Route("/begin", self.begin, methods=["POST"]),
            Route("/answer", self.answer, methods=["POST"]),
            Route("/undo", self.undo, methods=["POST"]),
            Route("/delete", self.delete, methods=["POST"]),
            Route("/r/{token}", self.invitation),
            Route("/picture/{name}", self.picture),
            Route("/health", self.health),
            *self.administration.routes(),
            Mount("/static", StaticFiles(directory=HERE / "static")),
        ]
        return Starlette(
            routes=routes, middleware=[Middleware(SecureHeaders)], lifespan=self._life,
            exception_handlers={Refused: self.refused, 404: self.missing, 405: self.missing, Exception: self.failed},
        )  # fmt: skip

    @asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        self.talks.warm_up()
        keeping = asyncio.create_task(self._keep())
        yield
        keeping.cancel()
        self.talks.close()

    async def _keep(self) -> None:
        """What was written reaches the disk's file now and then, and nobody waits for it."""
        while self.storage.is_file:
            await asyncio.sleep(KEPT_EVERY)
            await run_sync(self.storage.checkpoint)

    # -- respondents ----------------------------------------------------------------------------------------

    async def home(self, request: Request) -> Response:
        """Where the respondent is: welcome, the open question, or the end."""
        token = request.cookies.get(TALK, "")
        respondent, known, state = await self._known(token)
        if respondent is None:
            return self._welcome(request, state)
        self.asking.take(token)
        if respondent.consented_at is None:
            if state == "no":
                raise Refused(403, "closed", "a closed study")
            csrf = csrf_token(self.storage.secret, token)
            return HTMLResponse(self.pages.page("welcome.html", csrf=csrf, missing="agree" in request.query_params))
        self.talks.take_up(token, respondent, known)
        return self._where(token, respondent, known, whole=True)

    def _welcome(self, request: Request, state: str) -> Response:
        if state != "yes":
            raise Refused(403, "closed", "a study that is not open to anybody")
        visit = request.cookies.get(VISIT, "")
        if len(visit) not in TOKEN_LENGTHS:
            visit = new_token()
        csrf = csrf_token(self.storage.secret, visit)
        page = HTMLResponse(self.pages.page("welcome.html", csrf=csrf, missing="agree" in request.query_params))
        return self._with_cookie(page, VISIT, visit)

    async def begin(self, request: Request) -> Response:
        """Consent is given; somebody without an invitation becomes a respondent."""
        token = request.cookies.get(TALK, "")
        respondent, known, state = await self._known(token)
        holder = token if respondent is not None else request.cookies.get(VISIT, "")
        fields = await checked_form(request, self.storage.secret, holder)
        if state == "no" or (respondent is None and state != "yes"):
            raise Refused(403, "closed", "a closed study")
        if self.study.page.get("consent") and fields.get("agree") != "yes":
            return RedirectResponse("/?agree=0", 303)
        if respondent is None:
            self.strangers.take(_address(request))
            [(_, token)] = await self._stored(self.storage.add)
            respondent = await self._stored(self.storage.find, token)
            assert respondent is not None
        name = fields.get("name", "").strip()[:LONGEST_NAME] if self.study.page.get("ask_name") else ""
        async with self.talks.lock(token):
            if not known:  # another tab may have begun meanwhile: the first question counts
                belief = await run_sync(self._believed) if self.study.page.get("population") else ""
                first = await self.talks.first_question(replace(respondent, belief=belief))
                await self._stored(self.storage.consent, respondent.id, name, first, belief)
        return self._with_cookie(RedirectResponse("/", 303), TALK, token)

    def _believed(self) -> str:
        """What is known of the next respondent from earlier ones."""
        return self.talks.believed([own.result for own in self.storage.everybody()])

    async def answer(self, request: Request) -> Response:
        token, fields = await self._form(request)
        number, mark, answer = fields.get("number", ""), fields.get("mark", ""), fields.get("answer", "")
        if not number.isdecimal() or len(number) > 6 or answer not in (*self.study.answers, SKIP):
            raise Refused(400, "failed", "an answer that is none")
        async with self.talks.lock(token):
            respondent, known = await self._answered(request, token, int(number), mark, answer)
        return self._where(token, respondent, known, whole=not _wants_part(request))

    async def _answered(
        self, request: Request, token: str, number: int, mark: str, answer: str
    ) -> tuple[Respondent, Sequence[Turn]]:
        """Who answers, and where they are then. Mostly the open turn is in memory and as it was: one transaction."""
        talk = self.talks.get(token)
        if talk is not None and talk.is_at(number, mark) and not talk.respondent.expired:
            reached = await self._told(token, talk, answer)
            if reached is not None:
                return reached
        respondent, known = await self._visited(request, token)
        turn = next((own for own in known if own.question.number == number), None)
        if turn is None:
            raise Refused(409, "failed", "a question that was not asked")
        if turn.answer is not None or turn.mark != mark:  # a reload, a second click, another tab
            return respondent, known
        talk = self.talks.take_up(token, respondent, known)
        reached = await self._told(token, talk, answer) if talk is not None else None
        return reached or await self._visited(request, token)  # another process was faster

    async def _told(self, token: str, talk: Talk, answer: str) -> tuple[Respondent, Sequence[Turn]] | None:
        """Write an answer with what follows it, and where the respondent is then; None where it was too late."""
        found, turn = await self.talks.following(talk, answer), talk.turn
        over = found.question is None or found.sure > self.study.sure
        following = None if over or found.question is None else Turn(found.question, None, time.time(), None)
        result = json.dumps({"order": found.order, "probability": found.probability}) if over else ""
        if not await self._stored(self.storage.answer, talk.respondent.id, turn, answer, following, result):
            self.talks.forget(token)
            return None
        if following is not None:
            self.talks.go_on(token, talk, answer, following, found.spare)
            return talk.respondent, [following]
        self.talks.forget(token)
        return replace(talk.respondent, result=result), [replace(turn, answer=answer)] * turn.question.number

    async def undo(self, request: Request) -> Response:
        token, fields = await self._form(request)
        number = fields.get("number", "")
        if not number.isdecimal() or len(number) > 6:
            raise Refused(400, "failed", "a number that is none")
        async with self.talks.lock(token):
            respondent, _ = await self._visited(request, token)
            if await self._stored(self.storage.undo, respondent.id, int(number)):
                self.talks.forget(token)
        respondent, known = await self._visited(request, token)
        self.talks.take_up(token, respondent, known)
        return self._where(token, respondent, known, whole=not _wants_part(request))

    async def delete(self, request: Request) -> Response:
        token, _ = await self._form(request)
        async with self.talks.lock(token):
            respondent, _ = await self._visited(request, token, also_closed=True)
            await self._stored(self.storage.delete, respondent.id)
            self.talks.forget(token)
        page = HTMLResponse(self.pages.message("deleted"))
        page.delete_cookie(TALK)
        return page

    async def invitation(self, request: Request) -> Response:
        """A respondent's own link: the token goes into a cookie and out of the address."""
        token = request.path_params["token"]
        respondent, _, _ = await self._known(token)
        if respondent is None:
            self.strangers.take(_address(request))
            raise Refused(404, "wrong_link", "an unknown token")
        if respondent.expired:
            raise Refused(410, "wrong_link", "an expired token")
        return self._with_cookie(RedirectResponse("/", 303), TALK, token)

    async def picture(self, request: Request) -> Response:
        """A picture that the study's table names, from the study's folder, and nothing else."""
        name = request.path_params["name"]
        kind = PICTURES.get(Path(name).suffix.lower())
        if name not in self.pictures or kind is None or not (self.folder / name).is_file():
            raise Refused(404, "failed", "an unknown picture")
        return Response(await run_sync((self.folder / name).read_bytes), media_type=kind)

    async def health(self, request: Request) -> Response:
        await self._stored(self.storage.state)
        return PlainTextResponse("ok")

    # -- refusals -------------------------------------------------------------------------------------------

    async def refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        log.info("refused %s: %s", error.status, error.why)  # nothing that came from outside
        return HTMLResponse(self.pages.message(error.text), error.status)

    async def missing(self, request: Request, error: Exception) -> Response:
        return HTMLResponse(self.pages.message("failed"), getattr(error, "status_code", 404))

    async def failed(self, request: Request, error: Exception) -> Response:
        log.error("failed: %s", type(error).__name__)
        return HTMLResponse(self.pages.message("failed"), 500)

    # -- inside ---------------------------------------------------------------------------------------------

    async def _stored(self, work: Callable[..., Found], *values: Any) -> Found:
        """A transaction. SQLite's is over before a thread would have begun; another database may take its time."""
        return work(*values) if self.storage.is_file else await run_sync(work, *values)

    def _where(self, token: str, respondent: Respondent, known: Sequence[Turn], *, whole: bool) -> Response:
        """The page on which a respondent is, or the part of it that a script puts into the page."""
        csrf = csrf_token(self.storage.secret, token)
        if known and known[-1].answer is None:
            page = self.pages.ask(known[-1], csrf, whole=whole)
        else:
            page = self.pages.thanks(respondent.result, csrf, len(known), whole=whole)
        return HTMLResponse(page, headers={} if whole else {"X-Part": "1"})

    async def _form(self, request: Request) -> tuple[str, dict[str, str]]:
        """The token of whoever sends a form that came from a page of ours, and its fields."""
        token = request.cookies.get(TALK, "")
        if len(token) not in TOKEN_LENGTHS:
            self.strangers.take(_address(request))
            raise Refused(403, "wrong_link", "no token")
        self.asking.take(token)
        return token, await checked_form(request, self.storage.secret, token)

    async def _visited(
        self, request: Request, token: str, also_closed: bool = False
    ) -> tuple[Respondent, Sequence[Turn]]:
        """Who sends a form, and what was asked so far; the study must be open, unless it is to delete."""
        respondent, known, state = await self._stored(self.storage.visited, token)
        if respondent is None or respondent.expired:
            self.strangers.take(_address(request))
            raise Refused(403, "wrong_link", "an unknown or expired token")
        if not also_closed and (respondent.consented_at is None or state == "no"):
            raise Refused(403, "closed", "a closed study")
        return respondent, known

    async def _known(self, token: str) -> tuple[Respondent | None, Sequence[Turn], str]:
        """Whose token it is, what was asked of them, and whether the study is open."""
        if len(token) not in TOKEN_LENGTHS:
            return None, [], await self._stored(self.storage.state)
        return await self._stored(self.storage.visited, token)

    def _with_cookie(self, reply: Any, name: str, value: str) -> Response:
        reply.set_cookie(name, value, max_age=YEAR, httponly=True, samesite="lax", secure=self.secure, path="/")
        return reply


def _wants_part(request: Request) -> bool:
    return request.headers.get("x-part") == "1"


def _address(request: Request) -> str:
    """For limits alone: never stored, never logged."""
    return request.client.host if request.client else ""
