"""A project whose files change while it runs: read them again, and keep their views from then on.

Views may come, go and change; queries and expectations too.  What a run was started with (tables, sites,
storage, Spark) cannot change under it: then nothing is taken over, and the run says so.  Files that are wrong
leave everything as it was.  A run reads the files in its housekeeping and takes the result over between two
steps, when no view that goes is being pushed.

Costs a digest of the files every second; nothing else until they change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from headwater.catalog import Catalog, build
from headwater.errors import HeadwaterError
from headwater.model import Expectation, Prices, Project, Site, Table
from headwater.project import fingerprint, load

__all__ = ["Make", "Reloading", "difference", "needs_restart", "plain"]


Make = Callable[[Project, Catalog], Catalog]  # from a project's files as they are now and what is kept


def plain(project: Project, _current: Catalog) -> Catalog:
    """Every view by itself."""
    return build(project)


@dataclass(slots=True)
class Reloading:
    """What a run knows of its project's files."""

    folder: str
    seen: str  # the fingerprint of the files that were read last
    taken: str  # the fingerprint of those that are kept
    found: Catalog | None = None  # read, right, and waiting to be taken over
    problem: str = ""
    make: Make = plain

    @staticmethod
    def of(catalog: Catalog, seen: str = "", make: Make = plain) -> Reloading:
        """For a run of `catalog`, made from files whose fingerprint was `seen`; by default, as they are."""
        known = seen or fingerprint(catalog.project.folder)
        return Reloading(catalog.project.folder, known, known, make=make)

    def look(self, current: Catalog) -> None:
        """Read the files again if they have changed."""
        now = fingerprint(self.folder)
        if now == self.seen:
            return
        self.seen, self.found, self.problem = now, None, ""
        try:
            catalog = self.make(load(self.folder), current)
        except HeadwaterError as error:
            place = "" if error.place is None else f" at {error.place}"
            self.problem = f"{error.code}: {error.message}{place}; the views go on as they were"
            return
        if reasons := list(needs_restart(current.project, catalog.project)):
            self.problem = f"{', '.join(reasons)}: restart to apply"
        else:
            self.found = catalog

    def done(self) -> None:
        """What was found is kept now."""
        self.found, self.taken = None, self.seen


def needs_restart(before: Project, after: Project) -> Iterator[str]:
    """What of `after` a run of `before` cannot take over, in words."""
    for name in dict.fromkeys((*before.tables, *after.tables)):
        old, new = before.tables.get(name), after.tables.get(name)
        if old is None or new is None:
            yield f'table "{name}" was {"added" if old is None else "removed"}'
        elif _essential(old) != _essential(new):
            yield f'table "{name}" changed'
    if _placed(before) != _placed(after):
        yield "sites changed in headwater.yml"
    for what in ("name", "storage", "spark_master", "spark_config", "store"):
        if getattr(before, what) != getattr(after, what):
            yield f"{what.replace('_', ' ')} changed in headwater.yml"


def _essential(table: Table) -> Table:
    return replace(table, place=None, expect=Expectation())


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
    }
    return "; ".join(f"{word} {', '.join(names)}" for word, names in parts.items() if names)
