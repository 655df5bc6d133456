"""Queries that once came out bounded and are not: one test for each class of false proof."""

from __future__ import annotations

import pytest

from headwater.algebra.expressions.tree import Column, Opaque, Parameter, call
from headwater.bounds.answers.answer import Answer
from headwater.bounds.answers.check import check
from headwater.bounds.plans.plan import Index, IndexPart
from headwater.bounds.query.block import Select
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options
from headwater.errors import InternalError

SCHEMA = """
CREATE TABLE users (id BIGINT PRIMARY KEY, name STRING, email STRING, score INT, is_deleted BOOLEAN NOT NULL,
  created_at TIMESTAMP TEMPORAL);
CREATE TABLE posts (id BIGINT PRIMARY KEY, author BIGINT NOT NULL REFERENCES users (id), topic STRING, score INT,
  body STRING, created_at TIMESTAMP);
CREATE TABLE tags (doc BIGINT, tag STRING, PRIMARY KEY (doc, tag));
CREATE TABLE limited (doc BIGINT, tag STRING, PRIMARY KEY (doc, tag), CARDINALITY LIMIT 10 (doc));
CREATE TABLE warned (id BIGINT PRIMARY KEY, owner BIGINT NOT NULL, CARDINALITY LIMIT 10 (owner)) ON VIOLATION WARN;
CREATE TABLE children (id BIGINT PRIMARY KEY, parent BIGINT, kind STRING, CARDINALITY LIMIT 10 (parent));
"""


def ask(sql: str, dialect: str = "", schema: str = SCHEMA) -> Answer:
    inputs = read_sql(schema, "schema.sql")
    inputs.queries += read_sql(f"-- name: q\n{sql};", "q.sql", dialect).queries
    (answer,) = check(inputs, Options())
    return answer


def level(sql: str, dialect: str = "") -> str:
    return ask(sql, dialect).level.value


def reasons(answer: Answer) -> str:
    return " ".join(reason.text for reason in answer.reasons)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM users ORDER BY LEVENSHTEIN(name, :q) LIMIT 5",
        "SELECT COUNT(*) FILTER (WHERE score > :s) FROM posts WHERE topic = :t",
        "SELECT COUNT(*) FROM posts WHERE topic = :t AND score % :m = 0",
        "SELECT id FROM posts WHERE topic = :t ORDER BY score / (UNIX_TIMESTAMP() - UNIX_TIMESTAMP(created_at)) LIMIT 5",
        "SELECT id FROM posts ORDER BY score * :weight LIMIT 5",
        "SELECT topic, SUM(score * :w) AS n FROM posts GROUP BY topic ORDER BY n DESC LIMIT 5",
        "SELECT score % :m, COUNT(*) FROM posts WHERE topic = :t GROUP BY score % :m ORDER BY 2 DESC LIMIT 5",
        "SELECT id FROM posts WHERE topic = :t ORDER BY CASE WHEN author = :me THEN 0 ELSE 1 END, id LIMIT 5",
        "SELECT MAX(score * :w) FROM posts WHERE topic = :t",
        "SELECT id FROM posts WHERE topic = :t ORDER BY julianday('now') - julianday(created_at) LIMIT 5",
        "SELECT id FROM posts WHERE topic = :t ORDER BY CURRENT_TIMESTAMP - created_at LIMIT 5",
        "SELECT id FROM posts WHERE topic = :t AND COALESCE(:minimum, score) <= score LIMIT 5",
    ],
)
def test_no_index_and_no_view_holds_a_parameter(sql: str) -> None:
    assert level(sql) == "unbounded"


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT id FROM users ORDER BY RAND() LIMIT 1", ""),
        ("SELECT id FROM users WHERE RAND() < 0.01", ""),
        ("SELECT id FROM users WHERE RAND() < 0.01 LIMIT 5", ""),
        ("SELECT id FROM users ORDER BY UUID() LIMIT 5", ""),
        ("SELECT id FROM users ORDER BY RANDOM() LIMIT 5", "postgres"),
        ("SELECT id FROM users ORDER BY gen_random_uuid() LIMIT 5", "postgres"),
        ("SELECT id FROM posts WHERE created_at < CLOCK_TIMESTAMP() LIMIT 5", "postgres"),
        ("SELECT id FROM posts WHERE score > RAND() * 10 ORDER BY score LIMIT 5", "mysql"),
        ("SELECT COUNT(*) FROM posts WHERE topic = :t AND RAND() < 0.5", ""),
        ("SELECT id, RAND() AS r FROM posts ORDER BY r LIMIT 5", ""),
        ("SELECT id FROM posts WHERE topic = CONCAT('t', FLOOR(RAND() * 10)) LIMIT 5", "mysql"),
        ("SELECT topic FROM posts GROUP BY topic ORDER BY RAND() LIMIT 5", ""),
    ],
)
def test_a_volatile_call_is_evaluated_for_each_row(sql: str, dialect: str) -> None:
    assert level(sql, dialect) == "unbounded"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT id, RAND() FROM users WHERE id = :id", "SI-0"),
        ("SELECT tag FROM limited WHERE doc = :d ORDER BY RAND() LIMIT 1", "SI-0"),
        ("SELECT RAND()", "SI-0"),
    ],
)
def test_a_volatile_call_over_bounded_rows_is_bounded(sql: str, expected: str) -> None:
    assert level(sql) == expected


@pytest.mark.parametrize("clause", ["WHERE my_rank(name) = 3 LIMIT 5", "ORDER BY my_rank(name) LIMIT 5"])
def test_a_query_with_an_unknown_function_is_not_analysed(clause: str) -> None:
    answer = ask(f"SELECT id FROM users {clause}")
    assert answer.level.value == "not analysed"
    assert "my_rank" in reasons(answer)


@pytest.mark.parametrize(("mark", "dialect"), [("?", ""), ("?", "mysql"), ("%s", "postgres"), ("%s", "")])
def test_each_question_mark_is_a_parameter_of_its_own(mark: str, dialect: str) -> None:
    two_tags = (
        "SELECT t1.doc FROM tags t1, tags t2, posts d WHERE t1.doc = t2.doc AND t1.doc = d.id "
        f"AND t1.tag = {mark} AND t2.tag = {mark} ORDER BY d.created_at LIMIT 5"
    )
    assert level(two_tags, dialect) == "unbounded"
    three = ask(f"SELECT * FROM users WHERE id IN ({mark}, {mark}, {mark})", dialect)
    assert (three.level.value, three.operations) == ("SI-0", 3)


def test_a_quoted_name_of_another_dialect_is_not_a_string() -> None:
    answer = ask("SELECT id FROM posts WHERE \"topic\" = 'x' LIMIT 5")
    assert answer.level.value == "not analysed"
    assert "--dialect" in reasons(answer)
    assert level("SELECT id FROM posts WHERE \"topic\" = 'x' LIMIT 5", "postgres") == "SI-1"
    assert level('SELECT id FROM posts WHERE topic = "spark" LIMIT 5') == "SI-1"
    assert level('SELECT "p"."id" FROM "posts" AS "p" WHERE "p"."topic" = :t LIMIT 5') == "SI-1"


def test_quotes_that_hold_names_in_one_statement_of_a_file_do_in_all() -> None:
    text = 'CREATE TABLE "t" ("id" INT PRIMARY KEY, "kind" TEXT);\n-- name: q\nSELECT id FROM t WHERE "kind" = \'x\' LIMIT 5;'
    (answer,) = check(read_sql(text, "dump.sql"), Options())
    assert answer.level.value == "SI-1"
    assert [index.table for index in answer.indexes] == ["t"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM users ORDER BY created_at DESC LIMIT 10",
        "SELECT id FROM users WHERE is_deleted = FALSE ORDER BY created_at DESC LIMIT 10",
        "SELECT id FROM users WHERE is_deleted = :d ORDER BY created_at DESC LIMIT 10",
        "SELECT id FROM users WHERE name = 'root' AND is_deleted = FALSE ORDER BY created_at LIMIT 10",
        "SELECT id FROM users WHERE DATE(created_at) = CURRENT_DATE LIMIT 10",
        "SELECT id FROM users WHERE is_deleted = FALSE AND DATE(created_at) = :day LIMIT 10",
    ],
)
def test_a_hot_spot_is_found_behind_constants_and_functions(sql: str) -> None:
    assert level(sql) == "SI-3"


def test_a_counter_for_each_epoch_alone_is_a_hot_row() -> None:
    assert (
        level("SELECT COUNT(*) FROM posts WHERE created_at > CURRENT_TIMESTAMP - INTERVAL '1' DAY")
        == "unbounded"
    )
    assert (
        level(
            "SELECT COUNT(*) FROM posts WHERE author = :a AND created_at > CURRENT_TIMESTAMP - INTERVAL '1' DAY"
        )
        == "SI-2"
    )


def test_a_parameter_before_the_temporal_column_spreads_it() -> None:
    assert level("SELECT id FROM users WHERE created_at = :t AND email = :e LIMIT 10") == "SI-1"
    assert level("SELECT id FROM users WHERE email = :e ORDER BY created_at DESC LIMIT 10") == "SI-1"


def test_limits_that_only_warn_prove_nothing() -> None:
    answer = ask("SELECT id FROM warned WHERE owner = :o")
    assert answer.level.value == "unbounded"
    assert "ON VIOLATION WARN" in reasons(answer)


def test_references_that_only_warn_make_no_partner_sure() -> None:
    """A LIMIT may be taken before a join only if the join loses no row."""
    tables = (
        "CREATE TABLE u (id BIGINT PRIMARY KEY); "
        "CREATE TABLE t (id BIGINT PRIMARY KEY, k INT, u BIGINT NOT NULL REFERENCES u (id))"
    )
    query = "-- name: q\nSELECT t.id FROM t JOIN u ON u.id = t.u WHERE t.k = :k LIMIT 5;"
    for violation, expected in (("", "SI-1"), (" ON VIOLATION WARN", "unbounded")):
        (answer,) = check(read_sql(f"{tables}{violation};\n{query}", "q.sql"), Options(strict=True))
        assert answer.level.value == expected


def test_a_limit_does_not_count_rows_with_null() -> None:
    """Capture accepts any number of rows whose parent is NULL, so no view may count on the limit for them."""
    pairs = "SELECT a.id FROM children a JOIN children b ON a.parent <=> b.parent WHERE a.kind = :k AND b.kind = :l LIMIT 5"
    assert level(pairs) == "unbounded"
    assert level("SELECT id FROM children WHERE parent = :p") == "SI-1"
    assert level("SELECT id FROM children WHERE parent IS NULL") == "unbounded"
    answer = ask("SELECT kind, COUNT(*) AS n FROM children WHERE parent IS NULL OR parent = :p GROUP BY kind")
    assert answer.level.value == "unbounded"


@pytest.mark.parametrize(
    ("condition", "dialect", "expected"),
    [
        ("MATCH (body) AGAINST (:q)", "mysql", "unbounded"),
        ("MATCH (body) AGAINST ('spark sql')", "mysql", "SI-1"),  # the same rows for every call
        ("to_tsvector(body) @@ plainto_tsquery(:q)", "postgres", "unbounded"),
        ("to_tsvector(body) @@ to_tsquery(:word)", "postgres", "SI-1"),
        ("MATCH (body) AGAINST ('spark')", "mysql", "SI-1"),
        ("TOKEN(body) = :q", "", "SI-1"),
    ],
)
def test_a_search_text_may_hold_several_words(condition: str, dialect: str, expected: str) -> None:
    assert level(f"SELECT id FROM posts WHERE {condition} ORDER BY id LIMIT 5", dialect) == expected


def test_one_word_is_said_to_be_assumed() -> None:
    answer = ask("SELECT id FROM posts WHERE MATCH (body) AGAINST (:word) LIMIT 5", "mysql")
    assert answer.assumes == (":word is one word",)


@pytest.mark.parametrize(
    "expr",
    [Parameter("p"), call("add", Column("a"), Parameter("p")), Opaque("rand", (), "RAND()", volatile=True)],
)
def test_an_index_refuses_parameters_and_volatile_calls(expr: object) -> None:
    with pytest.raises(InternalError):
        Index("t", (IndexPart(expr),))  # type: ignore[arg-type]
    with pytest.raises(InternalError):
        Index("t", (IndexPart(Column("a")),), where=(call("eq", Column("a"), expr),))  # type: ignore[arg-type]


def test_a_unique_index_that_is_dropped_proves_nothing() -> None:
    text = "CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX u ON t (a); DROP INDEX u;\n-- name: q\nSELECT b FROM t WHERE a = :a;"
    (answer,) = check(read_sql(text, "dump.sql", "postgres"), Options())
    assert answer.level.value == "unbounded"


def test_a_type_that_gets_more_values_later_has_more() -> None:
    text = (
        "CREATE TYPE kind AS ENUM ('a', 'b'); CREATE TABLE t (u INT, k kind NOT NULL, PRIMARY KEY (u, k)); "
        "ALTER TYPE kind OWNER TO me; ALTER TYPE public.kind ADD VALUE 'c';\n-- name: q\nSELECT k FROM t WHERE u = :u;"
    )
    (answer,) = check(read_sql(text, "dump.sql", "postgres"), Options())
    assert (answer.level.value, answer.results) == ("SI-0", 3)
    (answer,) = check(read_sql("ALTER TYPE kind ADD VALUE 'd';", "later.sql", "postgres"), Options())
    assert answer.level.value == "not analysed"


def test_rows_that_others_have_locked_are_not_counted() -> None:
    sql = "SELECT id FROM posts WHERE topic = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
    assert level(sql, "postgres") == "unbounded"
    assert level(sql.replace(" SKIP LOCKED", ""), "postgres") == "SI-1"


def test_constraints_that_are_not_enforced_prove_nothing() -> None:
    text = (
        "CREATE TABLE t (a INT, b INT, UNIQUE (a) NOT ENFORCED);\n-- name: q\nSELECT b FROM t WHERE a = :a;"
    )
    answers = list(check(read_sql(text, "dump.sql", "postgres"), Options()))
    assert answers[-1].level.value in ("unbounded", "not analysed")


def test_a_difference_bounds_a_limit_only_if_what_is_taken_away_is_not_negative() -> None:
    assert level("SELECT id FROM posts WHERE topic = :t LIMIT 100 - :n") == "unbounded"


@pytest.mark.parametrize(
    "cut", ["FETCH FIRST 10 PERCENT ROWS ONLY", "FETCH FIRST 5 ROWS WITH TIES", "LIMIT 10 PERCENT"]
)
def test_a_cut_that_does_not_say_how_many_rows_is_none(cut: str) -> None:
    assert level(f"SELECT id FROM posts WHERE topic = :t ORDER BY id {cut}") == "unbounded"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("ALTER TABLE t DROP CONSTRAINT t_a", "unbounded"),
        ("ALTER TABLE t DROP PRIMARY KEY", "unbounded"),
        ("ALTER TABLE public.t ALTER COLUMN a TYPE bigint", "SI-1"),
        ("CREATE TABLE child (z int) INHERITS (t)", "unbounded"),
    ],
)
def test_a_key_that_was_taken_away_proves_nothing(change: str, expected: str) -> None:
    text = f"CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, CONSTRAINT t_a UNIQUE (a)); {change};\n-- name: q\nSELECT id FROM t WHERE a = $1;"
    answers = {answer.name: answer for answer in check(read_sql(text, "dump.sql", "postgres"), Options())}
    assert answers["q"].level.value == expected


def test_a_column_of_another_type_has_no_few_values_any_more() -> None:
    text = """create table t (id bigint not null primary key, kind enum('a','b') not null, g bigint not null, unique key (g, kind));
    {change}
    -- name: q
    select id from t where g = ?;"""
    levels = [
        list(check(read_sql(text.format(change=change), "dump.sql", "mysql"), Options()))[-1].level.value
        for change in ("", "alter table t modify column kind varchar(20) not null;")
    ]
    assert levels == ["SI-1", "unbounded"]


def test_references_in_a_circle_end() -> None:
    text = """CREATE TABLE a (id BIGINT PRIMARY KEY REFERENCES b (id), v INT);
    CREATE TABLE b (id BIGINT PRIMARY KEY REFERENCES a (id), v INT);
    -- name: q
    SELECT a.v, b.v FROM a JOIN b ON b.id = a.id WHERE a.id = :id;"""
    (answer,) = check(read_sql(text, "circle.sql"), Options())
    assert answer.level.value == "SI-0"


def outer_join(sql: str) -> Select:
    query = ask(sql).query
    assert isinstance(query, Select)
    return query


def test_a_list_that_another_source_can_satisfy_keeps_the_outer_join() -> None:
    sql = "SELECT p.id FROM posts p LEFT JOIN users u ON u.id = p.author WHERE p.id = :id AND 1 IN (p.score, u.id)"
    assert [join.alias for join in outer_join(sql).left_joins] == ["u"]
    assert not outer_join(sql.replace("1 IN (p.score, u.id)", "u.id IN (1, 2)")).left_joins


def test_the_column_of_a_right_join_is_that_of_the_side_that_is_never_null() -> None:
    query = outer_join("SELECT id FROM users RIGHT JOIN posts USING (id) WHERE posts.id = :id")
    assert query.outputs[0].expr == Column("id", "posts")
