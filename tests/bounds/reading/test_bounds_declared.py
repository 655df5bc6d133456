"""What counts of a file: conditions that follow, names that are gone, forms of one dialect, cuts that are none."""

from __future__ import annotations

import pytest

from headwater.bounds.answers.answer import Level
from support.bounds.asking import WHOLE, answer_of, assert_unbounded

KEYED = "CREATE TABLE t (id bigint PRIMARY KEY, x int);"
BY_ID = "SELECT x FROM t WHERE id = 7"


@pytest.mark.parametrize(
    ("condition", "follows"),
    [
        ("v = 11", True), ("v >= 11", True), ("v > 10", True), ("v > 10.5", True), ("v = 10", False),
        ("v >= 10", False), ("v > 9", False), ("v > $2", False), ("v <> 11", False), ("v < 12", False),
        ("(v > 11 OR k = 2)", False),
    ],
)  # fmt: skip
def test_a_partial_key_counts_where_its_condition_follows(condition: str, follows: bool) -> None:
    schema = WHOLE + "CREATE UNIQUE INDEX i ON t (s) WHERE v > 10;"
    level = answer_of("postgres", schema, f"SELECT id FROM t WHERE s = $1 AND {condition}").level
    assert level is (Level.SI_1 if follows else Level.UNBOUNDED)


@pytest.mark.parametrize(
    ("where", "condition", "level"),
    [
        ("k IN ('a', 'b')", "k = 'a'", Level.SI_1), ("k IN ('a', 'b')", "k IN ('b', 'a')", Level.SI_1),
        ("k IN ('a', 'b')", "k IN ('a', 'c')", Level.UNBOUNDED), ("k IN ('a', 'b')", "k = $2", Level.UNBOUNDED),
        ("k = 'a'", "k IN ('a')", Level.SI_1), ("k = 'a'", "k IN ('a', 'b')", Level.UNBOUNDED),
        ("k IN ('a', 'b')", "k > 'a'", Level.UNBOUNDED), ("k NOT IN ('a', 'b')", "k = 'c'", Level.UNBOUNDED),
    ],
)  # fmt: skip
def test_a_partial_key_of_listed_values(where: str, condition: str, level: Level) -> None:
    schema = f"CREATE TABLE t (id bigint PRIMARY KEY, s text, k text); CREATE UNIQUE INDEX i ON t (s) WHERE {where};"
    assert answer_of("postgres", schema, f"SELECT id FROM t WHERE s = $1 AND {condition}").level is level


@pytest.mark.parametrize(
    ("slot", "condition", "level"),
    [
        ("slot int NOT NULL CHECK (slot IN (1, 2))", "gone IS NULL", Level.SI_1),
        ("slot int CHECK (slot IN (1, 2))", "gone IS NULL", Level.UNBOUNDED),  # any number without a slot
        ("slot int NOT NULL", "gone IS NULL", Level.UNBOUNDED),
        ("slot int NOT NULL CHECK (slot IN (1, 2))", "gone IS NOT NULL", Level.UNBOUNDED),
    ],
)
def test_a_partial_key_with_a_column_of_few_values(slot: str, condition: str, level: Level) -> None:
    schema = f"CREATE TABLE t (id bigint PRIMARY KEY, k text NOT NULL, {slot}, gone date); CREATE UNIQUE INDEX i ON t (k, slot) WHERE gone IS NULL;"
    assert answer_of("postgres", schema, f"SELECT id FROM t WHERE k = $1 AND {condition}").level is level


def test_texts_are_joined_with_a_plus_in_sql_server() -> None:
    schema = "CREATE TABLE t (id bigint PRIMARY KEY, iban varchar(34), at datetime2);"
    query = "SELECT TOP (10) id FROM t WHERE iban LIKE @p {} '%' ORDER BY iban"
    assert answer_of("tsql", schema, query.format("+")).level is Level.SI_1
    assert_unbounded(
        "mysql", schema, query.format("+").replace("TOP (10) ", "").replace("@p", "?") + " LIMIT 10"
    )


def test_parts_of_times_in_sql_server() -> None:
    schema = "CREATE TABLE t (id bigint PRIMARY KEY, k bigint, at datetime2);"
    assert (
        answer_of("tsql", schema, "SELECT COUNT(*) FROM t WHERE k = @k AND YEAR(at) = @y").level is Level.SI_2
    )


@pytest.mark.parametrize(
    ("dialect", "key", "other"),
    [
        ("postgres", "text", "citext"),
        ("sqlite", "TEXT", "TEXT COLLATE NOCASE"),
        ("mysql", "varchar(9) COLLATE utf8mb4_bin", "varchar(9) COLLATE utf8mb4_general_ci"),
    ],
)
def test_columns_of_two_collations_are_not_equal_by_one_key(dialect: str, key: str, other: str) -> None:
    schema = f"CREATE TABLE t (s {key} PRIMARY KEY, x int); CREATE TABLE c (id bigint PRIMARY KEY, s {{}} NOT NULL);"
    for join in ("ON t.s = c.s", "USING (s)"):
        query = f"SELECT x FROM c JOIN t {join} WHERE c.id = 7"
        assert_unbounded(dialect, schema.format(other), query)
        assert answer_of(dialect, schema.format(key), query).level is Level.SI_0
    assert_unbounded(
        dialect, schema.format(other), "SELECT x FROM t WHERE s IN (SELECT s FROM c WHERE id = 7)"
    )


def test_the_outer_join_sign_of_oracle_is_not_passed_over() -> None:
    schema = "CREATE TABLE t (id number(10) PRIMARY KEY, v int); CREATE TABLE u (id number(10) PRIMARY KEY);"
    assert_unbounded(
        "oracle", schema, "SELECT t.id FROM t, u WHERE t.v = 7 AND t.id = u.id(+) AND u.id(+) = :q"
    )


@pytest.mark.parametrize(
    "limit", ["5 * 1000000000000", "-1", "- 5", "2147483646 + 1", "9223372036854775807 - 1"]
)
def test_a_limit_that_is_none_however_it_is_computed(limit: str) -> None:
    assert_unbounded("postgres", WHOLE, f"SELECT id FROM t WHERE k = $1 LIMIT {limit}")


@pytest.mark.parametrize("limit", ["5 * 4", "10 + 1", "20 - 5"])
def test_a_limit_that_is_computed(limit: str) -> None:
    assert answer_of("postgres", WHOLE, f"SELECT id FROM t WHERE k = $1 LIMIT {limit}").level is Level.SI_1


def test_a_group_of_all_rows_is_a_counter_of_all_rows() -> None:
    assert_unbounded("postgres", WHOLE, "SELECT count(*) FROM t GROUP BY 1 = 1 LIMIT 1")


def test_what_from_computes_counts_though_nothing_reads_it() -> None:
    lateral = "SELECT t.id FROM t, LATERAL (SELECT count(*) AS n FROM w WHERE w.{} t.k) x WHERE t.id = $1"
    assert_unbounded("postgres", WHOLE, lateral.format("c >"))
    assert answer_of("postgres", WHOLE, lateral.format("c =")).level is Level.SI_2


@pytest.mark.parametrize("check", ["CHECK (k IN (1, 2))", "CONSTRAINT few CHECK (k IN (1, 2))"])
def test_a_table_of_a_dump_keeps_its_key_beside_a_check_that_is_not_enforced(check: str) -> None:
    table = (
        f"CREATE TABLE t (id bigint, k int NOT NULL, PRIMARY KEY (id, k), {check} /*!80016 NOT ENFORCED */);"
    )
    assert answer_of("mysql", table, "SELECT id FROM t WHERE id = ? AND k = ?").level is Level.SI_0
    assert answer_of("mysql", table, "SELECT id FROM t WHERE id = ?").level is Level.UNBOUNDED
    kept = table.replace("/*!80016 NOT ENFORCED */", "/*!80016 INVISIBLE */")
    assert answer_of("mysql", kept, "SELECT id FROM t WHERE id = ?").level is Level.SI_0


@pytest.mark.parametrize(
    ("dialect", "schema"),
    [
        ("postgres", "CREATE TABLE s.t (id bigint PRIMARY KEY, x int); CREATE TABLE r.t (id bigint, x int);"),
        (
            "postgres",
            KEYED + "CREATE VIEW a.v AS SELECT 1 AS id, 2 AS x; CREATE VIEW b.v AS SELECT id, x FROM t;",
        ),
        (
            "postgres",
            "CREATE VIEW v AS SELECT 1 AS id, 2 AS x; DROP VIEW v; CREATE TABLE v (id bigint, x int);",
        ),
        (
            "postgres",
            KEYED + "CREATE TEMP VIEW v AS SELECT x AS id, x FROM t; CREATE VIEW v AS SELECT id, x FROM t;",
        ),
        ("mysql", "CREATE TABLE t (id bigint, x int, UNIQUE KEY u (id)); DROP INDEX u ON t;"),
    ],
)
def test_a_name_means_what_is_there_now(dialect: str, schema: str) -> None:
    assert_unbounded(dialect, schema, BY_ID.replace("FROM t", "FROM v") if "VIEW" in schema else BY_ID)


def test_an_index_that_is_not_unique_may_go() -> None:
    schema = (
        "CREATE TABLE t (id bigint, x int, UNIQUE KEY u (id)); CREATE INDEX i ON t (x); DROP INDEX i ON t;"
    )
    assert answer_of("mysql", schema, BY_ID).level is Level.SI_1


def test_only_an_integer_key_of_sqlite_is_the_number_of_its_row() -> None:
    query = "SELECT x FROM t WHERE id IS ?"
    assert_unbounded("sqlite", "CREATE TABLE t (id INT PRIMARY KEY, x INT);", query)
    assert_unbounded("sqlite", "CREATE TABLE t (id INTEGER PRIMARY KEY DESC, x INT);", query)
    for key in ("id INTEGER PRIMARY KEY, x INT", '"id" INTEGER NOT NULL, x INT, PRIMARY KEY ("id")'):
        assert answer_of("sqlite", f"CREATE TABLE t ({key});", query).level is Level.SI_0
