"""A declared query as it is asked over HTTP: the response to its values, whichever way they were read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from headwater.clock import instant_of
from headwater.serve.http.answers import answered, etag_of
from headwater.serve.http.serving import Serving
from headwater.serve.store.answering import Answering, DeclaredQuery
from headwater.serve.store.query_json import answer_json

__all__ = ["RESERVED", "STALENESS", "AskedQuery", "asked_queries", "is_routed"]

STALENESS = "max_staleness"
RESERVED = ("null", STALENESS)  # parameters of every query's route
SHORT_OPERATIONS = 100  # a millisecond or two
_ROUTABLE = re.compile(r"[\w .\-]+")  # names that can stand in a path


def is_routed(query: DeclaredQuery) -> bool:
    return query.answerable and _ROUTABLE.fullmatch(query.name) is not None


@dataclass(frozen=True, slots=True)
class AskedQuery:
    serving: Serving
    answering: Answering
    query: DeclaredQuery

    @property
    def path(self) -> str:
        return f"/queries/{self.query.name}"

    @property
    def is_short(self) -> bool:
        """Is an answer sooner there than a thread would take it up?  Then the event loop gives it.

        A store in a file of this machine answers an operation in some microseconds and never waits.
        """
        local = not self.answering.project.store
        return local and self.query.bound is not None and self.query.bound <= SHORT_OPERATIONS

    def response(self, request: Request, values: Mapping[str, Any], staleness: timedelta | None) -> Response:
        name = self.query.name
        answer = self.serving.counted(name, lambda: self.answering.answer(name, values, staleness))
        etag = etag_of(name, instant_of(answer.time), sorted(request.query_params.multi_items()))
        return answered(request, answer_json(name, answer), etag)


def asked_queries(serving: Serving) -> list[AskedQuery]:
    """The declared queries that have a route."""
    answering = serving.answering
    if answering is None:
        return []
    queries = answering.queries.values()
    return [AskedQuery(serving, answering, query) for query in queries if is_routed(query)]
