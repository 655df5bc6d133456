"""What stands before every route: who asks, by which name, how often, with how much, and for how long.

In this order, since the cheap checks protect the others: the Host header, the size, the rate, the key.  Every
answer, also of an error, gets headers that forbid a browser to guess types, to embed it in other pages or to
run a script that is not one of the page's own files.  No header lets another site read it (CORS is off).
A failure is logged with its traceback and answered without one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headwater.clock import SystemClock
from headwater.errors import HeadwaterError
from headwater.serve.access.hosts import is_allowed
from headwater.serve.access.keys import ANYBODY, Rights
from headwater.serve.http.problems import Problem, problem_response
from headwater.serve.http.serving import Serving

__all__ = ["STREAMS", "Guard", "TimeLimit", "failed"]

logger = logging.getLogger(__name__)

LARGEST_BODY = 64 * 1024
LONGEST_S = 30.0  # an answer; changes may be followed for ever
STREAMS = "/changes"  # how the path of a route that never ends ends
OPEN = frozenset({"/healthz"})  # without a key
PAGE = ("/assets/",)  # the page's own files hold no data

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
    "; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
_ENCODED = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, serving: Serving) -> None:
        self._app = app
        self._serving = serving
        self._clock = SystemClock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        sending = _Sending(send)
        try:
            scope.setdefault("state", {})["rights"] = self._admit(scope, dict(scope["headers"]))
            await self._app(scope, receive, sending)
        except HeadwaterError as error:
            await sending.problem(error, scope, receive)
        except Exception:
            logger.exception("%s %s failed", scope["method"], scope["path"])
            await sending.problem(failed(), scope, receive)

    def _admit(self, scope: Scope, headers: Mapping[bytes, bytes]) -> Rights:
        """The rights of who asks; a Problem if it may not ask at all."""
        serving, settings = self._serving, self._serving.settings
        if not is_allowed(headers.get(b"host", b"").decode("latin-1"), settings.host, settings.hosts):
            raise Problem("HW969", "the Host header names another machine", 421)
        length = headers.get(b"content-length", b"0").decode("latin-1")
        if b"transfer-encoding" in headers or not length.isdecimal() or int(length) > LARGEST_BODY:
            raise Problem("HW968", f"a body may have at most {LARGEST_BODY:,} bytes", 413)
        closed = serving.keys.closed()
        key = serving.keys.bearer(_token(headers)) if closed else None
        caller = key.id if key is not None else str((scope.get("client") or ("?",))[0])
        if wait := serving.rates.wait(caller, self._clock.monotonic()):
            seconds = str(max(1, round(wait)))
            raise Problem("HW967", f"more than {settings.rate:g} requests a second", 429, retry_after=seconds)
        path: str = scope["path"]
        if key is not None or not closed:
            return ANYBODY if key is None else key.rights
        if path in OPEN or path == "/" or path.startswith(PAGE):
            return ANYBODY
        raise Problem(
            "HW965",
            "a key is needed",
            401,
            hint="Send the header Authorization: Bearer KEY; headwater key add makes one.",
            www_authenticate='Bearer realm="headwater"',
        )


def failed() -> Problem:
    return Problem("HW974", "the server failed; its log says why", 500)


class TimeLimit:
    """An ASGI application around another: an answer that takes too long is given up."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = None if scope["path"].endswith(STREAMS) else LONGEST_S
        try:
            async with asyncio.timeout(limit):
                await self._app(scope, receive, send)
        except TimeoutError:
            logger.warning("%s took longer than %.0f s", scope["path"], LONGEST_S)
            raise Problem(
                "HW970", f"there was no answer within {LONGEST_S:.0f} s", 503, retry_after="5"
            ) from None


def _token(headers: Mapping[bytes, bytes]) -> str:
    scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


class _Sending:
    """Sends messages on, with the headers that every answer has."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
            present = {name.lower() for name, _ in message.get("headers", ())}
            more = [header for header in _ENCODED if header[0] not in present]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await self._send(message)

    async def problem(self, error: HeadwaterError, scope: Scope, receive: Receive) -> None:
        """Answer with an error, unless an answer is under way: then the connection just ends."""
        if not self._started:
            response: Any = problem_response(error)
            await response(scope, receive, self)
