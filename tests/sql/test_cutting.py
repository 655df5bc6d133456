"""A statement is cut out exactly; what is left declares everything else as before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.sql.ddl.cutting import cut_view, statement_texts
from headwater.sql.ddl.statements import parse_statements
from support.cases import law

FILE = """-- the head
CREATE TABLE t (a INT); -- about t

-- about v
CREATE MATERIALIZED VIEW v AS
  SELECT ';' AS a FROM t /* ; */
;
CREATE OR REPLACE MATERIALIZED VIEW `w` OWNER = 'x' AS SELECT a FROM t; CREATE QUERY q AS SELECT a FROM t;
-- name: r
SELECT a FROM t WHERE a = :a
"""


def test_a_view_on_lines_of_its_own() -> None:
    start = FILE.index("CREATE MATERIALIZED VIEW v")
    assert cut_view(FILE, "V") == FILE[:start] + FILE[FILE.index("CREATE OR REPLACE") :]


def test_a_view_on_a_line_with_others() -> None:
    left = cut_view(FILE, "w")
    assert left is not None
    assert "\n CREATE QUERY q" in left
    assert "OR REPLACE" not in left


@pytest.mark.parametrize("text", [
    "CREATE MATERIALIZED VIEW v AS SELECT 1", "-- x\r\nCREATE MATERIALIZED VIEW v AS SELECT 1;\r\n-- y", " ;; CREATE MATERIALIZED VIEW v AS SELECT 1 ;;",
])  # fmt: skip
def test_a_view_alone_leaves_nothing(text: str) -> None:
    assert cut_view(text, "v") is None


def test_the_last_statement_without_a_semicolon() -> None:
    assert (
        cut_view("CREATE TABLE t (a INT);\r\nCREATE MATERIALIZED VIEW v AS SELECT 1", "v")
        == "CREATE TABLE t (a INT);\r\n"
    )


def test_pieces_come_with_the_comments_above_them() -> None:
    statements = statement_texts(FILE)
    assert [statement.view for statement in statements] == ["", "v", "w", "", ""]
    assert statements[1].comments == "-- about t\n\n-- about v"
    assert statements[1].text.startswith("CREATE MATERIALIZED VIEW v")
    assert statements[1].text.endswith("FROM t;")


gap = st.sampled_from(["", " ", "\n", "\r\n", "\n-- a ; b\n", " /* ; */ ", "\n\n", "-- 'x\n"])
statement = st.sampled_from([
    "CREATE TABLE {} (a INT)", "CREATE MATERIALIZED VIEW {} AS SELECT ';' AS x -- ;\n", "CREATE QUERY {} AS SELECT 1",
    "CREATE MATERIALIZED VIEW IF NOT EXISTS {} FRESHNESS = '5 s' AS\n  SELECT 1 AS x /* '; */",
])  # fmt: skip


@given(st.lists(st.tuples(gap, statement, gap), min_size=2, max_size=6), gap, st.data())
@law(150)
def test_the_others_stay_as_they_were(
    parts: list[tuple[str, str, str]], tail: str, data: st.DataObject
) -> None:
    text = "".join(f"{a}{statement.format(f'n{i}')}{b};" for i, (a, statement, b) in enumerate(parts)) + tail
    before = parse_statements(text)
    if not before.views:
        return
    gone = data.draw(st.sampled_from([view.name for view in before.views]))
    left = cut_view(text, gone)
    assert left is not None
    after = parse_statements(left)
    assert [table.name for table in after.tables] == [table.name for table in before.tables]
    assert [(query.name, query.sql.text) for query in after.queries] == [
        (query.name, query.sql.text) for query in before.queries
    ]
    assert [(view.name, view.sql.text, view.freshness) for view in after.views] == [
        (view.name, view.sql.text, view.freshness) for view in before.views if view.name != gone
    ]
    # Every comment of a gap is still there, in order.
    position = 0
    for before_gap, _, _ in parts:
        comment = before_gap.strip()
        if comment:
            position = left.index(comment, position) + len(comment)
