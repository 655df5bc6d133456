"""Types of columns as the rest of `check` knows them: Spark's names, and whole numbers without their sign.

bigint unsigned, bigserial    bigint
year                          smallint
bit(1), bit(8)                boolean, decimal(20,0)
text COLLATE nocase           string collate nocase
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

__all__ = ["declared_type"]

_KINDS_OF_NUMBERS = {
    "utinyint": "tinyint", "usmallint": "smallint", "year": "smallint", "smallserial": "smallint",
    "mediumint": "int", "umediumint": "int", "uint": "int", "serial": "int", "ubigint": "bigint",
    "bigserial": "bigint", "int128": "bigint", "uint128": "bigint", "int256": "bigint", "uint256": "bigint",
    "udouble": "double", "udecimal": "decimal", "bigdecimal": "decimal", "decfloat": "decimal",
}  # fmt: skip


def declared_type(node: exp.ColumnDef) -> str:
    """The type of a column, with the collation that is written beside it."""
    constraints = [constraint.kind for constraint in node.args.get("constraints") or []]
    return _type(node) + _collation(constraints)


def _type(node: exp.ColumnDef) -> str:
    kind = node.args.get("kind")
    if isinstance(kind, exp.DataType) and kind.this is exp.DataType.Type.BIT and kind.expressions:
        return "boolean" if kind.expressions[0].name == "1" else "decimal(20,0)"
    declared = kind.sql("spark").lower() if kind is not None else "string"
    name, bracket, rest = declared.partition("(")
    return _KINDS_OF_NUMBERS.get(name, name) + bracket + rest


def _collation(constraints: Iterable[exp.Expr | None]) -> str:
    """Which texts of a column are equal, as a part of its type: ` collate nocase`, or ""."""
    named = (kind for kind in constraints if isinstance(kind, exp.CollateColumnConstraint))
    return next((f" collate {kind.this.name.lower()}" for kind in named), "")
