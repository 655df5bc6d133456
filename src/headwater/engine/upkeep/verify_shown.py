"""Check what is shown of a table whose updates are chosen among, by the changes of its source.

    1  source = shown + waiting, row by row, as of the time of what is shown
    2  what is shown of a key that waits was current when the oldest update arrived that is not shown: every
       row shown was right within the staleness that is reported for its key

The second needs the source's history since then.  Compaction leaves it as long as a key waits for it;
keys whose history is gone all the same are counted as unchecked.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.engine.push.choosing.queries import AT, ChoosingQueries
from headwater.engine.push.workplace import Workplace
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted, union
from headwater.engine.spark.session import new_session
from headwater.storage.choosing.waiting_table import FIRST
from headwater.storage.timeline import WEIGHT

__all__ = ["VerifiedTable", "verify_shown"]


@dataclass(frozen=True, slots=True)
class VerifiedTable:
    """What is wrong with what is shown of a table: rows that are neither shown nor wait, or both; rows that
    were not current."""

    table: str
    time: int
    waiting: int  # keys
    differing_rows: int = 0
    not_current: int = 0
    unchecked: int = 0  # keys

    @property
    def equal(self) -> bool:
        return not self.differing_rows and not self.not_current


def verify_shown(workplace: Workplace, table: str) -> VerifiedTable | None:
    """Check a table. None before anything is shown, and between the two commits of an interrupted choice."""
    while True:
        waiting = workplace.waiting(table)
        if not waiting.shown.exists() or not waiting.current():
            return None
        verified = _verified(workplace, table, waiting.shown.time())
        # If a push has moved on meanwhile, what waited then may be gone.
        if verified.equal or waiting.shown.time() == verified.time:
            return verified


def _verified(workplace: Workplace, table: str, time: int) -> VerifiedTable:
    waiting, source = workplace.waiting(table), workplace.warehouse.source(table)
    waiting.create(waiting.shown.columns())
    columns = waiting.shown.columns().names
    declared = workplace.catalog.project.tables[table]
    units = ChoosingQueries({}, declared.update_key, declared.windows)
    with Inputs(new_session(workplace.spark)) as inputs:
        arrived = inputs.arrivals(source, source.as_of(time), AT)
        shown = inputs.slice(waiting.shown, waiting.shown.as_of(time)).named(columns)
        waits = inputs.slice(waiting.timeline, waiting.part())
        held = union([operators.negate(shown), operators.negate(waits.named(columns))])
        differing = _count(inputs, operators.consolidate(union([arrived.named(columns), held])))
        about = f"(SELECT * FROM {waits.text} WHERE {WEIGHT} = 0 AND {FIRST} IS NOT NULL)"
        known = f"(SELECT * FROM {about} WHERE {FIRST} > {source.horizon()})"
        same = " AND ".join(f"{units.unit(name, 'r.')} <=> a.{quoted(name)}" for name in units.key)
        before = _of_keys(arrived, known, f"{same} AND r.{AT} < a.{FIRST}", columns)
        now = _of_keys(shown, known, same, columns)
        wrong = _count(inputs, operators.consolidate(union([before, operators.negate(now)])))
        keys, checked = (
            inputs.spark.sql(f"SELECT count(*) FROM {rows}").collect()[0][0] for rows in (about, known)
        )
    return VerifiedTable(table, time, keys, differing, wrong, keys - checked)


def _of_keys(rows: Query, about: str, condition: str, columns: list[str]) -> Query:
    """The rows of keys that wait."""
    listed = ", ".join(f"r.{quoted(name)}" for name in columns)
    text = f"(SELECT {listed}, r.{WEIGHT} FROM {rows.text} AS r JOIN {about} AS a ON {condition})"
    return Query(text, tuple(columns))


def _count(inputs: Inputs, rows: Query) -> int:
    return int(inputs.spark.sql(f"SELECT count(*) FROM {rows.text}").collect()[0][0])
