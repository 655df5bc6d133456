"""A choice on real timelines without Spark: the pure functions choose, the engine decides and commits."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pyarrow as pa

from headwater.algebra.stages.choosing import table_of
from headwater.engine.push.choosing.commit_choice import commit_choice
from headwater.engine.push.commit import Pushed
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.metering import Meter
from headwater.model import Table
from headwater.overload.budget import overloaded
from headwater.overload.updates.choosing.priority import Circumstances, priority
from headwater.overload.updates.choosing.waiting import Arrival, Key, Row, Wait, choose, merge, take
from headwater.planning.cost.effort import Effort
from headwater.storage.choosing.waiting_table import FIRST, LAST, SEEN, UPDATES, Tally, WaitingTable
from headwater.storage.delta.delta_log import NewFile
from headwater.storage.timeline import TIME, WEIGHT, Slice, Timeline

__all__ = ["choose_without_spark", "rows_of", "waits_of"]

Waits = dict[Key, Wait]
BEGINNING_OF_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def choose_without_spark(workplace: Workplace, job: Job, action: str) -> Pushed:
    """In place of `push_choice`."""
    table = workplace.catalog.project.tables[table_of(job.name)]
    waiting = workplace.waiting(table.name)
    waiting.create(waiting.shown.columns())
    if not waiting.current():
        _repair(workplace, table, waiting)
    before = waiting.tally()
    arrived = _arrivals(workplace.warehouse.source(table.name), job.after, job.until)
    waits = merge(waits_of(waiting, table), arrived, lambda row: _key(table, row))
    number = sum(wait.waits for wait in waits.values())
    choosing = overloaded(job.budget, number, before.choosing)
    seen = [wait.seen for wait in waits.values()]
    first = min((wait.first_at or job.until for wait in waits.values() if wait.waits), default=job.until)
    began = before.began_at or first
    given = Circumstances(
        job.until, began, job.budget.cost, number, len(seen), sum(seen), sum(count * count for count in seen)
    )
    units = None if job.budget.units is None or number <= job.budget.units else job.budget.units
    windows = table.windows.semantics if table.windows is not None and units is not None else None
    chosen = choose(waits, priority(table.updates, given), units, windows=windows)
    change, rest = take(waits, chosen)
    tally = Tally(
        began if choosing else 0,
        before.arrived + _inserted(arrived),
        before.taken + len(chosen),
        number - len(chosen),
    )
    shown = _shown_files(waiting.shown, change, job.until)
    files = _waiting_files(waiting, table, rest if choosing else {}, job.until)
    commit_choice(workplace, waiting, job, shown, files, tally)
    effort = Effort(job.effort.changed, job.effort.scanned, len(change))
    return Pushed(job, effort, timedelta(seconds=1), Meter(seconds=1.0, cpu_seconds=1.0), action)


def _repair(workplace: Workplace, table: Table, waiting: WaitingTable) -> None:
    since, time, before = waiting.time(), waiting.shown.time(), waiting.tally()
    arrived = _arrivals(workplace.warehouse.source(table.name), since, time)
    waits = merge(waits_of(waiting, table), arrived, lambda row: _key(table, row))
    shown = _changes(waiting.shown, waiting.shown.delta(since, time))
    taken = {_key(table, row) for row, _ in shown}
    for key in taken:
        assert Counter(dict(waits[key].change)) == _net(shown, table, key), (
            "a key is shown as it was at the time"
        )
    _, rest = take(waits, taken)
    number = sum(wait.waits for wait in rest.values())
    first = min((wait.first_at or time for wait in waits.values() if wait.waits), default=time)
    tally = Tally(
        before.began_at or first, before.arrived + _inserted(arrived), before.taken + len(taken), number
    )
    waiting.replace(waiting.shown.columns(), time, _waiting_files(waiting, table, rest, time), tally)


def _net(changes: list[tuple[Row, int]], table: Table, key: Key) -> Counter[Row]:
    summed: Counter[Row] = Counter()
    for row, weight in changes:
        if _key(table, row) == key:
            summed[row] += weight
    return summed


def _inserted(arrived: list[Arrival]) -> int:
    return sum(max(arrival.weight, 0) for arrival in arrived)


def _key(table: Table, row: Row) -> Key:
    """With WINDOWS the start of the row's window stands for its time."""
    key = [row[table.column_names.index(name)] for name in table.row_key]
    if table.windows is not None and key[-1] is not None:
        key[-1] -= (key[-1] - BEGINNING_OF_TIME) % table.windows.length
    return tuple(key)


def _changes(timeline: Timeline, part: Slice) -> list[tuple[Row, int]]:
    read = timeline.read(part)
    names = [name for name in read.column_names if name != WEIGHT]
    return list(
        zip(
            zip(*(read[name].to_pylist() for name in names), strict=True),
            read[WEIGHT].to_pylist(),
            strict=True,
        )
    )


def _arrivals(source: Timeline, after: int, until: int) -> list[Arrival]:
    arrived = []
    for file in source.delta(after, until).files:
        at = int(file.minimum[TIME])
        arrived += [
            Arrival(row, weight, at) for row, weight in _changes(source, Slice((file,), after, until))
        ]
    return arrived


def rows_of(timeline: Timeline) -> Counter[Row]:
    """A relation as it is now."""
    summed: Counter[Row] = Counter()
    for row, weight in _changes(timeline, timeline.as_of(timeline.time())):
        summed[row] += weight
    return Counter({row: weight for row, weight in summed.items() if weight})


def waits_of(waiting: WaitingTable, table: Table) -> Waits:
    """What waits, as it is stored."""
    columns = len(table.columns)
    waits: Waits = {}
    for row, weight in _changes(waiting.timeline, waiting.part()):
        key, (first, last, updates, seen) = _key(table, row), row[columns:]
        known = waits.get(key, Wait())
        if weight == 0:
            waits[key] = Wait(known.change, first, last, updates, seen)
        else:
            change = {**known.change, row[:columns]: weight}
            waits[key] = Wait(change, known.first_at, known.last_at, known.updates, known.seen)
    return waits


def _shown_files(shown: Timeline, change: dict[Row, int], time: int) -> list[NewFile]:
    if not change:
        return []
    names = shown.columns().names
    columns = {name: [row[at] for row in change] for at, name in enumerate(names)}
    return [shown.write(pa.table({**columns, WEIGHT: list(change.values())}), time)]


def _waiting_files(waiting: WaitingTable, table: Table, waits: Waits, time: int) -> list[NewFile]:
    rows: list[dict[str, object]] = []
    for key, wait in waits.items():
        known = {FIRST: wait.first_at, LAST: wait.last_at, UPDATES: wait.updates, SEEN: wait.seen}
        nothing = {FIRST: None, LAST: None, UPDATES: 0, SEEN: 0}
        rows.append({**dict(zip(table.row_key, key, strict=True)), WEIGHT: 0, **known})
        for row, weight in wait.change.items():
            rows.append({**dict(zip(table.column_names, row, strict=True)), WEIGHT: weight, **nothing})
    if not rows:
        return []
    schema = pa.schema([*waiting.timeline.columns(), pa.field(WEIGHT, pa.int64())])
    return [waiting.timeline.write(pa.Table.from_pylist(rows, schema=schema), time)]
