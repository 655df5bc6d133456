"""Runs without Spark, through whatever may go wrong: 2,000 hours; and the simulation finds what it should."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from headwater.bench.simulation import simulation
from headwater.bench.simulation.simulation import simulate, simulate_hours
from headwater.bench.simulation.sources import SimulatedSource
from headwater.clock import Clock
from headwater.engine.executor.executor import Executor
from headwater.engine.executor.runner import PlainTable, Publication
from headwater.engine.executor.view_state import PlainState, ViewState
from headwater.engine.run.housekeeping import Housekeeping
from headwater.scheduling import groups, schedule
from headwater.scheduling.due import Pending, due_at
from support.cases import scaled

HOURS = 2_000


@pytest.fixture(autouse=True)
def no_log() -> Iterator[None]:
    logging.disable(logging.CRITICAL)  # what fails here fails on purpose
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.slow
def test_the_laws_hold_for_thousands_of_hours() -> None:
    hours = scaled(HOURS)
    summary = simulate_hours(hours)
    print(f"seeds {summary.seed} to {summary.seed + summary.runs - 1}: {summary}")
    assert [(run.seed, run.problem) for run in summary.failures] == []
    assert summary.hours >= hours
    assert summary.pushes > 2 * hours


# Seeds that found something once: a view that was pushed on the way of others, and to a time before its target,
# while the clock was behind; changed files that waited for a view that was pushed again and again.
@pytest.mark.slow
@pytest.mark.parametrize("seed", [16, 28, 32])
def test_seeds_that_failed_once(seed: int) -> None:
    assert simulate(seed).problem == ""


def test_a_seed_repeats_itself() -> None:
    assert simulate(3) == simulate(3)


# The simulation is worth what it finds: each mend is taken out, and a seed must fail.

Mutation = Callable[[pytest.MonkeyPatch], None]


def least_target(patch: pytest.MonkeyPatch) -> None:
    """Common pushes go to the least target, with whoever can go there."""

    def common_group(due: Sequence[Pending], soon: Sequence[Pending], _now: int) -> tuple[Pending, ...]:
        chosen = [*due, *soon]
        target = min((pending.target for pending in chosen), default=0)
        return tuple(pending for pending in chosen if pending.floor <= target) or tuple(chosen[:1])

    patch.setattr(schedule, "common_group", common_group)


def stalest_first(patch: pytest.MonkeyPatch) -> None:
    """The stalest view goes first, even if it is stale because its source is."""
    patch.setattr(groups, "overdue", lambda one, now: now - due_at(one))


def wall_clock_staleness(patch: pytest.MonkeyPatch) -> None:
    pending = schedule._pending
    patch.setattr(
        schedule, "_pending", lambda view, moment: replace(pending(view, moment), stale_since=view.time)
    )


def times_apart(patch: pytest.MonkeyPatch) -> None:
    """A source does not follow the others to a time that is ahead of the clock."""
    poll = SimulatedSource.poll
    patch.setattr(SimulatedSource, "poll", lambda self, at=0: poll(self))


def pushed_while_files_wait(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ViewState, "able_at", property(lambda self: self.retry_at))


def wall_clock_housekeeping(patch: pytest.MonkeyPatch) -> None:
    class WallClock:
        def __init__(self, clock: Clock) -> None:
            self.monotonic = clock.now

    patch.setattr(simulation, "Housekeeping", lambda chores, clock: Housekeeping(chores, WallClock(clock)))


def failing_reads_the_log(patch: pytest.MonkeyPatch) -> None:
    def failed(self: Executor, state: ViewState, error: Exception, target: int) -> None:
        self.runner.time_of(state.name)
        state.failed(error, self.clock.monotonic())

    patch.setattr(Executor, "_failed", failed)


def publications_are_not_repeated(patch: pytest.MonkeyPatch) -> None:
    settle = PlainState.settle

    def settle_once(self: PlainState, publication: Publication, now: int) -> None:
        settle(self, publication, now)
        if publication.state is PlainTable.FAILED:
            self.publish_at, self.sure = None, True

    patch.setattr(PlainState, "settle", settle_once)


@pytest.mark.parametrize(
    ("mutation", "seed", "problem"),
    [
        (least_target, 18, "pushes of others came before it"),
        (stalest_first, 18, "pushes of others came before it"),
        (wall_clock_staleness, 3, "its promise is"),
        (times_apart, 1, "its promise is"),
        (pushed_while_files_wait, 28, "changed project files are not adopted"),
        (wall_clock_housekeeping, 3, "housekeeping was not done"),
        (failing_reads_the_log, 3, "its log is truncated"),
        (publications_are_not_repeated, 0, "stays behind the view"),
    ],
)
def test_the_simulation_finds_what_was_mended(
    monkeypatch: pytest.MonkeyPatch, mutation: Mutation, seed: int, problem: str
) -> None:
    mutation(monkeypatch)
    assert problem in simulate(seed).problem
