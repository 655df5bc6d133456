"""Pushes of real timelines without Spark: what an action stores is computed by the evaluator.

Everything else is the engine's own: what is decided, what goes together, in which order it is committed.  A
delta is computed by its delta plan.  As in Spark, an expression that fails for a row fails the action; and unless changes
are net, it also meets rows that came and went.

The types of columns are those of the values that are stored first; or every value is stored as a text that stands
for it, where those values may all be NULL.
"""

from __future__ import annotations

import base64
import math
import pickle
import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any, cast
from zlib import crc32

import pyarrow as pa
from py4j.protocol import Py4JError

from headwater.algebra.expressions.compile import compile_row
from headwater.algebra.expressions.values import Row
from headwater.algebra.moments.plans import bind
from headwater.algebra.oracle.evaluate import Database, evaluate
from headwater.algebra.oracle.zsets import ZSet, add, consolidate, negate
from headwater.algebra.plans.nodes import Negate, Plan, Version
from headwater.algebra.plans.walks import rewrite_up
from headwater.catalog import Catalog
from headwater.engine.push.action import push_stage
from headwater.engine.push.commit import Pushed, commit
from headwater.engine.push.decide import Job, delta_plan
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import stored_columns
from headwater.engine.query.estimates import Estimates
from headwater.engine.spark.metering import Meter
from headwater.errors import InputError
from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Action, Mode
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.view_rows import STATE, VISIBLE
from headwater.storage.warehouse import Warehouse
from support.choosing_without_spark import choose_without_spark
from support.probing_without_spark import probe_without_spark

ENCODED = "pickled:"


def workplace(warehouse: Warehouse, catalog: Catalog) -> Workplace:
    """As the engine has it, but with no Spark."""
    return Workplace(cast("object", None), warehouse, catalog)  # type: ignore[arg-type]


def run_without_spark(
    workplace: Workplace,
    action: Action[Job],
    relations: Mapping[str, object],
    hints: bool = True,
    net: bool = False,
    encoded: bool = False,
) -> list[Pushed]:
    """In place of `run_action`: the evaluator does what Spark would."""
    name = f"action {uuid.uuid4().hex}"
    if all(job.mode is Mode.PROBE for job in action.works):
        return probe_without_spark(workplace, action.works, name)
    if len(action.stages) > 1:
        _fail_as_spark(workplace, action)
    return [_pushed(workplace, job, name, net, encoded) for job in action.works]


run_encoded = partial(run_without_spark, encoded=True)  # with every value stored as a text


def _fail_as_spark(workplace: Workplace, action: Action[Job]) -> None:
    """An action of several stages commits none of them if it fails: those that read no other are tried first."""
    names = set(action.stages)
    for job in action.works:
        if job.mode is not Mode.EMPTY and names.isdisjoint(set(job.reads) - {job.name}):
            _changes(workplace, job, net=False)


def _pushed(workplace: Workplace, job: Job, action: str, net: bool, encoded: bool) -> Pushed:
    if job.mode in (Mode.EMPTY, Mode.COPY):
        return push_stage(workplace, job)
    if job.mode is Mode.CHOOSE:
        return choose_without_spark(workplace, job, action)
    names, changes = _changes(workplace, job, net)
    timeline = workplace.timeline(job.name)
    if not timeline.exists():
        types = [_type([row[at] for row in changes], encoded, name) for at, name in enumerate(names)]
        timeline.create(pa.schema(list(zip(names, types, strict=True))))
    if job.mode is Mode.FULL and not job.replaces:
        changes = add(changes, negate(_rows(timeline, timeline.as_of(job.after), names)))
    files = [timeline.write(changes_table(timeline, names, changes), job.until)] if changes else []
    effort = Effort(job.effort.changed, job.effort.scanned, commit(workplace, job, files))
    return Pushed(job, effort, timedelta(seconds=1), Meter(seconds=1.0, cpu_seconds=1.0), action)


def _changes(workplace: Workplace, job: Job, net: bool) -> tuple[list[str], ZSet]:
    """What a job stores: changes by its delta, else everything."""
    plan = None if job.stage.plan is None else bind(job.stage.plan, job.after, job.until)
    if job.mode is Mode.INCREMENTAL:
        few = crc32(f"{job.name} {job.until}".encode()) % 2 == 0  # as where relations have few rows
        plan = delta_plan(job, Estimates(workplace.relations(job.stage, job.until)), few)
    columns = stored_columns(job.stage, job.kept)
    names = [name for name, _ in columns]
    if plan is None:
        return names, {}
    row_of = compile_row(tuple(expr for _, expr in columns), job.stage.columns)

    def stored(source: Plan, database: Database) -> ZSet:
        return consolidate((row_of(row), weight) for row, weight in evaluate(source, database).items())

    changes = _stored_changes(workplace, job)
    try:
        if not net:
            stored(_without_signs(plan), _database(changes, _every_row))
        return names, stored(plan, _database(changes, lambda rows: rows))
    except InputError as error:
        condition = {"HW910": ("CAST_INVALID_INPUT", "22018"), "HW912": ("DIVIDE_BY_ZERO", "22012")}[
            error.code
        ]
        raise Py4JError(f"[{condition[0]}] {error.message}. SQLSTATE: {condition[1]}") from error


def _without_signs(plan: Plan) -> Plan:
    return rewrite_up(plan, lambda node: node.child if isinstance(node, Negate) else node)


def _every_row(rows: list[tuple[Row, int]]) -> list[tuple[Row, int]]:
    """What Spark computes with if changes are not net: rows that came and went, too."""
    return [(row, 1) for row in dict.fromkeys(row for row, _ in rows)]


Rows = Callable[[list[tuple[Row, int]]], list[tuple[Row, int]]]
StoredChanges = dict[tuple[str, Version], tuple[tuple[str, ...], list[tuple[Row, int]]]]


def _database(changes: StoredChanges, rows: Rows) -> dict[tuple[str, Version], Any]:
    return {relation: (columns, consolidate(rows(pairs))) for relation, (columns, pairs) in changes.items()}


def _stored_changes(workplace: Workplace, job: Job) -> StoredChanges:
    """Every relation that a job reads, at every version; itself as the state that it keeps."""
    changes: StoredChanges = {}
    for name in {*job.reads, job.name}:
        timeline = workplace.timeline_of(name)
        if not timeline.exists():
            continue
        parts = {
            Version.OLD: timeline.as_of(job.after),
            Version.NEW: timeline.as_of(job.until),
            Version.DELTA: timeline.delta(job.after, job.until),
        }
        for version, part in parts.items():
            changes[name, version] = _shown(timeline, part, own=name == job.name)
    return changes


def _type(values: list[object], encoded: bool, name: str) -> pa.DataType:
    if name == VISIBLE:
        return pa.bool_()
    if encoded:
        return pa.string()
    scales = [-int(value.as_tuple().exponent) for value in values if isinstance(value, Decimal)]
    if scales:
        return pa.decimal128(38, max(scales))  # later values may be larger
    inferred = pa.array(values).type
    return pa.int64() if pa.types.is_null(inferred) else inferred


def shown(timeline: Timeline, time: int) -> tuple[tuple[str, ...], ZSet]:
    """The columns that a relation shows, and its rows."""
    columns, pairs = _shown(timeline, timeline.as_of(time), own=False)
    return columns, consolidate(pairs)


def _shown(timeline: Timeline, part: Slice, own: bool) -> tuple[tuple[str, ...], list[tuple[Row, int]]]:
    """The columns that a relation shows, or its own state; and its changes, as they are stored."""
    names = timeline.columns().names
    states = [name for name in names if name.startswith(STATE)] if own else []
    columns = states or [name for name in names if name != VISIBLE and not name.startswith(STATE)]
    visible = names.index(VISIBLE) if VISIBLE in names and not own else None
    picked = [names.index(name) for name in columns]
    pairs = [
        (tuple(row[at] for at in picked), weight)
        for row, weight in _pairs(timeline, part, names)
        if visible is None or row[visible]
    ]
    return tuple(name.removeprefix(STATE) if states else name for name in columns), pairs


def _rows(timeline: Timeline, part: Slice, names: list[str]) -> ZSet:
    return consolidate(_pairs(timeline, part, names))


def _pairs(timeline: Timeline, part: Slice, names: list[str]) -> list[tuple[Row, int]]:
    if timeline.time() == BEGINNING or part.empty:
        return []
    table = timeline.read(part)
    values = [[_value(stored) for stored in table[name].to_pylist()] for name in names]
    return list(zip(zip(*values, strict=True), table[WEIGHT].to_pylist(), strict=True))


def _value(stored: object) -> object:
    if isinstance(stored, list):  # how Arrow infers a struct of the evaluator, such as a window
        return tuple(map(_value, stored))
    if isinstance(stored, str) and stored.startswith(ENCODED):
        value = pickle.loads(base64.b64decode(stored.removeprefix(ENCODED)))
        return math.nan if value != value else value  # the one that the evaluator knows
    return stored


def encoded_value(value: object) -> str | None:
    """Equal values have equal texts, so ranges of texts tell what cannot be equal; a text stands for itself."""
    if value is None or isinstance(value, str):
        return value
    return ENCODED + base64.b64encode(pickle.dumps(value)).decode()


def changes_table(timeline: Timeline, names: list[str], changes: Mapping[Row, int]) -> pa.Table:
    """Changes as a timeline stores them."""
    rows = list(changes)
    kinds = {field.name: field.type for field in timeline.columns()}
    encode = {name for name, kind in kinds.items() if pa.types.is_string(kind)}
    data = {
        name: pa.array([encoded_value(row[at]) if name in encode else row[at] for row in rows], kinds[name])
        for at, name in enumerate(names)
    }
    return pa.table({**data, WEIGHT: pa.array([changes[row] for row in rows], pa.int64())})
