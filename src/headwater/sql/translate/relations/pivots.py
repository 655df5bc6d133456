"""PIVOT and UNPIVOT as what they stand for.

    t PIVOT (sum(x) FOR s IN ('a', 'b'))     SELECT ..., sum(x) FILTER (WHERE s = 'a') AS a, ... GROUP BY ...
    t UNPIVOT (v FOR n IN (a, b))            each row twice: n = 'a' with v = a, n = 'b' with v = b

A combination without rows is NULL, even of a count, as in Spark.  UNPIVOT leaves NULLs out unless it says
INCLUDE NULLS.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.build import number, positive, when
from headwater.algebra.expressions.tree import AggregateCall, Call, Column, Expr, call, equal, slots
from headwater.algebra.plans.nodes import Aggregate, Explode
from headwater.sql.translate.env import Env
from headwater.sql.translate.groups.collector import Collector
from headwater.sql.translate.passes.pushing import push_filter
from headwater.sql.translate.relations.scope import Field, Rows
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
    if len(node.expressions) != 1 or any(isinstance(part, exp.Tuple) for part in column.expressions):
        return None
    reader = env.expressions(rows, "UNPIVOT")
    parts = [
        (part.this, part.alias) if isinstance(part, exp.PivotAlias) else (part, "")
        for part in column.expressions
    ]
    values = [reader.translate(part) for part, _ in parts]
    labels = [
        env.expressions(rows, "UNPIVOT").translate(exp.Literal.string(label or part.name))
        for part, label in parts
    ]
    cells = [cell.expr for pair in zip(labels, values, strict=True) for cell in pair]
    generator = Call("stack", (number(len(values)), *cells), f"stack({slots(len(cells) + 1)})")
    prefix = env.notes.alias("unpivoted")
    name, value = column.this.name, node.expressions[0].name
    made = (f"{prefix}.{name}", f"{prefix}.{value}")
    plan = Explode(rows.plan, made, generator)
    kept = (
        plan
        if node.args.get("include_nulls")
        else push_filter(plan, call("not", call("is_null", Column(made[1]))))
    )
    taken = {part.name.lower() for part, _ in parts}
    others = tuple(field for field in rows.visible if field.name.lower() not in taken)
    fields = (
        Field("", name, Typed(Column(made[0]), "string", nullable=False)),
        Field("", value, Typed(Column(made[1]), common_of(value.type for value in values))),
    )
    return Rows(kept, others + fields)
