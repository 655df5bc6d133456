"""A survey of what planning a project rests on: its declarations and its warehouse's statistics; no Spark.

    sources    rows, rate, bytes a row and values of columns: from the timelines' logs; else what the user
               expects (EXPECT, `expect:`); else defaults.  A key has as many values as rows, a foreign key as
               many as the table that it refers to has rows
    views      once stored, their own rows and rate; before, those derived from what they read
    operators  of the project's calibration, the machine's, or the defaults

Every number says where it comes from.  What pushes have taught is not part of it
(storage/records/lessons.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from headwater.algebra.expressions.tree import Column
from headwater.algebra.plans.nodes import Aggregate, Plan
from headwater.algebra.stages.choosing import shown
from headwater.algebra.stages.stage import Kept
from headwater.catalog import Catalog
from headwater.model import Table
from headwater.planning.facts.facts import ROWS_PER_GROUP, Facts, Origin, facts_of, source_facts
from headwater.planning.facts.situation import Situation
from headwater.planning.facts.sizes import CHANGES_PER_CHANGE, size_of
from headwater.planning.facts.skipping import Met
from headwater.planning.relations.relations import Relation, Sharing
from headwater.planning.relations.sharings import Types, block_of, sharings_of
from headwater.serve.planning.relation_facts import (
    bytes_per_row,
    changes_per_second,
    met_share,
    ranges,
    source_files,
    view_files,
    view_rows,
)
from headwater.storage.delta.delta_log import DataFile
from headwater.storage.records.calibration import calibrated
from headwater.storage.warehouse import Warehouse

__all__ = ["Survey", "survey"]


@dataclass(frozen=True, slots=True)
class Survey:
    """A situation, the views as the planner sees them, and where the numbers come from."""

    situation: Situation
    sharings: Mapping[str, Sharing]
    sources: Mapping[str, Facts]
    views: Mapping[str, Facts]
    calibration: str  # the file of the operators; "" for the defaults


def survey(catalog: Catalog, warehouse: Warehouse) -> Survey:
    """Everything that planning this project's views needs."""
    project = catalog.project
    sources = source_facts_of(project.tables, warehouse)
    choosing = {shown(name): name for name, table in project.tables.items() if table.chooses}
    types = catalog.types()
    sharings = sharings_of(catalog.kept, project.views, types)
    facts = sources | {name: sources[table] for name, table in choosing.items()}
    measured = dict[Relation, Facts]()
    for name, sharing in sharings.items():
        derived = _derived(catalog.kept[name], sharing, facts, measured, types)
        stored = _stored(catalog, warehouse, name, derived)
        facts[name] = stored or derived
        if stored is not None:
            measured[sharing.result] = stored
    operators = calibrated(warehouse.root)
    homes = {name: table.site for name, table in project.tables.items()}
    homes |= {name: homes[table] for name, table in choosing.items()}
    homes |= {name: view.site for name, view in project.views.items()}
    return Survey(
        Situation(
            project.sites,
            facts,
            homes,
            operators.operators,
            measured,
            met=_met(sharings.values(), project.tables, warehouse),
        ),
        sharings,
        sources,
        {name: facts[name] for name in sharings},
        operators.path,
    )


def _met(sharings: Iterable[Sharing], tables: Iterable[str], warehouse: Warehouse) -> Met:
    """The share of a source that new rows of another meet, for all columns of sources that views join."""
    files = {name: source_files(warehouse, name) for name in tables}
    pairs: set[tuple[str, str, str, str]] = set()
    for sharing in sharings:
        inputs = sharing.core.inputs
        sources = {input.name: input.relation for input in inputs if input.relation in files}
        for group in sharing.core.equal:
            columns = [(sources[owner], own) for owner, _, own in (c.rpartition(".") for c in group)
                       if owner in sources]  # fmt: skip
            pairs |= {(*left, *right) for left in columns for right in columns if left != right}
    return {
        (f"{source}.{column}", f"{other}.{own}"): met_share(files[source], column, files[other], own)
        for source, column, other, own in pairs
    }


def source_facts_of(tables: Mapping[str, Table], warehouse: Warehouse) -> dict[str, Facts]:
    """The facts of all sources; a foreign key has as many values as the table it refers to has rows."""
    files = {name: source_files(warehouse, name) for name in tables}
    plain = {name: _source(table, files[name]) for name, table in tables.items()}
    largest = max((facts.rows for facts in plain.values()), default=1.0)
    return {
        name: replace(
            plain[name],
            distinct={
                **_referred(table, plain),
                **{column: float(count) for column, count in table.expect.values},
                **ranges(files[name], largest),
            },
            keys=tuple(key for key in (table.key, *table.unique) if key),
        )
        for name, table in tables.items()
    }


def _source(table: Table, files: Sequence[DataFile]) -> Facts:
    rows = sum(file.rows for file in files)
    facts = source_facts(rows or None, changes_per_second(files), table.expect)
    return replace(facts, bytes_per_row=bytes_per_row(files))


def _referred(table: Table, plain: Mapping[str, Facts]) -> dict[str, float]:
    return {
        key.columns[0]: plain[key.table].rows
        for key in table.foreign_keys
        if len(key.columns) == 1 and key.table in plain
    }


def _stored(catalog: Catalog, warehouse: Warehouse, view: str, derived: Facts) -> Facts | None:
    """What is measured of a stored view; its rate may still have to be derived."""
    rows = view_rows(catalog, warehouse, view)
    if rows is None:
        return None
    files = view_files(catalog, warehouse, view)
    rate = changes_per_second(files)
    return replace(
        derived,
        rows=float(rows),
        rate=derived.rate if rate is None else rate,
        rows_from=Origin.STATISTICS,
        rate_from=Origin.DERIVED if rate is None else Origin.STATISTICS,
        bytes_per_row=bytes_per_row(files),
    )


def _derived(
    kept: Kept, sharing: Sharing, facts: Mapping[str, Facts], measured: Mapping[Relation, Facts], types: Types
) -> Facts:
    """The facts of a view that follow from what it reads."""
    core = size_of(sharing.core, facts, measured)
    match sharing.tail:
        case "":
            return Facts(core.rows, core.rate, bytes_per_row=core.bytes_per_row)
        case "aggregate":
            groups, keys = _groups(kept, core.rows, facts, types)
            return Facts(groups, CHANGES_PER_CHANGE * core.rate, keys=(keys,))
        case _:
            return _tail(kept, facts)


def _groups(
    kept: Kept, rows: float, facts: Mapping[str, Facts], types: Types
) -> tuple[float, tuple[str, ...]]:
    """The number of groups: of values of the keys, if known and below the rows; else a tenth of the rows."""
    plan, block = kept.stages[-1].plan, block_of(kept, types)
    assert isinstance(plan, Aggregate)
    assert block is not None
    if not plan.keys:
        return 1.0, ()
    relations = {input.name: input.relation for input in block.relation.inputs}
    columns: dict[str, set[str]] = {}
    for _, key in plan.keys:
        owner, _, column = block.names.get(key.name if isinstance(key, Column) else "", "").rpartition(".")
        columns.setdefault(relations.get(owner, ""), set()).add(column)
    values = [_values(facts.get(relation), names) for relation, names in columns.items()]
    counts = [count for count in values if count is not None]
    groups = prod(counts) if counts else rows / ROWS_PER_GROUP
    return max(1.0, min(rows, groups)), tuple(name for name, _ in plan.keys)


def _values(facts: Facts | None, columns: set[str]) -> float | None:
    """How many values some columns of a relation have together: as many as rows, if a key is among them."""
    if facts is None:
        return None
    if any(set(key) <= columns for key in facts.keys):
        return facts.rows
    counts = [facts.distinct[column] for column in columns if column in facts.distinct]
    return min(facts.rows, prod(counts)) if counts else None


def _tail(kept: Kept, facts: Mapping[str, Facts]) -> Facts:
    """Any other tail, stage by stage; SQL without a plan has as many rows as its largest input."""
    relations = dict(facts)
    for stage in kept.stages:
        reads = [relations[name] for name in stage.reads if name in relations]
        relations[stage.name] = _of_plan(stage.plan, reads, relations)
    return relations[kept.stages[-1].name]


def _of_plan(plan: Plan | None, reads: Sequence[Facts], relations: Mapping[str, Facts]) -> Facts:
    if plan is not None:
        return facts_of(plan, relations)
    rows = max((facts.rows for facts in reads), default=1.0)
    return Facts(rows, CHANGES_PER_CHANGE * sum(facts.rate for facts in reads))
