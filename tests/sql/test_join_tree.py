"""The tree of a window join, as FROM is written."""

from __future__ import annotations

import pytest

from headwater.model import Branch
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

TABLES = "".join(
    f"CREATE TABLE {name} (id BIGINT PRIMARY KEY, k BIGINT, {name}k BIGINT, at TIMESTAMP TEMPORAL);"
    for name in "abcde"
)


@pytest.mark.parametrize(
    ("joined", "tree"),
    [
        ("a JOIN b ON a.k = b.k", (0, 1)),
        ("a JOIN b ON a.k = b.k JOIN c ON c.k = b.k", ((0, 1), 2)),
        ("a JOIN b ON a.k = b.k JOIN c ON C.k = A.k JOIN d ON d.k = b.k", (((0, 1), 2), 3)),
        ("a JOIN b ON a.k = b.k JOIN c ON true JOIN d ON c.k = d.k AND b.k = c.k", ((0, 1), (2, 3))),
        ("a x JOIN a y ON x.k = y.k JOIN a z ON z.id = 3 JOIN b w ON w.k = z.k WHERE z.k = x.k", ((0, 1), (2, 3))),
        ("a JOIN b ON a.k = b.k JOIN c ON c.id > 1 JOIN d ON c.k = d.k AND d.k = a.k JOIN e ON e.k = d.k",
         ((0, 1), ((2, 3), 4))),
        ("a JOIN b ON a.k = b.k JOIN c ON true JOIN d ON d.k = a.k AND c.k = d.k JOIN e ON e.k = a.k",
         (((0, 1), (2, 3)), 4)),
        ("a JOIN b ON a.k = b.k JOIN c ON ck = bk", ((0, 1), 2)),  # whose columns these are is not asked
    ],
)  # fmt: skip
def test_a_join_that_names_no_table_before_begins_a_branch(joined: str, tree: Branch) -> None:
    view = (
        "CREATE MATERIALIZED VIEW v WINDOW = '1 minute' ON OVERLOAD ADAPT JOINS ALLOW CROSS JOIN AS"
        f" SELECT 1 AS one FROM {joined}"
    )
    (declared,) = resolve(parse_statements(TABLES + view)).views
    assert declared.window is not None
    assert declared.window.tree == tree
