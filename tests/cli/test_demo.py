"""The demo: its traffic fits its tables, its folder is its own, its summary says what the audit saw."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import headwater
from headwater.api import Headwater
from headwater.capture.intake.append import Appended
from headwater.cli.demo.demo import MARKER, prepare_folder
from headwater.cli.demo.feeder import Feeder, feed
from headwater.cli.demo.report import before_promises, how_to_read
from headwater.engine.run.progress import Progress
from headwater.errors import InputError, InternalError
from headwater.model import SqlText, View
from headwater.project import load
from headwater.serve.reports.period import ViewPeriod, period
from headwater.starter import write_starter
from headwater.starter.traffic import TABLES, Traffic
from headwater.storage.records.run_lock import run_lock
from support.commands import HEADWATER, command

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def apply(held: dict[str, dict[tuple[object, ...], Any]], project: Any, changes: dict[str, Any]) -> int:
    """Apply changes as a database with keys would; anything that does not fit is an error."""
    count = 0
    for table, records in changes.items():
        declared = project.tables[table]
        for record in records:
            count += 1
            operation, row = record.get("op", "insert"), record.get("row", record)
            assert tuple(row) == declared.column_names
            key = tuple(row[name] for name in declared.key)
            if operation == "insert":
                assert key not in held[table]
                held[table][key] = row
            elif operation == "update":
                assert held[table][key] != row or table == "products"
                held[table][key] = row
            else:
                assert operation == "delete"
                assert held[table].pop(key) == row
        check_references(held, project)
    return count


def check_references(held: dict[str, dict[tuple[object, ...], Any]], project: Any) -> None:
    for name, table in project.tables.items():
        for foreign in table.foreign_keys:
            known = set(held[foreign.table])
            assert {tuple(row[column] for column in foreign.columns) for row in held[name].values()} <= known


def test_the_traffic_fits_the_tables_and_repeats(tmp_path: Path) -> None:
    write_starter(tmp_path / "shop", "shop")
    project = load(tmp_path / "shop")
    held: dict[str, dict[tuple[object, ...], Any]] = {name: {} for name in TABLES}
    traffic, twin = Traffic(3), Traffic(3)
    opening = traffic.opening(NOON)
    assert opening == twin.opening(NOON)
    apply(held, project, opening)
    seen: set[tuple[str, str]] = set()
    for _ in range(40):
        batch = traffic.batch(NOON, 100)
        assert batch == twin.batch(NOON, 100)
        assert 100 <= apply(held, project, batch) <= 110
        seen |= {
            (table, record.get("op", "insert")) for table, records in batch.items() for record in records
        }
    assert {(table, "insert") for table in TABLES if table != "products"} <= seen
    assert {
        ("products", "update"),
        ("orders", "update"),
        ("orders", "delete"),
        ("payments", "delete"),
    } <= seen


def test_the_feeder_feeds_a_real_project(tmp_path: Path) -> None:
    """Through the API and into Delta tables; no change is rejected."""
    prepare_folder(tmp_path / "demo")
    project = headwater.open(str(tmp_path / "demo"))
    traffic = Traffic()
    opened = feed(project, traffic.opening(NOON, customers=20, orders=30))
    assert opened["orders"] == 30
    with Feeder(project, traffic) as feeder:
        deadline = time.monotonic() + 300
        while feeder.changes < 200 and feeder.error is None and time.monotonic() < deadline:
            time.sleep(0.05)
    assert feeder.error is None
    assert feeder.changes >= 200
    stored = sum(project.warehouse.source(name).snapshot().rows for name in TABLES)
    assert stored >= sum(opened.values()) + feeder.changes  # an update is stored as two changes


class _Full:
    def ingest(self, table: str, records: list[dict[str, object]], /) -> Appended:
        return Appended(0, len(records))


def test_a_rejected_change_is_a_fault_that_is_told() -> None:
    traffic = Traffic()
    with pytest.raises(InternalError, match="customers rejects"):
        feed(_Full(), traffic.opening(NOON))
    with Feeder(_Full(), traffic) as feeder:
        feeder._thread.join(timeout=300)
    assert isinstance(feeder.error, InternalError)


def test_only_an_earlier_demo_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    prepare_folder(folder)
    (folder / "leftover").write_text("old")
    prepare_folder(folder)
    assert not (folder / "leftover").exists()
    assert (folder / MARKER).is_file()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError) as caught:
        prepare_folder(mine)
    assert caught.value.code == "HW865"
    assert (mine / "thesis.txt").read_text() == "years of work"


def test_a_demo_that_is_being_kept_is_not_replaced(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "demo")
    with run_lock(str(tmp_path / "demo" / "warehouse"), 0), pytest.raises(InputError) as caught:
        prepare_folder(tmp_path / "demo")
    assert caught.value.code == "HW866"


def test_a_period_is_what_the_audit_saw() -> None:
    base = {"freshness_s": 10.0, "rows_moved": 0}
    seen = [
        base | {"view": "v", "time": None, "staleness_s": 99.0, "violated": False, "rows": 0, "pushes": 0,
                "cpu_seconds": 0.0, "dollars": 0.0},
        base | {"view": "v", "time": 1, "staleness_s": 4.0, "violated": False, "rows": 5, "pushes": 2,
                "cpu_seconds": 1.5, "dollars": 0.25},
        base | {"view": "v", "time": 2, "staleness_s": 12.0, "violated": True, "rows": 7, "pushes": 1,
                "cpu_seconds": 0.5, "dollars": 0.5},
    ]  # fmt: skip
    view = View("v", SqlText("SELECT 1"), timedelta(seconds=10))
    seen_as = period(view, seen)
    assert (seen_as.worst_staleness_s, seen_as.mean_staleness_s) == (12.0, 8.0)
    assert (seen_as.rows, seen_as.pushes, seen_as.violations, seen_as.snapshots) == (7, 3, 1, 3)
    assert (seen_as.cpu_seconds, seen_as.dollars) == (2.0, 0.75)
    assert period(view, []).worst_staleness_s is None


def test_how_to_read_names_the_real_table() -> None:
    text = how_to_read(Path("demo"), {"order_lines": "/data/demo/warehouse/views/order_lines"})
    assert text.count('"/data/demo/warehouse/views/order_lines"') == 4
    assert "headwater run demo" in text


@pytest.mark.spark
def test_a_short_demo_keeps_and_verifies_every_view(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = command("demo", "--for", "4s", "--json")
    found = json.loads(done.stdout)
    assert len(found["views"]) >= 6
    assert all(view["equal"] is True for view in found["views"])
    assert all(view["snapshots"] >= 1 and view["rows"] > 0 for view in found["views"])
    assert found["changes"]["orders"] > 0
    assert all(Path(view["path"], "_delta_log").is_dir() for view in found["views"])
    assert "computed 8 of 8" in done.stderr
    # As the demo's report says. `to_pyarrow_table` reads the same, but may abort when the process ends.
    snippet = (
        f"from deltalake import DeltaTable, QueryBuilder; view = DeltaTable({found['views'][0]['path']!r});"
        " print(len(QueryBuilder().register('v', view).execute('SELECT * FROM v').read_all()))"
    )
    read = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, check=True)
    assert int(read.stdout) == found["views"][0]["rows"]


@pytest.mark.spark
def test_ctrl_c_while_the_views_are_computed_ends_the_demo_cleanly(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is under way is finished or left, and nothing is fed."""

    def interrupted(self: Headwater, show: Callable[[Progress], None], stop: threading.Event) -> None:
        def shown(progress: Progress) -> None:
            show(progress)
            if progress.pushing and not stop.is_set():
                signal.raise_signal(signal.SIGINT)

        until_idle(self, shown, stop)

    until_idle = Headwater.run_until_idle
    monkeypatch.setattr(Headwater, "run_until_idle", interrupted)
    monkeypatch.chdir(tmp_path)
    done = command("demo", "--for", "10m")
    assert "Stopped early. The project is in demo" in done.stdout
    assert "0 changes fed" in done.stdout
    assert len({view.time for view in headwater.open("demo").status().views}) == 1


@pytest.mark.spark
@pytest.mark.cli
@pytest.mark.long
def test_ctrl_c_ends_the_demo_cleanly(tmp_path: Path) -> None:
    with subprocess.Popen(
        [HEADWATER, "demo", "--for", "10m"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "from here on the promises are audited" in line:
                break
        os.kill(process.pid, signal.SIGINT)
        out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert "Stopped early. The project is in demo" in out


def test_a_worst_staleness_above_the_freshness_without_a_violation_is_explained() -> None:
    def seen(name: str, worst: float | None, violations: int) -> ViewPeriod:
        return ViewPeriod(name, 20.0, worst, worst, 1, 1, violations, 1, 0.0, 0.0)

    views = [seen("early", 21.3, 0), seen("late", 21.3, 1), seen("fresh", 19.0, 0), seen("never", None, 0)]
    (line,) = before_promises(views)
    assert line.startswith("early: ")
    assert before_promises(views[1:]) == []
