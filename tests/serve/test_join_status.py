"""What `status` says of adapted joins, from what pushes noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from headwater.catalog import build
from headwater.model import Project
from headwater.serve.reports.joins import Adaptation, HalfWay, JoinStatus, StreamAllowance, join_statuses
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.choosing.choices import Choice, note_choice
from headwater.storage.choosing.probes import Probes, note_probes
from headwater.storage.warehouse import Warehouse

DDL = """
CREATE TABLE a (id BIGINT PRIMARY KEY, k BIGINT, at TIMESTAMP TEMPORAL);
CREATE MATERIALIZED VIEW v WINDOW = '1 minute' ON OVERLOAD ADAPT JOINS
  AS SELECT x.id, y.id AS other FROM a x JOIN a y ON x.k = y.k;
"""
SECOND = 1_000_000
NOW = 10_000 * SECOND


def statuses(
    folder: Path, *noted: Probes, choices: Sequence[Choice] = (), ddl: str = DDL
) -> tuple[JoinStatus, ...]:
    declared = resolve(parse_statements(ddl))
    project = Project(
        "p", str(folder), str(folder), {table.name: table for table in declared.tables},
        {view.name: view for view in declared.views}, {}, {},
    )  # fmt: skip
    warehouse = Warehouse(str(folder))
    for probes in noted:
        note_probes(warehouse, [probes])
    for choice in choices:
        note_choice(warehouse, choice)
    return join_statuses(build(project), warehouse, NOW)


def probes(
    at: int,
    stream: str,
    arrived: int,
    probed: int,
    allowance: int | None,
    late: int = 0,
    found: float | None = None,
    shown: float | None = None,
) -> Probes:
    """`found`: by a row of the ten that were followed; `shown`: by those of them that probed."""
    sampled, after = (None, None) if found is None else (10, (found * 10,))
    return Probes(
        NOW - at * SECOND,
        "v",
        stream,
        10.0,
        arrived,
        probed,
        late,
        allowance,
        f"because {at}",
        sampled,
        after,
        shown,
    )


def choice(at: int, event: str) -> Choice:
    return Choice(NOW - at * SECOND, "v", event, f"{event} at {at}", 1, 2, 0, 0)


def test_a_join_that_has_time_for_all_is_exact(tmp_path: Path) -> None:
    (status,) = statuses(tmp_path, probes(20, "x", 10, 10, None), probes(20, "y", 5, 5, None))
    assert (status.share_of_matches, status.choosing, status.adaptations) == (1.0, False, ())
    assert status.exact_since == NOW - 20 * SECOND


def test_a_join_that_chooses_says_which_part_it_finds_and_why(tmp_path: Path) -> None:
    (status,) = statuses(
        tmp_path,
        probes(4_000, "x", 10, 0, 0),  # more than an hour ago
        probes(30, "x", 10, 10, None), probes(30, "y", 10, 10, None),
        probes(20, "x", 40, 10, 10, late=3), probes(20, "y", 20, 20, 20),
        choices=[choice(4_000, "left"), choice(20, "entered")],
    )  # fmt: skip
    assert status.choosing
    assert not status.measured
    assert status.exact_since is None
    assert status.share_of_matches == (1.0 * 20 + 0.625 * 60) / 80
    assert status.late_rows == 3
    assert status.allowances == (
        StreamAllowance("x", 40, 10, 10, (HalfWay("y", None),)),
        StreamAllowance("y", 20, 20, 20, (HalfWay("x", None),)),
    )
    assert (status.freshness_share, status.throughput_share) == (0.0, 1.0)
    assert status.adaptations == (Adaptation(NOW - 20 * SECOND, "entered", 0.625, "entered at 20"),)


def test_the_share_of_matches_is_counted_where_rows_were_followed(tmp_path: Path) -> None:
    """Of 40 and 200 matches in the first push all, of 40 and 60 in the second those that y finds."""
    (status,) = statuses(
        tmp_path,
        probes(30, "x", 10, 10, None, found=4.0), probes(30, "y", 10, 10, None, found=20.0),
        probes(20, "x", 40, 0, 0, found=1.0), probes(20, "y", 20, 20, 20, found=3.0),
    )  # fmt: skip
    assert status.measured
    assert status.share_of_matches == (240 + 60) / 340


def test_rows_that_probed_are_counted_by_themselves(tmp_path: Path) -> None:
    """A quarter of the rows of x probed, and found half of what all of them find."""
    (status,) = statuses(
        tmp_path,
        probes(20, "x", 40, 10, 10, found=1.0, shown=5.0), probes(20, "y", 20, 20, 20, found=3.0, shown=30.0),
    )  # fmt: skip
    assert status.measured
    assert status.share_of_matches == (20 + 60) / 100


def test_back_at_normal_load_it_is_exact_from_then_on(tmp_path: Path) -> None:
    (status,) = statuses(
        tmp_path,
        probes(30, "x", 10, 5, 5), probes(20, "x", 10, 10, None), probes(10, "x", 10, 10, None),
        choices=[choice(30, "entered"), choice(30, "adapted"), choice(20, "left")],
    )  # fmt: skip
    assert not status.choosing
    assert status.exact_since == NOW - 20 * SECOND
    assert [change.event for change in status.adaptations] == ["entered", "adapted", "left"]


def test_a_join_that_never_ran_is_no_error(tmp_path: Path) -> None:
    (status,) = statuses(tmp_path)
    assert status.share_of_matches == 1.0
    assert timedelta(microseconds=status.late_rows) == timedelta()


BUSHY = """
CREATE TABLE a (id BIGINT PRIMARY KEY, k BIGINT, at TIMESTAMP TEMPORAL);
CREATE MATERIALIZED VIEW v WINDOW = '1 minute' ON OVERLOAD ADAPT JOINS AS SELECT w.id AS i0, x.id AS i1, y.id AS i2, z.id AS i3
  FROM a w JOIN a x ON w.k = x.k JOIN a y ON true JOIN a z ON y.k = z.k AND x.k = y.k;
"""


def test_half_way_joins_are_counted_along_the_tree(tmp_path: Path) -> None:
    """Ten rows of x were followed and became 30 at the first join; 20 of them probed."""
    noted = replace(probes(20, "x", 40, 20, 20), sampled=10, after=(30.0, 90.0))
    (status,) = statuses(tmp_path, noted, ddl=BUSHY)
    assert status.allowances[0].half_ways == (HalfWay("w", 20), HalfWay("y z", 60))
