"""Column types: Spark's scalar types, under all the names Spark gives them.

A type becomes Spark's simple string ("bigint", "decimal(10,2)").  CHAR(n) and VARCHAR(n) become "string": the
length is read and not enforced, as in Spark's own readers.  Arrays, maps and structs are refused for tables
(a view may compute them): a change must be comparable, hashable and printable column by column.
"""

from __future__ import annotations

from headwater.sql.parsing.words import Words

__all__ = ["TEMPORAL_TYPES", "family", "read_type"]

_SIMPLE = {
    "BOOLEAN": "boolean", "BOOL": "boolean",
    "TINYINT": "tinyint", "BYTE": "tinyint",
    "SMALLINT": "smallint", "SHORT": "smallint",
    "INT": "int", "INTEGER": "int",
    "BIGINT": "bigint", "LONG": "bigint",
    "FLOAT": "float", "REAL": "float",
    "DOUBLE": "double",
    "STRING": "string", "TEXT": "string",
    "BINARY": "binary",
    "DATE": "date",
    "TIMESTAMP": "timestamp", "TIMESTAMP_LTZ": "timestamp",
    "TIMESTAMP_NTZ": "timestamp_ntz",
}  # fmt: skip
_CHARACTERS = {"CHAR", "CHARACTER", "VARCHAR"}
_DECIMALS = {"DECIMAL", "DEC", "NUMERIC"}
_REFUSED = {
    "ARRAY": "an array", "MAP": "a map", "STRUCT": "a struct", "VARIANT": "a variant",
    "INTERVAL": "an interval", "VOID": "the void type", "TIME": "a time of day",
    "OBJECT": "an object", "JSON": "JSON",
}  # fmt: skip
_ELSEWHERE = {  # types of other databases: what holds their values here
    "SERIAL": "INT", "SMALLSERIAL": "SMALLINT", "BIGSERIAL": "BIGINT", "UUID": "STRING", "JSONB": "STRING",
    "INET": "STRING", "CIDR": "STRING", "XML": "STRING", "CLOB": "STRING", "NVARCHAR": "STRING",
    "CITEXT": "STRING", "BYTEA": "BINARY", "BLOB": "BINARY", "VARBINARY": "BINARY", "MEDIUMINT": "INT",
    "TIMESTAMPTZ": "TIMESTAMP", "DATETIME": "TIMESTAMP", "MONEY": "DECIMAL(19,2)", "NUMBER": "DECIMAL(38,10)",
}  # fmt: skip
_KNOWN = {*_SIMPLE, *_CHARACTERS, *_DECIMALS}

# Instants, days, and whole numbers that count seconds or milliseconds: all grow as time passes.
TEMPORAL_TYPES = frozenset({"timestamp", "timestamp_ntz", "date", "bigint", "int"})


def read_type(words: Words) -> str:
    """The next words as a type."""
    token = words.peek()
    name = token.word
    if name in _REFUSED:
        raise words.wrong(
            "HW107",
            f"a table's column cannot be {_REFUSED[name]}",
            detail="Tables hold scalar values: Headwater compares rows of changes column by column.",
            hint="give each part its own column, or keep the value as a STRING",
        )
    if name in _ELSEWHERE:
        digits = name == "NUMBER" and words.peek(1).text == "("
        hint = "declare it as DECIMAL(...)" if digits else f"declare it as {_ELSEWHERE[name]}"
        raise words.wrong("HW107", f"there is no type {name}", hint=hint)
    if name not in _KNOWN:
        hint = "write the column's type after its name: id BIGINT, note STRING"
        raise words.wrong("HW107", f"expected a type, found {token}", choices=_lower(_KNOWN), hint=hint)
    words.next()
    if name in _DECIMALS:
        return _decimal(words)
    if name in _CHARACTERS:
        _length(words)
        return "string"
    if name == "DOUBLE":
        words.accept("PRECISION")
    if words.at("("):
        kept = "a timestamp has microseconds" if name.startswith("TIMESTAMP") else f"{name} has one length"
        raise words.wrong("HW107", f"{name} takes no length", hint=f"take the parentheses out: {kept}")
    return _SIMPLE[name]


def _lower(names: set[str]) -> list[str]:
    return sorted(name.lower() for name in names)


def _decimal(words: Words) -> str:
    if not words.accept("("):
        return "decimal(10,0)"
    token = words.peek()
    precision = words.whole_number("a decimal's precision", 1)
    if precision > 38:
        hint = "write DECIMAL(38, ...), DOUBLE or STRING"
        raise words.wrong("HW107", f"a decimal has at most 38 digits, not {precision}", token, hint=hint)
    token, scale = words.peek(), 0
    if words.accept(","):
        token = words.peek()
        scale = words.whole_number("a decimal's scale", 0)
    if scale > precision:
        raise words.wrong(
            "HW107",
            f"a decimal({precision}) cannot have {scale} digits after the point",
            token,
            hint=f"the first number counts all digits: DECIMAL({min(precision + scale, 38)}, {scale})",
        )
    words.expect(")", after="the decimal's digits")
    return f"decimal({precision},{scale})"


def _length(words: Words) -> None:
    if words.accept("("):
        words.whole_number("a length", 1)
        words.expect(")", after="the length")


def family(type_name: str) -> str:
    """Types of one family can be compared: a key of INT may reference one of BIGINT, never a STRING."""
    base = type_name.partition("(")[0]
    if base in {"tinyint", "smallint", "int", "bigint", "float", "double", "decimal"}:
        return "number"
    return "time" if base in {"date", "timestamp", "timestamp_ntz"} else base
