"""PostgreSQL's pgoutput messages (protocol 1) as columns per relation. Pure: bytes in, lists out.

    B begin  R relation  I insert  U update  D delete  T truncate  C commit  Y type  O origin  M message

A `Decoder` lives as long as one decoding session, since relations are described once per session.  `decode`
takes the next messages of the session and returns what they did to each relation, in order; a large
transaction may come in several calls.  Values stay the bytes PostgreSQL wrote (its text format); they are
typed later, a column at a time.

A relation whose description changes in between (ALTER TABLE) gets a second segment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from struct import Struct

from headwater.errors import HeadwaterError

__all__ = [
    "Decoded", "Decoder", "Kind", "ProtocolError", "Relation", "Segment",
    "lsn_number", "lsn_text", "type_text",
]  # fmt: skip

Sink = Callable[[bytes | None], None] | None

_BEGIN = Struct(">QqI")
_COMMIT = Struct(">BQQq")
_TYPE = Struct(">Ii")  # oid and modifier
_U16 = Struct(">H").unpack_from
_U32 = Struct(">I").unpack_from
_EPOCH = 946_684_800_000_000  # 2000-01-01 in microseconds since 1970
_TEXT, _NULL, _UNCHANGED = ord("t"), ord("n"), ord("u")


class ProtocolError(HeadwaterError):
    """The server sent something that is not part of pgoutput's protocol 1."""

    exit_status = 70

    def __init__(self, message: str) -> None:
        super().__init__("HW880", f"the replication stream cannot be understood: {message}")


class Kind(IntEnum):
    INSERT = 0
    UPDATE = 1
    DELETE = 2
    TRUNCATE = 3


@dataclass(frozen=True, slots=True)
class Relation:
    """A table as PostgreSQL describes it: `identity` is d(efault), n(othing), f(ull) or i(ndex)."""

    schema: str
    name: str
    identity: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    types: tuple[str, ...] = ()  # of the columns, as `type_text` writes them
    oid: int = 0  # stays what it is when the table is renamed


@dataclass(slots=True)
class Segment:
    """Changes of one relation in order. A change has the positions of its new and its old row, or -1."""

    relation: Relation
    kinds: list[int] = field(default_factory=list)
    new_at: list[int] = field(default_factory=list)
    old_at: list[int] = field(default_factory=list)
    new: list[list[bytes | None]] = field(init=False)
    old: list[list[bytes | None]] = field(init=False)
    news: int = 0
    olds: int = 0
    unchanged: list[tuple[int, int]] = field(default_factory=list)  # (new row, column): TOASTed, not sent
    _new_sinks: tuple[Sink, ...] = field(init=False)
    _old_sinks: tuple[Sink, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.new = [[] for _ in self.relation.columns]
        self.old = [[] for _ in self.relation.columns]
        self._new_sinks = tuple(column.append for column in self.new)
        self._old_sinks = tuple(column.append for column in self.old)

    def insert(self, data: bytes) -> None:
        # I, oid, "N", tuple
        self._new_row(data, 6)
        self._note(Kind.INSERT, self.news - 1, -1)

    def update(self, data: bytes) -> None:
        # U, oid, ["K" or "O", tuple], "N", tuple
        at, old = 6, -1
        if data[5] != 78:  # N
            at = self._old_row(data, 6) + 1
            old = self.olds - 1
        self._new_row(data, at)
        self._note(Kind.UPDATE, self.news - 1, old)

    def delete(self, data: bytes) -> None:
        # D, oid, "K" or "O", tuple
        self._old_row(data, 6)
        self._note(Kind.DELETE, -1, self.olds - 1)

    def truncate(self) -> None:
        self._note(Kind.TRUNCATE, -1, -1)

    def _note(self, kind: int, new: int, old: int) -> None:
        self.kinds.append(kind)
        self.new_at.append(new)
        self.old_at.append(old)

    def _new_row(self, data: bytes, at: int) -> None:
        _read_row(data, at, self._new_sinks, self.unchanged, self.news)
        self.news += 1

    def _old_row(self, data: bytes, at: int) -> int:
        at = _read_row(data, at, self._old_sinks, None, self.olds)
        self.olds += 1
        return at


def _read_row(
    data: bytes, at: int, sinks: Sequence[Sink], unchanged: list[tuple[int, int]] | None, row: int
) -> int:
    """Append each value to its column; returns where the row ends. The hot loop of a capture."""
    if _U16(data, at)[0] != len(sinks):
        raise ProtocolError("a row does not have the columns of its relation")
    at += 2
    for position, sink in enumerate(sinks):
        kind = data[at]
        at += 1
        if kind == _TEXT:
            size = _U32(data, at)[0]
            at += 4
            if sink is not None:
                sink(data[at : at + size])
            at += size
            continue
        if sink is not None:
            sink(None)
        if kind == _UNCHANGED and unchanged is not None:
            unchanged.append((row, position))
        elif kind not in (_NULL, _UNCHANGED):
            raise ProtocolError(f"a value of kind {chr(kind)!r}")
    return at


@dataclass(frozen=True, slots=True)
class Decoded:
    """What messages did. `end` is the position after the last transaction, `committed_at` its commit time.

    `open`: the last transaction goes on in the messages to come.  `passed`: relations whose changes were left
    out, because no table wants them.
    """

    segments: tuple[Segment, ...]
    end: int
    committed_at: int
    transactions: int
    open: bool = False
    passed: tuple[Relation, ...] = ()

    @property
    def changes(self) -> int:
        return sum(len(segment.kinds) for segment in self.segments)


class Decoder:
    """Decodes one session.

    `since`: (schema, table) -> the position its transactions are needed from, or None.
    """

    def __init__(self, since: Callable[[str, str], int | None]) -> None:
        self._since = since
        self._relations: dict[int, Relation] = {}
        self._open: dict[int, tuple[Segment, int]] = {}
        self._finished: list[Segment] = []
        self._passed: dict[int, Relation] = {}
        self._commit: int | None = None  # the commit position of a transaction that goes on

    def decode(self, messages: Iterable[bytes], until: int | None = None) -> Decoded:
        """Decode the next messages, leaving out transactions that committed at `until` or later."""
        self._open, self._finished, self._passed = {}, [], {}
        end = committed_at = transactions = 0
        commit, within = self._commit or 0, self._commit is not None
        segments = self._open
        for data in messages:
            kind = data[0]
            if kind == 66:  # B
                commit, _, _ = _BEGIN.unpack_from(data, 1)
                within = True
                continue
            if kind == 67:  # C
                _, commit, finish, stamp = _COMMIT.unpack_from(data, 1)
                within = False
                if until is None or commit < until:
                    end, committed_at = finish, stamp + _EPOCH
                    transactions += 1
                continue
            if kind == 82:  # R
                self._describe(data)
                continue
            if until is not None and commit >= until:
                continue
            if kind == 84:  # T
                self._truncate(data, commit)
                continue
            if kind in (73, 85, 68):  # I, U, D
                target = segments.get(_U32(data, 1)[0]) or self._start(_U32(data, 1)[0])
                if target is None or commit < target[1]:
                    continue
                if kind == 73:
                    target[0].insert(data)
                elif kind == 85:
                    target[0].update(data)
                else:
                    target[0].delete(data)
            elif kind not in (89, 79, 77):  # Y, O, M
                raise ProtocolError(f"a message of kind {chr(kind)!r}")
        done = (*self._finished, *(segment for segment, _ in segments.values()))
        changed = tuple(segment for segment in done if segment.kinds)
        self._commit = commit if within else None
        passed = tuple(self._passed.values())
        return Decoded(changed, end, committed_at, transactions, within, passed)

    def _start(self, oid: int) -> tuple[Segment, int] | None:
        relation = self._relations.get(oid)
        if relation is None:
            raise ProtocolError("a change of a relation that was not described")
        since = self._since(relation.schema, relation.name)
        if since is None:
            self._passed[oid] = relation
            return None
        self._open[oid] = (Segment(relation), since)
        return self._open[oid]

    def _describe(self, data: bytes) -> None:
        oid, relation = _relation(data)
        if self._relations.get(oid) != relation:
            self._relations[oid] = relation
            if oid in self._open:
                self._finished.append(self._open.pop(oid)[0])

    def _truncate(self, data: bytes, commit: int) -> None:
        count = _U32(data, 1)[0]
        for number in range(count):
            oid = _U32(data, 6 + 4 * number)[0]
            target = self._open.get(oid) or self._start(oid)
            if target is not None and commit >= target[1]:
                target[0].truncate()


def _relation(data: bytes) -> tuple[int, Relation]:
    oid = _U32(data, 1)[0]
    schema, at = _text(data, 5)
    name, at = _text(data, at)
    identity = chr(data[at])
    count = _U16(data, at + 1)[0]
    at += 3
    columns, key, types = [], [], []
    for _ in range(count):
        is_key = data[at] & 1
        column, at = _text(data, at + 1)
        types.append(type_text(*_TYPE.unpack_from(data, at)))
        at += _TYPE.size
        columns.append(column)
        if is_key:
            key.append(column)
    described = tuple(columns), tuple(key), tuple(types)
    return oid, Relation(schema or "pg_catalog", name, identity, *described, oid)


def type_text(oid: int, modifier: int) -> str:
    """A column's type with its length or precision, as a text that is equal exactly for equal types."""
    return f"{oid}/{modifier}"


def _text(data: bytes, at: int) -> tuple[str, int]:
    end = data.index(0, at)
    return data[at:end].decode(), end + 1


def lsn_number(text: str) -> int:
    """An LSN such as 0/14804E0 as a number."""
    high, low = text.split("/")
    return int(high, 16) << 32 | int(low, 16)


def lsn_text(number: int) -> str:
    return f"{number >> 32:X}/{number & 0xFFFFFFFF:X}"
