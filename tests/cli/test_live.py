"""What a run shows while it goes on: only what is true, and what is intended is said."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from headwater.cli.show.screens.live import INTENDED, progress_line, progress_table
from headwater.engine.run.auditor import Snapshot
from headwater.engine.run.progress import Progress

AT = 1_700_000_000_000_000


def seen(view: str, staleness: float, owed: float) -> Snapshot:
    return Snapshot(view, AT, AT - round(staleness * 1e6), staleness, 20.0, owed > 20.0, 1_234, owed)


CALM = Progress(AT, [seen("orders", 12.0, 12.0)], {"orders": 3}, {}, {}, {})


def table(progress: Progress, width: int = 80) -> str:
    out = Console(file=io.StringIO(), width=width)
    out.print(progress_table("shop", progress, width))
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_what_is_owed_is_compared_with_the_freshness() -> None:
    assert "staleness at most 60% of the freshness" in progress_line(CALM)
    assert "late" not in progress_line(CALM)


def test_the_time_before_a_run_breaks_no_promise() -> None:
    """A view that was left alone for an hour is behind; nobody promised otherwise."""
    line = progress_line(replace(CALM, views=[seen("orders", 3_600.0, 2.0)]))
    assert "staleness at most 10% of the freshness" in line
    assert "catching up: orders" in line
    assert "late" not in line
    assert "catching up" in table(replace(CALM, views=[seen("orders", 3_600.0, 2.0)]))


def test_late_is_said_where_violations_are_counted() -> None:
    late = replace(CALM, views=[seen("orders", 30.0, 30.0)], violations={"orders": 2})
    assert "late: orders" in progress_line(late)
    assert "violations" in table(late)
    assert INTENDED not in table(late, 200)
    # Until idle nothing is promised, and nothing is counted.
    assert "late" not in progress_line(replace(late, promised=False))
    assert "%" not in progress_line(replace(late, promised=False))


def test_a_first_computation_is_seen() -> None:
    computing = replace(CALM, pushes={}, pushing=frozenset({"orders"}))
    assert "computing orders" in progress_line(computing)
    assert "computing" in table(computing)


def test_an_idle_project_is_told_that_staleness_may_rise() -> None:
    assert INTENDED in table(CALM, 200)


def test_the_title_counts_the_rows_below_it() -> None:
    more = replace(CALM, views=[seen(f"v{number}", 1.0, 1.0) for number in range(12)])
    assert "shop: 12 views" in table(more)
    assert "shop: 1 view," in table(CALM)


def test_it_fits_a_narrow_screen() -> None:
    wide = replace(CALM, views=[seen("revenue_by_category_and_country", 3.0, 3.0)])
    for width in (60, 80, 100):
        lines = table(wide, width).splitlines()
        assert max(map(len, lines)) <= width
        assert any("revenue_by_category_and_country" in line for line in lines)


def test_many_views_are_named_by_a_few_and_the_most_pressing_are_on_the_screen() -> None:
    views = [seen(f"v{number}", 5.0 + number % 3, 5.0 + number % 3) for number in range(200)]
    views[150] = seen("v150", 19.0, 19.0)
    many = replace(
        CALM, views=views, pushing=frozenset(view.view for view in views), errors={"v7": "no such file"}
    )
    assert "computing v0, v1, v10, v100, v101 and 195 more" in progress_line(many)
    out = Console(file=io.StringIO(), width=80, height=24)
    out.print(progress_table("shop", many, 80, 24))
    assert isinstance(out.file, io.StringIO)
    text = out.file.getvalue()
    assert text.count("\n") <= 24
    assert all(part in text for part in ("200 views", "v150", "v7 "))
