"""`headwater ingest` of JSON lines, CSV and Parquet, as a user types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.cli.intake import ingest as ingest_command
from support.commands import answer, command
from support.planted import plant

TABLES = """
CREATE TABLE customers (id BIGINT PRIMARY KEY, name STRING, since DATE);
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT REFERENCES customers (id), total DECIMAL(8,2));
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: shop\n")
    (folder / "all.sql").write_text(TABLES)
    plant(folder)
    return folder


def ids(shop: Path, table: str = "customers") -> list[int]:
    return [row["id"] for row in answer("sql", shop, f"SELECT id FROM {table} ORDER BY id")["rows"]]


def write_csv(file: Path, separator: str = ",") -> Path:
    lines = [("id", "name", "since"), ("1", '"Ada, the first"', "2026-01-31"), ("2", "", "")]
    file.write_text("\n".join(separator.join(line) for line in lines))
    return file


def write_json(file: Path) -> Path:
    file.write_text(
        '{"id": 1, "name": "Ada, the first", "since": "2026-01-31"}\n{"op": "upsert", "row": {"id": 2}}\n'
    )
    return file


def write_parquet(file: Path) -> Path:
    rows = {"id": [1, 2], "name": ["Ada, the first", None], "since": ["2026-01-31", None]}
    pq.write_table(pa.table(rows), file, row_group_size=1)
    return file


@pytest.mark.parametrize(
    ("name", "write", "options"),
    [
        ("new.csv", write_csv, ()),
        ("NEW.CSV", write_csv, ()),
        ("new.txt", write_csv, ("--format", "csv")),
        ("new.jsonl", write_json, ()),
        ("new.ndjson", write_json, ()),
        ("new", write_json, ()),
        ("new.csv", write_json, ("--format", "jsonl")),
        ("new.parquet", write_parquet, ()),
        ("new.data", write_parquet, ("--format", "parquet")),
    ],
)  # fmt: skip
def test_formats_by_ending_or_by_name(
    shop: Path, tmp_path: Path, name: str, write: Callable[[Path], Path], options: tuple[str, ...]
) -> None:
    counts = answer("ingest", shop, "customers", write(tmp_path / name), *options)
    assert (counts["accepted"], counts["rejected"]) == (2, 0)
    rows = answer("sql", shop, "SELECT * FROM customers ORDER BY id")["rows"]
    assert rows == [
        {"id": 1, "name": "Ada, the first", "since": "2026-01-31"},
        {"id": 2, "name": None, "since": None},
    ]


def test_another_delimiter(shop: Path, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "new.csv", ";")
    assert 'no column "id;name;since"' in command("ingest", shop, "customers", file, status=2).stderr
    command("ingest", shop, "customers", file, "--delimiter", ";")
    assert ids(shop) == [1, 2]


def test_a_header_with_another_delimiter_names_it(shop: Path, tmp_path: Path) -> None:
    refused = command("ingest", shop, "customers", write_csv(tmp_path / "new.csv", ";"), status=2).stderr
    assert "--delimiter ';'" in refused
    assert "id, name, since" in refused


@pytest.mark.parametrize("option", ["--batch", "--token"])
def test_a_retry_is_recognised(shop: Path, tmp_path: Path, option: str) -> None:
    file = write_csv(tmp_path / "new.csv")
    assert answer("ingest", shop, "customers", file, option, "monday")["repeated"] is False
    again = answer("ingest", shop, "customers", file, option, "monday")
    assert (again["repeated"], again["accepted"], again["rejected"]) == (True, 2, 0)
    assert "already stored: 2 accepted" in command("ingest", shop, "customers", file, option, "monday").stdout


def test_wrong_formats(shop: Path, tmp_path: Path) -> None:
    failed = command("ingest", shop, "customers", write_csv(tmp_path / "a.csv"), "--format", "cvs", status=2)
    assert 'there is no format "cvs"' in failed.stderr
    assert 'did you mean "csv"' in failed.stderr
    failed = command("ingest", shop, "customers", write_csv(tmp_path / "a.parquet"), status=2)
    assert "is not Parquet" in failed.stderr
    assert "--format" in failed.stderr
    failed = command("ingest", shop, "customers", write_parquet(tmp_path / "b.csv"), status=2)
    assert "Traceback" not in failed.stderr
    failed = command("ingest", shop, "customers", tmp_path / "absent.csv", status=2)
    assert "cannot be read" in failed.stderr


def many(count: int, make: Callable[[int], Any]) -> str:
    return "".join(json.dumps(make(number)) + "\n" for number in range(count))


CSV = "id,name\n" + "".join(f"{number},x\n" for number in range(100_001))
WHOLLY_WRONG = {
    "CSV": ("customers", CSV, "This looks like CSV: --format csv."),
    "CSV with semicolons": ("customers", "1;2\n" * 100, "--format csv --delimiter ';'"),
    "an array": ("customers", json.dumps([{"id": n} for n in range(200)], indent=0), "one JSON object"),
    "prose": ("customers", "hello\n" * 100, "--format names another format"),
    "another table": ("customers", many(100, lambda n: {"id": n, "total": 1}), "other columns: id, name, since"),
    "a wrong type": ("customers", many(100, lambda n: {"id": f"c{n}"}), 'Column "id" is declared as bigint'),
    "no customers": ("orders", many(100, lambda n: {"id": n, "customer": n}), "referenced table first: customers"),
}  # fmt: skip


@pytest.mark.parametrize("case", WHOLLY_WRONG)
def test_a_hundred_errors_in_a_row_stop_with_the_likely_cause(shop: Path, tmp_path: Path, case: str) -> None:
    table, text, cause = WHOLLY_WRONG[case]
    file = tmp_path / "new.txt"
    file.write_text(text)
    error = answer("ingest", shop, table, file, status=2)
    assert error["code"] == "HW847"
    assert "100 records in a row are wrong, from line 1 on" in error["message"]
    assert cause in error["hint"]
    assert "--keep-going" in error["hint"]
    assert not (shop / "warehouse" / "system" / "dead_letters").exists()


def test_a_file_that_was_ingested_before(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "new.jsonl"
    file.write_text(many(150, lambda number: {"id": number}))
    command("ingest", shop, "customers", file)
    assert "probably ingested before" in command("ingest", shop, "customers", file, status=2).stderr
    assert (
        "0 accepted, 150 rejected"
        in command("ingest", shop, "customers", file, "--keep-going", status=1).stdout
    )


def test_errors_with_accepted_records_between_do_not_stop_it(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "new.jsonl"
    file.write_text(many(400, lambda number: {"id": number if number % 99 == 98 else "x"}))
    done = command("ingest", shop, "customers", file, status=1)
    assert "4 accepted" in done.stdout
    assert f"386 more; headwater dead-letters {shop} customers lists them" in done.stdout
    assert "396 rows were rejected (99%" in done.stderr


def test_csv_rejects_can_be_retried(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "orders.csv"
    file.write_text("total,id,customer\n9.99,1,7\nten,2,7\n")
    command("ingest", shop, "orders", file, status=1)
    command("ingest", shop, "customers", write_csv(tmp_path / "c.csv"))
    (tmp_path / "more.csv").write_text("id\n7\n")
    command("ingest", shop, "customers", tmp_path / "more.csv")
    assert answer("dead-letters", shop, "orders", "--retry", status=1)["retried"][0]["accepted"] == 1
    assert ids(shop, "orders") == [1]


def test_progress_on_large_files(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "new.jsonl"
    file.write_text(many(40_000, lambda number: {"id": number, "name": "x" * 60}))
    assert "read" not in command("ingest", shop, "customers", file).stderr
    monkeypatch.setattr(ingest_command, "LARGE", 1_000_000)
    shown = command("ingest", shop, "customers", file, "--batch", "b", "--keep-going", status=1).stderr
    assert "1.0 MB of 3." in shown
    lines = [line for line in shown.splitlines() if " read" in line]
    assert 2 <= len(lines) <= 10
