"""The tree of a window join, as it is written.

    FROM a JOIN b ON a.x = b.x JOIN c ON b.y = c.y                               ((a b) c)
    FROM a JOIN b ON a.x = b.x JOIN c JOIN d ON c.z = d.z AND b.y = c.y          ((a b) (c d))

A JOIN whose ON names none of the tables before it begins a branch of its own, which goes on as long as an ON
names a table of it; a JOIN that names tables of the branch before as well, and of its own, joins the last
one. At the end the branches are joined from left to right.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.model import Branch
from headwater.sql.parsing.names import same_name

__all__ = ["join_tree"]


def join_tree(select: exp.Select, streams: list[str]) -> Branch:
    """Over the positions of the streams in FROM."""
    branches: list[tuple[Branch, list[int]]] = [(0, [0])]
    for index, join in enumerate(select.args.get("joins") or (), start=1):
        named = _named(join.args.get("on"), streams[:index])
        tree, members = branches[-1]
        if named is None or named & set(members):
            branches[-1] = ((tree, index), [*members, index])
        else:
            branches.append((index, [index]))
    whole = branches[0][0]
    for branch, _ in branches[1:]:
        whole = (whole, branch)
    return whole


def _named(on: exp.Expr | None, before: list[str]) -> set[int] | None:
    """Which of the streams before a condition names; None if that cannot be told."""
    if on is None:
        return set()
    columns = list(on.find_all(exp.Column))
    if any(not column.table for column in columns):
        return None
    return {
        index for index, name in enumerate(before) if any(same_name(column.table, name) for column in columns)
    }
