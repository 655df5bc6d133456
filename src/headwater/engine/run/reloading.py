"""A project whose files change while it runs: read them again, and keep their views from then on.

Views may come, go and change; queries and expectations too; and tables may gain columns.  What else a run was
started with (tables, sites, storage, Spark) cannot change under it: then nothing is planned or adopted, and
the run says so.  Files that are wrong leave everything as it was.  A run reads the files in its housekeeping
and adopts the result between two steps, when no view that goes is being pushed; only then does anything
change.

Costs a digest of the files every second; nothing else until they change.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from headwater.catalog import Catalog, build
from headwater.errors import HeadwaterError
from headwater.model import LEAST_WINDOW, Expectation, Prices, Project, Site, Table
from headwater.project import fingerprint, load

__all__ = ["Improve", "Make", "Reloading", "difference", "gained_columns", "needs_restart", "never", "plain"]

logger = logging.getLogger(__name__)

Make = Callable[[Project, Catalog], Catalog]  # from a project's files as they are now and what is kept
Improve = Callable[[Project], Catalog | None]  # the same views by a new plan, if that pays


def plain(project: Project, _current: Catalog) -> Catalog:
    """Every view by itself."""
    return build(project)


def never(_project: Project) -> Catalog | None:
    """The plan stays as it is."""
    return None


@dataclass(slots=True)
class Reloading:
    """What a run knows of its project's files.

    Housekeeping calls `look` and `replan` from one thread, the run's loop `adopt_waiting`; neither writes
    what the other does.
    """

    folder: str
    seen: str  # the fingerprint of the files that were read last
    taken: str  # the fingerprint of those whose views are kept
    problem: str = ""
    make: Make = plain
    improve: Improve = never
    prepare: Callable[[Project], object] = lambda project: None  # what views need before they are planned
    _read: tuple[Catalog, str] | None = None  # what was read last and can be kept, from which files
    _adopted: tuple[Catalog, str] | None = None

    @staticmethod
    def of(catalog: Catalog, seen: str = "", make: Make = plain, improve: Improve = never) -> Reloading:
        """What a run of `catalog` knows, read from files with the fingerprint `seen` (default: now)."""
        files = seen or fingerprint(catalog.project.folder)
        return Reloading(catalog.project.folder, files, files, make=make, improve=improve)

    def look(self, current: Catalog) -> None:
        """Read the files again if they have changed."""
        now = fingerprint(self.folder)
        if now == self.seen:
            return
        self.seen, self._read, self.problem = now, None, ""
        try:
            project = load(self.folder)
            if reasons := list(needs_restart(current.project, project)):
                self.problem = f"{', '.join(reasons)}: restart to apply"
            else:
                self.prepare(project)
                self._read = self.make(project, current), now
        except HeadwaterError as error:
            logger.warning("the project's files cannot be taken over: %s", error)
            place = "" if error.place is None else f" at {error.place}"
            self.problem = f"{error.code}: {error.message}{place}; the views go on as they were"

    def replan(self, current: Catalog) -> bool:
        """Take a new plan for the views that are kept, if one pays; after what is read and waits already."""
        if self.waiting is not None:
            return False
        better = self.improve(current.project)
        if better is not None:
            self._read = better, self.taken
        return better is not None

    @property
    def waiting(self) -> Catalog | None:
        """A catalog that was read and is right, but not kept yet."""
        read = self._read
        return None if read is None or read is self._adopted else read[0]

    def adopt_waiting(self, adopt: Callable[[Catalog], bool]) -> None:
        """Have what is waiting kept; `adopt` says whether that could be done now."""
        read = self._read
        if read is not None and read is not self._adopted and adopt(read[0]):
            self._adopted, self.taken = read, read[1]


def needs_restart(before: Project, after: Project) -> Iterator[str]:
    """What of `after` a run of `before` cannot take over, in words."""
    for name in dict.fromkeys((*before.tables, *after.tables)):
        old, new = before.tables.get(name), after.tables.get(name)
        if old is None or new is None:
            yield f'table "{name}" was {"added" if old is None else "removed"}'
        elif _essential(old) != _essential(new) and not gained_columns(old, new):
            yield f'table "{name}" changed'
    if _placed(before) != _placed(after):
        yield "sites changed in headwater.yml"
    for what in ("name", "storage", "store", "spark_master", "spark_config"):
        if getattr(before, what) != getattr(after, what):
            yield f"{what.replace('_', ' ')} changed in headwater.yml"


def _essential(table: Table) -> Table:
    """Without what follows from the views: how long windows are that are shown whole."""
    windows = table.windows and replace(table.windows, length=LEAST_WINDOW)
    return replace(table, place=None, expect=Expectation(), windows=windows)


def gained_columns(old: Table, new: Table) -> tuple[str, ...]:
    """The columns that a table has gained, if that is all, and its capture can go on with them."""
    same = replace(_essential(new), columns=old.columns) == _essential(old)
    kept = tuple(column for column in new.columns if old.column(column.name) is not None)
    if not same or set(kept) != set(old.columns):
        return ()
    return tuple(column.name for column in new.columns if old.column(column.name) is None)


def _placed(project: Project) -> dict[str, Site]:
    """The sites without their prices: those may change at any time."""
    return {name: replace(site, prices=Prices()) for name, site in project.sites.items()}


def difference(before: Catalog, after: Catalog) -> str:
    """Which views came, went and changed, in words; empty if none did."""
    old, new = before.project.views, after.project.views
    changed = [
        name
        for name in new
        if name in old
        and (
            before.versions[name] != after.versions[name]
            or replace(old[name], place=None, sql=new[name].sql) != replace(new[name], place=None)
        )
    ]
    parts = {
        "added": [name for name in new if name not in old],
        "dropped": [name for name in old if name not in new],
        "changed": changed,
        "new columns": [
            f"{name}.{column}"
            for name, table in after.project.tables.items()
            if name in before.project.tables
            for column in gained_columns(before.project.tables[name], table)
        ],
    }
    return "; ".join(f"{word} {', '.join(names)}" for word, names in parts.items() if names)
