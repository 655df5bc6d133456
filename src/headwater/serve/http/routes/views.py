"""`/views`: which there are, and their rows, page by page.  Never waits: it answers or refuses."""

from __future__ import annotations

from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from headwater.clock import instant_text
from headwater.errors import redact
from headwater.serve.access.keys import Role
from headwater.serve.http.answers import answered, etag_of
from headwater.serve.http.asked import Duration, Limit, allowed, forbidden, needs, rights_of
from headwater.serve.http.models import ViewPage, Views, problems
from headwater.serve.http.opening import Opened
from headwater.serve.http.problems import Problem
from headwater.serve.http.serving import Serving
from headwater.serve.paging import Page, Sorted, page, sort_rows
from headwater.serve.read import standing
from headwater.sql.parsing.names import spelling
from headwater.storage.as_python import as_python
from headwater.storage.view_rows import read_view

__all__ = ["ViewName", "router"]

MOST_FILTERS = 8

ViewName = Annotated[str, Path(description="A view's name, in any case.")]


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["views"])

    @routes.get("/views", dependencies=[needs(Role.LOOK)], responses={200: {"model": Views}, **problems()})
    def views(request: Request) -> Response:
        """Every view: its columns, its SQL, its promise, and as of when it is."""
        return answered(request, {"views": [_view(serving, name) for name in serving.opened.catalog.kept]})

    @routes.get(
        "/views/{name}",
        dependencies=[needs(Role.QUERY)],
        responses={200: {"model": ViewPage}, **problems(400, 404, 409)},
    )
    def rows(
        request: Request,
        name: ViewName,
        limit: Limit = 100,
        cursor: Annotated[
            str | None, Query(max_length=8000, description="`next` of the page before; opaque.")
        ] = None,
        max_staleness: Duration = None,
        filter: Annotated[
            list[str] | None,
            Query(max_length=MOST_FILTERS, description="COLUMN=VALUE: only such rows; may be repeated."),
        ] = None,
    ) -> Response:
        """Rows of a view as of its time, in the order of its columns; 409 if it is staler than asked for.

        Pages neither repeat nor leave out a row that was there all the time. The last one has no `next`.
        """
        opened = serving.opened
        view = opened.catalog.view(name).name
        if not rights_of(request).may_read(view):
            raise forbidden(f'the key is not for the view "{view}"')
        stands = standing(opened.catalog, opened.warehouse, serving.clock, view, allowed(max_staleness))
        time, ordered = _ordered(serving, opened, view)
        etag = etag_of(opened.catalog.folder(view), time, limit, cursor, filter)
        given = page(_filtered(ordered, filter or []), limit, cursor)
        staleness = max(0.0, (serving.clock.now() - time) / 1e6)
        answer = _page(view, time, staleness, stands.error, given)
        opened.reads.notice(view, answer["rows"])
        return answered(request, answer, etag)

    return routes


def _view(serving: Serving, name: str) -> dict[str, Any]:
    opened = serving.opened
    view, kept = opened.project.views[name], opened.catalog.kept[name]
    time = opened.warehouse.stage(opened.catalog.folder(name)).time()
    return {
        "name": name,
        "columns": [
            {"name": column, "type": kind} for column, kind in zip(kept.columns, kept.types, strict=True)
        ],
        "freshness_s": view.freshness.total_seconds(),
        "time": instant_text(time) if time else None,
        "owner": view.owner,
        "site": opened.catalog.site_of(name),
        "refresh": "full" if kept.obstacles else "incremental",
        "obstacles": [obstacle.reason for obstacle in kept.obstacles],
        "reads": list(kept.reads),
        "sql": redact(view.sql.text.strip()),
    }


def _page(view: str, time: int, staleness: float, error: str, given: Page) -> dict[str, Any]:
    return {
        "view": view,
        "time": instant_text(time),
        "staleness_s": staleness,
        "error": error,
        "rows": as_python(given.rows),
        "next": given.next,
    }


def _ordered(serving: Serving, opened: Opened, view: str) -> tuple[int, Sorted]:
    """The rows as of the view's time, in order: made anew only if they have changed."""
    timeline = opened.warehouse.stage(opened.catalog.folder(view))
    published, description = opened.warehouse.published(view), opened.catalog.description(view)

    def make(before: tuple[int, tuple[int, Sorted]] | None) -> tuple[int, Sorted]:
        if before is not None:
            at, ordered = before[1]
            snapshot = timeline.snapshot()
            if (
                timeline.horizon() <= at <= snapshot.time
                and timeline.delta(at, snapshot.time, (), snapshot).empty
            ):
                return snapshot.time, ordered
        time, rows = read_view(timeline, published, description)
        return time, sort_rows(rows)

    return serving.tables.changed(timeline.path, timeline.time(), make)


def _filtered(ordered: Sorted, filters: list[str]) -> Sorted:
    for text in filters:
        column, equals, value = text.partition("=")
        name = spelling(column, ordered.rows.column_names)
        if not equals or name is None:
            raise Problem("HW962", f'filter: "{text}" is not COLUMN=VALUE of a column of the view', 400)
        wanted = pc.equal(ordered.rows.column(name), _typed(value, ordered.rows.schema.field(name)))
        ordered = Sorted(ordered.rows.filter(wanted), ordered.keys.filter(wanted))
    return ordered


def _typed(value: str, column: pa.Field) -> pa.Scalar:
    try:
        return pa.scalar(value, pa.string()).cast(column.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise Problem(
            "HW962", f'filter: "{value}" is no value of {column.name}, which is {column.type}', 400
        ) from None
