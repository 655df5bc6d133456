"""Aggregates that take rows in any order, made to give one answer: said in a warning, at its place.

    collect_list(x), array_agg(x), collect_set(x)      sorted
    string_agg(x, ','), listagg(x, ',')                in the order of x
    any_value(x), mode(x)                              the least
    approx_percentile(x, p)                            the exact one
    max_by(x, y), min_by(x, y)                         of rows with the same extreme y, the greatest, least x

Spark may give any of several answers for these, so each of ours is a right one; and it is the same whenever
and however it is computed.  What people expect of first and last, the order in which rows came, is not known,
so they stay refused.  A map has no order.  Where Spark runs the user's own text (a full refresh), they are
refused too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from headwater.algebra.expressions.build import TRUE, ZERO
from headwater.algebra.expressions.tree import Call, Expr, Literal, call
from headwater.errors import InputError
from headwater.sql.translate.scalars.repeatability import ORDER_BLIND, ORDERED
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import family

if TYPE_CHECKING:
    from headwater.sql.translate.scalars.expressions import Expressions

__all__ = ["Settled", "picked", "refuse_order", "settle_order"]

_LISTS = {"collect_list", "array_agg", "collect_set", "collect_union"}
_PERCENTILES = {"percentile_approx", "approx_percentile"}
_SAID = {
    **dict.fromkeys(_LISTS, "Spark gives its elements in any order; here they are sorted"),
    **dict.fromkeys(("listagg", "string_agg"), "Spark joins the texts in any order; here they are sorted"),
    "any_value": "Spark takes any of the values; here it is the least",
    "mode": "of values that occur equally often Spark takes any; here it is the least",
    **dict.fromkeys(_PERCENTILES, "Spark estimates it; here it is exact"),
    "max_by": "of rows with the same greatest value Spark takes any; here it is the one with the greatest",
    "min_by": "of rows with the same least value Spark takes any; here it is the one with the least",
}


class Settled(NamedTuple):
    """An aggregate in another form."""

    function: str
    values: tuple[Typed, ...]
    where: Expr | None = None
    shown: Callable[[Expr], Expr] = lambda value: value  # of the value that comes out
    by_itself: bool = False  # its texts come in their own order


def refuse_order(reader: Expressions, node: exp.Expr, name: str, ordered: bool) -> None:
    """Refuse what depends on the order of rows, unless it says the order or can be settled."""
    if _is_harmless(node, name, ordered):
        return
    if node.find(exp.Order) is not None:
        hint = "write transform(sort_array(collect_list(struct(y, x))), s -> s.x), or WITHIN GROUP (...)"
        reader.notes.fail("HW320", node, f"Spark has no ORDER BY inside {name}", hint=hint)
    if name not in _SAID:
        raise _refused(reader, node, name)


def _refused(reader: Expressions, node: exp.Expr, name: str) -> InputError:
    reason, hint = ORDERED[name]
    place = reader.notes.place(node)
    return InputError("HW320", f"{name} cannot be used in a view: {reason}", place=place, hint=hint)


def _is_harmless(node: exp.Expr, name: str, ordered: bool) -> bool:
    if name not in ORDERED or ordered:
        return True
    parent = node.parent
    around = parent.name.lower() if isinstance(parent, exp.Anonymous) else ""
    if around in ORDER_BLIND and name in _LISTS:
        return True
    call = node.find(exp.Anonymous)
    return name == "mode" and call is not None and call.expressions[1:2] == [exp.true()]


def settle_order(
    reader: Expressions, node: exp.Expr, name: str, values: tuple[Typed, ...], ordered: bool
) -> Settled | None:
    """The aggregate that gives one answer, with a warning; None where it does so by itself."""
    if name not in _SAID or _is_harmless(node, name, ordered) or not values:
        return None
    if any(family(value.type) in ("map", "variant") for value in values):
        raise _refused(reader, node, name)
    reader.notes.unsettled.append(_refused(reader, node, name))
    reader.notes.warn(node, f"{name}: {_SAID[name]}")
    match name:
        case "any_value":
            return Settled("min", values[:1])
        case "max_by" | "min_by" if len(values) == 2:
            value, by = values
            pair = Call("struct", (by.expr, value.expr), "named_struct('by', {0}, 'value', {1})")
            kind = f"struct<by:{by.type},value:{value.type}>" if by.type and value.type else ""
            known = call("not", call("is_null", by.expr))
            return Settled(name[:3], (Typed(pair, kind),), known, _picked)
        case "mode":
            return Settled("mode", (values[0], Typed(TRUE, "boolean", nullable=False)))
        case "percentile_approx" | "approx_percentile":
            share = values[1] if len(values) > 1 else Typed(ZERO)
            return Settled("collect_list", values[:1], shown=lambda listed: _percentile(listed, share))
        case "listagg" | "string_agg":
            return Settled("listagg", values, by_itself=True)
        case _:
            function = "collect_list" if name == "array_agg" else name
            return Settled(function, values, shown=lambda listed: call("sort_array", listed))


def _picked(struct: Expr) -> Expr:
    return Call("field", (struct, Literal("value", "'value'")), "{0}.`value`")


def _percentile(listed: Expr, share: Typed) -> Expr:
    """The least value up to which this share of all lies; of several shares an array."""
    place = "greatest(CAST(ceil({1} * size({0})) AS INT) - 1, 0)"
    if share.type.startswith("array"):
        each = f"transform({{1}}, share -> get(sort_array({{0}}), {place.replace('{1}', 'share')}))"
        return Call("percentiles_of", (listed, share.expr), f"if(size({{0}}) = 0, NULL, {each})")
    return Call("percentile_of", (listed, share.expr), f"get(sort_array({{0}}), {place})")


def picked(expr: Expr, settled: Settled, kind: str) -> Typed:
    """What is shown of the aggregate's own value."""
    return Typed(settled.shown(expr), kind)
