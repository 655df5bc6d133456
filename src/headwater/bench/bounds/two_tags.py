"""The paper's twoTags experiment, counted in operations instead of milliseconds.

Documents have up to ten tags; one tag is popular, another rare.  On demand the query reads every document of
the first tag; from the view it reads one range, whatever the size.  Keeping the view costs a bounded number
of operations per new tag.  Counts do not depend on the machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from headwater.bounds.answers.analyse import Subject, analyse
from headwater.bounds.plans.execute import execute
from headwater.bounds.plans.store import MemoryStore
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.reading.read import read_query
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.views.choose import Choice
from headwater.model import Cardinality, SqlText, Table
from headwater.sql.parsing.parser import normalised_tree

__all__ = ["grow"]

SCHEMA = "CREATE TABLE tags (doc BIGINT, tag STRING, PRIMARY KEY (doc, tag)) WITH CARDINALITY (tag, 10);"
QUERY = "SELECT x.doc FROM tags x JOIN tags y ON x.doc = y.doc WHERE x.tag = :a AND y.tag = :b LIMIT 5"
PARAMS = {"a": "popular", "b": "rare"}
SIZES = (100, 300, 1000, 3000, 10000)


def grow(quick: bool, progress: Callable[[str], None]) -> list[dict[str, Any]]:
    """For each number of documents: operations on demand, from the view, and per inserted tag."""
    catalog = Catalog.of(read_sql(SCHEMA, "<bench>").tables.values())
    return [_measure(catalog, size, progress) for size in SIZES[: 3 if quick else None]]


def _measure(catalog: Catalog, size: int, progress: Callable[[str], None]) -> dict[str, Any]:
    progress(f"{size} documents")
    rows = _documents(size)
    on_demand = _on_demand(catalog, rows, size)
    from_view, per_insert, bound = _from_view(catalog, rows)
    return {
        "documents": size,
        "operations_on_demand": on_demand,
        "operations_from_view": from_view,
        "operations_per_insert": per_insert,
        "bound_per_insert": bound,
    }


def _documents(size: int) -> list[dict[str, Any]]:
    """Every document is popular and has three other tags; only the last one is rare too."""
    chance = random.Random(size)
    rows = []
    for doc in range(size):
        tags = {"popular", *(f"tag{chance.randrange(2000)}" for _ in range(3))}
        rows += [{"doc": doc, "tag": tag} for tag in sorted(tags)]
    return [*rows, {"doc": size - 1, "tag": "rare"}]


def _subject(catalog: Catalog) -> Subject:
    sql = SqlText(QUERY)
    return Subject("two_tags", read_query(normalised_tree(sql), catalog.tables, sql), catalog)


def _on_demand(catalog: Catalog, rows: list[dict[str, Any]], size: int) -> int:
    """The plan allowed by a cardinality limit on the popular tag, with a limit that is not small."""
    table: Table = catalog["tags"]
    limited = replace(table, cardinalities=(*table.cardinalities, Cardinality(("tag",), size)))
    bounded = analyse(_subject(Catalog.of([limited]))).bounded_plan
    assert bounded is not None
    return execute(bounded.plan, MemoryStore.of(catalog, {"tags": rows}), catalog, PARAMS).operations


def _from_view(catalog: Catalog, rows: list[dict[str, Any]]) -> tuple[int, int, int]:
    answer = analyse(_subject(catalog))
    assert answer.choice is not None
    assert answer.bounded_plan is not None
    store = MemoryStore.of(answer.choice.catalog, {"tags": rows})
    for row in _pairs(rows):
        store.put("two_tags_view", row)
    read = execute(answer.bounded_plan.plan, store, answer.choice.catalog, PARAMS).operations
    last = max(_insert_cost(answer.choice, store, row) for row in rows[-40:])
    return read, last, sum(query.operations for query in answer.choice.views[0].maintenance)


def _pairs(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    by_document: dict[int, list[str]] = {}
    for row in rows:
        by_document.setdefault(row["doc"], []).append(row["tag"])
    return [
        {"xtag": a, "ytag": b, "doc": doc} for doc, tags in by_document.items() for a in tags for b in tags
    ]


def _insert_cost(choice: Choice, store: MemoryStore, row: dict[str, Any]) -> int:
    """Reads and writes of all delta queries for one inserted tag."""
    total = 0
    for query in choice.views[0].maintenance:
        result = execute(query.bounded_plan.plan, store, choice.catalog, row)
        total += result.operations + len(result.rows)
    return total
