"""What changes the project: views added and dropped, rows put back; and the price of a view before it exists.

Whoever asks needs the role `change`, for all views.  A web page of another site cannot ask in its reader's
name: keys are sent as a header that no other site knows; and where no key is needed, a request must say that
it is JSON, which a browser sends elsewhere only after asking (and is told no), and must come from this
server's own page if it says from where it comes.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from headwater.capture.given_records import given_records
from headwater.capture.intake.append import Appender
from headwater.capture.retrying import retry_letters
from headwater.errors import HeadwaterError, InputError
from headwater.project import load
from headwater.project.editing import new_views
from headwater.project.named import table_named
from headwater.serve.access.keys import Role
from headwater.serve.http.answers import answered
from headwater.serve.http.asked import forbidden, needs, rights_of
from headwater.serve.http.models import Plan, problems
from headwater.serve.http.opening import Opened
from headwater.serve.http.page_models import Added, Dropped, Retried, Taken
from headwater.serve.http.problems import PROBLEM, Problem, problem_fields, status_of
from headwater.serve.http.routes.views import ViewName
from headwater.serve.http.serving import Serving
from headwater.serve.json_text import compact_json
from headwater.serve.planning.changing import add, drop
from headwater.serve.planning.changing_json import added_json, dropped_json
from headwater.serve.planning.plan import asking, plan
from headwater.serve.planning.plan_json import plan_json
from headwater.serve.reports.stage_graph import stage_graph

__all__ = ["router"]

DRAFT = "draft.sql"
MOST_RECORDS = 1000


class Sql(BaseModel):
    sql: Annotated[str, Field(min_length=1, max_length=50_000, description="CREATE MATERIALIZED VIEW ...")]


class Letters(BaseModel):
    table: Annotated[str, Field(max_length=300, description="A source.")]


class Records(BaseModel):
    records: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MOST_RECORDS)]


def own_page(request: Request) -> None:
    """Refuse what another site made a browser send."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem("HW976", "a change must be sent as application/json", 415)
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
        raise Problem("HW976", "the request comes from a page of another site", 403)
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Problem("HW976", "the request comes from a page of another site", 403)


def may_change(request: Request) -> None:
    if rights_of(request).limited:
        raise forbidden("changing the project needs a key for all views")


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["changing"], dependencies=[Depends(own_page)])
    change = [needs(Role.CHANGE), Depends(may_change)]
    planning = threading.Lock()  # one plan at a time: whoever types fast does not keep all cores busy

    @routes.post(
        "/plan/draft",
        dependencies=[needs(Role.LOOK)],
        responses={200: {"model": Plan}, **problems(400, 409, 415)},
    )
    def draft(request: Request, given: Sql) -> Response:
        """What keeping these views would take, as `headwater plan --with` says. Nothing is written."""
        with planning, _draft(given.sql) as path:
            return _told(path, lambda: answered(request, _planned(serving.opened, path)))

    @routes.post("/views", dependencies=change, responses={200: {"model": Added}, **problems(400, 409, 415)})
    def add_views(request: Request, given: Sql) -> Response:
        """Add views, if their promises can be kept; as `headwater add` does. A run takes them over."""
        opened = serving.opened
        require_right_files(opened)
        with planning, _draft(given.sql) as path:
            return _told(
                path, lambda: answered(request, added_json(add(opened.catalog, opened.warehouse, path)))
            )

    @routes.delete(
        "/views/{name}", dependencies=change, responses={200: {"model": Dropped}, **problems(404, 409, 415)}
    )
    def drop_view(request: Request, name: ViewName) -> Response:
        """Take a view out of the project, with what it stored; refused while something else reads it."""
        opened = serving.opened
        require_right_files(opened)
        return answered(request, dropped_json(drop(opened.catalog, opened.warehouse, serving.clock, name)))

    @routes.post(
        "/dead-letters/retry", dependencies=change, responses={200: {"model": Retried}, **problems(404, 415)}
    )
    def retry(request: Request, given: Letters) -> Response:
        """Append the dead letters of a source again, after a mend: what fits is stored, the rest stays."""
        opened = serving.opened
        table = table_named(opened.project, given.table)
        done = retry_letters(opened.project, opened.warehouse, serving.clock, table)
        fields = {"accepted": done.accepted, "rejected": done.rejected, "next_run": done.next_run}
        return answered(request, {"table": done.table} | fields)

    @routes.post(
        "/sources/{table}/records",
        dependencies=change,
        responses={200: {"model": Taken}, **problems(400, 404, 415)},
    )
    def take(request: Request, table: str, given: Records) -> Response:
        """Append rows or changes to a source: all of them, or none and the reason."""
        opened = serving.opened
        source = table_named(opened.project, table)
        if source.provider != "api":
            raise Problem(
                "HW977", f"{source.name} is captured from {source.provider}", 400, hint="Mend the row there."
            )
        opened.warehouse.make_roots()
        appender = Appender(opened.warehouse, source, serving.clock, opened.project.tables)
        done = appender.append(given_records(given.records), None, strict=True)
        return answered(request, {"table": source.name, "accepted": done.accepted})

    return routes


def require_right_files(opened: Opened) -> None:
    """While files are wrong nobody can tell what a change of them would mean."""
    if opened.problem:
        raise InputError(
            "HW978", "the project's files are wrong", detail=opened.problem, hint="Mend them first."
        )


def _planned(opened: Opened, path: Path) -> dict[str, Any]:
    new_views(path)  # nothing but views
    planned = plan(opened.catalog, asking(load(opened.project.folder, [path])), opened.warehouse)
    answer = plan_json(planned, planned.views, explain=False)
    return answer | {"graph": stage_graph(opened.catalog, opened.warehouse, answer)}


@contextmanager
def _draft(sql: str) -> Iterator[Path]:
    """The text as a file outside the project, as `--with` takes it."""
    with tempfile.TemporaryDirectory(prefix="headwater-") as folder:
        path = Path(folder) / DRAFT
        path.write_bytes(sql.encode(errors="replace"))
        yield path


def _told(path: Path, answer: Callable[[], Response]) -> Response:
    """The answer; errors name the draft, not the file it was kept in meanwhile."""
    try:
        return answer()
    except HeadwaterError as error:
        text = compact_json(problem_fields(error)).replace(str(path), DRAFT)
        return Response(text, status_of(error), media_type=PROBLEM)
