"""Plans as text: what EXPLAIN prints and golden files are written in.

    Project [id, city = c.city]
      Join [o.cid = c.cid]
        Scan orders o [id, cid, total] delta
        Scan customers c [cid, city]

One node a line, its inputs below it, two spaces further in.  A version is written unless it is NEW.  A
sub-plan that is used again is printed once, with a number, and mentioned by that number afterwards: what is
printed once is computed once.  `parse` reads the text back; with `types` the text also says what types
aggregates add, and then nothing is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import assert_never

from headwater.algebra.expressions.partial_states import MERGED
from headwater.algebra.expressions.tree import Column, Expr, slots
from headwater.algebra.plans.framing import Bound, Frame, Order, OverCall
from headwater.algebra.plans.nodes import (
    Aggregate,
    AggregateCall,
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
from headwater.algebra.plans.walks import children, nodes
from headwater.algebra.text.expressions import show_expr, show_name, show_readable
from headwater.algebra.text.parse import parse

__all__ = ["parse", "show", "show_node"]


def show(plan: Plan, types: bool = False) -> str:
    """The plan as an indented tree, without a newline at its end."""
    uses = Counter(child for node in nodes(plan) for child in children(node))
    numbers: dict[Plan, int] = {}
    lines: list[str] = []

    def write(node: Plan, depth: int) -> None:
        indent = "  " * depth
        if node in numbers:
            lines.append(f"{indent}#{numbers[node]}")
            return
        label = ""
        if uses[node] > 1 and not isinstance(node, Scan):
            numbers[node] = len(numbers) + 1
            label = f"#{numbers[node]}: "
        lines.append(f"{indent}{label}{_line(node, types)}")
        for child in children(node):
            write(child, depth + 1)

    write(plan, 0)
    return "\n".join(lines)


def show_node(node: Plan) -> str:
    """The node without its inputs."""
    return _line(node, types=False)


def _line(node: Plan, types: bool) -> str:
    match node:
        case Scan():
            return _scan(node)
        case Filter():
            return f"Filter [{_text(node.condition, types)}]"
        case Project():
            return f"Project [{_named(node.items, types)}]"
        case Windows():
            sizes = " and ".join(map(_lengths, node.lengths))
            by = f" by {show_name(node.member)}" if node.member else ""
            return f"Windows {show_name(node.name)} [{_text(node.time, types)}] {sizes}{by}"
        case Join():
            return f"Join [{', '.join(map(show_expr, node.conditions))}]"
        case OuterJoin():
            return f"{node.kind.value.capitalize()}Join [{_pairs(node.keys)}]{_where(node.residual)}"
        case SemiJoin():
            return f"{'Anti' if node.anti else 'Semi'}Join [{_pairs(node.keys)}]{_where(node.residual)}"
        case Aggregate():
            return _aggregate(node, types)
        case Over():
            return _over(node, types)
        case Explode():
            outer = " outer" if node.outer else ""
            names = ", ".join(map(show_name, node.names))
            return f"Explode [{names}] [{show_expr(node.generator)}]{outer}"
        case Restrict():
            return f"Restrict [{', '.join(map(show_expr, node.keys))}]"
        case Union() | Negate():
            return type(node).__name__
        case _:
            assert_never(node)


def _scan(node: Scan) -> str:
    alias = "" if node.alias == node.relation else f" {show_name(node.alias)}"
    version = "" if node.version is Version.NEW else f" {node.version.value}"
    return f"Scan {show_name(node.relation)}{alias} [{', '.join(map(show_name, node.names))}]{version}"


def _text(expr: Expr, types: bool) -> str:
    return show_readable(expr) if types else show_expr(expr)


def _named(items: Sequence[tuple[str, Expr]], types: bool) -> str:
    """Items as `name` when they are the column of that name, else `name = expression`."""
    return ", ".join(
        show_name(name) if expr == Column(name) else f"{show_name(name)} = {_text(expr, types)}"
        for name, expr in items
    )


def _pairs(keys: Sequence[tuple[Expr, Expr]]) -> str:
    return ", ".join(f"{show_expr(left, True)} = {show_expr(right, True)}" for left, right in keys)


def _where(residual: Expr | None) -> str:
    return "" if residual is None else f" where [{show_expr(residual)}]"


def _aggregate(node: Aggregate, types: bool) -> str:
    if node.keys and not node.aggregates:
        return f"Distinct [{_named(node.keys, types)}]"
    calls = ", ".join(_call(aggregate, types) for aggregate in node.aggregates)
    return f"Aggregate [{_named(node.keys, types)}] [{calls}]"


def _over(node: Over, types: bool) -> str:
    partition = ", ".join(map(show_expr, node.partition))
    order = f" order [{', '.join(map(_order, node.order))}]" if node.order else ""
    calls = ", ".join(_over_call(call, types) for call in node.calls)
    most = "" if node.most is None else f" most [{show_name(node.most[0])}, {node.most[1]}]"
    return f"Over [{partition}]{order} [{calls}]{most}"


def _order(item: Order) -> str:
    direction = " DESC" if item.descending else ""
    nulls = (
        "" if item.nulls_first is not item.descending else f" NULLS {'FIRST' if item.nulls_first else 'LAST'}"
    )
    return f"{show_expr(item.expr, True)}{direction}{nulls}"


def _over_call(over: OverCall, types: bool) -> str:
    return _call(over.call, types) + ("" if over.frame is None else f" {_frame(over.frame)}")


def _frame(frame: Frame) -> str:
    unit = "ROWS" if frame.rows else "RANGE"
    return f"{unit} BETWEEN {_bound(frame.start)} AND {_bound(frame.end)}"


def _bound(bound: Bound) -> str:
    return bound.edge.value if bound.offset is None else f"{show_expr(bound.offset, True)} {bound.edge.value}"


def _call(aggregate: AggregateCall, types: bool) -> str:
    kind = f" : {aggregate.type}" if types and aggregate.type else ""
    where = "" if aggregate.where is None else f" FILTER (WHERE {_text(aggregate.where, types)})"
    template = aggregate.template
    if aggregate.function in MERGED:
        template = f"{aggregate.function}({slots(len(aggregate.arguments))})"
    value = template.format(*(_text(argument, types) for argument in aggregate.arguments))
    return f"{show_name(aggregate.name)} = {value}{where}{kind}"


def _lengths(lengths: tuple[timedelta, timedelta, timedelta]) -> str:
    size, slide, offset = lengths
    return f"{_seconds(size)} every {_seconds(slide)}{f' offset {_seconds(offset)}' if offset else ''}"


def _seconds(duration: timedelta) -> str:
    return f"{duration.total_seconds():.6f}".rstrip("0").rstrip(".") + " s"
