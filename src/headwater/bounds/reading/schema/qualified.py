"""Names with a schema in front: `audit.person` beside `public.person`.

Most files have each name once, with or without its schema, and then the schema does not matter.  Where two
schemas have tables of one name, the one of the usual schema keeps the plain name; the other is called
`schema.name`, and only a statement that names its schema means it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.names import spelling

__all__ = [
    "is_of_several",
    "declared_name",
    "dropped_names",
    "plain_name",
    "qualified_name",
    "same_schema",
    "schema_of",
]

_USUAL = ("", "public", "dbo", "main", "default")
_AFTER_NAMES = ("CASCADE", "RESTRICT", "PURGE", "CONSTRAINTS")


def schema_of(node: exp.Expr) -> str:
    """The schema that a table's name is written with, in small letters, or ""."""
    return node.db.lower() if isinstance(node, exp.Table) else ""


def same_schema(left: str, right: str) -> bool:
    return left == right or (left in _USUAL and right in _USUAL)


def qualified_name(name: str, schema: str) -> str:
    return name if schema in _USUAL else f"{schema}.{name}"


def plain_name(name: str) -> str:
    return name.rpartition(".")[2]


def declared_name(node: exp.Expr, declared: Iterable[str], schemas: Mapping[str, str]) -> str | None:
    """The declared table that a node names; `schemas`: that of each plain name, where it was written.

    A name without its schema may mean a table of any: there is one, or the usual one.
    """
    names, schema = list(declared), schema_of(node)
    whole = spelling(f"{schema}.{node.name}", names) if schema else None
    plain = spelling(node.name, names)
    if whole is not None or plain is None or not schema:
        return whole or plain
    return plain if same_schema(schemas.get(plain.lower(), schema), schema) else None


def is_of_several(node: exp.Table, declared: Iterable[str], schemas: Mapping[str, str]) -> bool:
    """Is a name without its schema that of several tables, none of them of the usual schema?"""
    name = node.name.lower()
    same = [table for table in declared if plain_name(table).lower() == name]
    return not node.db and len(same) > 1 and schemas.get(name, "") not in _USUAL


def dropped_names(tokens: Sequence[Token]) -> list[str]:
    """The names after DROP TABLE [IF EXISTS], each with its schema if it is written."""
    names: list[str] = []
    parts: list[str] = []
    for token in tokens:
        if token.text == ",":
            names.append("".join(parts))
            parts = []
        elif token.word not in ("IF", "EXISTS", *_AFTER_NAMES):
            parts.append(token.text)
    return [*names, "".join(parts)]
