"""Add views to a project and drop views from it, whether or not a run keeps it meanwhile.

Only the project's files change here; a run reads them within a second and takes them over.  A view is added
if it is admitted and makes no other view's promise impossible.  What a dropped view had stored is removed at
once if no run keeps the project, else by the run as soon as it has let the view go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from headwater.catalog import Catalog, build
from headwater.clock import Clock
from headwater.errors import InputError, RefusedError
from headwater.planning.weaving.weave import TreeChange
from headwater.project import load
from headwater.project.editing import new_views, readers, remove_view, require_outside, write_view
from headwater.serve.planning.plan import Effect, Planned, PlannedView, plan
from headwater.serve.planning.remembered import remembered
from headwater.storage.records.dropped import mark_dropped, spare_dropped, sweep_dropped, unmark
from headwater.storage.records.run_lock import run_lock, running
from headwater.storage.warehouse import Warehouse

__all__ = ["Added", "Dropped", "add", "drop"]


@dataclass(frozen=True, slots=True)
class Added:
    """The new views as planned. If one was refused, and not forced, nothing was written."""

    views: tuple[PlannedView, ...]
    effects: tuple[Effect, ...]  # on the views that are kept
    broken: tuple[str, ...]  # views that are kept and could no longer be
    dollars_per_hour: float  # what the new views add
    running: bool
    files: tuple[Path, ...] = ()
    rewoven: tuple[TreeChange, ...] = ()  # what becomes of woven trees

    @property
    def admitted(self) -> bool:
        return all(view.estimate.admitted for view in self.views) and not self.broken


@dataclass(frozen=True, slots=True)
class Dropped:
    view: str
    file: Path
    file_deleted: bool
    data: str  # "removed", "left to the run", "kept"
    leaves: tuple[str, ...] = ()  # views of its tree, which goes on without it


def add(catalog: Catalog, warehouse: Warehouse, path: Path, force: bool = False) -> Added:
    """Add the views of a file to the project, each as a file of its own."""
    folder = Path(catalog.project.folder)
    require_outside(path, folder)
    declared = {new.view: new for new in new_views(path)}
    extended = replace(load(folder, [path]), explained=())
    planned = plan(catalog, extended, warehouse)
    answer = Added(
        tuple(view for view in planned.views if view.view.name in declared),
        planned.effects,
        tuple(_broken(planned)),
        planned.dollars_per_hour_with - planned.dollars_per_hour,
        running(warehouse.root) is not None,
        rewoven=planned.rewoven,
    )
    if not answer.admitted and not force:
        return answer
    # A view after those it reads: a run may look between two files.
    files = tuple(write_view(folder, declared[view.view.name]) for view in answer.views)
    now = build(load(folder))
    unmark(warehouse, now.folders().values(), now.kept)
    return replace(answer, files=files)


def _broken(planned: Planned) -> Iterator[str]:
    """Views whose critical path grows beyond their promise."""
    promised = {view.view.name: view.view.freshness.total_seconds() for view in planned.views}
    for effect in planned.effects:
        if effect.seconds_before <= promised[effect.view] < effect.seconds:
            yield effect.view


def drop(catalog: Catalog, warehouse: Warehouse, clock: Clock, name: str, keep_data: bool = False) -> Dropped:
    """Take a view out of the project's files; refused while something else reads it."""
    view = catalog.view(name, "A table is taken out by hand: delete its CREATE TABLE once nothing reads it.")
    if others := readers(catalog.project, view.name):
        raise RefusedError(
            "HW892",
            f'view "{view.name}" is read by {", ".join(others)}',
            hint="Drop those first, or let them read something else.",
        )
    if len(catalog.project.views) + len(catalog.project.tables) == 1:
        raise InputError(
            "HW893",
            f'"{view.name}" is all that the project declares',
            hint="Delete the project's folder instead.",
        )
    last = remembered(warehouse)
    trees = () if last is None else last.trees
    leaves = tuple(
        other for tree in trees if view.name in tree.views for other in tree.views if other != view.name
    )
    path, deleted = remove_view(view)
    after = build(load(catalog.project.folder))
    folders = {catalog.folder(stage.name) for stage in catalog.kept[view.name].stages}
    if keep_data and Path(warehouse.root).is_dir():
        spare_dropped(warehouse, view.name, folders)
    data = "kept" if keep_data else _release(warehouse, clock, view.name, folders, after)
    return Dropped(view.name, path, deleted, data, leaves)


def _release(warehouse: Warehouse, clock: Clock, view: str, folders: set[str], after: Catalog) -> str:
    """Remove what the view stored and nobody else uses, or leave that to the run that keeps the project."""
    if not Path(warehouse.root).is_dir():
        return "removed"
    used = set(after.folders().values())
    mark_dropped(warehouse, view, folders - used)
    try:
        with run_lock(warehouse.root, clock.now()):
            sweep_dropped(warehouse, used, after.kept)
    except InputError:
        return "left to the run"
    return "removed"
