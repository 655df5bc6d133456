"""Apply all that can be captured now, then return: `headwater run --until-idle`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from headwater.engine.executor.executor import Executor
from headwater.engine.run.stopping import all_unless_stopped
from headwater.errors import RefusedError, brief
from headwater.scheduling.schedule import NEVER

if TYPE_CHECKING:
    from headwater.engine.run.capturing import Capturing
    from headwater.engine.run.progress import Progress
    from headwater.engine.run.run import Run

__all__ = ["until_idle"]

POLL_AGAIN = timedelta(milliseconds=20)
STREAMS_AGAIN = timedelta(milliseconds=100)
MOST_TOGETHER = 40  # views that are computed for the first time in one push: then progress is shown
Show = Callable[["Progress"], None]


def until_idle(run: Run, show: Show | None = None) -> None:
    """Take in what is there, push all views, tidy up; the rest is left out once the run is asked to stop."""
    _drain_streams(run)
    run.loop.guard.do("retention", run.expire)
    _capture_all(run)
    run.loop.guard.do("captures", run.write_captures)
    failed = _push_all(run, show)
    if not run.stop.is_set():
        run.loop.guard.do("publishing", run.executor.publish_now)
        run.loop.guard.do("store", partial(run.keep_sink, settle=True))
        run.loop.guard.do("compaction", run.runner.compact)
    run.executor.close()
    run.auditor.snapshot(promised=False)
    if run.stop.is_set():
        return
    run.loop.guard.do("system tables", run.keep_system_tables)
    run.loop.guard.do("vacuum", run.vacuum)
    _raise_failures(run, failed)


def _drain_streams(run: Run) -> None:
    """Wait until the streams have taken in what was there when they started: then they end by themselves."""
    while any(stream.active for stream in run.streams) and not run.stop.is_set():
        run.clock.sleep(STREAMS_AGAIN)


def _stream_failed(run: Run) -> bool:
    """Then that is the failure which is told first."""
    return any(stream.problem for stream in run.streams)


def _raise_failures(run: Run, failed: dict[str, str]) -> None:
    problems = [
        *(f"{stream.table.name} failed: {stream.problem}" for stream in run.streams if stream.problem),
        *(f"{capturing.name} failed: {capturing.problem}" for capturing in run.captures if capturing.problem),
    ]
    if problems:
        rest = "What could be captured is in the views. `headwater capture` shows every table."
        hint = next((capturing.hint for capturing in run.captures if capturing.problem), "")
        raise RefusedError(
            "HW831",
            f"the capture of {problems[0]}",
            detail="; ".join([*problems[1:], *(f"{name}: {text}" for name, text in failed.items())]),
            hint=f"{hint.rstrip('.')}. {rest}" if hint and not _stream_failed(run) else rest,
        )
    if problem := run.loop.guard.errors.get("store"):
        raise RefusedError(
            "HW835",
            "the store of the project's queries could not be brought up to date",
            detail=problem,
            hint="logs/headwater.log in the warehouse has more. The views are not concerned.",
        )
    if failed:
        raise RefusedError(
            "HW832",
            f"{len(failed)} of {len(run.catalog.kept)} views could not be pushed",
            detail="; ".join(f"{name}: {text}" for name, text in failed.items()),
            hint="The others are up to date. `headwater status` shows every view.",
        )


def _capture_all(run: Run) -> None:
    """Poll until no capture is behind. One that fails is left where it is, and the others go on."""

    def capture(capturing: Capturing) -> None:
        capturing.poll_safely()
        while capturing.behind and not capturing.error and not run.stop.is_set():
            run.clock.sleep(POLL_AGAIN)
            capturing.poll_safely()

    all_unless_stopped([partial(capture, capturing) for capturing in run.loop.captures], run.stop)
    run.loop.take_watermarks()
    for capturing in run.loop.captures:
        if not capturing.error and capturing.watermark < capturing.reached > run.clock.now():
            capturing.poll_safely()  # others have times ahead of the clock: it goes there as well
    run.loop.take_watermarks()


def _push_all(run: Run, show: Show | None) -> dict[str, str]:
    """Push the views, group by group; which failed, and why.

    Views over a source whose capture failed have nothing new to show and are left as they are.  All others
    go to one time, in whatever groups: what they share cannot be ahead of any of them.
    """
    executor, failed = run.executor, dict[str, str]()
    uncaptured = {
        table for capturing in run.loop.captures if capturing.error for table in capturing.capture.tables
    }
    names = [name for name in run.catalog.kept if not run.catalog.sources(name) & uncaptured]
    until = min(executor.captured(names).values(), default=None)
    for group in [names] if names and _all_computed(executor) else _groups(executor, names):
        if run.stop.is_set():
            break
        if show is not None:
            show(replace(run.progress(), pushing=frozenset(group), promised=False))
        failed |= _push(run, group, until)
        if show is not None:
            show(replace(run.progress(), promised=False))
    return failed


def _all_computed(executor: Executor) -> bool:
    """Whether all views can be pushed together. One whose log cannot be read fails by itself."""
    try:
        return all(executor.runner.time_of(name) != NEVER for name in executor.catalog.kept)
    except Exception:  # noqa: BLE001 - pushed by itself it says what is wrong
        return False


def _groups(executor: Executor, names: Sequence[str]) -> Iterator[list[str]]:
    """Views one by one, in their order; those whose first computation is light together."""
    lights = executor.light_firsts()
    for light, members in groupby(names, lights.__contains__):
        group = list(members)
        size = MOST_TOGETHER if light else 1
        yield from (group[start : start + size] for start in range(0, len(group), size))


def _push(run: Run, views: Sequence[str], until: int | None) -> dict[str, str]:
    """Push views together; if that fails, each by itself, to find which view it was."""
    try:
        run.executor.push_now(views, until, everything=True)  # no promise limits the time
    except Exception as error:  # noqa: BLE001 - the other views go on; raised by the caller
        if run.stop.is_set():  # its jobs may have been cancelled
            return {}
        if len(views) == 1:
            return {views[0]: brief(error)}
        failures = [_push(run, [view], until) for view in views]
        return {name: text for failure in failures for name, text in failure.items()}
    return {}
