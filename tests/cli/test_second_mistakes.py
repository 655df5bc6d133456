"""More of what new users type by mistake, by class: settings, SQL text, command lines, pipes, the Python API.

Each answer says what is wrong and what to type instead, with exit status 2, and nothing is written.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import headwater as hw
from headwater.cli.in_process import command_in_process
from support.typed import refused

TABLES = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, amount INT NOT NULL, note STRING);
CREATE TABLE people (id BIGINT PRIMARY KEY, name STRING);
"""
VIEW = "CREATE MATERIALIZED VIEW big FRESHNESS = INTERVAL '5' SECOND AS {select};\n"


def project(folder: Path, settings: str = "name: shop\n", sql: str = "") -> Path:
    folder.mkdir()
    (folder / "headwater.yml").write_text(settings)
    (folder / "all.sql").write_text(sql or TABLES + VIEW.format(select="SELECT id FROM orders"))
    return folder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = project(tmp_path / "shop")
    hw.open(folder).ingest("orders", [{"id": 1, "amount": 5}, {"id": 2, "amount": 7}])
    return folder


@pytest.mark.parametrize(
    ("settings", "wrong", "instead"),
    [
        ("name: s\n\tstorage: x", "cannot start any token", "indent with spaces"),
        ("name: s\n---\nname: t", "another document", "the file is one document"),
        ("name: *b", "undefined alias", "in quotes"),
        ("name: s\n  storage: x", "mapping values", "same indent"),
        ("name: s\0", "character 0", "take it out"),
        ("name:shop", "must be a mapping", "a space after the colon"),
        ("name: [a]", "must be text, not a list", "write one text"),
        ('name: "a\\nb"', "one line, without control characters", "write it anew"),
        ("name: “shop”", "typographic quotation mark", "straight quotes"),
        ("name: s\nfreshness: 5", "'5' needs a unit", "freshness: 10 seconds"),
        ("name: s\nretention: {history: 7}", "'7' needs a unit", "history: 7 days"),
        ("name: s\ndurability: yes", 'durability is full or fast, not "yes"', "write full or fast"),
        ("name: s\nreplan: autom", "replan is manual or auto", 'did you mean "auto"'),
        ("name: s\nprices: {core_hour: '0.1'}", "must be a number", "without quotes or units"),
        ("name: s\nexpect: {orders: {rows: 1}, ORDERS: {rows: 2}}", "given twice", "keep one"),
        ("name: s\nsites: {a: &a {capacity: {gb: 1}}, b: {<<: *a}}", "merge key <<", "write the keys out"),
        ("name: s\nsites: {a: {capacity: {cores: 0}}}", "must be above 0", "leave it out"),
        ("name: s\nstorage: all.sql", "must be a folder, not a file", "name a folder"),
        ("name: s\nstorage: all.sql/below", "must be a folder, not a file", "name a folder"),
        ("name: s\nstorage: ${DATA}/x", "cannot refer to the environment", "write the path out"),
        ("name: s\nstorage: ~nobody-of-that-name/x", "there is no home folder", "write it out"),
    ],
)
def test_a_wrong_setting_says_what_to_write(tmp_path: Path, settings: str, wrong: str, instead: str) -> None:
    folder = project(tmp_path / "shop", settings)
    message = refused("plan", folder)
    assert wrong in message
    assert instead in message.partition("Hint: ")[2]
    assert "headwater.yml:" in message
    assert sorted(path.name for path in folder.iterdir()) == ["all.sql", "headwater.yml"]


@pytest.mark.parametrize(
    ("sql", "wrong", "instead"),
    [
        (
            VIEW.format(select="SELECT id FROM orders WHERE note = “a”"),
            "“ is a typographic",
            "type ' instead",
        ),
        (
            VIEW.format(select="SELECT id FROM orders WHERE note = ‘a’"),
            "‘ is a typographic",
            "type ' instead",
        ),
        (VIEW.format(select="SELECT amount – 1 AS less FROM orders"), "– is a dash", "type - instead"),
        (VIEW.format(select="SELECT id FROM orders\u200b"), "U+200B is an invisible", "delete it"),
        ("CREATE TABLE more (id INT)；", "； is a wide character", "type ; instead"),
        ("# comment", 'unknown statement: "#"', "comments begin with --"),
        ("// comment", "unknown statement", "comments begin with --"),
        ("<<<<<<< HEAD", "unknown statement", "a merge that is not finished"),
        ("SET x = 1;", 'unknown statement: "SET"', "headwater.yml"),
        ("CREATE TABLE more (id INT) AT nowhere;", 'unexpected "AT"', "write AT SITE"),
        ("CREATE TABLE more (id INT,);", "expected a column's name", "take the comma before it out"),
        ("CREATE QUERY one(x INT) AS SELECT id FROM orders WHERE id = x;", "expected AS", "write :name"),
        (VIEW.format(select="SELECT id, FROM orders"), "missing beside this comma", "take the comma out"),
        (VIEW.format(select="SELECT id) FROM orders"), "unexpected )", "take this ) out"),
        (VIEW.format(select="SELECT id FROM {{ ref('orders') }}"), "a template, not SQL", "declare"),
        (VIEW.format(select="SELECT id FROM ${orders}"), "a template, not SQL", "write"),
        (
            VIEW.format(select="SELECT id FROM orders WHERE id = @one"),
            "cannot have variables",
            "write the name",
        ),
        (
            "CREATE MATERIALIZED VIEW late AS SELECT id FROM orders FRESHNESS = INTERVAL '5' SECOND;",
            "unexpected =",
            "write FRESHNESS between the view's name and AS",
        ),
    ],
)
def test_a_slip_in_sql_says_what_to_write(tmp_path: Path, sql: str, wrong: str, instead: str) -> None:
    message = refused("plan", project(tmp_path / "shop", sql=TABLES + sql))
    assert wrong in message
    assert instead in message.partition("Hint: ")[2]
    assert "all.sql:4:" in message


def test_typographic_characters_are_text_inside_texts(tmp_path: Path) -> None:
    select = "SELECT id, '– “a” \u200b' AS `“b”` FROM orders -- “comment” –"
    folder = project(tmp_path / "shop", sql=TABLES + VIEW.format(select=f"{select}\n"))
    assert command_in_process(["plan", str(folder)]).status == 0


def test_of_a_long_line_what_is_around_the_place_is_shown(tmp_path: Path) -> None:
    select = f"SELECT id FROM orders WHERE amount IN ({', '.join(map(str, range(500)))}) AND nothing = 1"
    folder = project(tmp_path / "shop", sql=TABLES + VIEW.format(select=select))
    ended = command_in_process(["plan", str(folder)])
    excerpt = ended.stderr.splitlines()[2:4]
    assert max(map(len, excerpt)) < 260
    at = excerpt[1].index("^")
    assert excerpt[0][at : at + 7] == "nothing"
    name = f"CREATE TABLE {'x' * 300} (id INT);"
    assert "x" * 41 not in refused("plan", project(tmp_path / "other", sql=name)).split(" cannot ")[0]


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("plan SHOP --until-idle", "No such option: --until-idle; it belongs to headwater run"),
        ("status SHOP --for 5s", "it belongs to headwater demo and headwater run"),
        ("sql SHOP SELECT 1", "put the SELECT in quotes"),
        ("run SHOP --port 8000", "--host and --port need --serve or --page"),
        ("run SHOP --host ::1", "--host and --port need --serve or --page"),
    ],
)
def test_a_wrong_command_line_says_what_to_type(shop: Path, words: str, wrong: str) -> None:
    assert wrong in refused(*[str(shop) if word == "SHOP" else word for word in words.split()])


@pytest.mark.parametrize(
    ("source", "wrong", "instead"),
    [
        ("stream", "uses a stream without saying which", "OPTIONS (format 'kafka', ...)"),
        ("postgres OPTIONS (uri 'host')", "the uri is not a PostgreSQL address", "Write postgresql://"),
        (
            "postgres OPTIONS (uri 'mysql://me@host/shop')",
            "the uri is not a PostgreSQL",
            "Write postgresql://",
        ),
    ],
)
def test_a_source_that_can_never_be_captured_is_refused_before_a_run(
    tmp_path: Path, source: str, wrong: str, instead: str
) -> None:
    folder = project(tmp_path / "shop", sql=f"{TABLES}CREATE TABLE more (id INT PRIMARY KEY) USING {source};")
    message = refused("plan", folder)
    assert wrong in message
    assert instead in message
    assert "all.sql:4:14" in message


@pytest.mark.parametrize("command", ["plan", "status", "init", "check"])
def test_an_empty_folder_is_no_folder(command: str) -> None:
    """`headwater status "$SHOP"`, where SHOP is not set, is not about the current folder."""
    assert "is a variable of the shell not set?" in refused(command, "")


@pytest.mark.parametrize("words", [["-h"], ["help"], ["help", "plan"], ["plan", "-h"], ["version"]])
def test_help_and_version_are_found_as_words(words: list[str]) -> None:
    ended = command_in_process(words)
    assert ended.status == 0
    assert "headwater" in ended.stdout
    assert "<bool>" not in ended.stdout


def test_any_limit_is_a_limit(shop: Path) -> None:
    most = "9" * 30
    assert command_in_process(["read", str(shop), "orders", "--limit", most]).status == 0
    assert command_in_process(["sql", str(shop), "SELECT id FROM orders", "--limit", most]).status == 0


class Piped(io.StringIO):
    """Standard input that is no terminal."""


def piped(monkeypatch: pytest.MonkeyPatch, text: str, *words: object) -> Any:
    monkeypatch.setattr(sys, "stdin", Piped(text))
    return command_in_process([str(word) for word in words])


@pytest.mark.parametrize("dash", [[], ["-"]])
def test_a_query_may_be_piped_in(shop: Path, monkeypatch: pytest.MonkeyPatch, dash: list[str]) -> None:
    """Without a semicolon it was dropped, and the prompt was printed between the answers."""
    one = piped(monkeypatch, "SELECT count(*) AS n FROM orders", "sql", shop, *dash, "--csv")
    assert (one.status, one.stdout, one.stderr) == (0, "n\n2\n", "")
    two = piped(monkeypatch, "SELECT 1 AS a;\nSELECT ';' AS b -- ;", "sql", shop, *dash, "--csv")
    assert two.stdout == "a\n1\nb\n;\n"
    wrong = piped(monkeypatch, "SELECT 1; SELECT nothing; SELECT 3", "sql", shop, *dash, "--csv")
    assert (wrong.status, wrong.stdout) == (2, "1\n1\n")
    assert piped(monkeypatch, " \n", "sql", shop, *dash).status == 2


def test_a_file_without_records_is_said_to_be_one(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    ended = command_in_process(["ingest", str(shop), "orders", str(tmp_path / "empty.jsonl")])
    assert (ended.status, "holds no record" in ended.stdout) == (0, True)


def test_a_delimiter_is_advised_and_taken_as_a_shell_passes_it(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id;amount\n8;1\n")
    message = refused("ingest", shop, "orders", tmp_path / "rows.csv")
    assert "--delimiter ';'" in message
    (tmp_path / "tabs.csv").write_text("id\tamount\n9\t1\n")
    command_in_process(["ingest", str(shop), "orders", str(tmp_path / "tabs.csv"), "--delimiter", r"\t"])
    assert 9 in [row["id"] for row in hw.open(shop).read("orders").to_pylist()]


@pytest.mark.parametrize("columns", ["0", "x", "1", "20", "60"])
def test_any_width_of_the_screen_shows_whole_words(
    shop: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for command in ("status", "plan"):
        shown = command_in_process([command, str(shop)]).stdout
        assert all(word in shown for word in ("big", "freshness"))
    assert "never computed" in command_in_process(["status", str(shop)]).stdout


@pytest.mark.cli
def test_closed_streams_and_the_module(shop: Path) -> None:
    """`headwater ... >&-`, and `python -m headwater` where the folder of scripts is not on the PATH."""
    headwater = f"{sys.executable} -m headwater"
    closed = f"{headwater} plan {shop} >&- && {headwater} sql {shop} 'SELECT 1' <&- 2>&-"
    ended = subprocess.run(closed, shell=True, capture_output=True, text=True, env=os.environ, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "│ 1 │" in ended.stdout


@pytest.mark.parametrize("name", [5, None, ["orders"], b"orders"])
def test_a_name_that_is_no_text_is_a_type_error(shop: Path, name: Any) -> None:
    opened = hw.open(shop)
    for ask in (opened.read, opened.query, opened.sql, lambda given: opened.ingest(given, {"id": 9})):
        with pytest.raises(TypeError, match=type(name).__name__):
            ask(name)


def test_other_arguments_of_python_are_taken_or_named(shop: Path, tmp_path: Path) -> None:
    opened = hw.open(shop)
    assert len(opened.read("orders", as_of=date(2026, 1, 1))) == 0
    with pytest.raises(TypeError, match="as_of is a datetime"):
        opened.read("orders", as_of=[2026])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a batch id is text, not int"):
        opened.ingest("orders", {"id": 5, "amount": 1}, batch=5)  # type: ignore[arg-type]
    (tmp_path / "rows").write_text("id,amount\n5,1\n")
    assert opened.ingest_file("orders", str(tmp_path / "rows"), form="csv").accepted == 1
    with pytest.raises(hw.InputError, match='there is no format "xml"'):
        opened.ingest_file("orders", str(tmp_path / "rows"), form="xml")


def test_late_rows_stand_beside_no_violation(shop: Path) -> None:
    from headwater.cli.commands.bill import _broken
    from headwater.planning.cost.billing import Costs

    assert _broken(Costs()) == "no violation"
    assert _broken(Costs(late_rows=3)) == "3 rows came late, no violation seen"
    assert _broken(Costs(late_rows=1, violations=2)) == "1 row came late, 2 violations"
    assert json.loads(command_in_process(["bill", str(shop), "--json"]).stdout)["total"]["late_rows"] == 0


def test_a_construct_that_is_not_there_is_refused_before_spark_starts() -> None:
    ended = command_in_process(["bench", "sql", "--only", "nothing"])
    assert ended.status == 2
    assert 'no construct has "nothing" in its name' in " ".join(ended.stderr.split())
