"""The versions of views and of what they share: fingerprints of all that their stored rows depend on.

Columns that a view does not read are no part of its version, so a table may gain columns under it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from headwater.algebra.plans.nodes import Scan
from headwater.algebra.plans.walks import nodes
from headwater.algebra.stages.stage import Kept, Stage
from headwater.model import Column, Project, View
from headwater.sql.parsing.named_columns import named_columns
from headwater.sql.parsing.parser import select_tree

__all__ = ["shared_version", "view_version"]


def shared_version(
    name: str,
    kept: Kept,
    types: Mapping[str, Mapping[str, str]],
    versions: Mapping[str, str],
    copied: Project | None,
) -> str:
    """The version of a stage that views share; `copied`: it is a replica of a relation of this project."""
    parts = [name if copied is not None else repr(kept.stages)]
    for read in kept.reads:
        depends = _typed_scans(kept, read, types) if copied is None else _copied_columns(copied, read)
        parts += [read, versions.get(read, ""), repr(sorted(depends))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:10]


def _copied_columns(project: Project, source: str) -> Iterator[tuple[str, str]]:
    """What a replica's rows depend on.

    A replica has all columns, whichever of them are read, and gains those that its relation gains.  But files
    copied before such a column was added lack the constant that its earlier rows hold (DEFAULT).
    """
    table = project.tables.get(source)
    for column in () if table is None else table.columns:
        if column.default is not None:
            yield column.name, column.default


def _typed_scans(
    kept: Kept, relation: str, types: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    """The columns of a relation that shared stages read, with their types as far as they are known."""
    for name in _scanned(kept.stages, relation):
        yield name, types.get(relation, {}).get(name, "")


def view_version(
    view: View,
    kept: Kept,
    relations: Mapping[str, Sequence[Column]],
    versions: Mapping[str, str],
) -> str:
    parts: Iterator[str] = (
        text
        for name in kept.reads
        for text in (
            name,
            versions.get(name, ""),
            *(f"{column.name} {column.type}" for column in _columns_read(view, kept, name, relations[name])),
        )
    )
    fingerprinted = "\n".join((view.sql.text.strip(), repr(kept.stages), repr(kept.finish), *parts))
    return hashlib.sha256(fingerprinted.encode()).hexdigest()[:10]


def _columns_read(view: View, kept: Kept, relation: str, columns: Sequence[Column]) -> Iterator[Column]:
    """The columns of a relation that a view depends on: one that is added to the others changes nothing."""
    if any(stage.plan is None for stage in kept.stages):
        named = named_columns(select_tree(view.sql))
        return (column for column in columns if named is None or column.name.lower() in named)
    read = _scanned(kept.stages, relation)
    return (column for column in columns if column.name in read)


def _scanned(stages: Iterable[Stage], relation: str) -> frozenset[str]:
    """The columns of a relation that the plans of some stages scan."""
    plans = (stage.plan for stage in stages if stage.plan is not None)
    scans = (node for plan in plans for node in nodes(plan) if isinstance(node, Scan))
    return frozenset(name for scan in scans if scan.relation == relation for name in scan.names)
