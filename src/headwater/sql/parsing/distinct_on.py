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

__all__ = ["without_distinct_on"]


@lru_cache(maxsize=500)
def without_distinct_on(text: str) -> str:
    tokens = lex(Source("<sql>", text))
    if not any(first.word == "DISTINCT" and then.word == "ON" for first, then in pairwise(tokens)):
        return text
    tree = select_tree(parse_select(SqlText(text))).copy()
    return tree.transform(_rewritten).sql(dialect=Headwater())


def _rewritten(node: exp.Expr) -> exp.Expr:
    if not isinstance(node, exp.Select):
        return node
    first_rows = eliminate_distinct_on(node)
    if isinstance(first_rows, exp.Select) and first_rows is not node:  # a star would show the number, too
        for star in [column for column in first_rows.selects if isinstance(column, exp.Star)]:
            star.set("except_", [exp.to_identifier("_row_number")])
    return first_rows
