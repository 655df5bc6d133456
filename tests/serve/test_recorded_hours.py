"""Status and bill say the same from the sums of full hours as from every row."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import headwater
from headwater.api import Headwater
from headwater.clock import ManualClock
from headwater.planning.cost.billing import Bill
from headwater.storage.records.hours import AUDIT_HOURS, stretches, sum_up
from headwater.storage.records.journal import AUDIT, PUSHES, append_rows, read_rows
from headwater.storage.records.journal_files import drop_before, merge_days
from headwater.units import DAY, HOUR, SECOND
from support.cases import scaled

pytestmark = pytest.mark.slow

SQL = """
CREATE TABLE t (a INT PRIMARY KEY);
CREATE MATERIALIZED VIEW cheap FRESHNESS = INTERVAL '10' SECOND OWNER = 'team-a' AS SELECT a FROM t;
CREATE MATERIALIZED VIEW dear FRESHNESS = INTERVAL '10' SECOND PENALTY = 0.5 AT SITE far
  AS SELECT a FROM t WHERE a > 1;
"""
START = 1_700_000_000 * SECOND


@pytest.fixture
def project(tmp_path: Path) -> Headwater:
    (tmp_path / "headwater.yml").write_text("name: shop\nsites: {far: {prices: {core_hour: 1}}}\n")
    (tmp_path / "all.sql").write_text(SQL)
    return headwater.open(str(tmp_path), ManualClock(START))


def recorded(project: Headwater, seed: int, hours: int) -> int:
    """Snapshots and pushes of some hours, with gaps, changes of owner and site and views that go."""
    draw = random.Random(seed)
    at, audit, pushes = START, list[dict[str, Any]](), list[dict[str, Any]]()
    while at < START + hours * HOUR:
        at += draw.choice([5, 5, 60, 300, 5000]) * SECOND
        for view in draw.sample(["cheap", "dear", "gone"], 2):
            audit.append(
                {
                    "at": at, "view": view, "time": at, "staleness_s": 1.0, "freshness_s": 10.0, "rows": 3,
                    "violated": draw.random() < 0.3, "pushes": 1, "rows_moved": 4, "cpu_seconds": draw.random(),
                    "dollars": draw.random(), "owner": draw.choice(["x", "x", "x", "y"]),
                    "site": draw.choice(["default", "default", "far"]), "penalty": draw.choice([0.5, 1.0]),
                    "stored_bytes": draw.randrange(10**10),
                }
            )  # fmt: skip
            pushes.append(
                {
                    "at": at - SECOND, "view": view, "stage": view, "mode": draw.choice(["empty", "incremental"]),
                    "reason": "", "after": 0, "until": at, "changed_rows": 1, "scanned_rows": 1, "result_rows": 5,
                    "seconds": 0.1, "predicted_seconds": 0.1, "cpu_seconds": draw.random(), "spark_jobs": 1,
                    "attempt": 1, "error": draw.choice(["", "", "", "wrong"]), "site": draw.choice(["", "far"]),
                    "serves": draw.choice(["", "cheap,dear"]), "bytes_copied": 10**9, "late_rows": 3,
                    "penalty": draw.choice([0.5, 0.75]),
                }
            )  # fmt: skip
    append_rows(project.warehouse.system("audit"), AUDIT, audit, START)
    append_rows(project.warehouse.system("pushes"), PUSHES, pushes, START)
    return at


def close(left: Bill, right: Bill) -> bool:
    return [(line.view, line.owner, line.site) for line in left.lines] == [
        (line.view, line.owner, line.site) for line in right.lines
    ] and all(
        getattr(one.costs, name) == pytest.approx(getattr(other.costs, name))
        for one, other in zip(left.lines, right.lines, strict=True)
        for name in ("cpu", "network", "storage", "penalty", "violations", "view_hours", "rows_moved")
    )


def sum_up_all(project: Headwater, now: int) -> None:
    """A call sums up a day at most."""
    calls = 0
    while sum_up(project.warehouse, now):
        calls += 1
    assert calls > 0


def totals(project: Headwater) -> list[Any]:
    return [
        (view.name, view.violations, view.pushes, pytest.approx(view.dollars), view.last_push)
        for view in project.status().views
    ]


@pytest.mark.parametrize("seed", range(scaled(6)))
def test_bills_and_status_are_the_same_from_sums(project: Headwater, seed: int) -> None:
    last = recorded(project, seed, hours=30)
    draw = random.Random(seed)
    periods = [(START, last + 1), (START + 20 * HOUR, last), (START + HOUR, START + 15 * HOUR)]
    periods += [tuple(sorted(draw.randrange(START, last) for _ in range(2))) for _ in range(6)]  # type: ignore[misc]
    before = [project.bill(*period) for period in periods]
    status = totals(project)
    sum_up_all(project, last + HOUR)
    for period, expected in zip(periods, before, strict=True):
        assert close(project.bill(*period), expected), period
        assert close(project.account(*period).bill(), expected), period
    assert totals(project) == status
    parts = project.account(*periods[0]).over_time()
    assert sum(part.total.dollars for part in parts) == pytest.approx(before[0].total.dollars)


def test_status_needs_only_the_rows_since_the_last_full_hour(project: Headwater) -> None:
    last = recorded(project, 1, hours=50)
    expected = totals(project)
    sum_up_all(project, last)
    for name in ("audit", "pushes"):
        log = project.warehouse.system(name)
        merge_days(log, last)
        for file in log.snapshot().files:
            if file.maximum["at"] < last - last % DAY:
                Path(file.path).unlink()  # nobody opens it
    assert totals(project) == expected


def test_what_is_dropped_by_age_leaves_the_sums_of_later_hours(project: Headwater) -> None:
    last = recorded(project, 2, hours=80)
    sum_up_all(project, last)
    since = (START // DAY + 2) * DAY
    expected = project.bill(since, last)
    for name in ("audit", "pushes", "audit_hours", "push_hours"):
        assert drop_before(project.warehouse.system(name), since - HOUR, last) > 0
    later = project.bill(since, last)
    assert later.total.cpu == pytest.approx(expected.total.cpu)
    assert later.total.violations == expected.total.violations


def test_a_stretch_ends_where_the_owner_or_the_site_changes(project: Headwater) -> None:
    rows = [
        {"at": at, "view": "v", "owner": owner, "site": site, "stored_bytes": 10, "violated": at == 2}
        for at, owner, site in [(1, "x", "s"), (2, "x", "s"), (4, "y", "s"), (5, "y", "t"), (9, "y", "t")]
    ]
    append_rows(project.warehouse.system("audit"), AUDIT, rows, 1)
    table = stretches(read_rows(project.warehouse.system("audit"), AUDIT))
    assert table.schema == AUDIT_HOURS
    assert [
        (row["at"], row["until"], row["byte_time"], row["kept"], row["snapshots"], row["violated"])
        for row in table.to_pylist()
    ] == [(1, 2, 10.0, 1, 2, 1), (4, 4, 0.0, 0, 1, 0), (5, 9, 40.0, 4, 2, 0)]


def test_an_hour_that_is_not_over_is_left_although_a_file_reaches_into_it(project: Headwater) -> None:
    """A run that begins shortly before the hour writes its first snapshots into one file."""
    recorded(project, seed=3, hours=1)
    audit, pushes = project.warehouse.system("audit"), project.warehouse.system("pushes")
    last = max(row["at"] for row in read_rows(audit, AUDIT).to_pylist())
    sum_up(project.warehouse, last)
    later = last - last % HOUR + HOUR - SECOND  # of the same hour
    for log, schema in ((audit, AUDIT), (pushes, PUSHES)):
        newest = {**read_rows(log, schema).to_pylist()[-1], "at": later, "error": ""}
        append_rows(log, schema, [newest], later)
    from_sums, billed = totals(project), project.bill(START, later + 1)
    for name in ("audit_hours", "push_hours", "last_pushes"):
        shutil.rmtree(project.warehouse.system(name).path)
    from_rows = headwater.open(project.project.folder, ManualClock(START))
    assert totals(from_rows) == from_sums
    assert close(from_rows.bill(START, later + 1), billed)
