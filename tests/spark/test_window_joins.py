"""Window joins on Spark: exact, and files that are too old or too new are not read."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.algebra.delta.derive import delta
from headwater.algebra.plans.nodes import Join, Version
from headwater.algebra.plans.walks import nodes
from headwater.engine.query.pruning import join_ranges
from headwater.storage.timeline import Range
from support.overload.window_joins import START, by_duckdb, random_changes, table_ddl
from support.spark.keeping import Keeping
from support.spark.window_records import records

pytestmark = pytest.mark.spark

PAIRS = """
CREATE MATERIALIZED VIEW near FRESHNESS = '9 seconds' WINDOW = INTERVAL '2' SECOND
  TOLERANCE (x = INTERVAL '20' SECOND, y = INTERVAL '20' SECOND)
AS SELECT x.id AS i0, y.id AS i1 FROM a x JOIN b y ON x.k = y.k;
CREATE MATERIALIZED VIEW three FRESHNESS = '9 seconds' WINDOW = INTERVAL '5' SECOND
AS SELECT x.id AS i0, y.id AS i1, z.id AS i2 FROM a x JOIN b y ON x.k = y.k JOIN a z ON z.k = y.k AND z.n < x.n;
"""
DEFINITIONS = {
    "near": "SELECT x.id, y.id FROM a x JOIN b y ON x.k = y.k"
    " WHERE greatest(x.ts, y.ts) - INTERVAL '2' SECOND <= least(x.ts, y.ts)",
    "three": "SELECT x.id, y.id, z.id FROM a x JOIN b y ON x.k = y.k JOIN a z ON z.k = y.k AND z.n < x.n"
    " WHERE greatest(x.ts, y.ts, z.ts) - INTERVAL '5' SECOND <= least(x.ts, y.ts, z.ts)"
    " AND x.ts IS NOT NULL AND y.ts IS NOT NULL AND z.ts IS NOT NULL",
}


def test_a_window_join_is_what_its_definition_says_after_every_push(
    spark: SparkSession, tmp_path: Path
) -> None:
    kept = Keeping(spark, tmp_path, "".join(map(table_ddl, "ab")) + PAIRS)
    chance, rows = random.Random(5), {"a": [], "b": []}  # type: tuple[random.Random, Rows]
    filled = 0
    for turn in range(3):
        for table, changes in random_changes(chance, rows, turn, most=25).items():
            assert not kept.ingest(table, records(changes)).rejected
        kept.push()
        for view, definition in DEFINITIONS.items():
            assert kept.rows(view) == sorted(by_duckdb(definition, rows).elements(), key=repr), (turn, view)
            filled += bool(kept.rows(view))
    assert filled == 6
    assert all(verified.equal for verified in kept.verify_all())


def test_only_files_near_in_time_are_read(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, "".join(map(table_ddl, "ab")) + PAIRS.split(";")[0] + ";")
    for hour in range(3):
        at = START + timedelta(hours=hour)
        row = {"id": hour, "k": 1, "n": 1, "ts": f"{at.isoformat()}Z"}
        kept.ingest("a", [row])
        kept.ingest("b", [row])
        kept.push()
    last = START + timedelta(hours=2, seconds=1)
    kept.ingest("a", [{"id": 9, "k": 1, "n": 1, "ts": f"{last.isoformat()}Z"}])
    (stage,) = kept.catalog.kept["near"].stages
    relations = kept.workplace.relations(stage, kept.clock.now())
    change = delta(stage, frozenset({"a"}))
    assert change is not None
    (term,) = [node for node in nodes(change) if isinstance(node, Join)]
    span = join_ranges(relations, term)["y.ts"]
    window = timedelta(seconds=2)
    assert (span.low.replace(tzinfo=None), span.high.replace(tzinfo=None)) == (last - window, last + window)
    (scan,) = [child for child in term.inputs if getattr(child, "version", None) is not Version.DELTA]
    assert [file.rows for file in relations.part(scan, [Range("ts", span.low, span.high)]).files] == [1]  # type: ignore[arg-type]
    kept.push()
    assert kept.rows("near") == [(0, 0), (1, 1), (2, 2), (9, 2)]
