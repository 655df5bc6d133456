"""Subqueries in what GROUP BY groups by: columns of the rows, before there are groups.

    SELECT k IN (SELECT k FROM u) AS f, count(*) FROM t GROUP BY f

    Aggregate [f = mark IS NOT NULL] [count(1)]
      OuterJoin of t and the different keys of u, each with a mark

The same subquery in the select list or HAVING then means the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.sql.translate.env import Env
from headwater.sql.translate.gathered import Gathered
from headwater.sql.translate.groups.group_keys import key_nodes
from headwater.sql.translate.groups.items import Item
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.relations.subqueries import is_subquery_value
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["add_key_subqueries"]


def add_key_subqueries(
    rows: Rows, node: exp.Expr, items: Sequence[Item], env: Env
) -> tuple[Rows, dict[exp.Expr, Typed]]:
    """The rows with what the subqueries of the keys need, and the value of each."""
    gathered = Gathered(for_subqueries=True)
    reader = env.expressions(rows, "SELECT", gathered=gathered)
    values: dict[exp.Expr, Typed] = {}
    for key in key_nodes(node, items, rows):
        for subquery in _subqueries(key):
            if subquery not in values:
                values[subquery] = reader.translate(subquery)
    return replace(rows, plan=gathered.join(rows.plan)), values


def _subqueries(key: exp.Expr) -> Iterator[exp.Expr]:
    """The values of subqueries in an expression, the outermost."""
    for part in key.walk(prune=is_subquery_value):
        if is_subquery_value(part):
            yield part
