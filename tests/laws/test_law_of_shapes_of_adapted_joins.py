"""An adapted join may be any join: what it shows is its SQL, by DuckDB, over the rows that no tolerance keeps out.

SELECTs of many shapes (keys of two columns, rows without a time, USING, commas, OR, self-joins, bushy trees, expressions, filters,
columns that are not read) over tables whose rows come late, twice as they were, without keys or times, change and go. With budgets
for everything each view is exact; with less a part of that. The engine's own pushes, whose queries DuckDB runs.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import duckdb
import pyarrow as pa
import pytest
from sqlglot import exp

from headwater.algebra.stages.adapting import CAPTURED, is_mark
from headwater.algebra.stages.stage import StageKind
from headwater.clock import ManualClock
from headwater.engine.push import pusher
from headwater.model import JoinWindow, Overload, SqlText
from headwater.sql.parsing.dialect import Headwater
from headwater.sql.parsing.parser import in_dialect, select_tree
from headwater.storage.delta.types import arrow_schema
from support.cases import scaled
from support.overload.spark_in_duckdb import PushesInDuckDb
from support.overload.window_joins import START
from support.spark.keeping import Keeping

RUNS, TURNS, VIEWS = 1, 5, 4
TABLES = """
CREATE TABLE a (id BIGINT, part STRING, k BIGINT, n INT, s STRING, at TIMESTAMP TEMPORAL, PRIMARY KEY (id, part));
CREATE TABLE b (id BIGINT PRIMARY KEY, k BIGINT, n INT, s STRING, at TIMESTAMP TEMPORAL);
CREATE TABLE c (id BIGINT PRIMARY KEY, k BIGINT, n INT, s STRING);
"""
SHAPES = """SELECT a.id, a.part, b.id AS i FROM a JOIN b ON a.k = b.k
SELECT k, a.id, b.id AS i FROM a JOIN b USING (k)
SELECT a.id, b.id AS i, c.id AS j FROM a, b, c WHERE a.k = b.k AND c.k = b.k
SELECT a.id, b.id AS i FROM a JOIN b ON a.n < b.n
SELECT a.id, c.id AS i FROM a JOIN c ON a.k = c.k OR a.n = c.n
SELECT c.id, b.id AS i FROM c JOIN b ON c.k <=> b.k
SELECT a.id, upper(a.s) AS u, a.n + b.n AS p FROM a JOIN b ON a.k = b.k WHERE a.n > 0 AND b.s LIKE 'x%'
SELECT x.id, y.id AS i FROM b x JOIN b y ON x.k = y.k AND x.id < y.id
SELECT x.id, y.id AS i, z.id AS j FROM c x JOIN c y ON x.k = y.k JOIN c z ON z.n = y.n
SELECT a.id, b.id AS i, c.id AS j, d.id AS l FROM a JOIN b ON a.k = b.k JOIN c ON true JOIN b d ON c.k = d.k AND b.n = c.n
SELECT 1 AS one FROM a JOIN c ON a.k = c.k
SELECT b.n, c.s FROM b JOIN c ON b.k = c.k WHERE b.k = 1
SELECT `x-y`.id, z.id AS i FROM b `x-y` JOIN c z ON `x-y`.k = z.k WHERE `x-y`.s <> z.s
SELECT A.ID, coalesce(B.k, -1) AS I FROM A CROSS JOIN B WHERE A.k IS NULL AND B.n % 2 = 0""".splitlines()
Row = dict[str, Any]


def declared(chance: random.Random) -> str:
    ddl = TABLES
    for number, select in enumerate(chance.sample(SHAPES, VIEWS)):
        window = chance.choice([1, 2, 5, 10])
        limits = [(name, window + chance.choice([0, 1, 4, 20])) for name in _aliases(select)]
        listed = ", ".join(f"`{name}` = INTERVAL '{limit}' SECOND" for name, limit in limits)
        kept = max(limit for _, limit in limits) + chance.choice([0, 1, 7, 60])
        retain = chance.choice(["", f"RETAIN INTERVAL '{kept}' SECOND"])
        ddl += (
            f"CREATE MATERIALIZED VIEW v{number} FRESHNESS = '9 seconds' WINDOW = INTERVAL '{window}' SECOND"
            f" TOLERANCE ({listed}) ON OVERLOAD ADAPT JOINS {retain} AS {select};\n"
        )
    return ddl


def _items(select: exp.Expr) -> list[exp.Table]:
    return [select.args["from_"].this, *(join.this for join in select.args.get("joins") or ())]


def _aliases(select: str) -> list[str]:
    return [item.alias or item.name for item in _items(select_tree(SqlText(select)))]


@dataclass
class Shapes:
    folder: Path
    chance: random.Random
    enough: bool  # all rows may always probe
    held: dict[str, dict[object, Row]] = field(default_factory=lambda: {"a": {}, "b": {}, "c": {}})
    captured: dict[tuple[str, object], datetime] = field(default_factory=dict)
    came: dict[tuple[str, str], dict[tuple[Any, ...], tuple[datetime, Any]]] = field(default_factory=dict)
    number: int = 0
    shown: int = 0

    def __post_init__(self) -> None:
        clock = ManualClock(int(START.replace(tzinfo=UTC).timestamp() * 1e6))
        self.kept = Keeping(cast(Any, None), self.folder, declared(self.chance), clock)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.kept.clock.now() / 1e6, UTC)

    def feed(self) -> None:
        for table, held in self.held.items():
            changes: list[dict[str, object]] = []
            came: list[object] = []
            for _ in range(self.chance.randint(0, 8)):
                key, before = None, None
                if held and self.chance.random() < 0.35:
                    key = self.chance.choice([*held])
                    if key in came:
                        continue
                    before = held.pop(key)
                    changes.append({"op": "delete", "row": _record(before)})
                    if self.chance.random() < 0.3:
                        continue
                self.number += before is None
                key = self.number * 37 % 1009 if key is None else key
                # Some come back as they were.
                held[key] = before if before and self.chance.random() < 0.2 else self._row(table, key)
                changes.append({"op": "insert", "row": _record(held[key])})
                came.append(key)
            assert not self.kept.ingest(table, changes).rejected
            self.captured |= {(table, key): self.now() for key in came}

    def _row(self, table: str, key: object) -> Row:
        pick = self.chance.choice
        row: Row = {
            "id": key,
            "k": pick([None, 1, 1, 2]),
            "n": pick([None, 0, 1, 2]),
            "s": pick([None, "x", "xx", "y"]),
        }
        if table == "a":
            row["part"] = pick("pq")
        if table != "c":
            past = timedelta(seconds=pick([0, 0, 1, 1, 2, 3, 5, 10, 20, -2]))
            row["at"] = None if self.chance.random() < 0.05 else self.now().replace(microsecond=0) - past
        return row

    def push(self) -> None:
        if not self.enough:
            allowed = Overload(probes_per_second=self.chance.choice([0.2, 1.0, 3.0, 1e9]))
            self.kept.workplace.catalog = replace(
                self.kept.catalog, project=replace(self.kept.project, overload=allowed)
            )
        clock = self.kept.clock
        clock.advance(timedelta(seconds=self.chance.choice([0, 1, 4]), microseconds=-clock.now() % 1_000_000))
        self.kept.push()
        for view in self.kept.project.views:
            exact, shown = self.exact(view), Counter(map(_plain, self.kept.rows(view)))
            assert not shown - exact, view
            assert shown == exact or not self.enough, view
            self.shown += shown.total()

    def exact(self, view: str) -> Counter[tuple[Any, ...]]:
        """Of the rows that are in time: those that match, and of which none was too old when the last came."""
        window = self.kept.project.views[view].window
        assert window is not None
        with duckdb.connect(config={"threads": 1}) as database:
            database.execute("SET TimeZone = 'UTC'")
            for number, rows in enumerate(self.in_time(view)):
                database.register(f"in{number}", rows)
            found = database.execute(_over(self.kept.project.views[view].sql, window)).fetchall()
        return Counter(map(_plain, found))

    def in_time(self, view: str) -> list[pa.Table]:
        window, now, tables = self.kept.project.views[view].window, self.now(), []
        assert window is not None
        for stream in window.streams:
            (stage,) = (
                stage
                for stage in self.kept.catalog.kept[view].stages
                if stage.kind is StageKind.PROBES and stage.probing and stage.probing.stream == stream.name
            )
            assert stage.probing is not None
            names = [name for name in stage.columns if not is_mark(name)]
            known = self.came.setdefault((view, stream.name), {})
            rows: dict[tuple[Any, ...], Any] = {}
            for key, row in self.held[stream.table].items():
                at = self.captured[stream.table, key] if stream.column == CAPTURED else row["at"]
                rows[tuple(row[name.lower()] for name in names)] = at
            for row_ in [row_ for row_ in known if row_ not in rows]:
                del known[row_]
            for row_, at in rows.items():
                known.setdefault(row_, (now, at))
            fresh = {
                row_: (came, at)
                for row_, (came, at) in known.items()
                if at is not None and came <= at + stage.probing.tolerance and at >= now - stage.probing.keep
            }
            types = arrow_schema(self.kept.project.tables[stream.table].columns)
            columns = {
                name: pa.array([row_[place] for row_ in fresh], types.field(name.lower()).type)
                for place, name in enumerate(names)
            }
            instants = pa.timestamp("us", "UTC")
            marks = {
                "came_": pa.array([came for came, _ in fresh.values()], instants),
                "at_": pa.array([at for _, at in fresh.values()], instants),
            }
            tables.append(pa.table(columns | marks))
        return tables


def _over(sql: SqlText, window: JoinWindow) -> str:
    """The SELECT over the rows that are in time, with the window and tolerances between any two of them."""
    tree = select_tree(sql).copy()
    for number, (item, stream) in enumerate(zip(_items(tree), window.streams, strict=True)):
        item.set("this", exp.to_identifier(f"in{number}"))
        item.set("alias", exp.TableAlias(this=exp.to_identifier(stream.name, quoted=True)))
    conditions = [
        f"`{x.name}`.at_ <= `{y.name}`.at_ + INTERVAL {window.length.total_seconds()} SECOND"
        f" AND `{x.name}`.came_ <= `{y.name}`.at_ + INTERVAL {(y.tolerance or window.length).total_seconds()} SECOND"
        for x in window.streams
        for y in window.streams
    ]
    near = select_tree(SqlText(f"SELECT 1 WHERE {' AND '.join(conditions)}")).args["where"].this
    where = tree.args.get("where")
    tree.set(
        "where",
        exp.Where(this=near if where is None else exp.And(this=exp.Paren(this=where.this), expression=near)),
    )
    return in_dialect(SqlText(tree.sql(dialect=Headwater)), "duckdb")


def _record(row: Row) -> Row:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()}


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(int(value) if isinstance(value, int) else value for value in row)


@pytest.mark.slow
@pytest.mark.parametrize("enough", [True, False])
def test_what_is_shown_is_the_select_over_rows_in_time(
    enough: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pusher, "run_action", PushesInDuckDb())
    shown = 0
    for seed in range(scaled(RUNS)):
        shapes = Shapes(tmp_path / str(seed), random.Random(seed), enough)
        try:
            for _ in range(TURNS):
                shapes.feed()
                shapes.push()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
        finally:
            shapes.kept.executor.close()
        shown += shapes.shown
    assert shown > 5
