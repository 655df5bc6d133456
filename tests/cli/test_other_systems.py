"""What users of dbt, Snowflake, Flink, ksqlDB, Oracle, MySQL, DuckDB and pandas type out of habit: each message says what to write here."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headwater as hw
from support.typed import headwater, refused

TABLES = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, amount INT NOT NULL, note STRING, at TIMESTAMP);
CREATE TABLE people (id BIGINT PRIMARY KEY, name STRING);
"""
VIEW = "CREATE MATERIALIZED VIEW big FRESHNESS = INTERVAL '5' SECOND AS {select};\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return project(tmp_path / "shop")


def project(folder: Path, sql: str = "") -> Path:
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: shop\n")
    (folder / "all.sql").write_text(TABLES + sql)
    return folder


@pytest.mark.parametrize(
    ("sql", "instead"),
    [
        ("{{ config(materialized='table') }}", "by dbt compile"),
        ("CREATE DYNAMIC TABLE v TARGET_LAG = '1 minute' AS SELECT 1;", "write CREATE MATERIALIZED VIEW"),
        ("CREATE OR REPLACE STREAM s ON TABLE orders;", "a view follows"),
        ("CREATE TASK t SCHEDULE = '1 minute' AS SELECT 1;", "nothing is scheduled by hand"),
        ("CREATE FUNCTION f AS 'x';", "they are SQL alone"),
        ("COMMENT ON TABLE orders IS 'x';", "write COMMENT 'text'"),
        ("CREATE TABLE t (id NUMBER(38, 0));", "declare it as DECIMAL(...)"),
        ("CREATE TABLE t (a TIMESTAMP(3));", "a timestamp has microseconds"),
        ("CREATE TABLE t (a DECIMAL(2, 5));", "DECIMAL(7, 5)"),
        ("CREATE TABLE t (a, b);", "after its name"),
        ("CREATE TABLE t ();", "between the parentheses"),
        ("CREATE TABLE t (id INT, PRIMARY KEY (c));", "its columns are id"),
        ("CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED);", "keys are checked"),
        ("CREATE TABLE t (id INT AUTO_INCREMENT);", "rows come with their keys"),
        ("CREATE TABLE t (id INT) WITH ('connector' = 'kafka');", "write USING provider OPTIONS"),
        ("CREATE TABLE t (id INT) ENGINE=InnoDB;", "tables are Delta tables"),
        ("CREATE TABLE public.t (id INT);", "write t alone"),
        ("CREATE MATERIALIZED VIEW v REFRESH EVERY 5 MINUTES AS SELECT 1;", "write FRESHNESS ="),
        ("CREATE MATERIALIZED VIEW v REFRESH FAST ON COMMIT AS SELECT 1;", "write FRESHNESS ="),
        ("CREATE MATERIALIZED VIEW v WITH (timescaledb.continuous) AS SELECT 1;", "as clauses"),
        (VIEW.format(select="SELECT id FROM orders EMIT CHANGES"), "a view always follows"),
        (VIEW.format(select="SELECT id FROM orders WITH NO DATA"), "a run computes the view first"),
        (
            VIEW.format(
                select="SELECT window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '1' MINUTE))"
            ),
            "write GROUP BY window(",
        ),
        (VIEW.format(select="SELECT id FROM orders MATCH_RECOGNIZE (ORDER BY at PATTERN (A))"), "lag() and lead()"),
        (VIEW.format(select="SELECT amount * 2 AS d FROM orders WHERE d > 2"), "write amount * 2 here"),
        (VIEW.format(select="SELECT my_udf(id) AS x FROM orders"), "functions are Spark's own"),
        (VIEW.format(select="SELECT f.value FROM orders, LATERAL FLATTEN(input => note) f"), "LATERAL explode(x)"),
        (VIEW.format(select="SELECT note::VARIANT AS x FROM orders"), "variant_get(x"),
        (VIEW.format(select="SELECT parse_json(note) AS x FROM orders"), "variant_get(x"),
        (VIEW.format(select="SELECT make_interval(1) AS x FROM orders"), "store a number"),
        (VIEW.format(select="SELECT id FROM big"), "Let it read tables or other views"),
    ],
)  # fmt: skip
def test_words_of_other_systems_say_what_to_write(tmp_path: Path, sql: str, instead: str) -> None:
    folder = project(tmp_path / "shop", sql)
    message = refused("plan", folder)
    assert instead in message.partition("Hint: ")[2]
    assert "all.sql:4:" in message
    assert not (folder / "warehouse").exists()


def test_a_word_inside_a_text_far_away_is_no_hint(tmp_path: Path) -> None:
    far = f"SELECT id, 'with data' AS a, {'1 + ' * 40}1 AS b FROM orders GROUP ORDER"
    assert "a run computes" not in refused("plan", project(tmp_path / "shop", VIEW.format(select=far)))


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("pretty.json", '{\n "id": 3,\n "amount": 1\n}\n', "one JSON object"),
        ("python.jsonl", "{'id': 3, 'amount': 1}\n", "json.dumps"),
        ("data.jsonl", '{"op": "insert", "data": {"id": 3}}\n', '"row": {...}'),
        ("op.jsonl", '{"op": "remove", "row": {"id": 3}}\n', '"row": {...}'),
        ("dbz.jsonl", '{"before": null, "after": {"id": 3}, "op": "c"}\n', "jq -c '{op: {c:"),
        ("short.csv", "id,amount,note\n3,1\n", "as many fields as the first one names"),
    ],
)
def test_why_no_record_of_a_file_fits(shop: Path, name: str, content: str, told: str) -> None:
    (shop / name).write_text(content)
    ended = headwater("ingest", shop, "orders", shop / name)
    assert (ended.status, told in " ".join(ended.stdout.split())) == (1, True), ended.stdout


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("cut.parquet", b"PAR1abcPAR1", "copy it again"),
        ("x.orc", b"ORC\0\1\2", "It is ORC or Avro"),
        ("x.avro", b"Obj\1\2\0\xff", "It is ORC or Avro"),
        ("bare.csv", b"7,1\n8,2\n", "Write the names above it"),
        ("more.csv", b"id,amount,foo\n7,1,2\n", "Leave it out, or declare it"),
    ],
)
def test_a_file_that_does_not_fit_says_what_to_do(shop: Path, name: str, content: bytes, told: str) -> None:
    (shop / name).write_bytes(content)
    assert told in refused("ingest", shop, "orders", shop / name)
    assert headwater("dead-letters", shop).stdout.count("orders,") == 0


def test_an_address_is_no_file(shop: Path) -> None:
    for address in ("https://example.org/x.csv", "s3://bucket/x.parquet"):
        assert "fetch it first" in refused("ingest", shop, "orders", address)


@pytest.mark.parametrize(
    ("word", "instead"),
    [("refresh", "run"), ("ps", "status"), ("test", "verify"), ("load", "ingest"), ("rm", "drop")],
)
def test_a_command_of_another_tool_is_led_to_ours(word: str, instead: str) -> None:
    assert f"Try `headwater {instead}`." in refused(word)


def test_options_that_name_nothing_are_refused(shop: Path) -> None:
    assert "Leave the view out" in refused("verify", shop, "--store", "big")
    assert "it belongs behind a command" in json.loads(headwater("--json").stdout)["message"]
    assert "without system tables" in refused("sql", shop, "SELECT * FROM information_schema.tables")


def test_columns_are_found_whatever_their_case(shop: Path, tmp_path: Path) -> None:
    """As names of tables, views and columns in SQL are; a name that is there twice is not guessed."""
    opened = hw.open(shop)
    opened.ingest("orders", {"ID": 1, "Amount": 1})
    opened.ingest("orders", pa.table({"Id": [2], "AMOUNT": [2]}))
    (tmp_path / "a.csv").write_text("ID,amount\n3,3\n")
    opened.ingest_file("orders", str(tmp_path / "a.csv"))
    pq.write_table(pa.table({"iD": [4], "amount": [4]}), tmp_path / "a.parquet")
    opened.ingest_file("orders", str(tmp_path / "a.parquet"))
    opened.ingest("orders", {"op": "delete", "row": {"ID": 4}})
    assert sorted((row["id"], row["amount"]) for row in opened.read("orders").to_pylist()) == [
        (1, 1),
        (2, 2),
        (3, 3),
    ]
    assert opened.ingest("orders", {"id": 9, "ID": 8, "amount": 1}).rejected == 1


def test_values_of_numpy_and_pandas_are_what_they_hold(tmp_path: Path) -> None:
    """A row that DataFrame.iterrows() gives was rejected; a NaT ended in a ValueError of pandas."""
    pd = pytest.importorskip("pandas")
    np = pytest.importorskip("numpy")
    opened = hw.open(project(tmp_path / "shop"))
    frame = pd.DataFrame({"id": [1, 2], "amount": [1, 2], "at": pd.to_datetime(["2026-01-31", None])})
    for _, row in frame.iterrows():
        opened.ingest("orders", row.to_dict(), strict=True)
    opened.ingest("orders", frame.assign(id=[3, 4]).to_dict("records"), strict=True)
    given = {
        "id": np.int64(5),
        "amount": np.int32(1),
        "note": np.str_("a"),
        "at": np.datetime64("2026-01-31T01:02"),
    }
    opened.ingest("orders", given, strict=True)
    opened.ingest("orders", {"id": 6, "amount": 1, "note": pd.NA, "at": np.datetime64("NaT")}, strict=True)
    shown = [
        (row["id"], row["note"], str(row["at"]))
        for row in opened.sql("SELECT * FROM orders ORDER BY id").to_pylist()
    ]
    assert [(number, note, at[:16]) for number, note, at in shown] == [
        (1, None, "2026-01-31 00:00"), (2, None, "None"), (3, None, "2026-01-31 00:00"), (4, None, "None"),
        (5, "a", "2026-01-31 01:02"), (6, None, "None"),
    ]  # fmt: skip


@pytest.mark.parametrize("more", ["2026-01-31T00:00:00.000000001", "numpy"])
def test_nothing_finer_than_microseconds_is_cut_off(tmp_path: Path, more: str) -> None:
    pd = pytest.importorskip("pandas")
    np = pytest.importorskip("numpy")
    instant = np.datetime64("2026-01-31T00:00:00.000000001") if more == "numpy" else pd.Timestamp(more)
    opened = hw.open(project(tmp_path / "shop"))
    with pytest.raises(hw.InputError, match="more than microseconds"):
        opened.ingest("orders", {"id": 1, "amount": 1, "at": instant}, strict=True)


def test_other_arguments_of_python(shop: Path, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    opened = hw.open(shop)
    twice = pd.DataFrame([[1, 2, 3]], columns=["id", "amount", "id"])
    with pytest.raises(hw.InputError, match="no table of plain columns"):
        opened.ingest("orders", twice)
    with pytest.raises(hw.InputError, match='two columns "id"'):
        opened.ingest("orders", pa.table([[1], [1], [1]], names=["id", "amount", "id"]))
    (tmp_path / "a.csv").write_text("id,amount\n1,1\n")
    assert opened.ingest_file("orders", tmp_path / "a.csv").accepted == 1
    with pytest.raises(hw.InputError, match='since: "yesterday" is not an instant'):
        opened.changes("orders", since="yesterday")
    with pytest.raises(hw.InputError, match='since: "yesterday" is not an instant'):
        opened.bill(since="yesterday")
    assert opened.bill(since="2026-01-01", until="2026-02-01").total.cpu_seconds == 0
    with pytest.raises(hw.InputError, match="longer than zero"):
        opened.run(timedelta(seconds=-5))


@pytest.mark.parametrize("words", [["ingest", "orders", "FILE"], ["status"], ["read", "orders"]])
def test_what_was_done_is_not_reported_as_failed_for_what_was_rejected_before(
    shop: Path, words: list[str]
) -> None:
    """Damaged dead letters: `ingest` stored its rows, and ended with exit status 2."""
    (shop / "rows.jsonl").write_text('{"id": 1, "amount": 1}\n{"id": "x"}\n')
    headwater("ingest", shop, "orders", shop / "rows.jsonl")
    for log in (shop / "warehouse" / "system" / "dead_letters" / "_delta_log").glob("*.json"):
        log.write_text("{")
    (shop / "rows.jsonl").write_text('{"id": 2, "amount": 1}\n')
    ended = headwater(
        words[0], shop, *[str(shop / "rows.jsonl") if word == "FILE" else word for word in words[1:]]
    )
    said = " ".join((ended.stdout + ended.stderr).split())
    assert (ended.status, "cannot be counted" in said) == (0, True), ended


def test_a_file_beyond_a_cardinality_limit_is_not_meant_for_another_table(tmp_path: Path) -> None:
    folder = project(
        tmp_path / "shop", "CREATE TABLE few (id BIGINT PRIMARY KEY, a INT, CARDINALITY LIMIT 2 (a));\n"
    )
    (folder / "rows.jsonl").write_text("".join(f'{{"id": {number}, "a": 1}}\n' for number in range(150)))
    assert "is smaller than what the file needs" in refused("ingest", folder, "few", folder / "rows.jsonl")


@pytest.mark.parametrize(
    ("settings", "instead"),
    [("spark: {master: 'local[0]'}", 'write "local[*]"'), ("storage: ''", "write one text"), ("profile: dev", "did you mean")],
)  # fmt: skip
def test_settings_that_cannot_be(tmp_path: Path, settings: str, instead: str) -> None:
    folder = project(tmp_path / "shop")
    (folder / "headwater.yml").write_text(f"name: shop\n{settings}\n")
    assert instead in refused("plan", folder)
