"""The paper's twoTags experiment, counted in operations instead of milliseconds.

Documents carry up to ten tags; one tag is popular, another rare.  On demand the query reads every document of
the first tag; from the view it reads one range, whatever the size.  Keeping the view costs a bounded number
of operations for each new tag.  Counts do not depend on the machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from headwater.model import Cardinality, SqlText, Table
from headwater.scale.analyse import Subject, analyse
from headwater.scale.catalog import Catalog
from headwater.scale.choose import Choice
from headwater.scale.execute import execute
from headwater.scale.read import read_query
from headwater.scale.sources import read_sql
from headwater.scale.store import MemoryStore
from headwater.sql.select import parse_select

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
    """Every document is popular and has three other tags; the last one alone is rare too."""
    chosen = random.Random(size)
    rows = []
    for doc in range(size):
        tags = {"popular", *(f"tag{chosen.randrange(2000)}" for _ in range(3))}
        rows += [{"doc": doc, "tag": tag} for tag in sorted(tags)]
    return [*rows, {"doc": size - 1, "tag": "rare"}]


def _subject(catalog: Catalog) -> Subject:
    sql = SqlText(QUERY)
    return Subject("two_tags", read_query(parse_select(sql), catalog.tables, sql), catalog)


def _on_demand(catalog: Catalog, rows: list[dict[str, Any]], size: int) -> int:
    """The plan that a promise about the popular tag would allow, run without the promise being small."""
    table: Table = catalog["tags"]
    promised = replace(table, cardinalities=(*table.cardinalities, Cardinality(("tag",), size)))
    found = analyse(_subject(Catalog.of([promised]))).found
    assert found is not None
    return execute(found.plan, MemoryStore.of(catalog, {"tags": rows}), catalog, PARAMS).operations


def _from_view(catalog: Catalog, rows: list[dict[str, Any]]) -> tuple[int, int, int]:
    answer = analyse(_subject(catalog))
    assert answer.choice is not None
    assert answer.found is not None
    store = MemoryStore.of(answer.choice.catalog, {"tags": rows})
    for row in _pairs(rows):
        store.put("two_tags_view", row)
    read = execute(answer.found.plan, store, answer.choice.catalog, PARAMS).operations
    last = max(_insert_cost(answer.choice, store, row) for row in rows[-40:])
    return read, last, sum(one.operations for one in answer.choice.views[0].maintenance)


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
    for one in choice.views[0].maintenance:
        result = execute(one.found.plan, store, choice.catalog, row)
        total += result.operations + len(result.rows)
    return total
