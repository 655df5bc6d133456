"""Start a run: everything that it needs, and everything let go at its end."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pyspark.sql.streaming.query import StreamingQuery

from headwater.capture.captures import captures
from headwater.catalog import Catalog
from headwater.clock import Clock
from headwater.engine.executor.executor import Executor
from headwater.engine.executor.spark_runner import SparkRunner
from headwater.engine.push.record import Records
from headwater.engine.push.sink import NoSink, Sink
from headwater.engine.push.workplace import Workplace
from headwater.engine.run.auditor import Auditor
from headwater.engine.run.capturing import Capturing
from headwater.engine.run.process_cpu import ProcessCpu
from headwater.engine.run.reloading import Improve, Make, Reloading, never, plain
from headwater.engine.run.run import Run, shared_folders
from headwater.engine.run.stopping import cancelled_after_grace, unless_stopped
from headwater.engine.run.streaming import Streaming
from headwater.engine.run.streams import start_stream
from headwater.engine.spark.agents import site_agents
from headwater.engine.spark.sites import Sites
from headwater.engine.spark.tasks import map_tasks
from headwater.engine.upkeep.damage import remove_damaged
from headwater.model import Project, Table
from headwater.storage.records.dropped import sweep_shared, unmark
from headwater.storage.records.lessons import learnt
from headwater.storage.records.run_lock import run_lock
from headwater.storage.timeline import check_readable
from headwater.storage.warehouse import Warehouse

__all__ = ["run"]


@contextmanager
def run(
    catalog: Catalog,
    warehouse: Warehouse,
    clock: Clock,
    files: str = "",
    make: Make = plain,
    sharing: bool = False,
    stop: threading.Event | None = None,
    once: bool = False,
    sink: Sink | None = None,
    improve: Improve = never,
) -> Iterator[Run]:
    """Everything a run needs, started; Spark and the captures are let go at the end.

    `files` is the fingerprint of the files that the catalog was made from: later ones are taken over, by
    `make`.  If the catalog says all that is shared (`sharing`), what earlier runs shared besides is removed:
    views were dropped while none ran, or there is another plan.  StoppedError if `stop` is set before Spark
    has started.  With `once`, streams end when they have taken in what is there.  `sink`: what follows the
    timelines beside the views; it is closed at the end.  `improve`: the same views by a new plan, if it pays.
    """
    stop = stop or threading.Event()
    check_readable(warehouse.root)
    project = catalog.project
    cpu = ProcessCpu.begin()  # before Spark: starting it is work, too
    with run_lock(warehouse.root, clock.now()) as lock:
        _tidy(catalog, warehouse, sharing)
        damaged = remove_damaged(catalog, warehouse)
        sources = captures(project, warehouse, clock)
        sites = Sites(project, warehouse.spark_log())
        spark = unless_stopped(sites.spark, stop)
        agents = site_agents(sites, {name: site.storage for name, site in project.sites.items()}, clock)

        def begin(table: Table) -> StreamingQuery:
            return start_stream(sites.spark(), warehouse, table, clock, tables=project.tables, once=once)

        records = Records(clock)
        runner = SparkRunner(Workplace(spark, warehouse, catalog, sites, sink or NoSink()), records, agents)
        runner.workplace.sink.use_tasks(lambda work, items: map_tasks(sites.spark(), work, items))
        runner.forecaster.predictor = learnt(catalog, warehouse)
        begun = Run(
            warehouse,
            clock,
            Executor(catalog, runner, clock, records.failed),
            runner,
            Auditor(catalog, warehouse, clock, clock.now(), records.drain, cpu),
            [Capturing(capture, clock) for capture in sources],
            Reloading.of(catalog, files, make, improve),
            stop,
            _streams(begin, catalog),
            damaged,
            lock,
        )
        try:
            with cancelled_after_grace(stop, lambda: _cancel(begun, sites)):
                for stream in begun.streams:
                    stream.start()
                agents.start()
                runner.under_way.begin()
                begun.write_health()  # what an earlier run said of the sites no longer counts
                yield begun
        finally:
            agents.stop()
            for stream in begun.streams:
                stream.stop()
            for capturing in begun.captures:
                capturing.capture.close()
            runner.workplace.sink.close()
            sites.close()


def _streams(begin: Callable[[Table], StreamingQuery], catalog: Catalog) -> list[Streaming]:
    tables = catalog.project.tables.values()
    return [Streaming(table, begin) for table in tables if table.provider == "stream"]


def _cancel(begun: Run, sites: Sites) -> None:
    begun.executor.cancelled = True
    sites.cancel()


def _tidy(catalog: Catalog, warehouse: Warehouse, sharing: bool) -> None:
    """Remove what earlier runs left and this one does not need."""
    project: Project = catalog.project
    unmark(warehouse, catalog.folders().values(), catalog.kept)
    if sharing:
        roots = {name: site.storage for name, site in project.sites.items()}
        sweep_shared(warehouse, shared_folders(catalog), roots, set(catalog.folders().values()))
    for root in {warehouse.root, *(site.storage for site in project.sites.values())}:
        shutil.rmtree(warehouse.staging(root), ignore_errors=True)
