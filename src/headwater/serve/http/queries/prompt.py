"""The short way to a declared query: a plain request is answered before the framework looks at it.

Routing, dependencies and validation by the framework take several times as long as a bounded query in a file
of this machine.  So requests for a short query whose parameters are written plainly (each once, of the right
type at first sight) are answered here.  Every other one, right or wrong, goes on to the described route,
which says what is wrong with it.  Both ways give the same answer (`tests/serve/http/test_prompt_queries.py`).

Runs on the event loop: only what is sooner done than a thread would take it up may stand here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from headwater.serve.http.asked import DURATION, allowed, rights_of
from headwater.serve.http.queries.asked_query import RESERVED, STALENESS, AskedQuery

__all__ = ["PromptQueries"]

Reader = Callable[[str], Any]  # None: not written plainly

_DURATION = re.compile(DURATION)
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _whole(text: str) -> int | None:
    return int(text) if _WHOLE.fullmatch(text) else None


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def _duration(text: str) -> timedelta | None:
    return allowed(text) if _DURATION.fullmatch(text) else None


_READERS: Mapping[str, Reader] = {
    "": str, "string": str, "date": _date, "boolean": {"true": True, "false": False}.get,
    "tinyint": _whole, "smallint": _whole, "int": _whole, "bigint": _whole,
}  # fmt: skip


class PromptQueries:
    """An ASGI application before another: answers short queries, and passes on what it does not answer."""

    def __init__(self, app: ASGIApp, queries: Iterable[AskedQuery]) -> None:
        self._app = app
        self._queries = {query.path: _Prompt.of(query) for query in queries if query.is_short}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        prompt = self._queries.get(scope["path"])
        request = None if prompt is None or scope["method"] != "GET" else Request(scope)
        values = None if prompt is None or request is None else prompt.values(request)
        if prompt is None or request is None or values is None:
            await self._app(scope, receive, send)
            return
        staleness = values.pop(STALENESS, None)
        await prompt.query.response(request, values, staleness)(scope, receive, send)


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A short query, and how its parameters are read."""

    query: AskedQuery
    readers: Mapping[str, tuple[Reader, bool]]  # by name; and whether it is a list

    @staticmethod
    def of(query: AskedQuery) -> _Prompt:
        readers: dict[str, tuple[Reader, bool]] = {STALENESS: (_duration, False)}
        for name, kind, is_list in query.query.parameters:
            if kind in _READERS and name not in RESERVED:
                readers[name] = _READERS[kind], is_list
        return _Prompt(query, readers)

    def values(self, request: Request) -> dict[str, Any] | None:
        """The values of all parameters; None if one is not written plainly, or the caller may not ask."""
        if not rights_of(request).may_ask(self.query.query.name):
            return None
        values: dict[str, Any] = {}
        for name, text in request.query_params.multi_items():
            if name not in self.readers:
                return None
            read, is_list = self.readers[name]
            value = read(text)
            if value is None or (name in values and not is_list):
                return None
            if is_list:
                values.setdefault(name, []).append(value)
            else:
                values[name] = value
        return values
