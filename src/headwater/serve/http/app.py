"""The application: routes of a project, what stands before them, and their description.

Made anew whenever the project's files change, since its queries are routes and its views are named in the
description; requests under way end with the one they began with.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from headwater.clock import Clock
from headwater.errors import HeadwaterError
from headwater.serve.http import models
from headwater.serve.http.compression import Compression
from headwater.serve.http.guard import Guard, TimeLimit, failed
from headwater.serve.http.opening import Opened, Opening
from headwater.serve.http.page_routers import PAGE_ROUTERS
from headwater.serve.http.problems import Problem, problem_response
from headwater.serve.http.queries.asked_query import asked_queries
from headwater.serve.http.queries.prompt import PromptQueries
from headwater.serve.http.routes import changes, history, metrics, queries, reports, views
from headwater.serve.http.serving import Serving, Settings

__all__ = ["Application"]

ROUTERS = (
    views.router, changes.router, queries.router, reports.router, history.router, metrics.router,
    *PAGE_ROUTERS,
)  # fmt: skip


class Application:
    """An ASGI application that follows the project's files."""

    def __init__(self, folder: str, clock: Clock, settings: Settings) -> None:
        self.serving = Serving(Opening(folder, clock, self._renew), clock, settings)
        self._app = self._made()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.serving.opening.is_due():  # whatever is asked: a route need not look at the project
            asyncio.get_running_loop().run_in_executor(None, self.serving.opening.current)
        await self._app(scope, receive, send)

    def _renew(self, opened: Opened) -> None:
        self._app = self._made()

    def _made(self) -> ASGIApp:
        described = TimeLimit(_described(self.serving))
        return Guard(Compression(PromptQueries(described, asked_queries(self.serving))), self.serving)


def _described(serving: Serving) -> FastAPI:
    import headwater

    project = serving.opened.project
    app = FastAPI(
        title=f"Headwater: {project.name}",
        version=headwater.__version__,
        summary="Views kept fresh to a promise: their rows, their changes and how they are doing.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    for router in ROUTERS:
        app.include_router(router(serving))
    app.add_exception_handler(HeadwaterError, _problem)
    app.add_exception_handler(Exception, _failed)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _wrong)
    described = cache(lambda closed: _openapi(app, serving.opened, closed))
    app.openapi = lambda: described(serving.keys.closed())  # type: ignore[method-assign]
    return app


def _openapi(app: FastAPI, opened: Opened, closed: bool) -> dict[str, Any]:
    """The description; it asks for a key only if the project has any (`closed`)."""
    described = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    schemas = described.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = models.Problem.model_json_schema()
    if views := list(opened.catalog.kept):
        _list_views(described["paths"], views)
    if closed:
        described["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"key": []}]
    return described


def _list_views(paths: dict[str, Any], views: list[str]) -> None:
    """Say which views there are, where one is asked for."""
    for path, methods in paths.items():
        parameters = [each for method in methods.values() for each in method.get("parameters", ())]
        for parameter in (each for each in parameters if each["name"] == "name" and "/views/" in path):
            parameter["schema"]["enum"] = views


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HeadwaterError)
    return problem_response(error)


async def _failed(request: Request, error: Exception) -> Response:
    """A bug of ours; the guard logs it."""
    return problem_response(failed())


async def _refused(request: Request, error: Exception) -> Response:
    """A path or a method that there is no route for."""
    assert isinstance(error, HTTPException)
    allowed = {"allow": error.headers["Allow"]} if error.headers and "Allow" in error.headers else {}
    what = "there is no such route" if error.status_code == 404 else str(error.detail).lower()
    hint = "/openapi.json lists the routes."
    return problem_response(Problem("HW964", what, error.status_code, hint, **allowed))


async def _wrong(request: Request, error: Exception) -> Response:
    """Parameters that are not of their types: each is named."""
    assert isinstance(error, RequestValidationError)
    wrong = "; ".join(f"{each['loc'][-1]}: {each['msg']}" for each in error.errors()[:5])
    return problem_response(Problem("HW962", wrong, 422, "/openapi.json lists the parameters."))
