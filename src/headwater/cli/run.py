"""`headwater run`: keeps the views."""

from __future__ import annotations

import signal
import sys
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.arguments import JsonOption, ProjectFolder
from headwater.cli.durations import duration
from headwater.cli.live import Watch
from headwater.cli.output import progress_console, say_stopping

if TYPE_CHECKING:
    from headwater.api import Headwater

__all__ = ["run", "stop_on_signals"]


def run(
    folder: ProjectFolder,
    lasting: Annotated[
        str | None, typer.Option("--for", metavar="D", help="Stop by itself after this long: 60s, 2m.")
    ] = None,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="Apply all that has been captured, then exit.")
    ] = False,
    no_sharing: Annotated[
        bool, typer.Option("--no-sharing", help="Keep every view by itself, from the sources.")
    ] = False,
    replan: Annotated[
        bool, typer.Option("--replan", help="Plan anew what views share, by today's statistics.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Keep the project's views within their promised freshness, until Ctrl-C.

    Stopping loses nothing: a push under way ends first, and even after a kill the next run goes on from the
    Delta logs. Only one run keeps a project at a time. Views that come into the project's files, leave them
    or change there (`headwater add`, `headwater drop`, an editor) are taken over while it runs.

    Examples: `headwater run shop`, `headwater run shop --for 60s`, `headwater run shop --until-idle`
    """
    import headwater
    from headwater.cli.status import status

    limit = None if lasting is None else duration(lasting, "--for")
    project = headwater.open(str(folder))
    stop = stop_on_signals()
    with Watch(project, live=sys.stderr.isatty() and not as_json) as watch:
        if until_idle:
            project.run_until_idle(watch.show, stop, sharing=not no_sharing, replan=replan)
        else:
            project.run(limit, stop, watch.show, sharing=not no_sharing, replan=replan)
    _warn_of_changes(project)
    status(folder, as_json=as_json)


def stop_on_signals() -> threading.Event:
    """An event that Ctrl-C or a polite kill sets; a second Ctrl-C ends at once."""
    stop = threading.Event()

    def ask(number: int, _frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        say_stopping()

    signal.signal(signal.SIGINT, ask)
    signal.signal(signal.SIGTERM, ask)
    return stop


def _warn_of_changes(project: Headwater) -> None:
    if project.changed_on_disk():
        progress_console().print(
            "The project's files have changes that this run did not take over.", style="yellow"
        )
