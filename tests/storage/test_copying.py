"""A replica is the source as of the time it was copied to, whatever happened to the source in between."""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import HeadwaterError
from headwater.storage import copying
from headwater.storage.copying import Copied, copy_delta
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import COMPACTED, TIME, Slice, Timeline
from headwater.storage.zset import consolidate
from support.cases import law

COLUMNS = pa.schema([("k", pa.int64()), ("name", pa.string())])


def changes(*rows: tuple[int | None, str | None, int]) -> pa.Table:
    return pa.table(
        {
            "k": pa.array([row[0] for row in rows], pa.int64()),
            "name": pa.array([row[1] for row in rows], pa.string()),
            "_weight": pa.array([row[2] for row in rows], pa.int64()),
        }
    )


def state(timeline: Timeline, time: int) -> Counter[tuple[object, ...]]:
    rows = consolidate(timeline.read(timeline.as_of(time)))
    return Counter(tuple(row.values()) for row in rows.to_pylist())


def pair(folder: Path) -> tuple[Timeline, Timeline]:
    source = Timeline(str(folder / "one" / "t"))
    source.create(COLUMNS, "orders")
    return source, Timeline(str(folder / "other" / "t"))


def compact(timeline: Timeline, until: int) -> None:
    """All changes up to a time as one file, as the engine's compaction does it."""
    old = [file for file in timeline.snapshot().files if file.maximum[TIME] <= until]
    if old:
        merged = consolidate(timeline.read(Slice(tuple(old), BEGINNING - 1, until)))
        newest = max(file.maximum[TIME] for file in old)
        added = [timeline.write(merged, newest)] if merged.num_rows else []
        assert timeline.log.rewrite(added, old, {COMPACTED: newest})


def parquet_files(timeline: Timeline) -> set[str]:
    return {name for name in os.listdir(timeline.path) if name.endswith(".parquet")}


def test_a_delta_is_copied_once_with_its_times_and_statistics(tmp_path: Path) -> None:
    source, replica = pair(tmp_path)
    source.append(changes((1, "a", 1), (2, None, 1)), 10)
    source.append(changes((1, "a", -1)), 20)
    source.append(changes((7, "z", 1)), 30)
    moved = copy_delta(source, replica, 20)
    assert (moved.files, moved.rows, moved.whole) == (2, 3, False)
    assert moved.bytes == sum(file.size for file in source.as_of(20).files) > 0
    assert replica.time() == 20
    assert replica.log.description() == "orders"
    for theirs, ours in zip(
        sorted(source.as_of(20).files, key=lambda file: file.minimum[TIME]),
        sorted(replica.snapshot().files, key=lambda file: file.minimum[TIME]),
        strict=True,
    ):
        assert theirs.relative != ours.relative
        assert (theirs.rows, theirs.size) == (ours.rows, ours.size)
        assert (theirs.minimum, theirs.maximum, theirs.nulls) == (ours.minimum, ours.maximum, ours.nulls)
    assert copy_delta(source, replica, 20) == copy_delta(source, replica, 15) == Copied()
    assert copy_delta(source, replica, 40).rows == 1
    assert replica.time() == 40  # nothing came after 30: the time moves on all the same
    assert copy_delta(source, replica, 50) == Copied()
    assert replica.time() == 50
    assert state(replica, 15) == state(source, 15)
    assert replica.delta(10, 20).rows == 1


def test_statistics_of_every_type_survive(tmp_path: Path) -> None:
    columns = pa.schema(
        [("at", pa.timestamp("us", "UTC")), ("price", pa.decimal128(10, 2)), ("x", pa.float64()), ("on", pa.date32())]
    )  # fmt: skip
    source, replica = Timeline(str(tmp_path / "a")), Timeline(str(tmp_path / "b"))
    source.create(columns)
    row: dict[str, Any] = {
        "at": datetime(2026, 1, 2, 3, 4, 5, 678901, UTC),
        "price": Decimal("1.25"),
        "x": 0.5,
        "on": datetime(2026, 1, 2).date(),
    }
    source.append(
        pa.Table.from_pylist([{**row, "_weight": 1}], columns.append(pa.field("_weight", pa.int64()))), 5
    )
    copy_delta(source, replica, 5)
    (theirs,), (ours,) = source.snapshot().files, replica.snapshot().files
    assert set(theirs.minimum) >= {"at", "price", "x", "on", TIME}
    assert (theirs.minimum, theirs.maximum, theirs.nulls) == (ours.minimum, ours.maximum, ours.nulls)
    assert ours.may_hold("at", row["at"], row["at"])


def test_a_source_compacted_meanwhile_is_copied_whole(tmp_path: Path) -> None:
    source, replica = pair(tmp_path)
    source.append(changes((1, "a", 1)), 10)
    copy_delta(source, replica, 10)
    source.append(changes((2, "b", 1)), 20)
    compact(source, 20)
    source.append(changes((1, "a", -1)), 30)
    moved = copy_delta(source, replica, 30)
    assert (moved.files, moved.rows, moved.whole) == (2, 3, True)
    assert state(replica, 30) == Counter({(2, "b", 1): 1})
    assert replica.horizon() == source.horizon() == 20


def test_a_new_replica_of_a_compacted_source_forgets_what_the_source_forgot(tmp_path: Path) -> None:
    source, replica = pair(tmp_path)
    source.append(changes((1, "a", 1)), 10)
    source.append(changes((2, "b", 1)), 20)
    compact(source, 20)
    assert not copy_delta(source, replica, 20).whole
    assert replica.horizon() == 20
    with pytest.raises(HeadwaterError, match="no longer be read as of 15"):
        copy_delta(source, Timeline(str(tmp_path / "late")), 15)


def test_a_crash_in_mid_copy_leaves_orphans_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, replica = pair(tmp_path)
    source.append(changes((1, "a", 1)), 10)
    copy_delta(source, replica, 10)
    source.append(changes((2, "b", 1)), 20)
    source.append(changes((3, "c", 1)), 30)
    copied: list[str] = []

    def dies(here: str, there: str) -> None:
        if copied:
            with open(there, "wb") as half:
                half.write(b"PAR1")
            raise OSError("the machine stopped")
        Path(there).write_bytes(Path(here).read_bytes())
        copied.append(there)

    monkeypatch.setattr(copying.shutil, "copyfile", dies)
    with pytest.raises(OSError, match="the machine stopped"):
        copy_delta(source, replica, 30)
    monkeypatch.undo()
    again = Timeline(replica.path)
    assert again.time() == 10
    assert state(again, 99) == state(source, 10)
    assert len(parquet_files(again)) == 3
    assert copy_delta(source, again, 30).files == 2
    assert state(again, 30) == state(source, 30)
    assert again.snapshot().rows == 3


def test_a_replica_made_for_other_columns_is_made_anew(tmp_path: Path) -> None:
    source, replica = pair(tmp_path)
    source.append(changes((1, "a", 1)), 10)
    replica.create(pa.schema([("other", pa.string())]))
    replica.append(pa.table({"other": ["x"], "_weight": pa.array([1], pa.int64())}), 99)
    assert copy_delta(source, replica, 10).rows == 1
    assert state(replica, 10) == state(source, 10)


steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("append"),
            st.lists(
                st.tuples(st.integers(0, 3), st.sampled_from([None, "a", "b"]), st.sampled_from([1, -1, 2])),
                max_size=4,
            ),
        ),
        st.tuples(st.just("compact"), st.integers(0, 100)),
        st.tuples(st.just("compact replica"), st.integers(0, 100)),
        st.tuples(st.just("copy"), st.integers(0, 100)),
        st.tuples(st.just("reopen"), st.none()),
    ),
    min_size=1,
    max_size=14,
)


@law(30)
@given(steps)
def test_a_replica_equals_its_source(script: list[tuple[str, Any]]) -> None:
    """After every copy, at every time that both still know, and in every delta between such times."""
    with TemporaryDirectory() as folder:
        source, replica = pair(Path(folder))
        now = 0
        for action, how in script:
            percent = how if isinstance(how, int) else 0
            match action:
                case "append":
                    now += 10
                    source.append(changes(*how), now)
                case "compact":
                    compact(source, now * percent // 100)
                case "compact replica" if replica.exists():
                    compact(replica, replica.time() * percent // 100)
                case "reopen":
                    replica = Timeline(replica.path)
                case "copy":
                    until = max(source.horizon(), now - now * percent // 200, 1)
                    copy_delta(source, replica, until)
                    assert replica.time() >= until
                    same(source, replica)


def same(source: Timeline, replica: Timeline) -> None:
    horizon = max(source.horizon(), replica.horizon(), 1)
    times = [horizon, *range((horizon // 10 + 1) * 10, replica.time() + 1, 10)]
    for time in times:
        if time <= replica.time():
            assert state(replica, time) == state(source, time)
            theirs, ours = (
                source.read(source.delta(horizon, time)),
                replica.read(replica.delta(horizon, time)),
            )
            assert consolidate(theirs).to_pylist() == consolidate(ours).to_pylist()
