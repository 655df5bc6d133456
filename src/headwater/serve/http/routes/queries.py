"""`/queries`: the declared queries, and one route for each that is answered, with typed parameters.

A query without a bound has no route, unless it is declared ALLOW UNBOUNDED.  Parameters are bound to the
query's plan, never spliced into SQL; no route takes SQL.  NULL is said by the parameter's name: `null=tag`.
"""

from __future__ import annotations

import inspect
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from headwater.serve.access.keys import Role
from headwater.serve.http.answers import answered
from headwater.serve.http.asked import DURATION, allowed, forbidden, needs, rights_of
from headwater.serve.http.models import Queries, QueryRows, problems
from headwater.serve.http.problems import Problem
from headwater.serve.http.queries.asked_query import (
    RESERVED,
    STALENESS,
    AskedQuery,
    asked_queries,
    is_routed,
)
from headwater.serve.http.serving import Serving
from headwater.serve.store.answering import DeclaredQuery
from headwater.serve.store.query_json import query_json

__all__ = ["router"]

_TYPES: dict[str, type] = {
    "tinyint": int, "smallint": int, "int": int, "bigint": int, "float": float, "double": float,
    "boolean": bool, "date": date, "timestamp": datetime, "timestamp_ntz": datetime,
}  # fmt: skip
_EXACT = re.compile(r"decimal\b")


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["queries"])
    answering = serving.answering
    declared = {} if answering is None else answering.queries

    @routes.get(
        "/queries", dependencies=[needs(Role.LOOK)], responses={200: {"model": Queries}, **problems()}
    )
    def queries(request: Request) -> Response:
        """Every declared query: its level, its bound, what it takes; of those without a route, why."""
        listed = [_listed(query) | serving.asked.newest(query.name) for query in declared.values()]
        return answered(request, {"queries": listed})

    for query in asked_queries(serving):
        _add(routes, query)
    return routes


def _listed(query: DeclaredQuery) -> dict[str, Any]:
    return query_json(query) | {"route": f"/queries/{query.name}" if is_routed(query) else None}


def _add(routes: APIRouter, asked: AskedQuery) -> None:
    query = asked.query
    names = {name: f"p{at}" for at, (name, _, _) in enumerate(query.parameters)}

    def ask(request: Request, **given: Any) -> Response:
        if not rights_of(request).may_ask(query.name):
            raise forbidden(f'the key is not for the query "{query.name}"')
        staleness = allowed(given[STALENESS])
        return asked.response(request, _values(query, request, given, names), staleness)

    async def ask_at_once(request: Request, **given: Any) -> Response:
        return ask(request, **given)

    route: Any = ask_at_once if asked.is_short else ask
    route.__signature__ = _signature(query, names)
    bound = "without a bound" if query.bound is None else f"at most {query.bound:,} operations of the store"
    routes.add_api_route(
        asked.path,
        route,
        dependencies=[needs(Role.QUERY)],
        name=query.name,
        summary=query.name,
        description=f"{query.level}, {bound}.",
        operation_id=f"query_{query.name}",
        responses={200: {"model": QueryRows}, **problems(400, 409)},
    )


def _signature(query: DeclaredQuery, names: dict[str, str]) -> inspect.Signature:
    """What FastAPI reads the parameters from: each by its own name and of its own type."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    request = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)
    own = [
        inspect.Parameter(names[name], keyword, default=None, annotation=_annotation(name, kind, is_list))
        for name, kind, is_list in query.parameters
        if name not in RESERVED
    ]
    null = Annotated[list[str] | None, Query(max_length=50, description="Names of parameters that are NULL.")]
    stale = Annotated[str | None, Query(pattern=DURATION, description="Refuse a staler answer: 10s.")]
    more = [
        inspect.Parameter("null", keyword, default=None, annotation=null),
        inspect.Parameter(STALENESS, keyword, default=None, annotation=stale),
    ]
    return inspect.Signature([request, *own, *more])


def _annotation(name: str, kind: str, is_list: bool) -> Any:
    wanted: Any = Decimal if _EXACT.match(kind) else _TYPES.get(kind, str)
    described = Query(alias=name, description=kind.upper() or "any type")
    return Annotated[list[wanted] | None if is_list else wanted | None, described]


def _values(
    query: DeclaredQuery, request: Request, given: dict[str, Any], names: dict[str, str]
) -> dict[str, Any]:
    values = {name: given[name_of] for name, name_of in names.items() if given.get(name_of) is not None}
    for name in given["null"] or ():
        values[name] = None
    known = {*names, *RESERVED}
    if unknown := [name for name in request.query_params if name not in known]:
        raise Problem("HW962", f'the query "{query.name}" has no parameter "{unknown[0]}"', 400)
    return values
