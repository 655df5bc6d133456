"""Woven views pushed by the engine on real timelines, with the evaluator in Spark's place.

Random views with windows, keys, filters, joins and RETAIN; quotes come, change and go, some too late for the table's
WATERMARK; views come and go, so that those that stay move to other trees.  After every push each view is its SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from headwater.algebra.moments.plans import bind
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import ZSet
from headwater.algebra.plans.nodes import Aggregate, Version
from headwater.capture.intake.append import append, open_source
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.executor import Executor
from headwater.engine.push import pusher
from headwater.engine.push.record import PushRecord, Records
from headwater.model import Project, Site, Weaving
from headwater.serve.planning.remembered import remembered
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.warehouse import Warehouse
from support.cases import scaled
from support.poisoned_run import InlineRunner
from support.without_spark import run_encoded, shown, workplace
from support.woven_cases import assert_equal
from support.woven_views import COMPANIES, START, TABLE, Feed, random_view


class Run:
    """Views that are kept from one set of declarations to the next, in one folder."""

    def __init__(self, folder: Path, table: str) -> None:
        self.storage, self.table = str(folder), table
        self.clock = ManualClock(START + 60_000_000)
        self.warehouse = Warehouse(self.storage)

    def declare(self, views: Mapping[str, str]) -> None:
        declared = resolve(parse_statements(self.table + COMPANIES + "".join(views.values())))
        tables = {table.name: table for table in declared.tables}
        views_by_name = {view.name: view for view in declared.views}
        site = {"default": Site(storage=self.storage)}
        project = Project(
            "woven", self.storage, self.storage, tables, views_by_name, {}, site, weaving=Weaving(always=True)
        )
        for table in declared.tables:
            open_source(self.warehouse, table)
        self.alone = build(project)
        self.catalog = shared_catalog(self.alone, self.warehouse)
        assert _trees(self.catalog) == len(remembered(self.warehouse).trees)  # type: ignore[union-attr]
        self.records = Records(self.clock)
        self.workplace = workplace(self.warehouse, self.catalog)
        self.executor = Executor(self.catalog, InlineRunner(self.workplace, self.records), self.clock)

    def ingest(self, table: str, records: list[dict[str, object]]) -> None:
        self.clock.advance(timedelta(seconds=1))
        append(self.warehouse, self.alone.project.tables[table], records, self.clock)

    def push(self) -> list[PushRecord]:
        self.clock.advance(timedelta(seconds=1))
        self.executor.watermarks = dict.fromkeys(self.alone.project.tables, self.clock.now())
        self.executor.push_now()
        return self.records.drain()

    def check(self, told: str) -> int:
        """Every view against its own plan over the tables; how many rows were compared."""
        now, compared = self.clock.now(), 0
        database = {
            (name, Version.NEW): shown(self.warehouse.source(name), now) for name in self.alone.project.tables
        }
        for name, kept in self.alone.kept.items():
            (stage,) = kept.stages
            assert stage.plan is not None
            rows = evaluate(bind(stage.plan, now, now), database)
            whole: ZSet = evaluate(kept.finish, {(stage.name, Version.NEW): (stage.columns, rows)})
            held = shown(self.workplace.timeline(name), now)[1]
            assert_equal(held, whole, f"{told}, {name}")
            compared += len(whole)
        return compared


def _trees(catalog: Catalog) -> int:
    return sum(isinstance(kept.stages[-1].plan, Aggregate) for kept in catalog.shared.values())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(scaled(4)))
def test_woven_views_are_what_they_are_alone(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pusher, "run_action", run_encoded)
    random = Random(seed)
    run = Run(tmp_path, TABLE.format(late=" WATERMARK = INTERVAL '50' SECOND" if seed % 2 else ""))
    views = {f"v{number}": random_view(random, f"v{number}") for number in range(5)}
    run.declare(views)
    assert run.catalog.shared
    feed, compared = Feed(random), 0
    for push in range(4):
        run.ingest("quotes", feed.inserts(10))
        if push:
            run.ingest("quotes", feed.changes(6))
        if push % 2 == 0:
            run.ingest("companies", [{"ticker": random.choice("abc"), "country": random.choice("xy")}])
        if push == 2:
            del views[random.choice(sorted(views))]
            views[f"n{push}"] = random_view(random, f"n{push}")
            run.declare(views)
        assert [record.error for record in run.push() if record.error] == []
        compared += run.check(f"seed {seed}, push {push}")
    assert compared > 60


def test_a_view_that_retains_rows_may_move_to_a_tree_that_is_yet_to_be_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which windows leave as time passes is asked before the tree of another weave is there."""
    monkeypatch.setattr(pusher, "run_action", run_encoded)

    def view(name: str, size: int, slide: int, retain: str = "") -> str:
        window = f"window(at, '{size} seconds', '{slide} seconds')"
        select = f"SELECT symbol, {window} AS w, count(*) AS n FROM quotes GROUP BY symbol, {window}"
        return f"CREATE MATERIALIZED VIEW {name} REFRESH POLICY INCREMENTAL {retain} AS {select};\n"

    run, feed = Run(tmp_path, TABLE.format(late="")), Feed(Random(1))
    views = {"a": view("a", 4, 2, "RETAIN INTERVAL '40' SECOND"), "b": view("b", 6, 2)}
    run.declare(views)
    (before,) = run.catalog.shared
    run.ingest("quotes", feed.inserts(30))
    run.push()
    run.declare(views | {"c": view("c", 9, 3)})
    assert before not in run.catalog.shared
    run.ingest("quotes", feed.inserts(3))
    assert [record.error for record in run.push() if record.error] == []
    assert run.check("after the move") > 20


def test_fragments_of_views_that_retain_end_in_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes pass, quotes stay in the table; the tree lets go what no window that is retained can hold."""
    monkeypatch.setattr(pusher, "run_action", run_encoded)

    def view(name: str, size: int, slide: int) -> str:
        window = f"window(at, '{size} seconds', '{slide} seconds')"
        select = f"SELECT {window} AS w, count(*) AS n, max(price) AS high FROM quotes GROUP BY {window}"
        retain = "RETAIN INTERVAL '30' SECOND"
        return f"CREATE MATERIALIZED VIEW {name} REFRESH POLICY INCREMENTAL {retain} AS {select};\n"

    run, feed = Run(tmp_path, TABLE.format(late="")), Feed(Random(4))
    run.declare({"a": view("a", 4, 2), "b": view("b", 6, 3)})
    (tree,) = run.catalog.shared
    held: list[int] = []
    for _ in range(3):
        run.ingest("quotes", feed.inserts(20))
        run.ingest("quotes", feed.changes(4) if held else [])
        assert [record.error for record in run.push() if record.error] == []
        run.check(f"after {len(held)} pushes")
        held.append(len(shown(run.workplace.timeline(tree), run.clock.now())[1]))
        run.clock.advance(timedelta(seconds=40))
    assert held[0] > 10
    assert held[-1] == 0, "every quote is of the first minute"
