"""Lines of CSV as a batch of plain rows.

The first line names the columns (OPTIONS (header 'false'): the declared order).  An empty field is NULL, or
what `null_value` says; a declared column that the file lacks is its DEFAULT, else NULL; `delimiter` is a
comma by default.  Only CR, LF and CRLF end a line.  A field may be of any length.  A line with too many or
too few fields is rejected by itself; a header with an unknown column, or with one that it has twice, rejects
the file.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import pyarrow as pa

from headwater.capture.intake.batch import (
    Batch,
    LazyRecords,
    Record,
    Rejection,
    row_schema,
    rows_batch,
)
from headwater.capture.intake.texts import default_of, typed_texts
from headwater.errors import InputError
from headwater.errors.shared import no_such_column
from headwater.model import Table
from headwater.sql.parsing.names import as_declared

__all__ = ["csv_batch", "csv_rows_batch", "csv_text"]

csv.field_size_limit(sys.maxsize)  # else a field of more than 131,072 characters rejects its whole file


def csv_batch(table: Table, content: BinaryIO, file: str | None = None) -> Batch:
    lines = _lines(content, table.options.get("delimiter", ","), file)
    names: Sequence[str] = table.column_names
    if table.options.get("header", "true").lower() != "false":
        names = _header(table, next(lines, (1, list(names)))[1], file)
    return csv_rows_batch(table, names, lines, file)


def csv_rows_batch(
    table: Table, names: Sequence[str], lines: Iterable[tuple[int, list[str]]], file: str | None
) -> Batch:
    """Lines that are cut into fields, each with its number; `names` are those of the fields."""
    header = csv_text(names)
    complete: list[tuple[int, list[str]]] = []
    wrong: list[Rejection] = []
    for number, fields in lines:
        if len(fields) == len(names):
            complete.append((number, fields))
        elif fields:
            reason = f"{len(fields)} fields where {len(names)} are expected"
            wrong.append(Rejection(number, csv_text(fields), reason, file, header))

    def show(position: int) -> Record:
        number, fields = complete[position]
        return Record(number, None, csv_text(fields), "", file, header)

    new, reasons = _typed(table, names, [fields for _, fields in complete])
    batch = rows_batch(table, new, LazyRecords(len(complete), show), reasons)
    return Batch(batch.operations, batch.new, batch.old, batch.records, (*batch.rejected, *wrong))


def csv_text(fields: Sequence[str]) -> str:
    """The fields as a line of CSV, with commas."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()


def _typed(table: Table, names: Sequence[str], rows: Sequence[list[str]]) -> tuple[pa.Table, dict[int, str]]:
    """The declared columns, and reasons by row."""
    null = table.options.get("null_value", "")
    reasons: dict[int, str] = {}
    arrays = []
    for column in table.columns:
        if column.name not in names:
            arrays.append(pa.repeat(default_of(column), len(rows)))
            continue
        at = names.index(column.name)
        fields = [None if row[at] == null else row[at] for row in rows]
        array, bad = typed_texts(column, pa.array(fields, pa.string()))
        arrays.append(array)
        for position, reason in bad.items():
            reasons.setdefault(position, reason)

    return pa.table(arrays, schema=row_schema(table)), reasons


def _lines(content: BinaryIO, delimiter: str, file: str | None) -> Iterator[tuple[int, list[str]]]:
    # With newline="" lines end at CR, LF and CRLF only; str.splitlines would also split at U+2028, \v and \f.
    lines = io.TextIOWrapper(content, encoding="utf-8-sig", newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for fields in reader:
            yield reader.line_num, fields
    except csv.Error as error:
        raise InputError(
            "HW856", f"{file} is not CSV: {error}", detail=f"Near line {reader.line_num}."
        ) from error


def _is_value(text: str) -> bool:
    """Whether it is rather a value than a column's name."""
    return not text[:1].isalpha()


def _header(table: Table, written: list[str], file: str | None) -> list[str]:
    names = as_declared(written, table.column_names)
    if not set(names) & set(table.column_names) and all(map(_is_value, names)):
        raise InputError(
            "HW856", f"{file} has no line that names its columns: it begins with {', '.join(names[:5])}",
            hint=f"Write the names above it, those of {', '.join(table.column_names)} that it has.",
        )  # fmt: skip
    for name in names:
        if name not in table.column_names:
            raise no_such_column(table.name, name, table.column_names)
        if names.count(name) > 1:
            raise InputError(
                "HW856", f'{file} has two columns "{name}"', hint="Leave one out, or give it another name."
            )
    return names
