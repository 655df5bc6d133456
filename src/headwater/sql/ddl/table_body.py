"""What is between a table's parentheses: columns and constraints.

    event_id BIGINT PRIMARY KEY,  uid BIGINT NOT NULL REFERENCES users (uid),  starts_at TIMESTAMP TEMPORAL,
    seats INT NOT NULL DEFAULT 0,
    PRIMARY KEY (a, b),  UNIQUE (a),  FOREIGN KEY (a) REFERENCES t (b),
    CARDINALITY LIMIT 100 (a),  CARDINALITY LIMIT 5000 (),  UPDATE KEY (a)

Constraints may name columns declared after them, so everything is first collected in a `Draft`;
`build_table` checks it when the last word has been read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.sql.ddl.defaults import read_default
from headwater.sql.parsing.habits.other_systems import in_columns
from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.names import column_name
from headwater.sql.parsing.types import TEMPORAL_TYPES, read_type
from headwater.sql.parsing.words import Words

__all__ = ["ColumnDraft", "Draft", "ForeignKeyDraft", "read_elements", "read_limit"]


@dataclass(slots=True)
class ColumnDraft:
    name: Token
    type: str
    not_null: bool = False
    temporal: bool = False
    default: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKeyDraft:
    columns: tuple[Token, ...]
    table: Token
    referenced: tuple[Token, ...]


@dataclass(slots=True)
class Draft:
    """A table as read so far: names are still tokens, so that an error can point at them."""

    columns: list[ColumnDraft] = field(default_factory=list)
    keys: list[tuple[Token, ...]] = field(default_factory=list)
    unique: list[tuple[Token, ...]] = field(default_factory=list)
    foreign_keys: list[ForeignKeyDraft] = field(default_factory=list)
    limits: list[tuple[int, tuple[Token, ...]]] = field(default_factory=list)
    update_keys: list[tuple[Token, ...]] = field(default_factory=list)


_COLUMN_WORDS = (
    "NOT NULL", "DEFAULT", "PRIMARY KEY", "UNIQUE", "REFERENCES", "TEMPORAL", "COMMENT",
)  # fmt: skip
_REFUSED = {
    "GENERATED": "compute the value in a view instead",
    "CHECK": "filter such rows in a view instead",
    "COLLATE": "strings are compared byte by byte",
}


def read_elements(words: Words) -> Draft:
    """( column or constraint, ... )"""
    draft = Draft()
    words.expect("(", after="the table's name")
    while True:
        _constraint_name(words)
        if not _constraint(words, draft):
            _column(words, draft)
        if not words.accept(","):
            break
    if not words.accept(")"):
        raise _unknown(words)
    return draft


def _constraint_name(words: Words) -> None:
    """Read CONSTRAINT name and drop it. A column may be called constraint, so look two words ahead."""
    if words.at("CONSTRAINT") and words.peek(2).word in {
        "PRIMARY",
        "UNIQUE",
        "FOREIGN",
        "CHECK",
        "CARDINALITY",
    }:
        words.expect("CONSTRAINT")
        words.name("the constraint's name")


def _constraint(words: Words, draft: Draft) -> bool:
    if words.accept("PRIMARY", "KEY"):
        draft.keys.append(tuple(words.names("key column")))
    elif words.at("UNIQUE", "("):
        words.expect("UNIQUE")
        draft.unique.append(tuple(words.names("unique column")))
    elif words.accept("FOREIGN", "KEY"):
        draft.foreign_keys.append(_references(words, tuple(words.names("foreign-key column"))))
    elif words.at("CARDINALITY", "LIMIT"):
        words.expect("CARDINALITY", "LIMIT")
        draft.limits.append(read_limit(words))
    elif words.accept("UPDATE", "KEY"):
        draft.update_keys.append(tuple(words.names("key column")))
    elif words.at("CHECK", "("):
        raise words.wrong("HW102", "CHECK is not supported", hint=_REFUSED["CHECK"])
    else:
        return False
    return True


def read_limit(words: Words) -> tuple[int, tuple[Token, ...]]:
    """100 (uid) or 100 ON (uid): at most 100 rows for any one uid; 100 (): at most 100 rows."""
    limit = words.whole_number("a cardinality limit", 1)
    words.accept("ON")
    if not words.at("("):
        raise words.wrong(
            "HW100",
            f"expected ( after CARDINALITY LIMIT {limit}, found {words.peek()}",
            hint=f"Write CARDINALITY LIMIT {limit} (a, b): for any value of a and b; () for the whole table.",
        )
    return limit, () if words.accept("(", ")") else tuple(words.names("column"))


def _references(words: Words, columns: tuple[Token, ...]) -> ForeignKeyDraft:
    words.expect("REFERENCES", after="the foreign key's columns")
    table = words.name("the referenced table")
    referenced = tuple(words.names("referenced column")) if words.at("(") else ()
    if referenced and len(referenced) != len(columns):
        raise words.wrong(
            "HW122", f"{len(columns)} columns cannot reference {len(referenced)}", referenced[0]
        )
    return ForeignKeyDraft(columns, table, referenced)


def _column(words: Words, draft: Draft) -> None:
    name = column_name(words, [column.name.text for column in draft.columns])
    column = ColumnDraft(name, read_type(words))
    draft.columns.append(column)
    while _column_option(words, draft, column):
        pass


def _column_option(words: Words, draft: Draft, column: ColumnDraft) -> bool:
    option = words.peek()
    if words.at("CONSTRAINT"):
        words.expect("CONSTRAINT")
        words.name("the constraint's name")
    if words.accept("NOT", "NULL"):
        column.not_null = True
    elif words.accept("NULL"):
        column.not_null = False
    elif words.accept("DEFAULT"):
        column.default = read_default(words, column.type)
    elif words.accept("PRIMARY", "KEY"):
        draft.keys.append((column.name,))
    elif words.accept("UNIQUE"):
        draft.unique.append((column.name,))
    elif words.at("REFERENCES"):
        draft.foreign_keys.append(_references(words, (column.name,)))
    elif words.accept("TEMPORAL"):
        _mark_temporal(words, column, option)
    elif words.accept("COMMENT"):
        words.string("a comment")
    else:
        return False
    return True


def _mark_temporal(words: Words, column: ColumnDraft, token: Token) -> None:
    if column.type not in TEMPORAL_TYPES:
        raise words.wrong(
            "HW110",
            f'"{column.name.text}" is a {column.type} and cannot be TEMPORAL',
            token,
            detail="TEMPORAL says that values grow as time passes.",
            hint="TEMPORAL columns are TIMESTAMP, TIMESTAMP_NTZ, DATE, BIGINT or INT",
        )
    column.temporal = True


def _unknown(words: Words) -> Exception:
    token = words.peek()
    if token.word in _REFUSED:
        return words.wrong("HW102", f"{token.word} is not supported", hint=_REFUSED[token.word])
    if instead := in_columns(token.word):
        return words.wrong("HW102", f"unexpected {token}", hint=instead)
    hint = f"a column's type may be followed by {', '.join(_COLUMN_WORDS)}; then a comma or )"
    return words.wrong("HW102", f"unexpected {token}", choices=_COLUMN_WORDS, hint=hint)
