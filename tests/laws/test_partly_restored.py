"""Any parts of a warehouse restored from an older backup, or gone: views equal their SQL over the rows that are there.

A backup is seldom whole: a folder is forgotten, another is restored alone.  The run that starts then must not
go on from what no longer fits together, whether or not a writer came before it.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from deltalake import DeltaTable

import headwater as hw
from headwater.bench.crash.checks import differing
from headwater.engine.push import pusher
from headwater.serve.planning.shared_catalog import shared_catalog
from support.cases import scaled
from support.crashes.processes import Run
from support.without_spark import run_without_spark

pytestmark = pytest.mark.slow

SQL = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT, amount BIGINT);
CREATE TABLE items (id BIGINT PRIMARY KEY, order_id BIGINT, q BIGINT);
CREATE MATERIALIZED VIEW large FRESHNESS = INTERVAL '9' SECOND AS
  SELECT id, customer, amount FROM orders WHERE amount > 10;
CREATE MATERIALIZED VIEW by_customer FRESHNESS = INTERVAL '9' SECOND AS
  SELECT customer, count(*) AS n, sum(amount) AS total FROM orders GROUP BY customer;
CREATE MATERIALIZED VIEW by_number FRESHNESS = INTERVAL '9' SECOND AS
  SELECT n, count(*) AS customers FROM by_customer GROUP BY n;
CREATE MATERIALIZED VIEW joined FRESHNESS = INTERVAL '9' SECOND AS
  SELECT l.customer, i.id, i.q FROM large l JOIN items i ON i.order_id = l.id;
"""
FOLDERS = ("sources", "clocks", "stages", "views")
CASES = 20


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A project, and what its warehouse was before the last pushes."""
    folder, backup = tmp_path_factory.mktemp("kept"), tmp_path_factory.mktemp("backup")
    (folder / "headwater.yml").write_text("name: kept\n")
    (folder / "all.sql").write_text(SQL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pusher, "run_action", run_without_spark)
        for first in (0, 100):
            write(folder, first)
        shutil.copytree(folder / "warehouse", backup, dirs_exist_ok=True)
        write(folder, 200, gone=105)
        yield folder, backup


def write(folder: Path, first: int, gone: int | None = None) -> None:
    project = hw.open(str(folder))
    numbers = range(first, first + 20)
    project.ingest("orders", [{"id": n, "customer": n % 3, "amount": n - first} for n in numbers])
    project.ingest("items", [{"id": n, "order_id": n, "q": n} for n in numbers])
    if gone is not None:
        project.ingest("orders", [{"op": "delete", "row": {"id": gone}}])
    push(project)


def push(project: hw.Headwater) -> None:
    """By a run that starts now."""
    run = Run.after_a_crash(
        shared_catalog(project.catalog, project.warehouse), project.warehouse, project.clock
    )
    run.push()
    run.close()


@pytest.mark.parametrize("seed", range(scaled(CASES)))
def test_parts_of_a_backup(seed: int, states: tuple[Path, Path], tmp_path: Path) -> None:
    folder, backup = states
    chance = random.Random(seed)
    shutil.copytree(folder, tmp_path / "kept")
    parts = sorted(path.relative_to(backup) for name in FOLDERS for path in (backup / name).iterdir())
    for part in chance.sample(parts, chance.randint(1, 6)):
        restore(tmp_path / "kept" / "warehouse" / part, backup / part, empty=chance.random() < 0.3)
    if chance.random() < 0.5:
        upsert(tmp_path / "kept", "orders", {"id": 205, "customer": 2, "amount": 77})
    push(hw.open(str(tmp_path / "kept")))
    upsert(tmp_path / "kept", "items", {"id": 205, "order_id": 205, "q": 9})
    project = hw.open(str(tmp_path / "kept"))
    push(project)
    assert differing(project) == []
    for view in project.catalog.kept:
        plain = DeltaTable(project.warehouse.published(view).path).to_pyarrow_table()
        assert plain.num_rows == len(project.read(view)), view


def restore(part: Path, backup: Path, empty: bool) -> None:
    """As it was in the backup; or gone."""
    if part.is_dir():
        shutil.rmtree(part)
    else:
        part.unlink(missing_ok=True)
    if not empty:
        (shutil.copytree if backup.is_dir() else shutil.copy2)(backup, part)


def upsert(folder: Path, table: str, row: dict[str, int]) -> None:
    assert hw.open(str(folder)).ingest(table, [{"op": "upsert", "row": row}]).accepted == 1
