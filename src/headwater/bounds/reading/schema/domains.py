"""How many values a column can have, where the schema says: ENUM types and CHECK constraints.

CHECK (state IN ('new', 'paid'))         two
CHECK (stars BETWEEN 1 AND 5)            five, if the column holds whole numbers
CHECK (slot >= 0 AND slot < 60)          sixty
CHECK (only = 1)                         one
CHECK (kind = 'x' OR kind = 'y')         two
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sqlglot import exp

from headwater.sql.parsing.names import spelling

__all__ = ["checked_domains", "enum_size", "type_domain"]


_BYTES = (exp.DataType.Type.TINYINT, exp.DataType.Type.UTINYINT)


def enum_size(tree: exp.Create) -> int | None:
    """The number of values of a CREATE TYPE ... AS ENUM."""
    return _enum(tree.expression)


def type_domain(kind: exp.Expr | None, enums: Mapping[str, int]) -> int | None:
    """The number of values of a column's type, if it is an ENUM or holds a byte."""
    size = _enum(kind)
    if size is None and isinstance(kind, exp.DataType) and kind.this in _BYTES:
        return 256
    if size is None and isinstance(kind, exp.DataType):
        named = kind.args.get("kind") or kind.this
        name = named.name if isinstance(named, exp.Expr) else str(named)
        return enums.get(name.strip('"').lower())
    return size


def _enum(kind: exp.Expr | None) -> int | None:
    is_enum = isinstance(kind, exp.DataType) and kind.this is exp.DataType.Type.ENUM
    return len(kind.expressions) if is_enum and kind is not None and kind.expressions else None


def checked_domains(check: exp.Expr | None, whole: Collection[str]) -> Iterator[tuple[str, int]]:
    """Columns that a CHECK limits to so many values; `whole` are those of whole numbers."""
    if check is None:
        return
    lows: dict[str, int] = {}
    highs: dict[str, int] = {}
    check = _bare(check)
    for condition in map(_bare, check.flatten() if isinstance(check, exp.And) else [check]):
        condition = _as_list(condition)
        column = _bare(condition.this) if isinstance(condition.this, exp.Expr) else None
        if not isinstance(column, exp.Column | exp.Identifier):
            continue
        size = _size(condition)
        if size is not None:
            yield column.name, size
        name = spelling(column.name, whole)
        if name is not None:
            low, high = _ends(condition)
            lows |= {name: max(low, lows.get(name, low))} if low is not None else {}
            highs |= {name: min(high, highs.get(name, high))} if high is not None else {}
    for name in lows.keys() & highs.keys():
        yield name, max(0, highs[name] - lows[name] + 1)


def _as_list(condition: exp.Expr) -> exp.Expr:
    """kind = 'x' OR kind = 'y' as kind IN ('x', 'y')."""
    parts = [_bare(part) for part in condition.flatten()] if isinstance(condition, exp.Or) else []
    if not parts or not all(isinstance(part, exp.EQ) and _is_constant(part.expression) for part in parts):
        return condition
    if len({_bare(part.this).sql().lower() for part in parts}) > 1:
        return condition
    return exp.In(this=parts[0].this.copy(), expressions=[part.expression.copy() for part in parts])


def _ends(condition: exp.Expr) -> tuple[int | None, int | None]:
    """The least and the greatest whole number that a comparison with constants allows."""
    match condition:
        case exp.Between() if not condition.args.get("symmetric"):
            return _integer(condition.args["low"]), _integer(condition.args["high"])
        case exp.GTE():
            return _integer(condition.expression), None
        case exp.LTE():
            return None, _integer(condition.expression)
        case exp.GT() if (number := _integer(condition.expression)) is not None:
            return number + 1, None
        case exp.LT() if (number := _integer(condition.expression)) is not None:
            return None, number - 1
        case _:
            return None, None


def _integer(node: exp.Expr) -> int | None:
    node = _bare(node)
    if isinstance(node, exp.Neg):
        number = _integer(node.this)
        return None if number is None else -number
    is_whole = isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit()
    return int(node.this) if is_whole else None


def _size(condition: exp.Expr) -> int | None:
    match condition:
        case exp.In() if condition.expressions and all(map(_is_constant, condition.expressions)):
            return len(condition.expressions)
        case exp.EQ() if isinstance(_bare(condition.expression), exp.Any):
            values = _bare(_bare(condition.expression).this)
            constant = isinstance(values, exp.Array) and all(map(_is_constant, values.expressions))
            return len(values.expressions) if constant else None
        case exp.EQ() if _is_constant(condition.expression):
            return 1
        case _:
            return None


def _bare(node: exp.Expr) -> exp.Expr:
    """Without parentheses and casts, which pg_dump writes around everything."""
    while isinstance(node, exp.Paren | exp.Cast) and isinstance(node.this, exp.Expr):
        node = node.this
    return node


def _is_constant(node: exp.Expr) -> bool:
    return isinstance(_bare(node), exp.Literal | exp.Boolean)
