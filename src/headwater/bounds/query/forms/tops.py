"""The first n rows of each partition, as a block says it and as the search reads it.

    SELECT * FROM (SELECT ..., ROW_NUMBER() OVER (PARTITION BY k ORDER BY t DESC) AS rn ...) WHERE rn <= 3
    SELECT DISTINCT ON (k) ... ORDER BY k, t DESC

Where every partition is one read of an index (k is bound to values, or to a row read before), the read stops
after n entries.  The rank itself is counted when the rows are cut.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.tree import Call, Column, Expr, Literal
from headwater.bounds.query.block import RANK, Derived, Output, Ranking, Select, Source, Top

__all__ = ["topped", "with_tops"]


def with_tops(block: Select) -> Select:
    """The block with each ranked subquery cut at the rank that its conditions ask for."""
    return replace(block, sources=tuple(_cut(source, block) for source in block.sources))


def _cut(source: Source, block: Select) -> Source:
    if (
        not isinstance(source, Derived)
        or not isinstance(source.query, Select)
        or source.query.ranking is None
    ):
        return source
    if block.left_join(source.alias) is not None:
        return source
    rank = Column(source.query.ranking.name, source.alias)
    bounds = [bound for condition in block.where if (bound := _most(condition, rank)) is not None]
    return replace(source, query=topped(source.query, min(bounds))) if bounds else source


def _most(condition: Expr, rank: Expr) -> int | None:
    """The largest rank that the condition lets through: rn <= 3, rn < 4, rn = 1, 3 >= rn."""
    match condition:
        case Call("lte" | "eq", (term, Literal(int() as number))) if term == rank:
            return max(number, 0)
        case Call("lt", (term, Literal(int() as number))) if term == rank:
            return max(number - 1, 0)
        case Call("gte" | "eq", (Literal(int() as number), term)) if term == rank:
            return max(number, 0)
        case Call("gt", (Literal(int() as number), term)) if term == rank:
            return max(number - 1, 0)
        case _:
            return None


def topped(query: Select, count: int) -> Select:
    """The ranked query with its first `count` rows of each partition alone, and their rank as an output."""
    ranking = query.ranking
    assert ranking is not None
    outputs = tuple(_ranked(output, ranking) for output in query.outputs)
    top = Top(ranking.partition, ranking.order, count)
    return replace(query, outputs=outputs, top=top, ranking=None, windowed=False)


def _ranked(output: Output, ranking: Ranking) -> Output:
    return Output(output.name, RANK) if output.name == ranking.name else output
