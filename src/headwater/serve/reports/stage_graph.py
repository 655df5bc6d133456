"""The stages of a usual push as a graph: sources first, then what is computed from them, for whom.

Beside what a plan expects of a stage stands what is stored of it, by its log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from headwater.catalog import Catalog
from headwater.storage.delta.delta_log import Snapshot
from headwater.storage.records.dropped import shared_noted
from headwater.storage.warehouse import Warehouse

__all__ = ["stage_graph"]


def stage_graph(catalog: Catalog, warehouse: Warehouse, answer: dict[str, Any]) -> dict[str, Any]:
    """`answer` is a plan as `headwater plan --json` prints it."""
    works = [work | {"action": action["step"]} for action in answer["actions"] for work in action["works"]]
    stages = {work["stage"]: work for work in works}
    sources = sorted({name for work in works for name in work["reads"]} - stages.keys())
    stored = dict(_stored(catalog, warehouse, (*sources, *stages)))
    nodes = [
        {"name": name, "kind": "source", "site": catalog.site_of(name), "serves": []} for name in sources
    ] + [_stage(catalog, work) for work in stages.values()]
    return {
        "nodes": [node | stored.get(node["name"], {}) for node in nodes],
        "edges": [
            {"from": read, "to": work["stage"]}
            for work in stages.values()
            for read in work["reads"]
            if read != work["stage"]
        ],
    }


def _stage(catalog: Catalog, work: dict[str, Any]) -> dict[str, Any]:
    name = work["stage"]
    fields = ("site", "serves", "mode", "seconds", "changed_rows", "result_rows", "action")
    kind = "view" if name in catalog.kept else "stage"
    return {"name": name, "kind": kind} | {field: work[field] for field in fields}


def _stored(
    catalog: Catalog, warehouse: Warehouse, names: Iterable[str]
) -> Iterator[tuple[str, dict[str, int]]]:
    """Changes and bytes of relations that are stored; of those that views share, as the last run noted."""
    shared = {folder.rsplit("@", 1)[0]: folder for folder in shared_noted(warehouse)}
    folders = {**shared, **catalog.folders()}
    for name in names:
        if name in catalog.project.tables:
            yield name, _size(warehouse.source(name).snapshot())
        elif name in folders:
            timeline = warehouse.stage(folders[name])
            if timeline.exists():
                yield name, _size(timeline.snapshot())


def _size(snapshot: Snapshot) -> dict[str, int]:
    return {"stored_rows": snapshot.rows, "stored_bytes": sum(file.size for file in snapshot.files)}
