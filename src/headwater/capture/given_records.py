"""Records as a Python program has them: what `ingest` takes, and what it refuses.

    anything that speaks Arrow      a DataFrame of pandas or polars, a table or reader of pyarrow, a relation
    (__arrow_c_stream__)            of DuckDB, ...: each row a record
    a mapping, a dataclass          one record: a row or an envelope (intake/changes.py)
    an iterable of those            many

Anything else is a mistake in the program, not in its data: it raises TypeError and nothing is stored.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pyarrow as pa

from headwater.errors import InputError

__all__ = ["given_records"]

_STREAM = "__arrow_c_stream__"
_INDEX = "__index_level_"  # pandas' name of an index that has none
_TAKEN = (
    "a dict or a dataclass, an iterable of them, or a table: anything with __arrow_c_stream__, such as a "
    "DataFrame of pandas or polars, a table of pyarrow or a relation of DuckDB"
)


def given_records(given: object) -> pa.Table | Iterator[Mapping[str, Any]]:
    """Rows as an Arrow table, or records one by one."""
    if hasattr(given, _STREAM) and not isinstance(given, type):
        return _table(given)
    if isinstance(given, Mapping):
        _refuse_columns(given)
        return iter((given,))
    if _is_record(given):
        return iter((_record(given),))
    if isinstance(given, str | bytes | os.PathLike):
        raise TypeError(
            f"ingest takes {_TAKEN}; not {_named(given)}. To ingest a file: ingest_file(table, path)"
        )
    if not isinstance(given, Iterable):
        raise TypeError(f"ingest takes {_TAKEN}; not {_named(given)}{_hint(given)}")
    return _each(given)


def _table(given: object) -> pa.Table:
    try:
        table = pa.RecordBatchReader.from_stream(given).read_all()
    except TypeError:
        raise TypeError(f"ingest takes {_TAKEN}; not a single column ({_named(given)})") from None
    except (pa.ArrowException, ValueError) as error:  # pandas' own: two columns of one name
        if "non-struct" in str(error):
            raise TypeError(f"ingest takes {_TAKEN}; not a single column ({_named(given)})") from None
        raise InputError(
            "HW852",
            f"the {_named(given)} is no table of plain columns: {error.args[0] if error.args else error}",
            detail=" ".join(map(str, error.args[1:])),
            hint="Give each column a name of its own and values of one type.",
        ) from error
    names = table.column_names
    return table.select([at for at, name in enumerate(names) if not name.startswith(_INDEX)])


def _each(given: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    for number, record in enumerate(given, start=1):
        if isinstance(record, Mapping):
            yield record
        elif _is_record(record):
            yield _record(record)
        else:
            raise TypeError(f"ingest takes {_TAKEN}; record {number} is {_named(record)}. Nothing was stored")


def _is_record(given: object) -> bool:
    return is_dataclass(given) and not isinstance(given, type)


def _record(given: Any) -> dict[str, Any]:
    return {field.name: getattr(given, field.name) for field in fields(given)}


def _refuse_columns(given: Mapping[str, Any]) -> None:
    """A dict of lists is a table by columns in other libraries; no column of a row can hold a list."""
    if given and all(isinstance(value, list) for value in given.values()):
        raise TypeError("a dict is one record; for a dict of columns: ingest(table, pyarrow.table(columns))")


def _named(given: object) -> str:
    kind = type(given)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _hint(given: object) -> str:
    return ". Of a DataFrame of Spark: ingest(table, frame.toArrow())" if hasattr(given, "toArrow") else ""
