"""A SELECT of a UNION ALL, as a view over partitions is: the union of that SELECT of each branch.

SELECT a FROM (SELECT a, k FROM t UNION ALL SELECT a, k FROM u) d WHERE k = :k ORDER BY a LIMIT 10
SELECT a FROM t WHERE k = :k UNION ALL SELECT a FROM u WHERE k = :k ORDER BY a LIMIT 10
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.tree import Column, Expr
from headwater.bounds.query.block import Derived, Order, Output, Query, Select, Union
from headwater.bounds.query.forms.merging import mergeable

__all__ = ["with_branches"]


def with_branches(query: Query) -> Query:
    """The union of what the query asks of each branch; the query itself if it is of no such form."""
    if not isinstance(query, Select) or len(query.sources) != 1 or not _is_plain(query):
        return query
    (source,) = query.sources
    if not isinstance(source, Derived) or not isinstance(source.query, Union) or query.left_joins:
        return query
    union, order = source.query, _by_outputs(query)
    cut = union.order or union.limit is not None or union.offset is not None
    if union.kind != "all" or cut or order is None:
        return query
    branches = [_branch(query, source.alias, union.columns, branch) for branch in union.branches]
    kept = tuple(branch for branch in branches if branch is not None)
    if len(kept) < len(branches):
        return query
    return Union(kept, "all", order, query.limit, query.offset)


def _is_plain(query: Select) -> bool:
    return query.group is None and not (query.having or query.distinct or query.windowed or query.top)


def _by_outputs(query: Select) -> tuple[Order, ...] | None:
    """The order by the names of what is shown; None if it is by something else."""
    names = {output.expr: output.name for output in reversed(query.outputs)}
    if not all(item.expr in names for item in query.order):
        return None
    return tuple(replace(item, expr=Column(names[item.expr])) for item in query.order)


def _branch(query: Select, alias: str, columns: tuple[str, ...], branch: Query) -> Select | None:
    """What the query asks of one branch, in terms of the branch's own sources."""
    if not isinstance(branch, Select) or not mergeable(branch) or branch.order:
        return None
    own: dict[Expr, Expr] = {
        Column(name, alias): output.expr for name, output in zip(columns, branch.outputs, strict=True)
    }
    asked = replace(query, sources=(), order=(), limit=None, offset=None, ranking=None).substitute(own)
    outputs = tuple(
        Output(output.name, new.expr) for output, new in zip(query.outputs, asked.outputs, strict=True)
    )
    where = tuple(dict.fromkeys((*branch.where, *asked.where)))
    return replace(branch, outputs=outputs, where=where)
