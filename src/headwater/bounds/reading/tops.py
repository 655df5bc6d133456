"""The first rows of each partition, as SQL writes them: ROW_NUMBER() as an output, QUALIFY, DISTINCT ON."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from headwater.algebra.expressions.tree import Expr
from headwater.bounds.query.block import Order, Output, Ranking, Top
from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.reading.trees import direction, windows

__all__ = ["distinct_on", "qualified", "ranking_of"]

Convert = Callable[[exp.Expr], Expr]
Note = Callable[..., None]


def ranking_of(node: exp.Select, outputs: tuple[Output, ...], convert: Convert) -> Ranking | None:
    """The ranking that a SELECT shows, if ROW_NUMBER() is its only window function."""
    if len(windows(node)) != 1:
        return None
    for position, item in enumerate(node.expressions):
        window = item.this if isinstance(item, exp.Alias) else item
        if isinstance(window, exp.Window):
            name = outputs[position].name if len(node.expressions) == len(outputs) else item.alias
            alone = [output.name for output in outputs].count(name) == 1  # a star may hold the name, too
            return _ranking(window, name, convert) if alone else None
    return None


def _ranking(window: exp.Window, name: str, convert: Convert) -> Ranking | None:
    named = window.args.get("alias") is not None or window.args.get("spec") is not None
    if not isinstance(window.this, exp.RowNumber) or named:
        return None
    clause = window.args.get("order")
    order = tuple(_ordered(item, convert) for item in (clause.expressions if clause is not None else []))
    return Ranking(name, tuple(map(convert, window.args.get("partition_by") or [])), order)


def _ordered(item: exp.Expr, convert: Convert) -> Order:
    return direction(item, convert(item.this if isinstance(item, exp.Ordered) else item))


def qualified(node: exp.Select, convert: Convert, note: Note) -> Top | None:
    """QUALIFY ROW_NUMBER() OVER (...) <= n; None without QUALIFY, NotAnalysed for any other."""
    clause = node.args.get("qualify")
    if clause is None:
        return None
    condition = clause.this
    count = _count(condition)
    window = condition.this if isinstance(condition.this, exp.Window) else None
    ranking = _ranking(window, "", convert) if window is not None and len(windows(node)) == 1 else None
    if ranking is None or count is None:
        raise NotAnalysed("QUALIFY is not understood, unless it is ROW_NUMBER() OVER (...) <= n")
    note(condition, condition.this, condition.this.this, condition.expression)
    return Top(ranking.partition, ranking.order, count)


def _count(condition: exp.Expr) -> int | None:
    limit = condition.args.get("expression")
    if not isinstance(limit, exp.Literal) or limit.is_string or not str(limit.this).isdigit():
        return None
    number = int(limit.this)
    match condition:
        case exp.LTE():
            return number
        case exp.LT():
            return max(number - 1, 0)
        case exp.EQ() if number == 1:
            return 1
        case _:
            return None


def distinct_on(node: exp.Select, order: tuple[Order, ...], convert: Convert, note: Note) -> Top | None:
    """DISTINCT ON (k): the first row of each k in the rest of the order."""
    distinct = node.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    if on is None:
        return None
    note(on)
    partition = tuple(map(convert, on.expressions if isinstance(on, exp.Tuple) else [on]))
    return Top(partition, tuple(item for item in order if item.expr not in partition), 1)
