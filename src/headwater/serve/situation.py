"""What a project's plan is judged by, gathered from its declarations and from its warehouse; no Spark.

    sources    rows, rate, bytes a row and values of columns: from the timelines' logs; else what the user
               expects (EXPECT, `expect:`); else defaults.  A key has as many values as rows, a foreign key as
               many as the table that it refers to has rows
    views      once stored, their own rows and rate; before, what follows from what they read
    operators  of the project's calibration, the machine's, or the defaults
    pushes     how much faster or slower this project's pushes were than the operators say (corrections.py)

Everything says where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from headwater.algebra.expressions import Column
from headwater.algebra.nodes import Aggregate, Plan
from headwater.algebra.stages import Kept
from headwater.catalog import Catalog
from headwater.model import Table
from headwater.serve.relation_facts import (
    bytes_per_row,
    changes_per_second,
    met_share,
    ranges,
    source_files,
    view_files,
    view_rows,
)
from headwater.sharing.facts import ROWS_PER_GROUP, Facts, Origin, facts_of, source_facts
from headwater.sharing.relations import Relation, Sharing
from headwater.sharing.sharings import Types, block_of, sharings_of
from headwater.sharing.situation import Situation
from headwater.sharing.sizes import CHANGES_PER_CHANGE, sizes
from headwater.sharing.skipping import Met
from headwater.storage.calibration import calibrated
from headwater.storage.delta_log import DataFile
from headwater.storage.warehouse import Warehouse

__all__ = ["Gathered", "gather"]


@dataclass(frozen=True, slots=True)
class Gathered:
    """A situation, the views as the planner sees them, and where the numbers come from."""

    situation: Situation
    sharings: Mapping[str, Sharing]
    sources: Mapping[str, Facts]
    views: Mapping[str, Facts]
    calibration: str  # the file of the operators; "" for the defaults


def gather(catalog: Catalog, warehouse: Warehouse) -> Gathered:
    """Everything that planning this project's views needs."""
    project = catalog.project
    sources = source_facts_of(project.tables, warehouse)
    types = catalog.types()
    sharings = sharings_of(catalog.kept, project.views, types)
    facts, measured = dict(sources), dict[Relation, Facts]()
    for name, sharing in sharings.items():
        derived = _derived(catalog.kept[name], sharing, facts, measured, types)
        known = _stored(catalog, warehouse, name, derived)
        facts[name] = known or derived
        if known is not None:
            measured[sharing.result] = known
    operators = calibrated(warehouse.root)
    homes = {name: one.site for name, one in project.tables.items()}
    homes |= {name: one.site for name, one in project.views.items()}
    return Gathered(
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
    """What part of a source new rows of another meet, for all columns of sources that views join."""
    files = {name: source_files(warehouse, name) for name in tables}
    pairs: set[tuple[str, str, str, str]] = set()
    for one in sharings:
        sources = {each.name: each.relation for each in one.core.inputs if each.relation in files}
        for group in one.core.equal:
            columns = [(sources[owner], own) for owner, _, own in (c.rpartition(".") for c in group)
                       if owner in sources]  # fmt: skip
            pairs |= {(*left, *right) for left in columns for right in columns if left != right}
    return {
        (f"{source}.{column}", f"{other}.{own}"): met_share(files[source], column, files[other], own)
        for source, column, other, own in pairs
    }


def source_facts_of(tables: Mapping[str, Table], warehouse: Warehouse) -> dict[str, Facts]:
    """The facts of all sources; foreign keys know the tables that they refer to."""
    files = {name: source_files(warehouse, name) for name in tables}
    plain = {name: _source(table, files[name]) for name, table in tables.items()}
    largest = max((one.rows for one in plain.values()), default=1.0)
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
    found = source_facts(rows or None, changes_per_second(files), table.expect)
    return replace(found, bytes_per_row=bytes_per_row(files))


def _referred(table: Table, plain: Mapping[str, Facts]) -> dict[str, float]:
    return {
        one.columns[0]: plain[one.table].rows
        for one in table.foreign_keys
        if len(one.columns) == 1 and one.table in plain
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
    """What follows of a view from what it reads."""
    core = sizes(sharing.core, facts, measured)
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
    """As many groups as their keys have values, if that is known and below the rows; else a tenth of them."""
    plan, block = kept.stages[-1].plan, block_of(kept, types)
    assert isinstance(plan, Aggregate)
    assert block is not None
    if not plan.keys:
        return 1.0, ()
    relations = {one.name: one.relation for one in block.relation.inputs}
    columns: dict[str, set[str]] = {}
    for _, key in plan.keys:
        owner, _, column = block.names.get(key.name if isinstance(key, Column) else "", "").rpartition(".")
        columns.setdefault(relations.get(owner, ""), set()).add(column)
    counts = [_values(facts.get(name), one) for name, one in columns.items()]
    known = [count for count in counts if count is not None]
    groups = prod(known) if known else rows / ROWS_PER_GROUP
    return max(1.0, min(rows, groups)), tuple(name for name, _ in plan.keys)


def _values(facts: Facts | None, columns: set[str]) -> float | None:
    """How many values some columns of a relation have together: a key among them tells all others."""
    if facts is None:
        return None
    if any(set(key) <= columns for key in facts.keys):
        return facts.rows
    found = [facts.distinct[column] for column in columns if column in facts.distinct]
    return min(facts.rows, prod(found)) if found else None


def _tail(kept: Kept, facts: Mapping[str, Facts]) -> Facts:
    """Any other tail, stage by stage; SQL without a plan has as many rows as its largest input."""
    known = dict(facts)
    for stage in kept.stages:
        found = _of_plan(stage.plan, [known[name] for name in stage.reads if name in known], known)
        known[stage.name] = found
    return known[kept.stages[-1].name]


def _of_plan(plan: Plan | None, reads: Sequence[Facts], known: Mapping[str, Facts]) -> Facts:
    if plan is not None:
        return facts_of(plan, known)
    rows = max((one.rows for one in reads), default=1.0)
    return Facts(rows, CHANGES_PER_CHANGE * sum(one.rate for one in reads))
