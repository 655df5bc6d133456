"""Two real Spark Connect servers as two sites, beside the Spark of this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.utils import is_remote

from headwater.algebra.expressions.tree import Column, equal
from headwater.algebra.plans.nodes import JoinKind
from headwater.api import Headwater
from headwater.bench.spark_servers import Server, connect_server, running
from headwater.clock import SystemClock
from headwater.engine.push.writing import arrow_columns, write
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, union
from headwater.engine.run.progress import Progress
from headwater.engine.spark.agents import Agents, site_agents
from headwater.engine.spark.connect import is_connect
from headwater.engine.spark.metering import metered
from headwater.engine.spark.session import Size, sized_session
from headwater.engine.spark.sites import Sites
from headwater.model import Project, Site
from headwater.storage.copying import copy_delta
from headwater.storage.timeline import WEIGHT, Timeline
from support.spark.keeping import Keeping
from support.spark.shop import BY_CITY, CITIES, JOINED, ORDERS, SHOP, view
from support.spark.site_projects import as_run, project, pushes, wrong
from support.spark.site_projects import view as view_at

pytestmark = [pytest.mark.spark, pytest.mark.servers]

TWO = {"spark.sql.shuffle.partitions": "2", "spark.sql.adaptive.enabled": "false"}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    folder = tmp_path_factory.mktemp("servers")
    both = {name: connect_server(folder, name) for name in ("plango", "opentable")}
    with running(*both.values()):
        yield both


@pytest.fixture
def sites(servers: dict[str, Server], spark: SparkSession, tmp_path: Path) -> Iterator[Sites]:
    known = {
        name: Site(name, str(tmp_path / name), f"sc://127.0.0.1:{one.port}") for name, one in servers.items()
    }
    project = Project("p", str(tmp_path), str(tmp_path / "w"), {}, {}, {}, known, spark_master="local[2]", spark_config=TWO)  # fmt: skip
    one = Sites(project)
    yield one
    one.close()


def rows(frame: DataFrame) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=repr)


def numbers(spark: SparkSession) -> DataFrame:
    return spark.range(20).selectExpr("id % 7 AS `a.k`", "id AS `a.v`", f"1L AS {WEIGHT}")


def work(spark: SparkSession) -> list[tuple[object, ...]]:
    """Operators of the engine: what they give must not depend on where they run."""
    with Inputs(spark) as opened:
        left = opened.frame(numbers(spark))
        other = left.where("`a.v` < 3").select([("b.k", "`a.k`"), ("b.v", "`a.v`")]).broadcasted()
        same = equal(Column("a.k"), Column("b.k"))
        joined = operators.outer_join(left, other, same, JoinKind.LEFT)
        both = union([joined, operators.negate(joined.where("`b.k` = 1"))])
        summed = operators.consolidate(both.named(["a.k", "a.v"]))
        kept = operators.semi_join(summed, other, same, anti=True)
        close = operators.restrict(kept, [Column("a.k")], other.select([("b.v", "`b.v` + 3")]), ["b.v"])
        return rows(opened.run(operators.expand(union([close, close]))))


def test_our_own_spark_and_two_servers_live_in_one_process(spark: SparkSession, sites: Sites) -> None:
    ours, first, second = sites.spark(), sites.spark("plango"), sites.spark("opentable")
    assert not is_connect(ours)
    assert is_connect(first)
    assert is_connect(second)
    assert work(ours) == work(first) == work(second) != []
    assert not is_remote()  # the process was not turned over to Connect


def test_a_session_apart_has_its_own_settings_and_views(sites: Sites) -> None:
    spark = sites.spark("plango")
    other = sized_session(spark, Size.SMALL)
    assert other.conf.get("spark.sql.shuffle.partitions") == "2"
    assert other.conf.get("spark.sql.parquet.outputTimestampType") == "TIMESTAMP_MICROS"
    numbers(other).createOrReplaceTempView("`orders`")
    assert not spark.catalog.tableExists("orders")
    assert rows(other.sql("SELECT count(1) FROM orders")) == [(20,)]


def test_work_at_a_server_is_metered_by_time(sites: Sites) -> None:
    with metered(sites.spark("plango"), "g", "some work") as meter:
        assert sites.spark("plango").range(10).count() == 10
    assert not meter.measured
    assert meter.cpu_seconds >= meter.seconds > 0
    assert meter.jobs == 0
    with metered(sites.spark(), "h", "the same here") as meter:
        assert sites.spark().range(10).count() == 10
    assert meter.measured
    assert meter.jobs > 0


def table(start: int, count: int) -> pa.Table:
    keys = list(range(start, start + count))
    return pa.table({"k": pa.array(keys, pa.int64()), WEIGHT: pa.array([1] * count, pa.int64())})


def changed(opened: Inputs, source: Timeline, target: Timeline, until: int) -> Query:
    return opened.slice(source, source.delta(target.time(), until))


class CrossSite:
    """kept = events of even number, at plango; pairs = kept joined with places, at opentable.

    kept is computed by plango's server into plango's storage, copied to a replica in opentable's, and
    joined there by opentable's server: each step commits its time, so each can fail and be done again.
    """

    def __init__(self, sites: Sites, folder: Path) -> None:
        self.sites = sites
        self.events = Timeline(str(folder / "plango" / "events"))
        self.places = Timeline(str(folder / "opentable" / "places"))
        self.kept = Timeline(str(folder / "plango" / "kept"))
        self.copy = Timeline(str(folder / "opentable" / "kept"))
        self.pairs = Timeline(str(folder / "opentable" / "pairs"))
        self.events.create(pa.schema([("k", pa.int64())]))
        self.places.create(pa.schema([("k", pa.int64())]))
        self.places.append(table(0, 1000), 1)

    def push(self, until: int) -> None:
        self.keep(until)
        copy_delta(self.kept, self.copy, until)
        self.join(until)

    def keep(self, until: int) -> None:
        with Inputs(self.sites.spark("plango", Size.SMALL)) as opened:
            even = changed(opened, self.events, self.kept, until).where("k % 2 = 0")
            self._store(opened.run(even), self.kept, until)

    def join(self, until: int) -> None:
        with Inputs(self.sites.spark("opentable", Size.SMALL)) as opened:
            places = opened.slice(self.places, self.places.as_of(until)).select([("place", "k")])
            same = equal(Column("k"), Column("place"))
            delta = operators.inner_join(changed(opened, self.copy, self.pairs, until), places, same)
            self._store(opened.run(delta), self.pairs, until)

    def _store(self, delta: DataFrame, target: Timeline, until: int) -> None:
        if not target.exists():
            target.create(arrow_columns(delta))
        target.commit(until, write(delta, target.path, until, spread=True))

    def result(self) -> list[int]:
        return sorted(self.pairs.read(self.pairs.as_of(self.pairs.time())).column("place").to_pylist())


def test_a_join_across_two_sites(sites: Sites, tmp_path: Path) -> None:
    across = CrossSite(sites, tmp_path)
    across.events.append(table(0, 10), 10)
    across.push(10)
    across.events.append(table(10, 10), 20)
    across.push(20)
    across.push(20)
    assert across.result() == list(range(0, 20, 2))
    assert across.pairs.time() == 20
    assert across.copy.snapshot().rows == 10


def until_true(condition: Callable[[], bool], what: str, seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.05)


class Keeper(threading.Thread):
    """Pushes again and again, as an executor does: what fails is tried again."""

    def __init__(self, across: CrossSite, agents: Agents, target: Callable[[], int]) -> None:
        super().__init__(daemon=True)
        self.across, self.agents, self.target = across, agents, target
        self.failures = 0
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.wait(0.05):
            if self.agents.usable("plango", "opentable"):
                try:
                    self.across.push(self.target())
                except Exception:  # noqa: BLE001 - whatever a dying server makes of it
                    self.failures += 1
                    self.agents.suspect("plango")


@pytest.mark.long
def test_killing_a_server_in_mid_run_loses_nothing(
    sites: Sites, servers: dict[str, Server], tmp_path: Path
) -> None:
    """Its site is seen as silent, the other goes on; started again, it is found, and all arrives once."""
    across = CrossSite(sites, tmp_path)
    storage = {name: str(tmp_path / name) for name in servers}
    agents = site_agents(sites, storage, SystemClock(), timedelta(milliseconds=200))
    latest = [1]
    keeper = Keeper(across, agents, lambda: latest[0])
    agents.start()
    keeper.start()

    def feed(start: int, count: int) -> None:
        for number in range(start, start + count, 5):
            across.events.append(table(number, 5), latest[0] + 10)
            latest[0] += 10

    try:
        feed(0, 50)
        until_true(lambda: across.pairs.exists() and across.pairs.time() >= 11, "the first push")
        feed(50, 50)
        time.sleep(0.1)  # a push is under way now, or about to be
        servers["plango"].kill()
        feed(100, 100)
        until_true(lambda: "plango" in agents.silent(), "the silence is noticed")
        assert agents.usable("opentable")
        assert sites.spark("opentable").range(3).count() == 3
        assert across.kept.time() < latest[0]
        servers["plango"].start()
        servers["plango"].wait()
        until_true(lambda: across.pairs.time() == latest[0], "it recovers")
        assert agents.health()["plango"].alive
    finally:
        keeper.stop.set()
        keeper.join(timeout=300)
        agents.stop()
        if servers["plango"].process is None:
            servers["plango"].start()
            servers["plango"].wait()
    assert across.result() == list(range(0, 200, 2))


def test_views_are_kept_and_verified_at_a_server(sites: Sites, tmp_path: Path) -> None:
    top = view("top", "SELECT oid, amount FROM orders ORDER BY amount DESC LIMIT 2", "FULL")
    kept = Keeping(sites.spark("opentable"), tmp_path, SHOP + JOINED + BY_CITY + top)
    kept.ingest("customers", CITIES)
    kept.ingest("orders", ORDERS)
    kept.push()
    kept.ingest("orders", [{"op": "update", "row": {"oid": 1, "cid": 2, "amount": 50}}])
    kept.ingest("customers", [{"op": "update", "row": {"cid": 2, "city": "Oslo"}}])
    modes = {record.stage: record.mode for record in kept.push()}
    assert (modes["joined"], modes["top"]) == ("incremental", "full")
    assert kept.rows("joined") == [(1, "Oslo", 50), (2, "Oslo", 7), (3, "Bern", 1)]
    assert kept.rows("top") == [(1, 50), (2, 7)]
    assert all(kept.verify(name).equal for name in ("joined", "by_city", "top"))


EVENTS = """
CREATE TABLE events (eid BIGINT PRIMARY KEY, place BIGINT, v BIGINT) AT SITE plango;
CREATE TABLE places (place BIGINT PRIMARY KEY, name STRING) AT SITE opentable;
"""


class Running(threading.Thread):
    """`Headwater.run` in a thread of its own, with what it shows."""

    def __init__(self, one: Headwater) -> None:
        super().__init__(daemon=True)
        self.one, self.stop, self.shown = one, threading.Event(), list[Progress]()

    def run(self) -> None:
        self.one.run(stop=self.stop, show=self.shown.append)

    def time(self, view: str) -> int:
        views = {listed.view: listed.time for listed in self.shown[-1].views} if self.shown else {}
        return views.get(view) or 0

    def reach(self, until: int, *views: str) -> None:
        for name in views:
            until_true(lambda name=name: self.time(name) >= until, f"{name} is kept: {self.told()}")

    def told(self) -> str:
        return str(self.shown[-1].errors if self.shown else "nothing was shown")


def silent_sites(one: Headwater) -> set[str]:
    return {site.site for site in one.status().sites if not site.alive}


def test_a_run_over_two_servers_goes_on_while_one_is_away(
    spark: SparkSession, servers: dict[str, Server], tmp_path: Path
) -> None:
    select = "SELECT e.eid, e.v, p.name FROM events e JOIN places p ON e.place = p.place"
    sql = EVENTS + view_at("pairs", select, "opentable", 10) + view_at("near", select, "plango", 10)
    sql += view_at("kept", "SELECT eid, v FROM events WHERE v > 3", "plango", 3)
    sql += view_at("named", "SELECT place, upper(name) AS name FROM places", "opentable", 3)
    addresses = {name: f"sc://127.0.0.1:{one.port}" for name, one in servers.items()}
    one = project(tmp_path, addresses, sql)
    views = ("pairs", "near", "kept", "named")

    def feed(start: int) -> int:
        one.ingest("places", [{"place": at, "name": f"p{at}"} for at in range(start, start + 10)])
        one.ingest("events", [{"eid": at, "place": at - 2, "v": at % 7} for at in range(start, start + 10)])
        return one.clock.now()

    feed(0)
    assert as_run(one).copies
    running_ = Running(one)
    running_.start()
    try:
        running_.reach(feed(10), *views)
        servers["plango"].kill()
        fed = feed(20)
        until_true(lambda: "site plango" in running_.shown[-1].errors, "its silence is shown")
        # A loaded machine may keep the other from answering for a moment; not for long.
        until_true(lambda: "site opentable" not in running_.shown[-1].errors, "the other answers")
        running_.reach(fed, "named")
        assert running_.time("kept") < fed
        until_true(lambda: silent_sites(one) == {"plango"}, "status says so")
        running_.reach(fed + 5_000_000, "named")
        assert running_.time("kept") < fed
        servers["plango"].start()
        servers["plango"].wait()
        running_.reach(feed(30), *views)
        until_true(lambda: "site plango" not in running_.shown[-1].errors, "it is there again")
    finally:
        running_.stop.set()
        running_.join(timeout=300)
        if servers["plango"].process is None:
            servers["plango"].start()
            servers["plango"].wait()
    assert not running_.is_alive()
    assert wrong(one) == []
    assert one.read("pairs").table.num_rows == one.read("near").table.num_rows == 38
    assert sum(push["bytes_copied"] for push in pushes(one) if push["mode"] == "copy") > 0
