"""How the project is doing: `/status`, `/sources`, `/plan`, `/bill`, `/dead-letters`, as their commands say.

Answers are remembered by the versions of the logs they were made from, or for a moment: polling is cheap.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from headwater.capture.dead_letters import DEAD_LETTERS, newest_letters
from headwater.clock import instant_text
from headwater.serve.access.keys import Role
from headwater.serve.http.answers import json_text_answer
from headwater.serve.http.asked import Duration, Instant, Limit, between, forbidden, needs, rights_of
from headwater.serve.http.models import Bill, DeadLetters, Plan, Sources, Status, problems
from headwater.serve.http.opening import Opened
from headwater.serve.http.serving import Serving
from headwater.serve.json_text import compact_json
from headwater.serve.planning.plan import asking, plan
from headwater.serve.planning.plan_json import plan_json
from headwater.serve.reports.bill import account
from headwater.serve.reports.bill_json import By, bill_json
from headwater.serve.reports.stage_graph import stage_graph
from headwater.serve.reports.status import Status as ProjectStatus
from headwater.serve.reports.status import status as project_status
from headwater.serve.reports.status_json import status_json
from headwater.storage.warehouse import Warehouse
from headwater.units import SECOND

__all__ = ["current_status", "router", "versions"]

MOMENT = SECOND // 2  # a status is shown again within it
PLANNED = 60 * SECOND  # statistics change all the time, plans hardly
BILLED = 5 * SECOND
LONGEST_BILL = timedelta(days=400)


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["project"], dependencies=[needs(Role.LOOK)])

    @routes.get("/status", responses={200: {"model": Status}, **problems()})
    def status(request: Request) -> Response:
        """Each view's staleness against its freshness, what it has cost; sources, sites and slots."""

        opened = serving.opened

        def make() -> str:
            current = status_json(current_status(serving, opened))
            return compact_json(current | {"problem": opened.problem})

        state = opened.fingerprint, _moment(serving, MOMENT)
        return json_text_answer(request, serving.answers.answer("status", state, make))

    @routes.get("/sources", responses={200: {"model": Sources}, **problems()})
    def sources(request: Request) -> Response:
        """Each source: rows, rate, lag, what is wrong and what to do; the slots of PostgreSQL."""

        opened = serving.opened

        def make() -> str:
            current = status_json(current_status(serving, opened))
            return compact_json({"sources": current["sources"], "slots": current["slots"]})

        state = opened.fingerprint, _moment(serving, MOMENT)
        return json_text_answer(request, serving.answers.answer("sources", state, make))

    @routes.get("/plan", responses={200: {"model": Plan}, **problems(400, 409)})
    def planned(request: Request) -> Response:
        """What is stored and pushed, where, for whom and at what price; as `headwater plan --json`."""
        opened = serving.opened
        state = (opened.fingerprint, _changed(opened, "plan.txt"), _moment(serving, PLANNED))
        return json_text_answer(request, serving.answers.answer("plan", state, lambda: _plan(opened)))

    @routes.get("/bill", responses={200: {"model": Bill}, **problems(400)})
    def bill(
        request: Request,
        since: Instant = None,
        until: Instant = None,
        last: Duration = None,
        by: Annotated[By, Query(description="A line for each of these.")] = By.VIEW,
        spread: Annotated[bool, Query(description="Let the lines pay what belongs to none.")] = False,
    ) -> Response:
        """What views cost over a period, by default the last hour; as `headwater bill --json`."""
        opened = serving.opened
        now = serving.clock.now()
        start, end = between(now - now % BILLED, since, until, last, LONGEST_BILL)

        def make() -> str:
            billed = account(opened.catalog, opened.warehouse, start, end, whole=True).bill()
            return compact_json(bill_json(opened.project.name, billed.spread() if spread else billed, by))

        state = (opened.fingerprint, versions(opened.warehouse, "audit", "pushes", "process_cpu"))
        text = serving.answers.answer(("bill", start, end, by, spread), state, make)
        return json_text_answer(request, text)

    @routes.get(
        "/dead-letters",
        dependencies=[needs(Role.QUERY)],
        responses={200: {"model": DeadLetters}, **problems(404)},
    )
    def dead_letters(
        request: Request,
        table: Annotated[str | None, Query(description="Of this source only.")] = None,
        limit: Limit = 100,
    ) -> Response:
        """The newest rejected records, with the reason and the original."""
        opened = serving.opened
        if rights_of(request).limited:
            raise forbidden("dead letters hold rows of any source: this needs a key for all views")
        name = None if table is None else _table(opened, table)
        letters = newest_letters(opened.warehouse, name, limit)
        shown = [asdict(letter) | {"time": instant_text(letter.time)} for letter in letters]
        return json_text_answer(request, compact_json({"letters": shown}))

    return routes


def current_status(serving: Serving, opened: Opened) -> ProjectStatus:
    def make() -> ProjectStatus:
        return project_status(opened.catalog, opened.warehouse, serving.clock)

    return serving.answers.answer("current", (opened.fingerprint, _moment(serving, MOMENT)), make)


def versions(warehouse: Warehouse, *tables: str) -> Hashable:
    """Versions of the logs of system tables: what was made from them holds while they stay."""
    return tuple(warehouse.system(table).snapshot().version for table in (*tables, DEAD_LETTERS))


def _moment(serving: Serving, length: int) -> int:
    return serving.clock.now() // length


def _changed(opened: Opened, file: str) -> int:
    """When a file of the warehouse was last written; 0 if it is not there."""
    try:
        return os.stat(os.path.join(opened.warehouse.root, file)).st_mtime_ns
    except FileNotFoundError:
        return 0


def _table(opened: Opened, name: str) -> str:
    """A source's name as declared; one that was declared once may have letters too."""
    return {table.lower(): table for table in opened.project.tables}.get(name.lower(), name)


def _plan(opened: Opened) -> str:
    planned = plan(opened.catalog, asking(opened.project), opened.warehouse)
    answer = plan_json(planned, planned.views, explain=False)
    return compact_json(answer | {"graph": stage_graph(opened.catalog, opened.warehouse, answer)})
