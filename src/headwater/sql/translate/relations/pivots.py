"""PIVOT and UNPIVOT as what they stand for.

    t PIVOT (sum(x) FOR s IN ('a', 'b'))     SELECT ..., sum(x) FILTER (WHERE s = 'a') AS a, ... GROUP BY ...
    t UNPIVOT (v FOR n IN (a, b))            each row twice: n = 'a' with v = a, n = 'b' with v = b
    t UNPIVOT ((v, w) FOR n IN ((a, b) AS x, (c, d) AS y))     v = a and w = b, then v = c and w = d

A combination without rows is NULL, even of a count, as in Spark.  UNPIVOT leaves NULLs out unless it says
INCLUDE NULLS.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.build import FALSE, number, positive, when
from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    call,
    conjunction,
    equal,
    slots,
)
from headwater.algebra.plans.nodes import Aggregate, Explode, Plan
from headwater.sql.translate.env import Env
from headwater.sql.translate.groups.collector import Collector
from headwater.sql.translate.passes.pushing import push_filter
from headwater.sql.translate.relations.scope import Field, Rows
from headwater.sql.translate.scalars.operators import cast_to
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import common_of

__all__ = ["pivoted"]


def pivoted(rows: Rows, node: exp.Expr, env: Env) -> Rows | None:
    """The rows of a PIVOT or UNPIVOT over some rows; None for a form that has no delta rule."""
    fields: list[exp.Expr] = node.args.get("fields") or []
    column = fields[0] if len(fields) == 1 else None
    if rows.open or not isinstance(column, exp.In):
        return None
    make = _unpivoted if node.args.get("unpivot") else _pivoted
    return make(rows, node, column, env)


def _pivoted(rows: Rows, node: exp.Expr, column: exp.In, env: Env) -> Rows | None:
    names = [name.name for name in node.args.get("columns") or ()]
    collector = Collector()
    reader = env.expressions(rows, "PIVOT", collector)
    subject = reader.translate(column.this)
    aggregates = [reader.translate(aggregate) for aggregate in node.expressions]
    values = [reader.translate(value.this if isinstance(value, exp.PivotAlias) else value)
              for value in column.expressions]  # fmt: skip
    calls = dict(zip(collector.names(), collector.calls, strict=True))
    if len(names) != len(values) * len(aggregates) or not all(
        isinstance(aggregate.expr, Column) and aggregate.expr.name in calls for aggregate in aggregates
    ):
        return None
    used = {part.name.lower() for part in node.find_all(exp.Column)}
    others = [field for field in rows.visible if field.name.lower() not in used]
    columns = env.column_names(
        [*(field.name for field in others), *(f"{n}_{i}" for n in names for i in (0, 1))]
    )
    keys = tuple((name, field.value.expr) for name, field in zip(columns, others, strict=False))
    made: list[AggregateCall] = []
    shown: list[Field] = [
        Field(field.qualifier, field.name, replace(field.value, expr=Column(name)))
        for name, field in zip(columns, others, strict=False)
    ]
    slots_left = iter(columns[len(others) :])
    wanted = [(value, aggregate) for value in values for aggregate in aggregates]
    for name, (value, aggregate) in zip(names, wanted, strict=True):
        there, computed = next(slots_left), next(slots_left)
        matches: Expr = equal(subject.expr, value.expr)
        own = calls[aggregate.expr.name]  # type: ignore[union-attr]
        where = matches if own.where is None else call("and", own.where, matches)
        made += [
            AggregateCall(there, "count", (), "count(1)", where=matches),
            replace(own, name=computed, where=where),
        ]
        shown.append(Field("", name, Typed(when(positive(Column(there)), Column(computed)), aggregate.type)))
    return Rows(Aggregate(rows.plan, keys, tuple(made)), tuple(shown))


def _unpivoted(rows: Rows, node: exp.Expr, column: exp.In, env: Env) -> Rows | None:
    names = [name.name for name in _together(node.expressions[0])]
    parts = [
        (_together(part.this), part.alias) if isinstance(part, exp.PivotAlias) else (_together(part), "")
        for part in column.expressions
    ]
    if len(node.expressions) != 1 or any(len(columns) != len(names) for columns, _ in parts):
        return None
    reader = env.expressions(rows, "UNPIVOT")
    lines = [reader.several(columns) for columns, _ in parts]
    kinds = [common_of(value.type for value in values) for values in zip(*lines, strict=True)]
    cells: list[Expr] = []
    for (columns, named), line in zip(parts, lines, strict=True):
        written = named or "_".join(part.name for part in columns)
        cells.append(reader.translate(exp.Literal.string(written)).expr)
        cells += [
            (cast_to(value, kind) if kind else value).expr for value, kind in zip(line, kinds, strict=True)
        ]
    generator = Call("stack", (number(len(lines)), *cells), f"stack({slots(len(cells) + 1)})")
    prefix = env.notes.alias("unpivoted")
    made = [f"{prefix}.{name}" for name in (column.this.name, *names)]
    plan: Plan = Explode(rows.plan, tuple(made), generator)
    if not node.args.get("include_nulls"):
        missing = conjunction(tuple(call("is_null", Column(name)) for name in made[1:]))
        plan = push_filter(plan, call("not", missing or FALSE))
    taken = {part.name.lower() for columns, _ in parts for part in columns}
    others = tuple(field for field in rows.visible if field.name.lower() not in taken)
    label = Field("", column.this.name, Typed(Column(made[0]), "string", nullable=False))
    shown = zip(names, made[1:], kinds, strict=True)
    values = tuple(Field("", name, Typed(Column(own), kind)) for name, own, kind in shown)
    return Rows(plan, (*others, label, *values))


def _together(node: exp.Expr) -> list[exp.Expr]:
    """(a, b) as two columns."""
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node.unnest()]
