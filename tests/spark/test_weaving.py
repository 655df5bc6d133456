"""Woven views on Spark: pushed by inserts, updates, deletes and late rows, equal to Spark's own GROUP BY window()."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from headwater.clock import ManualClock
from headwater.engine.push import publishing
from headwater.model import Weaving
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.timeline import WEIGHT
from support.spark.keeping import Keeping
from support.woven_views import COMPANIES, START, TABLE, Feed, random_view

pytestmark = pytest.mark.spark


def woven(keeping: Keeping) -> tuple[str, ...]:
    """Let the views share; the stages of their trees."""
    keeping.share(shared_catalog(keeping.catalog, keeping.warehouse))
    return tuple(keeping.catalog.shared)


def check(spark: SparkSession, folder: Path, seed: int, views: int, thorough: bool, rows: int = 40) -> None:
    """Random views, pushed by random changes; a thorough check lets a view go and another come in between."""
    random = Random(seed)
    declared = {f"v{number}": random_view(random, f"v{number}") for number in range(views)}
    late = " WATERMARK = INTERVAL '50' SECOND" if seed % 2 else ""
    table, clock = TABLE.format(late=late) + COMPANIES, ManualClock(START + 60_000_000)
    keeping = opened(spark, folder, table, declared, clock)
    trees = woven(keeping)
    over = [name for name in declared if set(keeping.catalog.kept[name].stages[-1].reads) <= set(trees)]
    assert trees
    assert len(over) > views / 2, "most are woven"
    feed, shown = Feed(random), 0
    for number, records in enumerate((feed.inserts(rows), feed.inserts(rows // 4), feed.changes(rows // 4))):
        assert keeping.ingest("quotes", records).rejected == 0 or late
        if number != 1:
            keeping.ingest("companies", [{"ticker": random.choice("abc"), "country": random.choice("xy")}])
        if thorough and number == 2:
            del declared[random.choice(sorted(declared))]
            declared["new"] = random_view(random, "new")
            keeping = opened(spark, folder, table, declared, clock)
            woven(keeping)
        assert [record.error for record in keeping.push() if record.error] == []
        for verified in keeping.verify_all() if number == 2 or (number and thorough) else ():
            assert verified.equal, f"seed {seed}, {verified.view}: {declared}"
            shown += verified.rows
    assert shown > views


def opened(
    spark: SparkSession, folder: Path, table: str, declared: Mapping[str, str], clock: ManualClock
) -> Keeping:
    return Keeping(spark, folder, table + "".join(declared.values()), clock, Weaving(always=True))


def test_woven_views_equal_sparks_own_answers(spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, seed=3, views=4, thorough=False)


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

    table = TABLE.format(late="")
    ddl = table + view("a", 4) + view("b", 6)
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
        spark, tmp_path, table + view("b", 6) + view("c", 8), more.clock, weaving=Weaving(always=True)
    )
    assert woven(fewer) == (tree,)
    assert replace(plain.project, views={}) == replace(fewer.project, views={})


def test_a_family_is_one_query(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Views that differ only in the lengths of their windows; what is deleted is often the largest.

    There are so many that their rows are written together and split by the driver (stage_files.py), and that
    their states are gathered before they are read (gathered_files.py).
    """
    lengths = (
        (30, 2, 1),
        (4, 2, 0),
        (7, 3, 1),
        (12, 1, 0),
        (5, 5, 2),
        (6, 2, 0),
        (8, 2, 1),
        (9, 3, 0),
        (10, 5, 0),
    )
    keys = {"": "", "symbol, ": ", symbol"}
    views = {
        f"v{size}_{bool(key):d}": f"SELECT {key}window(at, '{size} seconds', '{slide} seconds', '{offset} seconds') AS w,"
        f" count(*) AS n, sum(price) AS total, max(price) AS high, min(spread) AS low"
        f" FROM quotes GROUP BY window(at, '{size} seconds', '{slide} seconds', '{offset} seconds'){keys[key]}"
        for size, slide, offset in lengths
        for key in keys
    }
    create = "CREATE MATERIALIZED VIEW {} REFRESH POLICY INCREMENTAL AS {};\n"
    ddl = TABLE.format(late="") + "".join(create.format(name, select) for name, select in views.items())
    keeping = Keeping(spark, tmp_path, ddl, weaving=Weaving(always=True))
    woven(keeping)
    feed = Feed(Random(5))
    actions: list[int] = []
    read: list[str] = []
    rows_of = publishing.visible_rows
    monkeypatch.setattr(
        publishing,
        "visible_rows",
        lambda timeline, part: read.append(timeline.path) or rows_of(timeline, part),
    )
    for records in (feed.inserts(60), feed.changes(20), feed.changes(20), feed.inserts(5)):
        assert keeping.ingest("quotes", records).rejected == 0
        pushed = keeping.push()
        assert not [record.error for record in pushed if record.error]
        actions.append(len({record.action for record in pushed if record.stage in views}))
    assert actions[0] <= 2 * len(keeping.catalog.shared)  # with a symbol and without: two families a tree
    assert actions[1:] == [1, 1, 1]
    assert max(map(read.count, read), default=0) <= 1, "once computed, a view has its changes at hand"
    files = [len(keeping.workplace.timeline(name).snapshot().files) for name in views]
    assert max(files) <= len(actions) + 1, "one file a push; the first may have two"
    assert not any(tmp_path.rglob("gathered-*")), "what was gathered is gone"
    assert [verified.view for verified in keeping.verify_all() if not verified.equal] == []


def test_fragments_end_with_the_windows_that_are_retained(spark: SparkSession, tmp_path: Path) -> None:
    def view(name: str, size: int, retain: str) -> str:
        window = f"window(at, '{size} seconds', '2 seconds')"
        return (
            f"CREATE MATERIALIZED VIEW {name} REFRESH POLICY INCREMENTAL RETAIN INTERVAL {retain} AS"
            f" SELECT {window} AS w, count(*) AS n, max(price) AS high FROM quotes GROUP BY {window};\n"
        )

    ddl = TABLE.format(late="") + view("a", 4, "'30' SECOND") + view("b", 6, "'40' SECOND")
    keeping = Keeping(spark, tmp_path, ddl, ManualClock(START + 60_000_000), Weaving(always=True))
    (tree,) = woven(keeping)
    feed = Feed(Random(4))
    fragments: list[int] = []
    for minutes in range(3):
        keeping.ingest("quotes", [*feed.inserts(20), *feed.changes(4 if minutes else 0)])
        assert [record.error for record in keeping.push() if record.error] == []
        assert [verified.view for verified in keeping.verify_all() if not verified.equal] == []
        timeline = keeping.workplace.timeline(tree)
        weights = timeline.read(timeline.as_of(timeline.time()), []).column(WEIGHT)
        fragments.append(sum(weights.to_pylist()))
        keeping.clock.advance(timedelta(seconds=50))
    assert fragments[0] > 10
    assert fragments[-1] == 0, "every quote is of the first minute"
