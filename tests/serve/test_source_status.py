"""`status` of sources: rows, rate, lag, rejected, the server's own words, and what to do next."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from headwater.model import Column, Table
from headwater.serve.reports.sources import next_step
from headwater.storage.records.capture_health import CaptureHealth, WaitingFile, write_captures
from support.commands import answer, command

ORDERS = Table("orders", (Column("id", "bigint"),))
FILES = Table("files", (Column("id", "bigint"),), provider="files")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "shop.sql").write_text(
        "CREATE TABLE orders (id BIGINT PRIMARY KEY, n INT); CREATE TABLE other (id BIGINT);"
    )
    (tmp_path / "rows.jsonl").write_text(
        '{"id": 1, "n": 1}\n{"id": 2, "n": 2}\n{"id": 3, "n": "x"}\n{"op": "delete", "row": {"id": 1}}\n'
    )
    command("ingest", tmp_path, "orders", tmp_path / "rows.jsonl", status=1)
    return tmp_path


def source(folder: Path, name: str) -> dict[str, Any]:
    [found] = [source for source in answer("status", folder)["sources"] if source["name"] == name]
    return dict(found)


def test_rows_are_those_that_are_there(shop: Path) -> None:
    orders = source(shop, "orders")
    assert (orders["rows"], orders["rejected"]) == (1, 1)
    assert orders["next"].startswith("headwater dead-letters ")
    assert source(shop, "other")["next"].endswith("other FILE")


def test_an_error_is_shown_in_the_servers_words_with_its_remedy(shop: Path) -> None:
    write_captures(
        str(shop / "warehouse"),
        {
            "other": CaptureHealth(
                "not reachable", detail='FATAL: database "x" does not exist', hint="Create it."
            )
        },
    )
    other = source(shop, "other")
    assert (other["error"], other["next"]) == ("not reachable", "Create it.")
    assert other["detail"] == 'FATAL: database "x" does not exist'
    shown = " ".join(command("status", shop).stdout.split())
    assert 'other: not reachable (FATAL: database "x" does not exist)' in shown
    assert "other: next: Create it." in shown


@pytest.mark.parametrize(
    ("table", "health", "rejected", "changed", "running", "step"),
    [
        (ORDERS, CaptureHealth(), 0, True, False, ""),
        (ORDERS, CaptureHealth(), 0, False, False, "headwater ingest shop orders FILE"),
        (ORDERS, CaptureHealth(), 3, True, True, "headwater dead-letters shop orders"),
        (FILES, CaptureHealth(), 0, False, False, "headwater run shop"),
        (FILES, CaptureHealth(), 0, False, True, ""),
        (FILES, CaptureHealth("no", hint="mend it"), 3, True, True, "mend it"),
        (
            FILES,
            CaptureHealth(waiting=(WaitingFile("a", "no", 1, 1),)),
            0,
            True,
            True,
            "let the files be read; they are tried again",
        ),
    ],
)
def test_the_next_step(
    table: Table, health: CaptureHealth, rejected: int, changed: bool, running: bool, step: str
) -> None:
    assert next_step(table, health, rejected, changed, running, "shop") == step


def test_status_writes_nothing(shop: Path) -> None:
    """So a user who may only read the warehouse can ask for it."""
    written: list[str] = []

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and str(shop) in str(arguments[0]) and watching:
            writes = isinstance(arguments[1], str) and any(letter in arguments[1] for letter in "wax+")
            if writes or (isinstance(arguments[2], int) and arguments[2] & 3):
                written.append(str(arguments[0]))
        if event in ("os.mkdir", "os.rename", "os.remove") and str(shop) in str(arguments[0]) and watching:
            written.append(f"{event} {arguments[0]}")

    watching = True
    sys.addaudithook(watch)
    try:
        before = sorted(shop.rglob("*"))
        command("status", shop)
        assert sorted(shop.rglob("*")) == before
    finally:
        watching = False
    assert written == []


def test_what_looks_like_markup_is_shown_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "[x]"
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: '[bold]'\n")
    (folder / "shop.sql").write_text("CREATE TABLE t (s STRING);")
    (folder / "rows.jsonl").write_text('{"s": "[red]a[/red]"}\n')
    command("ingest", folder, "t", folder / "rows.jsonl")
    assert "[red]a[/red]" in command("sql", folder, "SELECT s FROM t").stdout
    assert command("status", folder).stdout.startswith("[bold]: not running")
