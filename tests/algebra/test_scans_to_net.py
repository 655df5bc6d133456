"""Which rows that came and went a recompute has to find: those that are not merely counted and handed on."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.algebra.stages.as_a_whole import scans_to_net
from headwater.catalog import keep
from headwater.model import Column, SqlText, View

TABLES = {name: tuple(Column(column, "bigint") for column in ("id", "k", "n")) for name in ("facts", "dims")}
NEWEST = "SELECT id, k FROM facts QUALIFY row_number() OVER (PARTITION BY k ORDER BY id DESC) = 1"


@pytest.mark.parametrize(
    ("sql", "always", "in_the_result"),
    [
        # Sums take rows by their weights, here below and in the view itself.
        ("SELECT k, sum(n) AS s FROM facts GROUP BY k", set(), set()),
        ("SELECT k, sum(n) AS s FROM facts GROUP BY k ORDER BY s DESC LIMIT 3", set(), set()),
        # A window function ranks rows, and an extreme is one of them.
        (NEWEST, {"facts"}, {"facts"}),
        ("SELECT k, max(n) AS most FROM facts GROUP BY k", {"facts"}, {"facts"}),
        # Rows that are handed on may cancel at the end.
        ("SELECT f.id, d.n FROM facts f JOIN dims d ON d.k = f.k", set(), {"facts", "dims"}),
        # A row that went is no partner.
        ("SELECT f.id FROM facts f LEFT JOIN dims d ON d.k = f.k", {"dims"}, {"facts", "dims"}),
        ("SELECT f.id FROM facts f RIGHT JOIN dims d ON d.k = f.k", {"facts"}, {"facts", "dims"}),
        ("SELECT f.id FROM facts f FULL JOIN dims d ON d.k = f.k", {"facts", "dims"}, {"facts", "dims"}),
        ("SELECT id FROM facts f WHERE n > (SELECT avg(n) FROM dims d WHERE d.k = f.k)", set(), {"facts"}),
    ],
)
def test_which_rows_must_be_net(sql: str, always: set[str], in_the_result: set[str]) -> None:
    kept = keep(View("v", SqlText(sql), timedelta(minutes=1)), TABLES)
    assert {scan.relation for scan in scans_to_net(kept, result=False)} == always
    assert {scan.relation for scan in scans_to_net(kept, result=True)} == in_the_result
