"""What is known of a project from its warehouse: sizes and rates of timelines, and how long pushes took.

Only Delta logs and the pushes table are read.  A rate is taken from the newest ten minutes in which a source
changed: the changes after the first commit of that time, over the time they took.  A source with one commit,
or with all of them within a second, has no rate yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from headwater.algebra.stages import Stage
from headwater.catalog import Catalog
from headwater.clock import micros
from headwater.sharing.estimate import Inputs
from headwater.sharing.facts import Facts, source_facts
from headwater.sharing.time_model import KEEP, Effort, TimeModel
from headwater.storage.delta_log import DataFile
from headwater.storage.journal import PUSHES, read_rows
from headwater.storage.timeline import TIME
from headwater.storage.warehouse import Warehouse

__all__ = ["changes_per_second", "inputs"]

LOOKED_AT = timedelta(minutes=10)
SHORTEST = timedelta(seconds=1)


def inputs(catalog: Catalog, warehouse: Warehouse) -> Inputs:
    """Everything that an estimate of this project's views rests on."""
    stages = [stage for kept in catalog.kept.values() for stage in kept.stages]
    pushes = _pushes(warehouse)
    return Inputs(
        kept=catalog.kept,
        views=catalog.project.views,
        sources={name: _source(catalog, warehouse, name) for name in catalog.project.tables},
        stored=dict(_stored(catalog, warehouse, stages)),
        models={name: _models(rows) for name, rows in pushes.items()},
        busy={name: busy for name, rows in pushes.items() if (busy := _busy(rows)) is not None},
        core_hour=catalog.project.prices.core_hour,
    )


def _source(catalog: Catalog, warehouse: Warehouse, name: str) -> Facts:
    timeline, expected = warehouse.source(name), catalog.project.tables[name].expect
    files = timeline.snapshot().files if timeline.exists() else ()
    rows = sum(file.rows for file in files)
    return source_facts(rows or None, changes_per_second(files), expected)


def changes_per_second(files: tuple[DataFile, ...]) -> float | None:
    """The rate at which a timeline's newest files were filled; None if they cannot tell."""
    spans = sorted(
        (file.minimum[TIME], file.maximum[TIME], file.rows)
        for file in files
        if file.minimum.get(TIME) is not None and file.maximum.get(TIME) is not None
    )
    if not spans:
        return None
    newest = max(last for _, last, _ in spans)
    recent = [span for span in spans if span[0] > newest - micros(LOOKED_AT)]
    if not recent or newest - recent[0][0] < micros(SHORTEST):
        return None
    # What was committed at the first instant took an unknown time to arrive.
    counted = sum(rows for first, last, rows in recent if first > recent[0][0] or last > first)
    return counted / ((newest - recent[0][0]) / 1e6)


def _stored(catalog: Catalog, warehouse: Warehouse, stages: list[Stage]) -> Iterator[tuple[str, int]]:
    for stage in stages:
        timeline = warehouse.stage(catalog.folder(stage.name))
        if timeline.exists():
            yield stage.name, timeline.snapshot().rows


def _pushes(warehouse: Warehouse) -> dict[str, list[dict[str, Any]]]:
    """The pushes of each stage that did something, oldest first."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in read_rows(warehouse.system("pushes"), PUSHES).to_pylist():
        if row["mode"] in ("initial", "incremental", "full") and not row["error"]:
            found.setdefault(row["stage"], []).append(row)
    return found


def _models(pushes: list[dict[str, Any]]) -> tuple[TimeModel, TimeModel]:
    """What the pushes taught about an incremental and a full one, as the executor would have learnt it."""
    incremental = _learnt([row for row in pushes if row["mode"] == "incremental"])
    full = _learnt([row for row in pushes if row["mode"] != "incremental"])
    if not incremental.observations:
        return full.as_prior(), full
    return incremental, full if full.observations else incremental.as_prior()


def _learnt(pushes: list[dict[str, Any]]) -> TimeModel:
    model = TimeModel()
    for row in pushes[-KEEP:]:
        effort = Effort(row["changed_rows"], row["scanned_rows"], row["result_rows"])
        model = model.learn(effort, timedelta(seconds=row["seconds"]))
    return model


def _busy(pushes: list[Mapping[str, Any]] | list[dict[str, Any]]) -> float | None:
    """CPU-seconds per second of the newest pushes."""
    newest = pushes[-KEEP:]
    seconds = sum(row["seconds"] for row in newest)
    return sum(row["cpu_seconds"] for row in newest) / seconds if seconds > 0 else None
