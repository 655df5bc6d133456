"""Keep a chosen view on a memory store by its delta queries, counting operations against their bounds."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from typing import Any

from headwater.bounds.plans.execute import execute
from headwater.bounds.plans.store import ROWID, MemoryStore
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.views.choose import ChosenView
from headwater.bounds.views.partial_states import is_extreme


def build(store: MemoryStore, view: ChosenView, connection: sqlite3.Connection) -> None:
    """Fill the view from its definition, as SQLite computes it."""
    for row in contents(view, connection):
        store.put(view.candidate.name, row)


def contents(view: ChosenView, connection: sqlite3.Connection) -> list[dict[str, Any]]:
    names = view.candidate.table.column_names
    sql = re.sub(r"TRY_CAST\((.*?) AS DOUBLE\)", r"as_number(\1)", view.sql)
    return [dict(zip(names, row, strict=True)) for row in connection.execute(sql)]


def as_counter(rows: list[dict[str, Any]]) -> Counter[Any]:
    return Counter(tuple(sorted((k, v) for k, v in row.items() if k != ROWID)) for row in rows)


def change(
    store: MemoryStore, catalog: Catalog, view: ChosenView, table: str, row: dict[str, Any], sign: int
) -> None:
    """Insert (+1) or delete (-1) a row of a base table and run the delta queries on it."""
    if sign > 0:
        store.put(table, row)
    elif view.reads_again:
        store.delete(table, row)
    for upkeep in view.maintenance:
        if upkeep.delta.table != table:
            continue
        result = execute(upkeep.bounded_plan.plan, store, catalog, row)
        assert result.operations <= upkeep.bounded_plan.bound.operations
        assert len(result.rows) <= upkeep.writes
        for increments in result.rows:
            _apply(store, view, dict(increments), sign)
    if sign < 0:
        store.delete(table, row)


def _apply(store: MemoryStore, view: ChosenView, increments: dict[str, Any], sign: int) -> None:
    name = view.candidate.name
    if not view.candidate.grouped:
        store.put(name, increments) if sign > 0 else store.delete(name, increments)
        return
    key = view.candidate.table.key
    old = store.get(name, tuple(increments[part] for part in key))
    merged = {part: increments[part] for part in key}
    extremes = {output.name for output in view.candidate.definition.outputs if is_extreme(output.expr)}
    for column in view.candidate.table.column_names:
        if column not in key:
            before = (old or {}).get(column) or 0
            again = column in extremes
            merged[column] = increments[column] if again else before + sign * (increments[column] or 0)
    _forget_empty_sums(view, merged)
    store.delete(name, merged) if merged["cnt"] == 0 else store.put(name, merged)


def _forget_empty_sums(view: ChosenView, merged: dict[str, Any]) -> None:
    """A sum of no values is NULL: its count says so."""
    for output in view.candidate.definition.outputs:
        expr = output.expr
        if getattr(expr, "function", "") == "sum":
            partner = next(
                output.name
                for output in view.candidate.definition.outputs
                if getattr(output.expr, "function", "") == "count" and output.expr.arguments == expr.arguments
            )
            if merged[partner] == 0:
                merged[output.name] = None
