"""What a new user meets: a missing right, a database that is not there, a declaration that was wrong at first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from headwater.capture.captures import captured_again, captures
from headwater.capture.intake.append import open_source
from headwater.clock import SystemClock
from headwater.engine.run.capturing import Capturing
from headwater.engine.run.reloading import needs_restart
from headwater.errors import HeadwaterError
from headwater.model import Column, Project, Table
from headwater.storage.warehouse import Warehouse
from support.commands import answer, command
from support.postgres import capture, drain, drained_notes, rows_of, table

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


@pytest.fixture
def shop(uri: str, connection: Connection, tmp_path: Path) -> Path:
    """A project of one table, captured by a user who may log in and replicate, and nothing else."""
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n numeric); INSERT INTO t VALUES (1, 2.5)")
    connection.execute("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN REPLICATION")
    connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
    declare(tmp_path, uri.replace("//postgres:", "//guest:"))
    return tmp_path


@pytest.fixture(autouse=True)
def no_guest(connection: Connection) -> Iterator[None]:
    yield
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'guest'").fetchone():
        connection.execute("DROP OWNED BY guest; DROP ROLE guest")


def declare(folder: Path, uri: str, kind: str = "DECIMAL(10,2)") -> None:
    (folder / "headwater.yml").write_text("name: shop\n")
    (folder / "t.sql").write_text(
        f"CREATE TABLE t (id INT PRIMARY KEY, n {kind}) USING postgres OPTIONS (uri '{uri}');\n"
    )


def polled_error(folder: Path) -> HeadwaterError:
    import headwater

    project = headwater.open(str(folder))
    [source] = captures(project.project, project.warehouse, project.clock)
    error = source.poll().error
    source.close()
    assert error is not None
    return error


def test_each_missing_right_is_named_with_the_statement_that_grants_it(
    shop: Path, connection: Connection
) -> None:
    hints = []
    for _ in range(2):
        error = polled_error(shop)
        assert error.code == "HW876"
        hints.append(error.hint)
        connection.execute(error.hint)  # type: ignore[call-overload]
    assert hints == ["GRANT USAGE ON SCHEMA public TO guest", "GRANT SELECT ON public.t TO guest"]
    error = polled_error(shop)
    assert error.code == "HW876"
    assert "does not own public.t" in error.message
    statement = error.hint.partition(": ")[2]
    assert statement.startswith("CREATE PUBLICATION headwater_shop_")
    connection.execute(statement)  # type: ignore[call-overload]
    import headwater

    project = headwater.open(str(shop))
    [source] = captures(project.project, project.warehouse, project.clock)
    while (polled := source.poll()).behind:
        pass
    source.close()
    assert polled.error is None
    assert sum(rows_of(project.warehouse, "t").values()) == 1


@pytest.mark.parametrize(
    ("before", "after", "code", "words"),
    [
        ("/test_", "/nope_", "HW957", "does not exist"),
        ("//postgres:", "//nobody:", "HW958", 'role "nobody" does not exist'),
    ],
    ids=["database", "user"],
)
def test_a_refused_connection_is_told_in_the_servers_words(
    uri: str, warehouse: Warehouse, before: str, after: str, code: str, words: str
) -> None:
    source = capture(warehouse, table(uri.replace(before, after, 1), "t", ("id", "int")))
    error = source.poll().error
    assert error is not None
    assert error.code == code
    assert words in error.detail


def test_nothing_listens(warehouse: Warehouse) -> None:
    source = capture(warehouse, table("postgresql://u@127.0.0.1:1/x", "t", ("id", "int")))
    error = source.poll().error
    assert error is not None
    assert (error.code, "nothing listens" in error.message) == ("HW870", True)
    assert "refused" in error.detail


def test_names_are_shown_before_the_first_run_and_used_by_it(
    uri: str, connection: Connection, tmp_path: Path
) -> None:
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n numeric); INSERT INTO t VALUES (1, 2.5)")
    declare(tmp_path, uri)
    shown = command("capture", tmp_path).stdout
    statements = [line.strip() for line in shown.splitlines() if line.startswith("  ")]
    assert [statement.split()[0] for statement in statements] == ["CREATE", "SELECT"]
    for statement in statements:
        connection.execute(statement)  # type: ignore[call-overload]
    [origin] = answer("capture", tmp_path)["tables"]
    import headwater

    project = headwater.open(str(tmp_path))
    for number in (2, 3):  # the second time it finds its own slot again
        [source] = captures(project.project, project.warehouse, project.clock)
        while source.poll().behind:
            pass
        source.close()
        connection.execute("INSERT INTO t VALUES (%s, 0)", (number,))
    slots = connection.execute(
        "SELECT slot_name FROM pg_replication_slots WHERE database = current_database()"
    ).fetchall()
    assert slots == [(origin["slot"],)]
    assert "CREATE PUBLICATION" not in command("capture", tmp_path).stdout


def test_a_first_capture_that_failed_freezes_nothing(
    uri: str, connection: Connection, tmp_path: Path
) -> None:
    """The type was wrong: the declaration is mended, and `capture --drop` works before and after."""
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n text); INSERT INTO t VALUES (1, 'x')")
    declare(tmp_path, uri, "BOOLEAN")
    assert polled_error(tmp_path).code == "HW874"
    declare(tmp_path, uri, "STRING")
    assert command("capture", tmp_path, "--drop").status == 0
    import headwater

    project = headwater.open(str(tmp_path))
    [source] = captures(project.project, project.warehouse, project.clock)
    while source.poll().behind:
        pass
    source.close()
    assert rows_of(project.warehouse, "t") == Counter({(1, "x"): 1})
    declare(tmp_path, uri, "BINARY")  # now rows are stored, and that is another matter
    assert "dropped replication slot" in command("capture", tmp_path, "--drop").stdout


def test_a_table_without_rows_that_is_declared_otherwise_is_read_anew(
    uri: str, connection: Connection, warehouse: Warehouse
) -> None:
    """Its position in the stream counts for the columns that it had: rows may have been rejected under them."""
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, n int)")
    source = capture(warehouse, table(uri, "t", ("id", "int"), ("n", "int")))
    drain(source)
    source.close()
    again = capture(warehouse, table(uri, "t", ("id", "int"), ("n", "bigint")))
    connection.execute("INSERT INTO t VALUES (1, 5)")
    assert [note for note in drained_notes(again) if note.startswith("HW950")]
    again.close()
    assert rows_of(warehouse, "t") == Counter({(1, 5): 1})


def test_a_capture_goes_on_with_a_column_that_its_table_has_gained(
    uri: str, connection: Connection, tmp_path: Path
) -> None:
    """As a run does it when the project's files change."""
    connection.execute("CREATE TABLE a (id int PRIMARY KEY, n int); CREATE TABLE b (id int PRIMARY KEY)")
    connection.execute("INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1)")
    warehouse, clock = Warehouse(str(tmp_path / "w")), SystemClock()
    before = project_of(warehouse, table(uri, "a", ("id", "int")), table(uri, "b", ("id", "int")))
    after = project_of(warehouse, table(uri, "a", ("id", "int"), ("n", "int")), before.tables["b"])
    assert list(needs_restart(before, after)) == []
    [source] = captures(before, warehouse, clock)
    capturing = Capturing(source, clock)
    poll_until_idle(capturing)
    open_source(warehouse, after.tables["a"])
    capturing.replacement = captured_again(after, warehouse, source, clock)
    connection.execute("INSERT INTO a VALUES (2, 2); INSERT INTO b VALUES (2)")
    poll_until_idle(capturing)
    capturing.capture.close()
    assert rows_of(warehouse, "a") == Counter({(1, 1): 1, (2, 2): 1})
    assert rows_of(warehouse, "b") == Counter({(1,): 1, (2,): 1})


def poll_until_idle(capturing: Capturing) -> None:
    capturing.poll()
    while capturing.behind:
        capturing.poll()
    assert capturing.error == ""


def project_of(warehouse: Warehouse, *tables: Table) -> Project:
    folder = str(Path(warehouse.root).parent)
    return Project("shop", folder, warehouse.root, {table.name: table for table in tables}, {}, {}, {})


def test_a_table_declared_otherwise_than_stored_stops_no_other(
    uri: str, connection: Connection, tmp_path: Path
) -> None:
    connection.execute("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY, n int)")
    connection.execute("INSERT INTO a VALUES (1); INSERT INTO b VALUES (1, 1)")
    a, b = table(uri, "a", ("id", "int")), table(uri, "b", ("id", "int"), ("n", "int"))
    warehouse = Warehouse(str(tmp_path / "w"))

    [source] = captures(project_of(warehouse, a, b), warehouse, SystemClock())
    while source.poll().behind:
        pass
    source.close()
    connection.execute("INSERT INTO a VALUES (2)")
    refused, going = captures(
        project_of(warehouse, a, replace(b, columns=(Column("id", "bigint"), Column("n", "int")))),
        warehouse,
        SystemClock(),
    )
    assert refused.tables == ("b",)
    error = refused.poll().error
    assert error is not None
    assert error.code == "HW845"
    while going.poll().behind:
        pass
    going.close()
    assert sum(rows_of(warehouse, "a").values()) == 2
