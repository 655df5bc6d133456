"""(a, b) IN (SELECT x, y FROM u ...) as EXISTS (SELECT ... FROM u ... WHERE x = a AND y = b).

The two differ where a value is NULL: the first is unknown, the second false.  So it is written so only where
rows are left out for either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.facts import columns_in, in_order
from headwater.algebra.expressions.tree import Column, Expr, Subquery, call
from headwater.bounds.query.block import Query, Select
from headwater.bounds.reading.expressions.comparable import TypeOf, comparable
from headwater.bounds.reading.expressions.comparisons import unknown_is_false
from headwater.bounds.reading.not_analysed import NotAnalysed

__all__ = ["row_membership"]


def row_membership(
    node: exp.In, query: Query, outer: frozenset[Column], convert: Callable[[exp.Expr], Expr], type_of: TypeOf
) -> Subquery | None:
    """The EXISTS that a membership of a row is; None if it is not one of a plain SELECT."""
    if not isinstance(node.this, exp.Tuple) or not isinstance(query, Select) or not unknown_is_false(node):
        return None
    cut = query.limit is not None or query.offset is not None or query.top is not None
    if query.group is not None or cut or query.windowed:
        return None
    operands = [convert(part) for part in node.this.expressions]
    if len(operands) != len(query.outputs):
        raise NotAnalysed(f"a row of {len(operands)} values is compared with {len(query.outputs)} by IN")
    pairs = [
        comparable(output.expr, operand, type_of)
        for output, operand in zip(query.outputs, operands, strict=True)
    ]
    same = tuple(call("eq", left, right) for left, right in pairs)
    given = {column for operand in operands for column in columns_in(operand)}
    block = replace(query, where=(*query.where, *same), distinct=False, order=())
    return Subquery("exists", block, None, in_order({*outer, *given}))
