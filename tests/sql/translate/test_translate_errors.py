"""Wrong SELECTs: each with its code, and the words in the text that the error points at."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.errors import InputError
from headwater.model import RefreshPolicy, SqlText, View
from headwater.sql.translate import translate
from support.sql.constructs import RELATIONS

# (code, SELECT with the place that must be shown in «», a part of the whole message)
WRONG = [
    ("HW113", "SELECT id FROM orders «WHERE»", "a part of Where is missing"),
    ("HW113", "SELECT FROM «orders»", "selects nothing"),
    ("HW301", "SELECT id FROM «oders»", 'did you mean "orders"'),
    ("HW301", "SELECT id FROM «db.orders»", 'unknown relation "db.orders"'),
    ("HW301", "SELECT «x.*» FROM orders o", 'unknown relation "x"'),
    ("HW301", "WITH c AS (SELECT id FROM orders) SELECT id FROM «cc»", 'did you mean "c"'),
    ("HW302", "SELECT «totl» FROM orders", 'did you mean "total"'),
    ("HW302", "SELECT o.«totl» FROM orders o", 'did you mean "o.total"'),
    ("HW302", "SELECT «p».id FROM orders o", 'there is no "p"'),
    ("HW302", "SELECT id FROM orders WHERE «sku» = 'a'", "There is: id, customer"),
    ("HW302", "SELECT o.id FROM orders o JOIN items i ON i.order_id = «o.idd»", 'did you mean "o.id"'),
    ("HW302", "SELECT s.«total» FROM (SELECT id FROM orders) s", "There is: s.id"),
    ("HW302", "SELECT id FROM orders JOIN customers USING («id»)", "USING"),
    ("HW302", "SELECT * EXCEPT («nothing») FROM orders", "unknown column"),
    ("HW302", "SELECT named_struct('a', 1).«b» AS x FROM orders", 'There is: a'),
    ("HW302", "SELECT id FROM orders GROUP BY id HAVING «x» > 1", "unknown column"),
    ("HW302", "SELECT id FROM orders ORDER BY «x»", "unknown column"),
    ("HW302", "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.«nope»)", "o.id"),
    ("HW302", "SELECT id FROM orders o WHERE id IN (SELECT order_id FROM items WHERE item IN (SELECT customer FROM customers WHERE name = «o.status»))", "directly around it"),
    ("HW113", "SELECT id FROM orders WHERE quantity > «ALL('{1,2}')»", "an array or with the rows"),
    ("HW113", "SELECT id FROM orders WHERE «quantity» BETWEEN SYMMETRIC 3 AND 1", "least(a, b)"),
    ("HW113", "WITH RECURSIVE c(n) AS (SELECT 1 UNION SELECT n + 1 FROM c WHERE n < 3) SELECT n FROM c", "only UNION ALL"),
    ("HW113", "SELECT extract(EPOCH FROM «at») AS e FROM orders", "unix_timestamp(x)"),
    ("HW113", "SELECT id FROM orders WHERE at > «current_timestamp(3)»", "takes no arguments"),
    ("HW306", "SELECT customer, sum(«rank() OVER (ORDER BY id)») AS s FROM orders GROUP BY customer", "cannot be used in the argument"),
    ("HW113", "SELECT «at AT TIME ZONE 'UTC'» AS z FROM orders", "no AT TIME ZONE"),
    ("HW113", "SELECT id FROM orders ORDER BY «customer», ALL LIMIT 2", "no such expression"),
    ("HW113", "SELECT id FROM orders ORDER BY id LIMIT (SELECT «2»)", "the same for all rows"),
    ("HW113", "SELECT o.id, i.sku FROM orders o LEFT JOIN items i ON i.order_id = o.id AND EXISTS (SELECT «1 FROM customers c WHERE c.customer = o.customer AND c.name = i.sku»)", "both sides"),
    ("HW113", "SELECT customer, «measure(total») AS m FROM orders GROUP BY customer", "metric views"),
    ("HW306", "SELECT id, «count(*)» OVER (ORDER BY day RANGE BETWEEN INTERVAL 1 MONTH PRECEDING AND INTERVAL 1 DAY FOLLOWING) AS n FROM orders", "as in Spark"),
    ("HW303", "SELECT «customer» FROM orders o JOIN customers c ON o.customer = c.customer", "o.customer or c.customer"),
    ("HW303", "SELECT «id» FROM orders a, orders b WHERE a.id = b.id", "a.id or b.id"),
    ("HW304", "SELECT id, «id» FROM orders", '"id"'),
    ("HW304", "SELECT id, «total AS ID» FROM orders", '"ID"'),
    ("HW304", "SELECT «*» FROM orders o JOIN customers c ON o.customer = c.customer", '"customer"'),
    ("HW305", "SELECT status, «total» FROM orders GROUP BY status", "GROUP BY"),
    ("HW305", "SELECT status, count(*) + «quantity» AS x FROM orders GROUP BY status", "quantity"),
    ("HW305", "SELECT «status», count(*) AS n FROM orders", "status"),
    ("HW305", "SELECT status FROM orders GROUP BY status HAVING «total» > 1", "total"),
    ("HW305", "SELECT lower(«status») AS s, count(*) AS n FROM orders GROUP BY upper(status)", "status"),
    ("HW306", "SELECT id FROM orders WHERE «sum(total» ) > 1", "use HAVING"),
    ("HW306", "SELECT sum(«max(total»)) AS x FROM orders", "max"),
    ("HW306", "SELECT count(*) AS n FROM orders GROUP BY «max(total»)", "GROUP BY"),
    ("HW306", "SELECT o.id FROM orders o JOIN items i ON «max(i.price») = o.id", "ON"),
    ("HW306", "SELECT «row_number»() AS r FROM orders", "OVER"),
    ("HW307", "SELECT id, total FROM orders UNION ALL SELECT «item FROM items»", "2 columns with 1"),
    ("HW307", "SELECT id FROM orders EXCEPT SELECT «item, price FROM items»", "1 columns with 2"),
    ("HW308", "SELECT «paid + 1» AS x FROM orders", "boolean"),
    ("HW308", "SELECT id FROM orders WHERE «day = paid»", "a date cannot be compared with a boolean"),
    ("HW308", "SELECT id FROM orders WHERE «struct(id) = 1»", "cannot be compared"),
    ("HW308", "SELECT id FROM orders WHERE «quantity IN (paid, 1»)", "boolean"),
    ("HW308", "SELECT «sum(paid»  ) AS s FROM orders", "sum needs numbers"),
    ("HW308", "SELECT «sum(day») AS s FROM orders", "sum needs numbers"),
    ("HW308", "SELECT id FROM orders WHERE «quantity»", "WHERE needs a condition"),
    ("HW308", "SELECT id FROM orders WHERE «quantity = 'abc'»", "'abc' cannot be read as a"),
    ("HW308", "SELECT id FROM orders WHERE «quantity IN (1, 'two'»)", "'two' cannot be read as a"),
    ("HW308", "SELECT DATE «'2024-02-30'» AS d FROM orders", "no such day"),
    ("HW308", "SELECT id FROM orders WHERE at > TIMESTAMP «'2024-13-01 10:00:00'»", "no such day"),
    ("HW308", "SELECT id FROM orders WHERE «day = '2024-13-45'»", "'2024-13-45' cannot be read as a date"),
    ("HW308", "SELECT id FROM orders WHERE «'soon' > day»", "'soon' cannot be read as a date"),
    ("HW308", "SELECT «quantity + 'x'» AS y FROM orders", "'x' cannot be read as a"),
    ("HW308", "SELECT id FROM orders WHERE paid OR «total»", "OR needs a condition"),
    ("HW308", "SELECT «paid AS x FROM orders UNION ALL SELECT day FROM orders»", "one part"),
    ("HW309", "SELECT «window(at») AS w, count(*) AS n FROM orders GROUP BY window(at)", "2 to 4 arguments"),
    ("HW309", "SELECT count(*) AS n FROM orders GROUP BY window(at, «'5 fortnights'»)", "not a window's size"),
    ("HW309", "SELECT count(*) AS n FROM orders GROUP BY window(at, «'1 month'»)", "no fixed length"),
    ("HW309", "SELECT count(*) AS n FROM orders GROUP BY «window(at, '1 minute', '2 minutes'»)", "slide"),
    ("HW309", "SELECT count(*) AS n FROM orders GROUP BY window(at, '1 minute'), «window(at, '2 minutes'»)", "one window"),
    ("HW308", "SELECT count(*) AS n FROM orders GROUP BY window(«paid», '1 minute')", "timestamp"),
    ("HW320", "SELECT id, «current_time»() AS n FROM orders", "each time"),
    ("HW320", "SELECT id FROM orders WHERE day = DATE «'today'»", "today"),
    ("HW320", "SELECT id, «uuid»() AS u FROM orders", "random"),
    ("HW320", "SELECT id FROM orders TABLESAMPLE («10» PERCENT)", "random"),
    ("HW320", "SELECT «first(status») AS s FROM orders", "which row comes first"),
    ("HW320", "SELECT customer, «collect_list(id») AS ids FROM orders TABLESAMPLE (10 PERCENT) REPEATABLE (7) GROUP BY customer", "sort_array"),
    ("HW323", "SELECT id FROM orders, «generate_series(1, 3») AS g(n)", "no table function"),
    ("HW323", "SELECT id FROM orders CROSS JOIN UNNEST(«split(status, ',')) AS u(x»)", "no UNNEST"),
    ("HW320", "SELECT id FROM orders LIMIT «3»", "ORDER BY"),
    ("HW321", "SELECT o.id, c.city FROM orders o CROSS JOIN «customers c»", "cross join"),
    ("HW321", "SELECT o.id, c.city FROM orders o JOIN «customers c» ON TRUE", "cross join"),
    ("HW321", "SELECT o.id, c.city FROM orders o, «customers c» WHERE o.id = 5 AND c.customer = 5", "ALLOW CROSS JOIN"),
    ("HW323", "SELECT «uper(status») AS s FROM orders", 'did you mean "upper"'),
    ("HW324", "SELECT status, count(*) AS n FROM orders GROUP BY «3»", "2 items"),
    ("HW324", "SELECT id FROM orders ORDER BY «2»", "1 columns"),
    ("HW325", "SELECT s.a FROM (SELECT id, total FROM orders) AS s(a)", "2 columns"),
    ("HW114", "SELECT id FROM orders WHERE customer = :c", ":c"),
    ("HW327", "SELECT id FROM orders WHERE «id IN (SELECT order_id, sku FROM items»)", "1 values"),
]  # fmt: skip


def refused(sql: str, **settings: object) -> InputError:
    with pytest.raises(InputError) as caught:
        translate(View("v", SqlText(sql, "views.sql"), timedelta(seconds=1), **settings), RELATIONS)  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize(("code", "marked", "part"), WRONG, ids=[f"{code} {sql}" for code, sql, _ in WRONG])
def test_an_error_says_what_and_where(code: str, marked: str, part: str) -> None:
    sql = marked.replace("«", "").replace("»", "")
    error = refused(sql)
    assert error.code == code
    assert part in str(error)
    assert error.place is not None
    assert error.place.path == "views.sql"
    if "«" in marked:
        shown = sql[error.place.column - 1 : error.place.column - 1 + error.place.length]
        wanted = marked[marked.index("«") + 1 : marked.index("»")]
        assert wanted in shown or shown in wanted
        assert error.place.column - 1 <= marked.index("«") < error.place.column - 1 + error.place.length


@pytest.mark.parametrize(
    "condition",
    [
        "quantity = ' 1 '", "quantity < '1e3'", "total > '-.5'", "total < 'Infinity'", "day > '2026-01'",
        "day = '2026-1-5T10:00:00'", "at > '12:30'", "paid = 'no'", "status = 'abc'", "status IN ('a', 'b')",
        "quantity = NULL", "CAST(quantity AS STRING) = 'abc'",
    ],
)  # fmt: skip
def test_a_text_that_spark_reads_as_the_other_type_is_not_refused(condition: str) -> None:
    view = View("v", SqlText(f"SELECT id FROM orders WHERE {condition}", "views.sql"), timedelta(seconds=1))
    assert not translate(view, RELATIONS).obstacles


def test_a_place_counts_from_the_start_of_the_file() -> None:
    text = "SELECT id,\n  totl\nFROM orders"
    source = f"-- a file\nCREATE MATERIALIZED VIEW v AS {text};"
    sql = SqlText(text, "views.sql", source, source.index(text))
    with pytest.raises(InputError) as caught:
        translate(View("v", sql, timedelta(seconds=1)), RELATIONS)
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column, caught.value.place.length) == (3, 3, 4)


def test_strict_refuses_what_has_no_delta_rule_at_its_place() -> None:
    sql = "SELECT id, session_window(at, '5 minutes') AS w FROM orders"
    error = refused(sql, refresh=RefreshPolicy.INCREMENTAL_STRICT)
    assert error.code == "HW322"
    assert error.place is not None
    assert error.place.column == sql.index("session_window") + 1
    assert "session_window" in error.message


def test_a_cross_join_is_allowed_when_the_view_says_so() -> None:
    sql = "SELECT o.id, c.city FROM orders o CROSS JOIN customers c"
    view = View("v", SqlText(sql), timedelta(seconds=1), allow_cross_join=True)
    assert translate(view, RELATIONS).plan is not None


def test_names_given_by_hand_replace_those_of_the_select_list() -> None:
    sql = SqlText("SELECT id, id, count(*) FROM orders GROUP BY id")
    view = View("v", sql, timedelta(seconds=1), columns=("a", "b", "c"))
    assert translate(view, RELATIONS).columns == ("a", "b", "c")
    with pytest.raises(InputError, match="4 names for 3 columns"):
        translate(View("v", sql, timedelta(seconds=1), columns=("a", "b", "c", "d")), RELATIONS)


def test_columns_beyond_the_names_given_keep_their_own() -> None:
    sql = SqlText("SELECT id, status, count(*) FROM orders GROUP BY id, status")
    view = View("v", sql, timedelta(seconds=1), columns=("a",))
    assert translate(view, RELATIONS).columns == ("a", "status", "count")


def test_star_over_columns_that_only_spark_knows_needs_names() -> None:
    sql = SqlText("SELECT * FROM orders o JOIN sql_keywords() AS r ON r.keyword = o.status")
    with pytest.raises(InputError, match="cannot be known"):
        translate(View("v", sql, timedelta(seconds=1)), RELATIONS)
    named = translate(View("v", sql, timedelta(seconds=1), columns=("x", "y")), RELATIONS)
    assert (named.plan, named.columns, named.types) == (None, ("x", "y"), ("", ""))


def test_obstacles_do_not_hide_errors_behind_them() -> None:
    sql = "SELECT id, row_number() OVER (ORDER BY id) AS r, nope FROM orders"
    assert refused(sql).code == "HW302"


def test_all_obstacles_are_listed() -> None:
    sql = SqlText(
        "SELECT session_window(at, '1 hour') AS w, o.id, (SELECT max(price) FROM items) AS m"
        " FROM orders o TABLESAMPLE (10 PERCENT) REPEATABLE (7)"
    )
    translated = translate(View("v", sql, timedelta(seconds=1)), RELATIONS)
    assert [obstacle.reason for obstacle in translated.obstacles] == [
        "TABLESAMPLE has no delta rule",
        "session_window has no delta rule",
    ]
    assert translated.reads == ("orders", "items")
    assert translated.columns == ("w", "id", "m")
