"""Whole applications: every query that has a level is answered from the store as DuckDB answers it, within its bound.

After random inserts, updates and deletes through the sources.  The bookshop stands beside this file; the paper's own
workloads (TPC-W, SCADr) are read from the shared data, where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.model import ForeignKey, Table
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from support.bounds.annotations import Expected, data_folder, expectations
from support.store.applications import Duck, Rows, change, ddl, parameters, parents_first, same_answer
from support.store.projects import StoreProject

BOOKSHOP = Path(__file__).parent / "bookshop.sql"
ROUNDS, ASKED = 3, 3


def follow(project: StoreProject, rows: Rows) -> int:
    """Fill, ask, change and ask again; returns how many answers were compared."""
    for name in parents_first(rows.tables):
        project.append(name, rows.fill(name, 45))
    compared = 0
    for _ in range(ROUNDS):
        project.keep()
        answering, duck = project.answering(), Duck(rows)
        for query in answering.queries.values():
            for _ in range(ASKED if query.bound is not None else 0):
                given = parameters(query, rows)
                answer = answering.answer(query.name, given)
                assert query.bound is not None
                assert answer.operations <= query.bound
                same_answer(query, given, answer.rows, duck)
                compared += 1
        assert answering.breaches == project.keeper.breaches == 0
        change(project, rows)
    return compared


@pytest.mark.slow
def test_the_bookshop(tmp_path: Path) -> None:
    text = BOOKSHOP.read_text("utf-8")
    project = StoreProject(tmp_path / "bookshop", text)
    tables = {table.name: table for table in resolve(parse_statements(text)).tables}
    queries = project.answering().queries
    assert {query.name: query.reasons for query in queries.values() if query.bound is None} == {}
    assert {query.level for query in queries.values()} == {"SI-0", "SI-1", "SI-2", "SI-3"}
    assert follow(project, Rows(tables, seed=4)) == ROUNDS * ASKED * len(queries)


def workloads(name: str) -> Iterator[tuple[dict[str, Table], list[Expected]]]:
    """The queries of a shared file that read and have a level, by the constraints that they stand under."""
    folder = data_folder()
    assert folder is not None
    by_tables: dict[str, tuple[dict[str, Table], list[Expected]]] = {}
    for expected in expectations(folder / "sql" / f"{name}.sql"):
        tables = {table.name: table for table in expected.tables.values()}
        if expected.level.startswith("SI") and expected.sql.upper().startswith(("SELECT", "WITH")):
            by_tables.setdefault(repr(tables), (tables, []))[1].append(expected)
    yield from by_tables.values()


@pytest.mark.long
@pytest.mark.skipif(data_folder() is None, reason="the shared data with tpcw.sql and scadr.sql are not there")
@pytest.mark.parametrize("name", ["scadr", "tpcw"])
def test_the_workloads_of_the_paper(name: str, tmp_path: Path) -> None:
    compared = 0
    for number, (tables, queries) in enumerate(workloads(name)):
        text = "\n".join(map(ddl, tables.values())) + "".join(
            f"\nCREATE QUERY {query.name} AS {query.sql};" for query in queries
        )
        project = StoreProject(tmp_path / str(number), text)
        for query in project.answering().queries.values():
            assert query.bound is not None or query.level == "unbounded"
        compared += follow(project, Rows(_with_references(tables), seed=number))
    assert compared >= (100 if name == "scadr" else 200)


def _with_references(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Some schemas leave out references that their plans assume: the data have them all the same."""
    assumed = {("item", "i_a_id"): ("author", "a_id")}
    whole = dict(tables)
    for (name, column), (target, key) in assumed.items():
        if name in tables and not tables[name].foreign_keys and tables[name].column(column) is not None:
            whole[name] = replace(tables[name], foreign_keys=(ForeignKey((column,), target, (key,)),))
    return whole
