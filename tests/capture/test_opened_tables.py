"""A call of `ingest` opens the table that it writes to and those that its keys name, however many there are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import headwater
from headwater.storage.delta.loaded_table import LoadedTable
from support.commands import command

TABLES = 12


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Tables with a row each, of which t1 references t0; and dead letters of t2."""
    references = {1: " REFERENCES t0 (id)"}
    sql = "".join(
        f"CREATE TABLE t{n} (id BIGINT PRIMARY KEY, r BIGINT{references.get(n, '')});\n"
        for n in range(TABLES)
    )
    (tmp_path / "headwater.yml").write_text("name: shop\ndurability: fast\n")
    (tmp_path / "all.sql").write_text(sql)
    project = headwater.open(str(tmp_path))
    for number in range(TABLES):
        project.ingest(f"t{number}", [{"id": 1, "r": 1 if number == 1 else None}])
    project.ingest("t2", [{"id": "x"}, {"id": "y"}])
    return tmp_path


@pytest.fixture
def opened(shop: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that are loaded from their logs, from now on."""
    tables: list[str] = []
    load = LoadedTable.load

    def noted(path: str) -> LoadedTable:
        tables.append(os.path.relpath(path, shop / "warehouse"))
        return load(path)

    monkeypatch.setattr(LoadedTable, "load", staticmethod(noted))
    return tables


@pytest.mark.parametrize(
    ("table", "record", "needed"),
    [
        ("t5", '{"id": 2}', {"sources/t5"}),
        ("t1", '{"id": 2, "r": 1}', {"sources/t1", "sources/t0"}),
        ("t0", '{"id": 2}', {"sources/t0"}),
        ("t0", '{"op": "upsert", "row": {"id": 3}}', {"sources/t0", "sources/t1"}),
    ],
    ids=["no keys", "a foreign key", "an insert into a referenced table", "what may break a reference"],
)
def test_ingest_opens_what_it_needs(
    shop: Path, opened: list[str], table: str, record: str, needed: set[str]
) -> None:
    file = shop / "new.jsonl"
    file.write_text(record)
    command("ingest", shop, table, file)
    assert set(opened) <= needed | {"system/dead_letters"}
    assert f"sources/{table}" in opened
