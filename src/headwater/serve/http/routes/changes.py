"""`/views/{name}/changes`: the changes of a view as server-sent events, from now on or since a time.

    event: change     a row that came or went: {"row": {...}, "weight": 1, "time": "..."}
    event: time       all changes up to a time were sent; its id is that time, in microseconds
    event: error      a problem; the server ends the connection

Only `time` has an id, so a client that connects again with Last-Event-ID gets all changes of a time, or none.
Nothing is kept for a reader but its place in the timeline's log; a reader who does not take what is sent is
told so, and cut off.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from headwater.clock import instant_of, instant_text
from headwater.errors import HeadwaterError
from headwater.serve.access.keys import Role
from headwater.serve.changes import feed_of, step_changes
from headwater.serve.http.asked import forbidden, needs, rights_of
from headwater.serve.http.models import problems
from headwater.serve.http.problems import Problem, problem_fields
from headwater.serve.http.routes.views import ViewName
from headwater.serve.http.serving import Serving
from headwater.serve.json_text import compact_json
from headwater.storage.feed import Feed
from headwater.storage.timeline import Timeline

__all__ = ["router"]

logger = logging.getLogger(__name__)

LOOK_S = 0.3  # between two looks at the log
QUIET_S = 10.0  # after which a comment shows that the connection lives
SLOW_S = 5.0  # a reader that takes longer for a piece is told so and cut off
DROPPED_S = 30.0  # one that does not read at all is cut off without a word
PIECE = 200  # changes sent at a time

EVENTS = {"description": "The changes, as server-sent events.", "content": {"text/event-stream": {}}}


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["views"])

    @routes.get(
        "/views/{name}/changes",
        dependencies=[needs(Role.QUERY)],
        response_class=Response,
        responses={200: EVENTS, **problems(404, 409, 410, 503)},
    )
    async def changes(
        request: Request,
        name: ViewName,
        since: Annotated[
            datetime | Literal["beginning"] | None,
            Query(
                description="Changes after this instant, or all that is kept; by default those from now on."
            ),
        ] = None,
        follow: Annotated[
            bool, Query(description="Stay connected; otherwise end with what there is now.")
        ] = True,
        last_event_id: Annotated[
            str | None,
            Header(pattern="^[0-9]{1,18}$", description="The id of the last event that was received."),
        ] = None,
    ) -> Response:
        """The changes of a view: rows with weights and times, resumable by the ids of the events."""
        opened = serving.opened
        view = opened.catalog.view(name).name
        if not rights_of(request).may_read(view):
            raise forbidden(f'the key is not for the view "{view}"')
        after = _start(since, last_event_id)
        feed, timeline = await run_in_threadpool(feed_of, opened.catalog, opened.warehouse, view, after)
        place = serving.reader()
        place.__enter__()  # left when the stream ends
        return _Events(_pieces(serving, request, feed, timeline, follow), place, view)

    return routes


def _start(since: datetime | str | None, last: str | None) -> int | None:
    if last is not None:
        return int(last)
    if since is None:
        return None
    return 0 if isinstance(since, str) else instant_of(since)


def _text(event: str, data: Any, id: int | None = None) -> str:
    identity = "" if id is None else f"id: {id}\n"
    return f"event: {event}\n{identity}data: {compact_json(data)}\n\n"


def _texts(feed: Feed, timeline: Timeline) -> Iterator[str]:
    """What was committed since the last call, as events, in pieces of bounded size."""
    for step in feed.steps():
        for changes in step_changes(timeline, step):
            for start in range(0, len(changes), PIECE):
                yield "".join(_text("change", change.fields()) for change in changes[start : start + PIECE])
        yield _text("time", {"time": instant_text(step.time)}, step.time)


async def _pieces(
    serving: Serving, request: Request, feed: Feed, timeline: Timeline, follow: bool
) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    spoke = loop.time()
    yield ": changes follow\n\n"
    while not serving.stopping.is_set() and not await request.is_disconnected():
        texts = _texts(feed, timeline)
        while (text := await run_in_threadpool(next, texts, None)) is not None:
            yield text
            spoke = loop.time()
        if not follow:
            return
        if loop.time() - spoke > QUIET_S:
            yield ": nothing new\n\n"
            spoke = loop.time()
        await asyncio.sleep(LOOK_S)


class _Events(Response):
    """Sends pieces as a reader takes them."""

    media_type = "text/event-stream"

    def __init__(self, pieces: AsyncIterator[str], place: Any, view: str) -> None:
        # When the stream ends, so does the connection: who was cut off notices at once.
        headers = {"Cache-Control": "no-store", "Connection": "close", "X-Accel-Buffering": "no"}
        super().__init__(headers=headers)
        del self.headers["content-length"]
        self._pieces = pieces
        self._place = place
        self._view = view

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._stream(send)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            logger.warning("a reader of the changes of %s did not read for %.0f s", self._view, DROPPED_S)
        finally:
            self._place.__exit__(None, None, None)

    async def _stream(self, send: Send) -> None:
        loop = asyncio.get_running_loop()
        try:
            async for text in self._pieces:
                began = loop.time()
                async with asyncio.timeout(DROPPED_S):
                    await send(_body(text))
                if loop.time() - began > SLOW_S:
                    raise Problem(
                        "HW971",
                        f"the reader took more than {SLOW_S:.0f} s to take what was sent",
                        503,
                        hint="Connect again with the last id as Last-Event-ID; nothing is lost.",
                    )
        except HeadwaterError as error:
            logger.info("the changes of %s end for a reader: %s", self._view, error.message)
            await send(_body(_text("error", problem_fields(error))))


def _body(text: str) -> dict[str, Any]:
    return {"type": "http.response.body", "body": text.encode(), "more_body": True}
