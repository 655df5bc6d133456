"""Every fault of a statement, with its code, its place and its hint.

The mark « stands where the error must point; it is taken out before the text is parsed.
"""

from __future__ import annotations

import pytest

from headwater.errors import InputError
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

VIEW = "CREATE MATERIALIZED VIEW v "


def failure(marked: str) -> InputError:
    with pytest.raises(InputError) as caught:
        resolve(parse_statements(marked.replace("«", ""), "a.sql"), ("plango",))
    return caught.value


def check(marked: str, code: str, says: str) -> None:
    error = failure(marked)
    before = marked[: marked.index("«")]
    expected = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert error.place is not None
    assert (error.code, error.place.line, error.place.column) == (code, *expected), str(error)
    assert says in f"{error.message} | {error.detail} | {error.hint}", str(error)
    assert error.place.path == "a.sql"


STATEMENTS = [
    ("«DROP TABLE t", "HW101", "remove the declaration"),
    ("\n  «INSERT INTO t VALUES (1)", "HW101", "headwater ingest"),
    ("CREATE «TABEL t (a INT)", "HW101", 'did you mean "TABLE"?'),
    ("«CRATE TABLE t (a INT)", "HW101", 'did you mean "CREATE"?'),
    ("CREATE «ROLE f", "HW101", "a file holds"),
    ("CREATE «FUNCTION f", "HW101", "they are SQL alone"),
    ("EXPLAIN «CREATE TABLE t (a INT)", "HW101", "EXPLAIN is for"),
    ("EXPLAIN «SELECT 1", "HW101", "unknown statement"),
    ("CREATE TABLE t (a INT);\n«SELECT * FROM t", "HW115", "-- name: x"),
    ("-- name: «9x\nSELECT 1", "HW100", "expected the query's name"),
    ("CREATE QUERY q «SELECT 1", "HW100", "expected AS after the query's name"),
    ("CREATE QUERY q AS«", "HW100", "has no SELECT"),
    ("CREATE TABLE t (a INT);\nCREATE QUERY «T AS SELECT 1", "HW104", "first declared at a.sql:1:14"),
    ("CREATE TABLE t (a INT);\n\nCREATE TABLE «t (a INT)", "HW104", '"t" is declared twice'),
    ("CREATE TABLE t (a INT) COMMENT «'x", "HW100", "string is never closed"),
    ("CREATE TABLE t (a INT) -- it's\n /* 'x' */ «/* open", "HW100", "comment is never closed"),
    ("CREATE TABLE t («`a INT)", "HW100", "quoted name is never closed"),
    ('CREATE TABLE t (a INT) COMMENT «"x', "HW100", "string is never closed"),
]

NAMES = [
    ("CREATE TABLE «1t (a INT)", "HW100", "expected the table's name"),
    ("CREATE TABLE «s.t (a INT)", "HW109", "write t alone"),
    ("CREATE TABLE «`../t` (a INT)", "HW109", "starts with a letter"),
    ("CREATE TABLE «_t (a INT)", "HW109", "starts with a letter"),
    (f"CREATE TABLE «{'x' * 129} (a INT)", "HW109", "at most 128"),
    ("CREATE TABLE t (a INT, «_weight INT)", "HW109", "Headwater's own"),
    ("CREATE TABLE t («_TIME INT)", "HW109", "Headwater's own"),
    ("CREATE TABLE t («`a b` INT)", "HW109", "letters, digits and underscores"),
    ("CREATE TABLE t (a INT, b INT,\n  «A INT)", "HW105", 'the column "A" is declared twice'),
    (f"{VIEW}(a, «A) AS SELECT 1, 2", "HW105", "declared twice"),
    (f"{VIEW}(«_time) AS SELECT 1", "HW109", "Headwater's own"),
    (f"{VIEW}AS SELECT 1 AS «_weight", "HW109", "choose another name"),
]

TYPES = [
    ("CREATE TABLE t (a «STIRNG)", "HW107", 'did you mean "string"?'),
    ("CREATE TABLE t (a«)", "HW107", "expected a type"),
    ("CREATE TABLE t (a «ARRAY<INT>)", "HW107", "cannot be an array"),
    ("CREATE TABLE t (a «MAP<INT, INT>)", "HW107", "cannot be a map"),
    ("CREATE TABLE t (a «STRUCT<b: INT>)", "HW107", "cannot be a struct"),
    ("CREATE TABLE t (a «INTERVAL DAY)", "HW107", "cannot be an interval"),
    ("CREATE TABLE t (a DECIMAL(«39))", "HW107", "at most 38 digits"),
    ("CREATE TABLE t (a DECIMAL(5, «6))", "HW107", "6 digits after the point"),
    ("CREATE TABLE t (a DECIMAL(«0))", "HW111", "at least 1"),
    ("CREATE TABLE t (a VARCHAR(«x))", "HW111", "a length must be"),
    ("CREATE TABLE t (a STRING «TEMPORAL)", "HW110", "TEMPORAL columns are"),
    ("CREATE TABLE t (a DOUBLE) TBLPROPERTIES ('headwater.temporal' = «'a')", "HW110", "is a double"),
]

ELEMENTS = [
    ("CREATE TABLE t «AS SELECT 1", "HW100", "expected ( after the table's name"),
    ("CREATE TABLE t («)", "HW100", "expected a column's name"),
    ("CREATE TABLE t (a INT,«)", "HW100", "expected a column's name"),
    ("CREATE TABLE t (a INT«", "HW102", "the end of the statement"),
    ("CREATE TABLE «t (PRIMARY KEY (a))", "HW117", "has no columns"),
    ("CREATE TABLE t (a INT «TEMPORLA)", "HW102", 'did you mean "TEMPORAL"?'),
    ("CREATE TABLE t (a INT DEFAULT «'3')", "HW124", "the DEFAULT of a int"),
    ("CREATE TABLE t (a TINYINT DEFAULT «128)", "HW124", "such as 0"),
    ("CREATE TABLE t (a DECIMAL(4,2) DEFAULT «1.234)", "HW124", "cannot be"),
    ("CREATE TABLE t (a STRING DEFAULT «-'x')", "HW124", "such as 'none'"),
    ("CREATE TABLE t (a DATE DEFAULT «DATE '2026-02-30')", "HW124", "such as DATE"),
    ("CREATE TABLE t (a TIMESTAMP DEFAULT «current_timestamp())", "HW124", "such as TIMESTAMP"),
    ("CREATE TABLE t (a BINARY DEFAULT «'x')", "HW124", "no DEFAULT but NULL"),
    ("CREATE TABLE t (a FLOAT DEFAULT «1e300)", "HW124", "such as 0"),
    ("CREATE TABLE t (a INT DEFAULT«)", "HW124", "the DEFAULT of a int"),
    ("CREATE TABLE t (a INT, «CHECK (a > 0))", "HW102", "CHECK is not supported"),
    ("CREATE TABLE t (a INT «NOT, b INT)", "HW102", "unexpected"),
    ("CREATE TABLE t (a INT, PRIMARY KEY («b))", "HW106", 'has no column "b"'),
    ("CREATE TABLE t (userId INT, UNIQUE («usrId))", "HW106", 'did you mean "userId"?'),
    ("CREATE TABLE t (a INT, PRIMARY KEY (a, «A))", "HW105", "listed twice"),
    ("CREATE TABLE t (a INT PRIMARY KEY, b INT, PRIMARY KEY («b))", "HW117", "two PRIMARY KEYs"),
    ("CREATE TABLE t (a INT, UPDATE KEY (a), UPDATE KEY («a))", "HW117", "two UPDATE KEYs"),
    ("CREATE TABLE t (a INT, UPDATE KEY («b))", "HW106", 'has no column "b"'),
    ("CREATE TABLE t (a INT, PRIMARY KEY «a)", "HW100", "expected ("),
    ("CREATE TABLE t (a INT, CARDINALITY LIMIT «0 (a))", "HW111", "at least 1"),
    ("CREATE TABLE t (a INT, CARDINALITY LIMIT «1.5 (a))", "HW111", "whole number"),
    ("CREATE TABLE t (a INT, CARDINALITY LIMIT «-1 (a))", "HW111", "whole number"),
    ("CREATE TABLE t (a INT, CARDINALITY LIMIT 5 («b))", "HW106", 'has no column "b"'),
    ("CREATE TABLE t (a INT, CARDINALITY LIMIT 5 (a), CARDINALITY LIMIT 6 («a))", "HW103", "two cardinality"),
    ("CREATE TABLE t (a INT PRIMARY KEY) WITH CARDINALITY («a, 3)", "HW117", "CARDINALITY LIMIT n (a)"),
    ("CREATE TABLE t (a INT PRIMARY KEY, b INT) WITH CARDINALITY («b, 3)", "HW117", "in the primary key"),
    ("CREATE TABLE t (a INT PRIMARY KEY) WITH CARDINALITY (a«)", "HW100", "expected ,"),
    ("CREATE TABLE t (a INT, FOREIGN KEY (a) «REFERENCE u (b))", "HW100", "expected REFERENCES"),
    ("CREATE TABLE t (a INT, b INT, FOREIGN KEY (a, b) REFERENCES u («c))", "HW122", "cannot reference"),
]

CLAUSES = [
    ("CREATE TABLE t (a INT) «USNIG files", "HW102", 'did you mean "USING"?'),
    ("CREATE TABLE t (a INT) «SORTED BY (a)", "HW102", "known clauses: USING"),
    ("CREATE TABLE t (a INT) «PARTITIONED BY (a)", "HW102", "by time and key"),
    ("CREATE TABLE t (a INT) USING «postgress", "HW116", 'did you mean "postgres"?'),
    ("CREATE TABLE t (a INT) USING «delta", "HW116", "use one of api, files, postgres, stream"),
    ("CREATE TABLE t (a INT) OPTIONS «(path 'x')", "HW116", "OPTIONS need a provider"),
    ("CREATE TABLE t (a INT) USING files OPTIONS (path 'x', «PATH 'y')", "HW103", "given twice"),
    ("CREATE TABLE t (a INT) USING files OPTIONS (path «x)", "HW100", "in quotes"),
    ("CREATE TABLE t (a INT) USING files OPTIONS (path 'x'«", "HW100", "expected )"),
    ("CREATE TABLE t (a INT) «AT STIE x", "HW102", 'did you mean "AT SITE"?'),
    ("CREATE TABLE t (a INT) AT SITE a «AT SITE b", "HW103", "AT SITE is given twice"),
    ("CREATE TABLE t (a INT) AT SITE «plang", "HW123", 'did you mean "plango"?'),
    ("CREATE TABLE t (a INT) EXPECT «LOTS", "HW100", "expected ROWS or RATE or VALUES"),
    ("CREATE TABLE t (a INT) EXPECT ROWS «many", "HW111", "whole number"),
    ("CREATE TABLE t (a INT) EXPECT VALUES «0 (a)", "HW111", "at least 1"),
    ("CREATE TABLE t (a INT) EXPECT VALUES 5 («b)", "HW106", 'has no column "b"'),
    ("CREATE TABLE t (a INT) EXPECT VALUES 5 (a), 6 («A)", "HW105", "twice"),
    ("CREATE TABLE t (a INT) EXPECT RATE «-1 PER SECOND", "HW111", "not negative"),
    ("CREATE TABLE t (a INT) EXPECT RATE 5 PER «MINUTE", "HW100", "expected SECOND"),
    ("CREATE TABLE t (a INT) ON VIOLATION «WARM", "HW111", 'did you mean "WARN"?'),
    ("CREATE TABLE t (a INT) TBLPROPERTIES («'headwater.sit' = 'x')", "HW112", '"headwater.site"?'),
    ("CREATE TABLE t (a INT) AT SITE plango TBLPROPERTIES ('headwater.site' = «'x')", "HW103", "disagree"),
    ("CREATE TABLE t (a INT) TBLPROPERTIES ('headwater.site' = «'x y')", "HW100", "unexpected"),
    ("CREATE TABLE t (a INT) TBLPROPERTIES ('headwater.site' = «'')", "HW100", "expected a site's name"),
    ("CREATE TABLE t (a INT) TBLPROPERTIES ('headwater.site' = «'`x')", "HW100", "never closed"),
    ("CREATE TABLE t (a INT) TBLPROPERTIES ('headwater.update_key' = «'b')", "HW106", 'no column "b"'),
    (
        "CREATE TABLE t (a INT) EXPECT ROWS 1 TBLPROPERTIES ('headwater.expect_rows'=«'2')",
        "HW103",
        "disagree",
    ),
    (
        "CREATE TABLE t (a INT PRIMARY KEY, b INT) TBLPROPERTIES ('headwater.primary_key'=«'b')",
        "HW103",
        "disagree",
    ),
    (
        "CREATE TABLE t (a INT, CARDINALITY LIMIT 1 (a)) TBLPROPERTIES ('headwater.cardinality'=«'2 (a)')",
        "HW103",
        "two",
    ),
]

VIEWS = [
    (f"{VIEW}FRESHNESS = INTERVAL «'0' SECOND AS SELECT 1", "HW108", "longer than zero"),
    (f"{VIEW}FRESHNESS = INTERVAL «'-5' SECOND AS SELECT 1", "HW108", "longer than zero"),
    (f"{VIEW}FRESHNESS = «-5 SECONDS AS SELECT 1", "HW108", "longer than zero"),
    (f"{VIEW}FRESHNESS = INTERVAL «'1' MONTH AS SELECT 1", "HW108", "no fixed length"),
    (f"{VIEW}FRESHNESS = «'2 years' AS SELECT 1", "HW108", "no fixed length"),
    (f"{VIEW}FRESHNESS = INTERVAL «'5' SECNDS AS SELECT 1", "HW108", 'did you mean "seconds"?'),
    (f"{VIEW}FRESHNESS = «10 AS SELECT 1", "HW108", "needs a unit"),
    (f"{VIEW}FRESHNESS = «'soon' AS SELECT 1", "HW108", "is not an interval"),
    (f"{VIEW}FRESHNESS = «AS SELECT 1", "HW108", "expected an interval"),
    (f"{VIEW}FRESHNESS = INTERVAL «'1:2:3' MINUTE TO SECOND AS SELECT 1", "HW108", "does not have 2 parts"),
    (f"{VIEW}FRESHNESS = INTERVAL «'1:2' SECOND TO MINUTE AS SELECT 1", "HW108", "cannot go"),
    (f"{VIEW}FRESHNESS = «'0.5 us' AS SELECT 1", "HW108", "finer than a microsecond"),
    (f"{VIEW}FRESHNESS = «'99999999 days' AS SELECT 1", "HW108", "hundred years"),
    (f"{VIEW}«FRESHNES = '1 s' AS SELECT 1", "HW102", 'did you mean "FRESHNESS"?'),
    (f"{VIEW}«REFRESH POLICE FULL AS SELECT 1", "HW102", 'did you mean "REFRESH POLICY"?'),
    (f"{VIEW}REFRESH POLICY «INCREMENTAL_STRICT AS SELECT 1", "HW111", '"INCREMENTAL STRICT"?'),
    (f"{VIEW}REFRESH POLICY «NEVER AS SELECT 1", "HW111", "the policies are"),
    (f"{VIEW}REFRESH POLICY «FUL AS SELECT 1", "HW111", 'did you mean "FULL"?'),
    (f"{VIEW}PENALTY = «-1 AS SELECT 1", "HW111", "not negative"),
    (f"{VIEW}PENALTY = «'a' AS SELECT 1", "HW111", "a penalty must be a number"),
    (f"{VIEW}PENALTY = 1 «PENALTY = 2 AS SELECT 1", "HW103", "PENALTY is given twice"),
    (f"{VIEW}OWNER = «'' AS SELECT 1", "HW111", "cannot name an owner"),
    (f"{VIEW}OWNER = «'a,b' AS SELECT 1", "HW111", "use letters, digits"),
    (f"{VIEW}OWNER = «7 AS SELECT 1", "HW100", "expected an owner"),
    (f"{VIEW}OWNER 'a' «OWNER = b AS SELECT 1", "HW103", "OWNER is given twice"),
    (f"{VIEW}«OWNR = 'a' AS SELECT 1", "HW102", 'did you mean "OWNER"?'),
    (f"{VIEW}OWNER a TBLPROPERTIES ('headwater.owner' = «'b') AS SELECT 1", "HW103", "disagree"),
    (f"{VIEW}TBLPROPERTIES ('headwater.owner' = «'a;b') AS SELECT 1", "HW111", "cannot name an owner"),
    (f"{VIEW}TBLPROPERTIES («'headwater.ownr' = 'a') AS SELECT 1", "HW112", "headwater.owner"),
    (f"{VIEW}AT SITE «nowhere AS SELECT 1", "HW123", "headwater.yml"),
    (
        f"{VIEW}FRESHNESS '1 s' TBLPROPERTIES ('headwater.freshness' = «'2 s') AS SELECT 1",
        "HW103",
        "disagree",
    ),
    (
        f"{VIEW}TBLPROPERTIES ('headwater.allow_cross_join' = «'maybe') AS SELECT 1",
        "HW111",
        "'true' or 'false'",
    ),
    (f"{VIEW}TBLPROPERTIES ('headwater.freshness' = «'1 month') AS SELECT 1", "HW108", "no fixed length"),
    (f"{VIEW}TBLPROPERTIES («'headwater.update_key' = 'a') AS SELECT 1", "HW112", "no property"),
    (f"{VIEW}FRESHNESS = '1 s'«", "HW100", "has no AS SELECT"),
    (f"{VIEW}AS«", "HW100", "has no SELECT"),
    (f"{VIEW}AS «selec 1", "HW113", 'did you mean "SELECT"?'),
    (f"{VIEW}AS «INSERT INTO t SELECT 1", "HW113", "expected a SELECT"),
    (f"{VIEW}AS\nSELECT a b «c FROM t", "HW113", "unexpected c"),
    (f"{VIEW}AS SELECT 1 FORM «t x", "HW113", "unexpected t"),
    (f"{VIEW}AS SELECT a,\r\n  (b «FROM t", "HW113", "expecting )"),
    (VIEW + "AS SELECT a FROM «{{ ref('t') }}", "HW113", "this is a template, not SQL: {{ ref('t') }}"),
    (VIEW + "AS SELECT a FROM «${t} WHERE b = 1", "HW113", "in options and headwater.yml only"),
    (f"{VIEW}AS SELECT a«, , b FROM t", "HW113", "beside this comma"),
    (f"{VIEW}AS SELECT a«, FROM t", "HW113", "beside this comma"),
    (f"{VIEW}AS SELECT 1\n WHERE 'a :x' = «:x", "HW114", "CREATE QUERY"),
    (f"{VIEW}AS SELECT 1 /* :a */ WHERE a = «? -- :b", "HW114", "the parameter ?"),
]

RESOLVED = [
    (f"CREATE TABLE orders (a INT); {VIEW}AS SELECT *\n FROM «order", "HW120", 'did you mean "orders"?'),
    (f"CREATE TABLE t (a INT); {VIEW}AS SELECT * FROM s.«t", "HW120", 'there is no schema "s"'),
    (f"{VIEW}AS SELECT 1 WHERE EXISTS (SELECT 1 FROM «zzz)", "HW120", "declare it with CREATE TABLE"),
    (f"CREATE QUERY q AS SELECT 1; {VIEW}AS SELECT * FROM «q", "HW120", "is a query"),
    ("CREATE QUERY q AS SELECT * FROM «zzz", "HW120", 'no table or view "zzz"'),
    ("EXPLAIN CREATE MATERIALIZED VIEW e AS SELECT * FROM «zzz", "HW120", 'no table or view "zzz"'),
    (f"{VIEW}AS SELECT * FROM «V", "HW121", 'the view "v" reads itself'),
    (
        "CREATE MATERIALIZED VIEW a AS SELECT 1 FROM «b; CREATE MATERIALIZED VIEW b AS SELECT 1 FROM c;"
        "CREATE MATERIALIZED VIEW c AS SELECT 1 FROM a",
        "HW121",
        "a reads b reads c reads a.",
    ),
    ("CREATE TABLE items (a INT REFERENCES «item)", "HW122", 'did you mean "items"?'),
    ("CREATE TABLE u (x INT UNIQUE); CREATE TABLE t (a INT REFERENCES u («y))", "HW122", 'no column "y"'),
    ("CREATE TABLE u (x INT); CREATE TABLE t (a INT REFERENCES «u)", "HW122", "is not a key"),
    ("CREATE TABLE u (x INT); CREATE TABLE t (a INT REFERENCES «u (x))", "HW122", '"u" (x) is not a key'),
    ("CREATE TABLE u (x STRING UNIQUE); CREATE TABLE t (a INT REFERENCES «u (x))", "HW122", "u.x is string"),
    (
        "CREATE TABLE u (x INT, y INT, PRIMARY KEY (x, y)); CREATE TABLE t (a INT REFERENCES «u)",
        "HW122",
        "1 columns cannot reference the 2",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("marked", "code", "says"), [*STATEMENTS, *NAMES, *TYPES, *ELEMENTS, *CLAUSES, *VIEWS, *RESOLVED]
)
def test_a_fault_is_shown_where_it_is(marked: str, code: str, says: str) -> None:
    check(marked, code, says)


@pytest.mark.parametrize(("marked", "code", "says"), [*ELEMENTS, *VIEWS])
def test_places_do_not_depend_on_what_stands_before(marked: str, code: str, says: str) -> None:
    """The same faults after another statement, a comment with unicode, and Windows line ends."""
    check("CREATE TABLE first (x INT);\r\n-- ünï;cödé 🙂 '\r\n\t/* ; */ " + marked, code, says)


def test_a_select_nested_too_deeply() -> None:
    check(f"{VIEW}AS «SELECT " + "(" * 3000 + "1" + ")" * 3000, "HW113", "nested too deeply")


def test_the_text_of_an_error() -> None:
    error = failure("CREATE TABLE t (\n  a INT,\n  b «STIRNG\n);")
    assert str(error) == (
        'HW107: expected a type, found "STIRNG"\n'
        "  at a.sql:3:5\n"
        "   3 |   b STIRNG\n"
        "     |     ^^^^^^\n"
        'Hint: did you mean "string"?'
    )
