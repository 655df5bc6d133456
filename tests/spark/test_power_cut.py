"""A power cut keeps what came from outside; whatever it tore of the rest is computed anew."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from headwater.clock import ManualClock
from headwater.engine.upkeep.damage import remove_damaged
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.log_commits import log_file
from support.spark.keeping import Keeping
from support.spark.shop import SHOP

pytestmark = pytest.mark.spark

VIEWS = """
CREATE MATERIALIZED VIEW spent FRESHNESS = INTERVAL '9' SECOND AS
  SELECT cid, sum(amount) AS total FROM orders GROUP BY cid;
CREATE MATERIALIZED VIEW big_spenders FRESHNESS = INTERVAL '9' SECOND AS
  SELECT cid, total FROM spent WHERE total > 10;
"""


def newest_file(log: DeltaLog) -> str:
    return max((file.path for file in log.snapshot().files), key=os.path.getmtime)


def newest_commit(log: DeltaLog) -> str:
    return log_file(log.path, log.snapshot().version)


HARMS: dict[str, Callable[[DeltaLog], None]] = {
    "data file lost": lambda log: os.unlink(newest_file(log)),
    "data file torn": lambda log: os.truncate(newest_file(log), 50),
    "commit torn": lambda log: os.truncate(newest_commit(log), 50),
    "commit empty": lambda log: os.truncate(newest_commit(log), 0),
    "commit lost": lambda log: os.unlink(newest_commit(log)),
}


@pytest.fixture(scope="module")
def pushed_twice(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A folder, and the time until which its views were pushed."""
    folder = tmp_path_factory.mktemp("power_cut")
    kept = Keeping(spark, folder, SHOP + VIEWS)
    for first in (0, 10):
        kept.ingest("orders", [{"oid": first + n, "cid": n % 3, "amount": n} for n in range(10)])
        kept.push()
    return folder, kept.clock.now()


@pytest.mark.parametrize(
    "table",
    [
        "stages/spent",
        pytest.param("stages/big_spenders", marks=pytest.mark.long),
        pytest.param("views/spent", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize(
    "harm", [harm if "torn" in harm else pytest.param(harm, marks=pytest.mark.long) for harm in HARMS]
)
def test_what_a_power_cut_tore_is_computed_anew(
    harm: str, table: str, pushed_twice: tuple[Path, int], spark: SparkSession, tmp_path: Path
) -> None:
    folder, now = pushed_twice
    shutil.copytree(folder / "warehouse", tmp_path / "warehouse")
    before = Keeping(spark, tmp_path, SHOP + VIEWS)
    kind, name = table.split("/")
    log = before.warehouse.published(name) if kind == "views" else before.workplace.timeline(name).log
    HARMS[harm](log)

    kept = Keeping(spark, tmp_path, SHOP + VIEWS, ManualClock(now))
    notes = remove_damaged(kept.catalog, kept.warehouse)
    if not (table == "views/spent" and harm == "commit lost"):  # then the plain table only lags behind
        assert any(name in note for note in notes), notes
    for first in (20, 30):
        kept.ingest("orders", [{"oid": first + n, "cid": n % 3, "amount": n} for n in range(10)])
        kept.push()
    for view in ("spent", "big_spenders"):
        assert kept.verify(view).equal
        plain = DeltaTable(str(tmp_path / "warehouse" / "views" / view)).to_pyarrow_table()
        assert sorted(tuple(row.values()) for row in plain.to_pylist()) == kept.rows(view)
    assert kept.rows("spent") == [(0, 72), (1, 48), (2, 60)]
    assert remove_damaged(kept.catalog, kept.warehouse) == []
