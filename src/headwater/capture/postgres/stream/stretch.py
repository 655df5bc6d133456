"""A stretch: what the tables of a database gain at one time, applied in pieces and committed together.

Every piece of the stream goes to the tables it names.  A table that cannot take it (a declared column is
gone, a type has changed) leaves the stretch, and the others go on: `left` says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.failures import CaptureError
from headwater.capture.postgres.group import Group
from headwater.capture.postgres.stream.apply import apply
from headwater.capture.postgres.stream.pending import Pending
from headwater.capture.postgres.stream.pgoutput import Decoded, Segment
from headwater.errors import InputError

__all__ = ["Stretch"]


class Stretch:
    """The pending changes of a group. `joining`: tables whose snapshot was read, with what it holds."""

    def __init__(self, group: Group, joining: Mapping[str, Pending] | None = None) -> None:
        self._group = group
        self._pending = dict(joining or {})
        self._positions = {declared.table.name: group.position(declared) for declared in group.tables}
        self.left: dict[str, InputError] = {}

    @property
    def empty(self) -> bool:
        return not self._pending

    def apply(self, decoded: Decoded) -> None:
        for declared in self._group.tables:
            segments = [segment for segment in decoded.segments if declared.captures(segment.relation)]
            if segments and declared.table.name not in self.left:
                self._take(declared, segments)
            if (error := self._group.renamed(declared, decoded.passed)) is not None:
                self._leave(declared.table.name, error)

    def commit(self, time: int, position: int) -> None:
        """Commit all tables at one time, in a fixed order; dead letters first."""
        taken = [declared for declared in self._group.tables if declared.table.name in self._pending]
        for declared in taken:
            self._require_unchanged(declared)
            self._group.reject(declared, self._pending[declared.table.name].rejected, position)
        for declared in taken:
            pending = self._pending.pop(declared.table.name)
            self._group.publish(declared, pending.files(time), time, position)

    def keep_young(self) -> None:
        """Have no vacuum take what is to be committed for leftovers."""
        for pending in self._pending.values():
            pending.keep_young()

    def discard(self) -> None:
        """Give up what was not committed."""
        for pending in self._pending.values():
            pending.discard()
        self._pending = {}

    def _take(self, declared: Declared, segments: list[Segment]) -> None:
        name = declared.table.name
        pending = self._pending.setdefault(name, self._group.pending(declared))
        try:
            for segment in segments:
                self._group.require_types(declared, segment.relation)
            for _, alike in groupby(segments, key=_identity):
                applied = apply(declared, list(alike), pending.rows)
                if applied.truncated:
                    pending.truncate()
                pending.add(applied.changes)
                pending.reject(applied.rejected)
        except InputError as error:
            self._leave(name, error)

    def _leave(self, name: str, error: InputError) -> None:
        if (pending := self._pending.pop(name, None)) is not None:
            pending.discard()
        self.left.setdefault(name, error)

    def _require_unchanged(self, declared: Declared) -> None:
        """What was looked up must still hold: no other process may have captured the table meanwhile."""
        if self._group.position(declared) != self._positions[declared.table.name]:
            raise CaptureError(
                "HW877",
                f'table "{declared.table.name}" was captured by another process at the same time',
                hint="Is another capture of this project running?",
            )


def _identity(segment: Segment) -> tuple[str, tuple[str, ...]]:
    """How changes name the rows that they replace; ALTER TABLE ... REPLICA IDENTITY may come in between."""
    return segment.relation.identity, segment.relation.key
