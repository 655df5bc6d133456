"""Tables with WINDOWS LAZY or EAGER: whatever is chosen, no window that is shown has holes, of each key the newest
comes first, nothing is lost, and views are exact over what is shown.  Real timelines, without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push import pusher
from headwater.engine.push.record import Records
from headwater.serve.reports.tables import stale_since, table_statuses
from support.cases import scaled
from support.choosing_without_spark import rows_of
from support.overload.ticks import Rows, Ticks
from support.without_spark import run_without_spark

SEEDS = 10
PUSHES = 7


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)


@pytest.mark.parametrize("seed", range(scaled(SEEDS)))
def test_no_window_has_holes_and_nothing_is_lost(seed: int, tmp_path: Path) -> None:
    ticks = Ticks(tmp_path, seed)
    ticks.check()
    for _ in range(PUSHES):
        before = ticks.shown()
        if ticks.chance.random() < 0.2:  # views have other windows: what is shown starts anew
            ticks.length = ticks.chance.choice((5, 10, 20))
        ticks.feed()
        ticks.push()
        ticks.check()
        _check_choice(ticks, before)
        _check_status(ticks)
    ticks.push(everything=True)
    ticks.check()
    assert ticks.shown() == rows_of(ticks.warehouse.source("ticks"))


def test_other_windows_wait_for_the_push_that_is_under_way(tmp_path: Path) -> None:
    """Its rows go to the folder of what is shown, which is another then."""
    ticks = Ticks(tmp_path, 1)
    executor = spark_executor(ticks.place, ticks.clock, Records(ticks.clock))
    executor.states["dear"].running = True
    ticks.length *= 2
    assert not executor.adopt(ticks.catalog)
    executor.states["dear"].running = False
    assert executor.adopt(ticks.catalog)
    executor.close()


def _check_choice(ticks: Ticks, before: Rows) -> None:
    """While some wait: of each key its newest window before others, and a lazy one once it is closed."""
    waits = ticks.waits()
    if not any(wait.waits for wait in waits.values()):
        return
    then, now = ticks.by_window(before), ticks.by_window(ticks.shown())
    chosen = {window for window in then.keys() | now.keys() if then[window] != now[window]}
    starts = [start for _, start in waits if start is not None]
    if ticks.semantics == "LAZY":
        assert all(start is None or start < max(starts) for _, start in chosen), "open windows wait"
    may = [key for key in waits if ticks.semantics == "EAGER" or key[1] is None or key[1] < max(starts)]
    newest = {symbol: max((k[1] for k in may if k[0] == symbol and k[1]), default=None) for symbol, _ in may}
    put_off = {
        window for window in chosen if newest.get(window[0]) != window[1] and now[window] - then[window]
    }
    if put_off:  # where rows only go a window is not put off
        assert not any(waits[symbol, start].waits for symbol, start in newest.items()), "newest windows first"


def _check_status(ticks: Ticks) -> None:
    (status,) = table_statuses(ticks.catalog, ticks.warehouse, ticks.clock.now())
    waits = {key: wait for key, wait in ticks.waits().items() if wait.waits}
    resting = [key for key, wait in ticks.waits().items() if not wait.waits and key[1] is not None]
    skipped = {
        key
        for key in waits
        if key[0] is not None
        and key[1] is not None
        and any(r[0] == key[0] and r[1] > key[1] for r in resting)
    }
    assert (status.waiting, status.superseded) == (len(waits) - len(skipped), len(skipped))
    left = [wait.first_at for key, wait in waits.items() if key not in skipped]
    assert stale_since(ticks.catalog, ticks.warehouse, "bars") == min(left, default=None)
    if left:
        assert status.staleness.worst[0].staleness_s == (ticks.clock.now() - min(left)) / 1e6
        assert set(status.staleness.worst[0].key) == {"symbol", "at"}
