"""The delta of an adapted join, apart by which row of a result came last.

A result is shown if the row of it that came last probed (adapting.py).  Rows that leave take their results
along, and are joined for that with all that is stored.  Under overload that finds every match, shown or not,
and drops most of them after the join: to take out costs as much as if everything had been found.  So:

    Join(d a, b, c)  ->    Join(came a that probes, b, c)                    a came last
                         + Join(gone a that probed, b, c)                    a came last
                         + Join(gone a, b that probed, c)                    b did
                         + Join(gone a, b, c that probed)                    c did

each with its part of the condition, which no two parts meet at once.  Where few rows probed, little is
joined.  Where all did every match is tried for each input, so it is done only if some did not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call, columns_of
from headwater.algebra.plans.nodes import Filter, Join, Plan, Scan, Union, Version
from headwater.algebra.plans.walks import nodes, rewrite_up
from headwater.algebra.stages.adapting import PROBED, came_before, comes_now

__all__ = ["by_last"]


def by_last(plan: Plan, stages: Collection[str], until: Literal) -> Plan:
    """A delta plan with its joins of these stages apart. `until`: the time that the push goes to."""

    def step(node: Plan) -> Plan:
        return _apart(node, stages, until) if isinstance(node, Join) else node

    return rewrite_up(plan, step)


def _apart(join: Join, stages: Collection[str], until: Literal) -> Plan:
    changed = [
        node.alias
        for node in nodes(join)
        if isinstance(node, Scan) and node.relation in stages and node.version is Version.DELTA
    ]
    last = _last(join)
    if last is None or len(changed) != 1:
        return join
    (own,) = changed
    probed = Column(f"{own}.{PROBED}")
    came = _where(join, last, own, {own: call("and", probed, comes_now(own, until))})
    gone = []
    for alias in last[1]:
        conditions: dict[str, Expr] = {own: came_before(own, until)}
        mine: Expr = Column(f"{alias}.{PROBED}")
        conditions[alias] = call("and", mine, conditions[alias]) if alias in conditions else mine
        gone.append(_where(join, last, alias, conditions))
    return Union((came, *gone))


_Last = tuple[Expr, Mapping[str, Expr]]  # the condition, and its part for each input


def _last(join: Join) -> _Last | None:
    """The condition that the last row probed; None if the join has none that can be told apart."""
    for condition in join.conditions:
        if any(name.endswith(f".{PROBED}") for name in columns_of(condition)):
            parts = {_probing(part): part for part in _alternatives(condition)}
            return None if "" in parts else (condition, parts)
    return None


def _alternatives(condition: Expr) -> list[Expr]:
    if isinstance(condition, Call) and condition.function == "or":
        return [part for side in condition.arguments for part in _alternatives(side)]
    return [condition]


def _probing(part: Expr) -> str:
    """Of which input a row must have probed; "" if that is not one."""
    names = {name.rpartition(".")[0] for name in columns_of(part) if name.endswith(f".{PROBED}")}
    return names.pop() if len(names) == 1 else ""


def _where(join: Join, last: _Last, alias: str, conditions: Mapping[str, Expr]) -> Join:
    """The results whose last row is of this input, of the rows of inputs that meet conditions."""

    def step(node: Plan) -> Plan:
        if isinstance(node, Scan) and node.alias in conditions:
            return Filter(node, conditions[node.alias])
        return node

    condition, parts = last
    kept = tuple(parts[alias] if other == condition else other for other in join.conditions)
    return replace(join, inputs=tuple(rewrite_up(child, step) for child in join.inputs), conditions=kept)
