"""Columns of texts (CSV fields, PostgreSQL's text format) as typed columns, exactly, or with a reason why
not.

Arrow parses a column at once; if it refuses any text, all of them are converted one by one.  The rules are
those of values.py, applied to the value that the text spells; booleans are true, false, t or f.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.capture.intake.values import canonical, typed_column
from headwater.errors import InputError
from headwater.model import Column
from headwater.storage.delta.types import arrow_type

__all__ = ["default_of", "typed_texts"]

_INTEGER = re.compile(r"[+-]?\d{1,20}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_BOOLEANS = {"true": True, "t": True, "false": False, "f": False}


def typed_texts(column: Column, texts: pa.Array) -> tuple[pa.Array, dict[int, str]]:
    """The column, and a reason for every position whose text does not fit (NULL there)."""
    array = _at_once(column.type, texts)
    if array is not None:
        return array, {}
    read = _reader(column.type)
    return typed_column(column, [None if text is None else read(text) for text in texts.to_pylist()])


@lru_cache(maxsize=1_000)
def default_of(column: Column) -> pa.Scalar:
    """The value of a record that lacks the column: its DEFAULT, or NULL."""
    if column.default is None:
        return pa.scalar(None, arrow_type(column.type))
    typed, reasons = typed_texts(column, pa.array([column.default]))
    if reasons:
        raise InputError("HW124", f"the DEFAULT of {reasons[0]}")
    return typed[0]


def _at_once(name: str, texts: pa.Array) -> pa.Array | None:
    kind = arrow_type(name)
    try:
        match name:
            case "string":
                return texts
            case "boolean":
                return _booleans(texts)
            case "binary":
                return None
            case "timestamp" | "timestamp_ntz" | "date":
                return _moments(texts, kind)
            case _:
                return canonical(texts.cast(kind))
    except pa.ArrowException:
        return None


def _moments(texts: pa.Array, kind: pa.DataType) -> pa.Array | None:
    """Texts as dates or timestamps; None if they must be looked at one by one: a year may be 0."""
    if pc.any(pc.starts_with(texts, "0000")).as_py():
        return None
    return texts.cast(kind)


def _booleans(texts: pa.Array) -> pa.Array | None:
    lower = pc.utf8_lower(texts)
    true = pc.is_in(lower, value_set=pa.array(["true", "t"]))
    valid = pc.is_in(lower, value_set=pa.array(list(_BOOLEANS)))
    if pc.any(pc.invert(pc.or_(valid, pc.is_null(texts)))).as_py():
        return None
    return pc.if_else(pc.is_null(texts), pa.scalar(None, pa.bool_()), true)


def _reader(name: str) -> Callable[[str], Any]:
    """How to turn a text into the Python value that values.py expects; it stays a text if it spells none."""
    if name in ("tinyint", "smallint", "int", "bigint"):
        return lambda text: int(text) if _INTEGER.fullmatch(text) else text
    if name in ("float", "double"):
        return lambda text: float(text) if _NUMBER.fullmatch(text) else text
    if name == "boolean":
        return lambda text: _BOOLEANS.get(text.lower(), text)
    if name.startswith("decimal"):
        return lambda text: Decimal(text) if _NUMBER.fullmatch(text) else text
    return lambda text: text
