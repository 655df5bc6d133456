"""The JSON of `headwater plan`: its fields are a contract."""

from __future__ import annotations

import math
from typing import Any

from headwater.serve.plan import Planned, PlannedView
from headwater.serve.planned import KeptPlan
from headwater.serve.will_run import will_run
from headwater.sharing.costs import Timed
from headwater.sharing.facts import Facts
from headwater.sharing.graph import EdgeKind, PlanGraph

__all__ = ["plan_json"]


def plan_json(planned: Planned, shown: tuple[PlannedView, ...], explain: bool) -> dict[str, Any]:
    asked = {one.view.name for one in planned.views if one.asked}
    return {
        "project": planned.project,
        "views": [_view(one, explain) for one in shown],
        "sources": [{"name": name, **_facts(facts)} for name, facts in planned.sources.items()],
        "shared": {
            "vertices": len(planned.plan.graph.vertices),
            "edges": len(planned.plan.graph.edges),
            "vertices_before": len(planned.plan.before.vertices),
            "edges_before": len(planned.plan.before.edges),
            "dollars_per_hour_before": planned.dollars_alone,
            "dollars_per_hour": planned.dollars_per_hour,
            "steps": [
                {
                    "kind": step.kind,
                    "text": step.text,
                    "dollars_per_hour_saved": step.benefit,
                    "vertices_removed": step.vertices_removed,
                    "edges_removed": step.edges_removed,
                }
                for step in planned.plan.steps
            ],
            "relations": _shared_relations(planned.plan.graph),
        },
        "kept": None if planned.kept is None else _kept(planned.kept),
        "asked": {
            "views": sorted(asked),
            "marginal_dollars_per_hour": planned.dollars_per_hour_with - planned.dollars_per_hour,
            "others": [
                {
                    "view": one.view,
                    "critical_path_s_before": one.seconds_before,
                    "critical_path_s": one.seconds,
                    "dollars_per_hour_before": one.dollars_before,
                    "dollars_per_hour": one.dollars,
                }
                for one in planned.effects
            ],
        },
        "dollars_per_hour_with_asked": planned.dollars_per_hour_with,
        "busy_cores": planned.busy_cores,
        "calibration": planned.calibration or None,
        "corrections": {
            "views": dict(planned.corrections.views),
            "seconds": dict(planned.corrections.seconds),
            "cpu": dict(planned.corrections.cpu),
        },
    }


def _kept(kept: KeptPlan) -> dict[str, Any]:
    return {
        "same": kept.same,
        "vertices": len(kept.graph.vertices),
        "edges": len(kept.graph.edges),
        "dollars_per_hour": kept.dollars,
        "replan_saves_dollars_per_hour": kept.saves,
    }


def _shared_relations(graph: PlanGraph) -> list[dict[str, Any]]:
    """What several views read and the plan makes once for all of them."""
    made = {edge.target for edge in graph.edges if edge.kind is not EdgeKind.CAPTURE}
    return [
        {"relation": vertex.relation.text, "site": vertex.site, "views": sorted(views)}
        for vertex, views in graph.vertices.items()
        if len(views) > 1 and vertex in made and not vertex.delta
    ]


def _view(one: PlannedView, explain: bool) -> dict[str, Any]:
    guess = one.estimate
    return {
        "name": one.view.name,
        "admitted": guess.admitted,
        "reason": one.reason,
        "critical_path_s": guess.path.seconds,
        "freshness_s": one.view.freshness.total_seconds(),
        "smallest_freshness_s": None if guess.smallest is None else guess.smallest.total_seconds(),
        "dollars_per_hour": _finite(guess.dollars_per_hour),
        "dollars_per_hour_alone": _finite(guess.dollars_alone),
        "pushes_per_hour": guess.pushes_per_hour,
        "chosen": one.chosen,
        "why": guess.admission.reason,
        "refresh": one.refresh,
        "policy": one.view.refresh.value,
        "site": one.view.site,
        "asked": one.asked,
        "tight": one.tight,
        "stages": [
            {"name": stage.name, "kind": stage.kind.value, "reads": list(stage.reads)}
            for stage in one.kept.stages
        ],
        "obstacles": [
            {"reason": wall.reason, "place": None if wall.place is None else _place(wall.place)}
            for wall in one.kept.obstacles
        ],
        "delay_s": guess.path.delay,
        "path": [_step(step, one) for step in guess.path.steps if step.edge.kind is not EdgeKind.CAPTURE],
        "used": {name: _facts(facts) for name, facts in one.used.items()},
        **({"pushes": _pushes(one)} if explain else {}),
    }


def _step(step: Timed, one: PlannedView) -> dict[str, Any]:
    return {
        "stage": step.edge.target.relation.text,
        "kind": step.edge.kind.value,
        "from": [source.text for source in step.edge.sources],
        "to": step.edge.target.text,
        "site": step.edge.target.site,
        "mode": one.refresh,
        "reason": step.edge.text,
        "changed_rows": round(step.tuples),
        "scanned_rows": round(step.scanned),
        "result_rows": round(step.tuples),
        "seconds": step.seconds,
        "measured_pushes": one.estimate.measured,
    }


def _finite(dollars: float) -> float | None:
    return dollars if math.isfinite(dollars) else None


def _place(place: Any) -> dict[str, Any]:
    return {"path": place.path, "line": place.line, "column": place.column}


def _facts(facts: Facts) -> dict[str, Any]:
    return {
        "rows": facts.rows,
        "rate_per_second": facts.rate,
        "rows_from": facts.rows_from.value,
        "rate_from": facts.rate_from.value,
        "bytes_per_row": facts.bytes_per_row,
    }


def _pushes(one: PlannedView) -> list[dict[str, str]]:
    return [{"stage": will.stage, "changed": will.changed, "plan": will.text} for will in will_run(one.kept)]
