"""Stored tables of dropped views, marked for removal: whoever may write the warehouse removes them.

A mark is a small file in dropped/, written after the view has left the project's files.  A run sweeps what
its own catalog does not use, so nothing is taken from under a push; a killed one leaves the mark to the next.
Removing a mark too few leaves bytes behind; nothing that a catalog uses is ever removed.

What views share is noted when a run starts to keep it (shared_stages.json).  If views are dropped while none
runs, or another plan is made, the next run removes what was noted and is shared no more.  Sites are noted by
name, because a project may be copied with its folders.  What was not noted is not touched: a site's folder
may have other users.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping

from headwater.storage.warehouse import Warehouse

__all__ = ["mark_dropped", "note_shared", "sweep_dropped", "sweep_shared", "unmark"]


def mark_dropped(warehouse: Warehouse, view: str, stages: Collection[str]) -> None:
    """Note that a view's plain table and these folders of stages may go."""
    folder = _folder(warehouse)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{view}.json")
    known = _read(path)
    _write(path, {"view": view, "stages": sorted({*known, *stages})})


def unmark(warehouse: Warehouse, stages: Iterable[str], views: Iterable[str]) -> None:
    """These are in use (again): marks that name them no longer count for them."""
    used, named = set(stages), set(views)
    for path, view, marked in _marks(warehouse):
        left = [one for one in marked if one not in used]
        if view in named and not left:
            os.unlink(path)
        elif len(left) < len(marked):
            os.unlink(path)
            mark_dropped(warehouse, view, left)


def sweep_dropped(warehouse: Warehouse, stages: Collection[str], views: Collection[str]) -> list[str]:
    """Remove what is marked and not in use; returns the views that are gone. Cheap when nothing is marked."""
    gone: list[str] = []
    roots = {warehouse.root, *warehouse.places.values()}  # a mark does not say at which site
    for path, view, marked in list(_marks(warehouse)):
        if any(one in stages for one in marked):
            continue  # not yet let go, or taken up again
        paths = [os.path.join(root, "stages", one) for root in roots for one in marked]
        if view not in views:
            paths += [os.path.join(root, "views", view) for root in roots]
        for one in paths:
            warehouse.forget(one)
            shutil.rmtree(one, ignore_errors=True)
        os.unlink(path)
        gone.append(view)
    return gone


def note_shared(warehouse: Warehouse, shared: Mapping[str, str]) -> None:
    """Remember the folders of what views share, and the site of each."""
    path = _noted(warehouse)
    known = _shared(path)
    if not shared.items() <= known.items():
        os.makedirs(warehouse.root, exist_ok=True)
        _write(path, {**known, **shared})


def sweep_shared(
    warehouse: Warehouse, shared: Mapping[str, str], roots: Mapping[str, str], used: Collection[str]
) -> list[str]:
    """Remove what was shared and is no longer; `roots` are the storage of the sites."""
    path = _noted(warehouse)
    gone = {name: site for name, site in _shared(path).items() if name not in shared and name not in used}
    for name, site in gone.items():
        folder = os.path.join(roots.get(site) or warehouse.root, "stages", name)
        warehouse.forget(folder)
        shutil.rmtree(folder, ignore_errors=True)
    if gone:
        _write(path, {})
    note_shared(warehouse, shared)
    return sorted(gone)


def _noted(warehouse: Warehouse) -> str:
    return os.path.join(warehouse.root, "shared_stages.json")


def _shared(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8") as file:
            return {str(name): str(site) for name, site in json.load(file).items()}
    except (OSError, ValueError, AttributeError):
        return {}


def _write(path: str, content: object) -> None:
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(f"{path}.new", path)


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
    except (OSError, ValueError, KeyError, TypeError):
        return []
