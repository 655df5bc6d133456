"""The Python API: `import headwater as hw; shop = hw.open("shop")`.

Everything that the command line does, with typed results.  Opening a project reads its files and checks
them; Spark starts only for what needs it (`run`, `run_until_idle`, `verify`).

    shop = hw.open("shop")
    shop.ingest("orders", [{"order_id": 1, "customer_id": 7, "total": "9.99"}])
    shop.run_until_idle()
    shop.read("big_orders").to_pylist()
    all(one.equal for one in shop.verify())
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headwater.capture.append import Appended, Appender, append_file
from headwater.catalog import Catalog, build
from headwater.clock import Clock, SystemClock, micros
from headwater.errors import InputError, did_you_mean
from headwater.model import Project, Table
from headwater.project import fingerprint, load
from headwater.serve.bill import Account, account
from headwater.serve.changing import Added, Dropped, add, drop
from headwater.serve.plan import Planned, asking, plan
from headwater.serve.read import Rows, read
from headwater.serve.shared_catalog import shared_catalog
from headwater.serve.status import Status, status
from headwater.sharing.billing import Bill
from headwater.storage.timeline import check_readable
from headwater.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from headwater.engine.runner import Progress
    from headwater.engine.verify import Verified

__all__ = ["Headwater", "open"]


def open(folder: str, clock: Clock | None = None) -> Headwater:
    """Open a project: its folder holds headwater.yml and SQL files."""
    return Headwater(load(folder), clock or SystemClock())


class Headwater:
    """An open project."""

    def __init__(self, project: Project, clock: Clock) -> None:
        self.project = project
        self.clock = clock
        self.catalog: Catalog = build(project)
        self.warehouse = Warehouse(project.storage, self.catalog.places())
        self._fingerprint = fingerprint(project.folder)
        self._writers: dict[tuple[int, str], Appender] = {}

    def table(self, name: str) -> Table:
        """The table of that name, however it is spelt."""
        found = {known.lower(): known for known in self.project.tables}.get(name.lower())
        if found is None:
            raise InputError(
                "HW211",
                f'there is no table "{name}" in project "{self.project.name}"',
                detail=f"Its tables: {', '.join(self.project.tables) or 'none'}.",
                hint=did_you_mean(name, self.project.tables),
            )
        return self.project.tables[found]

    def ingest(self, table: str, records: Iterable[Mapping[str, Any]] | pa.Table) -> Appended:
        """Append rows or changes: all that are right at one time, the others go to the dead letters."""
        check_readable(self.warehouse.root)
        return self._writer(self.table(table)).append(records)

    def _writer(self, table: Table) -> Appender:
        """A thread's own writer of a table: it remembers the keys it has read, so later calls are cheaper."""
        known = (threading.get_ident(), table.name)
        if known not in self._writers:
            self._writers[known] = Appender(self.warehouse, table, self.clock, self.project.tables)
        return self._writers[known]

    def ingest_file(self, table: str, path: str) -> Appended:
        """The same from a file of JSON lines."""
        check_readable(self.warehouse.root)
        return append_file(self.warehouse, self.table(table), path, self.clock, tables=self.project.tables)

    def read(self, view: str, max_staleness: timedelta | None = None) -> Rows:
        """A view's rows as of its time; TooStaleError if that is older than `max_staleness`. Never waits."""
        return read(self.catalog, self.warehouse, self.clock, view, max_staleness)

    def status(self) -> Status:
        """Staleness against promise, cost and violations of every view."""
        return status(self.catalog, self.warehouse, self.clock)

    def account(self, since: int | None = None, until: int | None = None) -> Account:
        """What bills of a period are made from, instants in microseconds; by default, from the beginning."""
        return account(self.catalog, self.warehouse, since, self.clock.now() if until is None else until)

    def bill(self, since: int | None = None, until: int | None = None) -> Bill:
        """What every view cost over a period: resources, penalties, violations."""
        return self.account(since, until).bill()

    def plan(self, also: Iterable[str | Path] = ()) -> Planned:
        """How each view is kept, whether its promise can be kept, and what it costs; Spark is not started.

        Views in the files of `also` are priced as if they were part of the project.
        """
        files = [Path(one) for one in also]
        whole = load(self.project.folder, files) if files else self.project
        return plan(self.project, asking(whole), self.warehouse)

    def add(self, file: str | Path, force: bool = False) -> Added:
        """Add the views of an SQL file to the project, if they are admitted; a run takes them over."""
        done = add(self.catalog, self.warehouse, Path(file), force)
        self._reopen()
        return done

    def drop(self, view: str, keep_data: bool = False) -> Dropped:
        """Take a view out of the project, with what it stored; refused while something else reads it."""
        done = drop(self.catalog, self.warehouse, self.clock, view, keep_data)
        self._reopen()
        return done

    def _reopen(self) -> None:
        self._fingerprint = fingerprint(self.project.folder)
        self.project = load(self.project.folder)
        self.catalog = build(self.project)
        self._place(self.catalog)

    def _place(self, catalog: Catalog) -> None:
        """Let the warehouse know where things lie; what came back to the project's own root too."""
        elsewhere = catalog.places()
        for name in (*catalog.project.tables, *catalog.kept):
            if name not in elsewhere:
                self.warehouse.places.pop(name, None)
        self.warehouse.places.update(elsewhere)

    def run(
        self,
        duration: timedelta | None = None,
        stop: threading.Event | None = None,
        show: Callable[[Progress], None] | None = None,
        sharing: bool = True,
        replan: bool = False,
    ) -> None:
        """Keep the views: for a while, until `stop` is set, or for ever.

        Without `sharing` every view is kept by itself, from the sources.  A plan made by an earlier run is
        kept to, unless `replan` asks for a new one.
        """
        from headwater.engine.runner import run

        catalog = self._planned(self.project, sharing, replan)

        def make(project: Project, current: Catalog) -> Catalog:
            return self._planned(project, sharing)

        with run(catalog, self.warehouse, self.clock, self._fingerprint, make, sharing) as one:
            one.stop = stop if stop is not None else one.stop
            until = None if duration is None else self.clock.now() + micros(duration)
            one.keep(until, show)
        if one.reloading is not None:
            # What the run took over while it ran is what this project is now.
            self.project = one.catalog.project
            self.catalog = build(self.project)
            self._fingerprint = one.reloading.taken

    def _planned(self, project: Project, sharing: bool, replan: bool = False) -> Catalog:
        """The catalog as a run keeps it: views over what they share, everything where the plan puts it."""
        plain = build(project)
        catalog = shared_catalog(plain, self.warehouse, replan) if sharing else plain
        self._place(catalog)
        return catalog

    def run_until_idle(
        self,
        show: Callable[[Progress], None] | None = None,
        stop: threading.Event | None = None,
        sharing: bool = True,
        replan: bool = False,
    ) -> None:
        """Apply all that has been captured, then return."""
        from headwater.engine.runner import run

        catalog = self._planned(self.project, sharing, replan)
        with run(catalog, self.warehouse, self.clock, sharing=sharing) as one:
            one.stop = stop if stop is not None else one.stop
            one.until_idle(show)

    def stream(self, table: str, frame: Any) -> Any:
        """Append every micro-batch of a streaming DataFrame to a table; returns Spark's StreamingQuery."""
        from headwater.engine.streams import start_stream

        return start_stream(
            frame.sparkSession, self.warehouse, self.table(table), self.clock, frame, self.project.tables
        )

    def changed_on_disk(self) -> bool:
        """Whether the project's files are other ones than those that were opened."""
        return fingerprint(self.project.folder) != self._fingerprint

    def verify(self, views: Iterable[str] | None = None) -> tuple[Verified, ...]:
        """Recompute views as of their time with Spark, from their SQL, and compare."""
        from headwater.engine.push import Pushing
        from headwater.engine.session import session
        from headwater.engine.verify import verify

        names = (
            [self.catalog.view(name).name for name in views] if views is not None else list(self.catalog.kept)
        )
        project, log = self.project, self.warehouse.spark_log()
        spark = session(project.name, project.spark_master, project.spark_config, log)
        pushing = Pushing(spark, self.warehouse, self.catalog)
        return tuple(verify(pushing, self.catalog.kept[name]) for name in names)
