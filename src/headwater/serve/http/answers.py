"""Answers as responses: JSON with an ETag, so that who asks again is told that nothing has changed."""

from __future__ import annotations

import hashlib
from typing import Any

from fastapi import Request
from starlette.responses import Response

from headwater.serve.json_text import compact_json

__all__ = ["answered", "etag_of", "json_text_answer"]

JSON = "application/json"


def answered(request: Request, answer: Any, etag: str | None = None) -> Response:
    """The answer, or 304 if the client has it: by the time of what is shown (`etag`), else by its text."""
    return json_text_answer(request, compact_json(answer), etag)


def json_text_answer(request: Request, text: str, etag: str | None = None) -> Response:
    body = text.encode()
    return tagged(request, body, etag_of(body) if etag is None else etag, JSON)


def tagged(request: Request, body: bytes, etag: str, media_type: str) -> Response:
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    asked = request.headers.get("if-none-match", "")
    if asked and not {etag, "*"}.isdisjoint(tag.strip() for tag in asked.split(",")):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


def etag_of(*parts: object) -> str:
    """A weak one: what it stands for is the same, the bytes may be compressed."""
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        digest.update(part if isinstance(part, bytes) else str(part).encode(errors="replace"))
        digest.update(b"\0")
    return f'W/"{digest.hexdigest()}"'
