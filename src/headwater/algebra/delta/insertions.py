"""Whether a change can take anything away."""

from __future__ import annotations

from headwater.algebra.plans.nodes import Negate, Plan, Scan, Version
from headwater.algebra.plans.walks import nodes

__all__ = ["holds_only_insertions"]


def holds_only_insertions(change: Plan, inserts_only: frozenset[str]) -> bool:
    """Can no row of this delta plan have a negative weight, given the relations that only got new rows?"""
    return not any(
        isinstance(node, Negate)
        or (isinstance(node, Scan) and node.version is Version.DELTA and node.relation not in inserts_only)
        for node in nodes(change)
    )
