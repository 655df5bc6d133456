"""Rows followed along their paths find every match of a push once, whoever of its rows probed."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest

from headwater.algebra.stages.adapting import instant
from headwater.catalog import build
from headwater.engine.push.choosing.learnt_joins import LearntJoins
from headwater.engine.push.choosing.sample_paths import sample_paths
from headwater.engine.push.workplace import Workplace
from headwater.model import Project
from headwater.overload.joins.adaptation.learn import PathSample
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse

TABLES = "".join(
    f"CREATE TABLE {name} (id BIGINT PRIMARY KEY, k BIGINT, name STRING, at TIMESTAMP TEMPORAL);\n"
    for name in "abcd"
)
VIEW = """
CREATE MATERIALIZED VIEW v WINDOW = '10 seconds' TOLERANCE (x = INTERVAL '30' SECOND) ON OVERLOAD ADAPT JOINS
AS SELECT x.id, y.id AS j, z.id AS l FROM {joined};
"""
LINEAR = "a x JOIN b y ON x.k = y.k JOIN c z ON z.k = y.k AND upper(z.name) <> upper(x.name) WHERE x.k > 0"
BUSHY = "a x JOIN b y ON x.k = y.k JOIN c z ON true JOIN d w ON w.k = z.k AND z.k = y.k"
START = datetime(2026, 3, 1, tzinfo=UTC)

Rows = list[tuple[int, int, str, datetime, datetime, bool]]  # id, k, name, at, pushed, probed


def micros(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000_000)


def workplace(folder: Path, joined: str) -> Workplace:
    declared = resolve(parse_statements(TABLES + VIEW.format(joined=joined)))
    project = Project(
        "p", str(folder), str(folder), {table.name: table for table in declared.tables},
        {view.name: view for view in declared.views}, {}, {},
    )  # fmt: skip
    return Workplace(cast(Any, None), Warehouse(str(folder)), build(project))


def sampled(place: Workplace, rows: dict[str, Rows], until: datetime) -> dict[str, PathSample]:
    kept = place.catalog.kept["v"]
    for stage in kept.stages[:-1]:
        assert stage.probing is not None
        timeline, held = place.timeline(stage.name), rows[stage.probing.stream]
        columns = {
            "id": pa.array([row[0] for row in held], pa.int64()),
            "k": pa.array([row[1] for row in held], pa.int64()),
            "name": pa.array([row[2] for row in held], pa.string()),
            "at": pa.array([row[3] for row in held], pa.timestamp("us", "UTC")),
            "_pushed": pa.array([row[4] for row in held], pa.timestamp("us", "UTC")),
            "_probed": pa.array([row[5] for row in held], pa.bool_()),
        }
        table = pa.table({name: column for name, column in columns.items() if name in stage.columns})
        timeline.create(table.schema)
        timeline.append(table.append_column(WEIGHT, pa.array([1] * len(held), pa.int64())), micros(until))
    tree = LearntJoins().of(place.catalog.project, place.warehouse, "v", micros(until)).tree
    return sample_paths(place, kept, kept.stages[:-1], tree, micros(until))


def random_rows(chance: random.Random, streams: str) -> dict[str, Rows]:
    return {
        stream: [
            (
                number, chance.randrange(4), chance.choice("pq"), START + timedelta(seconds=chance.randrange(60)),
                START + timedelta(seconds=chance.choice([40, 50, 60])), chance.random() < 0.3,
            )
            for number in range(60)
        ]
        for stream in streams
    }  # fmt: skip


def matches(rows: dict[str, Rows], until: datetime, names: bool) -> int:
    """Those whose last row came with the push, counted by hand."""
    fresh = {
        stream: [row for row in held if row[3] >= until - timedelta(seconds=30 if stream == "x" else 70)]
        for stream, held in rows.items()
    }
    count, streams = 0, list(fresh)

    def extend(chosen: list[tuple[int, int, str, datetime, datetime, bool]]) -> None:
        nonlocal count
        if len(chosen) == len(streams):
            count += any(row[4] == until for row in chosen)
            return
        for row in fresh[streams[len(chosen)]]:
            near = all(abs(row[3] - other[3]) <= timedelta(seconds=10) for other in chosen)
            if not near or (chosen and row[1] != chosen[0][1]):
                continue
            if names and (row[1] == 0 or (len(chosen) == 2 and row[2] == chosen[0][2])):
                continue
            extend([*chosen, row])

    extend([])
    return count


@pytest.mark.parametrize(("joined", "streams"), [(LINEAR, "xyz"), (BUSHY, "xyzw")])
def test_every_match_of_a_push_is_found_by_one_path(tmp_path: Path, joined: str, streams: str) -> None:
    until = START + timedelta(seconds=60)
    rows = random_rows(random.Random(5), streams)
    samples = sampled(workplace(tmp_path, joined), rows, until)
    assert list(samples) == list(streams)
    for stream, sample in samples.items():
        limit = until - timedelta(seconds=30 if stream == "x" else 70)
        assert sample.rows == sum(row[4] == until and row[3] >= limit for row in rows[stream])
    found = sum(sample.after[-1] for sample in samples.values())
    assert found == matches(rows, until, names=joined is LINEAR) > 100


def test_a_condition_that_duckdb_cannot_compute_leaves_a_push_unmeasured(tmp_path: Path) -> None:
    joined = "a x JOIN b y ON x.k = y.k JOIN c z ON z.k = y.k AND soundex(z.name) <> soundex(x.name)"
    rows = random_rows(random.Random(5), "xyz")
    assert sampled(workplace(tmp_path, joined), rows, START + timedelta(seconds=60)) == {}


def test_instants_are_microseconds() -> None:
    assert instant(micros(START)).value == START
