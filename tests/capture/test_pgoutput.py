"""pgoutput's messages, byte by byte, as PostgreSQL's manual describes them."""

from __future__ import annotations

from struct import pack

import pytest

from headwater.capture.postgres.stream.pgoutput import (
    Decoder,
    Kind,
    ProtocolError,
    Relation,
    lsn_number,
    lsn_text,
)

UNSENT = object()


def begin(commit: int) -> bytes:
    return b"B" + pack(">QqI", commit, 5, 7)


def commit(position: int, stamp: int = 0) -> bytes:
    return b"C" + pack(">BQQq", 0, position, position + 8, stamp)


def relation(oid: int, name: str, *columns: str, identity: str = "d", schema: str = "public") -> bytes:
    """A column with a star is part of the key."""
    message = b"R" + pack(">I", oid) + schema.encode() + b"\0" + name.encode() + b"\0" + identity.encode()
    message += pack(">H", len(columns))
    for column in columns:
        message += pack(">B", column.endswith("*")) + column.rstrip("*").encode() + b"\0" + pack(">II", 25, 0)
    return message


def row(*values: object) -> bytes:
    message = pack(">H", len(values))
    for value in values:
        if value is None:
            message += b"n"
        elif value is UNSENT:
            message += b"u"
        else:
            text = str(value).encode()
            message += b"t" + pack(">I", len(text)) + text
    return message


def insert(oid: int, *values: object) -> bytes:
    return b"I" + pack(">I", oid) + b"N" + row(*values)


def update(oid: int, *values: object, old: tuple[object, ...] = (), kind: bytes = b"K") -> bytes:
    before = kind + row(*old) if old else b""
    return b"U" + pack(">I", oid) + before + b"N" + row(*values)


def delete(oid: int, *values: object, kind: bytes = b"K") -> bytes:
    return b"D" + pack(">I", oid) + kind + row(*values)


def truncate(*oids: int) -> bytes:
    return b"T" + pack(">IB", len(oids), 0) + b"".join(pack(">I", oid) for oid in oids)


def everything(schema: str, name: str) -> int | None:
    return 0


def test_a_transaction_with_every_change() -> None:
    decoded = Decoder(everything).decode(
        [
            begin(100),
            b"O" + pack(">Q", 1) + b"origin\0",
            b"Y" + pack(">I", 99) + b"public\0mood\0",
            relation(1, "t", "id*", "name"),
            insert(1, 1, "a"),
            update(1, 1, "b"),
            update(1, 2, None, old=(1, None)),
            b"M" + pack(">BQ", 1, 5) + b"prefix\0" + pack(">I", 1) + b"x",
            delete(1, 2, None),
            truncate(1),
            commit(100, stamp=1),
        ]
    )
    [segment] = decoded.segments
    assert segment.relation == Relation("public", "t", "d", ("id", "name"), ("id",), ("25/0", "25/0"), 1)
    assert segment.kinds == [Kind.INSERT, Kind.UPDATE, Kind.UPDATE, Kind.DELETE, Kind.TRUNCATE]
    assert segment.new == [[b"1", b"1", b"2"], [b"a", b"b", None]]
    assert segment.old == [[b"1", b"2"], [None, None]]
    assert segment.new_at == [0, 1, 2, -1, -1]
    assert segment.old_at == [-1, -1, 0, 1, -1]
    assert (decoded.end, decoded.transactions, decoded.changes) == (108, 1, 5)
    assert decoded.committed_at == 946_684_800_000_001


def test_values_that_were_not_sent() -> None:
    messages = [
        begin(1),
        relation(1, "t", "id*", "big", "n"),
        update(1, 1, UNSENT, 5),
        update(1, 1, UNSENT, 6, old=(1, "whole", 5), kind=b"O"),
        commit(1),
    ]
    [segment] = Decoder(everything).decode(messages).segments
    assert segment.unchanged == [(0, 1), (1, 1)]
    assert segment.new[1] == [None, None]
    assert segment.old[1] == [b"whole"]


def test_a_table_takes_only_what_it_does_not_have() -> None:
    messages = [begin(10), relation(1, "a", "id*"), relation(2, "b", "id*"), relation(3, "c", "id*")]
    messages += [insert(1, 1), insert(2, 1), insert(3, 1), truncate(2), commit(10)]
    messages += [begin(20), insert(1, 2), insert(2, 2), commit(20)]
    since = {"a": 0, "b": 18, "c": None}
    decoded = Decoder(lambda schema, name: since[name]).decode(messages)
    assert {segment.relation.name: segment.new[0] for segment in decoded.segments} == {
        "a": [b"1", b"2"],
        "b": [b"2"],
    }
    assert decoded.end == 28


def test_transactions_from_a_position_on_can_be_left_out() -> None:
    messages = [
        begin(10),
        relation(1, "a", "id*"),
        insert(1, 1),
        commit(10),
        begin(18),
        insert(1, 2),
        commit(18),
    ]
    decoded = Decoder(everything).decode(messages, until=18)
    assert decoded.segments[0].new[0] == [b"1"]
    assert (decoded.end, decoded.transactions) == (18, 1)


def test_a_relation_is_described_once_for_many_calls_and_may_change() -> None:
    decoder = Decoder(everything)
    decoder.decode([begin(1), relation(1, "t", "id*"), insert(1, 1), commit(1)])
    decoded = decoder.decode(
        [begin(2), insert(1, 2), relation(1, "t", "id*", "more"), insert(1, 3, "x"), commit(2)]
    )
    assert [segment.relation.columns for segment in decoded.segments] == [("id",), ("id", "more")]
    assert [segment.new[0] for segment in decoded.segments] == [[b"2"], [b"3"]]


@pytest.mark.parametrize(
    "messages",
    [
        [begin(1), insert(5, 1), commit(1)],
        [begin(1), relation(1, "t", "id*"), insert(1, 1, 2), commit(1)],
        [begin(1), b"S" + bytes(5), commit(1)],
        [
            begin(1),
            relation(1, "t", "id*"),
            b"I" + pack(">I", 1) + b"N" + pack(">H", 1) + b"b\0\0\0\0",
            commit(1),
        ],
    ],
    ids=["unknown relation", "wrong columns", "streaming", "binary value"],
)
def test_what_the_protocol_does_not_have(messages: list[bytes]) -> None:
    with pytest.raises(ProtocolError):
        Decoder(everything).decode(messages)


def test_positions_as_people_write_them() -> None:
    assert lsn_number("1/14804E0") == (1 << 32) + 0x14804E0
    assert lsn_text(lsn_number("1/14804E0")) == "1/14804E0"


def test_relations_that_no_table_wants_are_named_once() -> None:
    """By their oid a captured table is found that was renamed."""
    decoded = Decoder(lambda schema, name: 0 if name == "t" else None).decode(
        [
            begin(100), relation(1, "t", "id*"), relation(2, "other", "id*"),
            insert(1, 1), insert(2, 1), insert(2, 2), commit(100),
        ]
    )  # fmt: skip
    assert [(passed.oid, passed.name) for passed in decoded.passed] == [(2, "other")]
    assert [segment.relation.name for segment in decoded.segments] == ["t"]
