"""The store's file is damaged or deleted, while a run keeps it or while none does: it is loaded again."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from headwater.errors import HeadwaterError
from headwater.serve.store.keeping.keeper import Keeper
from headwater.serve.store.keeping.relations import Relations
from headwater.serve.store.keeping.verification import verify_store
from headwater.serve.store.opening import open_store, store_path
from support.store.projects import StoreProject

SQL = """
CREATE TABLE tags (doc BIGINT, tag STRING, PRIMARY KEY (doc, tag), CARDINALITY LIMIT 9 (doc));
CREATE QUERY counts AS SELECT count(*) AS n FROM tags WHERE tag = :tag;
"""


def filled(folder: Path) -> StoreProject:
    project = StoreProject(folder, SQL)
    project.append("tags", [{"doc": n, "tag": tag} for n in range(12) for tag in "abc"[: n % 3 + 1]])
    return project


def differences(project: StoreProject) -> list[str]:
    relations = Relations(project.project.catalog, project.project.warehouse)
    parts = verify_store(open_store(project.project.project), relations)
    return [part.part for part in parts if not part.equal]


@pytest.mark.parametrize("damage", ["gone", "empty", "halved", "overwritten"])
@pytest.mark.parametrize("open_meanwhile", [True, False])
def test_a_damaged_store_is_loaded_again(tmp_path: Path, damage: str, open_meanwhile: bool) -> None:
    """Beside a run that keeps it, or while none does; until then queries say that nothing is stored."""
    project = filled(tmp_path)
    keeper = Keeper(open_store(project.project.project), project.project.warehouse)
    keeper.keep(project.project.catalog, project.watermarks())
    answering = project.answering()
    assert answering.answer("counts", {"tag": "b"}).rows == [{"n": 8}]
    if not open_meanwhile:
        keeper.close()
        answering.store.close()
        keeper = Keeper(open_store(project.project.project), project.project.warehouse)
        answering = project.answering()
    _damage(Path(store_path(project.project.project.storage)), damage)
    with pytest.raises(HeadwaterError, match="does not hold|damaged"):
        answering.answer("counts", {"tag": "b"})
    for _ in range(2):  # the first may find the damage only on its way
        with suppress(HeadwaterError):
            keeper.keep(project.project.catalog, project.watermarks())
    assert answering.answer("counts", {"tag": "b"}).rows == [{"n": 8}]
    assert differences(project) == []


def _damage(file: Path, how: str) -> None:
    """As another process might: under the same name, in a file of its own where SQLite has the old one open."""
    content = file.read_bytes()
    for beside in ("", "-wal", "-shm"):
        Path(f"{file}{beside}").unlink(missing_ok=True)
    if how != "gone":
        file.write_bytes(
            {"empty": b"", "halved": content[: len(content) // 2], "overwritten": b"?" * 5000}[how]
        )
