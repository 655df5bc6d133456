"""Reads of keys are noticed where they are answered, noted for the run, and learnt once."""

from __future__ import annotations

import os
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import headwater as hw
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.model import Project, ReadWeight, Site
from headwater.serve.noticed_reads import NoticedReads, key_columns
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.choosing import reads as stored
from headwater.storage.choosing.reads import known_reads, learn_noted, note_reads
from headwater.storage.warehouse import Warehouse
from support.store.projects import StoreProject

QUOTES = """CREATE TABLE quotes (symbol STRING, venue STRING, price DOUBLE, UPDATE KEY (symbol, venue))
  ON OVERLOAD UPDATES best REFRESH WEIGHT (symbol) BY READS;
CREATE TABLE names (symbol STRING PRIMARY KEY, name STRING);
"""


def catalog_of(sql: str) -> Catalog:
    declared = resolve(parse_statements(sql, "m.sql"), {"default": Site()})
    tables = {table.name: table for table in declared.tables}
    views = {view.name: view for view in declared.views}
    return build(Project("market", ".", ".", tables, views, {}, {}))


def view(name: str, select: str) -> str:
    return f"CREATE MATERIALIZED VIEW {name} AS {select};\n"


@pytest.mark.parametrize(
    ("select", "column"),
    [
        ("SELECT symbol, price FROM quotes", "symbol"),
        ("SELECT price, q.symbol AS s FROM quotes q WHERE price > 3", "s"),
        ("SELECT symbol AS s, max(price) AS top FROM quotes GROUP BY symbol", "s"),
        ("SELECT n.name, q.symbol FROM names n JOIN quotes q ON n.symbol = q.symbol", "symbol"),
        ("SELECT * FROM (SELECT symbol, price, row_number() OVER (ORDER BY price, symbol, venue) AS r FROM quotes) t", "symbol"),
        ("SELECT upper(symbol) AS symbol FROM quotes", None),
        ("SELECT venue AS symbol FROM quotes", None),
        ("SELECT symbol FROM names", None),
        ("SELECT count(*) AS n FROM quotes", None),
        ("SELECT symbol FROM quotes UNION ALL SELECT symbol FROM quotes", "symbol"),
        ("SELECT symbol FROM quotes UNION ALL SELECT symbol FROM names", None),
    ],
)  # fmt: skip
def test_which_column_of_a_view_is_the_key(select: str, column: str | None) -> None:
    catalog = catalog_of(QUOTES + view("v", select) + view("over", "SELECT * FROM v"))
    expected = {} if column is None else {"quotes": (column,)}
    assert key_columns(catalog, "v") == expected
    assert key_columns(catalog, "over") == expected
    assert key_columns(catalog, "quotes") == {"quotes": ("symbol",)}
    assert key_columns(catalog, "names") == {}


def noticed(folder: Path) -> tuple[NoticedReads, Warehouse, ManualClock]:
    warehouse, clock = Warehouse(str(folder)), ManualClock()
    return (
        NoticedReads(catalog_of(QUOTES + view("v", "SELECT symbol, price FROM quotes")), warehouse, clock),
        warehouse,
        clock,
    )


def rows(*symbols: Any) -> list[dict[str, Any]]:
    return [{"symbol": symbol} for symbol in symbols]


def test_what_is_noticed_is_learnt_once_and_outlasts_a_restart(tmp_path: Path) -> None:
    reads, warehouse, clock = noticed(tmp_path)
    reads.notice("v", rows("IBM", "GM"))
    reads.notice("v", rows("IBM", None, date(2026, 1, 31)))
    reads.note()
    learnt = learn_noted(warehouse, "quotes", clock.now())
    assert learnt.counts == {("IBM",): 2.0, ("GM",): 1.0, ("2026-01-31",): 1.0}
    assert learn_noted(Warehouse(str(tmp_path)), "quotes", clock.now()).counts == learnt.counts
    assert known_reads(Warehouse(str(tmp_path)), "quotes") == learnt


def test_a_scan_says_nothing_and_other_relations_neither(tmp_path: Path) -> None:
    reads, warehouse, clock = noticed(tmp_path)
    reads.notice("v", rows(*map(str, range(1_001))))
    reads.notice("names", rows("IBM"))
    reads.note()
    assert not learn_noted(warehouse, "quotes", clock.now()).counts
    assert not (tmp_path / "reads").exists()


def test_notes_are_bounded_whether_or_not_a_run_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "LONGEST", 2_000)
    warehouse = Warehouse(str(tmp_path))
    for at in range(200):
        note_reads(warehouse, "quotes", {(f"S{at}",): 1.0}, at + 1)
    assert sum(file.stat().st_size for file in (tmp_path / "reads").iterdir()) < 2 * 2_200
    learnt = learn_noted(warehouse, "quotes", 200)
    assert ("S199",) in learnt.counts  # the newest are kept
    assert ("S0",) not in learnt.counts


def test_a_torn_note_and_a_damaged_memory_cost_reads_and_nothing_else(tmp_path: Path) -> None:
    warehouse = Warehouse(str(tmp_path))
    note_reads(warehouse, "quotes", {("IBM",): 1.0}, 5)
    with open(tmp_path / "reads" / "quotes.jsonl", "a") as file:
        file.write('[6, [["GM"], ')
    assert learn_noted(warehouse, "quotes", 9).counts == {("IBM",): pytest.approx(1.0)}
    (tmp_path / "reads" / "quotes.json").write_text('[9, [["IBM"]')
    assert learn_noted(warehouse, "quotes", 9).counts == {}


def test_a_warehouse_that_cannot_be_written_to_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "reads").write_text("in the way")
    reads, _, _ = noticed(tmp_path)
    reads.notice("v", rows("IBM"))
    reads.note()
    assert not reads.of("v")
    reads.notice("v", rows("IBM"))


def test_it_costs_a_read_next_to_nothing(tmp_path: Path) -> None:
    """Ten rows each: microseconds, of CPU."""
    reads, _, _ = noticed(tmp_path)
    reads.notice("v", rows("first"))
    page = rows(*(f"S{number}" for number in range(10)))
    begun = time.process_time()
    for _ in range(2_000):
        reads.notice("v", page)
    assert (time.process_time() - begun) / 2_000 < 0.001


def test_queries_and_reads_of_a_project_are_noticed(tmp_path: Path) -> None:
    sql = QUOTES + (
        "CREATE MATERIALIZED VIEW newest AS SELECT symbol, venue, price FROM quotes;\n"
        "CREATE QUERY one AS SELECT * FROM quotes WHERE symbol = :symbol AND venue = :venue LIMIT 5;\n"
    )
    project = StoreProject(tmp_path, sql)
    project.append("quotes", [{"symbol": s, "venue": "N", "price": 1.0} for s in ("IBM", "GM", "T")])
    project.keep()
    answering = project.answering()
    for _ in range(3):
        assert len(answering.answer("one", {"symbol": "IBM", "venue": "N"}).rows) == 1
    answering.answer("one", {"symbol": "XYZ", "venue": "N"})
    answering.reads.note()
    learnt = learn_noted(Warehouse(project.project.project.storage), "quotes", answering.clock.now())
    assert learnt.counts == {("IBM",): pytest.approx(3.0)}
    assert os.path.exists(os.path.join(project.project.project.storage, "reads", "quotes.json"))


@pytest.mark.parametrize(
    ("clause", "columns"),
    [("REFRESH WEIGHT BY READS", ("symbol", "venue")), ("REFRESH WEIGHT (VENUE) BY READS", ("venue",))],
)
def test_by_reads(clause: str, columns: tuple[str, ...]) -> None:
    sql = QUOTES.replace("REFRESH WEIGHT (symbol) BY READS", clause)
    assert catalog_of(sql).project.tables["quotes"].weight == ReadWeight(columns)


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("REFRESH WEIGHT (price) BY READS", "cannot be weighed by reads"),
        ("REFRESH WEIGHT (symbol, symbol) BY READS", "cannot be weighed by reads"),
        ("REFRESH WEIGHT (symbl) BY READS", 'no column "symbl"'),
        ("REFRESH WEIGHT (symbol) BY WRITES", "READS"),
        ("REFRESH WEIGHT (symbol)", "FROM or BY READS"),
        ("REFRESH WEIGHT", "BY"),
        ("REFRESH WEIGHT BY READS REFRESH WEIGHT BY READS", "given twice"),
    ],
)
def test_what_is_wrong(clause: str, message: str) -> None:
    with pytest.raises(hw.InputError, match=message):
        catalog_of(QUOTES.replace("REFRESH WEIGHT (symbol) BY READS", clause))


def test_only_best_asks_what_a_key_is_worth() -> None:
    with pytest.raises(hw.InputError, match="nothing asks for"):
        catalog_of(QUOTES.replace("UPDATES best", "UPDATES fifo"))
