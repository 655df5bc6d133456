"""CREATE MATERIALIZED VIEW, CREATE QUERY, named SELECTs, EXPLAIN."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from headwater.model import RefreshPolicy, View
from headwater.sql.ddl.statements import DEFAULT_FRESHNESS, parse_statements


def view(text: str) -> View:
    (declared,) = parse_statements(text, "v.sql").views
    return declared


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("= INTERVAL '10' SECOND", 10), ("INTERVAL 10 SECONDS", 10), ("= INTERVAL '5' MINUTE", 300),
        ("= INTERVAL '1.5' SECOND", 1.5), ("= '1 minute'", 60), ("= INTERVAL '1 minute 30 seconds'", 90),
        ("= 500 MILLISECONDS", 0.5), ("= INTERVAL 1 HOUR 30 MINUTES", 5400), ("= INTERVAL '2' DAYS", 172800),
        ("= INTERVAL '1' WEEK", 604800), ("= '250us'", 0.00025), ("= '90s'", 90), ("= '1.5 h'", 5400),
        ("= INTERVAL '1:30' MINUTE TO SECOND", 90), ("= INTERVAL '1 02:03:04.5' DAY TO SECOND", 93784.5),
        ("= INTERVAL '+3' SECOND", 3), ("= 500MILLISECONDS", 0.5), ("= interval \"7\" second", 7),
        ("= INTERVAL '1 day -1 hour'", 82800),
    ],
)  # fmt: skip
def test_freshness(written: str, seconds: float) -> None:
    assert view(f"CREATE MATERIALIZED VIEW v FRESHNESS {written} AS SELECT 1").freshness == timedelta(
        seconds=seconds
    )


def test_the_designs_view() -> None:
    text = """CREATE MATERIALIZED VIEW dinner_events
  FRESHNESS = INTERVAL '10' SECOND
  PENALTY = 0.001                                   -- dollars per late tuple
  REFRESH POLICY INCREMENTAL STRICT                 -- AUTO (default), INCREMENTAL, INCREMENTAL STRICT, FULL
  AT SITE opentable
AS SELECT e.event_id FROM user_events e JOIN user_accts a ON e.uid = a.uid
   WHERE e.event_type = 'dinner' -- the end
;"""
    declared = view(text)
    assert (declared.name, declared.freshness, declared.penalty) == (
        "dinner_events",
        timedelta(seconds=10),
        Decimal("0.001"),
    )
    assert (declared.refresh, declared.site) == (RefreshPolicy.INCREMENTAL_STRICT, "opentable")
    assert declared.sql.text.startswith("SELECT e.event_id")
    assert declared.sql.text.endswith("'dinner'")
    assert text[declared.sql.offset :].startswith(declared.sql.text)


@pytest.mark.parametrize("policy", list(RefreshPolicy))
def test_policies(policy: RefreshPolicy) -> None:
    assert view(f"CREATE MATERIALIZED VIEW v REFRESH POLICY {policy.value} AS SELECT 1").refresh is policy
    by_property = f"TBLPROPERTIES ('headwater.refresh_policy' = '{policy.value.lower()}')"
    assert view(f"CREATE MATERIALIZED VIEW v {by_property} AS SELECT 1").refresh is policy


def test_a_plain_view_has_the_defaults() -> None:
    declared = view("create or replace materialized view if not exists V as select 1 as a")
    assert (declared.name, declared.freshness, declared.refresh) == (
        "V",
        DEFAULT_FRESHNESS,
        RefreshPolicy.AUTO,
    )
    assert (declared.penalty, declared.site, declared.allow_cross_join, declared.columns) == (
        0,
        "default",
        False,
        (),
    )


def test_the_projects_default_freshness() -> None:
    (declared,) = parse_statements("CREATE MATERIALIZED VIEW v AS SELECT 1", "v", timedelta(seconds=7)).views
    assert declared.freshness == timedelta(seconds=7)


def test_clauses_in_any_order_and_column_names() -> None:
    declared = view(
        "CREATE MATERIALIZED VIEW v (a COMMENT 'x', B) COMMENT 'text' ALLOW CROSS JOIN AT SITE s"
        " REFRESH POLICY FULL PENALTY 2 FRESHNESS '3 seconds' AS SELECT 1, 2"
    )
    assert declared.columns == ("a", "B")
    assert (declared.allow_cross_join, declared.site, declared.refresh) == (True, "s", RefreshPolicy.FULL)
    assert (declared.penalty, declared.freshness) == (Decimal(2), timedelta(seconds=3))


def test_properties_say_the_same_as_clauses() -> None:
    declared = view(
        "CREATE MATERIALIZED VIEW v TBLPROPERTIES ('headwater.freshness' = '10 seconds',"
        " 'headwater.penalty' = 0.5, 'headwater.site' = 's', 'headwater.allow_cross_join' = 'true',"
        " 'delta.x' = 'y') AS SELECT 1"
    )
    assert (declared.freshness, declared.penalty) == (timedelta(seconds=10), Decimal("0.5"))
    assert (declared.site, declared.allow_cross_join) == ("s", True)


@pytest.mark.parametrize("name", ["team-a", "Team A", "a", "ann@shop.com", "ops/eu+1", "équipe_1", "x" * 64])
def test_owners(name: str) -> None:
    assert view(f"CREATE MATERIALIZED VIEW v OWNER = '{name}' AS SELECT 1").owner == name
    assert view(f"CREATE MATERIALIZED VIEW v FRESHNESS 5 s OWNER '{name}' AS SELECT 1").owner == name
    by_property = f"TBLPROPERTIES ('headwater.owner' = '{name}')"
    assert view(f"CREATE MATERIALIZED VIEW v {by_property} AS SELECT 1").owner == name
    assert view(f"CREATE MATERIALIZED VIEW v OWNER = '{name}' {by_property} AS SELECT 1").owner == name


def test_an_owner_may_be_a_plain_name_and_may_be_absent() -> None:
    assert view("CREATE MATERIALIZED VIEW v OWNER team_a AS SELECT 1").owner == "team_a"
    assert view("CREATE MATERIALIZED VIEW v AS SELECT 1").owner == ""


def test_a_clause_and_a_property_may_both_stand_if_they_agree() -> None:
    declared = view(
        "CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '1' MINUTE"
        " TBLPROPERTIES ('headwater.freshness' = '60 seconds') AS SELECT 1"
    )
    assert declared.freshness == timedelta(minutes=1)


def test_a_select_may_hold_anything_spark_has() -> None:
    select = "WITH a AS (SELECT ';' AS x /* ; */) (SELECT x AS `as`, 1 FROM a) UNION ALL SELECT 'é', '''' "
    declared = view(f"CREATE MATERIALIZED VIEW v AS {select}; ;; -- end")
    assert declared.sql.text == select.strip()


def test_explain_declares_nothing() -> None:
    statements = parse_statements(
        "EXPLAIN CREATE MATERIALIZED VIEW v FRESHNESS = '5 seconds' AS SELECT a FROM t"
    )
    assert statements.views == ()
    assert [view.name for view in statements.explained] == ["v"]


def test_queries() -> None:
    text = """
-- What is next.
CREATE QUERY upcoming AS                            -- read in bounded work
  SELECT * FROM user_events WHERE uid = :uid ORDER BY starts_at LIMIT 10;
/* -- name: not_this */
--name: by_id
-- with one parameter
SELECT * FROM t WHERE id = :id;
-- NAME:  third (a remark)
WITH x AS (SELECT 1) SELECT * FROM x
"""
    queries = parse_statements(text, "q.sql").queries
    assert [query.name for query in queries] == ["upcoming", "by_id", "third"]
    assert queries[1].sql.text == "SELECT * FROM t WHERE id = :id"
    assert queries[1].place is not None
    assert (queries[1].place.line, queries[1].place.column) == (6, 9)


def test_places_are_right_with_crlf_unicode_and_several_statements() -> None:
    text = "-- é ü 漢字 🙂\r\nCREATE TABLE tä (a INT);\r\n\r\n\tCREATE QUERY q AS\r\n"
    text += "  SELECT '🙂' AS ä,\r\n   a FROM tä;"
    statements = parse_statements(text, "x.sql")
    place = statements.queries[0].sql.place(statements.queries[0].sql.text.index("a FROM"), 1)
    assert (place.line, place.column, place.text) == (6, 4, "   a FROM tä;")
    assert statements.tables[0].place is not None
    assert statements.tables[0].place.excerpt().splitlines()[0] == "   2 | CREATE TABLE tä (a INT);"
    assert statements.queries[0].place is not None
    assert (statements.queries[0].place.line, statements.queries[0].place.column) == (4, 15)


def test_nothing_is_no_statement() -> None:
    assert parse_statements(" ;; -- only a comment\n /* and this */ ; ") == parse_statements("")
