"""Keep the tables, indexes and views of the store while rows of relations come and go.

A view is kept by its delta queries (bounds/views/maintain.py): they are run after an insert and before a
delete, one row at a time, and what they find is added to the view or taken out of it.  Each is bounded, so a
change costs what `check` says, whatever the size of the tables.  A view over another view gets that one's
changes in turn.

Rows of one delta are applied deletes first, so that no key is there twice and no limit is ever exceeded.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.algebra.expressions.tree import AggregateCall, Call, Column, Expr
from headwater.bounds.plans.execute import execute
from headwater.bounds.plans.plan import Index, IndexPart
from headwater.bounds.plans.store import ROWID, Interval, RangeRead, Store
from headwater.bounds.views.choose import Maintenance
from headwater.bounds.views.partial_states import is_extreme
from headwater.serve.store.backends.keys import key_of
from headwater.serve.store.backends.values import added
from headwater.serve.store.layout import StoredView
from headwater.serve.store.protocol import Row, StoredTable, Writing
from headwater.serve.store.renamed import Renamed

__all__ = ["Upkeep", "merged_states", "numbered_rows", "view_changes"]

logger = logging.getLogger(__name__)

_COPY_BYTES = 4


@dataclass(slots=True)
class Upkeep:
    """Changes of tables within one transaction, with everything that follows from them."""

    writing: Writing
    views: Iterable[StoredView]
    breaches: int = 0  # delta queries that took more operations than their bound
    _by_source: dict[str, list[tuple[StoredView, Maintenance]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for view in self.views:
            for table, upkeep in zip(view.sources, view.chosen.maintenance, strict=True):
                self._by_source.setdefault(table, []).append((view, upkeep))

    def insert(self, table: StoredTable, row: Row, copies: int = 1) -> None:
        """A row of a relation has come; of a relation without a key, several equal ones may."""
        for whole in numbered_rows(self.writing, table, [(row, copies)]):
            self._insert(table.id, whole)

    def delete(self, table: StoredTable, row: Row, copies: int = 1) -> None:
        for whole in self._old_rows(table, row, copies):
            self._delete(table.id, whole)

    def _insert(self, table: str, row: Row) -> None:
        self.writing.put(table, row)
        self._follow(self._by_source.get(table, ()), row, +1)

    def _delete(self, table: str, row: Row) -> None:
        """Views find the rows that go with it before it is gone; extremes are read again when it is."""
        views = self._by_source.get(table, ())
        self._follow([follower for follower in views if not follower[0].chosen.reads_again], row, -1)
        self.writing.delete(table, row)
        self._follow([follower for follower in views if follower[0].chosen.reads_again], row, -1)

    def _follow(self, views: Iterable[tuple[StoredView, Maintenance]], row: Row, sign: int) -> None:
        for view, upkeep in views:
            sources = Renamed(self.writing, view.names)
            for changed in view_changes(sources, view, upkeep, row, self._note_breach):
                if view.chosen.candidate.grouped:
                    self._add(view, changed, sign)
                else:
                    self._replace(view, changed, sign)

    def _note_breach(self, view: StoredView, operations: int, bound: int) -> None:
        self.breaches += 1
        logger.error(
            'keeping "%s" took %d operations for a row, more than its bound of %d',
            view.table.relation, operations, bound,
        )  # fmt: skip

    def _replace(self, view: StoredView, row: Row, sign: int) -> None:
        """A row of a plain view comes or goes; a self-join may find it in two roles."""
        held = self.writing.get(view.table.id, tuple(row[name] for name in view.table.key))
        if sign > 0 and held is None:
            self._insert(view.table.id, row)
        elif sign < 0 and held is not None:
            self._delete(view.table.id, held)

    def _add(self, view: StoredView, increments: Row, sign: int) -> None:
        """The states of a group grow or shrink; a group without rows goes."""
        before = self.writing.get(view.table.id, tuple(increments[name] for name in view.table.key))
        after = merged_states(view, before, increments, sign)
        if before is not None:
            self._delete(view.table.id, before)
        if after is not None:
            self._insert(view.table.id, after)

    # Relations without a key: equal rows are told apart by a number

    def _old_rows(self, table: StoredTable, row: Row, copies: int) -> Iterator[Row]:
        if table.key != (ROWID,):
            held = self.writing.get(table.id, tuple(row[name] for name in table.key))
            if held is not None:
                yield held
            return
        digest = _digest(table, row)
        last = _copies(self.writing, table, digest)
        for number in range(last - 1, max(-1, last - 1 - copies), -1):
            yield {**row, ROWID: _rowid(digest, number)}


def numbered_rows(writing: Writing, table: StoredTable, rows: Iterable[tuple[Row, int]]) -> list[Row]:
    """New rows of a table, each as often as it comes, with the number that tells it from equal ones."""
    if table.key != (ROWID,):
        return [row for row, _ in rows]
    numbered: list[Row] = []
    counts: dict[bytes, int] = {}  # how many equal rows there are by now
    for row, copies in rows:
        digest = _digest(table, row)
        first = counts[digest] if digest in counts else _copies(writing, table, digest)
        counts[digest] = first + copies
        numbered += ({**row, ROWID: _rowid(digest, number)} for number in range(first, first + copies))
    return numbered


def _copies(writing: Writing, table: StoredTable, digest: bytes) -> int:
    """How many equal rows the table holds."""
    by_rowid = Index(table.id, (IndexPart(Column(ROWID)),), primary=True)
    interval = Interval(digest, False, digest + b"\xff" * _COPY_BYTES, False)
    last = writing.scan(RangeRead(by_rowid, (), interval, reverse=True, limit=1, table=table.id))
    return int.from_bytes(last[0][ROWID][-_COPY_BYTES:], "big") + 1 if last else 0


def _digest(table: StoredTable, row: Row) -> bytes:
    values = key_of([row[name] for name in table.columns])
    return hashlib.blake2b(values, digest_size=16).digest()


def _rowid(digest: bytes, copy: int) -> bytes:
    return digest + copy.to_bytes(_COPY_BYTES, "big")


def view_changes(
    sources: Store, view: StoredView, upkeep: Maintenance, row: Row, note_breach: Any = None
) -> tuple[dict[str, Any], ...]:
    """The rows of a view, or increments of its groups, that a row of one of its tables takes part in."""
    plan = upkeep.bounded_plan
    result = execute(plan.plan, sources, view.catalog, row, lenient=True)
    if result.operations > plan.bound.operations and note_breach is not None:
        note_breach(view, result.operations, plan.bound.operations)
    return result.rows


def _counted(total: AggregateCall) -> tuple[Expr, ...]:
    """What the count beside a sum of squares counts: the values themselves."""
    match total.arguments:
        case (Call("mul", (left, right)),) if left == right:
            return (left,)
        case arguments:
            return arguments


def merged_states(view: StoredView, before: Row | None, increments: Row, sign: int) -> Row | None:
    """A group's states with a row's increments; None if the group has no row left.

    An extreme is no increment: it was read as it is after the change.
    """
    merged = {name: increments[name] for name in view.table.key}
    held: Mapping[str, Any] = before if before is not None else {}
    outputs = view.chosen.candidate.definition.outputs
    states = {output.name: output.expr for output in outputs if isinstance(output.expr, AggregateCall)}
    for name, expr in states.items():
        again = is_extreme(expr)
        merged[name] = increments[name] if again else added(held.get(name), increments[name], sign)
    counts = {expr.arguments: name for name, expr in states.items() if expr.function == "count"}
    for name, expr in states.items():
        if is_extreme(expr):
            continue
        if expr.function == "count":
            merged[name] = merged[name] or 0
        elif not merged[counts.get(expr.arguments) or counts[_counted(expr)]]:
            merged[name] = None  # a sum of no values
    return merged if merged[counts[()]] > 0 else None
