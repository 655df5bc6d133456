"""How every view of a project is kept, what reads what, and under which name it is stored.

Long because everything that is asked about the stages of a project is asked of one value.

Pure: the same project gives the same catalog.  A view's `version` is a fingerprint of everything its stored
rows depend on; when a declaration changes, the version does, and the view starts anew in a folder of its own
while the old rows stay until they are vacuumed.  Columns that a view does not read are no part of its
version, so a table may gain columns under it; `SELECT *` reads all that are declared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.algebra.moments.plans import moves
from headwater.algebra.plans.nodes import Plan
from headwater.algebra.plans.walks import scan_rows
from headwater.algebra.stages.adapting import adapted
from headwater.algebra.stages.choosing import choosing_stage, over_shown, shown
from headwater.algebra.stages.outliving import outliving
from headwater.algebra.stages.split import split
from headwater.algebra.stages.stage import Kept, Obstacle, Stage, StageKind
from headwater.algebra.stages.whole_windows import with_lengths
from headwater.errors import InputError, redact
from headwater.model import Column, Project, RefreshPolicy, Table, View
from headwater.planning.stages.compile import Compiled
from headwater.project.named import view_named
from headwater.sql.translate import translate
from headwater.versions import shared_version, view_version

__all__ = ["Catalog", "build", "keep", "share"]


@dataclass(frozen=True, slots=True)
class Catalog:
    project: Project
    kept: Mapping[str, Kept]  # in dependency order
    versions: Mapping[str, str]
    shared: Mapping[str, Kept] = field(default_factory=dict)  # what several views read, kept once for all
    sites: Mapping[str, str] = field(
        default_factory=dict
    )  # of views and shared stages, where not as declared
    copies: Mapping[str, str] = field(default_factory=dict)  # a replica -> the relation it is a copy of
    _levels: dict[frozenset[str], list[list[tuple[Kept, Stage]]]] = field(
        default_factory=dict, compare=False, repr=False
    )
    _below: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    _under: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    _stages_under: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    _serves: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    _by_name: dict[str, tuple[Kept, Stage]] = field(default_factory=dict, compare=False, repr=False)
    _folders: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def changed(self, **fields: Any) -> Catalog:
        """Another catalog, with these fields: what is remembered of this one does not hold for it."""
        remembered: dict[str, Any] = {name: {} for name in self.__slots__ if name.startswith("_")}
        return replace(self, **fields, **remembered)

    def view(self, name: str, if_table: str = "") -> View:
        """The view of that name; a clear error, with the hint `if_table` for a table, if there is none."""
        return view_named(self.project, name, if_table)

    def types(self) -> dict[str, dict[str, str]]:
        """The types of the columns of sources and views, as far as they are known without Spark."""
        types = {
            name: {column.name: column.type for column in table.columns}
            for name, table in self.project.tables.items()
        }
        types |= {shown(name): types[name] for name, table in self.project.tables.items() if table.chooses}
        for name, kept in self.kept.items():
            types[name] = dict(zip(kept.columns, kept.types, strict=True))
        return types

    def source_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that each source declares."""
        return {name: table.column_names for name, table in self.project.tables.items()}

    def folder(self, stage: str) -> str:
        """Where a stage is stored, below stages/."""
        return f"{stage}@{self.versions[stage.split('$')[0]]}"

    def description(self, view: str) -> str:
        """The description of a view's plain table, which changes with the view's definition."""
        return f"Headwater view {view}, version {self.versions[view]}"

    def folders(self) -> Mapping[str, str]:
        """The folder of every stage; each stage of a push asks for them."""
        if not self._folders:
            self._folders.update((stage.name, self.folder(stage.name)) for _, stage in self.stages())
        return self._folders

    def site_of(self, relation: str) -> str:
        """Where a source, a view or a stage lies."""
        name = relation.split("$", 1)[0]
        for known in (relation, name):
            if known in self.sites:
                return self.sites[known]
        declared = self.project.tables.get(name) or self.project.views.get(name)
        return declared.site if declared is not None else "default"

    def policy_of(self, stage: str) -> RefreshPolicy:
        """How a stage may be refreshed: as its view says; what views share, in whichever way is faster.

        A view that outlives rows of its source cannot be recomputed from what is left of them.
        """
        view = self.project.views.get(stage.split("$", 1)[0])
        if view is None:
            return RefreshPolicy.AUTO
        if view.window is not None and view.window.adapt:
            return RefreshPolicy.INCREMENTAL  # to recompute it would be to look for all matches
        return RefreshPolicy.INCREMENTAL if self.kept[view.name].outlives else view.refresh

    def spark_of(self, stage: str) -> str:
        """The address of the Spark of a stage's site, without its token. Sites with one share its actions."""
        site = self.project.sites.get(self.site_of(stage))
        return redact(self.project.spark_master if site is None else site.spark or self.project.spark_master)

    def storage_roots(self) -> dict[str, str]:
        """The storage root of everything that does not lie at the project's own."""
        names = (*self.project.tables, *self.kept, *self.shared)
        sites = self.project.sites
        roots = {name: sites[site].storage for name in names if (site := self.site_of(name)) in sites}
        return {name: root for name, root in roots.items() if root and root != self.project.storage}

    def stages(self) -> Iterator[tuple[Kept, Stage]]:
        """Every stored relation but the sources: the stages of views, and what views share."""
        for kept in (*self.kept.values(), *self.shared.values()):
            for stage in kept.stages:
                yield kept, stage

    def levels(self, views: Iterable[str]) -> list[list[tuple[Kept, Stage]]]:
        """The stages that some views need, their own and those below, in levels.

        The stages of a level read sources and stages of earlier levels only, so all of a level can be
        pushed at once.
        """
        wanted = frozenset(views)
        if wanted not in self._levels:
            self._levels[wanted] = self._leveled(wanted)
        return self._levels[wanted]

    def _leveled(self, views: frozenset[str]) -> list[list[tuple[Kept, Stage]]]:
        by_name = self._by_name
        if not by_name:
            by_name.update((stage.name, (kept, stage)) for kept, stage in self.stages())
        depth: dict[str, int] = {}

        def visit(name: str) -> int:
            if name not in by_name:
                return -1
            if name not in depth:
                _, stage = by_name[name]
                depth[name] = 1 + max((visit(read) for read in stage.reads if read != name), default=-1)
            return depth[name]

        wanted = views & self.kept.keys()
        for view in wanted if len(wanted) == 1 else [name for name in self.kept if name in wanted]:
            for stage in self.kept[view].stages:
                visit(stage.name)
        levels: list[list[tuple[Kept, Stage]]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
        for name, level in depth.items():
            levels[level].append(by_name[name])
        return levels

    def serves(self, stage: str) -> frozenset[str]:
        """The views that need a stage."""
        if not self._serves:
            served: dict[str, set[str]] = {}
            for view in self.kept:
                for level in self.levels([view]):
                    for _, needed in level:
                        served.setdefault(needed.name, set()).add(view)
            self._serves.update((name, frozenset(views)) for name, views in served.items())
        return self._serves.get(stage, frozenset())

    def stages_under(self, view: str) -> tuple[str, ...]:
        """The stages that a view needs, its own and those below."""
        if view not in self._stages_under:
            self._stages_under[view] = tuple(
                stage.name for level in self.levels([view]) for _, stage in level
            )
        return self._stages_under[view]

    def below(self, view: str) -> frozenset[str]:
        """The sources under a view's stages, through whatever lies between."""
        if view not in self._below:
            read = {name for level in self.levels([view]) for _, stage in level for name in stage.reads}
            self._below[view] = frozenset(name for name in read if name in self.project.tables)
        return self._below[view]

    def sites_under(self, view: str) -> frozenset[str]:
        """The sites that a view's stages, and those below them, lie at."""
        if view not in self._under:
            self._under[view] = frozenset(map(self.site_of, self.stages_under(view)))
        return self._under[view]

    def views_read(self, view: str) -> tuple[str, ...]:
        """The views that a view reads itself."""
        return tuple(name for name in self.kept[view].reads if name in self.kept)

    def ancestors(self, view: str) -> tuple[str, ...]:
        """All views below a view, in dependency order."""
        below: set[str] = set()
        waiting = list(self.views_read(view))
        while waiting:
            name = waiting.pop()
            if name not in below:
                below.add(name)
                waiting.extend(self.views_read(name))
        return tuple(name for name in self.kept if name in below) if below else ()

    def plan(self, view: str) -> Plan | None:
        """The whole plan of a view, before it is cut into stages; None if it is kept by full refresh."""
        columns: dict[str, Sequence[Column]] = {
            name: table.columns for name, table in self.project.tables.items()
        }
        for name, kept in self.kept.items():
            columns[name] = tuple(map(Column, kept.columns, kept.types))
        return translate(self.project.views[view], columns).plan

    def sources(self, view: str) -> frozenset[str]:
        """The sources that a view depends on, directly or through other views."""
        read = {name for reader in (view, *self.ancestors(view)) for name in self.kept[reader].reads}
        return frozenset(name for name in read if name in self.project.tables)

    def family(self, view: str) -> frozenset[str]:
        """The views tied to a view through views they read: they are pushed to common times."""
        families = [{name, *self.views_read(name)} for name in self.kept]
        members = {view}
        grown = True
        while grown:
            grown = False
            for family in families:
                if family & members and not family <= members:
                    members |= family
                    grown = True
        return frozenset(members)


def build(project: Project) -> Catalog:
    """Translate every view, in dependency order, so that a view over views knows their columns."""
    relations: dict[str, Sequence[Column]] = {name: table.columns for name, table in project.tables.items()}
    kept: dict[str, Kept] = {}
    versions: dict[str, str] = {}
    choosing = {name: table for name, table in project.tables.items() if table.chooses}
    for view in project.views.values():
        keys = {name: _keys(table, view) for name, table in project.tables.items()}
        kept[view.name] = outliving(keep(view, relations, keys), view, project)
        relations[view.name] = tuple(
            Column(name, kind)
            for name, kind in zip(kept[view.name].columns, kept[view.name].types, strict=True)
        )
        over = {} if view.every_change else choosing
        seen = versions | dict.fromkeys(over, "shown")
        versions[view.name] = view_version(view, kept[view.name], relations, seen)
        kept[view.name] = over_shown(kept[view.name], over)
    project = with_lengths(project, kept)
    versions |= {name: _table_version(project.tables[name]) for name in choosing}
    read = {name for view in kept.values() for stage in view.stages for name in stage.reads}
    stages = (_shown(table) for name, table in choosing.items() if shown(name) in read)
    return Catalog(project, kept, versions, {stage.view: stage for stage in stages})


def _shown(table: Table) -> Kept:
    return choosing_stage(table.name, table.column_names, [column.type for column in table.columns])


def _table_version(table: Table) -> str:
    """What is shown of a table has all its columns, and one row for each key, or only whole windows."""
    parts = [
        *(f"{column.name} {column.type} {column.default}" for column in table.columns),
        *table.row_key,
        *([] if table.windows is None else [str(table.windows.length)]),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:10]


def share(catalog: Catalog, compiled: Compiled) -> Catalog:
    """The catalog whose views read what they share.  A view's version stays: it is the same relation."""
    types = catalog.types()
    versions = dict(catalog.versions)
    for name, kept in compiled.shared.items():
        copied = catalog.project if name in compiled.copies else None
        versions[name] = shared_version(name, kept, types, versions, copied)
    shared = {**catalog.shared, **compiled.shared}
    return catalog.changed(
        kept=compiled.kept, shared=shared, versions=versions, sites=compiled.sites, copies=compiled.copies
    )


def _keys(table: Table, view: View) -> tuple[tuple[str, ...], ...]:
    """What is unique in what a view reads.

    What is shown of an update stream has rows of several times, though of one update key no two.
    """
    unique = tuple(key for key in (table.key, *table.unique) if key)
    if not table.chooses or view.every_change:
        return unique
    return tuple(key for key in unique if set(key) >= set(table.row_key))


def keep(
    view: View,
    relations: Mapping[str, Sequence[Column]],
    keys: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> Kept:
    """How a view is kept: by delta rules where its structure has them, else by recomputing its SQL."""
    translated = translate(view, relations, keys)
    obstacles = translated.obstacles
    if view.refresh is RefreshPolicy.FULL:
        obstacles = (*obstacles, Obstacle("REFRESH POLICY FULL asks for it", view.place))
    if obstacles and view.window is not None and view.window.adapt:
        raise InputError(
            "HW127",
            f"a join that is adapted is kept incrementally, but {obstacles[0].reason}",
            place=obstacles[0].place or view.place,
            hint="leave out ON OVERLOAD ADAPT JOINS, or what stands in the way",
        )
    if translated.plan is None or view.refresh is RefreshPolicy.FULL:
        stage = Stage(view.name, StageKind.SQL, translated.columns, None, translated.reads, translated.sql)
        finish = scan_rows(view.name, translated.columns)
        return Kept(
            view.name, (stage,), finish, translated.columns, translated.types, translated.reads, obstacles
        )
    if view.window is not None and view.window.adapt and moves(translated.plan):
        raise InputError(
            "HW127",
            "a join that is adapted cannot depend on now()",
            place=view.place,
            hint="leave out ON OVERLOAD ADAPT JOINS, or filter by now() in a view that reads this one",
        )
    kept = split(view.name, translated.plan, translated.columns, translated.types, translated.reads)
    if view.window is not None and view.window.adapt:
        return adapted(replace(kept, warnings=translated.warnings), view, view.window)
    return replace(kept, obstacles=obstacles, warnings=translated.warnings)
