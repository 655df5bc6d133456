"""Rates and models come from the logs, and say nothing where the logs say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from headwater.clock import ManualClock
from headwater.serve.measured import changes_per_second, inputs
from headwater.sharing.facts import Origin
from headwater.storage.delta_log import DataFile
from headwater.storage.journal import PUSHES, append_rows
from headwater.storage.timeline import TIME

SECOND = 1_000_000


def file(first: float, last: float, rows: int) -> DataFile:
    low, high = {TIME: int(first * SECOND)}, {TIME: int(last * SECOND)}
    return DataFile("x", "x", rows, 1, low, high, {})


@pytest.mark.parametrize(
    ("files", "rate"),
    [
        ((), None),
        ((file(10, 10, 5),), None),
        ((file(10, 10, 5), file(10.5, 10.5, 5)), None),
        # A load of a million rows, then ten changes a second: the load is no rate.
        ((file(10, 10, 10**6), *(file(10 + n, 10 + n, 10) for n in range(1, 11))), 10.0),
        # What is older than ten minutes does not count.
        ((file(10, 10, 7), file(20, 20, 10**6), file(5000, 5000, 3), file(5010, 5010, 20)), 2.0),
        # A compacted file spans a time of its own.
        ((file(10, 20, 100),), 10.0),
    ],
)
def test_a_rate_is_what_came_over_the_time_it_took(files: tuple[DataFile, ...], rate: float | None) -> None:
    assert changes_per_second(files) == rate


def push(stage: str, mode: str, seconds: float, at: int, error: str = "") -> dict[str, object]:
    return {
        "at": at, "view": stage, "stage": stage, "mode": mode, "reason": "", "after": 0, "until": at,
        "changed_rows": 10, "scanned_rows": 100, "result_rows": 10, "seconds": seconds,
        "predicted_seconds": 0.0, "cpu_seconds": seconds / 2, "spark_jobs": 1, "attempt": 1, "error": error,
    }  # fmt: skip


def test_models_are_learnt_from_the_pushes_that_did_something(tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: t\n")
    (tmp_path / "t.sql").write_text(
        "CREATE TABLE t (a INT) EXPECT ROWS 5;"
        "CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '9' SECOND AS SELECT a FROM t;"
    )
    project = headwater.open(str(tmp_path), ManualClock())
    assert inputs(project.catalog, project.warehouse).models == {}
    rows = [push("v", "incremental", 3.0, at) for at in range(1, 9)]
    rows += [push("v", "empty", 900.0, 9), push("v", "failed", 900.0, 10, "boom")]
    append_rows(project.warehouse.system("pushes"), PUSHES, rows, 1)
    project.ingest("t", [{"a": 1}, {"a": 2}])
    found = inputs(project.catalog, project.warehouse)
    incremental, full = found.models["v"]
    assert len(incremental.observations) == 8
    assert incremental.coefficients[0] == pytest.approx(3.0, rel=0.15)
    assert full.coefficients == incremental.coefficients  # never seen: what the other way taught
    assert found.busy == {"v": pytest.approx(0.5)}
    assert (found.sources["t"].rows, found.sources["t"].rows_from) == (2, Origin.STATISTICS)
    assert found.sources["t"].rate_from is Origin.DEFAULT
