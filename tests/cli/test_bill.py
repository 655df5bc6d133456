"""headwater bill and the pictures of status, on journals written by hand."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from typer.testing import CliRunner, Result

import headwater
from headwater.cli.app import app
from headwater.clock import SystemClock, micros
from headwater.errors import HeadwaterError, InputError
from headwater.serve.asking import instant
from headwater.serve.reports.staleness import staleness_over_time
from headwater.storage.records.journal import AUDIT, PROCESS_CPU, PUSHES, append_rows

SECOND = 1_000_000
SQL = """
CREATE TABLE t (a INT PRIMARY KEY);
CREATE MATERIALIZED VIEW cheap FRESHNESS = INTERVAL '10' SECOND OWNER = 'team-a' AS SELECT a FROM t;
CREATE MATERIALIZED VIEW dear FRESHNESS = INTERVAL '10' SECOND OWNER = 'team-b' PENALTY = 0.5 AT SITE far
  AS SELECT a FROM t WHERE a > 1;
"""


def pushed(at: int, view: str, **more: Any) -> dict[str, Any]:
    row = {
        "at": at, "view": view, "stage": view, "mode": "incremental", "reason": "", "after": at - 11 * SECOND,
        "until": at - SECOND, "changed_rows": 10, "scanned_rows": 100, "result_rows": 10, "seconds": 1.0,
        "predicted_seconds": 1.0, "cpu_seconds": 36.0, "spark_jobs": 1, "attempt": 1, "error": "",
        "site": "", "serves": "", "bytes_copied": 0, "action": "", "late_rows": 0,
    }  # fmt: skip
    return row | more


def audited(at: int, view: str, **more: Any) -> dict[str, Any]:
    row = {
        "at": at, "view": view, "time": at - 5 * SECOND, "staleness_s": 5.0, "freshness_s": 10.0,
        "violated": False, "rows": 3, "pushes": 1, "rows_moved": 10, "cpu_seconds": 1.0, "dollars": 0.1,
        "owner": "team-x", "site": "default", "penalty": 0.5, "stored_bytes": 10**9,
    }  # fmt: skip
    return row | more


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: shop\nsites: {far: {prices: {core_hour: 1}}}\n")
    (folder / "all.sql").write_text(SQL)
    return folder


@pytest.fixture
def kept(shop: Path) -> int:
    """An hour ago, a minute of keeping; returns its start."""
    warehouse = headwater.open(str(shop)).warehouse
    start = SystemClock().now() - micros(timedelta(hours=1))
    pushes = [pushed(start + n * 10 * SECOND, "cheap") for n in range(6)]
    pushes += [pushed(start + 9 * SECOND, "dear", site="far", late_rows=4, bytes_copied=10**9)]
    pushes += [pushed(start + 19 * SECOND, "cheap$shared", serves="cheap,dear", cpu_seconds=72.0)]
    audit = [
        audited(start + n * 5 * SECOND, view, staleness_s=6.0 if n % 2 else 11.0)
        for n in range(13)
        for view in ("cheap", "dear", "gone")
    ]
    audit[7] |= {"violated": True, "staleness_s": 12.0}
    append_rows(warehouse.system("pushes"), PUSHES, pushes, 1)
    append_rows(warehouse.system("audit"), AUDIT, audit, 1)
    return start


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def answer(*words: object) -> dict[str, Any]:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def refused(*words: object) -> HeadwaterError:
    result = run(*words)
    assert isinstance(result.exception, HeadwaterError), result.output
    return result.exception


def test_a_bill_by_view(shop: Path, kept: int) -> None:
    found = answer("bill", shop)
    lines = {line["view"]: line for line in found["lines"]}
    assert set(lines) == {"cheap", "dear", "gone"}
    # 6 pushes of its own and half of the shared one, at 0.17 dollars a core hour.
    assert lines["cheap"]["cpu_seconds"] == pytest.approx(6 * 36 + 36)
    assert lines["cheap"]["cpu_dollars"] == pytest.approx(0.07 * 0.17)
    assert lines["dear"]["cpu_dollars"] == pytest.approx(0.01 * 1 + 0.01 * 0.17)
    assert lines["dear"]["penalty_dollars"] == pytest.approx(2.0)
    assert (lines["dear"]["late_rows"], lines["dear"]["network_dollars"]) == (4, pytest.approx(0.01))
    assert (lines["cheap"]["owner"], lines["dear"]["owner"], lines["gone"]["owner"]) == (
        "team-a",
        "team-b",
        "team-x",
    )
    assert lines["cheap"]["view_hours"] == pytest.approx(1 / 60)
    # What a view of the project stored last it stores still; what is gone is not paid for.
    assert lines["cheap"]["gb_months"] == pytest.approx(1 / 730, rel=0.05)
    assert lines["gone"]["gb_months"] == pytest.approx(1 / 730 / 60)
    assert found["total"]["dollars"] == pytest.approx(sum(line["dollars"] for line in found["lines"]))
    assert found["total"]["violations"] == 1


@pytest.mark.parametrize("by", ["view", "owner", "site"])
def test_every_grouping_has_the_same_total(shop: Path, kept: int, by: str) -> None:
    found = answer("bill", shop, "--by", by, "--until", "2999-01-01")
    assert found["by"] == by
    for field in ("dollars", "cpu_seconds", "penalty_dollars", "violations", "rows_moved", "view_hours"):
        assert found["total"][field] == pytest.approx(sum(line[field] for line in found["lines"]))


@pytest.fixture
def counted(shop: Path, kept: int) -> int:
    """The run of that minute used 1,000 CPU-seconds."""
    rows = [
        {"at": kept + 60 * SECOND, "process": process, "cpu_seconds": seconds}
        for process, seconds in (("jvm", 900.0), ("headwater", 100.0))
    ]
    append_rows(headwater.open(str(shop)).warehouse.system("process_cpu"), PROCESS_CPU, rows, 1)
    return kept


def test_the_bill_adds_up_to_what_the_machine_did(shop: Path, counted: int) -> None:
    found = answer("bill", shop)
    assert found["unattributed"]["cpu_seconds"] == pytest.approx(1_000 - 7 * 36 - 72)
    assert found["total_with_unattributed"]["cpu_seconds"] == pytest.approx(1_000)
    assert found["processes"] == [
        {"process": "jvm", "cpu_seconds": 900.0},
        {"process": "headwater", "cpu_seconds": 100.0},
    ]
    assert found["total"]["cpu_seconds"] == pytest.approx(sum(line["cpu_seconds"] for line in found["lines"]))
    text = run("bill", shop).stdout
    assert "unattributed: JVM, capture, compaction" in text
    assert "1,000.0" in text


def test_what_belongs_to_no_view_is_split_on_request(shop: Path, counted: int) -> None:
    spread = answer("bill", shop, "--spread")
    assert spread["total"]["cpu_seconds"] == pytest.approx(1_000)
    assert spread["unattributed"]["cpu_seconds"] == 0
    by_process = answer("bill", shop, "--by", "process")
    assert {line["process"]: line["cpu_seconds"] for line in by_process["lines"]} == {
        "jvm": 900.0,
        "headwater": 100.0,
    }
    assert run("bill", shop, "--by", "process").exit_code == 0


def test_before_processes_were_counted_the_bill_says_so(shop: Path, kept: int) -> None:
    found = answer("bill", shop)
    assert "was not recorded" in found["not_included"]
    assert "unattributed" not in run("bill", shop).stdout


def test_a_server_whose_counters_nobody_sees_is_named(shop: Path, counted: int) -> None:
    assert "Connect" not in answer("bill", shop)["not_included"]
    (shop / "headwater.yml").write_text("name: shop\nsites: {far: {spark: 'sc://10.0.0.7:15002'}}\n")
    assert (
        "The Spark Connect servers of site far are counted by the seconds"
        in answer("bill", shop)["not_included"]
    )


def test_columns_of_zeros_are_not_shown(shop: Path) -> None:
    warehouse = headwater.open(str(shop)).warehouse
    append_rows(warehouse.system("pushes"), PUSHES, [pushed(5 * SECOND, "cheap")], 1)
    text = run("bill", shop, "--until", "1970-01-02").stdout
    assert "network" not in text
    assert "penalties" not in text
    assert "violations" not in text


def test_a_period_may_be_given_in_several_ways(shop: Path, kept: int) -> None:
    assert answer("bill", shop, "--last", "30m")["total"]["cpu_seconds"] == 0
    assert answer("bill", shop, "--last", "2h")["total"]["cpu_seconds"] == pytest.approx(8 * 36 + 36)
    middle = "2026-01-01"
    assert instant("1970-01-01T00:00:01", "--since") == SECOND
    assert instant("1970-01-01T01:00:00+01:00", "--since") == 0
    assert answer("bill", shop, "--since", "1999-12-31", "--until", middle)["lines"] == []
    assert "Nothing was pushed" in run("bill", shop, "--since", "1999-12-31", "--until", middle).stdout


def test_the_text_has_a_total_and_says_what_is_missing(shop: Path, kept: int) -> None:
    text = run("bill", shop, "--by", "owner").stdout
    assert "team-a" in text
    assert "total" in text
    assert "Not included" in text


def test_journals_of_an_older_version_are_billed(shop: Path) -> None:
    warehouse = headwater.open(str(shop)).warehouse
    old_pushes, old_audit = pa.schema(list(PUSHES)[:16]), pa.schema(list(AUDIT)[:11])
    append_rows(warehouse.system("pushes"), old_pushes, [pushed(5 * SECOND, "cheap")], 1)
    append_rows(warehouse.system("audit"), old_audit, [audited(6 * SECOND, "cheap")], 1)
    found = answer("bill", shop)
    assert [(line["view"], line["owner"], line["cpu_seconds"]) for line in found["lines"]] == [
        ("cheap", "team-a", 36.0)
    ]


def test_a_project_that_never_ran_has_an_empty_bill(shop: Path) -> None:
    assert answer("bill", shop)["lines"] == []
    assert not (shop / "warehouse").exists()


@pytest.mark.slow
def test_pictures(shop: Path, kept: int, tmp_path: Path) -> None:
    assert run("bill", shop, "--last", "2h", "--svg", tmp_path / "bill.svg").exit_code == 0
    assert run("status", shop, "--plot", tmp_path / "stale.svg").exit_code == 0
    assert run("status", shop, "--plot", tmp_path / "stale.png", "--last", "2h").exit_code == 0
    for name in ("bill.svg", "stale.svg"):
        assert ElementTree.parse(tmp_path / name).getroot().tag.endswith("svg")


def test_the_saw_tooth_falls_at_each_push(shop: Path, kept: int) -> None:
    project = headwater.open(str(shop))
    cheap, dear = staleness_over_time(project.catalog, project.warehouse, None, project.clock.now())
    at = kept + 20 * SECOND
    assert [point.seconds for point in cheap.points if point.at == at] == [11.0, 11.0, 1.0]
    assert (cheap.pushes, dear.pushes) == (6, 1)
    assert [point.seconds for point in dear.violations] == [12.0]
    assert cheap.violations == ()
    assert all(point.seconds is not None for point in cheap.points)
    assert cheap.peak == 11.0


def test_a_fall_whose_record_was_lost_is_seen_in_the_next_snapshot(shop: Path, kept: int) -> None:
    project = headwater.open(str(shop))
    _, dear = staleness_over_time(project.catalog, project.warehouse, None, project.clock.now())
    assert [point.seconds for point in dear.points if point.at == kept + 15 * SECOND] == [17.0, 6.0]


def test_the_curve_breaks_where_nothing_ran(shop: Path, kept: int) -> None:
    project = headwater.open(str(shop))
    later = [audited(kept + 600 * SECOND, "cheap")]
    append_rows(project.warehouse.system("audit"), AUDIT, later, 2)
    cheap, _ = staleness_over_time(project.catalog, project.warehouse, None, project.clock.now())
    assert [point.seconds for point in cheap.points][-2:] == [None, 5.0]


def test_status_shows_sites_and_owners_where_there_are_some(shop: Path, tmp_path: Path) -> None:
    text = run("status", shop).stdout
    assert all(word in text for word in ("site", "owner", "team-a", "far"))
    found = answer("status", shop)["views"]
    assert [(line["site"], line["owner"]) for line in found] == [("default", "team-a"), ("far", "team-b")]
    (shop / "all.sql").write_text("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v AS SELECT a FROM t;")
    plain = run("status", shop).stdout
    heading = plain.splitlines()[2]
    assert "view" in heading
    assert "site" not in heading
    assert "owner" not in heading


def test_wrong_input(shop: Path, tmp_path: Path) -> None:
    assert refused("bill", shop, "--since", "yesterday").code == "HW001"
    assert refused("bill", shop, "--last", "0").code == "HW001"
    assert refused("bill", shop, "--last", "1h", "--since", "2026-01-01").code == "HW003"
    assert refused("bill", shop, "--since", "2026-01-02", "--until", "2026-01-01").code == "HW001"
    assert refused("bill", shop, "--svg", "bill.txt").code == "HW864"
    assert refused("bill", shop, "--svg", "nowhere/bill.svg").code == "HW006"
    assert refused("status", shop, "--plot", tmp_path / "x.svg").code == "HW890"
    assert refused("status", shop, "--last", "1h").code == "HW003"
    assert isinstance(refused("bill", shop, "--until", "?"), InputError)
    assert run("bill", shop, "--by", "colour").exit_code == 2
