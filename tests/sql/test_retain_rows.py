"""The RETAIN clause of CREATE MATERIALIZED VIEW."""

from __future__ import annotations

import pytest

from headwater.errors import InputError
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.sql.translate import Translated, translate

TABLE = "CREATE TABLE e (k STRING, at TIMESTAMP TEMPORAL);\n"
MINUTES = "window(at, '1 minute')"
GROUPED = f"SELECT k, {MINUTES} AS w, count(*) AS n FROM e GROUP BY k, {MINUTES}"


def translated(ddl: str) -> Translated:
    statements = resolve(parse_statements(TABLE + ddl, "views.sql"))
    return translate(statements.views[-1], {"e": statements.tables[0].columns})


@pytest.mark.parametrize(
    ("name", "clause", "select", "condition"),
    [
        ("v", "RETAIN INTERVAL '7' DAY", GROUPED, "`w`.`end` >= now() - INTERVAL '7' DAY"),
        ("v", "RETAIN = 90 MINUTES", GROUPED, "`w`.`end` >= now() - INTERVAL '90' MINUTE"),
        ("v", "RETAIN INTERVAL '7' DAY ON W", GROUPED, "`w`.`end` >= now() - INTERVAL '7' DAY"),
        ("v", "RETAIN INTERVAL '7' DAY ON w.start", GROUPED, "`w`.`start` >= now() - INTERVAL '7' DAY"),
        ("v (k, minute)", "RETAIN '1 hour' ON minute", GROUPED, "`w`.`end` >= now() - INTERVAL '1' HOUR"),
        ("v", "TBLPROPERTIES ('headwater.retain' = '7 days')", GROUPED, "`w`.`end` >= now() - INTERVAL '7' DAY"),
        (
            "v", "RETAIN INTERVAL '7' DAY", f"SELECT window, count(*) AS n FROM e GROUP BY {MINUTES}",
            "`window`.`end` >= now() - INTERVAL '7' DAY",
        ),
        (
            "v", "RETAIN INTERVAL '7' DAY ON at FRESHNESS = '5 seconds'", "WITH r AS (SELECT * FROM e) SELECT * FROM r",
            "`at` IS NULL OR `at` >= now() - INTERVAL '7' DAY",
        ),
    ],
)  # fmt: skip
def test_it_is_a_condition_on_now(name: str, clause: str, select: str, condition: str) -> None:
    view = translated(f"CREATE MATERIALIZED VIEW {name} {clause} AS {select}\n;")
    assert view.sql.startswith(f"SELECT * FROM ({select}")
    assert view.sql.endswith(f"\n) WHERE {condition}")
    assert view.plan is not None


@pytest.mark.parametrize(
    ("clause", "select", "code", "message", "place"),
    [
        ("RETAIN INTERVAL '7' DAY", "SELECT k, at FROM e", "HW126", "needs ON", "2:35"),
        ("RETAIN INTERVAL '7' DAY ON ad", "SELECT k, at FROM e", "HW126", 'no column "ad"', "2:55"),
        ("RETAIN INTERVAL '7' DAY ON ad", "SELECT * FROM e", "HW302", "unknown column", "2:55"),
        ("RETAIN INTERVAL '7' DAY", GROUPED.replace("AS w", ""), "HW126", "needs a name", "2:35"),
        ("RETAIN INTERVAL '1' MONTH", GROUPED, "HW108", "no fixed length", "2:44"),
        ("RETAIN INTERVAL '7' DAY ON at", "SELECT k, at, wrong FROM e", "HW302", "wrong", "2:75"),
    ],
)
def test_wrong_input(clause: str, select: str, code: str, message: str, place: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        translated(f"CREATE MATERIALIZED VIEW v {clause} AS {select};")
    assert caught.value.code == code
    where = caught.value.place
    assert where is not None
    assert f"{where.line}:{where.column}" == place
