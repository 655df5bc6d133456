"""Lines of CSV as a batch of plain rows.

The first line names the columns (OPTIONS (header 'false'): the declared order).  An empty field is NULL, or
what `null_value` says; `delimiter` is a comma unless told otherwise.  A line with too many or too few fields
is rejected by itself; a header with an unknown column is wrong for the file as a whole.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

import pyarrow as pa

from headwater.capture.batch import Batch, LazyRecords, Record, row_schema, rows_batch
from headwater.capture.texts import typed_texts
from headwater.errors import InputError, did_you_mean
from headwater.model import Table

__all__ = ["csv_batch"]


def csv_batch(table: Table, text: str, file: str | None = None) -> Batch:
    lines = _lines(text, table.options.get("delimiter", ","), file)
    names: Sequence[str] = table.column_names
    if table.options.get("header", "true").lower() != "false":
        names = _header(table, next(lines, (1, list(names)))[1])
    kept: list[tuple[int, list[str]]] = []
    wrong: list[Record] = []
    for number, fields in lines:
        if len(fields) == len(names):
            kept.append((number, fields))
        elif fields:
            reason = f"{len(fields)} fields where {len(names)} are expected"
            wrong.append(Record(number, None, _shown(fields), reason, file))
    return _typed(table, names, kept, wrong, file)


def _typed(
    table: Table,
    names: Sequence[str],
    kept: list[tuple[int, list[str]]],
    wrong: list[Record],
    file: str | None,
) -> Batch:
    null = table.options.get("null_value", "")
    reasons: dict[int, str] = {}
    arrays = []
    for column in table.columns:
        at = names.index(column.name) if column.name in names else None
        fields = [None if at is None or one[1][at] == null else one[1][at] for one in kept]
        array, bad = typed_texts(column, pa.array(fields, pa.string()))
        arrays.append(array)
        for position, reason in bad.items():
            reasons.setdefault(position, reason)

    def show(position: int) -> Record:
        number, fields = kept[position]
        return Record(number, None, _shown(fields), "", file)

    new = pa.table(arrays, schema=row_schema(table))
    batch = rows_batch(table, new, LazyRecords(len(kept), show), reasons)
    rejected = (*batch.rejected, *(record.rejected(record.reason) for record in wrong))
    return Batch(batch.operations, batch.new, batch.old, batch.records, tuple(rejected))


def _lines(text: str, delimiter: str, file: str | None) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(
        text.removeprefix("\ufeff").splitlines(keepends=True), delimiter=delimiter, strict=True
    )
    try:
        for fields in reader:
            yield reader.line_num, fields
    except csv.Error as error:
        raise InputError(
            "HW856", f"{file} is not CSV: {error}", detail=f"Near line {reader.line_num}."
        ) from error


def _header(table: Table, names: list[str]) -> list[str]:
    for name in names:
        if name not in table.column_names:
            raise InputError(
                "HW851", f'table "{table.name}" has no column "{name}"',
                hint=did_you_mean(name, table.column_names),
            )  # fmt: skip
    return names


def _shown(fields: Sequence[str]) -> str:
    return ",".join(fields)
