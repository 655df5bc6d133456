"""What sqlglot reads and Spark does not have: refused where it stands, whatever becomes of the view.

sqlglot would write some of these as something else (FETCH ... WITH TIES as LIMIT, TIME as TIMESTAMP), and
others would fail only when Spark meets them.
"""

from __future__ import annotations

import re

from sqlglot import exp

from headwater.errors import InputError
from headwater.sql.parsing.lexer import Source, lex
from headwater.sql.translate.notes import Notes

__all__ = ["refuse_what_spark_lacks"]

_Type = exp.DataType.Type
_TYPES = {
    _Type.TINYINT, _Type.SMALLINT, _Type.INT, _Type.BIGINT, _Type.FLOAT, _Type.DOUBLE, _Type.DECIMAL,
    _Type.BOOLEAN, _Type.TEXT, _Type.CHAR, _Type.NCHAR, _Type.VARCHAR, _Type.NVARCHAR, _Type.UUID,
    _Type.BINARY, _Type.VARBINARY, _Type.DATE, _Type.TIMESTAMP, _Type.TIMESTAMPTZ, _Type.TIMESTAMPLTZ,
    _Type.TIMESTAMPNTZ, _Type.INTERVAL, _Type.ARRAY, _Type.MAP, _Type.STRUCT, _Type.VARIANT,
    _Type.NULL,
}  # fmt: skip
_NTZ = re.compile(r"\bWITHOUT\b.*\bTIME\b.*\bZONE\b", re.IGNORECASE | re.DOTALL)


def refuse_what_spark_lacks(tree: exp.Expr, notes: Notes) -> None:
    for node in tree.walk():
        if found := _lacking(node):
            message, hint = found
            notes.fail("HW113", node, message, hint=hint)
    if _NTZ.search(notes.sql.text):
        _refuse_without_zone(notes)


def _lacking(node: exp.Expr) -> tuple[str, str] | None:
    """What Spark lacks of a node, and what to write instead."""
    match node:
        case exp.LimitOptions() if node.args.get("with_ties"):
            return "Spark has no FETCH ... WITH TIES", "write QUALIFY rank() OVER (ORDER BY ...) <= n"
        case exp.LimitOptions() if node.args.get("percent"):
            return "Spark has no FETCH ... PERCENT", "write QUALIFY percent_rank() OVER (ORDER BY ...) < p"
        case exp.Star() if node.args.get("replace") or node.args.get("rename") or node.args.get("ilike"):
            hint = "write * EXCEPT (a), and a with its new value or name beside it"
            return "of * Spark has only * and * EXCEPT (...)", hint
        case exp.Select() if node.args.get("kind"):
            return f"Spark has no SELECT AS {node.args['kind']}", "write struct(a, b) AS name"
        case exp.Group() if node.args.get("totals"):
            return "Spark has no WITH TOTALS", "write GROUP BY ROLLUP (...)"
        case exp.Lateral() | exp.Unnest() if node.args.get("ordinality"):
            return (
                "Spark has no WITH ORDINALITY",
                "write posexplode(...) AS t(place, value), which counts from 0",
            )
        case exp.TableSample() if node.args.get("method"):
            return f"Spark has no TABLESAMPLE {node.text('method')}", "write TABLESAMPLE (10 PERCENT)"
        case exp.AtTimeZone():
            hint = "write from_utc_timestamp(x, 'zone') for the local time there, to_utc_timestamp for UTC"
            return "Spark has no AT TIME ZONE", hint
        case exp.SimilarTo():
            return "Spark has no SIMILAR TO", "write x RLIKE 'pattern'"
        case exp.RegexpILike():
            return "Spark has no ~*", "write x RLIKE '(?i)pattern'"
        case exp.JSONExtract() | exp.JSONExtractScalar():
            return "Spark has no -> and ->>", "write get_json_object(x, '$.a')"
        case exp.Lock():
            return "a view locks no rows", "leave FOR UPDATE or FOR SHARE out"
        case exp.Join() if (node.args.get("method") or "").upper() == "ASOF":
            hint = "join LATERAL (SELECT ... WHERE earlier ORDER BY time DESC LIMIT 1)"
            return "Spark has no ASOF JOIN", hint
        case exp.DataType() if isinstance(node.this, _Type) and node.this not in _TYPES:
            return f"Spark has no type {node.this.value}", "cast to a type of Spark, such as STRING or BIGINT"
    return None


def _refuse_without_zone(notes: Notes) -> None:
    """sqlglot reads TIMESTAMP WITHOUT TIME ZONE as one with a zone."""
    tokens = lex(Source(notes.sql.path, notes.sql.text))
    for first, second, third in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (first.word, second.word, third.word) == ("WITHOUT", "TIME", "ZONE"):
            raise InputError(
                "HW113",
                "TIMESTAMP WITHOUT TIME ZONE has another name in Spark",
                place=notes.sql.place(first.start, third.end - first.start),
                hint="write TIMESTAMP_NTZ",
            )
