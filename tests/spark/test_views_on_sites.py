"""A project on several sites of one Spark: everything lies where it should, moves as files, and is right."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from headwater.api import Headwater
from headwater.engine.executor.executor import Executor
from headwater.engine.executor.spark_runner import SparkRunner
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.planning.cost.predictor import Done, Predictor
from headwater.planning.stages.actions import Mode
from headwater.storage.timeline import Timeline
from support.spark.site_projects import as_run, project, pushes, stages, view, wrong

pytestmark = pytest.mark.spark

SITES = {"m1": "", "m2": "", "m3": ""}
SHOP = """
CREATE TABLE customers (cid BIGINT PRIMARY KEY, city STRING) AT SITE m1;
CREATE TABLE orders (oid BIGINT PRIMARY KEY, cid BIGINT, amount BIGINT) AT SITE m2;
CREATE TABLE items (iid BIGINT PRIMARY KEY, oid BIGINT, sku STRING) AT SITE m2;
"""
JOINED = "SELECT o.oid, o.cid, c.city, o.amount FROM orders o JOIN customers c ON o.cid = c.cid"
VIEWS = {
    "joined": JOINED,
    "large": f"{JOINED} WHERE o.amount > 10",
    "larger": f"{JOINED} WHERE o.amount > 50",
    "by_city": "SELECT c.city, count(*) AS n, sum(o.amount) AS total, max(o.amount) AS most"
    " FROM orders o JOIN customers c ON o.cid = c.cid GROUP BY c.city",
    "sold": "SELECT i.iid, i.sku, o.amount, c.city FROM items i JOIN orders o ON i.oid = o.oid"
    " JOIN customers c ON o.cid = c.cid",
    "all_customers": "SELECT c.cid, o.oid FROM customers c LEFT JOIN orders o ON o.cid = c.cid",
    "rich": "SELECT city, n FROM by_city WHERE total > 100",
}


def change(op: str, **row: Any) -> dict[str, Any]:
    return {"op": op, "row": row}


def fill(shop: Headwater) -> None:
    shop.ingest("customers", [{"cid": at, "city": ("Bern", "Oslo", "Rome")[at % 3]} for at in range(12)])
    shop.ingest("orders", [{"oid": at, "cid": at % 15, "amount": at * 3} for at in range(40)])
    shop.ingest("items", [{"iid": at, "oid": at % 45, "sku": f"s{at % 4}"} for at in range(60)])


def alter(shop: Headwater) -> None:
    shop.ingest("customers", [change("update", cid=1, city="Rome"), change("delete", cid=2)])
    shop.ingest("customers", [{"cid": 13, "city": "Oslo"}])
    shop.ingest(
        "orders",
        [
            change("update", oid=3, cid=4, amount=99),
            change("update", oid=30, cid=0, amount=1),
            change("delete", oid=31),
            {"oid": 50, "cid": 1, "amount": 77},
        ],
    )
    shop.ingest("items", [change("delete", iid=5), {"iid": 70, "oid": 50, "sku": "s9"}])


def alter_again(shop: Headwater) -> None:
    shop.ingest("customers", [change("update", cid=13, city="Bern"), {"cid": 2, "city": "Bern"}])
    shop.ingest("orders", [change("delete", oid=50), {"oid": 51, "cid": 2, "amount": 60}])


def test_views_joined_across_sites(spark: SparkSession, tmp_path: Path) -> None:
    # Of so few rows a recompute may be cheaper, as the time model sees it: here it has no choice.
    by_deltas = [view(name, select, "m3", policy="INCREMENTAL") for name, select in VIEWS.items()]
    shop = project(tmp_path, SITES, SHOP + "".join(by_deltas) + view("here", JOINED, "m1"))
    fill(shop)
    catalog = as_run(shop)
    shop.run_until_idle()
    before = shop.clock.now()
    alter(shop)
    shop.run_until_idle()
    assert as_run(shop) == catalog  # a plan is remembered
    assert wrong(shop) == []
    assert shop.read("joined").table.num_rows == shop.read("here").table.num_rows > 30

    # Deltas were copied as files, to where they are needed.
    assert catalog.copies
    for replica, original in catalog.copies.items():
        site = catalog.site_of(replica)
        assert site != catalog.site_of(original)
        timeline = Timeline(str(tmp_path / site / "stages" / catalog.folder(replica)))
        assert timeline.exists()
        assert timeline.time() > before
        moved = [push for push in pushes(shop) if push["stage"] == replica and push["mode"] == "copy"]
        assert len(moved) == 2
        assert all(push["bytes_copied"] > 0 and push["changed_rows"] > 0 for push in moved)
        assert {push["site"] for push in moved} == {site}

    # Everything lies under the root of its site, and joins look nowhere else.
    for name, stage in stages(catalog).items():
        site = catalog.site_of(name)
        assert Timeline(str(tmp_path / site / "stages" / catalog.folder(name))).exists()
        if len(stage.reads) > 1 and "all_customers" not in name:
            assert {catalog.site_of(read) for read in stage.reads} == {site}, name
    assert (tmp_path / "m3" / "views" / "joined").is_dir()
    assert (tmp_path / "m2" / "sources" / "orders").is_dir()
    assert not (tmp_path / "warehouse" / "stages").exists()

    # The second run went on from the first: nothing was computed anew for want of its history.
    later = pushes(shop, before)
    assert "initial" not in {push["mode"] for push in later}
    assert not [push for push in later if "compacted away" in push["reason"]]
    assert "incremental" in {push["mode"] for push in later}
    assert {push["site"] for push in pushes(shop, before)} >= {"m1", "m3"}

    # A part of a view is made from it, not from the sources; the aggregate shares the join.
    read = {name: set(stage.reads) for name, stage in stages(catalog).items()}
    for name in ("large", "larger", "by_city"):
        assert not read[name] & {"orders", "customers"}, name

    # A plan made anew, from what was measured, goes on from whatever there is.
    alter_again(shop)
    shop.run_until_idle(replan=True)
    assert wrong(shop) == []
    # What was shared and is no longer has been removed.
    there = {path.name for path in tmp_path.glob("*/stages/*")}
    assert {folder for folder in there if "~" in folder or folder.count("@") > 1} <= set(
        as_run(shop).folders().values()
    )


def test_what_is_foreseen_of_sites_is_what_was_learnt(spark: SparkSession, tmp_path: Path) -> None:
    """A forecast asks for the models that pushes teach: each Spark's stages of an action, and each copy."""
    by_deltas = [view(name, VIEWS[name], "m3", policy="INCREMENTAL") for name in ("joined", "sold")]
    shop = project(
        tmp_path, SITES, SHOP + "".join(by_deltas) + view("here", JOINED, "m1", policy="INCREMENTAL")
    )
    fill(shop)
    shop.run_until_idle()
    catalog = as_run(shop)
    assert catalog.copies
    records = Records(shop.clock)
    runner = SparkRunner(Workplace(spark, shop.warehouse, catalog), records)
    executor = Executor(catalog, runner, shop.clock)
    alter(shop)
    executor.watermarks = dict.fromkeys(shop.project.tables, shop.clock.now())
    executor.push_now()
    sites: dict[str, set[str]] = {}
    for record in records.drain():
        if record.mode == "incremental":
            sites.setdefault(record.action, set()).add(record.site)
    assert max(map(len, sites.values())) > 1  # sites that share a Spark share its actions
    alter_again(shop)
    asked: list[Mapping[str, Done]] = []
    predictor = runner.forecaster.predictor
    with pytest.MonkeyPatch.context() as patch:
        forecast = Predictor.forecast
        patch.setattr(
            Predictor, "forecast", lambda self, works, *a: asked.append(works) or forecast(self, works, *a)
        )
        runner.forecaster.forecast(catalog.kept, shop.clock.now())
    deltas = [
        frozenset(stage for stage, done in works.items() if done.mode is Mode.INCREMENTAL) for works in asked
    ]
    by_delta = {stages for stages in deltas if stages}
    copied = {stage for works in asked for stage, done in works.items() if done.mode is Mode.COPY}
    assert by_delta
    assert by_delta <= predictor.joint.keys()
    assert copied
    assert {(stage, Mode.COPY) for stage in copied} <= predictor.alone.keys()


def test_views_over_views_of_other_sites(spark: SparkSession, tmp_path: Path) -> None:
    sql = SHOP + view("by_city", VIEWS["by_city"], "m1") + view("joined", JOINED, "m2")
    sql += view(
        "share", "SELECT j.oid, j.amount, b.total FROM joined j JOIN by_city b ON j.city = b.city", "m3"
    )
    sql += view("top", "SELECT city, total FROM by_city ORDER BY total DESC LIMIT 2", "m3")
    shop = project(tmp_path, SITES, sql)
    fill(shop)
    shop.run_until_idle()
    assert wrong(shop) == []
    alter(shop)
    shop.run_until_idle()
    assert wrong(shop) == []
    assert shop.read("share").table.num_rows > 30
    copied = {push["stage"] for push in pushes(shop) if push["mode"] == "copy"}
    assert copied & {"joined@m3", "by_city@m3", "by_city@m2", "joined@m1"}


# Random views

COLUMNS = ("id", "k", "a", "b")
HOMES = {"r0": "m1", "r1": "m2", "r2": "m3"}


def random_view(name: str, randomly: random.Random) -> str:
    tables = randomly.sample(sorted(HOMES), randomly.choice((1, 2, 2, 3, 3)))
    aliases = {f"x{at}": table for at, table in enumerate(tables)}
    if randomly.random() < 0.2:
        aliases["y"] = tables[0]
    names = list(aliases)
    conditions = [
        f"{left}.{randomly.choice('kka')} = {right}.{randomly.choice('kkb')}"
        for left, right in zip(names, names[1:], strict=False)
    ]
    conditions += [f"{joined}.b {randomly.choice(('>', '>=', '='))} {randomly.randrange(2)}" for joined in names[:2]
                   if randomly.random() < 0.4]  # fmt: skip
    columns = [f"{alias}.{column}" for alias in aliases for column in COLUMNS]
    shown = randomly.sample(columns, 3)
    select = ", ".join(f"{one} AS c{at}" for at, one in enumerate(shown))
    tail = ""
    if randomly.random() < 0.25:
        select, tail = f"{shown[0]} AS g, count(*) AS n, sum({shown[1]}) AS s", f" GROUP BY {shown[0]}"
    sources = ", ".join(f"{table} AS {alias}" for alias, table in aliases.items())
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return view(name, f"SELECT {select} FROM {sources}{where}{tail}", randomly.choice(sorted(SITES)))


def random_row(key: int, randomly: random.Random) -> dict[str, Any]:
    def value() -> int | None:
        return None if randomly.random() < 0.05 else randomly.randrange(4)

    return {"id": key, **{column: value() for column in COLUMNS[1:]}}


def random_changes(alive: set[int], randomly: random.Random) -> list[dict[str, Any]]:
    gone = {key for key in alive if randomly.random() < 0.2}
    altered = {key for key in alive - gone if randomly.random() < 0.3}
    new = set(range(len(alive) + 100, len(alive) + 100 + randomly.randint(1, 6))) - alive
    alive -= gone
    alive |= new
    return [
        *(change("delete", id=key) for key in sorted(gone)),
        *(change("update", **random_row(key, randomly)) for key in sorted(altered)),
        *(random_row(key, randomly) for key in sorted(new)),
    ]


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_random_views_on_three_sites(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    randomly = random.Random(seed)
    declared = ", ".join(f"{column} INT" for column in COLUMNS[1:])
    sql = "".join(
        f"CREATE TABLE {name} (id BIGINT PRIMARY KEY, {declared}) AT SITE {site};\n"
        for name, site in HOMES.items()
    )
    sql += "".join(random_view(f"v{at}", randomly) for at in range(8))
    world = project(tmp_path, SITES, sql)
    alive: dict[str, set[int]] = {name: set() for name in HOMES}
    for _ in range(3):
        for name in HOMES:
            world.ingest(name, random_changes(alive[name], randomly))
        world.run_until_idle()
        assert wrong(world) == [], sql
    assert any(push["mode"] == "copy" for push in pushes(world))
    assert sum(view.rows for view in world.status().views) > 10
