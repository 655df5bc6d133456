"""The starter project is a good one, and is never written over anything."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from headwater.errors import InputError
from headwater.project import load
from headwater.sql.parsing.parser import select_tree
from headwater.sql.parsing.relations import relations_read
from headwater.starter import write_starter


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write_starter(tmp_path / "shop", "My: shop")
    return tmp_path / "shop"


def test_it_is_a_project_with_promises(shop: Path) -> None:
    project = load(shop)
    assert project.name == "My: shop"
    assert set(project.tables) == {"customers", "products", "orders", "order_items", "payments"}
    assert len(project.views) >= 6
    assert all(
        timedelta(seconds=10) <= view.freshness <= timedelta(seconds=60) for view in project.views.values()
    )
    read = {len(set(relations_read(select_tree(view.sql)))) for view in project.views.values()}
    assert {1, 2, 3, 4} <= read
    assert len(project.queries) >= 3


def test_the_changes_fit_the_tables(shop: Path) -> None:
    """Each file goes by the name of its table; keys are unique, references hold, old rows exist."""
    project = load(shop)
    held: dict[str, dict[tuple[object, ...], dict[str, object]]] = {name: {} for name in project.tables}
    for path in sorted((shop / "changes").iterdir()):
        table = project.tables[path.stem.split("-", 1)[1]]
        for line in path.read_text("utf-8").splitlines():
            change = json.loads(line)
            operation, row = change.get("op", "insert"), change.get("row", change)
            assert tuple(row) == table.column_names
            key = tuple(row[name] for name in table.key)
            if operation == "insert":
                assert key not in held[table.name]
                held[table.name][key] = row
            else:
                assert held[table.name].pop(key) == change.get("old", row)
                held[table.name] |= {key: row} if operation == "update" else {}
    for table in project.tables.values():
        for foreign in table.foreign_keys:
            known = set(held[foreign.table])
            assert {
                tuple(row[name] for name in foreign.columns) for row in held[table.name].values()
            } <= known


def test_the_readme_names_files_that_exist(shop: Path) -> None:
    text = (shop / "README.md").read_text("utf-8")
    assert "{{" not in text
    named = [word for word in text.split() if word.endswith(".jsonl")]
    assert len(named) >= 7
    assert all(Path(word).is_file() for word in named)


def test_it_overwrites_nothing(shop: Path) -> None:
    before = {path: path.read_bytes() for path in shop.rglob("*") if path.is_file()}
    with pytest.raises(InputError) as caught:
        write_starter(shop, "again")
    assert caught.value.code == "HW212"
    assert {path: path.read_bytes() for path in shop.rglob("*") if path.is_file()} == before


def test_an_empty_folder_is_fine_and_a_file_is_not(tmp_path: Path) -> None:
    paths = write_starter(tmp_path, "shop")
    assert paths == sorted(paths)
    assert all(path.is_file() for path in paths)
    with pytest.raises(InputError) as caught:
        write_starter(paths[0], "shop")
    assert caught.value.code == "HW202"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError) as caught:
        write_starter(tmp_path / "file" / "shop", "shop")
    assert caught.value.code == "HW213"
