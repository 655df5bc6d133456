"""The store in PostgreSQL: the same protocol, the same scans, and a project that is answered from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import headwater as hw
from headwater.serve.store.backends.postgres import PostgresStore
from headwater.serve.store.keeping.keeper import Keeper
from headwater.serve.store.opening import open_store
from headwater.serve.store.protocol import KeptStore
from support.store.conformance import CHECKS, made, same_scans
from support.store.memory import MemoryKept
from support.store.projects import StoreProject, deleted

pytestmark = pytest.mark.postgres

SQL = """
CREATE TABLE docs (id BIGINT PRIMARY KEY, title STRING);
CREATE TABLE tags (doc BIGINT REFERENCES docs (id), tag STRING, PRIMARY KEY (doc, tag), CARDINALITY LIMIT 9 (doc));
CREATE QUERY two_tags AS SELECT a.doc, d.title FROM tags a JOIN tags b ON a.doc = b.doc JOIN docs d ON d.id = a.doc
  WHERE a.tag = :tag1 AND b.tag = :tag2 LIMIT 50;
CREATE QUERY titled AS SELECT id FROM docs WHERE title = :title ORDER BY id DESC LIMIT 3;
"""


@pytest.mark.parametrize("check", CHECKS)
def test_the_protocol(uri: str, check: Callable[[KeptStore], None]) -> None:
    store = made(PostgresStore(uri, "some shop"))
    check(store)
    assert store.size() > 0
    store.close()


def test_scans_are_those_of_the_store_in_memory(uri: str) -> None:
    for seed in range(3):
        store = PostgresStore(uri, f"shop{seed}")
        same_scans([made(MemoryKept()), made(store)], seed)
        store.close()


def test_a_project_is_answered_from_it(uri: str, tmp_path: Path) -> None:
    project = StoreProject(tmp_path, SQL)
    (tmp_path / "headwater.yml").write_text(f"name: kept\nstore: {uri}\n", "utf-8")
    project.project = hw.open(str(tmp_path), project.clock)
    project.keeper = Keeper(open_store(project.project.project), project.project.warehouse)
    assert isinstance(project.keeper.store, PostgresStore)
    project.append("docs", [{"id": n, "title": f"t{n % 2}"} for n in range(6)])
    project.append("tags", [{"doc": n, "tag": tag} for n in range(6) for tag in "ab"[: n % 2 + 1]])
    project.keep()
    assert [row["doc"] for row in project.project.query("two_tags", tag1="b", tag2="a").rows] == [1, 3, 5]
    project.append("tags", [deleted({"doc": 3, "tag": "b"})])
    project.keep()
    answer = project.project.query("two_tags", tag1="a", tag2="b")
    assert [row["doc"] for row in answer.rows] == [1, 5]
    assert answer.operations <= 1
    assert [row["id"] for row in project.project.query("titled", title="t1").rows] == [5, 3, 1]
    assert all(part.equal for part in project.project.verify_store())
    store = project.project.status().store
    assert store is not None
    assert store.bytes > 0
