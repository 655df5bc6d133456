"""What woven trees did, as pushes recorded it: rows in, fragments touched, final merges.

rows in       changes of the table that a tree's stage read
fragments     changes of the stage: a fragment that is touched again goes and comes back, two changes
merges        changes of fragments that views read, each as often as it lies in windows of the view
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from headwater.algebra.plans.nodes import Windows
from headwater.algebra.plans.walks import nodes
from headwater.catalog import Catalog
from headwater.planning.weaving.decide import Known
from headwater.planning.weaving.weave import stage_name
from headwater.serve.planning.remembered import remembered
from headwater.storage.records.journal import PUSHES, read_rows
from headwater.storage.warehouse import Warehouse
from headwater.units import HOUR

__all__ = ["TreeStatus", "tree_statuses"]


@dataclass(frozen=True, slots=True)
class TreeStatus:
    """A woven tree in the last hour."""

    stage: str
    site: str
    views: tuple[str, ...]
    overlap: int
    pushes: int
    rows_in: int
    fragments: int
    merges: int
    cpu_seconds: float  # of the stage and of its views


@dataclass(slots=True)
class _Sums:
    pushes: int = 0
    changed: int = 0
    result: int = 0
    cpu: float = 0.0


def tree_statuses(catalog: Catalog, warehouse: Warehouse, now: int) -> tuple[TreeStatus, ...]:
    """The trees that runs keep to."""
    last = remembered(warehouse)
    if last is None or not last.trees:
        return ()
    sums = _sums(warehouse, now - HOUR, now + 1)
    return tuple(_tree(tree, catalog, sums) for tree in last.trees if set(tree.views) & catalog.kept.keys())


def _tree(tree: Known, catalog: Catalog, sums: Mapping[str, _Sums]) -> TreeStatus:
    views = tuple(view for view in tree.views if view in catalog.kept)
    site = catalog.site_of(views[0])
    stage = stage_name(site, tree.plan)
    own = sums.get(stage, _Sums())
    overlaps = {view: _windows(catalog, view) for view in views}
    read = {view: sums.get(view, _Sums()) for view in views}
    return TreeStatus(
        stage,
        site,
        views,
        sum(overlaps.values()),
        own.pushes,
        own.changed,
        own.result,
        sum(read[view].changed * overlaps[view] for view in views),
        own.cpu + sum(part.cpu for part in read.values()),
    )


def _windows(catalog: Catalog, view: str) -> int:
    """How many windows of a view an instant lies in."""
    plan = catalog.kept[view].stages[-1].plan
    windows: Iterator[Windows] = (
        node for node in ([] if plan is None else nodes(plan)) if isinstance(node, Windows)
    )
    return next((-(-node.size // node.slide) for node in windows), 1)


def _sums(warehouse: Warehouse, since: int, until: int) -> Mapping[str, _Sums]:
    """The pushes by delta of each stage, added up."""
    log = warehouse.system("pushes")
    rows: pa.Table = read_rows(log, PUSHES, since, until) if log.exists() else PUSHES.empty_table()
    sums: defaultdict[str, _Sums] = defaultdict(_Sums)
    names = ("stage", "mode", "changed_rows", "result_rows", "cpu_seconds")
    for stage, mode, changed, result, cpu in zip(
        *(rows.column(name).to_pylist() for name in names), strict=True
    ):
        if mode == "incremental":
            part = sums[stage]
            part.pushes += 1
            part.changed += changed or 0
            part.result += result or 0
            part.cpu += cpu or 0.0
    return sums
