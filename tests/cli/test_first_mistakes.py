"""What new users type by mistake: each gets a message that says what is wrong and what to type instead."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from support.typed import headwater, refused

TABLES = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, amount INT NOT NULL, note STRING);
CREATE TABLE people (id BIGINT PRIMARY KEY, name STRING);
"""
VIEW = (
    "CREATE MATERIALIZED VIEW big FRESHNESS = INTERVAL '5' SECOND AS SELECT id FROM orders WHERE {where};\n"
)
QUERY = "CREATE QUERY one_order AS SELECT id, amount FROM orders WHERE id = :id;\n"
LINES = '{"id": 1, "amount": 5, "note": "é"}\n{"id": 2, "amount": 7, "note": "b"}\n'


def project(folder: Path, where: str = "amount > 1", sql: str | None = None) -> Path:
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: shop\n")
    (folder / "all.sql").write_text(TABLES + VIEW.format(where=where) + QUERY if sql is None else sql)
    return folder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = project(tmp_path / "shop")
    (tmp_path / "orders.jsonl").write_text(LINES)
    assert headwater("ingest", folder, "orders", tmp_path / "orders.jsonl").status == 0
    return folder


def test_a_table_is_read_as_a_view_is(shop: Path) -> None:
    answer = json.loads(headwater("read", shop, "ORDERS", "--json").stdout)
    assert answer["view"] == "orders"
    assert [row["id"] for row in answer["rows"]] == [1, 2]
    nothing_yet = headwater("read", shop, "people")
    assert (nothing_yet.status, "name" in nothing_yet.stdout) == (0, True)


@pytest.mark.parametrize(
    ("words", "what", "instead"),
    [
        ("read SHOP orders --max-staleness 5s", '"orders" is a table', "without a bound"),
        ("read SHOP one_order", '"one_order" is a query', "headwater query"),
        ("ingest SHOP big FILE", '"big" is a view', "computed from tables"),
        ("dead-letters SHOP big", '"big" is a view', "computed from tables"),
        ("drop SHOP orders", '"orders" is a table', "delete its CREATE TABLE"),
        ("verify SHOP orders", '"orders" is a table', "Name a view"),
        ("query SHOP big", '"big" is a view', "headwater read"),
        ("query SHOP orders", '"orders" is a table', "headwater read"),
        ("changes SHOP orders", '"orders" is a table', "AS SELECT * FROM"),
        ("plan SHOP --view orders", '"orders" is a table', "Views are planned"),
        ("key add SHOP x --query big", '"big" is a view', "headwater read"),
        ("read SHOP ordres", 'there is no view "ordres"', 'did you mean "orders"'),
    ],
)
def test_a_name_of_another_kind_is_said_to_be_that(shop: Path, words: str, what: str, instead: str) -> None:
    typed = [{"SHOP": str(shop), "FILE": str(shop.parent / "orders.jsonl")}.get(w, w) for w in words.split()]
    message = refused(*typed)
    assert what in message
    assert instead in message


@pytest.mark.parametrize(
    ("name", "content", "hint"),
    [
        ("orders.bin", bytes(range(256)), "UTF-8"),
        ("orders.jsonl.gz", gzip.compress(LINES.encode() * 50, mtime=0), "gunzip -c"),
        ("orders.jsonl", LINES.encode("utf-16"), "iconv -f utf-16"),
        ("orders.csv", "id,amount,note\n3,4,é\n".encode("latin-1"), "iconv -f latin1"),
        ("sheet.xlsx", b"PK\x03\x04" + bytes(40), "save it as CSV"),
        ("orders.dat", b"PAR1" + bytes(40), "--format parquet"),
    ],
)
def test_a_file_that_is_no_text_is_refused_as_a_whole(
    shop: Path, tmp_path: Path, name: str, content: bytes, hint: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    message = refused("ingest", shop, "orders", file)
    assert "is not UTF-8 text" in message
    assert hint in message
    assert not headwater("dead-letters", shop).stdout.count("orders,")


def test_a_broken_line_among_good_ones_is_a_dead_letter(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "mixed.jsonl"
    file.write_bytes(b'\xff\xfe\x00\n{"id": 3, "amount": 1}\n')
    ended = headwater("ingest", shop, "orders", file, "--json")
    assert (json.loads(ended.stdout)["accepted"], json.loads(ended.stdout)["rejected"]) == (1, 1)


@pytest.mark.parametrize(
    ("content", "cause"),
    [("id,amount\n3,4\n", "This looks like CSV"), ('[{"id": 3}, {"id": 4}]\n', "one JSON object")],
)
def test_where_no_record_fits_the_likely_cause_is_said(
    shop: Path, tmp_path: Path, content: str, cause: str
) -> None:
    file = tmp_path / "orders.txt"
    file.write_text(content)
    ended = headwater("ingest", shop, "orders", file)
    assert ended.status == 1
    assert cause in ended.stdout


def test_a_folder_is_not_a_file(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert "USING files takes a whole folder" in refused("ingest", shop, "orders", tmp_path / "folder")
    assert "is a folder, not a file" in refused("add", shop, tmp_path / "folder")
    assert "is a folder, not a file" in refused("plan", shop, "--with", tmp_path / "folder")


def test_ad_hoc_columns_are_called_as_they_were_typed(shop: Path) -> None:
    def names(select: str) -> list[str]:
        return list(json.loads(headwater("sql", shop, select, "--json").stdout)["rows"][0])

    assert names("SELECT count(*), count(*), 1/0 FROM orders") == ["count(*)", "count(*)_2", "1 / 0"]
    assert names("SELECT *, upper(note), o.id FROM orders o") == [
        "id",
        "amount",
        "note",
        "upper(note)",
        "id_2",
    ]
    assert names("SELECT CAST(note AS STRING) AS n, amount + 1 FROM orders") == ["n", "amount + 1"]


@pytest.mark.parametrize(
    ("select", "column", "message"),
    [
        ("SELECT amuont FROM orders", 8, 'did you mean "amount"'),
        ("SELECT o.amuont FROM orders o", 10, 'did you mean "amount"'),
        ("SELECT id FROM orders ORDER BY nothing", 32, "There are: amount, id, note"),
        ("SELECT oo.id FROM orders o", 8, 'called "oo"'),
        ("SELECT uper(note) FROM orders", 8, "no function uper"),
        ("SELECT note, count(*) FROM orders", 8, "neither grouped by nor aggregated"),
        ("DROP TABLE orders", 1, "one SELECT, which changes nothing, over orders, people, big"),
        ("SELECT 1; SELECT 2", 1, "one SELECT, which changes nothing"),
        (" ; ", 1, "one SELECT, which changes nothing"),
    ],
)
def test_a_wrong_ad_hoc_query_is_marked_where_it_is_wrong(
    shop: Path, select: str, column: int, message: str
) -> None:
    ended = headwater("sql", shop, select, "--json")
    error = json.loads(ended.stdout)
    assert ended.status == 2
    assert message in error["message"] + error["hint"]
    assert (error["place"] or {"column": 0})["column"] == column


def test_a_text_that_is_no_number_is_refused_before_anything_runs(tmp_path: Path) -> None:
    message = refused("plan", project(tmp_path / "shop", "amount = 'abc'"))
    assert "'abc' cannot be read as" in message


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("CREATE TABLE t (id BIGINT) USING files OPTIONS (path 'in', formt 'csv');", 'did you mean "format"'),
        (
            "CREATE TABLE t (id BIGINT) USING files OPTIONS (path 'in', header 'no');",
            "header is true or false",
        ),
        ("CREATE TABLE t (id BIGINT) USING api OPTIONS (mode 'upsrt');", 'did you mean "upsert"'),
        ("CREATE TABLE t (id BIGINT) USING api OPTIONS (path 'x');", "USING api knows mode"),
        ("CREATE TABLE t (id SERIAL);", "declare it as INT"),
        ("CREATE TABLE t (id BIGINT, u UUID);", "declare it as STRING"),
        ("CREATE TABLE t (id BIGINT)\nCREATE TABLE u (id BIGINT);", "with a semicolon"),
        (
            "CREATE TABLE t (id BIGINT);\nCREATE MATERIALIZED VIEW v SELECT id FROM t;",
            "write AS before the SELECT",
        ),
        ("CREATE TABLE t (id BIGINT);\nCREATE TABLE T (id BIGINT);", "Rename one of them"),
    ],
)
def test_a_slip_in_a_declaration_says_what_to_write(tmp_path: Path, sql: str, told: str) -> None:
    folder = project(tmp_path / "shop", sql=sql)
    assert told in refused("plan", folder)
    (tmp_path / "rows.jsonl").write_text('{"id": 1}\n')
    assert headwater("ingest", folder, "t", tmp_path / "rows.jsonl").status == 2
    assert not (folder / "warehouse").exists()


def test_options_that_would_be_ignored_are_refused(shop: Path, tmp_path: Path) -> None:
    assert "exclude each other" in refused("run", shop, "--until-idle", "--for", "5s")
    assert "it would be SVG" in refused("plan", shop, "--svg", tmp_path / "plan.png")
    assert not (tmp_path / "plan.png").exists()


def test_what_is_not_there_yet_is_said_to_be(tmp_path: Path) -> None:
    folder = project(tmp_path / "shop", sql=TABLES + VIEW.format(where="amount > 1"))
    changes = headwater("changes", folder, "big")
    assert (changes.status, "has never been computed" in changes.stderr) == (1, True)
    assert "declares no query yet" in headwater("query", folder).stdout


def test_a_project_without_views_says_so(tmp_path: Path) -> None:
    folder = project(tmp_path / "shop", sql=TABLES)
    assert "declares no materialized view yet" in headwater("plan", folder).stdout
    assert "declares no materialized view yet" in headwater("status", folder).stdout
    assert json.loads(headwater("plan", folder, "--json").stdout)["views"] == []


def test_a_warning_of_rejected_rows_is_a_sentence_that_can_be_pasted(tmp_path: Path) -> None:
    folder = project(tmp_path / "my shop")
    (tmp_path / "wrong.jsonl").write_text('{"id": 1}\n')
    ended = headwater("ingest", folder, "orders", tmp_path / "wrong.jsonl")
    assert "1 row was rejected (100% of all) and is in no view" in ended.stderr
    assert f"headwater dead-letters '{folder}' orders" in ended.stderr
