"""A folder is taken file by file, each once, whatever happens in between."""

from __future__ import annotations

import os
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.capture.files.folder import FileCapture
from headwater.capture.files.ledger import Ledger
from headwater.capture.intake.append import Appender
from headwater.capture.polling import ApiCapture
from headwater.clock import ManualClock
from headwater.errors import InputError
from headwater.model import Column, Table
from headwater.storage.warehouse import Warehouse
from support.capture import dead_letters, rows_of

COLUMNS = (
    Column("id", "int", nullable=False),
    Column("name", "string"),
    Column("price", "decimal(6,2)"),
    Column("paid", "boolean"),
    Column("at", "timestamp"),
)


def table(form: str, **options: str) -> Table:
    return Table(
        "t", COLUMNS, key=("id",), provider="files", options={"path": "in", "format": form, **options}
    )


def capture(
    warehouse: Warehouse, clock: ManualClock, folder: Path, form: str = "jsonl", **options: str
) -> FileCapture:
    (folder / "in").mkdir(exist_ok=True)
    return FileCapture(Warehouse(warehouse.root), table(form, **options), clock, str(folder))


def ids(warehouse: Warehouse) -> list[int]:
    return sorted(row[0] for row in rows_of(warehouse, "t").elements())


def test_each_file_once(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    files = capture(warehouse, clock, tmp_path, settle="0")
    (tmp_path / "in" / "a.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
    assert files.poll().changes == 2
    assert files.poll().changes == 0
    (tmp_path / "in" / "b.jsonl").write_text('{"id": 3}\n')
    (tmp_path / "in" / "b.jsonl.tmp").write_text('{"id": 4}\n')
    (tmp_path / "in" / ".hidden.jsonl").write_text('{"id": 5}\n')
    (tmp_path / "in" / "notes.txt").write_text("not for us")
    again = capture(warehouse, clock, tmp_path, settle="0")
    polled = again.poll()
    assert (polled.changes, polled.behind, polled.error) == (1, False, None)
    assert ids(warehouse) == [1, 2, 3]


def test_a_file_that_still_grows_waits(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    files = capture(warehouse, clock, tmp_path)
    path = tmp_path / "in" / "a.jsonl"
    path.write_text('{"id": 1}\n')
    assert files.poll() == files.poll()
    assert files.poll().behind
    clock.advance(timedelta(seconds=0.6))
    path.write_text('{"id": 1}\n{"id": 2}\n')
    clock.advance(timedelta(seconds=0.6))
    assert files.poll().changes == 0
    clock.advance(timedelta(seconds=1))
    assert files.poll().changes == 2


def test_an_old_file_is_taken_at_once(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    files = capture(warehouse, clock, tmp_path)
    path = tmp_path / "in" / "a.jsonl"
    path.write_text('{"id": 1}\n')
    os.utime(path, (1_600_000_000, 1_600_000_000))
    assert files.poll().changes == 1


def test_a_changed_file_is_reported_and_not_read_again(
    warehouse: Warehouse, clock: ManualClock, tmp_path: Path
) -> None:
    files = capture(warehouse, clock, tmp_path, settle="0")
    path = tmp_path / "in" / "a.jsonl"
    path.write_text('{"id": 1}\n')
    files.poll()
    path.write_text('{"id": 1}\n{"id": 2}\n')
    assert (files.poll().changes, files.poll().changes) == (0, 0)
    assert ids(warehouse) == [1]
    [letter] = dead_letters(warehouse)
    assert letter["file"] == str(path)
    assert "changed after it was taken" in letter["reason"]


@pytest.mark.parametrize("moment", ["before the commit", "after the commit"])
def test_killed_while_taking(
    warehouse: Warehouse, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"id": 1}\nbroken\n')
    real = Appender._write

    def killed(*arguments: Any) -> int:
        if moment == "after the commit":
            real(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Appender, "_write", killed)
        with pytest.raises(KeyboardInterrupt):
            capture(warehouse, clock, tmp_path, settle="0").poll()
    assert list(Ledger(warehouse, "t", clock).taken()) == ["a.jsonl"]
    capture(warehouse, clock, tmp_path, settle="0").poll()
    capture(warehouse, clock, tmp_path, settle="0").poll()
    assert rows_of(warehouse, "t") == Counter({(1, None, None, None, None): 1})
    assert [(letter["line"], letter["file"]) for letter in dead_letters(warehouse)] == [
        (2, str(tmp_path / "in" / "a.jsonl"))
    ]


def test_a_file_removed_after_it_was_taken(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    files = capture(warehouse, clock, tmp_path, settle="0")
    Ledger(warehouse, "t", clock).take([("gone.jsonl", 1, 1)])
    (tmp_path / "in" / "a.jsonl").write_text('{"id": 1}\n')
    assert files.poll().changes == 1
    assert [letter["reason"] for letter in dead_letters(warehouse)] == [
        "the file was removed before it was read"
    ]


def test_csv(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    files = capture(warehouse, clock, tmp_path, "csv", settle="0")
    (tmp_path / "in" / "a.csv").write_text(
        "name,id,price,paid,at\n"
        '"a, b\nc",1,1.50,true,2026-01-31T12:00:00Z\n'
        ",2,,,\n"
        "x,three,1,f,\n"
        "too,few\n"
        "x,4,1.005,f,\n"
        "x,5,1e2,maybe,\n"
        ",,,,\n"
    )
    polled = files.poll()
    assert polled.changes == 2
    rows = sorted(rows_of(warehouse, "t"))
    assert [(row[0], row[1], row[2], row[3]) for row in rows] == [
        (1, "a, b\nc", Decimal("1.50"), True),
        (2, None, None, None),
    ]
    assert [(letter["line"], letter["reason"]) for letter in dead_letters(warehouse)] == [
        (5, 'column "id": "three" is not an integer (int)'),
        (6, "2 fields where 5 are expected"),
        (7, 'column "price": 1.005 has more than 2 digits after the point (decimal(6,2))'),
        (8, 'column "paid": "maybe" is not true or false (boolean)'),
        (9, 'column "id" must not be NULL'),
    ]


@pytest.mark.parametrize("inside", ["\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\x1e"])
def test_only_line_ends_end_a_csv_line(
    warehouse: Warehouse, clock: ManualClock, tmp_path: Path, inside: str
) -> None:
    files = capture(warehouse, clock, tmp_path, "csv", settle="0")
    text = f"id,name\n1,a{inside}b\r\n2,c{inside}d\r3,e{inside}\n"
    (tmp_path / "in" / "a.csv").write_text(text, encoding="utf-8", newline="")
    assert files.poll().changes == 3
    assert {row[0]: row[1] for row in rows_of(warehouse, "t")} == {
        1: f"a{inside}b", 2: f"c{inside}d", 3: f"e{inside}",
    }  # fmt: skip
    assert dead_letters(warehouse) == []


def test_a_csv_field_may_be_of_any_length(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    files = capture(warehouse, clock, tmp_path, "csv", settle="0")
    (tmp_path / "in" / "a.csv").write_text(f"id,name\n1,{'a' * 200_000}\n2,b\n")
    assert files.poll().changes == 2
    assert dead_letters(warehouse) == []


def test_a_csv_header_with_a_column_twice(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    """Which of the two would count?"""
    files = capture(warehouse, clock, tmp_path, "csv", settle="0")
    (tmp_path / "in" / "a.csv").write_text("id,name,id\n1,a,2\n")
    assert files.poll().changes == 0
    assert ['two columns "id"' in letter["reason"] for letter in dead_letters(warehouse)] == [True]


def test_csv_without_header(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    files = capture(
        warehouse, clock, tmp_path, "csv", settle="0", header="false", delimiter=";", null_value="-"
    )
    (tmp_path / "in" / "a.csv").write_text("1;;-;t;2026-01-31 12:00:00\n")
    assert files.poll().changes == 1
    [row] = rows_of(warehouse, "t")
    assert row[:4] == (1, "", None, True)


def test_parquet(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    files = capture(warehouse, clock, tmp_path, "parquet", settle="0")
    folder = tmp_path / "in"
    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int64()), "name": ["a", None]}), folder / "a.parquet")
    pq.write_table(pa.table({"id": pa.array([2**40], pa.int64())}), folder / "b.parquet")
    pq.write_table(pa.table({"number": [1]}), folder / "c.parquet")
    (folder / "d.parquet").write_bytes(b"not Parquet")
    pq.write_table(pa.table({"id": [1, 3]}), folder / "e.parquet")
    assert files.poll().changes == 3
    assert ids(warehouse) == [1, 2, 3]
    letters = dead_letters(warehouse)
    assert [(Path(letter["file"]).name, letter["line"]) for letter in letters] == [
        ("b.parquet", 0), ("c.parquet", 0), ("d.parquet", 0), ("e.parquet", 1),
    ]  # fmt: skip
    assert "no column" in letters[1]["reason"]


def test_wrong_options_and_folders(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown format"):
        capture(warehouse, clock, tmp_path, "jsonlines")
    with pytest.raises(InputError, match="needs a path"):
        FileCapture(warehouse, Table("t", COLUMNS, options={"format": "csv"}), clock)
    with pytest.raises(InputError, match="settle"):
        capture(warehouse, clock, tmp_path, settle="soon")
    files = FileCapture(warehouse, table("csv"), clock, str(tmp_path / "nowhere"))
    polled = files.poll()
    assert polled.error is not None
    assert polled.error.code == "HW858"


def test_an_idle_watermark_moves_and_no_change_comes_behind_it(
    warehouse: Warehouse, clock: ManualClock
) -> None:
    source = ApiCapture(warehouse, Table("t", COLUMNS), clock)
    first = source.poll().watermark
    assert first == clock.now()
    appended = Appender(warehouse, Table("t", COLUMNS), clock).append([{"id": 1}])
    assert appended.time == first + 1
    assert source.poll().watermark == appended.time
    clock.advance(timedelta(seconds=5))
    assert source.poll().watermark == clock.now()
    with warehouse.clock("t").turn():
        clock.advance(timedelta(seconds=5))
        assert source.poll().watermark == clock.now() - 5_000_000
