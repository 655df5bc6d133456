"""Whether a row can make a plan fail: whether any of its expressions can.

An aggregate can fail by itself if it adds: a sum may overflow.  count, min and max cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headwater.algebra.expressions.partial_states import Family, family_of
from headwater.algebra.failures.can_fail import can_fail, type_of
from headwater.algebra.plans.expressions import computed
from headwater.algebra.plans.nodes import Aggregate, Over, Plan, Project, Scan
from headwater.algebra.plans.walks import children, nodes

__all__ = ["plan_can_fail", "types_in"]

Types = Mapping[str, str]
TypesOf = Callable[[str], Types]  # the types of a relation's columns, as far as they are known

_ADDING = (Family.SUM, Family.AVERAGE)
_NEVER = (Family.COUNT, Family.COUNT_IF, Family.EXTREME, Family.ALL, Family.ANY)


def plan_can_fail(plan: Plan, types_of: TypesOf) -> bool:
    """`types_of` gives the types of a relation's columns; a column of unknown type may be anything."""
    types = types_in(plan, types_of)
    return any(
        _adds(node) or any(can_fail(expr, types[node]) for expr in computed(node)) for node in nodes(plan)
    )


def _adds(node: Plan) -> bool:
    if isinstance(node, Over):
        return any(family_of(over.call) in _ADDING for over in node.calls)
    return isinstance(node, Aggregate) and any(family_of(call) not in _NEVER for call in node.aggregates)


def types_in(plan: Plan, types_of: TypesOf) -> dict[Plan, dict[str, str]]:
    """For every node the types of the columns of its inputs, which its expressions read."""
    below: dict[Plan, dict[str, str]] = {}
    shown: dict[Plan, dict[str, str]] = {}
    for node in nodes(plan):
        below[node] = {name: kind for child in children(node) for name, kind in shown[child].items()}
        shown[node] = _shown(node, below[node], types_of)
    return below


def _shown(node: Plan, below: Types, types_of: TypesOf) -> dict[str, str]:
    match node:
        case Scan():
            known = types_of(node.relation)
            return {f"{node.alias}.{name}": known.get(name, "") for name in node.names}
        case Project(_, items) | Aggregate(_, items):
            return {name: type_of(expr, below) for name, expr in items}
        case _:
            return {name: below[name] for name in node.columns if name in below}
