"""The law of the store: after any changes, a declared query answers what SQLite does, within its bound.

Random schemas, data and queries; rows come and go through the sources' timelines, and the store follows their deltas.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headwater.serve.store.answering import Answering
from support.bounds.hostile_queries import ddl
from support.bounds.random_queries import Case, Generator, ViewGenerator
from support.bounds.sqlite_answers import check_rows, sqlite_of
from support.cases import scaled
from support.store.projects import StoreProject, deleted

PROJECTS, QUERIES, ROUNDS = 8, 9, 2


def declared(cases: list[Case]) -> str:
    tables = "\n".join(map(ddl, cases[0].catalog.tables.values()))
    queries = []
    for number, case in enumerate(cases):
        limits = "".join(f"-- param: {name} <= {most}\n" for name, most in case.maxima.items())
        queries.append(f"{limits}CREATE QUERY q{number} AS {case.sql};")
    return tables + "\n" + "\n".join(queries)


def changes(generator: Generator, case: Case) -> dict[str, list[dict[str, Any]]]:
    """Random deletes and inserts that keep all constraints, as records; the case's data follow."""
    records: dict[str, list[dict[str, Any]]] = {}
    for name, table in case.catalog.tables.items():
        records[name] = []
        if not _referenced(name, case):
            for row in [row for row in case.data[name] if generator.chance(0.25)]:
                case.data[name].remove(row)
                records[name].append(deleted(row))
        for _ in range(generator.random.choice([0, 2, 6])):
            row = {column.name: generator.value(column) for column in table.columns}
            if generator.allowed(table, case.data[name], row, case.data):
                case.data[name].append(row)
                records[name].append(row)
    return records


def _referenced(name: str, case: Case) -> bool:
    return any(
        reference.table == name for other in case.catalog.tables.values() for reference in other.foreign_keys
    )


def judge(answering: Answering, cases: list[Case], connection: Any) -> int:
    done = 0
    for number, case in enumerate(cases):
        query = answering.queries[f"q{number}"]
        if query.bound is None or query.level == "SI-3":
            continue
        answer = answering.answer(query.name, case.params)
        assert answer.operations <= query.bound, case.sql
        try:
            check_rows(case, connection, [tuple(row.values()) for row in answer.rows])
        except AssertionError as error:
            raise AssertionError(f"{query.level}: {case.sql} with {case.params}") from error
        done += 1
    assert answering.breaches == 0
    return done


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Generator, ViewGenerator])
@pytest.mark.parametrize("chunk", range(scaled(1)))
def test_answers_follow_the_pipeline_within_their_bounds(
    chunk: int, kind: type[Generator], tmp_path: Path
) -> None:
    done = 0
    for seed in range(chunk * PROJECTS, (chunk + 1) * PROJECTS):
        generator = kind(seed + 1000)
        cases = generator.cases(QUERIES)
        project = StoreProject(tmp_path / str(seed), declared(cases))
        for name, rows in cases[0].data.items():
            project.append(name, rows)
        try:
            project.keep()
            answering = project.answering()
            for _ in range(ROUNDS):
                done += judge(answering, cases, sqlite_of(cases[0].catalog, cases[0].data))
                for name, records in changes(generator, cases[0]).items():
                    if records:
                        project.append(name, records)
                project.keep()
            done += judge(answering, cases, sqlite_of(cases[0].catalog, cases[0].data))
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
        assert project.keeper.breaches == 0
    assert done >= 50  # 300 in all
