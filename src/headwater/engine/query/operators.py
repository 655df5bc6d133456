"""Operators over Z-sets as SQL: each an equation from queries to a query.

A query has the columns of its plan node and `_weight`.  It is not consolidated unless an operator needs it:
a row may occur several times, and its weight is the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater.algebra.expressions.build import TRUE
from headwater.algebra.expressions.tree import Column, Expr, columns_of, conjunction, equal, spark_sql
from headwater.algebra.expressions.types import decimal_of, is_exact
from headwater.algebra.plans.both_sides import BothSides
from headwater.algebra.plans.nodes import Aggregate, AggregateCall, Explode, JoinKind, Windows
from headwater.engine.query.halved_sums import halved_sum
from headwater.engine.query.query import Query, quoted
from headwater.storage.timeline import WEIGHT

__all__ = [
    "aggregate_rows",
    "aggregate_weighted",
    "both_sides",
    "by_weights",
    "columns_needed",
    "consolidate",
    "expand",
    "explode",
    "filtered",
    "inner_join",
    "join_condition",
    "negate",
    "net",
    "of_signs",
    "outer_join",
    "project",
    "restrict",
    "wanted_windows",
    "semi_join",
    "weighted",
    "weighted_outputs",
    "weighted_rows",
]

# Decimals with more digits after the point lose some when they are multiplied by a bigint.
EXACT_SCALE = 6
# What a change does to an extreme (algebra/delta/extremes.py): which function, of rows of which sign.
_SIGNED = {
    "gained_min": ("min", ">"),
    "gained_max": ("max", ">"),
    "lost_min": ("min", "<"),
    "lost_max": ("max", "<"),
}
# Functions that give the same answer however often a row occurs.
DUPLICATE_BLIND = {"min", "max", "bool_and", "bool_or", "every", "any", "some", "logical_and", "logical_or"}


def project(query: Query, items: Sequence[tuple[str, Expr]]) -> Query:
    return query.select((name, spark_sql(expr)) for name, expr in items)


def wanted_windows(
    query: Query, node: Windows, keys: Sequence[Expr], by: Query, by_columns: Sequence[str]
) -> Query:
    """Rows in the few windows that are wanted, and no others: each row meets the windows of its other keys.

    Putting rows into all their windows first would make as many rows of each as it lies in windows.
    """
    names = [f"_key{index}" for index in range(len(keys))]
    renamed = ", ".join(f"{quoted(column)} AS {name}" for column, name in zip(by_columns, names, strict=True))
    wanted = Query(f"(SELECT DISTINCT {renamed} FROM {by.text})", tuple(names), by.joined_by)
    made = {node.name: "", node.member: ""}
    matches = []
    for key, name in zip(keys, names, strict=True):
        if isinstance(key, Column) and key.name in made:
            made[key.name] = name
        else:
            matches.append(f"({spark_sql(key)} <=> {name})")
    at, window = spark_sql(node.time), made[node.name]
    matches.append(f"{at} >= {window}.start AND {at} < {window}.end")
    joined = _joined("INNER", query, wanted, " AND ".join(matches))
    items = [*map(quoted, node.child.columns), *(f"{made[name]} AS {quoted(name)}" for name in made if name)]
    text = f"(SELECT {joined.hint}{', '.join(items)}, {WEIGHT} FROM {joined.text})"
    return Query(text, node.columns)


def explode(query: Query, node: Explode) -> Query:
    """Several rows of one; each keeps the weight."""
    names = ", ".join(map(quoted, node.names))
    outer = "OUTER " if node.outer else ""
    made = f"{query.text} LATERAL VIEW {outer}{spark_sql(node.generator)} _made AS {names}"
    listed = ", ".join((*map(quoted, node.columns), WEIGHT))
    return Query(f"(SELECT {listed} FROM {made})", node.columns)


def inner_join(left: Query, right: Query, condition: Expr | None) -> Query:
    """Weights multiply, so (a + b) join c = (a join c) + (b join c)."""
    columns = (*left.columns, *right.columns)
    joined = _joined("CROSS" if condition is None else "INNER", left, right, condition)
    return joined.named(columns, f"l.{WEIGHT} * r.{WEIGHT}")


def outer_join(left: Query, right: Query, condition: Expr, kind: JoinKind) -> Query:
    """The side that may be missing must be consolidated: a row whose weights cancel is not a match."""
    joined = _joined(f"{kind.value} OUTER", left, right, condition)
    both = f"coalesce(l.{WEIGHT}, 1) * coalesce(r.{WEIGHT}, 1)"
    return joined.named((*left.columns, *right.columns), both)


def semi_join(left: Query, right: Query, condition: Expr, anti: bool) -> Query:
    joined = _joined("LEFT ANTI" if anti else "LEFT SEMI", left, right, condition)
    return joined.named(left.columns)


def restrict(query: Query, keys: Sequence[Expr], by: Query, by_columns: Sequence[str]) -> Query:
    """The rows whose keys occur in `by`; NULL matches NULL."""
    if not keys:
        any_row = Query(f"(SELECT 1 AS _any FROM {by.text} LIMIT 1)", ("_any",)).broadcasted()
        return _joined("LEFT SEMI", query, any_row, "true").named(query.columns)
    names = [f"_key{index}" for index in range(len(keys))]
    renamed = ", ".join(f"{quoted(column)} AS {name}" for column, name in zip(by_columns, names, strict=True))
    wanted = Query(f"(SELECT {renamed} FROM {by.text})", tuple(names), by.joined_by)
    matches = (f"({spark_sql(key)} <=> {name})" for key, name in zip(keys, names, strict=True))
    return _joined("LEFT SEMI", query, wanted, " AND ".join(matches)).named(query.columns)


class _Joined:
    """Two queries in a FROM, called l and r; a hint says which are broadcast."""

    def __init__(self, text: str, hint: str) -> None:
        self.text, self.hint = text, hint

    def named(self, columns: Sequence[str], weight: str = WEIGHT) -> Query:
        listed = [quoted(name) for name in columns]
        listed.append(weight if weight == WEIGHT else f"{weight} AS {WEIGHT}")
        return Query(f"(SELECT {self.hint}{', '.join(listed)} FROM {self.text})", tuple(columns))


def _joined(kind: str, left: Query, right: Query, condition: Expr | str | None) -> _Joined:
    hints = [f"{query.joined_by}({name})" for name, query in (("l", left), ("r", right)) if query.joined_by]
    hint = f"/*+ {', '.join(hints)} */ " if hints else ""
    on = condition if isinstance(condition, str) else "" if condition is None else spark_sql(condition)
    where = f" ON {on}" if on else ""
    return _Joined(f"{left.text} AS l {kind} JOIN {right.text} AS r{where}", hint)


def negate(query: Query) -> Query:
    return query.named(query.columns, f"-{WEIGHT}")


def both_sides(query: Query, sides: BothSides) -> Query:
    """Of each row what it takes back and what it gives; a row that does neither is left out."""
    items = []
    for name, was, now in sides.items:
        old, new = spark_sql(was), spark_sql(now)
        items.append((name, old if old == new else f"CASE WHEN `$side` < 0 THEN {old} ELSE {new} END"))
    both = f"{query.text} LATERAL VIEW explode(array(-1L, 1L)) _sides AS `$side`"
    wanted = f"CASE WHEN `$side` < 0 THEN {spark_sql(sides.goes)} ELSE {spark_sql(sides.comes)} END"
    return replace(query, text=both).select(items, f"`$side` * {WEIGHT}", where=wanted)


def consolidate(query: Query) -> Query:
    """Every distinct row once, with the sum of its weights, if that is not zero."""
    columns = [quoted(name) for name in query.columns]
    groups = f" GROUP BY {', '.join(columns)}" if columns else ""
    total = f"coalesce(sum({WEIGHT}), 0) AS {WEIGHT}"
    summed = Query(f"(SELECT {', '.join((*columns, total))} FROM {query.text}{groups})", query.columns)
    return summed.where(f"{WEIGHT} <> 0")


def net(query: Query) -> Query:
    """As `consolidate`, and nothing above it is computed for a row whose weights cancel.

    Spark moves a condition on grouped columns below the grouping, where both +row and -row are.  It cannot
    move one on the result of an aggregate.
    """
    grouped = [quoted(name) for name in query.columns]
    if not grouped:
        return consolidate(query)
    values = ", ".join(f"any_value({name}) AS {name}" for name in grouped)
    summed = f"(SELECT {values}, sum({WEIGHT}) AS {WEIGHT} FROM {query.text} GROUP BY {', '.join(grouped)})"
    return Query(summed, query.columns).where(f"{WEIGHT} <> 0")


def expand(query: Query) -> Query:
    """Each row as often as its weight says, each copy with weight 1."""
    copies = f"explode(array_repeat(1L, CAST({WEIGHT} AS INT)))"
    return query.named(query.columns, copies, where=f"{WEIGHT} > 0")


def columns_needed(plan: Aggregate) -> set[str]:
    """The columns that the keys, arguments and filters of an aggregation read."""
    exprs = [expr for _, expr in plan.keys]
    for call in plan.aggregates:
        exprs += [*call.arguments, *([call.where] if call.where is not None else [])]
    return {name for expr in exprs for name in columns_of(expr)}


def weighted(call: AggregateCall) -> bool:
    """Whether a function takes rows by their weights: counts, sums, and what changes do to extremes."""
    return call.function in {"count", "sum", "left", *_SIGNED} and not call.distinct


def by_weights(call: AggregateCall) -> bool:
    """Whether an aggregate can be computed of rows as they are stored, with weights of either sign."""
    return weighted(call) and (call.function != "sum" or is_exact(call.type))


def of_signs(call: AggregateCall) -> bool:
    """Whether a function looks at the rows that come or at those that go."""
    return call.function in _SIGNED


def aggregate_weighted(
    query: Query, keys: Sequence[tuple[str, Expr]], calls: Sequence[AggregateCall], many: bool = False
) -> Query:
    """Counts and exact sums, each row counted by its weight, which may be negative; `many` rows, perhaps."""
    rows, sums = weighted_outputs(query, calls)
    if many:
        halved = (halved_sum(call, WEIGHT) for call in calls)
        sums = [fast or exact for fast, exact in zip(halved, sums, strict=True)]
    return _grouped(rows, keys, calls, sums)


def weighted_outputs(query: Query, calls: Sequence[AggregateCall]) -> tuple[Query, list[str]]:
    """The rows to group, and the SQL of each count or sum of them by weight."""
    wide = _wide(calls)
    return _unit_weights(query) if wide else query, [_weighted_sum(call, wide) for call in calls]


def weighted_rows(query: Query, keys: Sequence[tuple[str, Expr]], calls: Sequence[AggregateCall]) -> Query:
    """What each row adds to the counts, sums and extremes of its group, for an aggregate above to add up."""
    wide = _wide(calls)
    items = [(name, spark_sql(expr)) for name, expr in keys]
    for call in calls:
        text = _weighted_value(call, wide)
        items.append((call.name, f"coalesce({text}, 0L)" if call.function == "count" else text))
    return (_unit_weights(query) if wide else query).select(items, "1L")


def _wide(calls: Sequence[AggregateCall]) -> bool:
    """Whether some decimals have so many digits that their products with a weight would lose some."""
    return any((decimal_of(call.type) or (0, 0))[1] > EXACT_SCALE for call in calls)


def _weighted_sum(call: AggregateCall, wide: bool) -> str:
    """The SQL of a count or sum, or of what a change does to an extreme. `wide`: the weights are 1 or -1."""
    if call.function == "left":
        return _left(call, wide)
    value = _weighted_value(call, wide)
    if call.function == "count":
        return f"coalesce(sum({value}), 0L)"
    return f"{_SIGNED[call.function][0] if call.function in _SIGNED else 'sum'}({value})"


def _weighted_value(call: AggregateCall, wide: bool) -> str:
    """What one row adds to it; NULL adds nothing."""
    values = [f"({spark_sql(argument)})" for argument in call.arguments]
    present = [] if call.where is None else [f"({spark_sql(call.where)})"]
    if call.function == "count":
        return _when([*present, *(f"{value} IS NOT NULL" for value in values)], WEIGHT)
    value = values[0]
    if call.function in _SIGNED:
        return _when([*present, f"{WEIGHT} {_SIGNED[call.function][1]} 0"], value)
    scaled = f"CASE WHEN {WEIGHT} < 0 THEN -{value} ELSE {value} END" if wide else f"{value} * {WEIGHT}"
    return _when(present, scaled)


def _left(call: AggregateCall, wide: bool) -> str:
    """Of the values in a timeline all are taken back but one, perhaps NULL: what is left of their sum."""
    value = f"({spark_sql(call.arguments[0])})"
    if not is_exact(call.type):
        return f"max({_when([f'{WEIGHT} > 0'], value)})"  # of rows that are consolidated
    there = f"sum({_when([f'{value} IS NOT NULL'], WEIGHT)})"
    if call.type.lower() in ("bigint", "long"):  # whose sum might not fit in between
        value = f"CAST({value} AS DECIMAL(20,0))"
        return f"CASE WHEN {there} > 0 THEN CAST(sum({value} * {WEIGHT}) AS BIGINT) END"
    total = _weighted_sum(replace(call, function="sum"), wide)
    return f"CASE WHEN {there} > 0 THEN CAST({total} AS {call.type}) END"


def _when(conditions: Sequence[str], value: str) -> str:
    return f"CASE WHEN {' AND '.join(conditions)} THEN {value} END" if conditions else value


def aggregate_rows(query: Query, keys: Sequence[tuple[str, Expr]], calls: Sequence[AggregateCall]) -> Query:
    """An aggregate of Spark's over rows of weight 1 (consolidated and expanded)."""
    outputs = []
    for call in calls:
        text = call.template.format(*(spark_sql(argument) for argument in call.arguments))
        if call.where is not None:
            text += f" FILTER (WHERE {spark_sql(call.where)})"
        outputs.append(text)
    return _grouped(query, keys, calls, outputs)


def _unit_weights(query: Query) -> Query:
    """Each change as often as its weight says, with weight 1 or -1.

    Spark drops digits of the product of a wide decimal and a weight, but not of a sum of wide decimals.
    """
    units = f"explode(array_repeat(CAST(signum({WEIGHT}) AS BIGINT), CAST(abs({WEIGHT}) AS INT)))"
    return query.named(query.columns, units)


def _grouped(
    query: Query, keys: Sequence[tuple[str, Expr]], calls: Sequence[AggregateCall], outputs: Sequence[str]
) -> Query:
    if not outputs:
        return query.select([(name, spark_sql(expr)) for name, expr in keys], "1L", distinct=True)
    by = [
        quoted(expr.name) if isinstance(expr, Column) else f"_group{index}"
        for index, (_, expr) in enumerate(keys)
    ]
    # A group's expression becomes a column first: in GROUP BY, SQL reads a constant as a position.
    computed = [
        (name, spark_sql(expr)) for name, (_, expr) in zip(by, keys, strict=True) if name.startswith("_group")
    ]
    if computed:
        query = query.select([*((name, quoted(name)) for name in query.columns), *computed])
    items = [*zip((name for name, _ in keys), by, strict=True)]
    items += [(call.name, text) for call, text in zip(calls, outputs, strict=True)]
    listed = ", ".join(f"{text} AS {quoted(name)}" for name, text in items)
    groups = f" GROUP BY {', '.join(by)}" if by else ""
    return Query(
        f"(SELECT {listed}, 1L AS {WEIGHT} FROM {query.text}{groups})", tuple(name for name, _ in items)
    )


def filtered(query: Query, columns: set[str], conditions: Sequence[Expr]) -> tuple[list[Expr], Query]:
    """Apply the conditions on `columns` alone as filters; the others are left for later joins."""
    waiting = []
    for condition in conditions:
        if columns_of(condition) <= columns:
            query = query.where(spark_sql(condition))
        else:
            waiting.append(condition)
    return waiting, query


def join_condition(keys: Sequence[tuple[Expr, Expr]], residual: Expr | None) -> Expr:
    """That pairs of keys are equal, and what else a join asks for."""
    parts = tuple(equal(left, right) for left, right in keys)
    return conjunction(parts if residual is None else (*parts, residual)) or TRUE
