"""The JSON of `headwater plan`: its fields are a contract."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from headwater.algebra.stages.explaining import kept_nodes
from headwater.planning.facts.facts import Facts
from headwater.planning.graph.graph import EdgeKind, PlanGraph
from headwater.planning.stages.actions import Mode
from headwater.planning.stages.push_plan import PlannedAction, PlannedStage
from headwater.planning.weaving.weave import Woven, WovenTree
from headwater.serve.planning.plan import Planned, PlannedView
from headwater.serve.planning.planned import RunningPlan
from headwater.serve.planning.will_run import will_run

if TYPE_CHECKING:
    from headwater.serve.planning.join_estimate import JoinEstimate

__all__ = ["plan_json"]


def plan_json(planned: Planned, shown: tuple[PlannedView, ...], explain: bool) -> dict[str, Any]:
    asked = {view.view.name for view in planned.views if view.asked}
    return {
        "project": planned.project,
        "views": [_view(view, explain) for view in shown],
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
        "actions": [_action(action) for action in planned.keeps.actions],
        "push_s": planned.keeps.seconds,
        "trees": [_tree(planned, tree) for tree in planned.woven.trees],
        "weaving": _weaving(planned.woven),
        "apart": dict(planned.woven.apart),
        "kept": None if planned.running is None else _running(planned.running),
        "asked": {
            "views": sorted(asked),
            "marginal_dollars_per_hour": planned.dollars_per_hour_with - planned.dollars_per_hour,
            "others": [
                {
                    "view": effect.view,
                    "critical_path_s_before": effect.seconds_before,
                    "critical_path_s": effect.seconds,
                    "dollars_per_hour_before": effect.dollars_before,
                    "dollars_per_hour": effect.dollars,
                }
                for effect in planned.effects
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


def _running(running: RunningPlan) -> dict[str, Any]:
    return {
        "same": running.same,
        "vertices": len(running.graph.vertices),
        "edges": len(running.graph.edges),
        "dollars_per_hour": running.dollars,
        "replan_saves_dollars_per_hour": running.saves,
        "outdated": running.is_outdated,
    }


def _shared_relations(graph: PlanGraph) -> list[dict[str, Any]]:
    """What several views read and the plan makes once for all of them."""
    made = {edge.target for edge in graph.edges if edge.kind is not EdgeKind.CAPTURE}
    return [
        {"relation": vertex.relation.text, "site": vertex.site, "views": sorted(views)}
        for vertex, views in graph.vertices.items()
        if len(views) > 1 and vertex in made and not vertex.delta
    ]


def _view(planned: PlannedView, explain: bool) -> dict[str, Any]:
    estimate = planned.estimate
    return {
        "name": planned.view.name,
        "admitted": estimate.admitted,
        "reason": planned.reason,
        "critical_path_s": estimate.push.seconds,
        "freshness_s": planned.view.freshness.total_seconds(),
        "smallest_freshness_s": None if estimate.smallest is None else estimate.smallest.total_seconds(),
        "dollars_per_hour": _finite(estimate.dollars_per_hour),
        "dollars_per_hour_alone": _finite(estimate.dollars_alone),
        "pushes_per_hour": estimate.pushes_per_hour,
        "chosen": planned.chosen,
        "why": estimate.admission.reason,
        "refresh": planned.refresh,
        "policy": planned.view.refresh.value,
        "site": planned.view.site,
        "asked": planned.asked,
        "tight": planned.tight,
        "stages": [
            {"name": stage.name, "kind": stage.kind.value, "reads": list(stage.reads)}
            for stage in planned.kept.stages
        ],
        "join": None if estimate.join is None else _join(estimate.join),
        "obstacles": [
            {"reason": wall.reason, "place": None if wall.place is None else _place(wall.place)}
            for wall in planned.kept.obstacles
        ],
        "warnings": [
            {"reason": warning.reason, "place": None if warning.place is None else _place(warning.place)}
            for warning in planned.kept.warnings
        ],
        "delay_s": 0.0,  # the stages of the views that it reads are part of its own push
        "path": [
            _step(number, action, stage, planned)
            for number, action in enumerate(estimate.push.actions, 1)
            for stage in action.stages
        ],
        "used": {name: _facts(facts) for name, facts in planned.used.items()},
        **({"pushes": _pushes(planned), "nodes": _nodes(planned)} if explain else {}),
    }


def _join(join: JoinEstimate) -> dict[str, Any]:
    """A window join: its tree, and what each half-way join of each input path may probe."""
    return {
        "tree": join.drawn(),
        "window_s": join.window.total_seconds() if join.rows is None else None,
        "window_rows": join.rows,
        "adapted": join.adapted,
        "policy": join.policy,
        "feasible": join.feasible,
        "more_cpu": join.more_cpu,
        "probes_per_second": join.probes_per_second,
        "probes_per_second_for_all_matches": join.probes_needed,
        "share_of_matches": join.share_of_matches,
        "paths": [
            {
                "stream": path.stream,
                "rate": path.rate,
                "tolerance_s": None if path.tolerance is None else path.tolerance.total_seconds(),
                "oldest_s": path.oldest.total_seconds(),
                "kept": path.kept,
                "half_way_joins": [
                    {"partner": partner, "probes_per_second": allowance}
                    for partner, allowance in zip(path.partners, path.allowances, strict=True)
                ],
            }
            for path in join.paths
        ],
    }


def _step(number: int, action: PlannedAction, stage: PlannedStage, planned: PlannedView) -> dict[str, Any]:
    """A stage of the view's own push."""
    return {
        "action": number,
        "stage": stage.name,
        "kind": "copy" if stage.mode is Mode.COPY else "compute",
        "from": list(stage.reads),
        "to": stage.name,
        "site": stage.site,
        "spark": action.spark,
        "mode": stage.mode.value,
        "reason": f"{stage.name} of {', '.join(stage.reads)}",
        "changed_rows": stage.effort.changed,
        "scanned_rows": stage.effort.scanned,
        "result_rows": stage.effort.result,
        "seconds": action.part_of(stage),
        "measured_pushes": planned.estimate.measured,
    }


def _action(action: PlannedAction) -> dict[str, Any]:
    """An action of a usual push of all views: what a run will record, in this order."""
    return {
        "step": action.step,
        "spark": action.spark,
        "stages": [stage.name for stage in action.stages],
        "seconds": action.seconds,
        "every_s": action.every,
        "dollars_per_hour": action.dollars,
        "works": [
            {
                "stage": stage.name,
                "site": stage.site,
                "mode": stage.mode.value,
                "reads": list(stage.reads),
                "serves": list(stage.serves),
                "changed_rows": stage.effort.changed,
                "scanned_rows": stage.effort.scanned,
                "result_rows": stage.effort.result,
                "seconds": action.part_of(stage),
            }
            for stage in action.stages
        ],
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


def _pushes(planned: PlannedView) -> list[dict[str, str]]:
    return [
        {"stage": will.stage, "changed": will.changed, "plan": will.text} for will in will_run(planned.kept)
    ]


def _nodes(planned: PlannedView) -> list[dict[str, Any]]:
    """How each node of the view's stages is kept."""
    return [
        {"stage": node.stage, "depth": node.depth, "node": node.node, "how": node.how, "hint": node.hint}
        for node in kept_nodes(planned.kept)
    ]


def _weaving(woven: Woven) -> dict[str, Any]:
    """All trees together; costs are the paper's operations per second."""
    costs = woven.site_costs
    return {
        "total_cost_alone": sum(tree.cost_alone for tree in woven.trees),
        "total_cost": sum(costs.values()),
        "max_cost": max(costs.values(), default=0.0),
        "sites": [{"site": site, "cost": cost} for site, cost in sorted(costs.items())],
    }


def _tree(planned: Planned, tree: WovenTree) -> dict[str, Any]:
    """A tree of the plan; costs are operations per second, dollars those of its views."""
    alone, shared = planned.dollars_of(tree.views)
    return {
        "stage": tree.stage,
        "site": tree.site,
        "table": tree.relation,
        "views": list(tree.views),
        "keys": [name for name, _ in tree.tree.plan.keys],
        "states": [state.name for state in tree.tree.plan.aggregates],
        "edges": [list(edge) for edge in tree.tree.edges],
        "edge_rate": tree.edge_rate,
        "overlap": tree.tree.overlap,
        "cost_alone": tree.cost_alone,
        "cost": tree.cost,
        "dollars_per_hour_alone": _finite(alone),
        "dollars_per_hour": _finite(shared),
    }
