"""Let window functions keep only the rows that a condition on their ranks leaves.

    Filter [r = 1] of Over [r = row_number()]    ->    Over [r = row_number()] most [r, 1]
    Filter [r <= 3 AND c]                        ->    Filter [c] of Over ... most [r, 3]

Only the first rows of a partition are then stored, and new rows compete with those alone.  Other functions
beside the rank are no obstacle here, but the rule for new rows needs them to be ranks too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, conjunction, conjuncts
from headwater.algebra.plans.framing import RANKS
from headwater.algebra.plans.nodes import Filter, Over, Plan, Project
from headwater.algebra.plans.walks import rewrite_up

__all__ = ["limit_ranks"]


def limit_ranks(plan: Plan) -> Plan:
    return rewrite_up(plan, _step)


def _step(node: Plan) -> Plan:
    match node:
        case Filter(Over(most=None) as over, condition):
            return _limited(over, conjuncts(condition))
        case Filter(Project(Over(most=None) as over, items) as project, condition):
            names = {name: expr for name, expr in items if isinstance(expr, Column)}
            parts = [_renamed(part, names) for part in conjuncts(condition)]
            limit = _tightest(over, [part for part in parts if part is not None])
            return (
                node
                if limit is None
                else Filter(replace(project, child=replace(over, most=limit)), condition)
            )
        case _:
            return node


def _renamed(part: Expr, names: Mapping[str, Expr]) -> Expr | None:
    match part:
        case Call(function, (Column(name), Literal() as bound), template) if name in names:
            return Call(function, (names[name], bound), template)
        case _:
            return None


def _limited(over: Over, parts: tuple[Expr, ...]) -> Plan:
    limit = _tightest(over, list(parts))
    if limit is None:
        condition = conjunction(parts)
        assert condition is not None
        return Filter(over, condition)
    kept = replace(over, most=limit)
    rest = conjunction(tuple(part for part in parts if not _implied(part, limit)))
    return kept if rest is None else Filter(kept, rest)


def _tightest(over: Over, parts: list[Expr]) -> tuple[str, int] | None:
    ranks = {call.name for call in over.calls if call.function in RANKS}
    limits = [limit for part in parts if (limit := _limit(part)) is not None and limit[0] in ranks]
    return min(limits, key=lambda limit: limit[1], default=None)


def _limit(part: Expr) -> tuple[str, int] | None:
    """r <= n, r < n, r = n."""
    match part:
        case Call("lte" | "eq", (Column(name), Literal(int(bound)))):
            return name, bound
        case Call("lt", (Column(name), Literal(int(bound)))):
            return name, bound - 1
        case _:
            return None


def _implied(part: Expr, limit: tuple[str, int]) -> bool:
    """Does the limit alone say it?  Ranks begin with 1, so r = 1 is r <= 1."""
    return _limit(part) == limit and not (isinstance(part, Call) and part.function == "eq" and limit[1] != 1)
