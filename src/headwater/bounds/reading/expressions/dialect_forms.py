"""What one dialect means by what others write too, written so that it means the same for all.

    CAST(code AS VARCHAR)    of SQL Server keeps thirty characters: CAST(code AS VARCHAR(30))
    code::char               keeps one in standard SQL, all of them in MySQL and SQLite
    @prefix + '%'            of SQL Server joins texts: @prefix || '%'

Many values have the same beginning, so a key on a text does not answer a comparison with a part of it.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["in_common_form"]

_KEEPING_ALL = ("mysql", "sqlite")
_CHAR = (exp.DataType.Type.CHAR, exp.DataType.Type.NCHAR)
_VARCHAR = (exp.DataType.Type.VARCHAR, exp.DataType.Type.NVARCHAR)


def in_common_form(tree: exp.Expr, dialect: str) -> exp.Expr:
    lengths = dict.fromkeys(_CHAR, 1) if dialect not in _KEEPING_ALL else {}
    if dialect == "tsql":
        lengths = dict.fromkeys((*_CHAR, *_VARCHAR), 30)
        tree = tree.transform(_with_joined_texts, copy=False)
    for cast in tree.find_all(exp.Cast):
        length = lengths.get(cast.to.this) if not cast.to.expressions else None
        if length is not None:
            cast.to.set("expressions", [exp.DataTypeParam(this=exp.Literal.number(length))])
    return tree


def _with_joined_texts(node: exp.Expr) -> exp.Expr:
    """A sum with a text in it; that of the sum's own parts is done when they are reached."""
    sides = (node.this, node.expression) if isinstance(node, exp.Add) else ()
    if any(isinstance(side, exp.Literal) and side.is_string for side in sides):
        return exp.DPipe(this=node.this, expression=node.expression)
    return node
