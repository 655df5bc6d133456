"""Wrong input gets one clear message: what, where, why and what to do; exit status 2; nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.app import app
from headwater.errors import HeadwaterError
from support.commands import command

TABLES = "CREATE TABLE orders (id BIGINT PRIMARY KEY, amount INT NOT NULL, at TIMESTAMP);\n"


def project(folder: Path, sql: str, settings: str = "name: t\n") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "headwater.yml").write_text(settings)
    (folder / "all.sql").write_text(sql)
    return folder


def failing(*words: str) -> HeadwaterError:
    result = CliRunner().invoke(app, list(words))
    assert isinstance(result.exception, HeadwaterError), result.output
    return result.exception


def view(sql: str, clauses: str = "FRESHNESS = INTERVAL '5' SECOND") -> str:
    return f"CREATE MATERIALIZED VIEW v {clauses} AS {sql};\n"


WRONG = {
    "an unknown table": (TABLES + view("SELECT id FROM order"), "order"),
    "an unknown column": (TABLES + view("SELECT amuont FROM orders"), "amuont"),
    "a type clash": (TABLES + view("SELECT id FROM orders WHERE at + true > 1"), ""),
    "a duplicate name": (TABLES + TABLES, "orders"),
    "a cycle": (
        TABLES
        + "CREATE MATERIALIZED VIEW a FRESHNESS = INTERVAL '5' SECOND AS SELECT * FROM b;\n"
        + "CREATE MATERIALIZED VIEW b FRESHNESS = INTERVAL '5' SECOND AS SELECT * FROM a;\n",
        "a",
    ),
    "a bad interval": (TABLES + view("SELECT id FROM orders", "FRESHNESS = INTERVAL '-5' SECOND"), ""),
    "a cross join": (TABLES + view("SELECT a.id FROM orders a, orders b"), ""),
    "a random number": (TABLES + view("SELECT id, rand() AS r FROM orders"), "rand"),
    "strict without a rule": (
        TABLES + view("SELECT id FROM orders LIMIT 3", "REFRESH POLICY INCREMENTAL STRICT"),
        "LIMIT",
    ),
    "broken SQL": (TABLES + view("SELECT FROM WHERE"), ""),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_project_is_refused_at_its_place(case: str, tmp_path: Path) -> None:
    sql, word = WRONG[case]
    error = failing("status", str(project(tmp_path / "p", sql)))
    assert error.exit_status == 2
    assert error.place is not None
    assert error.place.path.endswith("all.sql")
    assert word in error.place.text
    assert not (tmp_path / "p" / "warehouse").exists()


def test_misspelt_names_get_a_suggestion(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", TABLES + view("SELECT amuont FROM orders"))
    assert 'did you mean "amount"' in str(failing("status", str(folder)))
    good = project(tmp_path / "q", TABLES + view("SELECT amount FROM orders"))
    assert 'did you mean "orders"' in str(failing("ingest", str(good), "ordrs", "x.jsonl"))
    assert 'there is no view "w"' in str(failing("read", str(good), "w"))


def test_a_folder_that_is_no_project(tmp_path: Path) -> None:
    assert failing("status", str(tmp_path / "nowhere")).exit_status == 2
    assert "headwater.yml" in str(failing("status", str(tmp_path)))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", TABLES)
    assert failing("ingest", str(folder), "orders", str(tmp_path / "none.jsonl")).exit_status == 2


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"id": 2, "amount": "many"}', "amount"),
        ('{"id": 1, "amount": 3}', "key"),
        ('{"id": 3}', "amount"),
        ('{"id": 3, "amount": 1, "colour": "red"}', "colour"),
        ('{"id": 3, "amount": ', "JSON"),
        ('{"op": "delete", "row": {"id": 99}}', "no such row"),
    ],
)
def test_a_wrong_row_is_rejected_and_the_others_are_not(line: str, told: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "p", TABLES)
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": 1, "amount": 1}\n' + line + '\n{"id": 5, "amount": 2}\n')
    result = CliRunner().invoke(app, ["ingest", str(folder), "orders", str(file)])
    assert result.exit_code == 1
    assert "2 accepted" in result.output
    assert "line 2" in result.output
    assert told in result.output


def test_a_file_is_no_warehouse(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = project(tmp_path / "p", TABLES, f"name: t\nstorage: {tmp_path / 'file'}\n")
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": 1, "amount": 1}\n')
    assert "storage must be a folder, not a file" in str(failing("ingest", str(folder), "orders", str(file)))


@pytest.mark.parametrize("text", ["5 parsecs", "-3s", "", "s"])
def test_a_wrong_duration(text: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "p", TABLES + view("SELECT id FROM orders"))
    assert "is not a duration" in str(failing("read", str(folder), "v", f"--max-staleness={text}"))


def test_a_view_that_was_never_computed(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", TABLES + view("SELECT id FROM orders"))
    error = failing("read", str(folder), "v")
    assert (error.exit_status, error.code) == (1, "HW821")


@pytest.mark.parametrize("command", [["run", "--until-idle"], ["verify"], ["run"]])
def test_without_java(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project(tmp_path / "p", TABLES)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    error = failing(command[0], str(folder), *command[1:])
    assert (error.code, error.exit_status) == ("HW813", 2)
    assert "Traceback" not in str(error)


@pytest.mark.parametrize("words", [("plan",), ("run", "--until-idle")])
@pytest.mark.parametrize(
    ("using", "code"),
    [
        ("files OPTIONS (path 'in', format 'json')", "HW857"),
        ("files", "HW857"),
        ("postgres", "HW872"),
        ("carrier_pigeon", "HW116"),
    ],
)
def test_wrong_options_of_a_table_are_refused_before_spark_starts(
    tmp_path: Path, words: tuple[str, ...], using: str, code: str
) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "t.sql").write_text(f"CREATE TABLE t (id BIGINT PRIMARY KEY) USING {using};")
    refused = command(words[0], tmp_path, *words[1:], status=2)
    assert code in refused.stderr
    assert "starting Spark" not in refused.stderr
