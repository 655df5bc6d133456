"""Vacuum deletes what nobody can need, and nothing else."""

from __future__ import annotations

import os
import time as wall
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from headwater.clock import micros
from headwater.storage.delta.delta_log import DeltaLog, Snapshot
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.records.run_lock import run_lock
from headwater.storage.timeline import WEIGHT, Timeline, new_file_name
from headwater.storage.vacuum.in_use import InUse
from headwater.storage.vacuum.inventory import TableStorage
from headwater.storage.vacuum.table_files import UnusedFile, table_files
from headwater.storage.vacuum.vacuum import Vacuum, Vacuumed
from headwater.storage.warehouse import Warehouse

COLUMNS = pa.schema([("a", pa.int64())])
HOUR = timedelta(hours=1)
USED = InUse(frozenset({"t"}), frozenset({"v"}), frozenset({"shared@9"}), {"v": frozenset({"2"})})


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(str(tmp_path / "warehouse"))


@pytest.fixture
def source(warehouse: Warehouse) -> Timeline:
    timeline = warehouse.source("t")
    timeline.create(COLUMNS)
    return timeline


def rows(*values: int) -> pa.Table:
    return pa.table({"a": list(values), WEIGHT: pa.array([1] * len(values), pa.int64())})


def now() -> int:
    return wall.time_ns() // 1000


def vacuum(
    warehouse: Warehouse, later: timedelta, reads: timedelta = HOUR, whole: bool = True, dry_run: bool = False
) -> Vacuumed:
    """A vacuum that looks at the clock `later` than now."""

    @contextmanager
    def using() -> Iterator[InUse]:
        yield USED

    at = now() + micros(later)
    return Vacuum(warehouse, (warehouse.root,), using, reads, at, whole, dry_run).run()


def data_files(timeline: Timeline) -> int:
    return len(list(Path(timeline.path).glob("*.parquet")))


def test_what_was_never_committed_goes_after_the_retention(warehouse: Warehouse, source: Timeline) -> None:
    source.append(rows(1), 10)
    source.write(rows(2), 20)  # by a push that failed
    draft = Path(source.path) / "_delta_log" / "_commit_0123abcd.json.tmp"
    draft.write_text("{")
    assert vacuum(warehouse, HOUR / 2).files == 0
    assert vacuum(warehouse, HOUR / 2).waiting_bytes > 0
    assert vacuum(warehouse, 2 * HOUR, dry_run=True).files == 2
    assert data_files(source) == 2
    assert [(gone.table, gone.why, gone.files) for gone in vacuum(warehouse, 2 * HOUR).removed] == [
        ("t", "orphan", 2)
    ]
    assert (data_files(source), draft.exists()) == (1, False)
    assert source.read(source.as_of(10)).num_rows == 1


def test_what_was_replaced_goes_after_the_retention(warehouse: Warehouse, source: Timeline) -> None:
    for time in (10, 20):
        source.append(rows(time), time)
    old = source.snapshot().files
    assert source.log.rewrite([source.write(rows(10, 20), 20)], old, {})
    assert vacuum(warehouse, HOUR / 2).files == 0
    (gone,) = vacuum(warehouse, 2 * HOUR).removed
    assert (gone.why, gone.files) == ("unused", 2)
    assert data_files(source) == 1


def clean_log(log: DeltaLog) -> None:
    """As if a checkpoint had been made and all older commits were deleted."""
    log.commit(log.time() + 1)
    DeltaTable(log.path).create_checkpoint()
    newest = log.snapshot().version
    for version in range(newest):
        (Path(log.path) / "_delta_log" / f"{version:020d}.json").unlink()


def test_also_if_the_log_has_forgotten_it(warehouse: Warehouse, source: Timeline) -> None:
    source.append(rows(1), 10)
    old = source.snapshot().files
    assert source.log.rewrite([source.write(rows(1), 10)], old, {})
    clean_log(source.log)
    (unused,) = table_files(DeltaLog(source.path)).unused
    assert (unused.orphan, unused.certain) == (True, False)
    assert vacuum(warehouse, HOUR / 2).files == 0
    assert vacuum(warehouse, 2 * HOUR).files == 1
    assert data_files(source) == 1


def test_where_the_log_is_shorter_than_the_retention_a_file_waits_from_when_it_was_found(
    warehouse: Warehouse, source: Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log always goes back an hour, and reads may take a day."""
    orphan = Path(source.path) / "orphan.parquet"
    orphan.write_bytes(b"")
    noted = Path(warehouse.root) / "unused_files.json"

    def tables(*_: object) -> Iterator[TableStorage]:
        start_of_log = now() + micros(1000 * HOUR)
        unused = UnusedFile(str(orphan), 0, now(), start_of_log, orphan=True, certain=False)
        yield TableStorage("t", "source", source.path, True, 0, unused=(unused,) if orphan.exists() else ())

    monkeypatch.setattr("headwater.storage.vacuum.vacuum.tables_of", tables)
    day = timedelta(days=1)
    assert vacuum(warehouse, 20 * HOUR, reads=day).files == 0
    assert not noted.exists()  # too young: it may be about to be committed
    assert vacuum(warehouse, 30 * HOUR, reads=day).files == 0
    assert "orphan.parquet" in noted.read_text()
    assert vacuum(warehouse, 50 * HOUR, reads=day).files == 0
    assert vacuum(warehouse, 55 * HOUR, reads=day).files == 1
    assert (orphan.exists(), noted.read_text()) == (False, "{}")


def test_an_old_file_that_has_just_been_linked_is_safe(warehouse: Warehouse, source: Timeline) -> None:
    """It will be committed in a moment, though it was written long ago."""
    source.append(rows(1), 10)
    (stored,) = source.snapshot().files
    log = warehouse.published("v")
    log.create(COLUMNS)
    day_ago = wall.time() - 86_400
    os.utime(stored.path, (day_ago, day_ago))
    os.link(stored.path, os.path.join(log.path, new_file_name(10)))
    assert vacuum(warehouse, timedelta(minutes=30)).files == 0


def test_a_file_that_is_committed_while_the_vacuum_looks_is_safe(
    warehouse: Warehouse, source: Timeline
) -> None:
    written = source.write(rows(1), 10)

    class Committing(DeltaLog):
        def snapshot(self) -> Snapshot:
            DeltaLog(self.path).commit(10, [written])
            return super().snapshot()

    assert table_files(Committing(source.path)).unused == ()


def table(path: str) -> None:
    log = DeltaLog(path)
    log.create(COLUMNS)
    log.commit(1, [write_parquet(path, "a.parquet", pa.table({"a": [1]}))])


@pytest.mark.parametrize("whole", [True, False])
def test_tables_that_no_view_uses_go(warehouse: Warehouse, whole: bool) -> None:
    unused = ["stages/v@1", "stages/v$1@1", "stages/gone@2", "views/gone"]
    used = ["stages/v@2", "stages/v$1@2", "stages/shared@9", "views/v", "sources/deleted", "system/audit"]
    for name in (*unused, *used):
        table(os.path.join(warehouse.root, name))
    left = {*unused, *used}
    assert vacuum(warehouse, HOUR / 2, whole=whole).removed == ()
    done = vacuum(warehouse, 2 * HOUR, whole=whole)
    if whole:
        assert {gone.table for gone in done.removed} == {"v@1", "v$1@1", "gone@2", "gone"}
        left -= {*unused}
    else:
        assert set(done.left_to_run) == {"v@1", "v$1@1", "gone@2", "gone"}
    folders = {
        f"{path.parent.name}/{path.name}" for path in Path(warehouse.root).glob("*/*") if path.is_dir()
    }
    assert folders == left


def test_a_table_that_is_used_again_meanwhile_stays(warehouse: Warehouse) -> None:
    path = os.path.join(warehouse.root, "stages/v@1")
    table(path)
    uses = iter([USED, InUse(frozenset(), frozenset(), frozenset({"v@1"}), {})])

    @contextmanager
    def using() -> Iterator[InUse]:
        yield next(uses)

    later = now() + micros(2 * HOUR)
    assert Vacuum(warehouse, (warehouse.root,), using, HOUR, later, whole_tables=True).run().removed == ()
    assert os.path.isdir(path)


def test_a_table_that_cannot_be_read_is_left_alone(warehouse: Warehouse, source: Timeline) -> None:
    source.append(rows(1), 10)
    source.write(rows(2), 20)
    (Path(source.path) / "_delta_log" / f"{2:020d}.json").write_text('{"add": {"pa')
    fresh = Warehouse(warehouse.root)
    assert vacuum(fresh, 2 * HOUR).files == 0
    assert data_files(source) == 2


def test_a_full_disk_keeps_no_vacuum_from_freeing_it(
    warehouse: Warehouse, source: Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.append(rows(1), 10)
    source.write(rows(2), 20)  # by a push that failed
    table(os.path.join(warehouse.root, "stages/v@1"))
    monkeypatch.setattr("headwater.storage.vacuum.vacuum._first_seen", lambda _: {"gone.parquet": 1})

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        for name in ("mkdir", "pwrite", "rename", "replace"):
            patched.setattr(os, name, full)
        with run_lock(warehouse.root, 0):
            done = vacuum(warehouse, 2 * HOUR)
    assert [(removed.table, removed.files) for removed in done.removed] == [("t", 1)]
    assert data_files(source) == 1
    assert {removed.table for removed in vacuum(warehouse, 2 * HOUR).removed} == {"v@1"}
