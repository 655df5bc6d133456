"""The law of the store on random schemas, data, queries and changes, with as little around it as can be.

A store is loaded with what a few random queries need, then rows are inserted, updated and deleted.  After every delta each
query answers what SQLite does on the same rows, within its bound; so do the delta queries that keep its views.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headwater.model import Table
from support.bounds.checking import checked
from support.bounds.hostile_forms import FormGenerator
from support.bounds.hostile_queries import (
    ChildGenerator,
    HostileCase,
    HostileGenerator,
    HostileViewGenerator,
    with_functions,
)
from support.bounds.newest_queries import NewestGenerator
from support.bounds.odd_queries import OddGenerator
from support.bounds.random_queries import Generator
from support.bounds.sqlite_answers import check_rows, sqlite_of
from support.bounds.top_queries import TopGenerator
from support.cases import scaled
from support.store.kept_stores import KeptStore

KINDS = (
    HostileGenerator, HostileViewGenerator, ChildGenerator, FormGenerator, TopGenerator, NewestGenerator,
    OddGenerator,
)  # fmt: skip
SCHEMAS, QUERIES, DELTAS = 40, 8, 3
AT_LEAST = 100  # queries of each kind that are answered after every delta: 630 in all
Data = dict[str, list[dict[str, Any]]]


def delta(generator: Generator, tables: dict[str, Table], data: Data) -> tuple[Data, Data]:
    """Rows to delete and rows to insert, which keep all constraints; `data` follow. An update is one of each."""
    deleted: Data = {name: [] for name in tables}
    inserted: Data = {name: [] for name in tables}
    referenced = {reference.table for table in tables.values() for reference in table.foreign_keys}
    for name, table in tables.items():
        for row in [row for row in data[name] if generator.chance(0.3)]:
            new = {column.name: generator.value(column) for column in table.columns}
            if generator.chance(0.6):
                new |= {part: row[part] for part in table.key}
            rest = [other for other in data[name] if other is not row]
            if name in referenced and any(new[part] != row[part] for part in table.key):
                continue
            if generator.chance(0.5) and generator.allowed(table, rest, new, data):
                data[name][:] = [*rest, new]
                deleted[name].append(row)
                inserted[name].append(new)
            elif name not in referenced:
                data[name][:] = rest
                deleted[name].append(row)
        for _ in range(generator.random.choice([0, 1, 4])):
            row = {column.name: generator.value(column) for column in table.columns}
            if generator.allowed(table, data[name], row, data):
                data[name].append(row)
                inserted[name].append(row)
    return deleted, inserted


def judge(kept: KeptStore, cases: dict[str, HostileCase]) -> int:
    """Ask all queries that have a bound; returns how many were answered."""
    done = 0
    for name, layout in kept.layouts.items():
        query, case = kept.answering.queries[name], cases[name]
        if query.bound is None or layout.rankings:
            continue
        asked = {param for param, _, _ in query.parameters}
        answer = kept.answering.answer(name, {param: case.given[param] for param in asked})
        assert answer.operations <= query.bound, case.text
        connection = with_functions(sqlite_of(case.catalog, case.data))
        try:
            check_rows(case, connection, [tuple(row.values()) for row in answer.rows])
        except AssertionError as error:
            raise AssertionError(f"{query.level}: {case.text} with {case.given}") from error
        done += 1
    return done


def followed(generator: HostileGenerator, folder: Path) -> int:
    """Keep a store through a few deltas; returns how many queries were answered after each."""
    cases = {f"q{number}": case for number, case in enumerate(generator.hostile_cases(QUERIES))}
    answers = {name: checked(case) for name, case in cases.items() if not case.unknown}
    if not any(answer.bounded_plan is not None for answer in answers.values()):
        return 0
    first = next(iter(cases.values()))
    tables, data = dict(first.catalog.tables), first.data
    folder.mkdir()
    kept = KeptStore(folder, answers, tables, data)
    try:
        done = judge(kept, cases)
        for _ in range(DELTAS):
            kept.change(*delta(generator, tables, data))
            assert judge(kept, cases) == done
    finally:
        kept.close()
    assert (kept.breaches, kept.answering.breaches) == (0, 0)
    return done


@pytest.mark.parametrize("kind", KINDS)
def test_after_any_change_a_store_answers_as_sqlite_does(
    kind: type[HostileGenerator], tmp_path: Path
) -> None:
    done, schemas = 0, scaled(SCHEMAS // 3 if kind is OddGenerator else SCHEMAS)
    for seed in range(schemas):
        try:
            done += followed(kind(seed + 500), tmp_path / str(seed))
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
    # Of a few schemas, chance says how many queries have a bound.
    assert done >= (AT_LEAST * schemas // SCHEMAS if scaled(SCHEMAS) >= SCHEMAS else 1)
