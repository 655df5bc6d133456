"""A new warehouse is its owner's alone; one that was made for a group stays the group's."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import headwater
from headwater.storage.permissions import make_root, umask_for
from support.commands import command


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: shop\nsites: {far: {storage: ../far}}\n")
    (folder / "all.sql").write_text(
        "CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE u (id INT) AT SITE far;"
    )
    (folder / "rows.jsonl").write_text('{"id": 1}\n{"id": "wrong"}\n')
    return folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes(root: Path) -> set[int]:
    """Of everything inside, what others than the owner may do."""
    return {mode(path) & 0o077 for path in root.rglob("*")}


def test_a_command_writes_for_its_owner_alone(shop: Path) -> None:
    command("ingest", shop, "t", shop / "rows.jsonl", status=1)
    assert mode(shop / "warehouse") == 0o700
    assert modes(shop / "warehouse") == {0}
    assert (shop / "warehouse" / "system" / "dead_letters").is_dir()


def test_a_program_makes_a_private_root_and_keeps_its_umask(shop: Path) -> None:
    project = headwater.open(str(shop))
    project.ingest("u", [{"id": 1}])
    assert [mode(shop / "warehouse"), mode(shop.parent / "far")] == [0o700, 0o700]
    assert os.umask(0o022) == 0o022


def test_reading_makes_no_warehouse(shop: Path) -> None:
    command("status", shop)
    command("plan", shop)
    assert not (shop / "warehouse").exists()


def test_a_group_shares_a_folder_that_was_made_for_it(shop: Path) -> None:
    root = shop / "warehouse"
    root.mkdir()
    root.chmod(0o2770)
    command("ingest", shop, "t", shop / "rows.jsonl", status=1)
    assert mode(root) == 0o2770
    assert {mode(path) & 0o066 for path in root.rglob("*")} == {0o060}


def test_an_old_warehouse_stays_as_open_as_it_was(shop: Path) -> None:
    root = shop / "warehouse"
    root.mkdir(mode=0o755)
    command("ingest", shop, "t", shop / "rows.jsonl", status=1)
    assert mode(root) == 0o755
    assert {mode(path) & 0o066 for path in root.rglob("*")} == {0o044}


@pytest.mark.parametrize(
    ("root", "current", "umask"),
    [
        (None, 0o022, 0o077),
        (0o700, 0o022, 0o077),
        (0o755, 0o022, 0o022),
        (0o755, 0o077, 0o077),
        (0o770, 0o077, 0o007),
    ],
)
def test_the_umask_of_a_command(root: int | None, current: int, umask: int, tmp_path: Path) -> None:
    folder = tmp_path / "root"
    if root is not None:
        folder.mkdir()
        folder.chmod(root)
    assert umask_for(str(folder), current) == umask


def test_a_root_is_made_once_with_the_folders_above_it(tmp_path: Path) -> None:
    root = tmp_path / "a" / "b" / "warehouse"
    make_root(str(root))
    assert (mode(root), mode(root.parent)) == (0o700, 0o755)
    root.chmod(0o750)
    make_root(str(root))
    assert mode(root) == 0o750
