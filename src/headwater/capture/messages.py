"""Messages of a stream, each the JSON text of one record.

They are read by the rules of JSON lines (intake/changes.py), with one difference: what sends to a stream
serves other readers too, so fields that the table does not declare are left out.  A message that cannot be
read becomes a dead letter with its whole text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headwater.capture.intake.batch import Record
from headwater.capture.intake.changes import is_envelope, json_records
from headwater.model import Table
from headwater.sql.parsing.names import as_declared

__all__ = ["message_records"]


def message_records(table: Table, messages: Sequence[bytes | None], stream: str) -> Iterator[Record]:
    """The messages as records; `stream` is named in dead letters, as a file would be."""
    for number, message in enumerate(messages, start=1):
        if message is None or not message.strip():
            yield Record(number, None, "", "the message is empty", stream)
    names = frozenset(table.column_names)
    for record in json_records(table, (message or b"" for message in messages), file=stream):
        yield _declared_fields(record, names)


def _declared_fields(record: Record, names: frozenset[str]) -> Record:
    value = record.value
    if not isinstance(value, dict) or is_envelope(value) or value.keys() <= names:
        return record
    spelt = zip(as_declared(value, sorted(names)), value.values(), strict=True)
    declared = {name: field for name, field in spelt if name in names}
    if not declared:
        return record._replace(value=None, reason="it has none of the table's columns")
    return record._replace(value=declared)
