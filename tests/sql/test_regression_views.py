"""Views in the style of other engines' tests and of typical models: declared and planned, one by one.

The list is views/regressions.sql: joins, outer joins, subqueries, aggregates of all kinds, sliding views by now(),
sessions, top n, arrays and structs, calendars, roll-ups.  tests/spark/test_regression_views.py runs and verifies it.
"""

from __future__ import annotations

from support.sql.suite import suite

FULL = {"r47": "WITH RECURSIVE has no delta rule"}


def test_all_but_recursion_is_kept_incrementally() -> None:
    kept = suite("regressions").catalog.kept
    assert len(kept) > 130
    reasons = {name: view.obstacles[0].reason for name, view in kept.items() if view.obstacles}
    assert reasons == FULL
