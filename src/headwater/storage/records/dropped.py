"""Stored tables of dropped views, marked for removal by the next run.

A mark is a small file in dropped/, written after the view has left the project's files.  A run sweeps the
marked tables that its own catalog does not use, so nothing is removed from under a push; if the run is
killed, the mark is left for the next one.  A lost mark leaves unused bytes behind; nothing that a catalog
uses is ever removed.

What views share is recorded when a run starts to maintain it (shared_stages.json).  If views are dropped
while no run is active, or the plan changes, the next run removes what was recorded and is no longer shared.
Sites are recorded by name, because a project may be copied with its folders.  What was not recorded is not
touched: a site's folder may have other users.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress

from headwater.storage.replace_text import replace_text
from headwater.storage.warehouse import Warehouse

__all__ = [
    "mark_dropped", "note_shared", "shared_noted", "spare_dropped", "spared", "sweep_dropped",
    "sweep_shared", "unmark",
]  # fmt: skip

SPARED = ".kept"  # how the name of a file ends that says that a dropped view's data stay

logger = logging.getLogger(__name__)


def mark_dropped(warehouse: Warehouse, view: str, stages: Collection[str]) -> None:
    """Record that a view's plain table and these stage folders may be removed."""
    path = os.path.join(_folder(warehouse), f"{view}.json")
    marked = _read(path)
    _write(path, {"view": view, "stages": sorted({*marked, *stages})})
    with suppress(FileNotFoundError):
        os.unlink(_spared_file(warehouse, view))


def spare_dropped(warehouse: Warehouse, view: str, stages: Collection[str]) -> None:
    """Record that a dropped view's plain table and stages stay, until it is dropped again without them."""
    _write(_spared_file(warehouse, view), {"view": view, "stages": sorted(stages)})


def spared(warehouse: Warehouse) -> dict[str, list[str]]:
    """The dropped views whose data stay, with the folders of their stages."""
    folder = _folder(warehouse)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return {
        name.removesuffix(SPARED): _read(os.path.join(folder, name))
        for name in names
        if name.endswith(SPARED)
    }


def unmark(warehouse: Warehouse, stages: Iterable[str], views: Iterable[str]) -> None:
    """Remove the marks of stages and views that are in use (again)."""
    used, in_use = set(stages), set(views)
    for path, view, marked in _marks(warehouse):
        unused = [stage for stage in marked if stage not in used]
        if view in in_use and not unused:
            os.unlink(path)
        elif len(unused) < len(marked):
            os.unlink(path)
            mark_dropped(warehouse, view, unused)


def sweep_dropped(warehouse: Warehouse, stages: Collection[str], views: Collection[str]) -> list[str]:
    """Remove what is marked and not in use; returns the removed views. Cheap when nothing is marked."""
    removed: list[str] = []
    roots = {warehouse.root, *warehouse.roots.values()}  # a mark does not say at which site
    for path, view, marked in list(_marks(warehouse)):
        if any(stage in stages for stage in marked):
            continue  # not released yet, or in use again
        folders = [os.path.join(root, "stages", stage) for root in roots for stage in marked]
        if view not in views:
            folders += [os.path.join(root, "views", view) for root in roots]
        for folder in folders:
            warehouse.forget(folder)
            shutil.rmtree(folder, ignore_errors=True)
        os.unlink(path)
        removed.append(view)
    return removed


def note_shared(warehouse: Warehouse, shared: Mapping[str, str]) -> None:
    """Remember the folders of what views share, and the site of each."""
    path = _shared_file(warehouse)
    recorded = _shared(path)
    if not shared.items() <= recorded.items():
        _write(path, {**recorded, **shared})


def sweep_shared(
    warehouse: Warehouse, shared: Mapping[str, str], roots: Mapping[str, str], used: Collection[str]
) -> list[str]:
    """Remove what was shared and is no longer; `roots` are the sites' storage roots by site name."""
    path = _shared_file(warehouse)
    removed = {name: site for name, site in _shared(path).items() if name not in shared and name not in used}
    for name, site in removed.items():
        folder = os.path.join(roots.get(site) or warehouse.root, "stages", name)
        warehouse.forget(folder)
        shutil.rmtree(folder, ignore_errors=True)
    if removed:
        _write(path, {})
    note_shared(warehouse, shared)
    return sorted(removed)


def shared_noted(warehouse: Warehouse) -> Mapping[str, str]:
    """The folders of what views share, as noted last, and the site of each."""
    return _shared(_shared_file(warehouse))


def _spared_file(warehouse: Warehouse, view: str) -> str:
    return os.path.join(_folder(warehouse), f"{view}{SPARED}")


def _shared_file(warehouse: Warehouse) -> str:
    return os.path.join(warehouse.root, "shared_stages.json")


def _shared(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8") as file:
            return {str(name): str(site) for name, site in json.load(file).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError):
        logger.warning("%s cannot be read; what it notes stays in the warehouse", path, exc_info=True)
        return {}


def _write(path: str, content: object) -> None:
    replace_text(path, json.dumps(content))


def _folder(warehouse: Warehouse) -> str:
    return os.path.join(warehouse.root, "dropped")


def _marks(warehouse: Warehouse) -> Iterator[tuple[str, str, list[str]]]:
    folder = _folder(warehouse)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith(".json"):
            path = os.path.join(folder, name)
            yield path, name.removesuffix(".json"), _read(path)


def _read(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return list(json.load(file)["stages"])
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError):
        logger.warning("%s cannot be read; what it marks stays in the warehouse", path, exc_info=True)
        return []
