"""Errors as problem+json (RFC 9457): the fields of HeadwaterError, with a status and a page that explains.

{"type": "https://..../errors#HW822", "title": "...", "status": 409, "detail": "...",
 "code": "HW822", "message": "...", "place": null, "hint": "..."}
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from headwater.errors import HeadwaterError, InternalError, RefusedError
from headwater.errors.codes import CODES
from headwater.serve.json_text import compact_json
from headwater.serve.read_as_of import HistoryGoneError
from headwater.storage.feed import FeedGoneError

__all__ = ["PROBLEM", "Problem", "problem_fields", "problem_response", "status_of"]

PROBLEM = "application/problem+json"


class Problem(HeadwaterError):
    """An error that belongs to HTTP alone: a route, a key, a limit."""

    def __init__(self, code: str, message: str, status: int, hint: str = "", **headers: str) -> None:
        super().__init__(code, message, hint=hint)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def status_of(error: HeadwaterError) -> int:
    match error:
        case Problem():
            return error.status
        case FeedGoneError() | HistoryGoneError():
            return 410
        case RefusedError():  # too stale, never computed
            return 409
        case InternalError():
            return 500
        case _:
            return 404 if error.code == "HW210" or error.code == "HW211" else 400


def problem_fields(error: HeadwaterError) -> dict[str, Any]:
    code = CODES.get(error.code)
    fields = error.fields()
    return {
        "type": f"urn:headwater:error:{error.code}",
        "title": error.message if code is None else code.title,
        "status": status_of(error),
        **fields,
        "detail": fields["detail"] or error.message,
    }


def problem_response(error: HeadwaterError) -> Response:
    headers = error.headers if isinstance(error, Problem) else {}
    body = compact_json(problem_fields(error))
    return Response(body, status_of(error), headers, media_type=PROBLEM)
