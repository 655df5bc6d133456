"""CREATE TABLE: a source, its constraints, where its changes come from and what to expect of it.

    CREATE TABLE name ( columns and constraints )
      [USING provider [OPTIONS (key 'value', ...)]] [AT SITE name]
      [EXPECT [ROWS n] [RATE r PER SECOND] [VALUES n (column), ...]]
      [WITH CARDINALITY (column, n)] [ON VIOLATION WARN | REJECT] [TBLPROPERTIES (...)] [COMMENT '...']

Clauses after the parentheses stand in any order, each once (WITH CARDINALITY as often as needed).  This file
reads them; `build_table` judges the whole.
"""

from __future__ import annotations

from headwater.model import Table
from headwater.sql.build_table import PROVIDERS, TableText, build_table
from headwater.sql.columns import read_elements, read_limit
from headwater.sql.lexer import Token
from headwater.sql.names import relation_name
from headwater.sql.references import Reference
from headwater.sql.settings import (
    Setting,
    read_comment,
    read_pairs,
    read_properties,
    read_site,
    unknown_clause,
)
from headwater.sql.words import Words

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
            known=PROVIDERS,
            hint=f"use one of {', '.join(PROVIDERS)}",
        )
    return token.text.lower()


def _options(words: Words) -> dict[str, str]:
    return {key.text: value.text for key, value in read_pairs(words, "option")}


def _rows(words: Words) -> int:
    return words.whole_number("the expected number of rows", 0)


def _rate(words: Words) -> float:
    rate = float(words.amount("the expected rate"))
    if words.accept("PER"):
        words.expect("SECOND", after="PER")
    return rate


def _values(words: Words) -> tuple[Token, int]:
    """2100000 (uid): so many different values has the column."""
    count = words.whole_number("the expected number of values", 1)
    words.expect("(", after="the number of values")
    column = words.name("a column's name")
    words.expect(")", after="the column")
    return column, count


def _expect(words: Words) -> dict[str, object]:
    """ROWS n RATE r PER SECOND VALUES m (column), ...; or some of them."""
    found: dict[str, object] = {}
    if words.accept("ROWS"):
        found["rows"] = _rows(words)
    if words.accept("RATE"):
        found["rate"] = float(words.amount("the expected rate"))
        words.expect("PER", "SECOND", after="the rate")
    if words.accept("VALUES"):
        found["values"] = values = [_values(words)]
        while words.accept(","):
            values.append(_values(words))
    if not found:
        raise words.wrong("HW100", f"expected ROWS or RATE or VALUES after EXPECT, found {words.peek()}")
    return found


def _violation(words: Words) -> bool:
    """True to warn and let the change through."""
    if not words.at_any(("WARN", "REJECT")):
        raise words.wrong("HW111", f"expected WARN or REJECT, found {words.peek()}", known=("WARN", "REJECT"))
    return words.next().word == "WARN"


def _column_list(words: Words) -> tuple[Token, ...]:
    """a, b (the value of a property)."""
    found = [words.name("a column's name")]
    while words.accept(","):
        found.append(words.name("a column's name"))
    return tuple(found)


def _limits(words: Words) -> tuple[tuple[int, tuple[Token, ...]], ...]:
    """100 (uid), 5 (a, b) (the value of a property)."""
    found = [read_limit(words)]
    while words.accept(","):
        found.append(read_limit(words))
    return tuple(found)


_SITE = Setting("site", ("AT", "SITE"), read_site)
_VIOLATION = Setting("on_violation", ("ON", "VIOLATION"), _violation)
_PROVIDER = Setting("provider", ("USING",), _provider)
_CLAUSES = (
    _PROVIDER,
    Setting("options", ("OPTIONS",), _options),
    _SITE,
    Setting("expect", ("EXPECT",), _expect),
    _VIOLATION,
    Setting("comment", ("COMMENT",), read_comment, equals=True),
)
_PROPERTIES = (
    _PROVIDER,
    _SITE,
    _VIOLATION,
    Setting("expect_rows", (), _rows),
    Setting("expect_rate", (), _rate),
    Setting("primary_key", (), _column_list),
    Setting("update_key", (), _column_list),
    Setting("temporal", (), _column_list),
    Setting("cardinality", (), _limits),
)
