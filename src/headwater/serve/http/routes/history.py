"""What was: `/pushes`, `/staleness` and `/periods`, in bounded work.

Periods are at most a week, read by the statistics of the files; curves are downsampled to what a picture can
show, keeping the peaks and the falls; pushes are the newest so many.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import pyarrow.compute as pc
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from headwater.clock import instant_text
from headwater.serve.access.keys import Role
from headwater.serve.http.answers import json_text_answer
from headwater.serve.http.asked import Duration, Instant, Limit, Points, between, needs
from headwater.serve.http.models import Periods, Pushes, StalenessCurves, problems
from headwater.serve.http.routes.reports import versions
from headwater.serve.http.serving import Serving
from headwater.serve.json_text import compact_json
from headwater.serve.reports.period import periods
from headwater.serve.reports.staleness import Staleness, downsampled, staleness_over_time
from headwater.storage.records.journal import PUSHES, newest_rows
from headwater.units import SECOND

__all__ = ["router"]

LONGEST = timedelta(days=7)
ViewName = Annotated[str | None, Query(description="A view; by default all of them.")]
StageName = Annotated[str | None, Query(max_length=1000, description="Only pushes of this stage.")]
_INSTANTS = ("at", "after", "until")


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["history"], dependencies=[needs(Role.LOOK)])

    @routes.get("/pushes", responses={200: {"model": Pushes}, **problems(400, 404)})
    def pushes(
        request: Request,
        view: ViewName = None,
        since: Instant = None,
        until: Instant = None,
        last: Duration = None,
        limit: Limit = 100,
        stage: StageName = None,
    ) -> Response:
        """The newest pushes of a period, oldest first: how, why, rows, seconds expected and real, errors."""
        opened = serving.opened
        name = None if view is None else opened.catalog.view(view).name
        start, end = _period(serving, since, until, last)

        def make() -> str:
            chosen = pc.field("view") == name if name is not None else pc.field("view").is_valid()
            if stage is not None:
                chosen &= pc.field("stage") == stage
            rows = newest_rows(opened.warehouse.system("pushes"), PUSHES, limit, chosen, start, end)
            return compact_json({"pushes": [_push(row) for row in rows.to_pylist()]})

        state = versions(opened.warehouse, "pushes")
        return json_text_answer(
            request, serving.answers.answer(("pushes", name, stage, start, end, limit), state, make)
        )

    @routes.get("/staleness", responses={200: {"model": StalenessCurves}, **problems(400, 404)})
    def staleness(
        request: Request,
        view: ViewName = None,
        since: Instant = None,
        until: Instant = None,
        last: Duration = None,
        points: Points = 600,
    ) -> Response:
        """Staleness over a period, a curve for each view: seconds since 1970, and seconds; null is a gap."""
        opened = serving.opened
        name = None if view is None else opened.catalog.view(view).name
        start, end = _period(serving, since, until, last)

        def make() -> str:
            curves = staleness_over_time(opened.catalog, opened.warehouse, start, end, name)
            shown = [_curve(curve, points) for curve in curves]
            return compact_json({"since": instant_text(start), "until": instant_text(end), "views": shown})

        state = (opened.fingerprint, versions(opened.warehouse, "audit", "pushes"))
        named = ("staleness", name, start, end, points)
        return json_text_answer(request, serving.answers.answer(named, state, make))

    @routes.get("/periods", responses={200: {"model": Periods}, **problems(400)})
    def views_over_a_period(request: Request, last: Duration = None) -> Response:
        """Each view over the last hour, or as long as asked: worst and mean staleness, violations, cost."""
        opened = serving.opened
        start, end = _period(serving, None, None, last)

        def make() -> str:
            shown = [asdict(period) for period in periods(opened.catalog, opened.warehouse, start)]
            return compact_json({"since": instant_text(start), "until": instant_text(end), "views": shown})

        state = (opened.fingerprint, versions(opened.warehouse, "audit"))
        return json_text_answer(request, serving.answers.answer(("periods", start), state, make))

    return routes


def _period(serving: Serving, since: Any, until: Any, last: str | None) -> tuple[int, int]:
    """The period to the second, so that those who ask within one share the answer."""
    now = serving.clock.now()
    return between(now - now % SECOND + SECOND, since, until, last, LONGEST)


def _push(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the table, with instants as text; what an older version did not record is empty."""
    named = {
        name: row[name] or "" for name in ("view", "stage", "mode", "reason", "error", "serves", "trace")
    }
    counted = {
        name: row[name] or 0
        for name in ("changed_rows", "scanned_rows", "result_rows", "late_rows", "attempt")
    }
    lasting = {name: row[name] or 0.0 for name in ("seconds", "predicted_seconds", "cpu_seconds")}
    instants = {name: instant_text(row[name] or 0) for name in _INSTANTS}
    return instants | named | counted | lasting | {"site": row["site"] or "", "action": row["action"] or ""}


def _curve(curve: Staleness, points: int) -> dict[str, Any]:
    shown = downsampled(curve.points, points)
    return {
        "view": curve.view,
        "freshness_s": curve.freshness_s,
        "at": [point.at / SECOND for point in shown],
        "staleness_s": [point.seconds for point in shown],
        "violations": [point.at / SECOND for point in downsampled(curve.violations, points)],
        "pushes": curve.pushes,
    }
