"""Dead letters that are tried again: each format as it came, once, whatever was killed in between."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.capture import retrying
from headwater.capture.dead_letters import DEAD_LETTERS, read_letters, remove_letters, write_dead_letters
from headwater.capture.files.folder import FileCapture
from headwater.capture.intake.append import append
from headwater.capture.intake.batch import Rejection
from headwater.capture.rejected import Rejected, RejectedRows, rejected_rows
from headwater.capture.retrying import Retried, retry_letters
from headwater.clock import ManualClock
from headwater.model import Column, ForeignKey, Project, Table
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.warehouse import Warehouse
from support.capture import dead_letters, rows_of

CUSTOMERS = Table("customers", (Column("id", "bigint"),), key=("id",))
COLUMNS = (
    Column("id", "bigint"),
    Column("customer", "bigint"),
    Column("note", "string"),
    Column("raw", "binary"),
)
ORDERS = Table(
    "orders", COLUMNS, key=("id",), foreign_keys=(ForeignKey(("customer",), "customers", ("id",)),)
)


def project(*tables: Table) -> Project:
    return Project("p", ".", "", {table.name: table for table in tables}, {}, {}, {})


def files_of(form: str, *columns: Column) -> Table:
    options = {"path": ".", "format": form, "settle": "0", "pattern": "in.*"}
    return Table("t", columns, provider="files", options=options)


def retry(warehouse: Warehouse, clock: ManualClock, *tables: Table) -> Retried:
    return retry_letters(project(*tables), Warehouse(warehouse.root), clock, tables[-1])


def test_records_fit_once_what_they_reference_is_there(warehouse: Warehouse, clock: ManualClock) -> None:
    order = {"id": 1, "customer": 7, "note": 'a "b"', "raw": b"\x00\xff"}
    append(warehouse, ORDERS, [order, {"id": 2, "customer": 8}], clock)
    assert rejected_rows(warehouse, ["orders"]) == {"orders": Rejected("orders", 2, 0)}
    append(warehouse, CUSTOMERS, [{"id": 7}], clock)
    assert retry(warehouse, clock, CUSTOMERS, ORDERS) == Retried("orders", 1, 1)
    assert rows_of(warehouse, "orders") == {(1, 7, 'a "b"', b"\x00\xff"): 1}
    [letter] = dead_letters(warehouse)
    assert (letter["line"], letter["reason"]) == (2, "orders.customer = 8: there is no such customers.id")
    append(warehouse, CUSTOMERS, [{"id": 8}], clock)
    assert retry(warehouse, clock, CUSTOMERS, ORDERS) == Retried("orders", 1, 0)
    assert dead_letters(warehouse) == []


def test_arrow_rows_come_back_as_they_were(warehouse: Warehouse, clock: ManualClock) -> None:
    """Rejected rows of an Arrow table are stored as JSON, from which the same values are read."""
    columns = (
        Column("id", "bigint"),
        Column("d", "decimal(9,3)"),
        Column("t", "timestamp"),
        Column("day", "date"),
    )
    table = Table("t", (*columns, Column("f", "double")), key=("id",))
    rows = pa.table(
        {"id": [1], "d": [Decimal("1.250")], "t": [1_700_000_000_123_456], "day": [19_000], "f": [float("inf")]},
        schema=pa.schema([("id", pa.int64()), ("d", pa.decimal128(9, 3)), ("t", pa.timestamp("us", "UTC")), ("day", pa.date32()), ("f", pa.float64())]),
    )  # fmt: skip
    append(warehouse, table, rows, clock)
    append(warehouse, table, rows, clock)
    stored = rows_of(warehouse, "t")
    append(warehouse, table, [{"op": "delete", "row": {"id": 1}}], clock)
    assert retry(warehouse, clock, table) == Retried("t", 1, 0)
    assert rows_of(warehouse, "t") == stored


def copied(warehouse: Warehouse, folder: Path, clock: ManualClock) -> Warehouse:
    """A warehouse that holds the dead letters of another one, and no rows."""
    other = Warehouse(str(folder))
    for letter in read_letters(warehouse):
        again = Rejection(letter.line, letter.record, letter.reason, letter.file, letter.header)
        write_dead_letters(other, "t", [again], clock)
    return other


def test_lines_of_csv(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    narrow = files_of("csv", Column("id", "int"), Column("note", "string"))
    (tmp_path / "in.csv").write_text('note,id\n"a, ""b""\nc",1\nd,three\ne\n')
    FileCapture(Warehouse(warehouse.root), narrow, clock, str(tmp_path)).poll()
    assert [(letter["line"], letter["record"]) for letter in dead_letters(warehouse)] == [
        (4, "d,three"),
        (5, "e"),
    ]
    assert retry(warehouse, clock, narrow) == Retried("t", 0, 2)
    texts = files_of("csv", Column("id", "string"), Column("note", "string"))
    other, third = copied(warehouse, tmp_path / "other", clock), copied(warehouse, tmp_path / "third", clock)
    assert retry(other, clock, texts) == Retried("t", 1, 1)
    assert rows_of(other, "t") == {("three", "d"): 1}
    assert [letter["line"] for letter in dead_letters(other)] == [5]
    renamed = files_of("csv", Column("id", "string"), Column("text", "string"))
    assert retry(third, clock, renamed) == Retried("t", 0, 2)
    assert {letter["reason"] for letter in dead_letters(third)} == {'unknown column "note"'}


def test_a_file_that_was_rejected_as_a_whole(
    warehouse: Warehouse, clock: ManualClock, tmp_path: Path
) -> None:
    file = tmp_path / "in.csv"
    file.write_text("id,note\n1,a\n2,b\n")
    table = files_of("csv", Column("id", "int"))
    files = FileCapture(Warehouse(warehouse.root), table, clock, str(tmp_path))
    files.poll()
    assert rejected_rows(warehouse, ["t"])["t"].rows == 3, "about as many as the file has lines"
    mended = files_of("csv", Column("id", "int"), Column("note", "string"))
    assert retry(warehouse, clock, mended) == Retried("t", 2, 0)
    assert rows_of(warehouse, "t") == {(1, "a"): 1, (2, "b"): 1}


def test_a_file_that_changed_is_not_read_twice(
    warehouse: Warehouse, clock: ManualClock, tmp_path: Path
) -> None:
    file = tmp_path / "in.csv"
    file.write_text("id\n1\n")
    table = files_of("csv", Column("id", "int"))
    files = FileCapture(Warehouse(warehouse.root), table, clock, str(tmp_path))
    files.poll()
    file.write_text("id\n1\n2\n")
    files.poll()
    assert retry(warehouse, clock, table) == Retried("t", 0, 1)
    assert rows_of(warehouse, "t") == {(1,): 1}


def test_killed_before_the_letters_are_removed(
    warehouse: Warehouse, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Table("log", (Column("n", "int"),))  # no key: a letter that is taken twice would show
    for number in (1, 2):
        rejected = [Rejection(1, f'{{"n": {number}}}', "wrong"), Rejection(2, '{"n": "x"}', "wrong")]
        write_dead_letters(warehouse, "log", rejected, clock)

    def killed(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(retrying, "remove_letters", killed)
        with pytest.raises(KeyboardInterrupt):
            retry(warehouse, clock, log)
    write_dead_letters(warehouse, "log", [Rejection(9, '{"n": 3}', "wrong")], clock)
    assert retry(warehouse, clock, log).accepted == 1
    assert rows_of(warehouse, "log") == {(1,): 1, (2,): 1, (3,): 1}
    assert sorted(letter["line"] for letter in dead_letters(warehouse)) == [2, 2]


def test_only_the_letters_of_the_table_go(warehouse: Warehouse, clock: ManualClock) -> None:
    for table, count in (("a", 1), ("b", 4)):
        write_dead_letters(warehouse, table, [Rejection(1, "x", "wrong", count=count)], clock)
    rows = RejectedRows(warehouse)
    assert {table: rejected.rows for table, rejected in rows.by_table("ab").items()} == {"a": 1, "b": 4}
    assert remove_letters(warehouse, clock, "b") == 4
    assert {table: rejected.rows for table, rejected in rows.by_table("ab").items()} == {"a": 1}


def test_letters_of_an_earlier_version(warehouse: Warehouse, clock: ManualClock) -> None:
    """They lack the newer columns: read, counted, written beside, and tried again."""
    log = warehouse.system(DEAD_LETTERS)
    old = pa.table(
        {"time": [5], "table": ["log"], "file": pa.array([None], pa.string()), "line": [1], "record": ['{"n": 1}'], "reason": ["?"]}
    )  # fmt: skip
    log.create(old.schema)
    log.commit(5, [write_parquet(log.path, "old.parquet", old)])
    write_dead_letters(warehouse, "log", [Rejection(2, '{"n": 2}', "wrong", count=3)], clock)
    assert rejected_rows(warehouse, ["log"])["log"].rows == 4
    assert [letter.count for letter in read_letters(warehouse, "log")] == [1, 3]
    assert retry(warehouse, clock, Table("log", (Column("n", "int"),))) == Retried("log", 2, 0)
