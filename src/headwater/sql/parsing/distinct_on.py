"""DISTINCT ON for Spark, which does not have it: the first row of each group, by a window function.

SELECT DISTINCT ON (k) k, v FROM t ORDER BY k, at
SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY k, at) AS n FROM t) WHERE n = 1
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from sqlglot import exp
from sqlglot.transforms import eliminate_distinct_on

from headwater.model import SqlText
from headwater.sql.parsing.dialect import Headwater
from headwater.sql.parsing.lexer import Source, lex
from headwater.sql.parsing.parser import parse_select, select_tree

__all__ = ["first_rows", "is_distinct_on", "without_distinct_on"]


@lru_cache(maxsize=500)
def without_distinct_on(text: str) -> str:
    tokens = lex(Source("<sql>", text))
    if not any(first.word == "DISTINCT" and then.word == "ON" for first, then in pairwise(tokens)):
        return text
    tree = select_tree(parse_select(SqlText(text))).copy()
    return tree.transform(lambda node: first_rows(node) if is_distinct_on(node) else node).sql(
        dialect=Headwater()
    )


def is_distinct_on(node: exp.Expr) -> bool:
    distinct = node.args.get("distinct")
    return isinstance(distinct, exp.Distinct) and distinct.args.get("on") is not None


def first_rows(select: exp.Expr) -> exp.Select:
    """A SELECT DISTINCT ON as one over numbered rows."""
    rewritten = eliminate_distinct_on(select.copy())
    assert isinstance(rewritten, exp.Select)
    for number in list(rewritten.find_all(exp.RowNumber)):  # our dialect knows functions by their names
        number.replace(exp.Anonymous(this="row_number"))
    for name in [name for name in rewritten.selects if isinstance(name, exp.Identifier)]:
        name.replace(exp.column(name.copy()))
    for column in rewritten.selects:
        if isinstance(column, exp.Star):  # it would show the number, too
            column.set("except_", [exp.column("_row_number")])
    return rewritten
