"""What a family reads: the relations that all its members read, and the stored states of each member.

The states of a member lie in its own timeline, whose rows do not say whose they are; the names of their files
do.  Files are skipped for each member by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from headwater.algebra.plans.nodes import Scan
from headwater.algebra.stages.families import MEMBER
from headwater.engine.query.families.gathered_files import Gathered, gathered_file
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted
from headwater.engine.query.relations import Relations
from headwater.storage.fresh_rows import FreshRows
from headwater.storage.timeline import Range, Slice, Timeline

__all__ = ["FamilyRelations"]


@dataclass(slots=True)
class FamilyRelations(Relations):
    """`own` is the stage of the family."""

    members: Sequence[tuple[str, Relations]] = field(default_factory=tuple)  # with the names of their stages
    gathered: Gathered = field(default_factory=Gathered)  # what the last push has read
    fresh: FreshRows = field(default_factory=FreshRows)  # what it has written

    def timeline(self, relation: str) -> Timeline:
        if self._is_own(relation):
            name, relations = self.members[0]
            return relations.timeline(name)
        return Relations.timeline(self, relation)

    def part(self, scan: Scan, ranges: Sequence[Range] = ()) -> Slice:
        if not self._is_own(scan.relation):
            return Relations.part(self, scan, ranges)
        key = (scan.relation, scan.version, tuple(ranges))
        if key not in self._parts:
            files = tuple(file for part in self._parts_of_members(scan, ranges) for file in part.files)
            self._parts[key] = Slice(files, self.after, self.until)
        return self._parts[key]

    def query(self, scan: Scan, inputs: Inputs, ranges: Sequence[Range] = ()) -> Query:
        if not self._is_own(scan.relation):
            return Relations.query(self, scan, inputs, ranges)
        parts = self._parts_of_members(scan, ranges)
        self.rows_scanned += sum(part.rows for part in parts)
        stored = {name: MEMBER if name == MEMBER else self.stored_name(scan, name) for name in scan.names}
        timeline = self.timeline(scan.relation)
        wanted = [name for name in stored.values() if name != MEMBER]
        together = gathered_file(
            self.gathered,
            self.fresh,
            self._staging,
            timeline,
            self._members(scan, parts),
            wanted,
            MEMBER,
            ranges,
        )
        changes = inputs.numbered(timeline, parts, MEMBER) if together is None else inputs.temporary(together)
        return changes.select((f"{scan.alias}.{name}", quoted(stored[name])) for name in scan.names)

    @property
    def _staging(self) -> str:
        return self.warehouse.staging(self.warehouse.root_of(self.members[0][0]))

    def _parts_of_members(self, scan: Scan, ranges: Sequence[Range]) -> list[Slice]:
        return [
            relations.part(Scan(name, name, scan.names, scan.version), ranges)
            for name, relations in self.members
        ]

    def _members(self, scan: Scan, parts: Sequence[Slice]) -> list[tuple[str, Slice, Slice]]:
        """The path of each member's timeline, the part that is read, and all of it."""
        paths = [relations.timeline(name).path for name, relations in self.members]
        return list(zip(paths, parts, self._parts_of_members(scan, ()), strict=True))

    def _is_own(self, relation: str) -> bool:
        return self.own is not None and relation == self.own.name
