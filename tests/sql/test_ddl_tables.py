"""CREATE TABLE: every clause, and what the model says of it."""

from __future__ import annotations

import pytest

from headwater.errors import InputError
from headwater.model import Cardinality, Expectation, ForeignKey, Table
from headwater.sql.ddl.statements import parse_statements


def table(text: str) -> Table:
    (declared,) = parse_statements(text, "t.sql").tables
    return declared


@pytest.mark.parametrize(
    ("written", "type_name"),
    [
        ("BOOLEAN", "boolean"), ("bool", "boolean"),
        ("TINYINT", "tinyint"), ("BYTE", "tinyint"),
        ("SMALLINT", "smallint"), ("SHORT", "smallint"),
        ("INT", "int"), ("Integer", "int"),
        ("BIGINT", "bigint"), ("LONG", "bigint"),
        ("FLOAT", "float"), ("REAL", "float"),
        ("DOUBLE", "double"), ("DOUBLE PRECISION", "double"),
        ("DECIMAL", "decimal(10,0)"), ("DEC(5)", "decimal(5,0)"), ("NUMERIC(38, 38)", "decimal(38,38)"),
        ("decimal(10,2)", "decimal(10,2)"),
        ("STRING", "string"), ("VARCHAR(20)", "string"), ("VARCHAR", "string"), ("CHAR(3)", "string"),
        ("CHARACTER(3)", "string"), ("TEXT", "string"),
        ("BINARY", "binary"), ("DATE", "date"),
        ("TIMESTAMP", "timestamp"), ("TIMESTAMP_LTZ", "timestamp"), ("TIMESTAMP_NTZ", "timestamp_ntz"),
    ],
)  # fmt: skip
def test_types(written: str, type_name: str) -> None:
    column = table(f"CREATE TABLE t (a {written}, b INT)").columns[0]
    assert (column.type, column.nullable, column.temporal) == (type_name, True, False)


def test_the_designs_table() -> None:
    declared = table(
        """CREATE TABLE user_events (
             event_id BIGINT PRIMARY KEY, uid BIGINT NOT NULL, event_type STRING,
             starts_at TIMESTAMP TEMPORAL,
             CARDINALITY LIMIT 100 (uid)                       -- at most 100 rows for any uid
           ) USING postgres OPTIONS (uri '...', table 'public.user_events') AT SITE plango;"""
    )
    assert declared.key == ("event_id",)
    assert [column.nullable for column in declared.columns] == [False, False, True, True]
    assert [column.temporal for column in declared.columns] == [False, False, False, True]
    assert declared.cardinalities == (Cardinality(("uid",), 100),)
    assert (declared.provider, declared.site) == ("postgres", "plango")
    assert declared.options == {"uri": "...", "table": "public.user_events"}
    assert declared.place is not None
    assert (declared.place.line, declared.place.column) == (1, 14)


def test_an_update_table() -> None:
    declared = table(
        "CREATE TABLE quotes (symbol STRING, price DOUBLE, quoted_at TIMESTAMP, UPDATE KEY (symbol));"
    )
    assert declared.update_key == ("symbol",)
    assert declared.key == ()
    assert declared.provider == "api"


def test_a_plain_table_has_the_defaults() -> None:
    declared = table("create or replace table if not exists T (A int)")
    assert declared.name == "T"
    assert (declared.key, declared.unique, declared.foreign_keys, declared.cardinalities) == ((), (), (), ())
    assert (declared.site, declared.options, declared.expect, declared.warn_on_violation) == (
        "default", {}, Expectation(), False,
    )  # fmt: skip


def test_keys_of_several_columns_take_the_declared_spelling() -> None:
    declared = table(
        "CREATE TABLE t (docId INT, Tag STRING, n INT, CONSTRAINT pk PRIMARY KEY (DOCID, tag),"
        " UNIQUE (N, docid), UNIQUE(TAG))"
    )
    assert declared.key == ("docId", "Tag")
    assert declared.unique == (("n", "docId"), ("Tag",))
    assert [column.nullable for column in declared.columns] == [False, False, True]


def test_an_inline_unique_column_may_be_null() -> None:
    declared = table("CREATE TABLE t (a INT UNIQUE, b INT NULL CONSTRAINT u UNIQUE NOT NULL)")
    assert declared.unique == (("a",), ("b",))
    assert [column.nullable for column in declared.columns] == [True, False]


def test_foreign_keys_inline_and_as_constraints() -> None:
    declared = table(
        "CREATE TABLE t (a INT REFERENCES u (x), b INT, c INT REFERENCES w,"
        " CONSTRAINT f FOREIGN KEY (A, b) REFERENCES v (x, y))"
    )
    assert declared.foreign_keys == (
        ForeignKey(("a",), "u", ("x",)),
        ForeignKey(("c",), "w", ()),
        ForeignKey(("a", "b"), "v", ("x", "y")),
    )


def test_a_limit_without_columns_bounds_the_whole_table() -> None:
    declared = table("CREATE TABLE t (a INT, CARDINALITY LIMIT 5_000 (), CARDINALITY LIMIT 7 (a))")
    assert declared.cardinalities == (Cardinality((), 5000), Cardinality(("a",), 7))
    declared = table("CREATE TABLE t (a INT) TBLPROPERTIES ('headwater.cardinality' = '9 (), 3 (a)')")
    assert declared.cardinalities == (Cardinality((), 9), Cardinality(("a",), 3))
    with pytest.raises(InputError, match="two cardinality limits, 5 and 6"):
        table("CREATE TABLE t (a INT, CARDINALITY LIMIT 5 (), CARDINALITY LIMIT 6 ())")
    assert table("CREATE TABLE t (a INT, CARDINALITY LIMIT 7 ON (a))").cardinalities == (
        Cardinality(("a",), 7),
    )
    with pytest.raises(InputError, match="after CARDINALITY LIMIT 5") as refused:
        table("CREATE TABLE t (a INT, CARDINALITY LIMIT 5)")
    assert "() for the whole table" in refused.value.hint


def test_with_cardinality_bounds_the_rows_of_the_keys_other_columns() -> None:
    """The paper: Tags(docId, tag, timestamp) WITH CARDINALITY(tag, K), at most K tags for any docId."""
    declared = table(
        "CREATE TABLE Tags (docId BIGINT, tag STRING, at TIMESTAMP, PRIMARY KEY (docId, tag))"
        " WITH CARDINALITY(TAG, 10)"
    )
    assert declared.cardinalities == (Cardinality(("docId",), 10),)


def test_several_limits_and_the_same_one_twice() -> None:
    declared = table(
        "CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b), CARDINALITY LIMIT 5 (c),"
        " CARDINALITY LIMIT 1_000 (a))"
        " WITH CARDINALITY (b, 1000) WITH CARDINALITY (a, 7)"
    )
    assert declared.cardinalities == (
        Cardinality(("c",), 5), Cardinality(("a",), 1000), Cardinality(("b",), 7),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("EXPECT ROWS 7000000 RATE 1000 PER SECOND", Expectation(7_000_000, 1000.0)),
        ("EXPECT ROWS 0", Expectation(0, None)),
        ("EXPECT ROWS 9 VALUES 3 (A)", Expectation(9, None, (("a", 3),))),
        ("EXPECT RATE 0.5 PER SECOND", Expectation(None, 0.5)),
    ],
)
def test_expectations(clause: str, expected: Expectation) -> None:
    assert table(f"CREATE TABLE t (a INT) {clause}").expect == expected


def test_clauses_in_another_order() -> None:
    declared = table(
        "CREATE TABLE t (a INT COMMENT 'x') COMMENT 'y' ON VIOLATION WARN EXPECT ROWS 3 AT SITE `s`"
        " OPTIONS ('path' = '/x', header true, max.files 3) USING Files"
    )
    assert declared.warn_on_violation
    assert (declared.provider, declared.site, declared.expect.rows) == ("files", "s", 3)
    assert declared.options == {"path": "/x", "header": "true", "max.files": "3"}
    assert not table("CREATE TABLE t (a INT) ON VIOLATION REJECT").warn_on_violation


def test_properties_say_the_same_as_clauses() -> None:
    by_property = table(
        """CREATE TABLE t (a INT, b INT, at TIMESTAMP) TBLPROPERTIES (
             'headwater.primary_key' = 'a, B', 'headwater.update_key' = 'a', 'headwater.temporal' = 'at',
             'headwater.cardinality' = '10 (a), 5 (a, b)', 'headwater.site' = 's',
             'headwater.on_violation' = 'warn',
             'headwater.expect_rows' = '100', 'headwater.expect_rate' = '2.5',
             'headwater.provider' = 'stream',
             'pipelines.reset.allowed' = 'false')"""
    )
    by_clause = table(
        """CREATE TABLE t (a INT, b INT, at TIMESTAMP TEMPORAL, PRIMARY KEY (a, b), UPDATE KEY (a),
             CARDINALITY LIMIT 10 (a), CARDINALITY LIMIT 5 (a, b))
           USING stream AT SITE s ON VIOLATION WARN EXPECT ROWS 100 RATE 2.5 PER SECOND"""
    )
    for field in Table.__dataclass_fields__:
        if field != "place":
            assert getattr(by_property, field) == getattr(by_clause, field), field


def test_a_clause_and_a_property_may_both_stand_if_they_agree() -> None:
    declared = table(
        "CREATE TABLE t (a INT PRIMARY KEY, CARDINALITY LIMIT 3 (a)) EXPECT ROWS 5 AT SITE s TBLPROPERTIES"
        " ('headwater.primary_key'='A', 'headwater.site'='s', 'headwater.cardinality'='3 (a)',"
        " 'headwater.expect_rows'='5', 'headwater.expect_rate'='1 PER SECOND')"
    )
    assert (declared.key, declared.site, declared.expect) == (("a",), "s", Expectation(5, 1.0))
    assert declared.cardinalities == (Cardinality(("a",), 3),)


def test_words_of_ours_may_name_columns() -> None:
    declared = table(
        "CREATE TABLE t (cardinality INT, temporal INT, unique_id INT, `primary` INT, constraint INT,"
        " site INT, freshness INT, update INT, größe INT, `with-dash` INT,"
        " PRIMARY KEY (cardinality, `primary`))"
    )
    assert declared.key == ("cardinality", "primary")
    assert "größe" in declared.column_names
    assert "with-dash" in declared.column_names


def test_comments_may_stand_between_any_words() -> None:
    declared = table(
        "CREATE/**/TABLE -- x\n t (a INT PRIMARY /* ; */ KEY, -- it's\n b INT NOT/* */NULL) AT -- z\nSITE s"
    )
    assert (declared.key, declared.site, declared.columns[1].nullable) == (("a",), "s", False)
