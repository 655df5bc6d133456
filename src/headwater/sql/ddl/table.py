"""CREATE TABLE: a source, its constraints, where its changes come from and what to expect of it.

    CREATE TABLE name ( columns and constraints )
      [USING provider [OPTIONS (key 'value', ...)]] [AT SITE name]
      [EXPECT [ROWS n] [RATE r PER SECOND] [VALUES n (column), ...]]
      [RETAIN CURRENT | RETAIN INTERVAL '30' DAY [ON column]] [WATERMARK = INTERVAL '10' MINUTE [ON column]]
      [WITH CARDINALITY (column, n)] [ON VIOLATION WARN | REJECT]
      [ON OVERLOAD UPDATES append | fifo | inplace | linecut | best] [OVERLOAD WEIGHT = 3]
      [REFRESH WEIGHT (key) FROM t (key, weight) | [(key)] BY READS] [TBLPROPERTIES (...)] [COMMENT '...']

The clauses after the parentheses may come in any order, each once (WITH CARDINALITY as often as needed).
This file reads them; `build_table` checks the whole.
"""

from __future__ import annotations

from headwater.errors.secrets import secret_of_file
from headwater.model import Table
from headwater.sql.ddl.build_table import PROVIDERS, TableText, build_table
from headwater.sql.ddl.clauses import (
    Setting,
    read_comment,
    read_pairs,
    read_properties,
    read_site,
    unknown_clause,
)
from headwater.sql.ddl.overload import read_overload, read_overload_weight, read_weight
from headwater.sql.ddl.retain import read_retain
from headwater.sql.ddl.table_body import read_elements, read_limit
from headwater.sql.ddl.watermark import read_watermark
from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.names import relation_name
from headwater.sql.parsing.references import Reference
from headwater.sql.parsing.words import Words

__all__ = ["read_table"]


def read_table(words: Words) -> tuple[Table, tuple[Reference, ...]]:
    """What follows CREATE TABLE."""
    name = relation_name(words, "table")
    text = TableText(name, read_elements(words))
    while not words.done:
        _clause(words, text)
    text.given.check_agreement(words)
    return build_table(words, text)


def _clause(words: Words, text: TableText) -> None:
    if text.given.accept(words, _CLAUSES):
        return
    if words.accept("WITH", "CARDINALITY"):
        text.with_cardinality.append(_with_cardinality(words))
    elif words.accept("TBLPROPERTIES"):
        read_properties(words, _PROPERTIES, text.given)
    else:
        starts = [" ".join(setting.clause) for setting in _CLAUSES]
        raise unknown_clause(words, [*starts, "WITH CARDINALITY", "TBLPROPERTIES"])


def _with_cardinality(words: Words) -> tuple[Token, int]:
    """(tag, 10): at most 10 values of tag beside any one value of the key's other columns."""
    words.expect("(", after="WITH CARDINALITY")
    column = words.name("a column's name")
    words.expect(",", after="the column")
    limit = words.whole_number("a cardinality limit", 1)
    words.expect(")", after="the limit")
    return column, limit


def _provider(words: Words) -> str:
    token = words.name("a provider")
    if token.text.lower() not in PROVIDERS:
        raise words.wrong(
            "HW116",
            f'there is no provider "{token.text}"',
            token,
            choices=PROVIDERS,
            hint=f"use one of {', '.join(PROVIDERS)}",
        )
    return token.text.lower()


def _options(words: Words) -> dict[str, str]:
    """The options as written: what they refer to, `${NAME}` or a file, is read when it is used."""
    pairs = read_pairs(words, "option")
    names = {key.text.lower() for key, _ in pairs}
    for key, _ in pairs:
        secret = secret_of_file(key.text)
        if secret is not None and secret.lower() in names:
            message = f"the options '{secret}' and '{key.text}' say the same"
            raise words.wrong("HW103", message, key, hint="keep one of the two")
    return {key.text: value.text for key, value in pairs}


def _rows(words: Words) -> int:
    return words.whole_number("the expected number of rows", 0)


def _rate(words: Words) -> float:
    rate = float(words.amount("the expected rate"))
    if words.accept("PER"):
        words.expect("SECOND", after="PER")
    return rate


def _values(words: Words) -> tuple[Token, int]:
    """2100000 (uid): the column has this many different values."""
    count = words.whole_number("the expected number of values", 1)
    words.expect("(", after="the number of values")
    column = words.name("a column's name")
    words.expect(")", after="the column")
    return column, count


def _expect(words: Words) -> dict[str, object]:
    """ROWS n RATE r PER SECOND VALUES m (column), ...; or some of them."""
    expected: dict[str, object] = {}
    if words.accept("ROWS"):
        expected["rows"] = _rows(words)
    if words.accept("RATE"):
        expected["rate"] = float(words.amount("the expected rate"))
        words.expect("PER", "SECOND", after="the rate")
    if words.accept("VALUES"):
        expected["values"] = values = [_values(words)]
        while words.accept(","):
            values.append(_values(words))
    if not expected:
        raise words.wrong("HW100", f"expected ROWS or RATE or VALUES after EXPECT, found {words.peek()}")
    return expected


def _violation(words: Words) -> bool:
    """True to warn and let the change through."""
    if not words.at_any(("WARN", "REJECT")):
        raise words.wrong(
            "HW111", f"expected WARN or REJECT, found {words.peek()}", choices=("WARN", "REJECT")
        )
    return words.next().word == "WARN"


def _column_list(words: Words) -> tuple[Token, ...]:
    """a, b (the value of a property)."""
    columns = [words.name("a column's name")]
    while words.accept(","):
        columns.append(words.name("a column's name"))
    return tuple(columns)


def _limits(words: Words) -> tuple[tuple[int, tuple[Token, ...]], ...]:
    """100 (uid), 5 (a, b) (the value of a property)."""
    limits = [read_limit(words)]
    while words.accept(","):
        limits.append(read_limit(words))
    return tuple(limits)


_SITE = Setting("site", ("AT", "SITE"), read_site)
_VIOLATION = Setting("on_violation", ("ON", "VIOLATION"), _violation)
_OVERLOAD = Setting("on_overload", ("ON", "OVERLOAD"), read_overload)
_SHARE = Setting("overload_weight", ("OVERLOAD", "WEIGHT"), read_overload_weight, equals=True)
_WATERMARK = Setting("watermark", ("WATERMARK",), read_watermark, equals=True)
_PROVIDER = Setting("provider", ("USING",), _provider)
_CLAUSES = (
    _PROVIDER,
    Setting("options", ("OPTIONS",), _options),
    _SITE,
    Setting("expect", ("EXPECT",), _expect),
    Setting("retain", ("RETAIN",), read_retain),
    _WATERMARK,
    _VIOLATION,
    _OVERLOAD,
    _SHARE,
    Setting("refresh_weight", ("REFRESH", "WEIGHT"), read_weight),
    Setting("comment", ("COMMENT",), read_comment, equals=True),
)
_PROPERTIES = (
    _PROVIDER,
    _WATERMARK,
    _SITE,
    _VIOLATION,
    _OVERLOAD,
    _SHARE,
    Setting("expect_rows", (), _rows),
    Setting("expect_rate", (), _rate),
    Setting("primary_key", (), _column_list),
    Setting("update_key", (), _column_list),
    Setting("temporal", (), _column_list),
    Setting("cardinality", (), _limits),
)
