"""Tables gain columns under views on Spark: what does not read them goes on, everything stays exact."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import headwater
from headwater.engine.run.progress import Progress
from headwater.storage.records.journal import PUSHES, read_rows

pytestmark = pytest.mark.spark

VIEWS = """
CREATE MATERIALIZED VIEW by_city AS SELECT city, count(*) AS n, sum(total) AS total FROM orders GROUP BY city;
CREATE MATERIALIZED VIEW ranked AS SELECT id, row_number() OVER (ORDER BY id) AS place FROM orders;
CREATE MATERIALIZED VIEW everything AS SELECT * FROM orders;
CREATE MATERIALIZED VIEW first_one AS SELECT * FROM orders ORDER BY id LIMIT 1;
"""

COLUMNS = "id BIGINT PRIMARY KEY, city STRING, total INT, channel STRING DEFAULT 'shop'"
CHANNELS = "CREATE MATERIALIZED VIEW channels_of AS SELECT id, channel FROM orders;"


def declare(folder: Path, columns: str, more: str = "") -> headwater.Headwater:
    (folder / "all.sql").write_text(f"CREATE TABLE orders ({columns});{VIEWS}{more}")
    return headwater.open(str(folder))


def modes(project: headwater.Headwater, view: str) -> list[str]:
    rows = read_rows(project.warehouse.system("pushes"), PUSHES).to_pylist()
    return [row["mode"] for row in rows if row["view"] == view and row["mode"] != "empty"]


def test_columns_added_between_pushes(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: p\nspark: {master: 'local[2]'}\n")
    project = declare(tmp_path, "id BIGINT PRIMARY KEY, city STRING, total INT")
    project.ingest("orders", [{"id": n, "city": "ab"[n % 2], "total": n} for n in range(20)])
    project.run_until_idle(sharing=False)
    before = project.catalog.versions
    project = declare(
        tmp_path,
        "channel STRING NOT NULL DEFAULT 'shop', id BIGINT PRIMARY KEY, city STRING, total INT, note STRING",
        "CREATE MATERIALIZED VIEW channels AS SELECT channel, count(*) AS n FROM orders GROUP BY channel;",
    )
    assert {name for name in before if before[name] == project.catalog.versions[name]} == {
        "by_city",
        "ranked",
    }
    project.ingest(
        "orders",
        [
            {"id": 20, "city": "a", "total": 1, "channel": "web", "note": "x"},
            {"op": "delete", "row": {"id": 0}},
            {"op": "update", "row": {"id": 1, "city": "c", "total": 5}},
        ],
    )
    project.run_until_idle(sharing=False)
    assert all(view.equal for view in project.verify())
    assert sorted(tuple(row.values()) for row in project.read("channels").to_pylist()) == [
        ("shop", 19),
        ("web", 1),
    ]
    assert list(project.read("everything").to_pylist()[0]) == ["channel", "id", "city", "total", "note"]
    assert project.read("first_one").to_pylist()[0]["channel"] == "shop"
    assert "initial" not in [mode.lower() for mode in modes(project, "by_city")[1:]]


def test_a_run_takes_a_new_column_over(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: p\nspark: {master: 'local[2]'}\n")
    project = declare(tmp_path, "id BIGINT PRIMARY KEY, city STRING, total INT")
    project.ingest("orders", [{"id": 1, "city": "a", "total": 1}])
    stop, notes, errors = threading.Event(), list[str](), dict[str, str]()

    def show(progress: Progress) -> None:
        notes[:] = progress.notes
        errors.update(progress.errors)
        if pushed.is_set() or progress.at > deadline:
            stop.set()
        elif any("new columns orders.channel" in note for note in notes):
            if progress.pushes.get("channels_of"):
                pushed.set()
        elif all(progress.pushes.values()):
            declare(tmp_path, COLUMNS, CHANNELS)

    pushed = threading.Event()
    deadline = project.clock.now() + 240_000_000
    project.run(stop=stop, show=show)
    assert errors == {}
    assert pushed.is_set(), notes
    project.ingest("orders", [{"id": 2, "city": "b", "total": 1, "channel": "web"}])
    project.run_until_idle()
    assert all(view.equal for view in project.verify())
    assert sorted(tuple(row.values()) for row in project.read("channels_of").to_pylist()) == [
        (1, "shop"),
        (2, "web"),
    ]
