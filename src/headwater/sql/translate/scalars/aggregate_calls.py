"""One aggregate: count(DISTINCT x) FILTER (WHERE ...), percentile_cont(0.5) WITHIN GROUP (ORDER BY x)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.algebra.expressions.tree import Expr, Literal, call
from headwater.algebra.plans.nodes import AggregateCall
from headwater.sql.translate.groups.collector import Collector
from headwater.sql.translate.relations.stars import star_names
from headwater.sql.translate.scalars.any_order import picked, refuse_order, settle_order
from headwater.sql.translate.scalars.clashes import check_aggregate
from headwater.sql.translate.scalars.result_types import never_null, result_type
from headwater.sql.translate.scalars.typed import Typed

if TYPE_CHECKING:
    from headwater.sql.translate.scalars.expressions import Expressions

__all__ = ["CANONICAL", "both", "counted", "template_of", "translate_aggregate"]

# One name for aggregates that Spark has under several.
CANONICAL = {
    "mean": "avg", "every": "bool_and", "some": "bool_or", "any": "bool_or",
    "std": "stddev_samp", "stddev": "stddev_samp", "variance": "var_samp", "first_value": "first",
    "last_value": "last", "array_agg": "collect_list", "string_agg": "listagg",
}  # fmt: skip
_DISTINCT_IS_ALL = {"min", "max", "bool_and", "bool_or"}  # a second copy of a value changes nothing


def translate_aggregate(reader: Expressions, node: exp.Expr, name: str) -> Typed:
    """Add the aggregate to the collector; return the column that stands for it."""
    function, where, order, suffix = _unwrap(node)
    collector = reader.collector
    if collector is None:
        reader.notes.fail(
            "HW306",
            function,
            f"the aggregate {name} cannot be used in {reader.clause}",
            hint=_hint(reader.clause),
        )
    refuse_order(reader, node, name, ordered=order is not None)
    canonical = CANONICAL.get(name, name)
    if canonical == "measure":
        reader.notes.fail(
            "HW113", node, "measure reads metric views, which a project does not have",
            hint="write the aggregate itself",
        )  # fmt: skip
    if canonical in ("grouping", "grouping_id"):
        return _grouping(reader, function, collector, canonical)
    inner = reader.inside(f"the argument of {name}")
    distinct, arguments = _arguments(reader, function)
    values = inner.several(arguments)
    check_aggregate(reader.notes, node, canonical, values)
    kept = None if where is None else inner.condition(where.this).expr
    if canonical == "count" and not distinct:
        values = counted(values)
    if canonical == "count_if":
        canonical, kept, values = "count", both(values[0].expr, kept), ()
    settled = settle_order(reader, node, name, values, order is not None)
    shown = result_type(canonical, values)
    if settled is not None:
        canonical, values, suffix = settled.function, settled.values, ""
        kept = kept if settled.where is None else both(settled.where, kept)
    distinct = distinct and canonical not in _DISTINCT_IS_ALL
    ordered = inner.several([item.this for item in order.expressions]) if order is not None else ()
    if settled is not None and settled.by_itself:
        ordered = values[:1]
    template = template_of(canonical, values, distinct, order, ordered) + suffix
    aggregate = AggregateCall(
        "",
        canonical,
        tuple(value.expr for value in (*values, *ordered)),
        template,
        distinct,
        (ordered or values)[0].type if ordered or values else "",
        kept,
    )
    if settled is not None:
        return picked(collector.keep(aggregate), settled, shown)
    return Typed(collector.keep(aggregate), shown, not never_null(canonical, values))


def _grouping(reader: Expressions, node: exp.Expr, collector: Collector, name: str) -> Typed:
    """grouping(a): is a row not grouped by a?  grouping_id(): the same for all keys, as one number."""
    keys = tuple(value.expr for value in reader.inside(f"the argument of {name}").several(node.expressions))
    if name == "grouping":
        if len(keys) != 1:
            reader.notes.fail(
                "HW306", node, f"grouping takes one key, not {len(keys)}", hint="write grouping_id(a, b)"
            )
        return Typed(collector.ask_grouping(keys), "tinyint", nullable=False)
    return Typed(collector.ask_grouping(keys or None), "bigint", nullable=False)


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


def _arguments(reader: Expressions, function: exp.Expr) -> tuple[bool, Sequence[exp.Expr]]:
    """The arguments and whether DISTINCT stands before them; count(*) has none."""
    written = function.expressions
    distinct = bool(written) and isinstance(written[0], exp.Distinct)
    if distinct:
        written = [*written[0].expressions, *written[1:]]
    elif written and isinstance(written[0], exp.Star):
        return False, ()
    return distinct, [column for argument in written for column in star_names(reader.scope, argument)]


def counted(values: tuple[Typed, ...]) -> tuple[Typed, ...]:
    """count(1) and count(x) of an x that is never NULL count rows."""
    constants = all(isinstance(value.expr, Literal) and value.expr.value is not None for value in values)
    return () if constants else values


def both(condition: Expr, kept: Expr | None) -> Expr:
    return condition if kept is None else call("and", kept, condition)


def template_of(
    function: str,
    values: Sequence[Typed],
    distinct: bool,
    order: exp.Expr | None,
    ordered: Sequence[Typed] = (),
) -> str:
    slots = ", ".join(f"{{{index}}}" for index in range(len(values)))
    if function == "count" and not values:
        slots = "1"
    written = f"{function}({'DISTINCT ' if distinct else ''}{slots})"
    if not ordered:
        return written
    directions = [_direction(item) for item in order.expressions] if order is not None else [""]
    places = [f"{{{index}}}{direction}" for index, direction in enumerate(directions, start=len(values))]
    return f"{written} WITHIN GROUP (ORDER BY {', '.join(places)})"


def _direction(item: exp.Expr) -> str:
    """Spark's own place for NULL is not written."""
    descending, first = bool(item.args.get("desc")), item.args.get("nulls_first")
    nulls = "" if first is None or bool(first) != descending else f" NULLS {'FIRST' if first else 'LAST'}"
    return f"{' DESC' if descending else ''}{nulls}"
