"""One window function: sum(x) OVER (PARTITION BY k ORDER BY t ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.algebra.expressions.tree import AggregateCall, Literal, slots
from headwater.algebra.plans.framing import Frame, Order, OverCall
from headwater.errors import did_you_mean
from headwater.sql.translate.gathered import Gathered, Window
from headwater.sql.translate.over.frames import check_framed, read_frame
from headwater.sql.translate.scalars.aggregate_calls import CANONICAL, both, counted, template_of
from headwater.sql.translate.scalars.any_order import Settled, picked, refuse_order, settle_order
from headwater.sql.translate.scalars.clashes import check_aggregate, check_order
from headwater.sql.translate.scalars.repeatability import ORDERED
from headwater.sql.translate.scalars.result_types import result_type
from headwater.sql.translate.scalars.spark_functions import AGGREGATES, WINDOW_FUNCTIONS
from headwater.sql.translate.scalars.typed import Typed

if TYPE_CHECKING:
    from headwater.sql.translate.scalars.expressions import Expressions

__all__ = ["read_order", "window_function"]

_NUMBERS = {"row_number": "int", "rank": "int", "dense_rank": "int", "ntile": "int", "percent_rank": "double",
            "cume_dist": "double"}  # fmt: skip
_NEIGHBOURS = ("lag", "lead")
_OF_ONE_ROW = {"first_value", "last_value", "nth_value", "first", "last", "any_value"}
_NEED_ORDER = {*_NUMBERS, *_NEIGHBOURS}
_TEXTS = {"listagg", "string_agg"}
_LISTS = ("collect_list", "array_agg")


def window_function(reader: Expressions, node: exp.Window) -> Typed:
    """The column that stands for a window function."""
    gathered = reader.gathered
    if gathered is None or gathered.for_subqueries or reader.clause in ("WHERE", "ON", "GROUP BY"):
        reader.notes.fail(
            "HW306", node, f"a window function cannot be used in {reader.clause}",
            hint="compute it in a query in FROM and filter around it, or write QUALIFY",
        )  # fmt: skip
    call, where, suffix, within = _bare(node.this)
    name = call.name.lower()
    _check_name(reader, node, call, name)
    partition, order, spec = _window(reader, node, gathered)
    values = _arguments(reader, call)
    keys = reader.several(partition)
    by = reader.several([item.this if isinstance(item, exp.Ordered) else item for item in order])
    ordered = tuple(read_order(reader, item, value) for item, value in zip(order, by, strict=True))
    frame = read_frame(reader, spec, by) if spec is not None else None
    if name in _NEED_ORDER and not ordered:
        reader.notes.fail(
            "HW306", node, f"{name} needs an order, as in Spark", hint=f"{name}() OVER (... ORDER BY ...)"
        )
    check_framed(reader.notes, node, name, frame, bool(ordered))
    kept = None if where is None else reader.condition(where.this).expr
    function = replace(_call(reader, node, name, values, suffix), where=kept)
    if within is not None:
        function = _within(reader, node, function, values, within, bool(ordered) or frame is not None)
    settled = None if within is not None else _settled(reader, node, name, values, frame, bool(ordered))
    if settled is not None:
        function = _call(reader, node, settled.function, settled.values, suffix)
        function = replace(function, where=kept if settled.where is None else both(settled.where, kept))
    over = OverCall(function, None if name in _NEED_ORDER else frame)
    shown = _type(name, over, values, settled)
    window = Window(tuple(key.expr for key in keys), ordered, over)
    column = gathered.keep(window, node)
    if settled is not None:
        return picked(column, settled, shown)
    return Typed(column, shown, name not in _NUMBERS and name != "count")


def _settled(
    reader: Expressions,
    node: exp.Expr,
    name: str,
    values: tuple[Typed, ...],
    frame: Frame | None,
    ordered: bool,
) -> Settled | None:
    """What takes rows in any order, made to give one answer; a list over an order has it already."""
    if name not in ORDERED or name in _OF_ONE_ROW:
        return None
    lists = name in _LISTS
    if lists and ordered and (frame is None or frame.rows or frame.whole):
        return None
    refuse_order(reader, node.this, name, ordered=False)
    if (lists and ordered) or name in _TEXTS:
        reader.give_up(node, f"{name} over a window takes rows in any order and has no delta rule")
    return settle_order(reader, node.this, name, values, ordered=False)


def _within(
    reader: Expressions,
    node: exp.Expr,
    function: AggregateCall,
    values: tuple[Typed, ...],
    order: exp.Expr,
    framed: bool,
) -> AggregateCall:
    """percentile_cont(0.5) WITHIN GROUP (ORDER BY x) OVER (PARTITION BY k): of the whole partition."""
    if framed:
        reader.notes.fail(
            "HW306", node, "a function WITHIN GROUP takes whole partitions, as in Spark",
            hint="leave ORDER BY and the frame out of OVER (...)",
        )  # fmt: skip
    by = reader.several([item.this for item in order.expressions])
    template = template_of(function.function, values, False, order, by)
    arguments = tuple(value.expr for value in (*values, *by))
    return replace(function, arguments=arguments, template=template)


def _bare(node: exp.Expr) -> tuple[exp.Expr, exp.Expr | None, str, exp.Expr | None]:
    """The call, its FILTER, what is written after it, and its WITHIN GROUP order."""
    where, suffix, within = None, "", None
    while isinstance(node, exp.IgnoreNulls | exp.RespectNulls | exp.Filter | exp.WithinGroup):
        if isinstance(node, exp.Filter):
            where = node.expression
        elif isinstance(node, exp.WithinGroup):
            within = node.expression
        else:
            suffix = " IGNORE NULLS" if isinstance(node, exp.IgnoreNulls) else ""
        node = node.this
    return node, where, suffix, within


def _check_name(reader: Expressions, node: exp.Expr, call: exp.Expr, name: str) -> None:
    if not isinstance(call, exp.Anonymous) or name not in AGGREGATES | WINDOW_FUNCTIONS:
        likely = did_you_mean(name, AGGREGATES | WINDOW_FUNCTIONS)
        reader.notes.fail("HW306", node, f'"{name or call.key}" cannot be used with OVER', hint=likely)
    if call.expressions and isinstance(call.expressions[0], exp.IgnoreNulls):
        reader.notes.fail(
            "HW113", node, "IGNORE NULLS stands after the call", hint=f"{name}(x) IGNORE NULLS OVER (...)"
        )
    if call.expressions and isinstance(call.expressions[0], exp.Distinct):
        reader.notes.fail("HW306", node, "DISTINCT cannot be used with OVER, as in Spark")


def _window(
    reader: Expressions, node: exp.Window, gathered: Gathered
) -> tuple[Sequence[exp.Expr], Sequence[exp.Expr], exp.Expr | None]:
    """What to partition and to order by, and the frame; a named window may give any of them."""
    partition = list(node.args.get("partition_by") or ())
    order = node.args["order"].expressions if node.args.get("order") is not None else []
    spec = node.args.get("spec")
    alias = node.args.get("alias")
    if alias is None:
        return partition, order, spec
    named = gathered.named.get(alias.name.lower())
    if named is None:
        reader.notes.unknown("HW302", alias, "there is no window", alias.name, list(gathered.named))
    base = _window(reader, named, gathered)  # type: ignore[arg-type]
    return partition or base[0], order or base[1], spec or base[2]


def _arguments(reader: Expressions, call: exp.Expr) -> tuple[Typed, ...]:
    if call.expressions and isinstance(call.expressions[0], exp.Star):
        return ()
    return reader.several(call.expressions)


def _call(
    reader: Expressions, node: exp.Expr, name: str, values: tuple[Typed, ...], suffix: str
) -> AggregateCall:
    function = name if name in _OF_ONE_ROW else CANONICAL.get(name, name)
    if name in ("first", "last", "first_value", "last_value", "any_value") and len(values) == 2:
        ignores = isinstance(values[1].expr, Literal) and values[1].expr.value is True
        values, suffix = values[:1], " IGNORE NULLS" if ignores else suffix
    if name in AGGREGATES:
        check_aggregate(reader.notes, node, function, values)
    if function == "count":
        values = counted(values)
    for value in (
        values[1:2] if name in (*_NEIGHBOURS, "nth_value") else values[:1] if name == "ntile" else ()
    ):
        if not isinstance(value.expr, Literal) or not isinstance(value.expr.value, int):
            reader.notes.fail("HW306", node, f"{name} needs a whole number that is written out")
    places = "1" if function == "count" and not values else slots(len(values))
    kind = values[0].type if values else ""
    exprs = tuple(value.expr for value in values)
    return AggregateCall("", function, exprs, f"{function}({places}){suffix}", type=kind)


def _type(name: str, over: OverCall, values: tuple[Typed, ...], settled: Settled | None) -> str:
    if name in _NUMBERS:
        return _NUMBERS[name]
    if name in _NEIGHBOURS or name in _OF_ONE_ROW:
        return values[0].type if values else ""
    if settled is not None and name not in _LISTS:
        return result_type(name, values)  # not that of what stands for it
    return result_type(over.function, values)


def read_order(reader: Expressions, node: exp.Expr, value: Typed | None = None) -> Order:
    """One item of ORDER BY; NULL comes first unless the order is descending or says otherwise."""
    bare = node.this if isinstance(node, exp.Ordered) else node
    descending = bool(node.args.get("desc"))
    nulls_first = node.args.get("nulls_first")
    value = value or reader.translate(bare)
    check_order(reader.notes, node, value)
    return Order(value.expr, descending, not descending if nulls_first is None else bool(nulls_first))
