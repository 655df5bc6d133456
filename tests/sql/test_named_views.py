"""CREATE VIEW: a named query dissolves into its readers, and errors point at what was written."""

from __future__ import annotations

import pytest

from headwater.errors import InputError
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.sql.translate import Translated, translate

TABLE = "CREATE TABLE t (a INT, b INT);\n"


def translated(ddl: str) -> Translated:
    statements = resolve(parse_statements(TABLE + ddl, "views.sql"))
    assert statements.named == ()
    return translate(statements.views[-1], {"t": statements.tables[0].columns})


def refused(ddl: str) -> InputError:
    with pytest.raises(InputError) as caught:
        translated(ddl)
    return caught.value


@pytest.mark.parametrize("ddl", [
    "CREATE VIEW p AS SELECT a, b FROM t WHERE a > 1; CREATE MATERIALIZED VIEW v AS SELECT a, count(*) AS n FROM p GROUP BY a;",
    "CREATE OR REPLACE VIEW p AS SELECT a FROM t -- why\n; CREATE MATERIALIZED VIEW v AS SELECT a, 1 AS n FROM P;",
    "CREATE MATERIALIZED VIEW v AS SELECT x AS a, 2 AS n FROM q; CREATE VIEW q (x) AS SELECT a FROM p; CREATE VIEW p AS SELECT a FROM t;",
    "CREATE VIEW p AS SELECT a FROM t; CREATE MATERIALIZED VIEW v AS WITH z AS (SELECT a FROM p) SELECT z.a, 3 AS n FROM z JOIN p ON p.a = z.a;",
    "CREATE VIEW p AS WITH z AS (SELECT a FROM t) SELECT a FROM z; CREATE MATERIALIZED VIEW v AS (SELECT a, 1 AS n FROM p) UNION ALL SELECT a, b FROM t;",
])  # fmt: skip
def test_it_dissolves_into_its_readers(ddl: str) -> None:
    view = translated(ddl)
    assert view.plan is not None
    assert (view.columns, view.reads) == (("a", "n"), ("t",))


@pytest.mark.parametrize(("ddl", "code", "at"), [
    ("CREATE VIEW p AS SELECT a,\n  nope FROM t;\nCREATE MATERIALIZED VIEW v AS SELECT a FROM p;", "HW302", (3, 3)),
    ("CREATE VIEW p AS SELECT a FROM t;\nCREATE MATERIALIZED VIEW v AS SELECT a, nope FROM p;", "HW302", (3, 41)),
    ("CREATE VIEW p AS SELECT a FROM t;\nCREATE MATERIALIZED VIEW v AS WITH z AS (SELECT nope FROM p) SELECT nope FROM z;", "HW302", (3, 49)),
    ("CREATE VIEW p AS SELECT a FROM r;\nCREATE MATERIALIZED VIEW v AS SELECT a FROM t;", "HW120", (2, 32)),
    ("CREATE VIEW p AS SELECT a FROM q; CREATE VIEW q AS SELECT a FROM p;\nCREATE MATERIALIZED VIEW v AS SELECT a FROM p;", "HW121", (2, 47)),
    ("CREATE VIEW t AS SELECT 1 AS a;\nCREATE MATERIALIZED VIEW v AS SELECT a FROM t;", "HW104", (2, 13)),
    ("CREATE VIEW p FRESHNESS = INTERVAL '1' SECOND AS SELECT a FROM t;", "HW100", (2, 15)),
])  # fmt: skip
def test_errors_point_at_what_was_written(ddl: str, code: str, at: tuple[int, int]) -> None:
    error = refused(ddl)
    assert error.place is not None
    assert (error.code, (error.place.line, error.place.column)) == (code, at)


def test_an_obstacle_inside_it_has_its_place() -> None:
    view = translated(
        "CREATE VIEW p AS SELECT a FROM t TABLESAMPLE (10 PERCENT) REPEATABLE (7);\n"
        "CREATE MATERIALIZED VIEW v AS SELECT a FROM p;"
    )
    place = view.obstacles[0].place
    assert place is not None
    assert place.line == 2


def test_queries_read_it_too() -> None:
    ddl = "CREATE VIEW p AS SELECT a, b FROM t WHERE b > 0; CREATE QUERY q AS SELECT b FROM p WHERE a = :a;"
    (query,) = resolve(parse_statements(TABLE + ddl, "views.sql")).queries
    assert query.sql.text == "WITH `p` AS (SELECT a, b FROM t WHERE b > 0\n) SELECT b FROM p WHERE a = :a"
