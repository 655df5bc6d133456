"""Subqueries as values: a scalar subquery anywhere, EXISTS and IN inside other conditions.

    (SELECT max(y) FROM t)                        one row, joined to all
    (SELECT count(*) FROM t WHERE t.k = o.k)      a left join with the groups; where there is none, 0
    (SELECT y FROM t WHERE t.k = o.k)             the same, with Spark's error for a group of several rows
    EXISTS (...), x IN (...)                      a left join with the different keys: is there one?

x IN (...) is NULL where nothing is equal and something is NULL: for that the subquery's rows and values are
counted too.  In the select list and in aggregates Spark has FALSE there, and so have we.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.algebra.expressions.build import FALSE, NULL, TRUE, ZERO, choose, number
from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    call,
    columns_of,
    disjunction,
    equal,
    rename,
)
from headwater.algebra.plans.nodes import Aggregate, Plan, Project
from headwater.sql.translate.gathered import Attached
from headwater.sql.translate.relations.correlation import Pairs, bind_outer, pulled
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.scalars.clashes import check_comparison
from headwater.sql.translate.scalars.operators import query_of
from headwater.sql.translate.scalars.typed import Typed

if TYPE_CHECKING:
    from headwater.sql.translate.scalars.expressions import Expressions

__all__ = ["is_in_subquery", "is_subquery_value", "negated_value", "predicate_value", "scalar_value"]

_TOO_MANY = "[SCALAR_SUBQUERY_TOO_MANY_ROWS] More than one row returned by a subquery used as an expression."
_FURTHER_OUT = "a subquery that names a query further out has no delta rule"
_UNEQUAL = "a subquery that names the query around it in this way has no delta rule"


def is_in_subquery(node: exp.Expr) -> bool:
    return isinstance(node, exp.In) and query_of(node) is not None


def is_subquery_value(node: exp.Expr) -> bool:
    """Is it a value that a subquery gives: (SELECT ...), EXISTS (...), x IN (...), x NOT IN (...)?"""
    if isinstance(node, exp.Not):
        return is_in_subquery(node.this.unnest())
    return isinstance(node, exp.Subquery) or query_of(node) is not None


def scalar_value(reader: Expressions, node: exp.Expr) -> Typed:
    """The value of (SELECT ...)."""
    query = node.unnest() if isinstance(node, exp.Subquery | exp.Paren) else node
    inner = reader.nested(query, reader.scope)
    if len(inner.visible) != 1 and not inner.open:
        reader.notes.fail("HW327", node, f"a scalar subquery has one column, not {len(inner.visible)}")
    kind = inner.visible[0].value.type if inner.visible else ""
    gathered = reader.gathered
    if gathered is None or inner.open:
        return reader.give_up(node, f"a subquery in {reader.clause} has no delta rule", kind)
    pairs = _pairs(reader, node, inner)
    if pairs is None:
        return Typed(NULL, kind)
    bound, keys = pairs
    value = bound.visible[0].value.expr
    if bound.single:
        gathered.attached.append(_one_row(reader, bound, keys))
        return Typed(rename(value, dict(bound.empty)) if keys else value, kind)
    names = _names(reader, len(keys) + 2)
    *key_names, count, most = names
    calls = (
        AggregateCall(count, "count", (), "count(1)"),
        AggregateCall(most, "max", (value,), "max({0})", type=kind),
    )
    groups = tuple((name, own) for name, (own, _) in zip(key_names, keys, strict=True))
    joined = tuple((outer, Column(name)) for name, (_, outer) in zip(key_names, keys, strict=True))
    gathered.attached.append(Attached(Aggregate(bound.plan, groups, calls), joined, single=not keys))
    message = call("raise_error", Literal(_TOO_MANY, f"'{_TOO_MANY}'"))
    several = call("gt", Column(count), number(1))
    return Typed(choose(several, message, Column(most)), kind)


def _pairs(reader: Expressions, node: exp.Expr, inner: Rows) -> tuple[Rows, Pairs] | None:
    """The subquery's rows and what they must equal outside; None, and an obstacle, where that is not it."""
    bound = bind_outer(inner, reader.scope.plan, reader.notes.alias)
    pairs = pulled(bound)
    if pairs is None:
        reader.give_up(node, _UNEQUAL)
        return None
    own = set(bound.plan.columns)
    outer = reader.outer_columns()
    if any(not columns_of(field.value.expr) <= own for field in bound.visible):
        reader.give_up(node, _UNEQUAL)
        return None
    if any(not columns_of(far) <= outer for _, far in pairs):
        reader.give_up(node, _FURTHER_OUT)
        return None
    return bound, pairs


def _one_row(reader: Expressions, rows: Rows, keys: Pairs) -> Attached:
    if not keys:
        return Attached(rows.plan, single=True)
    return Attached(rows.plan, tuple((outer, own) for own, outer in keys))


def _names(reader: Expressions, count: int) -> list[str]:
    prefix = reader.notes.alias("subquery")
    return [f"{prefix}.value{index}" for index in range(count)]


def predicate_value(reader: Expressions, node: exp.Expr) -> Typed:
    """The value of EXISTS (SELECT ...) or x IN (SELECT ...)."""
    query = query_of(node)
    assert query is not None
    if isinstance(node, exp.Any | exp.All):
        reader.notes.fail(
            "HW113", node, "Spark compares no value with ANY or ALL rows of a subquery",
            hint="compare with (SELECT max(x) FROM ...) or min(x), or write EXISTS",
        )  # fmt: skip
    if reader.gathered is None:
        reader.nested(query, reader.scope)
        return reader.give_up(node, f"a subquery in {reader.clause} has no delta rule", "boolean")
    inner = reader.nested(query, reader.scope)
    if isinstance(node, exp.Exists):
        if inner.single:  # an aggregate without GROUP BY: there is always its one row
            return Typed(TRUE, "boolean", nullable=False)
        pairs = _pairs(reader, node, inner)
        if pairs is None:
            return Typed(NULL, "boolean")
        return Typed(_is_there(reader, *pairs), "boolean", nullable=False)
    return _in_value(reader, node, inner)


def _is_there(reader: Expressions, rows: Rows, keys: Pairs) -> Expr:
    """Is there a row with these keys?"""
    *names, mark = _names(reader, len(keys) + 1)
    groups = tuple((name, own) for name, (own, _) in zip(names, keys, strict=True))
    different: Plan = Aggregate(rows.plan, groups or (("any", TRUE),), ())
    items: list[tuple[str, Expr]] = [(name, Column(name)) for name in names]
    marked = Project(different, (*items, (mark, TRUE)))
    joined = tuple((outer, Column(name)) for name, (_, outer) in zip(names, keys, strict=True))
    assert reader.gathered is not None
    reader.gathered.attached.append(Attached(marked, joined))
    return call("not", call("is_null", Column(mark)))


def _in_value(reader: Expressions, node: exp.Expr, inner: Rows) -> Typed:
    operand = node.this.unnest()
    values = reader.several(operand.expressions if isinstance(operand, exp.Tuple) else [operand])
    columns = [field.value for field in inner.visible]
    if len(values) != len(columns) and not inner.open:
        reader.notes.fail(
            "HW327", node, f"IN compares {len(values)} values with a subquery of {len(columns)} columns"
        )
    for value, column in zip(values, columns, strict=False):
        check_comparison(reader.notes, node, [value, column])
    if inner.single and len(values) == 1:
        return Typed(equal(values[0].expr, scalar_value(reader, query_of(node) or node).expr), "boolean")
    pairs = None if inner.open else _pairs(reader, node, inner)
    if pairs is None:
        return Typed(NULL, "boolean")
    rows, keys = pairs
    compared = tuple((column.expr, value.expr) for value, column in zip(values, columns, strict=True))
    there = _is_there(reader, rows, (*compared, *keys))
    nullable = any(value.nullable for value in (*values, *columns))
    if reader.is_value or not nullable or _only_truth_counts(node):
        return Typed(there, "boolean", nullable=False)
    if len(values) > 1:
        return reader.give_up(
            node, "IN with several values that may be NULL has no delta rule here", "boolean"
        )
    rows_there, values_there = _counts(reader, rows, keys, compared[0][0])
    unknown = disjunction(
        (
            call("gt", rows_there, values_there),
            call("and", call("is_null", values[0].expr), call("gt", rows_there, ZERO)),
        )
    )
    assert unknown is not None
    otherwise = choose(unknown, Call("cast", (NULL,), "CAST({0} AS BOOLEAN)"), FALSE)
    return Typed(choose(there, TRUE, otherwise), "boolean")


def _only_truth_counts(node: exp.Expr) -> bool:
    """Is it a part of a condition in which NULL is as good as FALSE?  So it is where no NOT stands above."""
    while isinstance(node.parent, exp.And | exp.Or | exp.Paren):
        node = node.parent
    tested = isinstance(node.parent, exp.If) and node.parent.this is node
    return tested or isinstance(node.parent, exp.Where | exp.Having | exp.Qualify)


def negated_value(reader: Expressions, node: exp.Expr) -> Typed:
    """x NOT IN (SELECT ...) as a value."""
    value = predicate_value(replace(reader, clause="a condition"), node)
    return Typed(call("coalesce", call("not", value.expr), FALSE), "boolean", nullable=False)


def _counts(reader: Expressions, rows: Rows, keys: Pairs, value: Expr) -> tuple[Expr, Expr]:
    """How many rows the subquery has, and how many of them have a value."""
    *names, every, present = _names(reader, len(keys) + 2)
    calls = (
        AggregateCall(every, "count", (), "count(1)"),
        AggregateCall(present, "count", (value,), "count({0})"),
    )
    groups = tuple((name, own) for name, (own, _) in zip(names, keys, strict=True))
    joined = tuple((outer, Column(name)) for name, (_, outer) in zip(names, keys, strict=True))
    assert reader.gathered is not None
    reader.gathered.attached.append(Attached(Aggregate(rows.plan, groups, calls), joined, single=not keys))
    return call("coalesce", Column(every), ZERO), call("coalesce", Column(present), ZERO)
