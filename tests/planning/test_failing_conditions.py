"""What views share cannot be made fail by a row: conditions that can fail, and columns, stay with their view."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import headwater
from headwater.algebra.failures.plan_can_fail import plan_can_fail
from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.planning.relations.sharings import block_of
from headwater.serve.planning.shared_catalog import shared_catalog

TABLES = """
CREATE TABLE t (id BIGINT PRIMARY KEY, v INT, s STRING);
CREATE TABLE u (id BIGINT PRIMARY KEY, w INT);
"""
PLAIN = "SELECT t.id, t.v, t.s, u.w FROM t JOIN u ON t.id = u.id"


def project(folder: Path, *selects: str) -> headwater.api.Headwater:
    views = (
        f"CREATE MATERIALIZED VIEW v{number} FRESHNESS = INTERVAL '60' SECOND AS {select};\n"
        for number, select in enumerate(selects)
    )
    (folder / "project.sql").write_text(TABLES + "".join(views))
    (folder / "headwater.yml").write_text("name: shared\n")
    opened = headwater.open(str(folder), ManualClock())
    for number in range(20):
        opened.ingest("t", [{"id": number, "v": number, "s": "1"}])
        opened.ingest("u", [{"id": number, "w": number}])
        opened.clock.sleep(timedelta(seconds=10))
    return opened


@pytest.mark.parametrize(
    ("condition", "shared"),
    [
        ("t.v > 3", True),
        ("t.s = 'x'", True),
        ("100 / t.v > 3", False),
        ("t.s = 5", False),
        ("t.v + u.w > 3", False),
    ],
)
def test_a_condition_that_can_fail_is_not_shared(condition: str, shared: bool, tmp_path: Path) -> None:
    catalog = build(project(tmp_path, f"{PLAIN} WHERE {condition}").project)
    assert (block_of(catalog.kept["v0"], catalog.types()) is not None) is shared


@pytest.mark.parametrize("column", ["t.v", "100 / t.v AS ratio"])
def test_what_views_share_cannot_fail(column: str, tmp_path: Path) -> None:
    opened = project(tmp_path, f"SELECT t.id, t.s, u.w, {column} FROM t JOIN u ON t.id = u.id", PLAIN, PLAIN)
    catalog = shared_catalog(opened.catalog, opened.warehouse)
    types = catalog.types()
    for name in ("v1", "v2"):
        needed = {kept.view for level in catalog.levels([name]) for kept, _ in level} - {name}
        assert "v0" not in needed or "ratio" not in column
    for kept in catalog.shared.values():
        plan = kept.stages[0].plan
        assert plan is not None
        assert not plan_can_fail(plan, lambda relation: types.get(relation, {}))
