"""Declarations in the words of one database: what nobody keeps proves nothing, what says nothing of rows is no obstacle."""

from __future__ import annotations

import pytest

from headwater.bounds.answers.answer import Level
from support.bounds.asking import answer_of, assert_unbounded

BY_ID = "SELECT * FROM t WHERE id = 7"


@pytest.mark.parametrize(
    "constraint",
    [
        "CONSTRAINT c PRIMARY KEY (id) DISABLE", "CONSTRAINT c UNIQUE (id) RELY DISABLE NOVALIDATE",
        "UNIQUE (id) ENABLE NOVALIDATE", "UNIQUE (id) DEFERRABLE INITIALLY DEFERRED", "PRIMARY KEY (id) DEFERRABLE",
    ],
)  # fmt: skip
def test_a_key_that_oracle_does_not_keep(constraint: str) -> None:
    assert_unbounded("oracle", f"CREATE TABLE t (id NUMBER(10) NOT NULL, v NUMBER, {constraint});", BY_ID)


@pytest.mark.parametrize(
    "columns",
    [
        "id NUMBER(10) NOT NULL UNIQUE DISABLE", "id NUMBER(10) CONSTRAINT c PRIMARY KEY DISABLE",
        "id NUMBER(10) CONSTRAINT c UNIQUE NOVALIDATE NOT NULL",
    ],
)  # fmt: skip
def test_a_key_beside_its_column_that_oracle_does_not_keep(columns: str) -> None:
    assert_unbounded("oracle", f"CREATE TABLE t ({columns}, v NUMBER);", BY_ID)


@pytest.mark.parametrize(
    "schema",
    [
        'CREATE TABLE t ("ID" NUMBER(10,0) NOT NULL ENABLE, CONSTRAINT c PRIMARY KEY ("ID") USING INDEX PCTFREE 10'
        ' STORAGE(INITIAL 65536) TABLESPACE "USERS" ENABLE) SEGMENT CREATION IMMEDIATE NOCOMPRESS LOGGING;',
        "CREATE TABLE t (id NUMBER(10)); ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY (id) USING INDEX ENABLE;",
        "CREATE TABLE t (id NUMBER(10) PRIMARY KEY, v NUMBER, CONSTRAINT f FOREIGN KEY (v) REFERENCES t (id) DISABLE);",
        "CREATE TABLE t (id NUMBER(10) PRIMARY KEY, v NUMBER); ALTER TABLE t ADD CONSTRAINT u UNIQUE (v) DISABLE;",
        "CREATE TABLE t (id NUMBER(10) PRIMARY KEY, enable NUMBER, rely NUMBER NOT NULL NOT DEFERRABLE);",
    ],
)  # fmt: skip
def test_a_key_that_oracle_keeps(schema: str) -> None:
    assert answer_of("oracle", schema, BY_ID).level is Level.SI_0


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_constraints_that_go_take_their_commas_with_them(at: int) -> None:
    elements = ["id NUMBER(10) PRIMARY KEY", "v NUMBER", "UNIQUE (v) DISABLE", "UNIQUE (v, id) DISABLE"]
    schema = f"CREATE TABLE t ({', '.join(elements[at:] + elements[:at])});"
    assert answer_of("oracle", schema, BY_ID).level is Level.SI_0
    assert_unbounded("oracle", schema, "SELECT * FROM t WHERE v = 7")


@pytest.mark.parametrize("declared", ["DEFERRABLE", "DEFERRABLE INITIALLY IMMEDIATE", "INITIALLY DEFERRED"])
def test_a_key_that_holds_at_the_end_of_a_transaction_only(declared: str) -> None:
    assert_unbounded("postgres", f"CREATE TABLE t (id bigint PRIMARY KEY {declared}, v int);", BY_ID)
    assert_unbounded("postgres", f"CREATE TABLE t (id bigint NOT NULL, UNIQUE (id) {declared});", BY_ID)
    added = (
        f"CREATE TABLE t (id bigint NOT NULL); ALTER TABLE ONLY t ADD CONSTRAINT c UNIQUE (id) {declared};"
    )
    assert_unbounded("postgres", added, BY_ID)
    kept = f"CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL REFERENCES t (id) {declared});"
    assert answer_of("postgres", kept, BY_ID).level is Level.SI_0


def test_a_table_that_others_inherit_from_later() -> None:
    schema = "CREATE TABLE t (id bigint PRIMARY KEY); CREATE TABLE c (id bigint PRIMARY KEY); ALTER TABLE c INHERIT {};"
    assert_unbounded("postgres", schema.format("public.t"), BY_ID)
    assert answer_of("postgres", schema.format("other"), BY_ID).level is Level.SI_0


@pytest.mark.parametrize("what", ["CHECK", "CONSTRAINT"])
def test_a_constraint_that_is_no_longer_enforced(what: str) -> None:
    schema = "CREATE TABLE t (id int, z int, PRIMARY KEY (id, z), CONSTRAINT ck CHECK (z IN (1, 2)));"
    assert answer_of("mysql", schema, BY_ID).level is Level.SI_0
    assert_unbounded("mysql", schema + f"ALTER TABLE t ALTER {what} ck NOT ENFORCED;", BY_ID)
    never = schema.replace("(1, 2))", "(1, 2)) NOT ENFORCED")
    assert_unbounded("mysql", never, BY_ID)
    assert answer_of("mysql", never, BY_ID + " AND z = 1").level is Level.SI_0


def test_bytes_are_compared_with_numbers_as_texts_are() -> None:
    schema = "CREATE TABLE t (id int PRIMARY KEY, b varbinary(20) NOT NULL UNIQUE);"
    assert_unbounded("mysql", schema, "SELECT id FROM t WHERE b = 7")
    for value in ("?", "'7'", "UNHEX(?)", "UUID_TO_BIN(?)"):
        assert answer_of("mysql", schema, f"SELECT id FROM t WHERE b = {value}").level is Level.SI_1


@pytest.mark.parametrize(
    ("dialect", "schema"),
    [
        ("mysql", "CREATE TABLE t (id int PRIMARY KEY, at POINT NOT NULL SRID 4326, SPATIAL INDEX (at));"),
        ("sqlite", "CREATE TABLE t (id INTEGER PRIMARY KEY, v, w ANY) STRICT;"),
        ("tsql", "CREATE TABLE t (id int PRIMARY KEY, v int);"
                 "ALTER TABLE t WITH NOCHECK ADD CONSTRAINT f FOREIGN KEY (v) REFERENCES t (id);"),
    ],
)  # fmt: skip
def test_what_says_nothing_of_rows_is_no_obstacle(dialect: str, schema: str) -> None:
    assert answer_of(dialect, schema, BY_ID).level is Level.SI_0


@pytest.mark.parametrize(
    ("check", "values"),
    [
        ("k = 1 OR k = 2 OR (k = 3)", 3),
        ("k = 1 OR v = 2", None),
        ("k = 1 OR k > 2", None),
        ("k = 1 OR k = v", None),
    ],
)
def test_a_check_that_lists_values_by_or(check: str, values: int | None) -> None:
    schema = f"CREATE TABLE t (id int, k int, v int, PRIMARY KEY (id, k), CHECK ({check}));"
    assert answer_of("postgres", schema, BY_ID).results == values


def test_a_table_of_one_row() -> None:
    schema = "CREATE TABLE t (one char(1) PRIMARY KEY DEFAULT 'X' CHECK (one = 'X'), v int);"
    assert answer_of("postgres", schema, "SELECT v FROM t").level is Level.SI_0
    assert_unbounded("postgres", schema.replace("= 'X'", "<> 'X'"), "SELECT v FROM t")


@pytest.mark.parametrize("written", ["LIMIT 20 (o)", "LIMIT 20 ON (O)"])
def test_limits_stand_in_schemas_of_other_databases_too(written: str) -> None:
    schema = f"CREATE TABLE t (o bigint, m bigint, CARDINALITY {written}, PRIMARY KEY (o, m));"
    answer = answer_of("postgres", schema, "SELECT m FROM t WHERE o = 7")
    assert (answer.level, answer.results) == (Level.SI_0, 20)
    assert_unbounded("postgres", schema, "SELECT o FROM t WHERE m = 7")
    assert_unbounded("postgres", schema.replace("20", "x"), "SELECT m FROM t WHERE o = 7")
    assert_unbounded(
        "postgres", schema.replace("(o)", "(z)").replace("(O)", "(z)"), "SELECT m FROM t WHERE o = 7"
    )


def test_the_table_of_one_row_of_oracle() -> None:
    assert answer_of("oracle", "", "SELECT SYSDATE FROM dual").level is Level.SI_0
    assert_unbounded("oracle", "CREATE TABLE dual (x NUMBER);", "SELECT x FROM dual")


KEYED = "CREATE TABLE t (id NUMBER(10) PRIMARY KEY, k NUMBER(10));"


@pytest.mark.parametrize(
    ("query", "level"),
    [
        ("SELECT id FROM t WHERE k = :k AND ROWNUM <= 5", Level.SI_1),
        ("SELECT id FROM t WHERE ROWNUM = 1 AND k = :k", Level.SI_1),
        ("SELECT id FROM (SELECT id FROM t WHERE k = :k ORDER BY id DESC) WHERE ROWNUM < 6", Level.SI_1),
        ("DELETE FROM t WHERE k = :k AND ROWNUM <= 100", Level.SI_1),
        ("SELECT id FROM t WHERE k = :k AND ROWNUM > 0", Level.NOT_ANALYSED),
        ("SELECT id FROM t WHERE k = :k OR ROWNUM <= 5", Level.NOT_ANALYSED),
        ("SELECT COUNT(*) FROM t WHERE id > :k AND ROWNUM <= 5", Level.NOT_ANALYSED),
        ("SELECT id FROM t WHERE k = :k AND ROWNUM <= 5 ORDER BY id", Level.NOT_ANALYSED),
        ("SELECT id FROM t WHERE k = :k AND ROWNUM <= id", Level.NOT_ANALYSED),
    ],
)  # fmt: skip
def test_the_first_rows_of_oracle(query: str, level: Level) -> None:
    assert answer_of("oracle", KEYED, query).level is level


def test_the_first_rows_of_a_write_of_sql_server() -> None:
    schema = "CREATE TABLE t (id int PRIMARY KEY, k int);"
    answer = answer_of("tsql", schema, "DELETE TOP (10) FROM t WHERE k = @k")
    assert (answer.level, answer.results) == (Level.SI_1, 10)
    assert_unbounded("tsql", schema, "DELETE TOP (10) PERCENT FROM t WHERE k = @k")


@pytest.mark.parametrize("condition", ["n", "n IS TRUE", "(n OR FALSE)", "NOT (NOT n)", "n IS NOT FALSE"])
def test_a_number_as_a_condition_is_any_but_zero(condition: str) -> None:
    schema = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, k int NOT NULL, UNIQUE (n, k));"
    assert_unbounded("mysql", schema, f"SELECT k FROM t WHERE {condition} AND k = ?")
    for one in ("NOT n", "n IS FALSE", "n = TRUE"):
        assert answer_of("mysql", schema, f"SELECT k FROM t WHERE {one} AND k = ?").results == 1


def test_a_boolean_of_mysql_is_a_byte() -> None:
    schema = "CREATE TABLE t (id int PRIMARY KEY, b {} NOT NULL, k int NOT NULL, UNIQUE (b, k));"
    query = "SELECT id FROM t WHERE k = ?"
    assert answer_of("mysql", schema.format("boolean"), query).results == 256
    assert answer_of("mysql", schema.format("bit(1)"), query).results == 2
    assert answer_of("postgres", schema.format("boolean"), query.replace("?", "$1")).results == 2


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "spark", "tsql", "duckdb"])
def test_our_own_words_in_any_dialect(dialect: str) -> None:
    schema = """CREATE TABLE t (id bigint PRIMARY KEY, k bigint NOT NULL, at timestamp TEMPORAL NOT NULL,
      "temporal" int, CARDINALITY LIMIT 3 (k)){};"""
    schema = schema if dialect in ("postgres", "duckdb") else schema.replace('"temporal" int,', "")
    by_k, newest = "SELECT id FROM t WHERE k = 5", "SELECT id FROM t ORDER BY at LIMIT 5"
    for end, of_k in (
        ("", Level.SI_1),
        (" ON VIOLATION WARN", Level.UNBOUNDED),
        (" ON VIOLATION REJECT", Level.SI_1),
    ):
        assert answer_of(dialect, schema.format(end), by_k).level is of_k
        assert answer_of(dialect, schema.format(end), newest).level is (Level.SI_3)


@pytest.mark.parametrize(
    ("dialect", "schema", "query", "expected"),
    [
        ("sqlite", "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT);", "SELECT n FROM t WHERE id = ?1 AND ?1 > 0", Level.SI_0),
        ("sqlite", "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT);", "SELECT n FROM t WHERE id = 7 AND n <> '?1'", Level.SI_0),
        ("sqlite", "CREATE TABLE t (d TEXT PRIMARY KEY NOT NULL, n INT);", "SELECT n FROM t WHERE d = date('now')", Level.SI_0),
        ("mysql", "CREATE TABLE t (id int, s varchar(9), UNIQUE KEY k ((lower(s))));", "SELECT id FROM t WHERE LOWER(s) = ?", Level.SI_1),
        ("mysql", "CREATE TABLE t (id int, s varchar(9), UNIQUE KEY k (id, (lower(s))));", "SELECT id FROM t WHERE LOWER(s) = ?", Level.UNBOUNDED),
        ("mysql", "CREATE TABLE t (id int, s varchar(9), UNIQUE KEY k (id, (lower(s))));", "SELECT id FROM t WHERE LOWER(s) = ? AND id = ?", Level.SI_1),
        ("mysql", "CREATE TABLE t (id int, s varchar(9), UNIQUE KEY k (s(4)));", "SELECT id FROM t WHERE s = ?", Level.SI_1),
        ("mysql", "CREATE TABLE t (id int PRIMARY KEY);", "SELECT t.id FROM t JOIN (VALUES ROW(1), ROW(2)) v (i) ON v.i = t.id", Level.SI_0),
        ("mysql", "CREATE TABLE t (a int NOT NULL, b int, UNIQUE (a, b));", "SELECT * FROM t WHERE a = ? AND b <=> 5", Level.SI_1),
        ("mysql", "CREATE TABLE t (a int NOT NULL, b int, UNIQUE (a, b));", "SELECT * FROM t WHERE a = ? AND NOT b <=> 5", Level.UNBOUNDED),
        ("mysql", "CREATE TABLE t (a int NOT NULL, b int, UNIQUE (a, b));", "SELECT * FROM t WHERE a = ? AND b <=> NULL", Level.UNBOUNDED),
        ("postgres", "CREATE TABLE t (id int PRIMARY KEY, s text);", "SELECT id FROM t WHERE starts_with(s, $1) ORDER BY s LIMIT 5", Level.SI_1),
        ("postgres", "CREATE TABLE t (id int PRIMARY KEY, s text);", "SELECT id FROM t WHERE starts_with(s, s) ORDER BY id LIMIT 5", Level.SI_1),
        ("postgres", "CREATE TABLE t (id int PRIMARY KEY, s text);", "SELECT id FROM t WHERE starts_with($1, s) LIMIT 5", Level.UNBOUNDED),
        ("postgres", "CREATE TABLE t (id int PRIMARY KEY, s text);", "SELECT id FROM t WHERE starts_with(s, 'a%b') AND s > $1 ORDER BY s LIMIT 5", Level.SI_1),
    ],
)  # fmt: skip
def test_forms_of_one_dialect(dialect: str, schema: str, query: str, expected: Level) -> None:
    assert answer_of(dialect, schema, query).level is expected
