"""`headwater run`: keeps the views."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder, QuietOption
from headwater.cli.input.opening import open_to_write
from headwater.cli.serving.serve import LOOPBACK, HostOption, PortOption
from headwater.cli.show.output import progress_console
from headwater.cli.show.screens.live import Watch
from headwater.cli.stopping import stop_on_signals
from headwater.errors import InputError
from headwater.logs import LogFormat, LogLevel, log_file, log_to
from headwater.serve.asking import positive_duration

if TYPE_CHECKING:
    from headwater.api import Headwater

__all__ = ["run"]

logger = logging.getLogger(__name__)


def run(
    folder: ProjectFolder,
    lasting: Annotated[
        str | None, typer.Option("--for", metavar="D", help="Stop after this long: 60s, 2m.")
    ] = None,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="Apply all that has been captured, then exit.")
    ] = False,
    no_sharing: Annotated[
        bool, typer.Option("--no-sharing", help="Keep every view by itself, from the sources.")
    ] = False,
    replan: Annotated[
        bool, typer.Option("--replan", help="Plan again what views share, by current statistics.")
    ] = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Also answer over HTTP, as `headwater serve` does.")
    ] = False,
    page: Annotated[
        bool, typer.Option("--page", help="Also show the page in a browser: --serve, and says where it is.")
    ] = False,
    host: HostOption = LOOPBACK,
    port: PortOption = None,
    log_level: Annotated[
        LogLevel, typer.Option("--log-level", help="How much logs/headwater.log in the warehouse tells.")
    ] = LogLevel.INFO,
    log_format: Annotated[
        LogFormat, typer.Option("--log-format", help="A line of text or a JSON object per message.")
    ] = LogFormat.TEXT,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Keep the project's views within their freshness, until Ctrl-C.

    Stopping loses nothing: a push under way has some seconds to end, and even after a kill (a second Ctrl-C)
    the next run goes on from the Delta logs. Only one run keeps a project at a time. Views that are added to
    the project's files, removed or changed (`headwater add`, `headwater drop`, an editor) are taken over
    while it runs. What fails is logged with its traceback, without passwords, in logs/headwater.log in the
    warehouse.

    Examples: `headwater run shop`, `headwater run shop --for 60s`, `headwater run shop --until-idle`,
    `headwater run shop --page`, `headwater run shop --serve --port 8765`
    """
    from headwater.cli.commands.status import status
    from headwater.engine.run.process_cpu import charge_whole_process
    from headwater.engine.spark.java import check_java
    from headwater.engine.spark.jvm import expect, lifetime_of, lifetime_of_work
    from headwater.storage.timeline import check_readable

    if until_idle and lasting is not None:
        raise InputError("HW003", "--until-idle and --for exclude each other", hint="Give one of them.")
    if not (serve or page) and (port is not None or host != LOOPBACK):
        raise InputError("HW003", "--host and --port need --serve or --page", hint="Add one of them.")
    limit = None if lasting is None else positive_duration(lasting, "--for")
    project = open_to_write(folder)
    project.check_sources()
    check_readable(project.warehouse.root)
    check_java(project.project.masters().values())
    sources = map(project.warehouse.source, project.project.tables)
    expect(lifetime_of_work(sources) if until_idle else lifetime_of(limit))
    charge_whole_process()
    stop = stop_on_signals()
    with (
        log_to(log_file(project.warehouse.root), log_level, log_format),
        _logged(project.project.name),
        _served(str(folder), host, port) if serve or page else nullcontext(),
        Watch(project, live=sys.stderr.isatty() and not as_json and not quiet) as watch,
    ):
        if until_idle:
            project.run_until_idle(watch.show, stop, sharing=not no_sharing, replan=replan)
        else:
            project.run(limit, stop, watch.show, sharing=not no_sharing, replan=replan)
    _warn_of_changes(project)
    if as_json or not quiet:
        status(folder, as_json=as_json)


@contextmanager
def _served(folder: str, host: str, port: int | None) -> Iterator[None]:
    """A server beside the run, in a thread of its own; it says where it is."""
    from headwater.cli.serving.serve import started

    with started(folder, host, port) as server:
        progress_console(even_if_quiet=True).print(f"The page, and JSON for programs: {server.address}")
        yield


@contextmanager
def _logged(project: str) -> Iterator[None]:
    """Log the beginning and the end of a run, with the traceback if it ends with an error."""
    import headwater

    logger.info("headwater %s keeps %s, process %d", headwater.__version__, project, os.getpid())
    try:
        yield
    except Exception:
        logger.exception("the run of %s ended with an error", project)
        raise
    logger.info("the run of %s ended", project)


def _warn_of_changes(project: Headwater) -> None:
    if project.changed_on_disk():
        progress_console().print(
            "The project's files have changes that this run did not take over; the next run will.",
            style="yellow",
        )
