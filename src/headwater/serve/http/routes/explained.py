"""`/views/{name}/explain`, `/checked-queries`: which operators keep a view; what a query may cost."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from headwater.algebra.stages.stage import Stage
from headwater.algebra.text.show import show
from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.answers.check import check
from headwater.bounds.answers.report import needs_text
from headwater.bounds.reading.sources import Inputs, named_trees
from headwater.bounds.reading.subjects import Options
from headwater.errors import redact
from headwater.model import Project
from headwater.serve.access.keys import Role
from headwater.serve.http.answers import json_text_answer
from headwater.serve.http.asked import needs
from headwater.serve.http.models import problems
from headwater.serve.http.page_models import CheckedQueries, Explained
from headwater.serve.http.routes.views import ViewName
from headwater.serve.http.serving import Serving
from headwater.serve.json_text import compact_json
from headwater.serve.planning.shared_catalog import planned_staging
from headwater.serve.planning.will_run import will_run

__all__ = ["router"]

LIMIT_MAX = 1000  # assumed of LIMIT :n, as `headwater check` does


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(tags=["project"], dependencies=[needs(Role.LOOK)])

    @routes.get("/views/{name}/explain", responses={200: {"model": Explained}, **problems(404)})
    def explain(request: Request, name: ViewName) -> Response:
        """What a push of a view runs for each relation that may change, and the operators of its stages."""
        opened = serving.opened
        view = opened.catalog.view(name).name

        def make() -> str:
            pushes = [
                {"stage": will.stage, "changed": will.changed, "plan": redact(will.text)}
                for will in will_run(opened.catalog.kept[view])
            ]
            shared = planned_staging(opened.catalog, opened.warehouse)[0].catalog
            stages = {
                stage.name: redact(_text(stage)) for level in shared.levels([view]) for _, stage in level
            }
            return compact_json({"view": view, "pushes": pushes, "stages": stages})

        return json_text_answer(request, serving.answers.answer(("explain", view), opened.fingerprint, make))

    @routes.get("/checked-queries", responses={200: {"model": CheckedQueries}, **problems()})
    def checked(request: Request) -> Response:
        """Every query of the project: its level, its bound, what it needs, why, and what would improve it."""
        opened = serving.opened

        def make() -> str:
            return compact_json({"queries": _checked(opened.project)})

        return json_text_answer(request, serving.answers.answer("checked", opened.fingerprint, make))

    return routes


def _text(stage: Stage) -> str:
    return show(stage.plan) if stage.plan is not None else stage.sql.strip()


def _checked(project: Project) -> list[dict[str, Any]]:
    inputs = Inputs(
        dict(project.tables), list(project.views.values()), {}, list(named_trees(project.queries.values()))
    )
    return [_query(project, answer) for answer in check(inputs, Options(LIMIT_MAX, False))]


def _query(project: Project, answer: Answer) -> dict[str, Any]:
    sql = project.queries[answer.name].sql
    return {
        "name": answer.name,
        "sql": redact(sql.text.strip()),
        "level": answer.level.value,
        "bounded": answer.level.rank < Level.UNBOUNDED.rank,
        "operations": answer.operations,
        "rows_read": answer.read,
        "results": answer.results,
        "needs": needs_text(answer),
        "reasons": [
            {
                "text": reason.text,
                "line": None if reason.place is None else reason.place.line,
                "excerpt": "" if reason.place is None else redact(reason.place.excerpt()),
            }
            for reason in answer.reasons
        ],
        "advice": [f"{advice.text} (reaches {advice.level.value})" for advice in answer.advice],
        "assumptions": list(answer.assumes),
    }
