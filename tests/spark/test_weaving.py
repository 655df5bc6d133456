"""Woven views on Spark: pushed by inserts, updates, deletes and late rows, equal to Spark's own GROUP BY window()."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from headwater.model import Weaving
from headwater.serve.planning.shared_catalog import shared_catalog
from support.spark.keeping import Keeping

pytestmark = pytest.mark.spark

TABLE = """
CREATE TABLE quotes (id BIGINT PRIMARY KEY, symbol STRING, venue INT, at TIMESTAMP, price DECIMAL(12,4), size INT,
                     spread DOUBLE, open BOOLEAN) EXPECT ROWS 1000000 RATE 20000 PER SECOND;
"""
AGGREGATES = (
    "count(*)", "count(price)", "sum(size)", "sum(price)", "sum(spread)", "avg(size)", "avg(spread)", "min(price)",
    "max(spread)", "variance(spread)", "stddev(size)", "count_if(open)", "bool_and(open)", "bool_or(open)",
    "max(size) FILTER (WHERE venue > 0)",
)  # fmt: skip
FILTERS = ("symbol = 'a'", "venue < 2", "size > 20", "symbol IN ('a', 'b')")


def random_view(random: Random, name: str) -> str:
    keys = [key for key in ("symbol", "venue") if random.random() < 0.5]
    if random.random() < 0.8 or not keys:
        slide = random.choice((1, 2, 3, 4, 5, 10))
        size = max(slide, random.choice((slide, slide * random.randint(1, 6), random.randint(1, 30))))
        offset = random.choice((0, 0, random.randint(-slide + 1, slide - 1)))
        keys.insert(
            random.randint(0, len(keys)),
            f"window(at, '{size} seconds', '{slide} seconds', '{offset} seconds')",
        )
    calls = [f"{call} AS a{number}" for number, call in enumerate(random.sample(AGGREGATES, 3))]
    shown = [f"{key} AS w" if key.startswith("window") else key for key in keys]
    where = f" WHERE {random.choice(FILTERS)}" if random.random() < 0.4 else ""
    select = f"SELECT {', '.join([*shown, *calls])} FROM quotes{where} GROUP BY {', '.join(keys)}"
    return f"CREATE MATERIALIZED VIEW {name} REFRESH POLICY INCREMENTAL AS {select};\n"


class Feed:
    """Quotes that come, change and go."""

    def __init__(self, random: Random) -> None:
        self.random, self.next = random, 0
        self.rows: dict[int, dict[str, object]] = {}

    def row(self, number: int) -> dict[str, object]:
        random = self.random
        second = random.choice((number // 2, random.randint(0, 59))) % 60  # some are late
        return {
            "id": number,
            "symbol": random.choice("abc"),
            "venue": random.choice((0, 1, 2, None)),
            "at": None
            if random.random() < 0.05
            else f"2026-01-01T00:00:{second:02}.{random.randint(0, 1) * 5}Z",
            "price": random.choice((None, f"{random.randint(0, 400) / 4:.2f}")),
            "size": random.choice((None, random.randint(0, 50))),
            "spread": random.choice((None, random.randint(0, 64) / 8)),
            "open": random.choice((None, True, False)),
        }

    def inserts(self, count: int) -> list[dict[str, object]]:
        for _ in range(count):
            self.rows[self.next] = self.row(self.next)
            self.next += 1
        return list(self.rows.values())[-count:]

    def changes(self, count: int) -> list[dict[str, object]]:
        chosen = self.random.sample(sorted(self.rows), count)
        records: list[dict[str, object]] = []
        for number in chosen:
            if self.random.random() < 0.5:
                records.append({"op": "delete", "row": self.rows.pop(number)})
            else:
                self.rows[number] = self.row(number)
                records.append({"op": "upsert", "row": self.rows[number]})
        return records


def woven(keeping: Keeping) -> tuple[str, ...]:
    """Let the views share; the stages of their trees."""
    keeping.share(shared_catalog(keeping.catalog, keeping.warehouse))
    return tuple(keeping.catalog.shared)


def check(spark: SparkSession, folder: Path, seed: int, views: int, thorough: bool, rows: int = 40) -> None:
    random = Random(seed)
    names = [f"v{number}" for number in range(views)]
    ddl = TABLE + "".join(random_view(random, name) for name in names)
    keeping = Keeping(spark, folder, ddl, weaving=Weaving(always=True))
    trees = woven(keeping)
    over = [name for name in names if set(keeping.catalog.kept[name].stages[-1].reads) <= set(trees)]
    assert trees
    assert len(over) > views / 2, "most are woven"
    feed = Feed(random)
    for number, records in enumerate((feed.inserts(rows), feed.inserts(rows // 4), feed.changes(rows // 4))):
        assert keeping.ingest("quotes", records).rejected == 0
        keeping.push()
        for verified in keeping.verify_all() if number == 2 or (number and thorough) else ():
            assert verified.equal, f"seed {seed}, {verified.view}: {ddl}"
            assert verified.rows or verified.view not in over


def test_woven_views_equal_sparks_own_answers(spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, seed=1, views=4, thorough=False)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_fifty_random_views(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    check(spark, tmp_path, 100 + seed, views=10, thorough=True)


def test_a_view_that_joins_a_tree_or_leaves_it_moves_no_other(spark: SparkSession, tmp_path: Path) -> None:
    """The stage of a tree that holds all that a new view needs goes on as it is."""

    def view(name: str, size: int) -> str:
        window = f"window(at, '{size} seconds', '2 seconds')"
        return (
            f"CREATE MATERIALIZED VIEW {name} REFRESH POLICY INCREMENTAL AS"
            f" SELECT {window} AS w, count(*) AS n FROM quotes GROUP BY {window};\n"
        )

    ddl = TABLE + view("a", 4) + view("b", 6)
    keeping = Keeping(spark, tmp_path, ddl, weaving=Weaving(always=True))
    plain = keeping.catalog
    (tree,) = woven(keeping)
    feed = Feed(Random(3))
    keeping.ingest("quotes", feed.inserts(20))
    keeping.push()
    more = Keeping(spark, tmp_path, ddl + view("c", 8), keeping.clock, weaving=Weaving(always=True))
    assert woven(more) == (tree,)
    assert more.catalog.folder(tree) == keeping.catalog.folder(tree)
    more.ingest("quotes", feed.inserts(5))
    pushed = {record.stage: record.mode for record in more.push()}
    assert pushed[tree] == "incremental"
    assert pushed["c"] == "initial"
    assert all(verified.equal for verified in more.verify_all())
    fewer = Keeping(
        spark, tmp_path, TABLE + view("b", 6) + view("c", 8), more.clock, weaving=Weaving(always=True)
    )
    assert woven(fewer) == (tree,)
    assert replace(plain.project, views={}) == replace(fewer.project, views={})


def test_a_family_is_one_query(spark: SparkSession, tmp_path: Path) -> None:
    """Views that differ only in the lengths of their windows; what is deleted is often the largest.

    There are so many that their rows are written together and split by the driver (stage_files.py), and that
    their states are gathered before they are read (gathered_files.py).
    """
    lengths = ((4, 2, 0), (7, 3, 1), (12, 1, 0), (5, 5, 2), (6, 2, 0), (8, 2, 1), (9, 3, 0), (10, 5, 0))
    keys = {"": "", "symbol, ": ", symbol"}
    views = {
        f"v{size}_{bool(key):d}": f"SELECT {key}window(at, '{size} seconds', '{slide} seconds', '{offset} seconds') AS w,"
        f" count(*) AS n, sum(price) AS total, max(price) AS high, min(spread) AS low"
        f" FROM quotes GROUP BY window(at, '{size} seconds', '{slide} seconds', '{offset} seconds'){keys[key]}"
        for size, slide, offset in lengths
        for key in keys
    }
    create = "CREATE MATERIALIZED VIEW {} REFRESH POLICY INCREMENTAL AS {};\n"
    ddl = TABLE + "".join(create.format(name, select) for name, select in views.items())
    keeping = Keeping(spark, tmp_path, ddl, weaving=Weaving(always=True))
    woven(keeping)
    feed = Feed(Random(5))
    actions: list[int] = []
    for records in (feed.inserts(60), feed.changes(20), feed.changes(20), feed.inserts(5)):
        assert keeping.ingest("quotes", records).rejected == 0
        pushed = keeping.push()
        assert not [record.error for record in pushed if record.error]
        actions.append(len({record.action for record in pushed if record.stage in views}))
    assert actions[0] <= 2 * len(keeping.catalog.shared)  # with a symbol and without: two families a tree
    assert actions[1:] == [1, 1, 1]
    files = [len(keeping.workplace.timeline(name).snapshot().files) for name in views]
    assert max(files) <= len(actions) + 1, "one file a push; the first may have two"
    assert not any(tmp_path.rglob("gathered-*")), "what was gathered is gone"
    assert [verified.view for verified in keeping.verify_all() if not verified.equal] == []
