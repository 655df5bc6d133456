"""Window functions as SQL, over rows that all have weight 1.

Rows that the order leaves equal are put in the order of all their columns wherever that decides a value, so
that a recomputation gives the same.  A frame by RANGE takes such rows together, so there the further columns
must not be part of the order; what first_value and its like mean over the usual frame is written in other
words.
"""

from __future__ import annotations

from collections.abc import Sequence

from headwater.algebra.expressions.tree import Column, spark_sql
from headwater.algebra.plans.framing import Bound, Edge, Frame, Order, OverCall, breaks_ties
from headwater.algebra.plans.nodes import Over
from headwater.engine.query.query import Query, quoted

__all__ = ["over"]

_SO_FAR = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_ALL = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


def over(query: Query, node: Over) -> Query:
    """Each row with the values of the functions; each with weight 1."""
    items = [(name, quoted(name)) for name in node.child.columns]
    items += [(call.name, _value(call, node)) for call in node.calls]
    ranked = query.select(items, "1L")
    if node.most is None:
        return ranked
    name, most = node.most
    return ranked.where(f"{quoted(name)} <= {most}")


def _value(call: OverCall, node: Over) -> str:
    function = call.call.template.format(*(spark_sql(argument) for argument in call.call.arguments))
    if call.call.where is not None:
        function += f" FILTER (WHERE {spark_sql(call.call.where)})"
    partition = [spark_sql(expr) for expr in node.partition]
    order = [_order(item) for item in node.order]
    if not breaks_ties(call, bool(order)):
        return f"{function} OVER ({_window(partition, order, _frame(call.frame))})"
    total = [*order, *_others(node)]
    if call.frame is not None and call.frame.rows:
        return f"{function} OVER ({_window(partition, total, _frame(call.frame))})"
    if call.function in ("row_number", "ntile", "lag", "lead"):
        return f"{function} OVER ({_window(partition, total, '')})"
    return _of_peers(function, call, node, partition, order, total)


def _of_peers(
    function: str, call: OverCall, node: Over, partition: list[str], order: list[str], total: list[str]
) -> str:
    """first_value, last_value, nth_value, a list: of all rows up to the last that the order leaves equal."""
    whole = not order and call.frame is None
    usual = call.frame is None or (
        call.frame.start.edge is Edge.START and call.frame.end.edge is Edge.CURRENT
    )
    if whole or (call.frame is not None and call.frame.whole):
        return f"{function} OVER ({_window(partition, total, _ALL)})"
    if not usual or "IGNORE NULLS" in call.call.template:
        return f"{function} OVER ({_window(partition, order, _frame(call.frame))})"
    if call.function in ("last_value", "last"):
        peers = [*partition, *(spark_sql(item.expr) for item in node.order)]
        return f"{function} OVER ({_window(peers, _others(node), _ALL)})"
    if call.function == "collect_list":
        passes = "" if call.call.where is None else f" FILTER (WHERE {spark_sql(call.call.where)})"
        seen = f"count({spark_sql(call.call.arguments[0])}){passes} OVER ({_window(partition, order, '')})"
        return f"slice({function} OVER ({_window(partition, total, _ALL)}), 1, CAST({seen} AS INT))"
    if call.function == "nth_value":
        number = spark_sql(call.call.arguments[1])
        seen = f"count(1) OVER ({_window(partition, order, '')})"
        return f"CASE WHEN {seen} >= {number} THEN {function} OVER ({_window(partition, total, _ALL)}) END"
    return f"{function} OVER ({_window(partition, total, _SO_FAR)})"


def _others(node: Over) -> list[str]:
    """The columns that the order does not mention."""
    named = {item.expr.name for item in node.order if isinstance(item.expr, Column)}
    named |= {expr.name for expr in node.partition if isinstance(expr, Column)}
    others = [quoted(name) for name in node.child.columns if name not in named]
    return others or [quoted(name) for name in node.child.columns[:1]]


def _window(partition: Sequence[str], order: Sequence[str], frame: str) -> str:
    parts = [f"PARTITION BY {', '.join(partition)}"] if partition else []
    parts += [f"ORDER BY {', '.join(order)}"] if order else []
    return " ".join([*parts, *([frame] if frame else [])])


def _order(item: Order) -> str:
    direction = "DESC" if item.descending else "ASC"
    return f"{spark_sql(item.expr)} {direction} NULLS {'FIRST' if item.nulls_first else 'LAST'}"


def _frame(frame: Frame | None) -> str:
    if frame is None:
        return ""
    return f"{'ROWS' if frame.rows else 'RANGE'} BETWEEN {_bound(frame.start)} AND {_bound(frame.end)}"


def _bound(bound: Bound) -> str:
    return bound.edge.value if bound.offset is None else f"{spark_sql(bound.offset)} {bound.edge.value}"
