"""Whatever the text, the answer is a result or an InputError with a place inside the text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.errors import InputError
from headwater.model import Cardinality, Column, Expectation, RefreshPolicy, Table
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import Statements, parse_statements
from support.cases import law

SEED = """-- tables
CREATE TABLE u (id BIGINT PRIMARY KEY, name VARCHAR(20) UNIQUE, at TIMESTAMP NOT NULL TEMPORAL);
CREATE TABLE t (a INT, b STRING REFERENCES u (name), d DECIMAL(10, 2), PRIMARY KEY (a, b), UNIQUE (d),
  CONSTRAINT f FOREIGN KEY (a) REFERENCES u (id), CARDINALITY LIMIT 100 (b), UPDATE KEY (a))
  USING files OPTIONS (path '/x', 'k' = "v") AT SITE default EXPECT ROWS 10 RATE 1.5 PER SECOND
  ON VIOLATION WARN WITH CARDINALITY (a, 100) TBLPROPERTIES ('headwater.update_key' = 'a', 'x.y' = 1);
CREATE OR REPLACE MATERIALIZED VIEW v (x, y) FRESHNESS = INTERVAL '1 minute 5.5' SECOND PENALTY = 0.001 OWNER = 'a b'
  REFRESH POLICY INCREMENTAL STRICT AT SITE default ALLOW CROSS JOIN
  TBLPROPERTIES ('headwater.penalty' = '0.001') AS
  WITH c AS (SELECT a, count(*) AS n FROM t GROUP BY a) /* é */
  SELECT c.a, 'it\\'s' FROM c JOIN u ON u.id = c.a;
EXPLAIN CREATE MATERIALIZED VIEW w FRESHNESS = INTERVAL '1:30' MINUTE TO SECOND AS SELECT a, `b` FROM t;
CREATE QUERY q AS SELECT * FROM v WHERE x = :x ORDER BY y LIMIT 10;
-- name: r
SELECT 1
"""
PIECES = [
    *";,()'\"`.=-+:*/<>{}[]\\ \n\r\t\0é🙂0", "--", "/*", "*/", "::", "{%", "''", "$$", "1e5", "5bd", "x'0'",
    "0x", "'", " CREATE ", " TABLE ", " AS ", " SELECT ", " INTERVAL ", " FRESHNESS ", " PRIMARY KEY ",
    " WITH ", " FROM ", " CARDINALITY ", " LIMIT ", " NOT ", " NULL ", " TBLPROPERTIES ", " 'headwater.",
    " REFERENCES ", " TO ", " EXPLAIN ", " CASE ", " OVER ", " LATERAL ", " JOIN ", " PIVOT ", " VALUES ",
    " UNION ", " -1 ", " :a ",
]  # fmt: skip


def answer(text: str) -> Statements | InputError:
    try:
        return resolve(parse_statements(text, "f.sql"))
    except InputError as error:
        return error


def survives(text: str) -> None:
    error = answer(text)
    if isinstance(error, InputError):
        assert error.place is not None, str(error)
        lines = text.split("\n")
        assert 1 <= error.place.line <= len(lines), str(error)
        assert 1 <= error.place.column <= len(lines[error.place.line - 1]) + 2, str(error)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """The seed with a few stretches cut out, doubled, moved or replaced."""
    text = SEED
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        other = draw(st.integers(0, len(text)))
        new = draw(
            st.one_of(
                st.sampled_from(PIECES), st.text(max_size=3), st.just(""), st.just(text[other : other + 20])
            )
        )
        text = text[:start] + new + text[end:]
    return text


def test_the_seed_itself_is_right() -> None:
    statements = answer(SEED)
    assert isinstance(statements, Statements), str(statements)
    assert (
        len(statements.tables),
        len(statements.views),
        len(statements.explained),
        len(statements.queries),
    ) == (2, 1, 1, 2)


@law(400)
@given(mutated())
@example("CREATE TABLE t (a INT) TBLPROPERTIES ('headwater.site' = '')")
@example("CREATE MATERIALIZED VIEW v AS SELECT " + "(" * 3000)
@example("CREATE MATERIALIZED VIEW v AS SELECT " + "(" * 40 + "1" + ")" * 40)
def test_mutations(text: str) -> None:
    survives(text)


@law(300)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(SEED.split(" "))), max_size=30))
def test_any_words_in_any_order(words: list[str]) -> None:
    survives(" ".join(words))


NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
TYPES = st.sampled_from(
    ["boolean", "int", "bigint", "decimal(12,3)", "string", "date", "timestamp", "binary"]
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    names = draw(st.lists(NAMES, min_size=2, max_size=6, unique=True))
    key = tuple(draw(st.lists(st.sampled_from(names), max_size=2, unique=True)))
    columns = tuple(Column(name, draw(TYPES), name not in key and draw(st.booleans())) for name in names)
    limits = draw(st.dictionaries(st.sampled_from(names), st.integers(1, 10**12), max_size=2))
    return Table(
        name=draw(NAMES),
        columns=columns,
        key=key,
        unique=tuple((name,) for name in draw(st.lists(st.sampled_from(names), max_size=2, unique=True))),
        cardinalities=tuple(Cardinality((name,), limit) for name, limit in limits.items()),
        update_key=tuple(draw(st.lists(st.sampled_from(names), max_size=2, unique=True))),
        expect=Expectation(draw(st.none() | st.integers(0, 10**9)), draw(st.none() | st.integers(0, 10**6))),
        warn_on_violation=draw(st.booleans()),
    )


def written(table: Table, space: str) -> str:
    """A table's DDL, with `space` between the words."""

    def listed(columns: tuple[str, ...]) -> str:
        return f"( {' , '.join(f'`{name}`' for name in columns)} )"

    parts = [
        f"`{column.name}` {column.type}" + ("" if column.nullable else " NOT NULL")
        for column in table.columns
    ]
    parts += [f"PRIMARY KEY {listed(table.key)}"] if table.key else []
    parts += [f"UNIQUE {listed(columns)}" for columns in table.unique]
    parts += [f"CARDINALITY LIMIT {limit.limit} {listed(limit.columns)}" for limit in table.cardinalities]
    parts += [f"UPDATE KEY {listed(table.update_key)}"] if table.update_key else []
    rows, rate = table.expect.rows, table.expect.rate_per_second
    expect = ("" if rows is None else f" ROWS {rows}") + ("" if rate is None else f" RATE {rate} PER SECOND")
    tail = (f" EXPECT{expect}" if expect else "") + (" ON VIOLATION WARN" if table.warn_on_violation else "")
    return f"CREATE TABLE `{table.name}` ({', '.join(parts)}){tail}".replace(" ", space)


@law(100)
@given(tables(), st.sampled_from([" ", "\n", "\t\r\n", " /* ; ' */ ", " -- ; '\n"]))
def test_a_table_written_out_is_read_back(table: Table, space: str) -> None:
    (declared,) = parse_statements(written(table, space)).tables
    for field in Table.__dataclass_fields__:
        if field != "place":
            assert getattr(declared, field) == getattr(table, field), field


@pytest.mark.parametrize("policy", list(RefreshPolicy))
@law(30)
@given(milliseconds=st.integers(1, 10**10), penalty=st.decimals(0, 1000, places=4))
def test_a_view_written_out_is_read_back(policy: RefreshPolicy, milliseconds: int, penalty: object) -> None:
    text = f"REFRESH POLICY {policy.value} PENALTY = {penalty} FRESHNESS = {milliseconds} MILLISECONDS"
    (view,) = parse_statements(f"CREATE MATERIALIZED VIEW v {text} AS SELECT 1").views
    assert view.refresh is policy
    assert view.penalty == penalty
    assert view.freshness.total_seconds() * 1000 == pytest.approx(milliseconds, rel=1e-12)
