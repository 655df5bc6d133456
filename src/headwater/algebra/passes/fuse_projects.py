"""Make one Project of two.

    Project [f(a)] of Project [a = g(x)]  ->  Project [f(g(x))]

The delta rules read stored stages under plain names and bring columns back into order, and each time that
is a Project.  Not fused: an expression that would then be computed twice.
"""

from __future__ import annotations

from collections import Counter

from headwater.algebra.expressions.tree import Call, Column, Expr, rename
from headwater.algebra.plans.nodes import Plan, Project
from headwater.algebra.plans.walks import rewrite_up

__all__ = ["fuse_projects"]


def fuse_projects(plan: Plan) -> Plan:
    def step(node: Plan) -> Plan:
        match node:
            case Project(Project(child, inner), outer) if not _repeats(outer, dict(inner)):
                names = dict(inner)
                return Project(child, tuple((name, rename(expr, names)) for name, expr in outer))
            case _:
                return node

    return rewrite_up(plan, step)


def _repeats(outer: tuple[tuple[str, Expr], ...], inner: dict[str, Expr]) -> bool:
    """Is an inner column that costs something used more than once?"""
    uses = Counter(name for _, expr in outer for name in _mentions(expr))
    return any(isinstance(inner[name], Call) and times > 1 for name, times in uses.items())


def _mentions(expr: Expr) -> list[str]:
    """Every mention of a column, so that a + a counts twice."""
    match expr:
        case Column(name):
            return [name]
        case Call(_, arguments, _):
            return [name for argument in arguments for name in _mentions(argument)]
        case _:
            return []
