"""The executor on a manual clock with a fake runner: what it pushes, and what it makes of failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

import pytest

from headwater.algebra.plans.nodes import Scan
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.bench.simulation.fake_runner import Effort, FakeRunner
from headwater.bench.simulation.sources import SimulatedSource
from headwater.catalog import Catalog
from headwater.clock import ManualClock
from headwater.engine.executor.executor import Executor, Failed
from headwater.engine.executor.times import not_captured
from headwater.model import Project, SqlText, Table, View
from headwater.scheduling.backoff import LAST_RETRY

TENTH = timedelta(milliseconds=100)


def catalog_of(views: Mapping[str, Sequence[str]], freshness: int = 10) -> Catalog:
    """Views and what each reads: sources are named t0, t1, ..."""
    tables = {name: Table(name, ()) for reads in views.values() for name in reads if name not in views}
    declared = {name: View(name, SqlText(""), timedelta(seconds=freshness)) for name in views}
    kept = {
        name: Kept(
            name, (Stage(name, StageKind.ROWS, ("a",), None, tuple(reads)),), Scan(name, name, ("a",)), ("a",),
            ("bigint",), tuple(reads),
        )
        for name, reads in views.items()
    }  # fmt: skip
    return Catalog(Project("p", "", "", tables, declared, {}, {}), kept, dict.fromkeys(views, "1"))


class Kept10:
    """Views with promises of ten seconds, kept by a fake runner; time passes in tenths of a second."""

    def __init__(self, views: Mapping[str, Sequence[str]]) -> None:
        self.clock = ManualClock()
        self.catalog = catalog_of(views)
        self.sources = {name: SimulatedSource(name, self.clock) for name in self.catalog.project.tables}
        self.runner = FakeRunner(self.catalog, self.clock, self.sources, Effort(TENTH, 0.0))
        self.failed: list[Failed] = []
        self.executor = Executor(self.catalog, self.runner, self.clock, self.failed.append)
        self.starts: list[tuple[float, frozenset[str]]] = []

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 10)):
            self.clock.advance(TENTH)
            for source in self.sources.values():
                source.poll()
            self.executor.watermarks = {name: source.watermark for name, source in self.sources.items()}
            before = self.runner.started
            self.executor.step()
            if self.runner.started > before:
                order, _ = self.runner.pushes[-1]
                self.starts.append((self.clock.monotonic() / 1e6, order.views))
            self.runner.settle()

    def pushes(self, view: str) -> list[float]:
        return [at for at, views in self.starts if view in views]


def longest_gap(instants: Sequence[float], until: float) -> float:
    return max(later - earlier for earlier, later in zip(instants, [*instants[1:], until], strict=True))


def test_views_are_pushed_together_as_late_as_promises_allow() -> None:
    kept = Kept10({"v": ["t0"], "w": ["t0"]})
    kept.run(100)
    common = [views for _, views in kept.starts[2:]]  # after the first computations
    assert set(common) == {frozenset({"v", "w"})}
    assert 10 <= len(common) <= 14


@pytest.mark.slow
def test_a_source_that_catches_up_does_not_take_every_push() -> None:
    kept = Kept10({"late": ["t0"], "live": ["t1"]})
    kept.run(20)
    kept.sources["t0"].stopped = True
    kept.run(3600)
    kept.sources["t0"].stopped, kept.sources["t0"].speed = False, 4.0
    begun = kept.clock.monotonic() / 1e6
    kept.run(300)
    live = [at for at in kept.pushes("live") if at > begun - 10]
    assert longest_gap(live, kept.clock.monotonic() / 1e6) < 10
    assert len([at for at in kept.pushes("late") if at > begun]) > 100


@pytest.mark.parametrize("step", [timedelta(hours=-1), timedelta(days=-365), timedelta(days=365)])
def test_a_clock_that_is_set_delays_nothing(step: timedelta) -> None:
    kept = Kept10({"v": ["t0"]})
    kept.run(20)
    kept.clock.step(step)
    kept.run(100)
    pushes = kept.pushes("v")
    assert longest_gap(pushes, kept.clock.monotonic() / 1e6) < 10
    assert len(pushes) < 20  # nor is anything pushed more often


def test_a_broken_log_stops_nobody_else() -> None:
    kept = Kept10({"v": ["t0"], "w": ["t0"], "over_v": ["v"]})
    kept.run(20)
    kept.runner.faults.broken.add("v")
    kept.run(120)
    assert longest_gap(kept.pushes("w"), kept.clock.monotonic() / 1e6) < 10
    assert "its log is truncated" in kept.executor.states["v"].error
    assert kept.executor.states["w"].failures == 0
    assert {failed.view for failed in kept.failed} == {"v", "over_v"}
    kept.runner.faults.broken.clear()
    kept.run(LAST_RETRY.total_seconds() + 10)
    assert kept.executor.states["v"].error == ""


def test_the_culprit_backs_off_and_the_others_go_on() -> None:
    kept = Kept10({"good": ["t0"], "bad": ["t0"], "fine": ["t0"]})
    kept.run(20)
    kept.runner.faults.failing.add("bad")
    kept.run(120)
    for view in ("good", "fine"):
        assert longest_gap(kept.pushes(view), kept.clock.monotonic() / 1e6) < 10
    assert {failed.view for failed in kept.failed} == {"bad"}
    assert [failed.attempt for failed in kept.failed] == list(range(1, len(kept.failed) + 1))
    assert 5 <= len(kept.failed) <= 9  # after 1, 2, 4, ... seconds
    kept.runner.faults.failing.clear()
    kept.run(70)
    assert not kept.executor.states["bad"].alone


def test_a_row_stops_only_the_views_that_compute_with_it() -> None:
    """They are known at once, tried often, and recover soon after the row has gone."""
    kept = Kept10({"good": ["t0"], "bad": ["t0"], "over_bad": ["bad"], "fine": ["t0"]})
    kept.run(20)
    kept.runner.faults.poisoned.add("bad")
    kept.run(120)
    for view in ("good", "fine"):
        assert longest_gap(kept.pushes(view), kept.clock.monotonic() / 1e6) < 10
        assert (kept.executor.states[view].error, kept.executor.states[view].alone) == ("", False)
    assert {failed.view for failed in kept.failed} == {"bad", "over_bad"}
    assert "a row makes it fail" in kept.executor.states["over_bad"].error
    kept.runner.faults.poisoned.clear()
    kept.run(10)
    assert kept.executor.states["bad"].error == kept.executor.states["over_bad"].error == ""


def test_a_publication_that_failed_is_repeated_without_changes() -> None:
    kept = Kept10({"v": ["t0"]})
    kept.run(20)
    kept.runner.faults.unpublished.add("v")
    kept.run(10)
    assert kept.runner.published("v") < kept.runner.shown("v")
    assert "cannot be written" in kept.executor.states["v"].plain.error
    kept.sources["t0"].quiet = True  # from now on pushes change nothing
    kept.runner.faults.unpublished.clear()
    kept.run(20)
    assert kept.runner.published("v") == kept.runner.shown("v")
    assert kept.executor.states["v"].plain.error == ""


def test_what_was_pushed_before_a_failure_is_published() -> None:
    kept = Kept10({"low": ["t0"], "high": ["low"]})
    kept.run(20)
    kept.runner.faults.failing.add("high")
    kept.run(30)
    assert kept.runner.published("low") == kept.runner.shown("low")


def test_a_view_whose_source_lags_behind_what_it_shares_waits() -> None:
    kept = Kept10({"shared": ["t0"], "both": ["shared", "t1"]})
    kept.run(20)
    kept.sources["t1"].stopped = True
    kept.run(60)
    assert kept.executor.states["both"].failures == 0
    assert longest_gap(kept.pushes("shared"), kept.clock.monotonic() / 1e6) < 10
    kept.sources["t1"].stopped = False
    kept.run(60)
    assert kept.runner.times["both"] > kept.clock.now() - 10_000_000


def test_a_catalog_is_adopted_when_what_goes_is_not_being_pushed() -> None:
    kept = Kept10({"stays": ["t0"], "goes": ["t0"]})
    kept.run(20)
    after = catalog_of({"stays": ["t0"], "comes": ["t0"]})
    while not any(state.running for state in kept.executor.states.values()):
        kept.run(0.1)
    assert not kept.executor.adopt(after)
    kept.run(0.5)
    assert kept.executor.adopt(after)
    kept.run(5)
    assert list(kept.executor.states) == ["stays", "comes"]
    assert kept.runner.times["comes"] > 0
    assert kept.executor.states["stays"].pushes > 1


def test_what_a_view_waits_for_is_told_as_people_read_it() -> None:
    noon = 1_767_268_800_000_000  # 2026-01-01 12:00:00
    assert not_captured("v", noon + 3_000_000, noon + 5_200_000).message == (
        'view "v" is waiting for its sources: captured up to 12:00:03, needed 12:00:05'
    )
    assert "captured up to 12:00:03.000000, needed 12:00:03.500000" in str(
        not_captured("v", noon + 3_000_000, noon + 3_500_000)
    )
    assert "captured up to 2025-12-31T12:00:00, needed 2026-01-01T12:00:00" in str(
        not_captured("v", noon - 86_400_000_000, noon)
    )
