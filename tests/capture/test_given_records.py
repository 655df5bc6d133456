"""`shop.ingest` takes what Python programs have: tables of any library, dicts, dataclasses; the rest is a TypeError."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pytest

import headwater
from headwater.api import Headwater
from headwater.errors import InputError
from support.capture import dead_letters, rows_of

pandas = pytest.importorskip("pandas")

SQL = "CREATE TABLE customers (id BIGINT PRIMARY KEY, name STRING, credit DECIMAL(8,2), since TIMESTAMP);\n"


@pytest.fixture
def shop(tmp_path: Path) -> Headwater:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "all.sql").write_text(SQL)
    return headwater.open(str(tmp_path))


@dataclass
class Customer:
    id: int
    name: str


COLUMNS = {"id": [1, 2, 3], "name": ["Ada", "Bo", None]}
THREE = Counter({(1, "Ada"): 1, (2, "Bo"): 1, (3, None): 1})


def stored(shop: Headwater) -> Counter[tuple[Any, ...]]:
    return Counter({row[:2]: count for row, count in rows_of(shop.warehouse, "customers").items()})


@pytest.mark.parametrize(
    "table",
    [
        pandas.DataFrame(COLUMNS),
        pandas.DataFrame(COLUMNS).set_index("id"),
        pandas.DataFrame({"id": [0, *COLUMNS["id"]], "name": ["", *COLUMNS["name"]]}).query("id > 0"),
        pandas.DataFrame(COLUMNS).astype({"name": "category"}),
        polars.DataFrame(COLUMNS),
        polars.DataFrame(COLUMNS, schema_overrides={"name": polars.Categorical}),
        pa.table(COLUMNS),
        pa.record_batch(COLUMNS),
        pa.table(COLUMNS).to_reader(),
    ],
    ids=["pandas", "index", "filtered", "category", "polars", "categorical", "pyarrow", "batch", "reader"],
)  # fmt: skip
def test_tables(shop: Headwater, table: object) -> None:
    done = shop.ingest("customers", table)
    assert (done.accepted, done.rejected) == (3, 0)
    assert stored(shop) == THREE


def test_a_relation_of_duckdb(shop: Headwater) -> None:
    relation = duckdb.sql("SELECT * FROM (VALUES (1, 'Ada'), (2, 'Bo'), (3, NULL)) AS t(id, name)")
    assert shop.ingest("customers", relation).accepted == 3
    assert stored(shop) == THREE


def one_by_one() -> Iterator[Any]:
    yield {"id": 1, "name": "Ada"}
    yield Customer(2, "Bo")
    yield {"op": "upsert", "row": {"id": 3}}


@pytest.mark.parametrize(
    ("records", "accepted"),
    [
        ({"id": 1, "name": "Ada"}, 1),
        (Customer(1, "Ada"), 1),
        ([Customer(1, "Ada"), Customer(2, "Bo")], 2),
        ((record for record in one_by_one()), 3),
        ([], 0),
    ],
    ids=["a dict", "a dataclass", "dataclasses", "a generator", "nothing"],
)
def test_records(shop: Headwater, records: object, accepted: int) -> None:
    done = shop.ingest("customers", records)
    assert (done.accepted, done.rejected) == (accepted, 0)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ("customers.csv", r"not str\. To ingest a file: ingest_file\(table, path\)"),
        (Path("customers.csv"), "ingest_file"),
        (7, "not int"),
        (None, "not NoneType"),
        ([{"id": 1}, 7], r"record 2 is int\. Nothing was stored"),
        (["id", "name"], "record 1 is str"),
        ([(1, "Ada")], "record 1 is tuple"),
        (Customer, "not type"),
        (COLUMNS, r"for a dict of columns: ingest\(table, pyarrow\.table\(columns\)\)"),
        (pandas.Series(["a", "b"]), "record 1 is str"),
        (polars.Series([1, 2]), "not a single column"),
    ],
)  # fmt: skip
def test_anything_else_is_a_type_error_that_says_what_to_pass(
    shop: Headwater, records: object, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        shop.ingest("customers", records)
    assert rows_of(shop.warehouse, "customers") == Counter()
    assert dead_letters(shop.warehouse) == []


def test_mixed_columns_of_pandas(shop: Headwater) -> None:
    with pytest.raises(InputError, match="no table of plain columns.*tried to convert to int64"):
        shop.ingest("customers", pandas.DataFrame({"id": [1, "two"]}))


def test_floats_are_not_rounded_to_decimals(shop: Headwater) -> None:
    """Arrow's own cast would have made 10.00 of 9.999."""
    done = shop.ingest("customers", pandas.DataFrame({"id": [1, 2, 3], "credit": [9.99, 9.999, None]}))
    assert (done.accepted, [rejection.reason for rejection in done.reasons]) == (
        2,
        ['column "credit": 9.999 has more than 2 digits after the point (decimal(8,2))'],
    )
    assert [letter["record"] for letter in dead_letters(shop.warehouse)] == ['{"id": 2, "credit": 9.999}']


def test_texts_are_read_as_those_of_csv_are(shop: Headwater) -> None:
    since = ["2026-01-31T12:00:00", "2026-01-31 12:00:00+05:00", "soon", None]
    done = shop.ingest("customers", polars.DataFrame({"id": ["1", "2", "3", "4"], "since": since}))
    assert (done.accepted, done.rejected) == (3, 1)
    times = {row[0]: row[3] and row[3].replace(tzinfo=None) for row in rows_of(shop.warehouse, "customers")}
    assert times == {1: datetime(2026, 1, 31, 12), 2: datetime(2026, 1, 31, 7), 4: None}
    with pytest.raises(InputError, match='column "id" does not fit: .*"x" is not an integer'):
        shop.ingest("customers", polars.DataFrame({"id": ["x", "y"]}))


def test_strict_raises_on_the_first_reject_and_stores_nothing(shop: Headwater, tmp_path: Path) -> None:
    records = [{"id": 1}, {"id": "two"}, {"id": "three"}]
    with pytest.raises(InputError, match='record 2 is wrong: column "id": "two" is not an integer') as failed:
        shop.ingest("customers", records, strict=True)
    assert "nothing was written" in failed.value.detail
    with pytest.raises(InputError, match="record 2 is wrong"):
        shop.ingest("customers", pandas.DataFrame({"id": [1, None]}), strict=True)
    file = tmp_path / "new.jsonl"
    file.write_text('{"id": 1}\nnonsense\n')
    with pytest.raises(InputError, match="line 2 is not JSON"):
        shop.ingest_file("customers", str(file), strict=True)
    assert rows_of(shop.warehouse, "customers") == Counter()
    assert dead_letters(shop.warehouse) == []
    assert shop.ingest("customers", records[:1], strict=True).accepted == 1


def test_answers_as_data_frames(shop: Headwater) -> None:
    shop.ingest("customers", [{"id": 1, "name": "Ada"}, {"id": 2}])
    answer = shop.sql("SELECT id, name FROM customers ORDER BY id")
    assert answer.to_pandas()["name"].tolist() == ["Ada", None]
    assert answer.to_polars().to_dicts() == [{"id": 1, "name": "Ada"}, {"id": 2, "name": None}]
    rows = shop.read("customers", as_of=shop.clock.now())
    assert rows.to_polars().height == len(rows.to_pandas()) == 2
