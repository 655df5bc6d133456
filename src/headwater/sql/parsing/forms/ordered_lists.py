"""ORDER BY inside an aggregate, which Spark has for texts alone, after the call.

    string_agg(x, ',' ORDER BY y)      listagg(x, ',') WITHIN GROUP (ORDER BY y, x)
    array_agg(x ORDER BY y DESC)       transform(sort_array(collect_list(struct(y, x)), false), e -> e.x)
    array_agg(DISTINCT x ORDER BY x)   sort_array(collect_set(x))

Elements that the order leaves equal come in their own order, so that there is one answer.  NULL is left out,
as collect_list and listagg do.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.sql.parsing.forms.template import filled

__all__ = ["nulls_after", "ordered_list"]

_LISTS = {"array_agg", "collect_list"}
_TEXTS = {"string_agg", "listagg"}


def ordered_list(node: exp.Expr) -> exp.Expr | None:
    """An aggregate with an order, as Spark writes it; None for everything else."""
    if isinstance(node, exp.WithinGroup) and _name(node.this) in _TEXTS:
        return _settled(node)
    call = node.this if isinstance(node, exp.Filter) else node
    if isinstance(node.parent, exp.Filter | exp.Window) and node.arg_key == "this":
        return None  # the FILTER goes inside; over a window there is no such thing
    if not isinstance(call, exp.Anonymous) or not call.expressions:
        return None
    last = call.expressions[-1]
    if not isinstance(last, exp.Order) or last.this is None:
        return None
    arguments = [*call.expressions[:-1], last.this]
    if _name(call) in _TEXTS:
        bare = exp.Anonymous(this=call.this, expressions=[part.copy() for part in arguments])
        orders = exp.Order(expressions=[item.copy() for item in last.expressions])
        within = _settled(exp.WithinGroup(this=bare, expression=orders)) or exp.WithinGroup(
            this=bare, expression=orders
        )
        return _filtered(within, node)
    if _name(call) in _LISTS and len(arguments) == 1:
        return _array(arguments[0], last.expressions, node)
    return None


def _name(node: exp.Expr) -> str:
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def _filtered(aggregate: exp.Expr, node: exp.Expr) -> exp.Expr:
    if not isinstance(node, exp.Filter):
        return aggregate
    return exp.Filter(this=aggregate, expression=node.expression.copy())


def _settled(node: exp.WithinGroup) -> exp.Expr | None:
    """Texts in their own order where the order leaves them equal."""
    if not node.this.expressions or isinstance(node.this.expressions[0], exp.Distinct):
        return None
    text, orders = node.this.expressions[0], node.expression.expressions
    if any(item.this == text for item in orders):
        return None
    settled = node.copy()
    settled.expression.append("expressions", exp.Ordered(this=text.copy(), nulls_first=True))
    return settled


def _array(element: exp.Expr, orders: Sequence[exp.Expr], node: exp.Expr) -> exp.Expr | None:
    if isinstance(element, exp.Distinct):
        return _distinct(element, orders, node)
    keys = {f"_k{index}": item.this for index, item in enumerate(orders)}
    fields = "".join(f"'k{index}', _k{index}, " for index in range(len(orders)))
    parts = {**keys, "_x": element}
    kept = "_x IS NOT NULL"
    if isinstance(node, exp.Filter):
        parts["_kept"] = exp.Paren(this=node.expression.this)
        kept += " AND _kept"
    collected = f"collect_list(named_struct({fields}'x', _x)) FILTER (WHERE {kept})"
    return filled(f"transform({_sorted(collected, orders)}, _e -> _e.x)", parts)


def _distinct(element: exp.Distinct, orders: Sequence[exp.Expr], node: exp.Expr) -> exp.Expr | None:
    """The order of different values is one of the values themselves."""
    if len(element.expressions) != 1 or [item.this for item in orders] != element.expressions:
        return None
    parts = {"_x": element.expressions[0]}
    collected = "collect_set(_x)"
    if isinstance(node, exp.Filter):
        parts["_kept"] = node.expression.this
        collected += " FILTER (WHERE _kept)"
    return filled(f"sort_array({collected}, {'FALSE' if orders[0].args.get('desc') else 'TRUE'})", parts)


def _sorted(collected: str, orders: Sequence[exp.Expr]) -> str:
    """Sorted by the keys and then by the element; by comparing where the keys go in different directions."""
    directions = {bool(item.args.get("desc")) for item in orders}
    if len(directions) == 1 and all(_nulls_first(item) != bool(item.args.get("desc")) for item in orders):
        return f"sort_array({collected}, {'FALSE' if directions.pop() else 'TRUE'})"
    compared = "CASE WHEN _l.x < _r.x THEN -1 WHEN _l.x > _r.x THEN 1 ELSE 0 END"
    for index, item in reversed(list(enumerate(orders))):
        less, null = -1 if not item.args.get("desc") else 1, -1 if _nulls_first(item) else 1
        left, right = f"_l.k{index}", f"_r.k{index}"
        compared = (
            f"CASE WHEN {left} <=> {right} THEN {compared} WHEN {left} IS NULL THEN {null}"
            f" WHEN {right} IS NULL THEN {-null} WHEN {left} < {right} THEN {less} ELSE {-less} END"
        )
    return f"array_sort({collected}, (_l, _r) -> {compared})"


def _nulls_first(item: exp.Expr) -> bool:
    written = item.args.get("nulls_first")
    return not item.args.get("desc") if written is None else bool(written)


def nulls_after(node: exp.Expr) -> exp.Expr | None:
    """first_value(x IGNORE NULLS) OVER w as first_value(x) IGNORE NULLS OVER w."""
    if not isinstance(node, exp.Anonymous) or not isinstance(node.parent, exp.Window) or not node.expressions:
        return None
    inner = node.expressions[-1]
    if not isinstance(inner, exp.IgnoreNulls | exp.RespectNulls):
        return None
    bare = exp.Anonymous(this=node.this, expressions=[*node.expressions[:-1], inner.this])
    bare.meta.update(node.meta)
    return type(inner)(this=bare.copy())
