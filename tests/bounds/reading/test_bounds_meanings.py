"""What a statement means depends on who runs it: casts, types, comments and keys as databases keep them.

Each of these was bounded once, though it is not (or, where a level is given, must stay bounded).
"""

from __future__ import annotations

import pytest

from headwater.bounds.answers.answer import Level
from support.bounds.asking import WHOLE, answer_of, assert_unbounded

BY_PHONE = "CREATE TABLE t (phone varchar(20) PRIMARY KEY, x int);"
CALLERS = BY_PHONE + "CREATE TABLE c (id bigint PRIMARY KEY, phone bigint, name varchar(20));"
PAIR = "CREATE TABLE t (a bigint NOT NULL, b {} NOT NULL, PRIMARY KEY (a, b));"
OF_PAIR = "SELECT b FROM t WHERE a = 7"
KEYED = "CREATE TABLE t (id bigint PRIMARY KEY, x int);"
UNIQUE = "CREATE TABLE t (id bigint NOT NULL, x int, CONSTRAINT uq UNIQUE (id));"
INDEXED = "CREATE TABLE t (id bigint NOT NULL, x int); CREATE UNIQUE INDEX i ON t (id);"
BY_ID = "SELECT x FROM t WHERE id = 7"


@pytest.mark.parametrize(
    "value",
    [
        "? + 1", "-?", "IF(? > 1, 5, 6)", "CASE WHEN ? THEN 5 ELSE 6 END", "NOT ?", "(? = 3)", "GREATEST(1, ?)",
        "? DIV 3", "? | 3", "UNIX_TIMESTAMP()", "CURRENT_DATE", "DATE(?)", "NOW()", "CHAR_LENGTH(?)",
        "(SELECT phone FROM c WHERE id = ?)", "(SELECT MAX(phone) FROM c WHERE id = ?)",
    ],
)  # fmt: skip
def test_a_text_key_is_compared_with_texts_only(value: str) -> None:
    """'7' and '07' are both 7, so a value that may be a number does not find one row by a text."""
    assert_unbounded("mysql", CALLERS, f"SELECT x FROM t WHERE phone = {value}")


@pytest.mark.parametrize(
    "value",
    ["?", "'7'", "CONCAT(?, 'x')", "TRIM(?)", "LOWER(?)", "CASE WHEN ? THEN '5' ELSE ? END",
     "(SELECT name FROM c WHERE id = ?)", "CAST(? AS CHAR(20))", "MD5(?)", "REPLACE(?, '-', '')"],
)  # fmt: skip
def test_a_text_finds_its_row(value: str) -> None:
    assert answer_of("mysql", CALLERS, f"SELECT x FROM t WHERE phone = {value}").level is Level.SI_0


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x FROM t WHERE phone IN (SELECT phone FROM c WHERE id = ?)",
        "SELECT x FROM t WHERE phone IN (SELECT phone FROM c WHERE id = ? UNION SELECT 5)",
        "SELECT x FROM c JOIN t USING (phone) WHERE c.id = ?",
        "SELECT x FROM c NATURAL JOIN t WHERE c.id = ?",
        "SELECT x FROM (SELECT phone AS p FROM c WHERE id = ? LIMIT 1) q JOIN t ON t.phone = q.p",
        "SELECT x FROM (SELECT MAX(phone) AS p FROM c WHERE id = ?) q JOIN t ON t.phone = q.p",
    ],
)
def test_a_text_meets_a_number_through_subqueries_and_joins(query: str) -> None:
    assert_unbounded("mysql", CALLERS, query)


@pytest.mark.parametrize(
    ("dialect", "cast"),
    [("postgres", "s::char"), ("postgres", "CAST(s AS char(3))"), ("tsql", "CAST(s AS varchar)"),
     ("tsql", "CONVERT(varchar, s)"), ("tsql", "CAST(s AS nvarchar)")],
)  # fmt: skip
def test_a_cast_that_cuts_a_text_is_not_the_text(dialect: str, cast: str) -> None:
    schema = "CREATE TABLE t (s varchar(99) PRIMARY KEY, x int);"
    assert_unbounded(dialect, schema, f"SELECT x FROM t WHERE {cast} = 'abc'")


@pytest.mark.parametrize("value", ["$1::float8", "sqrt($1)"])
def test_many_decimals_are_one_floating_point_number(value: str) -> None:
    schema = "CREATE TABLE t (id numeric(38,10) PRIMARY KEY, x int);"
    assert_unbounded("postgres", schema, f"SELECT x FROM t WHERE id = {value}")


@pytest.mark.parametrize(
    ("dialect", "schema"),
    [
        ("postgres", PAIR.format("bit(64)")),
        ("mysql", PAIR.format("bit(40)")),
        ("postgres", "CREATE TYPE \"K\" AS ENUM ('a'); CREATE DOMAIN k AS text;" + PAIR.format("k")),
        ("postgres", "CREATE TYPE k AS ENUM ('a'); DROP TYPE k; CREATE DOMAIN k AS text;" + PAIR.format("k")),
        ("postgres", "CREATE TYPE k AS ENUM ('a');" + PAIR.format("k[]")),
        ("sqlite", PAIR.format("INTEGER CHECK (b BETWEEN 1 AND 5)")),
        ("sqlite", PAIR.format("BOOLEAN")),
        ("sqlite", PAIR.format("TINYINT")),
        ("mysql", PAIR.format("int CHECK (b IN (1, 2)) NOT ENFORCED")),
        ("mysql", PAIR.format("int CHECK (b IN (1, 2)) /*!80016 NOT ENFORCED */")),
    ],
)
def test_a_column_has_few_values_only_where_the_database_keeps_it_so(dialect: str, schema: str) -> None:
    assert_unbounded(dialect, schema, OF_PAIR)


@pytest.mark.parametrize(
    ("dialect", "schema"),
    [
        ("sqlite", PAIR.format("INTEGER CHECK (b IN (1, 2))")),
        ("sqlite", PAIR.format("INTEGER CHECK (b BETWEEN 1 AND 5)").replace(";", " STRICT;")),
        ("postgres", PAIR.format("bit(1)")),
        ("mysql", PAIR.format("int CHECK (b IN (1, 2))").replace(";", " /*!50100 PARTITION BY HASH (a) */;")),
    ],
)
def test_few_values_that_are_kept_count(dialect: str, schema: str) -> None:
    assert answer_of(dialect, schema, OF_PAIR).level is Level.SI_0


@pytest.mark.parametrize("condition", ["a IS NULL", "a IS ?", "a IS NOT DISTINCT FROM ?"])
def test_a_key_of_sqlite_may_be_null(condition: str) -> None:
    query = f"SELECT x FROM t WHERE {condition}"
    assert_unbounded("sqlite", "CREATE TABLE t (a TEXT PRIMARY KEY, x TEXT);", query)
    if condition != "a IS NULL":
        kept = answer_of("sqlite", "CREATE TABLE t (a TEXT PRIMARY KEY, x TEXT) WITHOUT ROWID;", query)
        assert kept.level is Level.SI_0


@pytest.mark.parametrize("dialect", ["snowflake", "redshift", "bigquery", "hive", "databricks", "clickhouse"])
def test_keys_that_a_warehouse_does_not_enforce_prove_nothing(dialect: str) -> None:
    assert_unbounded(dialect, KEYED, BY_ID)


@pytest.mark.parametrize(
    ("dialect", "schema"),
    [
        ("postgres", INDEXED + "ALTER INDEX i RENAME TO j; DROP INDEX j;"),
        ("tsql", UNIQUE + "ALTER INDEX uq ON t DISABLE;"),
        ("tsql", INDEXED + "ALTER INDEX i ON dbo.t DISABLE;"),
        ("oracle", UNIQUE + "ALTER TABLE t DISABLE CONSTRAINT uq;"),
        ("postgres", KEYED + "CREATE TABLE c () INHERITS (t);"),
    ],
)
def test_a_key_that_is_taken_away_proves_nothing(dialect: str, schema: str) -> None:
    assert_unbounded(dialect, schema, BY_ID)


@pytest.mark.parametrize("change", ["ALTER INDEX i SET (fillfactor = 70);", "ALTER INDEX i RENAME TO j;"])
def test_a_key_that_stays_counts(change: str) -> None:
    assert answer_of("postgres", INDEXED + change, BY_ID).level is Level.SI_1


@pytest.mark.parametrize(
    ("dialect", "query"),
    [
        ("postgres", "SELECT * FROM w AS q (c, b, a) WHERE q.a = $1 AND q.b = $2"),
        ("postgres", "WITH x AS (SELECT id, v FROM t) SELECT * FROM x AS q (v, id) WHERE q.id = $1"),
        ("postgres", "WITH x (a, b) AS (SELECT id, v FROM t) SELECT * FROM x AS q (b) WHERE b = $2 OR a = 1"),
        ("mysql", "SELECT k AS id FROM t HAVING id = ?"),
        ("spark", "SELECT v * :p AS id FROM t ORDER BY id + 1 LIMIT 5"),
        ("postgres", "SELECT id FROM t WHERE id IN (SELECT v)"),
        ("postgres", "SELECT id FROM t WHERE id IN (SELECT v + 1 WHERE k > 2)"),
    ],
)
def test_names_mean_what_they_stand_for(dialect: str, query: str) -> None:
    schema = WHOLE.replace(" text", " string") if dialect == "spark" else WHOLE
    if "OR a = 1" in query:  # b is the first column, id: two rows at the most, a the name of none
        assert answer_of(dialect, schema, query).level is Level.NOT_ANALYSED
        return
    assert_unbounded(dialect, schema, query)


def test_columns_renamed_by_an_alias_are_found() -> None:
    query = "SELECT * FROM w AS q (c, b, a) WHERE q.c = $1 AND q.b = $2"
    assert answer_of("postgres", WHOLE, query).level is Level.SI_0


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM t WHERE id = ? /*!50000 OR k > 0 */",
        "SELECT id FROM t WHERE id = ? /*M! OR k > 0 */",
        "SELECT id FROM t WHERE k = ? /*!99999 LIMIT 5 */",
        "SELECT id FROM t /*!40000 , w */ WHERE id = ?",
    ],
)
def test_a_comment_that_mysql_may_run_is_part_of_the_query(query: str) -> None:
    answer = answer_of("mysql", WHOLE, query)
    assert answer.level is Level.NOT_ANALYSED
    assert "comment" in answer.reasons[0].text


def test_a_hint_is_a_comment() -> None:
    assert (
        answer_of("mysql", WHOLE, "SELECT /*+ NO_CACHE */ id FROM t WHERE id = ? /* ! */").level is Level.SI_0
    )


@pytest.mark.parametrize(
    ("function", "query"),
    [
        ("levenshtein(a text, b text)", "SELECT levenshtein(s, $2) FROM t WHERE id = $1"),
        ("public.md5(a bigint)", "SELECT id FROM t ORDER BY md5(id) LIMIT 3"),
    ],
)
def test_a_function_of_the_file_may_do_anything(function: str, query: str) -> None:
    body = "RETURNS int LANGUAGE sql AS $$ SELECT count(*)::int FROM w WHERE c > 3 $$;"
    assert_unbounded("postgres", f"{WHOLE} CREATE FUNCTION {function} {body}", query)
    elsewhere = f"{WHOLE} CREATE FUNCTION audit.{function.removeprefix('public.')} {body}"
    assert answer_of("postgres", elsewhere, query).level in (Level.SI_0, Level.SI_1)


@pytest.mark.parametrize("statement", ["CALL refresh_all($1)", "COPY (SELECT * FROM t) TO STDOUT"])
def test_a_statement_that_runs_others_is_not_passed_over(statement: str) -> None:
    assert_unbounded("postgres", WHOLE, statement)


def test_a_source_that_no_dialect_writes_is_not_analysed() -> None:
    query = "SELECT x FROM t FINAL WHERE id = 3"
    assert answer_of("clickhouse", "CREATE TABLE t (id UInt64, x Int32);", query).level is Level.NOT_ANALYSED


def test_references_that_are_read_and_ignored_are_assumed() -> None:
    """MySQL ignores REFERENCES beside a column: then the answer lists the reference as assumed."""
    schema = "CREATE TABLE p (id bigint PRIMARY KEY); CREATE TABLE c (id bigint PRIMARY KEY, k bigint, p bigint NOT NULL {});"
    query = "SELECT c.id FROM c JOIN p ON p.id = c.p WHERE c.k = ? ORDER BY c.id LIMIT 5"
    ignored = answer_of("mysql", schema.format("REFERENCES p (id)"), query)
    kept = answer_of("mysql", schema.format(", FOREIGN KEY (p) REFERENCES p (id)"), query)
    assert ignored.assumes
    assert not kept.assumes


NUMBERS = ("bigint unsigned", "int unsigned", "smallint unsigned", "mediumint", "year", "serial")


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("condition", ["id", "id AND x = 5", "(id)", "NOT x"])
def test_a_number_by_itself_is_any_but_zero(kind: str, condition: str) -> None:
    assert_unbounded(
        "mysql", f"CREATE TABLE t (id {kind} PRIMARY KEY, x int);", f"SELECT x FROM t WHERE {condition}"
    )


@pytest.mark.parametrize("kind", ["varchar(9)", "char(3)", "varbinary(9)", "json", "decimal(5,2)"])
def test_what_is_no_boolean_is_not_true_for_one_value(kind: str) -> None:
    assert_unbounded(
        "mysql",
        f"CREATE TABLE t (s {kind} NOT NULL, x int, UNIQUE (s));",
        "SELECT x FROM t WHERE s LIMIT ?, 99999999999",
    )


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_number_without_a_sign_is_no_text(kind: str) -> None:
    """'7' and '07' are both 7."""
    schema = f"CREATE TABLE t (phone varchar(20) PRIMARY KEY, x int); CREATE TABLE c (id bigint PRIMARY KEY, phone {kind});"
    assert_unbounded("mysql", schema, "SELECT x FROM c JOIN t ON t.phone = c.phone WHERE c.id = ?")
    assert_unbounded("mysql", schema, "SELECT x FROM t WHERE phone IN (SELECT phone FROM c WHERE id = ?)")


@pytest.mark.parametrize(
    ("value", "expected"),
    [("'7'", Level.SI_0), ("'7.5'", Level.SI_0), ("7", Level.SI_0), ("'x' || ?", Level.UNBOUNDED)],
)
def test_a_number_and_a_constant_text(value: str, expected: Level) -> None:
    schema = "CREATE TABLE t (id INTEGER auto_increment, x int, PRIMARY KEY (id));"
    value = value.replace("'x' || ?", "CONCAT('x', ?)")
    assert answer_of("mysql", schema, f"SELECT x FROM t WHERE id = {value}").level is expected


def test_a_time_is_no_number() -> None:
    schema = "CREATE TABLE t (id bigint PRIMARY KEY, k bigint, at timestamp);"
    answer = answer_of("", schema, "SELECT id FROM t WHERE k = :k ORDER BY at * 2 LIMIT 3")
    assert answer.level is Level.NOT_ANALYSED


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x FROM t WHERE price = (SELECT f FROM c WHERE id = ?)",
        "SELECT x FROM t WHERE price = (SELECT f FROM c WHERE id = ? UNION ALL SELECT 5)",
        "SELECT x FROM t WHERE price = COALESCE((SELECT f FROM c WHERE id = ?), 5)",
        "SELECT x FROM c JOIN t ON t.price = c.f + 1 WHERE c.id = ?",
        "SELECT x FROM t WHERE price = CASE WHEN ? THEN (SELECT MAX(f) FROM c WHERE id = ?) END",
    ],
)
def test_a_decimal_meets_a_float_inside_expressions(query: str) -> None:
    """Compared as floats, many decimals are one."""
    schema = "CREATE TABLE t (price decimal(30, 10) PRIMARY KEY, x int); CREATE TABLE c (id bigint PRIMARY KEY, f double, d decimal(30, 10));"
    assert_unbounded("mysql", schema, query)
    assert (
        answer_of(
            "mysql",
            schema,
            query.replace("f FROM", "d FROM").replace("MAX(f)", "MAX(d)").replace("c.f", "c.d"),
        ).level
        is Level.SI_0
    )


@pytest.mark.parametrize(
    "limit", ["? * 10000000", "2000000000 + ? * 1000000", "? * ? * ? * ?", "99999 * 99999"]
)
def test_a_limit_that_is_none(limit: str) -> None:
    assert_unbounded("mysql", KEYED, f"SELECT id FROM t WHERE x = ? LIMIT {limit}")


@pytest.mark.parametrize("shown", ["MAX(x), s", "COUNT(*), s", "COUNT(*), CONCAT(s, 'x')", "k, SUM(x), s"])
def test_a_column_beside_an_aggregate_is_in_no_view(shown: str) -> None:
    """MySQL and SQLite show that of any row of the group, or of the greatest: a view of the groups has none."""
    schema = "CREATE TABLE t (id bigint PRIMARY KEY, k bigint NOT NULL, x int, s varchar(9));"
    assert_unbounded("mysql", schema, f"SELECT {shown} FROM t WHERE k = ?")
