"""Order the inputs of a join so that it starts at the change and every step follows a condition.

    Join [a, b, dc, d] on a.x = b.x, b.y = c.y, c.z = d.z   ->   Join [dc, b, a, d]

The engine joins from left to right and keeps the left side small, so the change comes first; each next
input is the earliest one that an equality connects with those before it, else one that any condition
connects, else the earliest.  Cost: quadratic in the inputs, which are few.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.equalities import sides_of
from headwater.algebra.expressions.tree import Expr, columns_of
from headwater.algebra.plans.nodes import Join

__all__ = ["connected", "delta_first", "equality_leads_to", "ordered"]


def delta_first(join: Join, index: int) -> Join:
    """The join starting at the input `index`; its columns come out in the order of its inputs."""
    return ordered(join, [index])


def ordered(join: Join, first: list[int]) -> Join:
    """The join starting at the inputs `first`, in this order, then by connection."""
    order = list(first)
    rest = [index for index in range(len(join.inputs)) if index not in order]
    while rest:
        chosen = max(rest, key=lambda candidate: (_connection(join, order, candidate), -candidate))
        order.append(chosen)
        rest.remove(chosen)
    inputs = tuple(join.inputs[index] for index in order)
    return join if inputs == join.inputs else replace(join, inputs=inputs)


def _connection(join: Join, order: list[int], candidate: int) -> int:
    """2: an equality links the candidate with the inputs so far; 1: another condition does; 0: nothing."""
    before = {column for index in order for column in join.inputs[index].columns}
    own = set(join.inputs[candidate].columns)
    return max((_strength(condition, before, own) for condition in join.conditions), default=0)


def _strength(condition: Expr, before: set[str], own: set[str]) -> int:
    used = columns_of(condition)
    if not (used & before and used & own and used <= before | own):
        return 0
    return 2 if sides_of(condition, before, own) is not None else 1


def equality_leads_to(join: Join, index: int) -> bool:
    """Whether an equality links an input with those before it."""
    return _connection(join, list(range(index)), index) == 2


def connected(join: Join) -> list[set[int]]:
    """The inputs in groups that conditions connect, in the order of their first members."""
    groups = [{index} for index in range(len(join.inputs))]
    for condition in join.conditions:
        used = columns_of(condition)
        touched = {index for index, relation in enumerate(join.inputs) if used & set(relation.columns)}
        joined = [group for group in groups if group & touched]
        if len(joined) > 1:
            groups = [group for group in groups if not group & touched] + [set().union(*joined)]
    return sorted(groups, key=min)
