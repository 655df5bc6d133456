"""Where new rows arrive in an order: at many places, or at few, which is a hot spot."""

from __future__ import annotations

import random
from bisect import bisect
from typing import Any

from headwater.algebra.expressions.facts import columns_in
from headwater.algebra.expressions.matching import words
from headwater.algebra.expressions.tree import Call, Column, Expr, transform
from headwater.bounds.plans.evaluate import NotExecutable, evaluate
from headwater.bounds.plans.plan import Index, IndexPart
from headwater.bounds.plans.store import sort_key
from headwater.bounds.views.choose import ChosenView
from headwater.model import Table

OLD, NEW, FEW = 300, 60, 6


def is_spread(index: Index, table: Table) -> bool:
    """Do rows that arrive as time goes by fall between many of the old ones? Primary keys are as declared."""
    temporal = {column.name for column in table.columns if column.temporal}
    if index.primary or not any(
        column.name in temporal for part in index.parts for column in columns_in(part.expr)
    ):
        return True
    generator = random.Random(7)
    try:
        keys = [_key(index, _row(table, time, generator)) for time in range(OLD + NEW)]
    except NotExecutable:
        return True
    old = sorted(keys[:OLD])
    return len({bisect(old, key) for key in keys[OLD:]}) > FEW


def view_order(view: ChosenView) -> Index:
    """The order of a view's rows, as an index on the table it is relative to; other tables' columns drop out."""
    sources = [
        source for source in view.candidate.definition.sources if source.table == view.storage.relative_to
    ]
    own = {source.alias for source in sources}

    def local(expr: Expr) -> Expr:
        return transform(expr, lambda part: Column(part.name) if isinstance(part, Column) else part)

    parts = [part for part in view.candidate.key if isinstance(part, Column) and part.alias in own]
    whole = len(parts) == len(view.candidate.key)
    return Index(view.storage.relative_to, tuple(IndexPart(local(part)) for part in parts) if whole else ())


def _row(table: Table, time: int, generator: random.Random) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for column in table.columns:
        if column.temporal:
            row[column.name] = time
        elif column.type == "boolean":
            row[column.name] = generator.random() < 0.5
        elif column.type == "string":
            row[column.name] = f"w{generator.randrange(10**6)}"
        else:
            row[column.name] = generator.randrange(10**6)
    return row


def _key(index: Index, row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(sort_key(_value(part.expr, row)) for part in index.parts)


def _value(expr: Expr, row: dict[str, Any]) -> Any:
    if isinstance(expr, Call) and expr.function == "token":
        return next(iter(words(evaluate(expr.arguments[0], {"": row}, {}))))
    return evaluate(expr, {"": row}, {})
