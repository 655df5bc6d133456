"""WATERMARK: rows that come too late go to the dead letters, whichever way they come."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from headwater.capture.errors_in_a_row import likely_cause
from headwater.capture.ingest_file import append_file
from headwater.capture.intake.append import Appender, append
from headwater.capture.rejected import rejected_rows
from headwater.clock import ManualClock
from headwater.errors import InputError
from headwater.model import Column, Table, Watermark
from headwater.storage.warehouse import Warehouse
from support.capture import dead_letters, rows_of
from support.cases import scaled

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TEN = timedelta(minutes=10)
QUOTES = Table(
    "quotes",
    (Column("id", "bigint"), Column("at", "timestamp", temporal=True)),
    key=("id",),
    watermark=Watermark(TEN, "at"),
)


def quote(number: int, minutes: float | None) -> dict[str, object]:
    return {"id": number, "at": None if minutes is None else NOON + timedelta(minutes=minutes)}


def numbers(warehouse: Warehouse) -> list[int]:
    return sorted(row[0] for row in rows_of(warehouse, "quotes"))


def test_an_empty_table_takes_what_comes_first_and_then_nothing_that_is_too_late(
    warehouse: Warehouse, clock: ManualClock
) -> None:
    assert append(warehouse, QUOTES, [quote(1, 0), quote(2, -500)], clock).rejected == 0
    result = append(warehouse, QUOTES, [quote(3, -10), quote(4, -11), quote(5, None), quote(6, 60)], clock)
    assert (result.accepted, result.rejected) == (3, 1)
    assert result.reasons[0].line == 2
    assert result.reasons[0].reason == (
        "too late: \"at\" is further behind the greatest stored than WATERMARK = INTERVAL '10' MINUTE"
    )
    assert numbers(warehouse) == [1, 2, 3, 5, 6]
    assert [letter["reason"] for letter in dead_letters(warehouse)] == [result.reasons[0].reason]
    assert rejected_rows(warehouse, ["quotes"])["quotes"].rows == 1
    assert append(warehouse, QUOTES, [quote(7, 0)], clock).rejected == 1, "the greatest is now an hour later"


def test_a_file_of_late_rows_is_not_a_wrong_file(
    warehouse: Warehouse, clock: ManualClock, tmp_path: Path
) -> None:
    """A hundred wrong records in a row stop a file; late rows are right, and what comes with them is stored."""
    append(warehouse, QUOTES, [quote(0, 0)], clock)
    file = tmp_path / "late.jsonl"

    def lines(*records: dict[str, object]) -> str:
        return "".join(json.dumps(record, default=str) + "\n" for record in records)

    late = [quote(number, -60) for number in range(1, 201)]
    file.write_text(lines(*late, quote(201, 1)))
    taken = append_file(Appender(warehouse, QUOTES, clock), str(file))
    assert (taken.accepted, taken.rejected) == (1, 200)
    assert len(dead_letters(warehouse)) == 200
    assert likely_cause(QUOTES, taken.reasons, "late.jsonl").startswith("The rows are older than")
    file.write_text(lines(*late[:60], *({"id": "x"} for _ in range(99)), *late[60:], quote(202, 1)))
    assert append_file(Appender(warehouse, QUOTES, clock), str(file)).accepted == 1, "99 neighbours are wrong"
    file.write_text(lines(*late[:60], *({"id": "x"} for _ in range(100)), quote(203, 1)))
    with pytest.raises(InputError, match="100 records in a row are wrong, from line 61 on"):
        append_file(Appender(warehouse, QUOTES, clock), str(file))


def test_records_are_judged_by_the_rows_that_they_bring(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, QUOTES, [quote(1, -30), quote(2, -30), quote(3, 0)], clock)
    changes = [
        {"op": "update", "row": quote(1, -20), "old": {"id": 1}},
        {"op": "upsert", "row": quote(3, -11)},
        {"op": "update", "row": quote(1, -5), "old": {"id": 1}},
        {"op": "delete", "row": {"id": 2}},
    ]
    result = append(warehouse, QUOTES, changes, clock)
    assert [rejection.line for rejection in result.reasons] == [1, 2]
    assert rows_of(warehouse, "quotes") == Counter({(1, NOON - timedelta(minutes=5)): 1, (3, NOON): 1})


def test_arrow_rows_and_files_are_judged_alike(
    warehouse: Warehouse, clock: ManualClock, tmp_path: Path
) -> None:
    append(warehouse, QUOTES, [quote(1, 0)], clock)
    rows = pa.Table.from_pylist([quote(2, -11), quote(3, -9)])
    assert append(warehouse, QUOTES, rows, clock).rejected == 1
    path = tmp_path / "more.csv"
    path.write_text("id,at\n4,2026-01-01 11:00:00\n5,2026-01-01 12:30:00\n")
    assert append_file(Appender(warehouse, QUOTES, clock), str(path)).rejected == 1
    assert numbers(warehouse) == [1, 3, 5]


def test_a_fraction_of_a_millisecond_counts_for_the_row(warehouse: Warehouse, clock: ManualClock) -> None:
    greatest = NOON + timedelta(microseconds=1500)
    append(warehouse, QUOTES, [{"id": 1, "at": greatest}], clock)
    rows = [
        {"id": 2, "at": greatest - TEN},
        {"id": 3, "at": greatest - TEN - timedelta(milliseconds=2)},
    ]
    for appender in (Appender(warehouse, QUOTES, clock), Appender(Warehouse(warehouse.root), QUOTES, clock)):
        result = appender.append(rows)
        assert result.reasons[-1].line == 2
        rows = [row | {"id": row["id"] + 10} for row in rows]  # type: ignore[operator]
    assert numbers(warehouse) == [1, 2, 12]


@pytest.mark.parametrize("part", range(2))
def test_the_law_of_watermarks(tmp_path: Path, clock: ManualClock, part: int) -> None:
    """Whatever comes in whatever calls: accepted is what is not too late by what was accepted before the call."""
    late = 0
    for seed in range(part * 10, part * 10 + scaled(10)):
        random = Random(seed)
        warehouse = Warehouse(str(tmp_path / str(seed)))
        stored: dict[int, datetime | None] = {}
        for call in range(6):
            rows = [
                quote(
                    10 * call + number,
                    None if random.random() < 0.1 else random.randint(5 * call - 25, 5 * call + 5),
                )
                for number in range(random.randint(0, 6))
            ]
            times = [time for time in stored.values() if time is not None]
            accepted = {
                row["id"]: row["at"]
                for row in rows
                if row["at"] is None or not times or row["at"] >= max(times) - TEN  # type: ignore[operator]
            }
            result = append(warehouse, QUOTES, rows, clock)
            assert (result.accepted, result.rejected) == (len(accepted), len(rows) - len(accepted))
            late += result.rejected
            stored |= accepted  # type: ignore[arg-type]
        assert rows_of(warehouse, "quotes") == Counter(dict.fromkeys(stored.items(), 1))
    assert late > scaled(10)
