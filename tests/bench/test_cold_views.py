"""The project of `headwater bench views`: what it declares is kept incrementally."""

from __future__ import annotations

from headwater.bench.cold_views import VIEWS, statements
from headwater.catalog import build
from headwater.model import Project
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements


def test_its_views_are_kept_incrementally() -> None:
    declared = resolve(parse_statements("\n".join(statements(2)), "views.sql"))
    tables = {table.name: table for table in declared.tables}
    kept = build(Project("cold", "", "", tables, {view.name: view for view in declared.views}, {}, {})).kept
    assert (len(tables), len(kept)) == (2, 2 * VIEWS)
    assert [name for name, view in kept.items() if view.obstacles] == []
