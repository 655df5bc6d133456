"""`/session` and `/live/changes`: who asks, and what moves.

    event: state      {"at": seconds, "running": true, "times": {"view": seconds},
                       "pushing": {"views": [...], "stages": [...]}, "state": "...", "sums": "...",
                       "declared": "..."}

An event is sent when a view's time, the run, what it pushes or anything that was recorded has changed;
`state` differs whenever a page that shows more should ask again, `sums` when it should ask for what is summed
up over a period, `declared` when the project's files say something else.  What is sent is computed once for
all who listen (broadcast.py), from logs alone.  A run records something every few seconds: pages are told of
that together and at most so often, so that they ask in the same moment and one answer serves them all.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Hashable
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from headwater.errors import shown_folder
from headwater.model import Project
from headwater.serve.access.keys import Role
from headwater.serve.http.answers import answered, etag_of
from headwater.serve.http.asked import needs, rights_of
from headwater.serve.http.broadcast import Broadcast
from headwater.serve.http.models import problems
from headwater.serve.http.page_models import Session
from headwater.serve.http.routes.reports import versions
from headwater.serve.http.serving import Serving
from headwater.serve.json_text import compact_json
from headwater.storage.notices.under_way import NOTHING, read_under_way
from headwater.storage.records.run_lock import running
from headwater.units import SECOND

__all__ = ["router"]

LOOK_S = 1.0  # between two looks at the logs
QUIET_S = 10.0  # after which the state is sent all the same, so that both know that the connection lives
RECORDED = ("pushes", "audit")
STATE_S, SUMS_S = 10.0, 60.0  # at most so often pages are told that a run has recorded something
EVENTS = {"description": "States, as server-sent events.", "content": {"text/event-stream": {}}}


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["page"], dependencies=[needs(Role.LOOK)])
    states = Broadcast(lambda: _look(serving), LOOK_S, QUIET_S, serving.stopping.is_set)

    @routes.get("/session", responses={200: {"model": Session}, **problems()})
    def session(request: Request) -> Response:
        """The project, and what the caller may do."""
        import headwater

        opened = serving.opened
        return answered(
            request,
            {
                "project": opened.project.name,
                "folder": shown_folder(opened.project.folder),
                "storage": opened.warehouse.root,
                "version": headwater.__version__,
                "role": rights_of(request).role.value,
                "keys": serving.keys.closed(),
                "example": example(opened.project),
            },
        )

    @routes.get("/live/changes", response_class=Response, responses={200: EVENTS, **problems(503)})
    async def live(request: Request, follow: bool = True) -> Response:
        """The time of every view and whether a run keeps them, whenever that changes."""
        place = serving.reader()
        place.__enter__()  # left when the stream ends
        return StreamingResponse(
            _events(states, place, follow),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    return routes


def example(project: Project) -> str:
    """A view that could be declared, for somebody who has not written one yet; "" without tables."""
    table = next(iter(project.tables.values()), None)
    if table is None:
        return ""
    name = f"new_{table.name}"
    while name.lower() in {view.lower() for view in project.views}:
        name += "_2"
    columns = ", ".join(table.column_names[:4])
    return (
        f"CREATE MATERIALIZED VIEW {name}\n  FRESHNESS = INTERVAL '30' SECOND\n"
        f"AS SELECT {columns}\n   FROM {table.name};\n"
    )


async def _events(states: Broadcast, place: Any, follow: bool) -> AsyncIterator[str]:
    try:
        if not follow:
            yield await states.once()
            return
        async for text in states.follow():
            yield text
    finally:
        place.__exit__(None, None, None)


def _look(serving: Serving) -> tuple[object, str]:
    """What has happened, and the event that tells it: the same for all who ask within a moment."""
    opened = serving.opened

    def make() -> tuple[object, str]:
        catalog, warehouse = opened.catalog, opened.warehouse
        times = {name: warehouse.stage(catalog.folder(name)).time() for name in catalog.kept}
        seldom = opened.fingerprint, _captures(warehouse.root), versions(warehouse)
        alive = running(warehouse.root) is not None
        pushing = read_under_way(warehouse.root) if alive else NOTHING
        telling = {
            "running": alive,
            "times": {name: time / SECOND if time else None for name, time in times.items()},
            "pushing": {"views": pushing.views, "stages": pushing.stages},
            "state": etag_of((*seldom, _recorded(serving, STATE_S)))[3:-1],
            "sums": etag_of((*seldom, _recorded(serving, SUMS_S)))[3:-1],
            "declared": opened.fingerprint[:16],
        }
        state = {"at": serving.clock.now() / SECOND} | telling
        return telling, f"event: state\ndata: {compact_json(state)}\n\n"

    moment = serving.clock.now() // round(LOOK_S * SECOND / 2)
    return serving.answers.answer("live", (opened.fingerprint, moment), make)


def _recorded(serving: Serving, every_s: float) -> Hashable:
    """What the run had recorded when this stretch of time was first looked at."""
    stretch = serving.clock.now() // round(every_s * SECOND)
    return serving.answers.answer(
        ("recorded", every_s), stretch, lambda: versions(serving.opened.warehouse, *RECORDED)
    )


def _captures(root: str) -> int:
    """When captures last said something else."""
    try:
        return os.stat(os.path.join(root, "captures.json")).st_mtime_ns
    except FileNotFoundError:
        return 0
