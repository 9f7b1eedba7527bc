"""Security: what does a request need before it may change anything, and what does every reply carry?"""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import MutableMapping
from hashlib import sha256
from secrets import compare_digest, token_bytes
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request

log = logging.getLogger("lori.elicit")
LARGEST_BODY = 16_384  # bytes
MOST_FIELDS = 30
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox"


class Refused(Exception):
    """A request that is not answered: a status, and which of the texts of the pages says why."""

    def __init__(self, status: int, text: str, why: str) -> None:
        super().__init__(why)
        self.status, self.text, self.why = status, text, why


def csrf_token(secret: bytes, holder: str) -> str:
    """What a form must carry: nobody else can compute it for this cookie."""
    return hmac.new(secret, f"form:{holder}".encode(), sha256).hexdigest()


async def checked_form(request: Request, secret: bytes, holder: str) -> dict[str, str]:
    """The fields of a form that came from a page of ours; anything else is refused."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    foreign = origin not in (None, "null") and urlsplit(origin or "").netloc != request.headers.get("host")
    fields = await form(request)
    if site not in ("same-origin", "none") or foreign:
        raise Refused(403, "failed", "a form of another site")
    if not compare_digest(fields.get("csrf", "").encode(), csrf_token(secret, holder).encode()):
        raise Refused(403, "failed", "a form without its secret")
    return fields


async def form(request: Request) -> dict[str, str]:
    """Fields of a small form, the last of each name."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > LARGEST_BODY:
        raise Refused(413, "failed", "a body that is too large")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            raise Refused(413, "failed", "a body that is too large")
    if kind != "application/x-www-form-urlencoded":
        raise Refused(415, "failed", "a body of another kind")
    try:
        fields = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError:
        raise Refused(400, "failed", "a body that is no form") from None
    return {name: values[-1] for name, values in fields.items()}


class Limits:
    """So many requests a second, with a reserve, for each key. Keys live in memory only, hashed with a passing salt."""

    def __init__(self, rate: float, reserve: float) -> None:
        self.rate, self.reserve = rate, reserve
        self._salt = token_bytes(16)
        self._left: dict[bytes, tuple[float, float]] = {}

    def take(self, key: str) -> None:
        now, own = time.monotonic(), sha256(self._salt + key.encode()).digest()[:12]
        left, seen = self._left.get(own, (self.reserve, now))
        left = min(self.reserve, left + (now - seen) * self.rate) - 1
        if len(self._left) > 50_000:
            self._left = {}
        self._left[own] = (max(left, -1.0), now)
        if left < 0:
            raise Refused(429, "too_fast", "too many requests")


class SecureHeaders:
    """Every reply carries the headers above unless it has its own."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def secured(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((name.encode(), own.encode()) for name, own in HEADERS.items() if name.encode() not in known),
                ]
            await send(message)

        await self.app(scope, receive, secured)
