"""Refuse a join whose inputs no condition connects: its size is the product of theirs.

Looked for at the very end, when every condition of every WHERE around a join has come down to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from headwater.algebra.expressions.build import FALSE
from headwater.algebra.plans.join_order import connected
from headwater.algebra.plans.nodes import Aggregate, Explode, Filter, Join, Plan, Project, Scan
from headwater.algebra.plans.walks import children, nodes
from headwater.errors import InputError
from headwater.sql.translate.notes import Notes

__all__ = ["refuse_cross_joins"]


def refuse_cross_joins(plan: Plan, notes: Notes) -> None:
    for join in nodes(plan):
        if isinstance(join, Join):
            _refuse(join, notes)


def _refuse(join: Join, notes: Notes) -> None:
    groups = [group for group in connected(join) if not _of_single_rows(join, group)]
    if len(groups) <= 1:
        return
    alone = join.inputs[min(groups[1])]
    alias = next((alias for alias in _aliases(alone) if alias in notes.scans), "")
    raise InputError(
        "HW321",
        f'nothing connects "{alias or "a relation"}" with the relations before it: this is a cross join',
        place=notes.scans.get(alias),
        detail="Its size is the product of the sizes of its inputs, and so is the work of a change.",
        hint="add a condition such as a.key = b.key, or declare the view with ALLOW CROSS JOIN",
    )


def _of_single_rows(join: Join, group: set[int]) -> bool:
    """One row, such as an aggregate of a whole relation, multiplies nothing; constant rows little."""
    return all(_is_single_row(join.inputs[index]) or _is_constant(join.inputs[index]) for index in group)


def _is_single_row(plan: Plan) -> bool:
    made = False
    while isinstance(plan, Project | Filter | Explode):
        made = made or isinstance(plan, Explode)
        plan = plan.child
    return isinstance(plan, Aggregate) and not plan.keys and (not made or _is_of_nothing(plan.child))


def _is_constant(plan: Plan) -> bool:
    """Is it made of constant rows alone?"""
    below = children(plan)
    return _is_of_nothing(plan) or (bool(below) and all(map(_is_constant, below)))


def _is_of_nothing(plan: Plan) -> bool:
    """Is it what constant relations are made of?"""
    return isinstance(plan, Filter) and plan.condition == FALSE


def _aliases(plan: Plan) -> Iterator[str]:
    if isinstance(plan, Scan):
        yield plan.alias
    for child in children(plan):
        yield from _aliases(child)
