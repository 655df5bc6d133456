"""Stop at a hundred wrong records in a row: the whole file is wrong, not its records, and here is why.

Storing a hundred thousand dead letters of a CSV file that was read as JSON lines helps nobody.  What is
counted are neighbours: wrong records with no accepted one between them.  A file that is no text at all, and
of which not one line could be read, is refused however short it is.
"""

from __future__ import annotations

import os
import re
import shlex
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from headwater.capture.intake.batch import Batch, Record, Rejection
from headwater.errors import InputError
from headwater.model import Table

__all__ = ["MOST_IN_A_ROW", "likely_cause", "not_text", "stop_at_unreadable", "stop_at_wrong"]

MOST_IN_A_ROW = 100

_COLUMN = re.compile(r'column "(?P<name>[^"]+)": (?P<what>.*)')


def stop_at_unreadable(table: Table, records: Iterable[Record], path: str) -> Iterator[Record]:
    """The records; InputError once a hundred neighbours could not be parsed. Reads no further than that."""
    wrong: list[Rejection] = []
    some_read = False
    for record in records:
        if record.reason:
            wrong.append(record.rejected(record.reason))
            if len(wrong) == MOST_IN_A_ROW:
                break
        else:
            some_read = True
            wrong.clear()
        yield record
    if not some_read and any(_is_binary(rejection.text) for rejection in wrong):
        raise not_text(path, wrong[0].text)
    if len(wrong) == MOST_IN_A_ROW:
        raise _too_many(table, wrong, path)


def stop_at_wrong(table: Table, batch: Batch, rejected: Sequence[Rejection], *, path: str) -> None:
    """Raise InputError if a hundred neighbours were rejected; rows that only come too late are not wrong."""
    wrong = sorted(
        (rejection for rejection in rejected if not rejection.late), key=lambda rejection: rejection.line
    )
    if len(wrong) < MOST_IN_A_ROW:
        return
    lines = {rejection.line for rejection in wrong}
    accepted = sorted(record.line for record in batch.records if record.line not in lines)
    for first in range(len(wrong) - MOST_IN_A_ROW + 1):
        last = first + MOST_IN_A_ROW - 1
        if bisect(accepted, wrong[first].line) == bisect(accepted, wrong[last].line):
            raise _too_many(table, wrong[first : last + 1], path)


def _is_binary(text: str) -> bool:
    """Whether a line, decoded with replacements, cannot have been text."""
    return "\0" in text or "\N{REPLACEMENT CHARACTER}" in text


def not_text(path: str, first: str) -> InputError:
    """The error of a file that is not UTF-8; `first` is its beginning, decoded with replacements."""
    hint = "JSON lines and CSV are UTF-8 text; `iconv -f latin1 -t utf-8` makes it of an older encoding."
    if first.lstrip("\x1f").startswith("\N{REPLACEMENT CHARACTER}\x08"):
        hint = f"It is compressed: gunzip -c {shlex.quote(path)} | headwater ingest DIR TABLE -"
    elif first.startswith("PK\x03\x04"):
        hint = "It is a zip archive or a spreadsheet: save it as CSV in UTF-8."
    elif first.startswith(("ORC", "Obj\x01")):
        hint = "It is ORC or Avro: make Parquet or JSON lines of it."
    elif first.startswith("PAR1"):
        hint = "It is a Parquet file: --format parquet."
    elif first.count("\0") >= len(first) // 3:
        hint = f"It may be UTF-16: iconv -f utf-16 -t utf-8 {shlex.quote(path)} makes text of it."
    return InputError("HW848", f"{path} is not UTF-8 text", detail="Nothing of it was stored.", hint=hint)


def _too_many(table: Table, wrong: Sequence[Rejection], path: str) -> InputError:
    first = wrong[0]
    return InputError(
        "HW847",
        f"{path}: {len(wrong)} records in a row are wrong, from line {first.line} on: {first.reason}",
        detail=f"{first.text[:200]}\nNothing was stored.",
        hint=f"{likely_cause(table, wrong, path)} To store what is valid all the same: --keep-going.",
    )


def likely_cause(table: Table, wrong: Sequence[Rejection], path: str) -> str:
    """What is probably wrong with the whole file, and what to do."""
    reason = Counter(_kind(rejection.reason) for rejection in wrong).most_common(1)[0][0]
    first = next(rejection for rejection in wrong if _kind(rejection.reason) == reason)
    if reason.startswith(("not JSON", "not a JSON object")):
        return _not_json(table, wrong[0].text, path)
    if reason.startswith("unknown column"):
        return _other_columns(table, first.text)
    if reason.startswith("unknown op") or "fields where" in reason:
        return _SHAPES["op" if "op" in reason else "fields"]
    if "is taken" in reason:
        return (
            "The file was probably ingested before; --batch ID recognises a repetition. To replace the rows: "
            "USING api OPTIONS (mode 'upsert')."
        )
    if reason.startswith("CARDINALITY LIMIT"):
        return "The table's CARDINALITY LIMIT in CREATE TABLE is smaller than what the file needs."
    if first.late:
        return "The rows are older than the table's WATERMARK lets in."
    if "there is no such" in reason:
        return f"Feed the referenced table first: {first.reason.rpartition('no such ')[2].partition('.')[0]}."
    if (wrong_column := _COLUMN.fullmatch(first.reason)) is not None:
        name = wrong_column["name"]
        kind = next((column.type for column in table.columns if column.name == name), "another type")
        return f'Column "{name}" is declared as {kind}, and the file holds something else.'
    return "The file is probably meant for another table."


def _kind(reason: str) -> str:
    """Reasons that differ only in their values are of one kind."""
    return re.sub(r'"[^"]*" is |-?\d[\d.]*', "", reason)


_SHAPES = {
    "op": 'A change is {"op": "insert", "row": {...}}; of an update or delete "old" may hold the row before.',
    "fields": "Every line has as many fields as the first one names; a text with commas stands in quotes.",
}
_DEBEZIUM = (
    'This looks like Debezium: jq -c \'{op: {c: "insert", r: "insert", u: "update", d: "delete"}[.op], '
    "row: .after, old: .before}' FILE makes changes of it."
)


def _other_columns(table: Table, text: str) -> str:
    """What is probably wrong where names are not those of the table."""
    if all(f'"{word}"' in text for word in ("op", "before", "after")):
        return _DEBEZIUM
    if '"op"' in text and "op" not in table.column_names:
        return _SHAPES["op"]
    return f"The table has other columns: {', '.join(table.column_names)}."


def _not_json(table: Table, text: str, path: str) -> str:
    if re.match(r"\{\s*'", text):
        return "JSON has names and texts in double quotes; json.dumps writes it from Python."
    if text.startswith(("[", "{", "}", "]")):
        return "Each line must be one JSON object; `jq -c '.[]' FILE` makes lines of an array."
    for delimiter, name in ((",", ""), (";", ";"), ("\t", "\\t")):
        if len(text.split(delimiter)) > 1:
            option = f" --delimiter '{name}'" if name else ""
            return f"This looks like CSV: --format csv{option}."
    ending = os.path.splitext(path)[1]
    return f"Files that end in {ending or 'nothing'} are read as JSON lines; --format names another format."
