"""Evaluate a plan over Z-sets in plain Python: the oracle that delta rules and Spark are held against.

Each operator is its definition, written to be read and not to be fast.  A node that occurs twice is computed
once.  The database gives every relation at every version that the plan reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import localcontext
from typing import assert_never

from headwater.algebra.expressions.aggregates import Weighted, aggregator
from headwater.algebra.expressions.compile import NotEvaluable, compile_expr, compile_row, holds
from headwater.algebra.expressions.tree import Call
from headwater.algebra.expressions.values import EXACT, Row, Value
from headwater.algebra.oracle.joins import inner_join, outer_join, semi_join
from headwater.algebra.oracle.over import over
from headwater.algebra.oracle.zsets import ZSet, add, consolidate, negate
from headwater.algebra.plans.nodes import (
    Aggregate,
    Explode,
    Filter,
    Join,
    Negate,
    OuterJoin,
    Over,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Version,
    Windows,
)
from headwater.algebra.plans.walks import children
from headwater.errors import InputError, did_you_mean

__all__ = ["Database", "ZSet", "evaluate"]

Database = Mapping[tuple[str, Version], tuple[Sequence[str], ZSet]]


def evaluate(plan: Plan, database: Database) -> ZSet:
    """The rows of the plan with their weights, each row once and none with weight zero."""
    done: dict[Plan, ZSet] = {}

    def visit(node: Plan) -> ZSet:
        if node not in done:
            done[node] = _apply(node, [visit(child) for child in children(node)], database)
        return done[node]

    with localcontext(EXACT):
        return visit(plan)


def _apply(node: Plan, inputs: list[ZSet], database: Database) -> ZSet:
    match node:
        case Scan():
            return _scan(node, database)
        case Filter():
            passes = holds(node.condition, node.child.columns)
            return {row: weight for row, weight in inputs[0].items() if passes(row)}
        case Project():
            project = compile_row(tuple(expr for _, expr in node.items), node.child.columns)
            return consolidate((project(row), weight) for row, weight in inputs[0].items())
        case Windows():
            return consolidate(_windows(node, inputs[0]))
        case Join():
            return inner_join(node, inputs)
        case OuterJoin():
            return outer_join(node, inputs[0], inputs[1])
        case SemiJoin():
            return semi_join(node, inputs[0], inputs[1])
        case Union():
            return add(*inputs)
        case Aggregate():
            return _aggregate(node, inputs[0])
        case Over():
            return over(node, inputs[0])
        case Explode():
            return consolidate(_exploded(node, inputs[0]))
        case Negate():
            return negate(inputs[0])
        case Restrict():
            return _restrict(node, inputs[0], inputs[1])
        case _:
            assert_never(node)


def _scan(node: Scan, database: Database) -> ZSet:
    stored = database.get((node.relation, node.version))
    if stored is None:
        names = {relation for relation, _ in database}
        hint = did_you_mean(node.relation, names - {node.relation})
        raise InputError("HW917", f'no relation "{node.relation}" at {node.version.value}', hint=hint)
    columns, rows = stored
    if tuple(columns) == node.names:
        return rows
    positions = [list(columns).index(name) for name in node.names]
    return consolidate((tuple(row[at] for at in positions), weight) for row, weight in rows.items())


def _windows(node: Windows, rows: ZSet) -> Iterator[tuple[Row, int]]:
    time = compile_expr(node.time, node.child.columns)
    for row, weight in rows.items():
        moment = _moment(time(row))
        if moment is None:
            continue
        epoch = datetime(1970, 1, 1, tzinfo=UTC if moment.tzinfo else None)
        for number, (size, slide, offset) in enumerate(node.lengths):
            start = moment - (moment - epoch - offset) % slide
            while start + size > moment:
                yield (*row, (start, start + size), *([number] if node.member else [])), weight
                start -= slide


def _moment(value: Value) -> datetime | None:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    return value if isinstance(value, datetime) else None


def _aggregate(node: Aggregate, rows: ZSet) -> ZSet:
    key = compile_row(tuple(expr for _, expr in node.keys), node.child.columns)
    groups: dict[Row, Weighted] = {} if node.keys else {(): []}
    for row, weight in rows.items():
        groups.setdefault(key(row), []).append((row, weight))
    functions = [aggregator(call, node.child.columns) for call in node.aggregates]
    return {(*group, *(function(members) for function in functions)): 1 for group, members in groups.items()}


def _exploded(node: Explode, rows: ZSet) -> Iterator[tuple[Row, int]]:
    """The elements of an array, with their places for posexplode; the fields of structs for inline."""
    call = node.generator
    assert isinstance(call, Call)
    if call.function not in ("explode", "posexplode", "inline", "stack"):
        raise NotEvaluable(f'the generator "{call.function}"')
    values = compile_row(call.arguments, node.child.columns)
    for row, weight in rows.items():
        made = list(_made(call.function, values(row), len(node.names)))
        for more in made or ([(None,) * len(node.names)] if node.outer else []):
            yield (*row, *more), weight


def _made(function: str, arguments: Row, width: int) -> Iterator[Row]:
    if function == "stack":
        count, *cells = arguments
        padded = [*cells, *[None] * (count * width - len(cells))]
        yield from (tuple(padded[at * width : (at + 1) * width]) for at in range(count))
        return
    for place, element in enumerate(arguments[0] or ()):
        if function == "posexplode":
            yield (place, element)
        elif function == "inline":
            yield (None,) * width if element is None else tuple(element)
        else:
            yield (element,)


def _restrict(node: Restrict, rows: ZSet, by: ZSet) -> ZSet:
    """NULL matches NULL: keys are compared as Python values, and None equals None."""
    if not node.keys:
        return rows if by else {}
    key = compile_row(node.keys, node.child.columns)
    return {row: weight for row, weight in rows.items() if key(row) in by}
