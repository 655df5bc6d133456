"""Answers are compressed for those who accept it; nothing is done for the others."""

from __future__ import annotations

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Compression"]

COMPRESSED = 1000  # bytes from which on an answer is compressed


class Compression:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressing = GZipMiddleware(app, COMPRESSED, compresslevel=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"])
        await (self._compressing if accepted else self._app)(scope, receive, send)
