"""headwater vacuum and status --storage, on a warehouse made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import headwater
from headwater.cli.app import app
from headwater.clock import ManualClock, SystemClock, micros
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.records.run_lock import run_lock

SQL = """
CREATE TABLE t (a BIGINT);
CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '30' SECOND AS SELECT a FROM t;
CREATE MATERIALIZED VIEW w FRESHNESS = INTERVAL '30' SECOND AS SELECT a FROM t WHERE a > 1;
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two hours from now."""
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "all.sql").write_text(SQL)
    project = headwater.open(str(tmp_path))
    project.ingest("t", [{"a": 1}])
    for view in ("v", "w"):
        timeline = project.warehouse.stage(project.catalog.folder(view))
        timeline.create(pa.schema([("a", pa.int64())]))
        timeline.append(pa.table({"a": [1], "_weight": pa.array([1], pa.int64())}), 1)
    for folder in ("stages/v@old", "views/w"):
        log = DeltaLog(str(tmp_path / "warehouse" / folder))
        log.create(pa.schema([("a", pa.int64())]))
        log.commit(1, [write_parquet(log.path, "a.parquet", pa.table({"a": [1]}))])
    project.warehouse.source("t").write(pa.table({"a": [2], "_weight": pa.array([1], pa.int64())}), 9)
    real: Callable[..., Any] = headwater.open
    later = SystemClock().now() + micros(timedelta(hours=2))
    monkeypatch.setattr(
        headwater, "open", lambda folder, **options: real(folder, ManualClock(later), **options)
    )
    return tmp_path


def answer(*words: object) -> dict[str, Any]:
    result = CliRunner().invoke(app, [*(str(word) for word in words), "--json"])
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def removed(found: dict[str, Any]) -> set[tuple[str, str]]:
    return {(gone["table"], gone["why"]) for gone in found["removed"]}


def test_vacuum(shop: Path) -> None:
    expected = {("t", "orphan"), ("v@old", "old version")}
    stored = answer("status", shop, "--storage")["storage"]
    assert removed(stored["would_remove"]) == expected
    tables = {
        (table["kind"], table["name"].split("@")[0], table["used"]): table for table in stored["tables"]
    }
    assert tables["source", "t", True]["orphan_bytes"] > 0
    assert tables["stage", "v", False]["live_bytes"] > 0
    assert stored["total_bytes"] > sum(table["live_bytes"] for table in stored["tables"])
    dry = answer("vacuum", shop, "--dry-run")
    assert (removed(dry), dry["dry_run"], dry["bytes"] > 0) == (expected, True, True)
    assert (shop / "warehouse/stages/v@old").exists()
    assert removed(answer("vacuum", shop)) == expected
    assert not (shop / "warehouse/stages/v@old").exists()
    assert answer("vacuum", shop)["files"] == 0
    assert (shop / "warehouse/views/w").exists()


def test_beside_a_run_whole_tables_are_left_to_it(shop: Path) -> None:
    with run_lock(str(shop / "warehouse"), 1):
        done = answer("vacuum", shop)
    assert removed(done) == {("t", "orphan")}
    assert done["left_to_run"] == ["v@old"]


def test_data_that_a_drop_keeps_stay(shop: Path) -> None:
    answer("drop", shop, "w", "--keep-data")
    answer("vacuum", shop)
    assert (shop / "warehouse/views/w").exists()
    assert len(list((shop / "warehouse/stages").glob("w@*"))) == 1


def test_a_view_that_was_deleted_by_hand_goes(shop: Path) -> None:
    (shop / "all.sql").write_text(SQL.rsplit("CREATE", 1)[0])
    answer("vacuum", shop)
    assert not (shop / "warehouse/views/w").exists()
    assert not list((shop / "warehouse/stages").glob("w@*"))


def test_the_text(shop: Path) -> None:
    text = CliRunner().invoke(app, ["status", str(shop), "--storage"]).stdout
    assert all(word in text for word in ("old version", "orphans", "headwater vacuum would delete"))
    text = CliRunner().invoke(app, ["vacuum", str(shop), "--dry-run"]).stdout
    assert "would be deleted" in text
    assert CliRunner().invoke(app, ["vacuum", str(shop / "nowhere")]).exit_code != 0


def test_a_project_that_never_ran_has_nothing_to_vacuum(tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "all.sql").write_text(SQL)
    assert answer("vacuum", tmp_path)["files"] == 0
