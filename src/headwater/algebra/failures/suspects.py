"""The rows that the expressions of a plan are computed for, and the calls that may have failed for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.algebra.expressions.tree import Call, Column, Expr, columns_of, disjunction, equal, transform
from headwater.algebra.failures.failing_rows import Failing, failing_calls
from headwater.algebra.plans.expressions import computed
from headwater.algebra.plans.nodes import Filter, Join, OuterJoin, Plan, Restrict, Scan, SemiJoin, Union
from headwater.algebra.plans.walks import children, nodes, rewrite_up

__all__ = ["Suspect", "readable", "suspects", "with_columns"]


@dataclass(frozen=True, slots=True)
class Suspect:
    """`rows` that some calls are computed for."""

    rows: Plan
    calls: tuple[Failing, ...]

    @property
    def failing(self) -> Plan:
        """The rows for which a call fails."""
        condition = disjunction(tuple(call.condition for call in self.calls))
        assert condition is not None
        return Filter(self.rows, condition)


def suspects(plan: Plan, above: Iterable[Expr] = ()) -> Iterator[Suspect]:
    """Those of a plan, from its scans up, and of expressions `above` it."""
    for node in nodes(plan):
        for rows, exprs in _computed_for(node):
            yield from _suspect(rows, exprs)
    yield from _suspect(plan, above)


def _suspect(rows: Plan, exprs: Iterable[Expr]) -> Iterator[Suspect]:
    calls = tuple(dict.fromkeys(call for expr in exprs for call in failing_calls(expr)))
    if calls:
        yield Suspect(rows, calls)


def _computed_for(node: Plan) -> Iterator[tuple[Plan, Sequence[Expr]]]:
    match node:
        case Join():
            yield from _join(node)
        case OuterJoin(left, right) | SemiJoin(left, right):
            yield left, [key for key, _ in node.keys]
            yield right, [key for _, key in node.keys]
            if node.residual is not None:
                yield Join((left, right), tuple(equal(*pair) for pair in node.keys)), [node.residual]
        case Restrict():
            raise AssertionError("only delta plans hold these")
        case _:
            for child in children(node)[:1]:
                yield child, list(computed(node))


def _join(node: Join) -> Iterator[tuple[Plan, Sequence[Expr]]]:
    """A condition on one input is asked of all its rows; others of those that the safe conditions join."""
    doubtful = [condition for condition in node.conditions if any(True for _ in failing_calls(condition))]
    for child in node.inputs:
        yield child, [condition for condition in doubtful if columns_of(condition) <= set(child.columns)]
    safe = tuple(condition for condition in node.conditions if condition not in doubtful)
    between = [
        condition
        for condition in doubtful
        if not any(columns_of(condition) <= set(child.columns) for child in node.inputs)
    ]
    yield replace(node, conditions=safe), between


def with_columns(plan: Plan, wanted: Mapping[str, Sequence[str]]) -> Plan:
    """The plan with more columns of the relations that it scans, as far as they come through."""
    if any(isinstance(node, Union) for node in nodes(plan)):
        return plan  # its inputs must have the same columns

    def step(node: Plan) -> Plan:
        if not isinstance(node, Scan):
            return node
        more = tuple(name for name in wanted.get(node.relation, ()) if name not in node.names)
        return replace(node, names=(*more, *node.names))

    return rewrite_up(plan, step)


def readable(expr: Expr, columns: Sequence[str]) -> Expr:
    """The expression with columns as a user would write them: without an alias where that is clear."""
    names = [name.rsplit(".", 1)[-1] for name in columns]

    def step(part: Expr) -> Expr:
        if not isinstance(part, Column):
            return part
        alias, _, name = part.name.rpartition(".")
        return Column(name, "" if names.count(name) <= 1 else alias)

    return transform(expr, step) if isinstance(expr, Call | Column) else expr
