"""`/views/{name}/verification`: a view recomputed from its SQL and compared, by the run that keeps it.

The server never starts Spark: it asks the run that is alive, which verifies between pushes
(engine/upkeep/verify_on_request.py), and tells what came of it.  Without a run nobody is asked.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from headwater.errors import shown_folder
from headwater.serve.access.keys import Role
from headwater.serve.http.answers import answered
from headwater.serve.http.asked import forbidden, needs, rights_of
from headwater.serve.http.models import problems
from headwater.serve.http.opening import Opened
from headwater.serve.http.page_models import Verification
from headwater.serve.http.problems import Problem
from headwater.serve.http.routes.changing import may_change, own_page
from headwater.serve.http.routes.views import ViewName
from headwater.serve.http.serving import Serving
from headwater.storage.notices.verifications import ask_for, read_outcome, waits
from headwater.storage.records.run_lock import running

__all__ = ["router"]


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["changing"])

    @routes.get(
        "/views/{name}/verification",
        dependencies=[needs(Role.QUERY)],
        responses={200: {"model": Verification}, **problems(404)},
    )
    def verification(request: Request, name: ViewName) -> Response:
        """What the last verification of a view found, or how far it is: `state` says it in a word."""
        opened = serving.opened
        view = opened.catalog.view(name).name
        if not rights_of(request).may_read(view):
            raise forbidden(f'the key is not for view "{view}"')
        return answered(request, _standing(opened, view))

    @routes.post(
        "/views/{name}/verification",
        dependencies=[Depends(own_page), needs(Role.CHANGE), Depends(may_change)],
        responses={202: {"model": Verification}, **problems(404, 409, 415)},
        status_code=202,
    )
    def verify(request: Request, name: ViewName) -> Response:
        """Have the run that keeps a view recompute it from its SQL and compare; does not wait for that."""
        opened = serving.opened
        view, root = opened.catalog.view(name).name, opened.warehouse.root
        if running(root) is None:
            command = f"headwater verify {shown_folder(opened.project.folder)} {view}"
            raise Problem(
                "HW979",
                "no run is alive that could verify the view",
                409,
                hint=f"Start the run, or type {command}",
            )
        ask_for(root, view, serving.clock.now())
        answer = answered(request, _standing(opened, view))
        answer.status_code = 202
        return answer

    return routes


def _standing(opened: Opened, view: str) -> dict[str, Any]:
    """The outcome, unless another verification was asked for since, or the run that had begun it is gone."""
    root = opened.warehouse.root
    alive, outcome = running(root), read_outcome(root, view)
    if alive is not None and waits(root, view):
        return {"view": view, "state": "asked"}
    if outcome is None:
        return {"view": view, "state": "never"}
    if outcome["state"] == "running" and (alive is None or _later(str(alive.get("since")), outcome)):
        return outcome | {"state": "interrupted"}
    return outcome


def _later(since: str, outcome: dict[str, Any]) -> bool:
    """Whether the run that is alive began after the verification did."""
    return since > str(outcome.get("begun_at", ""))
