"""Every kind of edge can be measured, and leaves nothing behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from headwater.cli.app import app
from headwater.engine.spark import session
from headwater.engine.upkeep import calibration
from headwater.engine.upkeep.calibration import KINDS, Extent, measure
from headwater.engine.upkeep.workbench import Workbench
from headwater.storage.records.calibration import calibrated

pytestmark = pytest.mark.spark
SMALL = Extent((1, 50), (200, 400), 0, 1, 60.0)


@pytest.mark.long
def test_every_kind_is_measured_at_every_size(spark: SparkSession, tmp_path: Path) -> None:
    found = measure(spark, str(tmp_path / "bench"), SMALL)
    assert set(found) == set(KINDS)
    assert {(sample.tuples, sample.scanned) for sample in found["join"]} == {
        (1, 200),
        (1, 400),
        (50, 200),
        (50, 400),
    }
    assert {(sample.tuples, sample.scanned) for sample in found["apply"]} == {(1, 0), (50, 0)}
    assert all(sample.seconds > 0 for kind in KINDS if kind != "union" for sample in found[kind])
    assert not (tmp_path / "bench").exists()


def test_a_copy_is_the_delta_and_a_join_finds_every_partner(spark: SparkSession, tmp_path: Path) -> None:
    bench = Workbench(spark, str(tmp_path / "bench"))
    bench.load(300)
    bench.seconds("copy", 40, 0)
    assert bench.replica.read(bench.replica.as_of(bench.replica.time())).num_rows == 40
    bench.seconds("join", 40, 300)
    written = list(Path(bench.target.path).rglob("*.parquet"))
    assert sum(bench.spark.read.parquet(str(file)).count() for file in written) == 40
    bench.seconds("apply", 7, 0)
    assert bench.plain.snapshot().rows == 7


def test_the_command_writes_what_plan_reads(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(calibration, "QUICK", SMALL)
    monkeypatch.setattr(session, "session", lambda *_: _Borrowed(spark))
    picture = tmp_path / "times.svg"
    result = CliRunner().invoke(app, ["calibrate", "--quick", "--json", "--plot", str(picture)])
    assert result.exit_code == 0, result.exception
    answer = json.loads(result.stdout)
    assert [operator["kind"] for operator in answer["operators"]] == list(KINDS)
    found = calibrated(str(tmp_path / "nowhere"))
    assert found.path == answer["path"]
    assert {kind.value: model.fixed for kind, model in found.operators.models.items()}[
        "join"
    ] == pytest.approx(answer["operators"][2]["fixed"])
    assert picture.read_text().startswith("<?xml")


class _Borrowed:
    """The tests' Spark, which the command must not stop."""

    def __init__(self, spark: SparkSession) -> None:
        self.newSession = spark.newSession

    def stop(self) -> None:
        pass
