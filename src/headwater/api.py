"""The Python API: `import headwater as hw; shop = hw.open("shop")`.

Everything that the command line does, with typed results.  Long because all of it stands on one object;
each method hands over to the package that does the work.  Opening a project reads its files and checks
them; Spark starts only for what needs it (`run`, `run_until_idle`, `verify`).  A method imports what it
hands over to, so that a short command does not wait for the modules of others.

    shop = hw.open("shop")
    shop.ingest("orders", [{"order_id": 1, "customer_id": 7, "total": "9.99"}])
    shop.run_until_idle()
    shop.read("big_orders").to_pylist()
    shop.query("orders_of", customer_id=7).rows
    all(view.equal for view in shop.verify())
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.catalog import Catalog, build
from headwater.clock import Clock, SystemClock
from headwater.errors import InputError
from headwater.model import Project, Table
from headwater.project import fingerprint, load
from headwater.project.named import table_named
from headwater.sql.parsing.names import spelling
from headwater.storage.warehouse import warehouse_of

if TYPE_CHECKING:
    from headwater.capture.dead_letters import DeadLetter
    from headwater.capture.ingest_file import FileFormat
    from headwater.capture.intake.append import Appended, Appender
    from headwater.capture.rejected import Rejected
    from headwater.capture.retrying import Retried
    from headwater.engine.push.workplace import Workplace
    from headwater.engine.run.progress import Progress
    from headwater.engine.upkeep.verify import Verified
    from headwater.engine.upkeep.verify_shown import VerifiedTable
    from headwater.planning.cost.billing import Bill
    from headwater.serve.ad_hoc.answer import Answer
    from headwater.serve.changes import Change
    from headwater.serve.noticed_reads import NoticedReads
    from headwater.serve.planning.changing import Added, Dropped
    from headwater.serve.planning.planned import Planned
    from headwater.serve.read import Rows
    from headwater.serve.reports.bill import Account
    from headwater.serve.reports.status import Status
    from headwater.serve.store.answering import Answering, DeclaredQuery, QueryAnswer
    from headwater.serve.store.keeping.keeper import Keeper
    from headwater.serve.store.keeping.verification import VerifiedPart
    from headwater.serve.store.keeping.writing import EarlyWriter, Written
    from headwater.storage.vacuum.inventory import Inventory
    from headwater.storage.vacuum.vacuum import Vacuumed

__all__ = ["Headwater", "open"]


def open(folder: str | Path, clock: Clock | None = None, last_good: bool = False) -> Headwater:
    """Open a project: its folder holds headwater.yml and SQL files.

    With `last_good`, SQL files that are wrong are replaced by what they said when the warehouse was last
    written to, and `problem` says so; that is enough to read and to feed what is there.
    """
    try:
        return Headwater(load(folder), clock or SystemClock())
    except InputError as error:
        if not last_good:
            raise
        from headwater.serve.last_good import last_good as remembered_project

        project, problem = remembered_project(Path(folder), error)
        return Headwater(project, clock or SystemClock(), problem)


class Headwater:
    """An open project."""

    def __init__(self, project: Project, clock: Clock, problem: str = "") -> None:
        """`problem`: what is wrong with the project's files now, if this is what they said before."""
        self.project = project
        self.problem = problem
        self.clock = clock
        self.catalog: Catalog = build(project)
        self.warehouse = warehouse_of(self.catalog)
        self._fingerprint = fingerprint(project.folder)
        self._noticed: NoticedReads | None = None
        self._writers: dict[tuple[int, str], Appender] = {}
        self._answering: Answering | None = None
        self._early: EarlyWriter | None = None
        self._opening = threading.Lock()

    def __repr__(self) -> str:
        project = self.project
        return f"<Headwater {project.name}: {len(project.tables)} tables, {len(project.views)} views>"

    def table(self, name: str) -> Table:
        """The table of that name, however it is spelt."""
        return table_named(self.project, name)

    def ingest(self, table: str, records: object, batch: str | None = None, strict: bool = False) -> Appended:
        """Append rows or changes: valid ones are committed at one time, others go to the dead letters.

        `records` is a dict or a dataclass, an iterable of them, or a table: anything that speaks Arrow, such
        as a DataFrame of pandas or polars, a table of pyarrow or a relation of DuckDB.  TypeError for
        anything else.  With `strict`, the first wrong record raises InputError and nothing is stored.

        `batch` is an id of the call's own, so that it can be repeated after any failure: what was stored
        under it is not stored again, and the answer is that of the first time, marked `repeated`.
        """
        from headwater.capture.given_records import given_records
        from headwater.capture.intake.token import BatchId

        return self._writer(table).append(given_records(records), BatchId.given(batch), strict)

    def write(self, table: str, record: object, batch: str | None = None) -> Written:
        """Append a change that queries see at once: the store gets it before the pipeline comes to it.

        The record is checked as by `ingest`, strictly; InputError if it does not fit.  If changes before it
        are still on their way to the store, or no run has loaded the store, it waits for the pipeline as any
        other, and `at_once` says so.
        """
        from headwater.serve.store.keeping.groups import query_layouts
        from headwater.serve.store.keeping.relations import Relations
        from headwater.serve.store.keeping.writing import EarlyWriter, Written
        from headwater.serve.store.opening import open_store

        appended = self.ingest(table, record, batch, strict=True)
        name = self.table(table).name
        with self._opening:
            if self._early is None or self._early.relations.catalog is not self.catalog:
                relations = Relations(self.catalog, self.warehouse)
                self._early = EarlyWriter(open_store(self.project), relations, query_layouts(self.catalog))
        at_once = appended.time is not None and self._early.apply(name, appended.time)
        return Written(appended, at_once)

    def _take_up_columns(self, table: Table) -> None:
        """Open the project's files again if somebody has declared, and stored, columns since."""
        from headwater.capture.intake.stored_columns import difference

        stored = self.warehouse.source(table.name)
        if stored.snapshot().version >= 0 and difference(stored.columns(), table) and self.changed_on_disk():
            self._reopen()

    def _writer(self, name: str) -> Appender:
        """A thread's own writer of a table: it remembers the keys it has read, so later calls are cheaper."""
        from headwater.capture.intake.append import Appender
        from headwater.capture.known_options import check_known_options
        from headwater.storage.timeline import check_readable

        check_readable(self.warehouse.root)
        self._take_up_columns(self.table(name))
        table = self.table(name)
        owner = (threading.get_ident(), table.name)
        if owner not in self._writers or self._writers[owner].table != table:
            check_known_options(table)
            self._begin_writing(self.project)
            self._writers[owner] = Appender(self.warehouse, table, self.clock, self.project.tables)
        return self._writers[owner]

    def _begin_writing(self, project: Project) -> None:
        from headwater.serve.last_good import remember

        self.warehouse.make_roots()
        if not self.problem:
            remember(project, self.clock)

    def ingest_file(
        self,
        table: str,
        path: str | os.PathLike[str],
        batch: str | None = None,
        strict: bool = False,
        form: FileFormat | str | None = None,
        keep_going: bool = False,
        show: Callable[[int, int], None] | None = None,
    ) -> Appended:
        """The same from a file of JSON lines, CSV or Parquet, as its ending or `form` says.

        A hundred wrong records in a row raise InputError with the likely cause, and nothing is stored, unless
        `keep_going`.  `show` is called with the bytes read so far and the file's size.
        """
        from headwater.capture.ingest_file import FileFormat, append_file
        from headwater.capture.intake.token import BatchId

        known = FileFormat(form) if isinstance(form, str) else form
        return append_file(
            self._writer(table), os.fspath(path), BatchId.given(batch), strict, known, keep_going, show
        )

    def dead_letters(self, table: str | None = None) -> list[DeadLetter]:
        """The records that were rejected, of a table or of all, with the reason; oldest first."""
        from headwater.capture.dead_letters import read_letters

        return read_letters(self.warehouse, self._letters_of(table))

    def retry_dead_letters(self, table: str | None = None) -> tuple[Retried, ...]:
        """Append dead letters again, after what was wrong has been mended; those that fit are removed."""
        from headwater.capture.retrying import retry_letters

        names = {letter.table for letter in self.dead_letters(table)} & self.project.tables.keys()
        return tuple(
            retry_letters(self.project, self.warehouse, self.clock, self.project.tables[name])
            for name in sorted(names)
        )

    def discard_dead_letters(self, table: str | None = None) -> int:
        """Remove dead letters for good; returns how many rows they stood for."""
        from headwater.capture.dead_letters import remove_letters

        return remove_letters(self.warehouse, self.clock, self._letters_of(table))

    def rejected(self, tables: Iterable[str] | None = None) -> dict[str, Rejected]:
        """The sources with dead letters: how many rows, and beside how many that were stored."""
        from headwater.capture.rejected import rejected_rows

        return rejected_rows(self.warehouse, self.project.tables if tables is None else tables)

    def _letters_of(self, table: str | None) -> str | None:
        """The name as dead letters have it: of a declared table, or of one that was once."""
        from headwater.capture.dead_letters import read_letters

        once = {letter.table for letter in read_letters(self.warehouse, table)} if table else set()
        return table if table is None or table in once else self.table(table).name

    def read(
        self,
        view: str,
        max_staleness: timedelta | str | None = None,
        as_of: date | int | str | None = None,
    ) -> Rows:
        """A view's rows as of its time; TooStaleError if that is older than `max_staleness`. Never waits.

        `max_staleness` is a timedelta or a text such as "5s" or "2 minutes".  Of a table: all rows that have
        been captured.

        `as_of` (a datetime, a text such as "2026-01-31T12:00", microseconds since 1970): the rows of a view
        or a table as of an earlier instant; HistoryGoneError if its history does not reach back that far.
        """
        if as_of is not None:
            from headwater.serve.asking import instant
            from headwater.serve.read_as_of import read_as_of

            return read_as_of(self.catalog, self.warehouse, self.clock, view, instant(as_of, "as_of"))
        if max_staleness is None and spelling(view, self.project.tables) is not None:
            from headwater.serve.read_as_of import read_table

            return read_table(self.warehouse, self.clock, self.table(view))
        from headwater.serve.read import read

        rows = read(self.catalog, self.warehouse, self.clock, view, _interval(max_staleness))
        if self._reads.learns_from(rows.view, len(rows)):
            self._reads.notice(rows.view, rows.to_pylist())
        return rows

    @property
    def _reads(self) -> NoticedReads:
        from headwater.serve.noticed_reads import NoticedReads

        if self._noticed is None or self._noticed.catalog is not self.catalog:
            self._noticed = NoticedReads(self.catalog, self.warehouse, self.clock)
        return self._noticed

    def changes(
        self,
        view: str,
        since: date | int | str | None = None,
        follow: bool = False,
        stop: threading.Event | None = None,
    ) -> Iterator[Change]:
        """Rows that came and went after `since`, with weights and times; FeedGoneError if too long ago.

        Without `since` all that are kept, up to now; with `follow` those from now on, until `stop` is set.
        """
        from headwater.serve.changes import changes

        return changes(self.catalog, self.warehouse, self.clock, view, _instant(since, "since"), follow, stop)

    def sql(self, text: str) -> Answer:
        """The answer to a SELECT over views and sources, as of one time; without Spark."""
        from headwater.serve.ad_hoc.answer import answer

        return answer(self.catalog, self.warehouse, self.clock, text)

    @property
    def queries(self) -> Mapping[str, DeclaredQuery]:
        """The declared queries: their parameters, levels and bounds."""
        return self._answers().queries

    def query(
        self, name: str, /, *, max_staleness: timedelta | str | None = None, **params: object
    ) -> QueryAnswer:
        """The answer of a declared query, from the store: in bounded work, without Spark. Never waits.

        Parameters are given by name, a list as a list, NULL as None; InputError if one is missing, unknown or
        of the wrong type, if the query is unbounded, or if the store is staler than `max_staleness`.
        """
        return self._answers().answer(name, params, _interval(max_staleness))

    async def query_async(
        self, name: str, /, *, max_staleness: timedelta | str | None = None, **params: object
    ) -> QueryAnswer:
        """The same for asynchronous programs: it reads in a thread of its own."""
        import asyncio  # which takes longer to import than a query takes

        return await asyncio.to_thread(self.query, name, max_staleness=max_staleness, **params)

    def _answers(self) -> Answering:
        """What answers the project's queries; checked once and kept open."""
        from headwater.serve.store.answering import Answering

        with self._opening:
            if self._answering is None or self._answering.project is not self.project:
                self._answering = Answering.open(self.project, self.clock)
            return self._answering

    def status(self) -> Status:
        """Staleness against promise, cost and violations of every view."""
        from headwater.serve.reports.status import status

        return status(self.catalog, self.warehouse, self.clock)

    def storage(self) -> Inventory:
        """What is stored, and what it is for."""
        from headwater.serve.reports.storage import storage

        return storage(self.catalog, self.warehouse)

    def vacuum(self, dry_run: bool = False, show: Callable[[str], None] = lambda table: None) -> Vacuumed:
        """Delete what no view, reader or retention needs; with `dry_run`, only say what that is."""
        from headwater.serve.reports.storage import vacuum

        return vacuum(self.catalog, self.warehouse, self.clock, dry_run, show)

    def account(
        self,
        since: date | int | str | None = None,
        until: date | int | str | None = None,
        whole: bool = False,
    ) -> Account:
        """What bills of a period are made from, by default from the beginning; instants as in `read`."""
        from headwater.serve.reports.bill import account

        begin, end = _instant(since, "since"), _instant(until, "until")
        return account(
            self.catalog, self.warehouse, begin, self.clock.now() if end is None else end, whole=whole
        )

    def bill(self, since: date | int | str | None = None, until: date | int | str | None = None) -> Bill:
        """What every view cost over a period: resources, penalties, violations."""
        return self.account(since, until, whole=True).bill()

    def plan(self, also: str | Path | Iterable[str | Path] = ()) -> Planned:
        """How each view is kept, whether its promise can be kept, and what it costs; Spark is not started.

        Views in the files of `also` are priced as if they were part of the project.
        """
        from headwater.serve.planning.plan import asking, plan

        self.check_sources()
        files = [Path(file) for file in ([also] if isinstance(also, str | Path) else also)]
        whole = load(self.project.folder, files) if files else self.project
        return plan(self.catalog, asking(whole), self.warehouse)

    def check_sources(self) -> None:
        """Raise InputError if the options of a table are wrong; a run would refuse them too."""
        from headwater.capture.declared import check_sources

        check_sources(self.project)

    def add(self, file: str | Path, force: bool = False) -> Added:
        """Add the views of an SQL file to the project, if they are admitted; a run takes them over."""
        from headwater.serve.planning.changing import add

        added = add(self.catalog, self.warehouse, Path(file), force)
        self._reopen()
        return added

    def drop(self, view: str, keep_data: bool = False) -> Dropped:
        """Take a view out of the project, with what it stored; refused while something else reads it."""
        from headwater.serve.planning.changing import drop

        dropped = drop(self.catalog, self.warehouse, self.clock, view, keep_data)
        self._reopen()
        return dropped

    def _reopen(self) -> None:
        self._fingerprint = fingerprint(self.project.folder)
        self.project = load(self.project.folder)
        self.catalog = build(self.project)
        self._lay_out(self.catalog)

    def _lay_out(self, catalog: Catalog) -> None:
        """Let the warehouse know where things lie."""
        self.warehouse.lay_out((*catalog.project.tables, *catalog.kept), catalog.storage_roots())

    def run(
        self,
        duration: timedelta | str | None = None,
        stop: threading.Event | None = None,
        show: Callable[[Progress], None] | None = None,
        sharing: bool = True,
        replan: bool = False,
    ) -> None:
        """Keep the views: for `duration` (a timedelta, or "60s"), until `stop` is set, or for ever.

        Without `sharing` every view is kept by itself, from the sources.  The plan of an earlier run is used
        again, unless `replan` asks for a new one; with `replan: auto` in headwater.yml the run takes a new
        one whenever that saves enough.
        """
        from headwater.engine.run.start import run
        from headwater.engine.run.stopping import StoppedError
        from headwater.serve.asking import positive_interval
        from headwater.serve.planning.replanning import improved

        limit = None if duration is None else positive_interval(duration, "duration")
        catalog = self._planned(self.project, sharing, replan)
        self._lay_out(catalog)

        def make(project: Project, current: Catalog) -> Catalog:
            return self._planned(project, sharing)

        def improve(project: Project) -> Catalog | None:
            return improved(project, self.warehouse) if sharing else None

        try:
            with run(
                catalog,
                self.warehouse,
                self.clock,
                self._fingerprint,
                make,
                sharing,
                stop,
                sink=self._keeper(),
                improve=improve,
            ) as started:
                started.keep(limit, show)
        except StoppedError:
            return
        # What the run adopted while it ran is what this project is now.
        self.project = started.catalog.project
        self.catalog = build(self.project)
        self._fingerprint = started.reloading.taken

    def _planned(self, project: Project, sharing: bool, replan: bool = False) -> Catalog:
        """The catalog as a run keeps it: views over what they share, everything where the plan puts it."""
        from headwater.serve.planning.replanning import improved
        from headwater.serve.planning.shared_catalog import shared_catalog

        self._begin_writing(project)
        if not sharing:
            return build(project)
        if project.replans and not replan and (better := improved(project, self.warehouse)) is not None:
            return better
        return shared_catalog(build(project), self.warehouse, replan)

    def run_until_idle(
        self,
        show: Callable[[Progress], None] | None = None,
        stop: threading.Event | None = None,
        sharing: bool = True,
        replan: bool = False,
    ) -> None:
        """Apply all that has been captured, then return."""
        from headwater.engine.run.start import run
        from headwater.engine.run.stopping import StoppedError
        from headwater.engine.run.until_idle import until_idle

        catalog = self._planned(self.project, sharing, replan)
        self._lay_out(catalog)
        with (
            suppress(StoppedError),
            run(
                catalog,
                self.warehouse,
                self.clock,
                sharing=sharing,
                stop=stop,
                once=True,
                sink=self._keeper(),
            ) as started,
        ):
            until_idle(started, show)

    def _keeper(self) -> Keeper:
        """What keeps the store of the project's queries while it runs."""
        from headwater.serve.store.keeping.keeper import Keeper
        from headwater.serve.store.opening import open_store

        return Keeper(open_store(self.project), self.warehouse, clock=self.clock)

    def stream(self, table: str, frame: Any) -> Any:
        """Append every micro-batch of a streaming DataFrame to a table; returns Spark's StreamingQuery."""
        from headwater.engine.run.streams import start_stream

        self.warehouse.make_roots()
        return start_stream(
            frame.sparkSession, self.warehouse, self.table(table), self.clock, frame, self.project.tables
        )

    def changed_on_disk(self) -> bool:
        """Whether the project's files have changed since they were opened."""
        return fingerprint(self.project.folder) != self._fingerprint

    def verify_store(self, repair: bool = False) -> tuple[VerifiedPart, ...]:
        """Compare the store of queries with what it should hold as of its time; without Spark.

        With `repair`, what differs is loaded anew; no run may keep the project meanwhile.
        """
        from headwater.serve.store.keeping.relations import Relations
        from headwater.serve.store.keeping.verification import verify_store
        from headwater.serve.store.opening import open_store
        from headwater.storage.records.run_lock import run_lock

        relations = Relations(self.catalog, self.warehouse)
        store = open_store(self.project)
        with run_lock(self.warehouse.root, self.clock.now()) if repair else nullcontext():
            verified = verify_store(store, relations, repair)
            store.close()
        return verified

    def verify(self, views: str | Iterable[str] | None = None) -> tuple[Verified, ...]:
        """Recompute views (one, several, by default all) as of their time with Spark, and compare."""
        from headwater.engine.push.failures.damaged_files import check_whole
        from headwater.engine.upkeep.verify import verify_all

        asked = [views] if isinstance(views, str) else views
        names = [self.catalog.view(name).name for name in (self.catalog.kept if asked is None else asked)]
        check_whole(self.catalog, self.warehouse, names)
        return verify_all(self._workplace(), [self.catalog.kept[name] for name in names])

    def verify_tables(self, views: Iterable[str] | None = None) -> tuple[VerifiedTable, ...]:
        """Check what is shown of the tables whose updates are chosen among, of those below some views."""
        from headwater.engine.upkeep.verify_shown import verify_shown

        names = self.catalog.kept if views is None else [self.catalog.view(name).name for name in views]
        below = {table for name in names for table in self.catalog.sources(name)}
        tables = [name for name in sorted(below) if self.project.tables[name].chooses]
        workplace = self._workplace() if tables else None
        checked = (verify_shown(workplace, name) for name in tables if workplace is not None)
        return tuple(table for table in checked if table is not None)

    def _workplace(self) -> Workplace:
        from headwater.engine.push.workplace import Workplace
        from headwater.engine.spark.session import session

        project, spark_log = self.project, self.warehouse.spark_log()
        spark = session(project.name, project.spark_master, project.spark_config, spark_log)
        return Workplace(spark, self.warehouse, self.catalog)


def _interval(given: timedelta | str | None, name: str = "max_staleness") -> timedelta | None:
    """A duration as it was given: a timedelta, or a text such as "5s"."""
    from headwater.serve.asking import interval

    return None if given is None else interval(given, name)


def _instant(given: date | int | str | None, name: str) -> int | None:
    """An instant as it was given: a datetime, a text such as "2026-01-31T12:00", microseconds since 1970."""
    from headwater.serve.asking import instant

    return None if given is None else instant(given, name)
