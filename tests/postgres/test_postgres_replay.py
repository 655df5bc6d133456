"""The workload of `headwater bench postgres`, small and without Spark; and cleaning up by command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from headwater.bench.postgres import replay
from headwater.cli.app import app
from headwater.storage.warehouse import Warehouse
from support.postgres import rows_in_postgres, rows_of

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


def test_a_mixed_workload_ends_equal(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    snapshot, replayed = replay(uri, warehouse.root, 2_000, lambda text: None)
    assert snapshot.rows == 1100
    assert replayed.rows >= 2_000
    assert rows_of(warehouse, "customers") == rows_in_postgres(connection, "customers")
    assert rows_of(warehouse, "orders") == rows_in_postgres(connection, "orders")


def test_the_command_shows_and_drops(uri: str, connection: Connection, tmp_path: Path) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY)")
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "shop.sql").write_text(
        f"CREATE TABLE a (id INT PRIMARY KEY) USING postgres OPTIONS (uri '{uri}');\n"
        "CREATE TABLE b (id INT) USING files OPTIONS (path 'in');\n"
        "CREATE TABLE c (id INT);\n"
        "CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '5' SECOND AS SELECT id FROM a;\n"
    )
    import headwater
    from headwater.capture.captures import captures

    project = headwater.open(str(tmp_path))
    started = captures(project.project, project.warehouse, project.clock)
    assert sorted(capture.tables for capture in started) == [("a",), ("b",), ("c",)]
    for capture in started:
        assert capture.poll().error is None
        capture.close()
    shown = CliRunner().invoke(app, ["capture", str(tmp_path)])
    assert shown.exit_code == 0
    assert "headwater_shop_" in shown.output
    dropped = CliRunner().invoke(app, ["capture", str(tmp_path), "--drop"])
    assert dropped.exit_code == 0
    assert "dropped replication slot headwater_shop_" in dropped.output
    assert "nothing to drop" in CliRunner().invoke(app, ["capture", str(tmp_path), "--drop"]).output
    assert connection.execute("SELECT count(*) FROM pg_publication").fetchone() == (0,)
