"""`/bill/over-time`: what was paid, piece by piece of a period, for whom or for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from headwater.clock import instant_text
from headwater.planning.cost.billing import Bill, Costs, grouped
from headwater.serve.access.keys import Role
from headwater.serve.http.answers import json_text_answer
from headwater.serve.http.asked import Duration, Instant, between, needs
from headwater.serve.http.models import problems
from headwater.serve.http.page_models import CostsOverTime
from headwater.serve.http.routes.reports import BILLED, LONGEST_BILL, versions
from headwater.serve.http.serving import Serving
from headwater.serve.json_text import compact_json
from headwater.serve.reports.bill import account
from headwater.units import HOUR, SECOND

__all__ = ["router", "stacked"]

MOST = 7  # that are shown each by itself; the others together
PARTS = {"cpu": "CPU", "network": "network", "storage": "storage", "penalty": "penalties"}


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["project"], dependencies=[needs(Role.LOOK)])

    @routes.get("/bill/over-time", responses={200: {"model": CostsOverTime}, **problems(400, 404)})
    def over_time(
        request: Request,
        since: Instant = None,
        until: Instant = None,
        last: Duration = None,
        by: Annotated[Literal["view", "owner", "site"], Query(description="A series for each.")] = "view",
        view: Annotated[str | None, Query(description="Only this view: a series for each part.")] = None,
    ) -> Response:
        """Dollars an hour, some dozen pieces of the period: of the dearest, and of all others together."""
        opened = serving.opened
        name = None if view is None else opened.catalog.view(view).name
        now = serving.clock.now()
        start, end = between(now - now % BILLED, since, until, last, LONGEST_BILL)

        def make() -> str:
            bills = account(opened.catalog, opened.warehouse, start, end).over_time()
            pieces = [_parts(bill, name) if name is not None else _groups(bill, by) for bill in bills]
            return compact_json(
                {
                    "since": instant_text(start),
                    "until": instant_text(end),
                    "at": [bill.since / SECOND for bill in bills],
                    "series": stacked(pieces, [(bill.until - bill.since) / HOUR for bill in bills]),
                }
            )

        state = (opened.fingerprint, versions(opened.warehouse, "audit", "pushes"))
        named = ("over time", start, end, by, name)
        return json_text_answer(request, serving.answers.answer(named, state, make))

    return routes


def _groups(bill: Bill, by: str) -> dict[str, float]:
    return {name: costs.dollars for name, costs in grouped(bill, by).items()}


def _parts(bill: Bill, view: str) -> dict[str, float]:
    costs = grouped(bill, "view").get(view, Costs())
    return {label: getattr(costs, part) for part, label in PARTS.items()}


def stacked(pieces: Sequence[Mapping[str, float]], hours: Sequence[float]) -> list[dict[str, Any]]:
    """A series of dollars an hour for each of the dearest names, dearest first; then one for all others."""
    names = {name for piece in pieces for name in piece}
    totals = {name: sum(piece.get(name, 0.0) for piece in pieces) for name in names}
    dearest = sorted(totals, key=lambda name: (-totals[name], name))
    shown, rest = dearest[:MOST], dearest[MOST:]
    series = [{"name": name, "dollars_per_hour": _rates(pieces, hours, [name])} for name in shown]
    if rest:
        name = f"{len(rest)} others"
        series.append({"name": name, "dollars_per_hour": _rates(pieces, hours, rest)})
    return series


def _rates(
    pieces: Sequence[Mapping[str, float]], hours: Sequence[float], names: Sequence[str]
) -> list[float]:
    sums = [sum(piece.get(name, 0.0) for name in names) for piece in pieces]
    return [total / length if length else 0.0 for total, length in zip(sums, hours, strict=True)]
