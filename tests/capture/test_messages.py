"""Messages of a stream: each is read by itself, and one that cannot be read is kept whole."""

from __future__ import annotations

from headwater.capture.intake.changes import records_batch
from headwater.capture.messages import message_records
from headwater.model import Column, Table

CLICKS = Table("clicks", (Column("id", "bigint"), Column("page", "string")))


def test_each_message_is_a_record_or_a_dead_letter() -> None:
    messages = [
        b'{"id": 1, "page": "a", "for others": [1]}',
        b'{"id": ',
        None,
        b'{"id": "five"}',
        b'{"id": 2,\n "page": "b"}',
        b'{"other": 1}',
        b"\xff",
        b"[1]",
        b'{"op": "insert", "row": {"id": 3}}',
    ]
    batch = records_batch(CLICKS, message_records(CLICKS, messages, "stream s"))
    assert batch.new.to_pylist() == [
        {"id": 1, "page": "a"}, {"id": 2, "page": "b"}, {"id": 3, "page": None},
    ]  # fmt: skip
    rejected = {rejection.line: rejection for rejection in batch.rejected}
    assert sorted(rejected) == [2, 3, 4, 6, 7, 8]
    assert rejected[2].text == '{"id":'
    assert "not JSON" in rejected[2].reason
    assert rejected[3].reason == "the message is empty"
    assert rejected[4].text == '{"id": "five"}'
    assert rejected[6].reason == "it has none of the table's columns"
    assert all(rejection.file == "stream s" for rejection in batch.rejected)


def test_fields_are_found_whatever_their_case() -> None:
    """They were left out as fields that the table does not declare, and NULL was stored."""
    (record,) = message_records(CLICKS, [b'{"ID": 1, "Page": "a", "more": 2}'], "s")
    assert record.value == {"id": 1, "page": "a"}
