"""Every statement of a file that `check` reads is analysed, reported with a place, or known to ask nothing."""

from __future__ import annotations

import random

import pytest

from headwater.bounds.answers.answer import Answer
from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options
from headwater.errors import InputError

SCHEMA = """CREATE TABLE t (id BIGINT PRIMARY KEY, a BIGINT, b BIGINT);
CREATE TABLE big (id BIGINT PRIMARY KEY, x BIGINT);
"""


def answers(text: str, dialect: str = "") -> list[Answer]:
    return list(check(read_sql(SCHEMA + text, "q.sql", dialect), Options(), advice=False))


def level(text: str, dialect: str = "") -> str:
    (answer,) = answers(text, dialect)
    return answer.level.value


@pytest.mark.parametrize("dialect", ["", "postgres", "mysql", "spark"])
@pytest.mark.parametrize("text", [
    "WITH recent AS (SELECT * FROM t WHERE a = (1) «SELECT * FROM recent", "(SELECT * FROM t WHERE«)",
    "SELECT a FROM t «WHERE", "UPDATE t SET a = (1 «WHERE id = 2", "DELETE FROM t «WHERE", "MERGE INTO «t",
    "SELCT a «FROM t", "INSERT INTO t «id, a FROM big", "«CREATE VIEW v AS SELEC 1", "CREATE VIEW v AS SELECT a FROM t «WHERE",
])  # fmt: skip
def test_what_does_not_parse_is_reported_at_its_place(text: str, dialect: str) -> None:
    before, _, after = f"\n  {text}".partition("«")
    (answer,) = answers(f"{before}{after};", dialect)
    (reason,) = answer.reasons
    assert answer.level.value == "not analysed"
    assert answer.name == "line_4"
    assert reason.text.startswith("not analysed, because this statement ")
    assert reason.place is not None
    assert reason.place.line == 4
    assert reason.place.column == len(before)


@pytest.mark.parametrize(("text", "reason"), [
    ("CREATE TABLE u AS SELECT * FROM t", "list of columns"),
    ("ALTER TABLE zzz ADD PRIMARY KEY (a)", 'no table "zzz" is declared before it'),
    ("CREATE UNIQUE INDEX i ON zzz (a)", 'no table "zzz" is declared before it'),
    ("ALTER TABLE t DROP COLUMN a", "this change of a table is not understood"),
    ("ALTER TABLE t DROP CONSTRAINT t_pkey", "this change of a table is not understood"),
    ("ALTER TABLE t RENAME COLUMN a TO c", "this change of a table is not understood"),
    ("INSERT OVERWRITE TABLE t SELECT * FROM big WHERE id = 1", "INSERT has a clause that is not understood: overwrite"),
    ("INSERT INTO t VALUES (1, 2, 3) ON CONFLICT (id) DO UPDATE SET a = (SELECT sum(x) FROM big)", "subquery in CONFLICT"),
    ("WITH gone AS (DELETE FROM big WHERE x = 1 RETURNING id) SELECT a FROM t WHERE id = 1", "DELETE"),
])  # fmt: skip
def test_what_is_not_understood_is_reported(text: str, reason: str) -> None:
    for dialect in ("", "postgres"):
        (answer,) = answers(f"{text};", dialect)
        assert answer.level.value == "not analysed"
        assert reason in answer.reasons[0].text
        assert answer.reasons[0].place is not None


def test_a_query_over_a_view_that_is_not_analysed_says_so() -> None:
    view = "CREATE MATERIALIZED VIEW m AS SELECT f FROM t LATERAL VIEW explode(b) e AS f;\n"
    (answer,) = answers(view + "SELECT f FROM M WHERE f = :f;")
    assert answer.reasons[0].text.endswith('it reads the view "m": LATERAL VIEW gives any number of rows')
    assert str(answer.reasons[0].place) == "q.sql:4:15"


@pytest.mark.parametrize(("text", "expected"), [
    ("WITH r AS (SELECT id FROM t WHERE id = :id) SELECT * FROM r", "SI-0"),
    ("INSERT INTO t SELECT * FROM big", "unbounded"),
    ("INSERT INTO t (SELECT * FROM big)", "unbounded"),
    ("WITH r AS (SELECT * FROM big WHERE id = 1) INSERT INTO t SELECT * FROM r", "SI-0"),
    ("WITH r AS (SELECT id FROM t WHERE id = 3) DELETE FROM t WHERE id IN (SELECT id FROM r)", "SI-0"),
    ("INSERT INTO t VALUES (1, (SELECT max(x) FROM big), 3)", "SI-1"),
    ("INSERT INTO t VALUES (1, (SELECT sum(x) FROM big), 3)", "unbounded"),
    ("UPDATE t SET a = (SELECT max(x) FROM big) WHERE id = 1", "SI-1"),
    ("UPDATE t SET a = (SELECT count(*) FROM big WHERE x = t.b) WHERE id = 1", "SI-2"),
    ("UPDATE t SET a = (SELECT sum(x) FROM big WHERE x > t.b) WHERE id = 1", "unbounded"),
    ("UPDATE t SET a = 1 FROM big WHERE t.id = big.x", "unbounded"),
    ("UPDATE t SET a = 1 FROM big WHERE t.id = big.x AND big.id = 3", "SI-0"),
    ("DELETE FROM t USING big WHERE t.id = big.x AND big.id = 3", "SI-0"),
    ("DELETE FROM t WHERE id = 1 RETURNING (SELECT sum(x) FROM big)", "unbounded"),
    ("WITH r AS MATERIALIZED (SELECT * FROM t) SELECT * FROM r WHERE id = 1", "unbounded"),
    ("WITH r AS NOT MATERIALIZED (SELECT * FROM t) SELECT * FROM r WHERE id = 1", "SI-0"),
    ("SELECT id FROM t WHERE a IS NOT DISTINCT FROM 1 ORDER BY id LIMIT 3", "SI-1"),
    ("SELECT a FROM t WHERE id = 1 AND 1 = 0 OR 2 = 3", "SI-0"),
    ("SELECT * FROM t WHERE 1 = 0", "SI-0"),
    ("-- name: put\nINSERT INTO t VALUES (1, 2, 3)", "SI-0"),
    ("CREATE VIEW v (x, y) AS SELECT id, a FROM t;\nSELECT y FROM v WHERE x = :x", "SI-0"),
    ("ALTER TABLE t ADD COLUMN c INT;\nSELECT c FROM t WHERE id = :id", "SI-0"),
    ("ALTER TABLE t ADD CONSTRAINT u UNIQUE (A);\nSELECT b FROM t WHERE a = :a", "SI-1"),
])  # fmt: skip
def test_what_is_understood_is_analysed(text: str, expected: str) -> None:
    for dialect in ("", "postgres"):
        assert level(f"{text};", dialect) == expected


def test_an_explained_select_is_analysed() -> None:
    assert level("EXPLAIN SELECT * FROM t WHERE id = 1;") == "SI-0"


def test_a_partition_is_like_its_table() -> None:
    text = (
        "CREATE TABLE t_2024 PARTITION OF t FOR VALUES FROM (1) TO (2);\nSELECT a FROM t_2024 WHERE id = $1;"
    )
    assert level(text, "postgres") == "SI-0"


def test_what_asks_nothing_is_passed_over() -> None:
    text = """SET x = 1; BEGIN; GRANT SELECT ON t TO PUBLIC; DROP TABLE IF EXISTS z; VACUUM; COMMENT ON TABLE t IS 'x;y';
    CREATE SEQUENCE s; CREATE INDEX i ON t (a); CREATE EXTENSION e; CREATE FUNCTION f() RETURNS int AS 'select 1' LANGUAGE sql;
    ALTER TABLE t OWNER TO x; ALTER SEQUENCE s OWNED BY t.id; LOCK TABLES t WRITE; INSERT INTO t VALUES (1, 2, 3);
    ALTER TABLE t ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME s);
    ALTER TABLE IF EXISTS ONLY gone DROP CONSTRAINT IF EXISTS c; COMMIT;"""
    for dialect in ("", "postgres"):
        assert answers(text, dialect) == []


def test_a_key_that_may_be_null_later_is_no_reference() -> None:
    text = "ALTER TABLE t ALTER COLUMN a DROP NOT NULL;"
    schema = "CREATE TABLE t (id BIGINT PRIMARY KEY, a BIGINT NOT NULL);"
    assert [column.nullable for column in read_sql(schema + text, "q.sql").tables["t"].columns] == [
        False,
        True,
    ]


def test_an_open_string_is_shown_with_its_place_and_a_way_out() -> None:
    with pytest.raises(InputError) as caught:
        answers("SELECT 'a FROM t;")
    assert str(caught.value.place) == "q.sql:3:8"
    assert "--dialect" in caught.value.hint
    with pytest.raises(InputError) as caught:
        answers("SELECT 'a FROM t;", "postgres")
    assert str(caught.value.place) == "q.sql:3:8"


def test_statements_end_where_their_dialect_says() -> None:
    text = "DO $$ begin; it's; end $$;\n-- name: one\nSELECT * FROM t WHERE id = $1;"
    assert [answer.name for answer in answers(text, "postgres")] == ["one"]


def test_a_relation_is_declared_once() -> None:
    for text in ("CREATE TABLE T (a INT);", "CREATE MATERIALIZED VIEW t AS SELECT 1 AS a FROM big;"):
        with pytest.raises(InputError, match="declared twice") as caught:
            answers(text)
        assert caught.value.code == "HW104"
        assert "first declared at q.sql:1:14" in caught.value.detail


STATEMENTS = [
    "WITH recent AS ( SELECT id FROM t WHERE a = :a ) SELECT * FROM recent ORDER BY id LIMIT 10",
    "SELECT x . id , count ( * ) FROM t x JOIN big y ON x . id = y . id WHERE x . a = :a GROUP BY x . id",
    "UPDATE t SET a = 1 WHERE id IN ( SELECT id FROM big WHERE x = :x )",
    "INSERT INTO t SELECT id , x , x FROM big WHERE id = :id",
    "( SELECT id FROM t WHERE id = 1 ) UNION ALL SELECT id FROM big WHERE id = 2",
    "DELETE FROM t WHERE id = :id AND ( a = 1 OR b = 2 )",
]


@pytest.mark.parametrize("seed", range(40))
def test_a_broken_statement_is_never_dropped(seed: int) -> None:
    chance = random.Random(seed)
    first, *words = chance.choice(STATEMENTS).split()
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(words))
        words[at : at + 1] = chance.choice([[], [words[at]] * 2, [chance.choice(words)]])
    for dialect in ("", "postgres", "mysql"):
        inputs = read_sql(f"{SCHEMA}{' '.join([first, *words])};", "q.sql", dialect)
        (statement,) = inputs.queries
        assert (statement.tree is None) == (statement.problem is not None)
        assert statement.problem is None or statement.problem.place is not None


def test_the_primary_key_of_clickhouse_is_an_order_only() -> None:
    assert level("SELECT a FROM t WHERE id = 1;", "clickhouse") == "unbounded"
    assert level("SELECT a FROM t WHERE id = 1 LIMIT 5;", "clickhouse") == "SI-1"
