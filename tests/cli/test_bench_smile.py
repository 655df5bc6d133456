"""`headwater bench smile`: how it checks and measures, its experiments, and the command itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import headwater
from headwater.bench.smile.experiments.answers import Bench
from headwater.bench.smile.experiments.capacity import CAP, find_highest
from headwater.bench.smile.experiments.plans import plan_views, situation_of
from headwater.bench.smile.measuring.measures import (
    Journals,
    measure_view,
    prediction_error,
    tuples_per_snapshot,
)
from headwater.bench.smile.measuring.monitor import Tree
from headwater.bench.smile.measuring.verify import check_views
from headwater.bench.smile.workload.gowalla import Gowalla, check_ins
from headwater.bench.smile.workload.preload import fill
from headwater.bench.smile.workload.project import Shape, write_project
from headwater.catalog import build
from headwater.cli.app import app
from headwater.errors import InputError
from headwater.planning.relations.sharings import sharings_of
from headwater.planning.search.search import Aim
from headwater.project import load
from headwater.storage.timeline import WEIGHT
from support.commands import SHORT_LIVED

pytestmark = pytest.mark.slow

SEED = 7


def weighted(rows: pa.Table, weight: int = 1) -> pa.Table:
    return rows.append_column(WEIGHT, pa.repeat(pa.scalar(weight, pa.int64()), rows.num_rows))


# Checking


@pytest.fixture
def computed(tmp_path: Path) -> headwater.Headwater:
    """A project whose views were filled by DuckDB, without Spark."""
    write_project(tmp_path, Shape(sites=1, numbers=(1, 9)))
    project = headwater.open(str(tmp_path))
    fill(project, tmp_path, 2_000, SEED, lambda text: None)
    connection = duckdb.connect()
    for name in project.project.tables:
        source = project.warehouse.source(name)
        connection.register(name, source.read(source.as_of(source.time())).drop_columns([WEIGHT]))
    for name, view in project.project.views.items():
        rows = connection.sql(view.sql.text).to_arrow_table()
        stage = project.warehouse.stage(project.catalog.folder(name))
        stage.create(rows.schema)
        stage.append(weighted(rows), project.clock.now())
    return project


def test_views_that_are_right_are_found_right(computed: headwater.Headwater, tmp_path: Path) -> None:
    found = check_views(computed, tmp_path / "scratch")
    assert [line.view for line in found] == ["s01_twitaholic", "s09_checkoutcheckins"]
    assert all(line.equal and line.rows == line.expected > 0 for line in found)


@pytest.mark.parametrize("change", ["lost", "doubled", "altered"])
def test_a_wrong_row_is_found(computed: headwater.Headwater, tmp_path: Path, change: str) -> None:
    stage = computed.warehouse.stage(computed.catalog.folder("s09_checkoutcheckins"))
    row = stage.read(stage.as_of(stage.time())).slice(0, 1).drop_columns([WEIGHT])
    altered = row.set_column(row.column_names.index("rid"), "rid", pa.array([-1], pa.int64()))
    wrong = {
        "lost": weighted(row, -1),
        "doubled": weighted(row),
        "altered": pa.concat_tables([weighted(row, -1), weighted(altered)]),
    }[change]
    stage.append(wrong, computed.clock.now())
    found = {checked.view: checked for checked in check_views(computed, tmp_path / "scratch")}
    assert found["s01_twitaholic"].equal
    assert not found["s09_checkoutcheckins"].equal


def test_a_view_that_stands_still_is_not_right(computed: headwater.Headwater, tmp_path: Path) -> None:
    computed.ingest("users", [{"uid": 5_000_000, "name": "late"}])
    found = {checked.view: checked.equal for checked in check_views(computed, tmp_path / "scratch")}
    assert found == {"s01_twitaholic": False, "s09_checkoutcheckins": True}


# Measures


def audit_row(at: float, staleness: float, violated: bool = False) -> dict[str, Any]:
    return {"at": int(at * 1e6), "view": "v", "staleness_s": staleness, "freshness_s": 45.0, "violated": violated,
            "rows_moved": 3, "cpu_seconds": 0.5, "dollars": 0.25}  # fmt: skip


def push_row(at: float, after: float, until: float, **more: Any) -> dict[str, Any]:
    plain = {"view": "v", "stage": "v", "mode": "incremental", "error": "", "seconds": 2.0,
             "predicted_seconds": 1.0, "result_rows": 10}  # fmt: skip
    return plain | {"at": int(at * 1e6), "after": int(after * 1e6), "until": int(until * 1e6)} | more


def test_a_view_is_measured_within_the_window() -> None:
    audit = [audit_row(95, 99, True), audit_row(105, 40), audit_row(110, 50, True), audit_row(125, 99, True)]
    pushes = [push_row(104, 60, 100), push_row(106, 100, 100, mode="empty"), push_row(111, 70, 110),
              push_row(112, 0, 0, stage="shared", result_rows=7)]  # fmt: skip
    found = measure_view("v", Journals(audit, pushes, 100.0, 120.0))
    assert (found.snapshots, found.violations, found.worst_staleness_s, found.mean_staleness_s) == (
        2,
        1,
        50,
        45,
    )
    assert (found.pushes, found.before_s, found.after_s, found.advanced_s) == (2, 42.5, 2.5, 40)
    assert (found.rows_moved, found.cpu_seconds, found.dollars) == (6, 1.0, 0.5)
    moved = tuples_per_snapshot(Journals(audit, pushes, 100.0, 120.0))
    assert moved == [(0.0, 10), (5.0, 10), (10.0, 17), (15.0, 0)]


def test_predictions_count_after_ten_pushes() -> None:
    pushes = [push_row(number, 0, 1) for number in range(10)]
    assert prediction_error(pushes) == (None, 0)
    pushes += [push_row(11, 0, 1, predicted_seconds=1.5), push_row(12, 0, 1, predicted_seconds=2.5)]
    assert prediction_error(pushes) == (0.25, 2)


# Experiments


@pytest.mark.parametrize(
    ("limit", "start"), [(700, 1_000), (6_300, 1_000), (1_000, 1_000), (90, 1_000), (CAP, 12_000)]
)
def test_the_highest_rate_is_found_within_ten_percent(limit: float, start: float) -> None:
    probed: list[float] = []

    def run(name: str, rate: float) -> SimpleNamespace:
        probed.append(rate)
        return SimpleNamespace(violations=int(rate > limit), kept_up=True)

    bench = SimpleNamespace(
        shape=Shape(rate=start), run=run, workshop=SimpleNamespace(tell=lambda text: None)
    )
    found = find_highest(cast(Bench, bench), "x")
    assert limit / 1.1 <= found.rate <= limit
    assert len(probed) == len(set(probed)) <= 10
    assert max(probed) <= CAP
    assert found.best is not None


def test_a_load_that_comes_late_does_not_count_as_kept() -> None:
    def run(name: str, rate: float) -> SimpleNamespace:
        return SimpleNamespace(violations=0, kept_up=rate <= 250)

    bench = SimpleNamespace(shape=Shape(rate=100), run=run, workshop=SimpleNamespace(tell=lambda text: None))
    assert 225 <= find_highest(cast(Bench, bench), "x").rate <= 250


def test_check_ins_bring_their_users_and_places_once() -> None:
    data = Gowalla(
        np.array([1, 2, 1, 3]),
        np.array([10, 10, 11, 12]),
        pa.table({"uid": [1, 1, 3], "uid2": [2, 3, 1]}),
        pa.table({"pid": [10, 11, 12], "name": ["a", "b", "c"], "lat": [0.0] * 3, "lng": [0.0] * 3}),
    )
    first, second, again = check_ins(data, [3, 1, 4])
    assert first["users"].column("uid").to_pylist() == [1, 2]
    assert first["places"].column("pid").to_pylist() == [10, 11]
    assert first["socnet"].num_rows == 2
    assert first["checkins"].to_pylist()[2] == {"cid": 3, "uid": 1, "pid": 11}
    assert second["users"].column("uid").to_pylist() == [3]
    assert again["users"].num_rows == again["places"].num_rows == again["socnet"].num_rows == 0
    assert again["checkins"].column("cid").to_pylist() == [5, 6, 7, 8]
    rest = list(check_ins(data, [1], start=3))
    assert rest[0]["users"].column("uid").to_pylist() == [3]


def test_the_tree_counts_children_that_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.bench.smile.measuring.monitor.YOUNG", 0.0)
    tree = Tree()
    with subprocess.Popen(
        [sys.executable, "-c", "sum(range(2 * 10**7)); print('x', flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        child.stdout.readline()
        before = tree.sample()
    after = tree.sample()
    ticks = 0.03  # the kernel counts in ticks of 10 ms, user and system time apart
    assert after.cpu_seconds > before.cpu_seconds - ticks
    assert after.memory_bytes < before.memory_bytes
    assert tree.peak_bytes == before.memory_bytes
    assert tree.between(before.at, after.at) == (before, after)
    subprocess.run([sys.executable, "-c", "sum(range(10**7))"], check=True)  # begins and ends unseen
    assert tree.sample().cpu_seconds > after.cpu_seconds + 0.05


def test_the_tree_leaves_out_those_who_play_users() -> None:
    tree = Tree()
    before = tree.sample()
    with subprocess.Popen(
        [sys.executable, "-c", "sum(range(4 * 10**7)); print('x', flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as user:  # fmt: skip
        tree.leave_out(user.pid)
        assert user.stdout is not None
        user.stdout.readline()
        alive = tree.sample()
    ended = tree.sample()
    used = tree.users[user.pid]
    assert used > 0.3
    assert max(alive.cpu_seconds, ended.cpu_seconds) - before.cpu_seconds < used / 2


# The command


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--experiment", "rates"], 'no experiment "rates"'),
        (["--sites", "9"], "--sites must be 1 to 6, not 9"),
        (["--rate", "0"], "--rate must be more than 0"),
        (["--preload", "0"], "--preload must be at least 1"),
        (["--for", "soon"], '--for: "soon" is not a duration'),
        (["--freshness", "0s"], "--freshness must be longer than 0 s"),
        (["--verify", "hope"], '--verify cannot be "hope"'),
    ],
)
def test_wrong_options_are_told_and_nothing_is_written(
    tmp_path: Path, options: list[str], message: str
) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["bench", "smile", "--out", str(out), *options])
    assert isinstance(done.exception, InputError)
    assert message in str(done.exception)
    assert not out.exists()


def test_without_the_check_ins_the_message_says_where_they_were_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_DATA", str(tmp_path))
    done = CliRunner().invoke(app, ["bench", "smile", "--gowalla", "--out", str(tmp_path / "out")])
    assert isinstance(done.exception, InputError)
    assert "gowalla/gowalla_events.csv.gz" in str(done.exception)


@pytest.mark.slow
def test_all_are_admitted_and_climbing_makes_the_plan_smaller(tmp_path: Path) -> None:
    """Figures 12 and 13 at the paper's size: six sites, 45 s, 7 million tweets."""
    shape = Shape(preload=7_000_000, rate=1_000)
    write_project(tmp_path, shape)
    project = load(tmp_path)
    types = {
        name: {column.name: column.type for column in table.columns} for name, table in project.tables.items()
    }
    sharings = list(sharings_of(build(project).kept, project.views, types).values())
    found = plan_views(sharings, situation_of(project, shape, Decimal(0)), Aim.DOLLARS)
    assert all(view.admitted for view in found.plan.admissions.values())
    assert len(found.plan.sharings) == 25
    assert sum(found.counts[0]) - sum(found.counts[-1]) > 80
    assert found.counts[-1] == (len(found.plan.graph.vertices), len(found.plan.graph.edges))
    assert found.plan.resources <= 0.65 * found.plan.resources_merged < found.plan.resources_alone


@pytest.mark.slow
def test_plans_are_printed_beside_the_papers_numbers(tmp_path: Path) -> None:
    command = ["bench", "smile", "--experiment", "plans", "--quick", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, command)
    assert done.exception is None, done.output
    assert all(number in done.stdout for number in ("0.0042", "0.0033", "0.0025", "0.0023", "more than 80"))
    found = json.loads((tmp_path / "results.json").read_text())["plans"]
    assert found["refused"] == []
    assert (tmp_path / "figure-12-plans.svg").is_file()
    assert (tmp_path / "figure-13-plumbing.png").is_file()


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.cli
def test_a_quick_run_keeps_feeds_and_verifies(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "headwater.cli.app",
        "bench",
        "smile",
        "--quick",
        "--json",
        "--out",
        "found",
    ]
    environment = os.environ | SHORT_LIVED
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)["run"]
    assert run["verified"] is True
    assert len(run["checked"]) == len(run["views"]) == 6
    assert all(checked["equal"] and checked["rows"] > 0 for checked in run["checked"])
    assert run["fed"]["tweets"] == 400
    assert run["cpu_seconds"] > 0
    assert run["peak_gb"] > 0.2
    assert sum(view["snapshots"] for view in run["views"]) >= 6
    assert (tmp_path / "found" / "figure-6-staleness.svg").is_file()
    assert (tmp_path / "found" / "runs" / "run" / "audit.parquet").is_file()
    assert not (tmp_path / "found" / "cache").exists()
    assert not (tmp_path / "found" / "work").exists()
    assert "the run is up" in done.stderr
