"""Which relations a SELECT reads, and the order of views that follows."""

from __future__ import annotations

import pytest

from headwater.model import ForeignKey, SqlText
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.sql.parsing.parser import select_tree
from headwater.sql.parsing.relations import relations_read


@pytest.mark.parametrize(
    ("select", "names"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM a JOIN b ON a.x = b.x LEFT JOIN a AS c USING (x)", ["a", "b", "a"]),
        ("SELECT * FROM a, `B`", ["a", "B"]),
        ("WITH a AS (SELECT * FROM b) SELECT * FROM A", ["b"]),
        ("WITH a AS (SELECT * FROM a) SELECT * FROM a", ["a"]),
        ("WITH a AS (SELECT * FROM x), b AS (SELECT * FROM a) SELECT * FROM b, c", ["x", "c"]),
        ("WITH b AS (SELECT * FROM a), a AS (SELECT 1) SELECT * FROM b, a", ["a"]),
        ("WITH a AS (SELECT 1) SELECT * FROM (WITH b AS (SELECT * FROM a) SELECT * FROM b) JOIN b", ["b"]),
        ("WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL SELECT x FROM a JOIN b) SELECT * FROM a", ["b"]),
        ("WITH a AS (SELECT 1) SELECT * FROM s.a", ["a"]),
        ("SELECT (SELECT 1 FROM b) FROM a WHERE x IN (SELECT x FROM c) AND EXISTS (SELECT 1 FROM d)",
         ["b", "a", "c", "d"]),
        ("SELECT * FROM a UNION ALL (SELECT * FROM b EXCEPT SELECT * FROM c)", ["a", "b", "c"]),
        ("SELECT * FROM a LATERAL VIEW explode(xs) t AS x", ["a"]),
        ("SELECT * FROM range(10) r JOIN a", ["a"]),
        ("SELECT a.b.c FROM a", ["a"]),
    ],
)  # fmt: skip
def test_relations_read(select: str, names: list[str]) -> None:
    readings = relations_read(select_tree(SqlText(select)))
    assert [reading.name for reading in readings] == names
    for reading in readings:
        assert select[reading.start : reading.start + reading.length].strip("`") == reading.name


def test_views_come_after_those_they_read_and_else_as_declared() -> None:
    text = "".join(
        f"CREATE MATERIALIZED VIEW {name} AS SELECT * FROM {', '.join(reads)};"
        for name, reads in {"d": ["B", "c"], "e": ["t"], "c": ["b"], "b": ["t"], "a": ["t"]}.items()
    )
    statements = resolve(parse_statements("CREATE TABLE t (x INT);" + text))
    assert [view.name for view in statements.views] == ["e", "b", "a", "c", "d"]


def test_references_take_the_declared_spelling() -> None:
    text = (
        "CREATE TABLE a (x INT REFERENCES USERS, y BIGINT REFERENCES Users (ID)) AT SITE PLANGO;"
        "CREATE TABLE Users (Id INT PRIMARY KEY) AT SITE Default;"
        "EXPLAIN CREATE MATERIALIZED VIEW e AT SITE plango AS SELECT * FROM A;"
        "CREATE MATERIALIZED VIEW e AS SELECT * FROM A"
    )
    statements = resolve(parse_statements(text), ("Plango",))
    assert statements.tables[0].foreign_keys == (
        ForeignKey(("x",), "Users", ("Id",)),
        ForeignKey(("y",), "Users", ("Id",)),
    )
    assert [table.site for table in statements.tables] == ["Plango", "default"]
    assert (statements.explained[0].site, statements.views[0].site) == ("Plango", "default")


def test_a_table_may_reference_itself() -> None:
    statements = resolve(parse_statements("CREATE TABLE t (a INT PRIMARY KEY, parent INT REFERENCES t)"))
    assert statements.tables[0].foreign_keys == (ForeignKey(("parent",), "t", ("a",)),)


def test_a_thousand_views_in_a_chain() -> None:
    text = "CREATE TABLE v1000 (x INT);" + "".join(
        f"CREATE MATERIALIZED VIEW v{n} AS SELECT * FROM v{n + 1};" for n in range(1000)
    )
    assert resolve(parse_statements(text)).views[0].name == "v999"
