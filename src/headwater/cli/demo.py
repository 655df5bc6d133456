"""`headwater demo`: the whole job in a minute, live in the terminal.

A shop is written into a folder, its tables are fed, its views are kept within their promise, and in the end
every view is compared with a recompute.  The clock of the promises starts when Spark is warm: the first
pushes after a JVM's start take seconds, and are shown as what they are.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.arguments import JsonOption
from headwater.cli.durations import duration
from headwater.cli.output import progress_console, say_stopping
from headwater.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headwater.api import Headwater
    from headwater.cli.feeder import Feeder
    from headwater.engine.runner import Progress
    from headwater.engine.verify import Verified
    from headwater.starter.traffic import Traffic

__all__ = ["MARKER", "demo", "prepare_folder"]

MARKER = ".headwater-demo"
# A JVM that lives two minutes is better off compiling quickly than compiling well.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
WARM_BY = 32.0  # seconds after the start: on a slow machine the JVM is left to warm up while it is watched


def demo(
    lasting: Annotated[str, typer.Option("--for", metavar="D", help="How long to feed the tables.")] = "60s",
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Where; the folder of an earlier demo is replaced.")
    ] = Path("demo"),
    seed: Annotated[int, typer.Option(help="Makes the changes repeatable.")] = 7,
    as_json: JsonOption = False,
) -> None:
    """Keep eight views of a busy little shop fresh, watch it live, and check every view at the end.

    Takes a minute and a half with its defaults; needs nothing but Java. Ctrl-C ends it cleanly. Exit status 1
    if a view differs from a recompute.

    Example: `headwater demo --for 30s`
    """
    import headwater
    from headwater.cli.demo_report import report
    from headwater.starter.traffic import Traffic

    limit = duration(lasting, "--for")
    prepare_folder(folder)
    one = _Demo(headwater.open(str(folder)), Traffic(seed), limit, as_json)
    one.interrupt.install()
    os.environ.setdefault("JDK_JAVA_OPTIONS", SHORT_LIVED)
    one.run()
    report(one.project, folder, one.since, one.fed, one.verified, one.told.seconds(), as_json)
    if not all(result.equal for result in one.verified):
        raise typer.Exit(1)


def prepare_folder(folder: Path) -> None:
    """A fresh starter project; only the folder of an earlier demo is replaced."""
    from headwater.starter import write_starter
    from headwater.storage.run_lock import running

    if (folder / MARKER).is_file():
        if running(str((folder / "warehouse").resolve())) is not None:
            raise InputError("HW866", f"a run is keeping {folder}", hint="stop it, or choose another --dir")
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
        signal.signal(signal.SIGINT, self._ask)
        signal.signal(signal.SIGTERM, self._ask)

    def phase(self) -> threading.Event:
        """The event that stops the next phase."""
        self._phase = threading.Event()
        if self.asked:
            self._phase.set()
        return self._phase

    def _ask(self, _number: int, _frame: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self._phase.set()
        say_stopping()


class _Told:
    """Lines on standard error, each with the seconds since the start."""

    def __init__(self) -> None:
        self._start = perf_counter()
        self._console = progress_console()

    def seconds(self) -> float:
        return perf_counter() - self._start

    def say(self, text: str) -> None:
        self._console.print(f"[dim]{self.seconds():6.1f} s[/dim]  {text}")


@dataclass(slots=True)
class _Demo:
    project: Headwater
    traffic: Traffic
    limit: timedelta
    quiet: bool
    interrupt: _Interrupt = field(default_factory=_Interrupt)
    told: _Told = field(default_factory=_Told)
    since: int = 0
    fed: dict[str, int] = field(default_factory=dict)
    verified: Sequence[Verified] = ()

    def run(self) -> None:
        for phase in (self._open, self._warm_up, self._keep, self._catch_up, self._verify):
            if not self.interrupt.asked:
                phase()

    def _open(self) -> None:
        from headwater.cli.feeder import feed

        accepted = feed(self.project, self.traffic.opening(datetime.now(UTC)))
        tables, views = len(self.project.project.tables), len(self.project.catalog.kept)
        self.told.say(
            f"a shop with {tables} tables and {views} views; {sum(accepted.values()):,} rows loaded"
        )
        self.told.say("starting Spark, then computing every view for the first time ...")
        self._push("computed")

    def _warm_up(self) -> None:
        """One incremental push of every view, so that the JVM has seen their plans, if there is time."""
        from headwater.cli.feeder import feed

        if self.told.seconds() < WARM_BY:
            self.told.say("the first changes: their pushes are slow, because the JVM is still cold ...")
            feed(self.project, self.traffic.batch(datetime.now(UTC), 100))
            self._push("pushed", WARM_BY)
        else:
            self.told.say("this machine is slow or busy: the JVM will warm up while the views are kept")

    def _push(self, what: str, until: float | None = None) -> None:
        """Bring the views up one by one, and say so; none is begun after `until` seconds."""
        stop, done = self.interrupt.phase(), 0

        def show(progress: Progress) -> None:
            nonlocal done
            done += 1
            if until is not None and self.told.seconds() >= until:
                stop.set()
            if done in (1, len(progress.views)) or stop.is_set():
                start = " (with Spark's start)" if what == "computed" and done == 1 else ""
                self.told.say(
                    f"{what} {done} of {len(progress.views)}: {progress.views[done - 1].view}{start}"
                )

        self.project.run_until_idle(show, stop)

    def _keep(self) -> None:
        from headwater.cli.feeder import Feeder
        from headwater.cli.live import Watch

        # What was pushed first is as old as the phases before: with nothing new, catching up costs next to
        # nothing, and no view begins late.
        self.project.run_until_idle(None, self.interrupt.phase())
        seconds = self.limit.total_seconds()
        self.told.say(f"feeding the tables for {seconds:g} s; from here on the promises are audited")
        self.since = self.project.clock.now()
        live = sys.stderr.isatty() and not self.quiet
        name = f"{self.project.project.name}: {len(self.project.catalog.kept)} views"
        with (
            Watch(self.project, live, name, opening="kept live") as watch,
            Feeder(self.project, self.traffic) as feeder,
        ):
            self.project.run(
                self.limit, self.interrupt.phase(), lambda progress: watch.show(_with_fed(progress, feeder))
            )
        self.fed = dict(feeder.accepted)
        if feeder.error is not None:
            raise feeder.error

    def _catch_up(self) -> None:
        self.told.say(f"{sum(self.fed.values()):,} changes fed; the views catch up ...")
        self.project.run_until_idle(None, self.interrupt.phase())

    def _verify(self) -> None:
        self.told.say("recomputing every view from its SQL, to compare ...")
        spinner = progress_console().status("verifying ...") if sys.stderr.isatty() else nullcontext()
        results: list[Verified] = []
        with spinner:
            for name in self.project.catalog.kept:
                if self.interrupt.asked:
                    break
                results += self.project.verify([name])
        self.verified = results


def _with_fed(progress: Progress, feeder: Feeder) -> Progress:
    return replace(progress, captured=dict(feeder.accepted))
