"""What is known of a project from its warehouse: sizes and rates of timelines, and how long pushes took.

Only Delta logs and the pushes table are read.  A rate is taken from the newest ten minutes in which a source
changed: the changes after the first commit of that time, over the time they took.  A source with one commit,
or with all of them within a second, has no rate yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

from headwater.algebra.stages import Stage
from headwater.catalog import Catalog
from headwater.clock import micros
from headwater.engine.learnt import Lesson, lessons, of_stages
from headwater.sharing.estimate import Inputs
from headwater.sharing.facts import Facts, source_facts
from headwater.sharing.time_model import KEEP
from headwater.storage.delta_log import DataFile
from headwater.storage.timeline import TIME
from headwater.storage.warehouse import Warehouse

__all__ = ["changes_per_second", "inputs"]

LOOKED_AT = timedelta(minutes=10)
SHORTEST = timedelta(seconds=1)


def inputs(catalog: Catalog, warehouse: Warehouse) -> Inputs:
    """Everything that an estimate of this project's views rests on."""
    stages = [stage for kept in catalog.kept.values() for stage in kept.stages]
    pushes = lessons(warehouse)
    return Inputs(
        kept=catalog.kept,
        views=catalog.project.views,
        sources={name: _source(catalog, warehouse, name) for name in catalog.project.tables},
        stored=dict(_stored(catalog, warehouse, stages)),
        models=of_stages(pushes),
        busy=dict(_busy(pushes)),
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


def _busy(every: Iterable[Lesson]) -> Iterator[tuple[str, float]]:
    """CPU-seconds per second of each stage's newest pushes."""
    by_stage: dict[str, list[tuple[float, float]]] = {}
    for one in every:
        for stage, cpu in one.cpu_seconds.items():
            by_stage.setdefault(stage, []).append((cpu, one.seconds * one.share(stage)))
    for stage, pushes in by_stage.items():
        seconds = sum(took for _, took in pushes[-KEEP:])
        if seconds > 0:
            yield stage, sum(cpu for cpu, _ in pushes[-KEEP:]) / seconds
