"""A store on a disk, or for a user, where nothing may be written: queries are answered, and `status` shows it."""

from __future__ import annotations

import os
import pickle
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import headwater as hw
from headwater.errors import HeadwaterError
from headwater.serve.reports.status import _store
from headwater.serve.store.keeping.keeper import Keeper
from headwater.serve.store.opening import open_store, store_path
from support.store.projects import StoreProject

SQL = """
CREATE TABLE tags (doc BIGINT, tag STRING, PRIMARY KEY (doc, tag), CARDINALITY LIMIT 9 (doc));
CREATE QUERY counts AS SELECT count(*) AS n FROM tags WHERE tag = :tag;
"""
NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """Which other users may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name) / "project"


def who_may_only_read(folder: Path, work: Callable[[], object]) -> Any:
    """What a process of such a user gets; the error, if it ends with one."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            if os.getuid() == 0:
                os.setuid(NOBODY)
            answer = work()
        except (HeadwaterError, OSError, sqlite3.Error) as error:
            answer = f"{type(error).__name__} {error}"
        os.write(writing, pickle.dumps(answer))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pickle.loads(pipe.read())
    os.waitpid(child, 0)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return answer


def filled(folder: Path) -> tuple[StoreProject, Keeper]:
    folder.mkdir()
    project = StoreProject(folder, SQL)
    project.append("tags", [{"doc": n, "tag": "a"} for n in range(12)])
    keeper = Keeper(open_store(project.project.project), project.project.warehouse)
    keeper.keep(project.project.catalog, project.watermarks())
    return project, keeper


@pytest.mark.parametrize("is_kept", [False, True])
def test_queries_are_answered_beside_a_run_and_without_one(folder: Path, is_kept: bool) -> None:
    """Before, sqlite3 said that it is unable to open the database file."""
    project, keeper = filled(folder)
    if not is_kept:
        keeper.close()
    answering = project.answering()
    answers = who_may_only_read(
        folder, lambda: [answering.answer("counts", {"tag": "a"}).rows for _ in range(2)]
    )
    assert answers == [[{"n": 12}]] * 2
    keeper.close()


def test_what_a_reader_opened_is_not_used_again(folder: Path) -> None:
    """A writer may have come since, of whom an unchanging file tells nothing."""
    project, keeper = filled(folder)
    keeper.close()
    store = open_store(project.project.project)

    def opened_twice() -> int:
        for _ in range(2):
            with store.snapshot() as snapshot:
                snapshot.times()
        return len([one for one in store._pool if one.file is not None])  # type: ignore[attr-defined]

    assert who_may_only_read(folder, opened_twice) == 0


def test_what_a_killed_writer_left_is_said(folder: Path) -> None:
    project, keeper = filled(folder)
    copy = folder.parent / "copy"
    shutil.copytree(folder, copy)
    keeper.close()
    store = Path(store_path(str(copy / "warehouse")))
    store.with_name("store.sqlite-shm").unlink()
    assert store.with_name("store.sqlite-wal").stat().st_size

    catalog = hw.open(copy).catalog
    status = who_may_only_read(copy, lambda: _store(catalog, 0))
    assert (status.time, "cannot be read without writing beside it" in status.error) == (None, True)


def test_an_error_is_one_of_ours(folder: Path) -> None:
    project, keeper = filled(folder)
    keeper.close()
    Path(store_path(project.project.project.storage)).write_bytes(bytes(range(256)) * 64)
    with pytest.raises(HeadwaterError, match="does not hold"):
        project.answering().answer("counts", {"tag": "a"})
