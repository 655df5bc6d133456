"""`headwater demo`: the whole job in a minute, live in the terminal.

A shop is written into a folder, its tables are fed, its views are kept within their promise, and in the end
every view is compared with a recompute.  Promises are audited once Spark is warm: the first pushes after a
JVM's start take seconds, and are reported as such.
"""

from __future__ import annotations

import shutil
import sys
import threading
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from headwater.cli.input.arguments import JsonOption
from headwater.cli.input.opening import open_to_write
from headwater.cli.show.output import progress_console
from headwater.cli.stopping import end_at_once, on_signals, say_stopping
from headwater.errors import InputError
from headwater.serve.asking import positive_duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from headwater.api import Headwater
    from headwater.cli.demo.feeder import Feeder
    from headwater.engine.run.progress import Progress
    from headwater.engine.upkeep.verify import Verified
    from headwater.starter.traffic import Traffic

__all__ = ["MARKER", "demo", "prepare_folder"]

MARKER = ".headwater-demo"
WARM_BY = 32.0  # seconds after the start; on a slow machine the JVM warms up while the views are kept


def demo(
    lasting: Annotated[str, typer.Option("--for", metavar="D", help="How long to feed the tables.")] = "60s",
    folder: Annotated[
        Path,
        typer.Option(
            "--dir", metavar="DIR", help="Where to write it; the folder of an earlier demo is replaced."
        ),
    ] = Path("demo"),
    seed: Annotated[int, typer.Option(help="Makes the changes repeatable.")] = 7,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Show it in a browser too.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Keep eight views of a busy little shop fresh, watch it live, and check every view at the end.

    Takes a minute and a half with its defaults; needs nothing but Java. Ctrl-C ends it cleanly. Exit status 1
    if a view differs from a recompute.

    Example: `headwater demo --for 30s`
    """
    from headwater.cli.demo.report import report
    from headwater.engine.spark.java import check_java
    from headwater.engine.spark.jvm import expect, lifetime_of
    from headwater.starter.traffic import Traffic

    limit = positive_duration(lasting, "--for")
    check_java(["local[*]"])
    prepare_folder(folder)
    show = _Demo(open_to_write(folder), Traffic(seed), limit, as_json)
    show.interrupt.install()
    expect(lifetime_of(limit))
    with _page(folder, show.commentary) if page else nullcontext():
        show.run()
    report(show.project, folder, show.since, show.fed, show.verified, show.commentary.seconds(), as_json)
    if not all(view.equal for view in show.verified):
        raise typer.Exit(1)


@contextmanager
def _page(folder: Path, commentary: _Commentary) -> Iterator[None]:
    """The page of the demo, while it runs."""
    from headwater.cli.serving.serve import started

    with started(str(folder), "127.0.0.1", None) as server:
        commentary.say(f"watch it in a browser: {server.address}")
        yield


def prepare_folder(folder: Path) -> None:
    """A fresh starter project; only the folder of an earlier demo is replaced."""
    from headwater.starter import write_starter
    from headwater.storage.records.run_lock import running

    if (folder / MARKER).is_file():
        if running(str((folder / "warehouse").resolve())) is not None:
            raise InputError(
                "HW866", f"a run is keeping the views in {folder}", hint="stop it, or choose another --dir"
            )
        shutil.rmtree(folder)
    elif folder.is_dir() and any(folder.iterdir()):
        raise InputError(
            "HW865",
            f"{folder} is not empty and is not an earlier demo",
            hint="choose another folder: headwater demo --dir DIR",
        )
    write_starter(folder, folder.resolve().name)
    (folder / MARKER).write_text("Written by `headwater demo`, which replaces this folder when run again.\n")


class _Interrupt:
    """Ctrl-C sets the event of the phase under way; a second one ends at once."""

    def __init__(self) -> None:
        self.asked = False
        self._phase = threading.Event()

    def install(self) -> None:
        on_signals(self._ask)

    def phase(self) -> threading.Event:
        """The event that stops the next phase."""
        self._phase = threading.Event()
        if self.asked:
            self._phase.set()
        return self._phase

    def _ask(self) -> None:
        if self.asked:
            end_at_once()
        self.asked = True
        self._phase.set()
        say_stopping()


class _Commentary:
    """Lines on standard error, each with the seconds since the start."""

    def __init__(self) -> None:
        self._start = perf_counter()
        self._console = progress_console()

    def seconds(self) -> float:
        return perf_counter() - self._start

    def say(self, text: str) -> None:
        self._console.print(Text.assemble((f"{self.seconds():6.1f} s", "dim"), f"  {text}"))


@dataclass(slots=True)
class _Demo:
    project: Headwater
    traffic: Traffic
    limit: timedelta
    quiet: bool
    interrupt: _Interrupt = field(default_factory=_Interrupt)
    commentary: _Commentary = field(default_factory=_Commentary)
    since: int = 0
    fed: dict[str, int] = field(default_factory=dict)
    verified: Sequence[Verified] = ()

    def run(self) -> None:
        for phase in (self._open, self._warm_up, self._keep, self._catch_up, self._verify):
            if not self.interrupt.asked:
                phase()

    def _open(self) -> None:
        from headwater.cli.demo.feeder import feed

        accepted = feed(self.project, self.traffic.opening(datetime.now(UTC)))
        tables, views = len(self.project.project.tables), len(self.project.catalog.kept)
        self.commentary.say(
            f"a shop with {tables} tables and {views} views; {sum(accepted.values()):,} rows loaded"
        )
        self.commentary.say("starting Spark, then computing every view for the first time ...")
        self._compute()

    def _warm_up(self) -> None:
        """One incremental push of every view, so that the JVM has seen their plans, if there is time."""
        from headwater.cli.demo.feeder import feed

        if self.commentary.seconds() < WARM_BY:
            self.commentary.say("the first changes: their pushes are slow, because the JVM is still cold ...")
            feed(self.project, self.traffic.batch(datetime.now(UTC), 100))
            self.project.run_until_idle(None, self.interrupt.phase())
        else:
            self.commentary.say("this machine is slow or busy, so the JVM warms up while the views are kept")

    def _compute(self) -> None:
        """Compute the views one by one, and say when the first and the last are there."""
        views, computed = len(self.project.catalog.kept), 0

        def show(progress: Progress) -> None:
            nonlocal computed
            before, computed = computed, sum(view.time is not None for view in progress.views)
            if computed > before and (before == 0 or computed == views):
                start = " (with Spark's start)" if before == 0 else ""
                self.commentary.say(f"computed {computed} of {views}{start}")

        self.project.run_until_idle(show, self.interrupt.phase())

    def _keep(self) -> None:
        from headwater.cli.demo.feeder import Feeder
        from headwater.cli.show.screens.live import Watch

        # What was pushed first is as old as the phases before: with nothing new, catching up costs next to
        # nothing, and no view begins late.
        self.project.run_until_idle(None, self.interrupt.phase())
        seconds = self.limit.total_seconds()
        self.commentary.say(f"feeding the tables for {seconds:g} s; from here on the promises are audited")
        self.since = self.project.clock.now()
        live = sys.stderr.isatty() and not self.quiet
        with (
            Watch(self.project, live, opening="feeding the tables") as watch,
            Feeder(self.project, self.traffic) as feeder,
        ):
            self.project.run(
                self.limit, self.interrupt.phase(), lambda progress: watch.show(_with_fed(progress, feeder))
            )
        self.fed = dict(feeder.accepted)
        if feeder.error is not None:
            raise feeder.error

    def _catch_up(self) -> None:
        self.commentary.say(f"{sum(self.fed.values()):,} changes fed; the views catch up ...")
        self.project.run_until_idle(None, self.interrupt.phase())

    def _verify(self) -> None:
        self.commentary.say("recomputing every view from its SQL, to compare ...")
        spinner = progress_console().status("verifying ...") if sys.stderr.isatty() else nullcontext()
        with spinner:
            self.verified = self.project.verify()


def _with_fed(progress: Progress, feeder: Feeder) -> Progress:
    return replace(progress, captured=dict(feeder.accepted))
