"""A plan as the fields that `headwater simulate weave --json` prints."""

from __future__ import annotations

from typing import Any

from headwater.planning.windows.model import CostModel, NodeTrees, Tree, Weave, Workload

__all__ = ["gap_notes", "plan_fields"]


def plan_fields(plan: Weave) -> dict[str, Any]:
    """Total, maximum, and every node with its trees; costs in operations per unit of time."""
    return {
        "total_cost": plan.total_cost,
        "max_cost": plan.max_cost,
        "max_load": plan.max_load,
        "nodes": [_node_fields(node, plan.cost) for node in plan.nodes],
    }


def _node_fields(node: NodeTrees, cost: CostModel) -> dict[str, Any]:
    return {
        "name": node.node.name,
        "capacity": node.node.capacity,
        "cost": node.cost,
        "load": node.load,
        "trees": [_tree_fields(tree, cost) for tree in node.trees],
    }


def _tree_fields(tree: Tree, cost: CostModel) -> dict[str, Any]:
    return {
        "queries": [query.id for query in tree.queries],
        "edge_rate": cost.edge_rate(tree),
        "overlap": tree.overlap,
        "cost": cost.of(tree),
    }


def gap_notes(workload: Workload) -> list[str]:
    """What a range below its slide means, said once for all queries that have one."""
    names = [query.id for query in workload.queries if query.has_gaps]
    if not names:
        return []
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return [
        f"range below slide in {shown}: each answer covers only the last range before it, and what arrives"
        " between two windows is read by none of its answers; overlap is 1, with two edges a slide"
    ]
