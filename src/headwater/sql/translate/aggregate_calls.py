"""One aggregate: count(DISTINCT x) FILTER (WHERE ...), percentile_cont(0.5) WITHIN GROUP (ORDER BY x)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.algebra.expressions import Expr, Literal, call
from headwater.algebra.nodes import AggregateCall
from headwater.sql.translate.clashes import check_aggregate
from headwater.sql.translate.functions import CANONICAL, ORDER_BLIND, ORDERED, never_null, result_type
from headwater.sql.translate.scope import Typed
from headwater.sql.translate.stars import star_names

if TYPE_CHECKING:
    from headwater.sql.translate.expressions import Expressions

__all__ = ["translate_aggregate"]

_DISTINCT_IS_ALL = {"min", "max", "bool_and", "bool_or"}  # a second copy of a value changes nothing


def translate_aggregate(self: Expressions, node: exp.Expr, name: str) -> Typed:
    """Keep the aggregate in the collector; the column that stands for it."""
    function, where, order, suffix = _unwrap(node)
    collector = self.collector
    if collector is None:
        self.notes.fail(
            "HW306", function, f"the aggregate {name} cannot stand in {self.clause}", hint=_hint(self.clause)
        )
    _refuse_order(self, node, name, ordered=order is not None)
    canonical = CANONICAL.get(name, name)
    if canonical in ("grouping", "grouping_id", "measure"):
        return self.give_up(node, f"{canonical} has no delta rule", "int")
    inner = self.inside(f"the argument of {name}")
    distinct, arguments = _arguments(self, function)
    values = inner.several(arguments)
    check_aggregate(self.notes, node, canonical, values)
    kept = None if where is None else inner.condition(where.this).expr
    if canonical == "count" and not distinct:
        values = _counted(values)
    if canonical == "count_if":
        canonical, kept, values = "count", _both(values[0].expr, kept), ()
    distinct = distinct and canonical not in _DISTINCT_IS_ALL
    ordered = inner.several([one.this for one in order.expressions]) if order is not None else ()
    template = _template(canonical, values, distinct, order) + suffix
    aggregate = AggregateCall(
        "",
        canonical,
        tuple(one.expr for one in (*values, *ordered)),
        template,
        distinct,
        (ordered or values)[0].type if ordered or values else "",
        kept,
    )
    kind = result_type(canonical, values)
    return Typed(collector.keep(aggregate), kind, not never_null(canonical, values))


def _hint(clause: str) -> str:
    return "use HAVING for conditions on groups" if clause == "WHERE" else ""


def _unwrap(node: exp.Expr) -> tuple[exp.Expr, exp.Expr | None, exp.Expr | None, str]:
    """The bare call, its FILTER, its WITHIN GROUP order, and words after it."""
    where = order = None
    suffix = ""
    while not isinstance(node, exp.Anonymous):
        match node:
            case exp.Filter():
                where = node.expression
            case exp.WithinGroup():
                order = node.expression
            case exp.IgnoreNulls():
                suffix = " IGNORE NULLS"
            case _:
                pass
        node = node.this
    return node, where, order, suffix


def _arguments(self: Expressions, function: exp.Expr) -> tuple[bool, Sequence[exp.Expr]]:
    """The arguments and whether DISTINCT stands before them; count(*) has none."""
    written = function.expressions
    distinct = bool(written) and isinstance(written[0], exp.Distinct)
    if distinct:
        written = [*written[0].expressions, *written[1:]]
    elif written and isinstance(written[0], exp.Star):
        return False, ()
    return distinct, [one for argument in written for one in star_names(self.scope, argument)]


def _counted(values: tuple[Typed, ...]) -> tuple[Typed, ...]:
    """count(1) and count(x) of an x that is never NULL count rows."""
    constants = all(isinstance(one.expr, Literal) and one.expr.value is not None for one in values)
    return () if constants else values


def _both(condition: Expr, kept: Expr | None) -> Expr:
    return condition if kept is None else call("and", kept, condition)


def _template(function: str, values: Sequence[Typed], distinct: bool, order: exp.Expr | None) -> str:
    slots = ", ".join(f"{{{index}}}" for index in range(len(values)))
    if function == "count" and not values:
        slots = "1"
    written = f"{function}({'DISTINCT ' if distinct else ''}{slots})"
    if order is None:
        return written
    places = [
        f"{{{index}}}{' DESC' if one.args.get('desc') else ''}"
        for index, one in enumerate(order.expressions, start=len(values))
    ]
    return f"{written} WITHIN GROUP (ORDER BY {', '.join(places)})"


def _refuse_order(self: Expressions, node: exp.Expr, name: str, ordered: bool) -> None:
    """Refuse what depends on the order of rows, unless what stands around it makes the order irrelevant."""
    if name not in ORDERED or ordered:
        return
    parent = node.parent
    around = parent.name.lower() if isinstance(parent, exp.Anonymous) else ""
    if around in ORDER_BLIND and name in ("collect_list", "array_agg", "collect_set", "collect_union"):
        return
    if name == "mode" and _unwrap(node)[0].expressions[1:2] == [exp.true()]:
        return
    reason, hint = ORDERED[name]
    self.notes.fail("HW320", node, f"{name} cannot stand in a view: {reason}", hint=hint)
