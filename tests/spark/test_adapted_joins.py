"""Adapted joins on Spark: with enough probes exact, with few a part of it; fresh, verified, retracted with their rows."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.clock import ManualClock
from headwater.model import Overload
from headwater.storage.choosing.probes import probes_since
from support.overload.row_windows import OneByOne, RowsJoin
from support.overload.window_joins import START, Row, Rows, by_duckdb, random_changes, random_row, table_ddl
from support.spark.keeping import Keeping
from support.spark.window_records import records

pytestmark = pytest.mark.spark

DDL = (
    "".join(map(table_ddl, "ab"))
    + """
CREATE MATERIALIZED VIEW three FRESHNESS = '9 seconds' WINDOW = INTERVAL '5' SECOND
  TOLERANCE (x = INTERVAL '30' SECOND, y = INTERVAL '30' SECOND, z = INTERVAL '30' SECOND)
  ON OVERLOAD ADAPT JOINS RETAIN INTERVAL '1' HOUR
AS SELECT x.id AS i0, y.id AS i1, z.id AS i2 FROM a x JOIN b y ON x.k = y.k JOIN a z ON z.k = y.k AND z.n < x.n;
CREATE MATERIALIZED VIEW counted FRESHNESS = '9 seconds' AS SELECT i0, count(*) AS c FROM three GROUP BY i0;
"""
)
EXACT = (
    "SELECT x.id, y.id, z.id FROM a x JOIN b y ON x.k = y.k JOIN a z ON z.k = y.k AND z.n < x.n"
    " WHERE greatest(x.ts, y.ts, z.ts) - INTERVAL '5' SECOND <= least(x.ts, y.ts, z.ts)"
    " AND x.ts IS NOT NULL AND y.ts IS NOT NULL AND z.ts IS NOT NULL"
)


LAST_ROWS = (
    "".join(map(table_ddl, "ab"))
    + """
CREATE MATERIALIZED VIEW three FRESHNESS = '9 seconds' WINDOW = 4 ROWS
  TOLERANCE (x = INTERVAL '99' SECOND, y = INTERVAL '99' SECOND, z = INTERVAL '99' SECOND)
  ON OVERLOAD ADAPT JOINS RETAIN INTERVAL '1' HOUR
AS SELECT x.id AS i0, y.id AS i1, z.id AS i2 FROM a x JOIN b y ON x.k = y.k JOIN a z ON z.k = y.k
WHERE x.n <> y.n;
"""
)


def keeping(spark: SparkSession, folder: Path, overload: Overload, ddl: str = DDL) -> Keeping:
    clock = ManualClock(int(START.replace(tzinfo=UTC).timestamp() * 1e6))
    kept = Keeping(spark, folder, ddl, clock)
    kept.project = replace(kept.project, overload=overload)
    kept.workplace.catalog = replace(kept.workplace.catalog, project=kept.project)
    kept.catalog = kept.workplace.catalog
    return kept


def change(kept: Keeping, chance: random.Random, rows: Rows, turn: int, most: int) -> None:
    for table, changes in random_changes(chance, rows, turn, most).items():
        assert not kept.ingest(table, records(changes)).rejected


def shown(kept: Keeping) -> Counter[tuple[object, ...]]:
    return Counter(kept.rows("three"))


def test_with_enough_probes_it_is_exact_and_with_few_a_part_of_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    kept = keeping(spark, tmp_path, Overload(probes_per_second=1_000_000))
    chance, rows = random.Random(3), {"a": [], "b": []}  # type: tuple[random.Random, Rows]
    for turn in range(2):
        change(kept, chance, rows, turn, 20)
        kept.push()
        assert shown(kept) == by_duckdb(EXACT, rows)
        if turn == 0:  # every row is followed along its path: together they find every match once
            noted = list(probes_since(kept.warehouse, 0))
            assert sum(probes.after[-1] for probes in noted if probes.after) == shown(kept).total() > 0
            assert all(probes.sampled == probes.arrived for probes in noted)
    before = shown(kept)
    kept.workplace.catalog = replace(
        kept.catalog, project=replace(kept.project, overload=Overload(probes_per_second=1))
    )
    change(kept, chance, rows, 2, 40)
    kept.push()
    exact, now = by_duckdb(EXACT, rows), shown(kept)
    assert now < exact  # a part of it
    assert all(exact[result] for result in before & now)
    # Exactly the part that the rows which probed have found; what reads it is exact over what it shows.
    assert all(verified.equal for verified in kept.verify_all())
    noted = [probes for probes in probes_since(kept.warehouse, 0) if probes.allowance is not None]
    # Every row was followed, and those that probed are counted by themselves: they found what was added.
    assert sum(probes.shown or 0 for probes in noted) == (now - before).total()
    assert {probes.stream for probes in noted} == {"x", "y", "z"}
    assert all(probes.probed <= (probes.allowance or 0) for probes in noted)
    assert sum(probes.probed for probes in noted) < sum(probes.arrived for probes in noted)


def test_results_go_with_their_rows_and_grow_too_old(spark: SparkSession, tmp_path: Path) -> None:
    kept = keeping(spark, tmp_path, Overload())
    at = START + timedelta(seconds=1)

    def row(number: int, n: int, moment: datetime, op: str = "insert") -> dict[str, object]:
        return {"op": op, "row": {"id": number, "k": 1, "n": n, "ts": f"{moment.isoformat()}Z"}}

    kept.ingest("a", [row(1, 5, at), row(2, 1, at)])
    kept.ingest("b", [row(7, 0, at)])
    kept.push()
    assert kept.rows("three") == [(1, 7, 2)]
    kept.ingest("a", [row(2, 1, at, "delete")])
    kept.push()
    assert kept.rows("three") == []
    kept.ingest("a", [row(3, 1, at)])
    kept.push()
    assert kept.rows("three") == [(1, 7, 3)]
    kept.ingest("a", [row(4, 1, at - timedelta(minutes=5))])  # too old when it comes
    kept.push()
    assert sum(probes.late for probes in probes_since(kept.warehouse, 0)) == 2  # as x and as z
    kept.clock.advance(timedelta(minutes=5))
    late = START + timedelta(minutes=5)
    kept.ingest("b", [row(8, 0, at), row(9, 0, late)])  # 8 would match 1 and 3, which are stale by now
    kept.push()
    assert kept.rows("three") == [(1, 7, 3)]
    kept.clock.advance(timedelta(hours=1))
    kept.push()  # nothing has arrived
    assert kept.rows("three") == []  # no longer retained
    assert kept.verify("three").equal


def test_a_window_of_rows_is_what_rows_find_that_come_one_by_one(spark: SparkSession, tmp_path: Path) -> None:
    kept = keeping(spark, tmp_path, Overload(), LAST_ROWS)
    by_hand = OneByOne(RowsJoin(kept.catalog.kept["three"], ("a", "b", "a"), rows=4, apart=True))
    chance, rows = random.Random(7), {"a": [], "b": []}  # type: tuple[random.Random, Rows]
    for turn in range(3):
        change(kept, chance, rows, turn, 14)
        kept.push()
        by_hand.push(rows, START + timedelta(seconds=turn), [None] * 3)
        assert shown(kept) == Counter(tuple(row[0] for row in result) for result in by_hand.shown)
    assert by_hand.shown
    assert kept.verify("three").equal


BOTH_KINDS = (
    "".join(map(table_ddl, "ab"))
    + """
CREATE MATERIALIZED VIEW three FRESHNESS = '9 seconds' WINDOW = INTERVAL '5' SECOND
  TOLERANCE (x = INTERVAL '9' SECOND, y = INTERVAL '12' SECOND, z = INTERVAL '9' SECOND)
  ON OVERLOAD ADAPT JOINS RETAIN INTERVAL '13' SECOND
AS SELECT x.id AS i0, y.id AS i1, z.id AS i2 FROM a x JOIN b y ON x.k = y.k JOIN a z ON z.k = y.k AND z.n < x.n;
CREATE MATERIALIZED VIEW lasts FRESHNESS = '9 seconds' WINDOW = 4 ROWS
  TOLERANCE (x = INTERVAL '9' SECOND, y = INTERVAL '12' SECOND, z = INTERVAL '9' SECOND)
  ON OVERLOAD ADAPT JOINS RETAIN INTERVAL '13' SECOND
AS SELECT x.id AS i0, y.id AS i1, z.id AS i2 FROM a x JOIN b y ON x.k = y.k JOIN a z ON z.k = y.k
WHERE x.n <> y.n;
"""
)


@dataclass
class Fresh:
    """What DuckDB answers to `three`, without results of rows that had outlived their tolerance or grew too old."""

    came: dict[tuple[str, Row], datetime] = field(default_factory=dict)

    def results(self, rows: Rows, now: datetime) -> Counter[tuple[object, ...]]:
        for table, held in rows.items():
            for row in held:
                self.came.setdefault((table, row), now)
        by_id = {(table, row[0]): row for table, held in rows.items() for row in held}
        found: Counter[tuple[object, ...]] = Counter()
        for ids, count in by_duckdb(EXACT, rows).items():
            parts = [(table, by_id[table, number]) for table, number in zip("aba", ids, strict=True)]
            made = max(self.came[part] for part in parts)
            oldest = [(row[3], {"a": 9, "b": 12}[table]) for table, row in parts]
            if all(
                at is not None
                and at >= made - timedelta(seconds=tolerance)
                and at >= now - timedelta(seconds=13)
                for at, tolerance in oldest
            ):
                found[ids] = count
        return found


def test_random_rows_that_come_go_change_and_grow_old(spark: SparkSession, tmp_path: Path) -> None:
    kept = keeping(spark, tmp_path, Overload(probes_per_second=1_000_000), BOTH_KINDS)
    fresh = Fresh()
    by_hand = OneByOne(RowsJoin(kept.catalog.kept["lasts"], ("a", "b", "a"), rows=4, apart=True))
    chance, rows = random.Random(11), {"a": [], "b": []}  # type: tuple[random.Random, Rows]
    lost = grew_old = 0
    for turn in range(6):
        kept.clock.advance(timedelta(seconds=1))  # so has every ingest and every push
        before = shown(kept) if turn else Counter()
        # The third push only brings rows, and the fifth none: what is stored is not looked at for rows that went.
        if turn == 2:
            for table, held in rows.items():
                more = [random_row(chance, turn, chance.randrange(10**9)) for _ in range(9)]
                held += more
                assert not kept.ingest(table, records(Counter(more))).rejected
        elif turn != 4:
            change(kept, chance, rows, turn, 20)
        kept.push()
        now = datetime.fromtimestamp(kept.workplace.timeline("three").time() / 1e6, UTC).replace(tzinfo=None)
        assert shown(kept) == fresh.results(rows, now), turn
        by_hand.push(rows, now, [None] * 3)
        assert Counter(kept.rows("lasts")) == Counter(
            tuple(row[0] for row in result) for result in by_hand.shown
        ), turn
        lost += bool(before - shown(kept))
        grew_old += turn == 4 and bool(before - shown(kept))
    assert lost > 2
    assert grew_old
    assert all(verified.equal for verified in kept.verify_all())


WITHOUT_TIMES = """
CREATE TABLE a (id BIGINT PRIMARY KEY, k BIGINT);
CREATE TABLE b (id BIGINT PRIMARY KEY, k BIGINT, ts TIMESTAMP TEMPORAL);
CREATE MATERIALIZED VIEW three FRESHNESS = '9 seconds' WINDOW = INTERVAL '5' SECOND TOLERANCE (y = INTERVAL '20' SECOND)
  ON OVERLOAD ADAPT JOINS AS SELECT x.id AS i0, y.id AS i1 FROM a x JOIN b y ON x.k = y.k;
"""


def test_rows_without_a_time_are_as_old_as_it_is_since_they_were_captured(
    spark: SparkSession, tmp_path: Path
) -> None:
    kept = keeping(spark, tmp_path, Overload(), WITHOUT_TIMES)

    def came(number: int, op: str = "insert") -> None:
        kept.ingest("a", [{"op": op, "row": {"id": number, "k": 1}}])

    came(1)  # a second after the start, as each is a second after the one before
    came(2)
    at = START + timedelta(seconds=7)  # six seconds after the first, five after the second
    kept.ingest("b", [{"op": "insert", "row": {"id": 9, "k": 1, "ts": f"{at.isoformat()}Z"}}])
    kept.push()
    assert kept.rows("three") == [(2, 9)]
    came(3)
    came(2, "delete")
    kept.push()
    assert kept.rows("three") == [(3, 9)]
    assert kept.verify("three").equal
    kept.clock.advance(timedelta(seconds=14))  # its tolerance is the window and the freshness together
    kept.push()
    assert kept.rows("three") == []
    came(4)
    kept.push()
    assert kept.rows("three") == []  # too far from the other
    assert kept.verify("three").equal
