"""A view is admitted by the actions of its push, as AUTO would run them; plans are compared for the same views."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from headwater.planning.graph.graph import without_views
from headwater.serve.planning.remembered import remember, remembered
from headwater.serve.planning.shared_catalog import shared_catalog

SQL = """
CREATE TABLE customers (id BIGINT PRIMARY KEY, name STRING) EXPECT ROWS 10 RATE 20 PER SECOND;
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT REFERENCES customers (id), total INT)
  EXPECT ROWS 100000 RATE 10 PER SECOND;
CREATE MATERIALIZED VIEW spend FRESHNESS = INTERVAL '30' SECOND AS
  SELECT c.id, sum(o.total) AS s FROM orders o JOIN customers c ON c.id = o.customer GROUP BY c.id;
CREATE MATERIALIZED VIEW hasty FRESHNESS = INTERVAL '1' MILLISECOND AS SELECT id FROM orders WHERE total > 4;
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "all.sql").write_text(SQL)
    return str(tmp_path)


def test_a_view_is_priced_as_auto_would_refresh_it(folder: str) -> None:
    """Ten customers have ten thousand orders each and change twenty times a second.

    The changes one by one would take minutes, the net change or a recompute takes a second.
    """
    project = headwater.open(folder)
    spend, hasty = project.plan().views
    assert spend.estimate.admitted
    assert spend.estimate.push.seconds < 3
    assert spend.estimate.smallest is not None
    assert "recomputes it where that is faster" in spend.estimate.admission.reason
    assert not hasty.estimate.admitted
    # A run keeps to the plan in which it is.
    shared_catalog(project.catalog, project.warehouse)
    kept = remembered(project.warehouse)
    assert kept is not None
    assert "spend" in kept.graph.views


def test_a_new_plan_is_compared_for_the_same_views(folder: str) -> None:
    """The plan that runs keep to lacks a view, and the new one has it: that is no loss of the new one."""
    project = headwater.open(folder)
    shared_catalog(project.catalog, project.warehouse)
    kept = remembered(project.warehouse)
    assert kept is not None
    remember(project.warehouse, project.catalog, without_views(kept.graph, "spend"))
    running = headwater.open(folder).plan().running
    assert running is not None
    assert running.dollars == pytest.approx(running.dollars_fresh)
    assert running.saves == pytest.approx(0.0, abs=1e-12)
