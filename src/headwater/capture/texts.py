"""Columns of texts (CSV fields, PostgreSQL's text format) as typed columns, exactly, or with a reason.

Arrow parses a whole column at once; if it finds one text it does not take, every text is looked at by itself.
The rules are those of values.py, applied to what the text says; booleans are true, false, t or f.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.capture.values import canonical, typed_column
from headwater.model import Column
from headwater.storage.types import arrow_type

__all__ = ["typed_texts"]

_INTEGER = re.compile(r"[+-]?\d{1,20}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_BOOLEANS = {"true": True, "t": True, "false": False, "f": False}


def typed_texts(column: Column, texts: pa.Array) -> tuple[pa.Array, dict[int, str]]:
    """The column, and a reason for every position whose text does not fit (NULL there)."""
    whole = _at_once(column.type, texts)
    if whole is not None:
        return whole, {}
    read = _reader(column.type)
    return typed_column(column, [None if text is None else read(text) for text in texts.to_pylist()])


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
    """Leave what may be out of the calendar or of mixed zones to the slow way."""
    if pc.any(pc.starts_with(texts, "0000")).as_py():
        return None
    return texts.cast(kind)


def _booleans(texts: pa.Array) -> pa.Array | None:
    lower = pc.utf8_lower(texts)
    true = pc.is_in(lower, value_set=pa.array(["true", "t"]))
    known = pc.is_in(lower, value_set=pa.array(list(_BOOLEANS)))
    if pc.any(pc.invert(pc.or_(known, pc.is_null(texts)))).as_py():
        return None
    return pc.if_else(pc.is_null(texts), pa.scalar(None, pa.bool_()), true)


def _reader(name: str) -> Callable[[str], Any]:
    """What a text says, as the Python value that values.py knows; the text itself if it says nothing."""
    if name in ("tinyint", "smallint", "int", "bigint"):
        return lambda text: int(text) if _INTEGER.fullmatch(text) else text
    if name in ("float", "double"):
        return lambda text: float(text) if _NUMBER.fullmatch(text) else text
    if name == "boolean":
        return lambda text: _BOOLEANS.get(text.lower(), text)
    if name.startswith("decimal"):
        return lambda text: Decimal(text) if _NUMBER.fullmatch(text) else text
    return lambda text: text
