"""`headwater serve`: views, changes, queries and the project's state over HTTP."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.show.output import console, progress_console
from headwater.cli.stopping import end_at_once, on_signals
from headwater.logs import log_to
from headwater.serve.json_text import compact_json

if TYPE_CHECKING:
    from headwater.serve.http.server import Server

__all__ = ["LOOPBACK", "HostOption", "PortOption", "serve", "started"]

LOG = "serve.log"
LOOPBACK = "127.0.0.1"

HostOption = Annotated[
    str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; others than loopback need keys.")
]
PortOption = Annotated[
    int | None,
    typer.Option("--port", metavar="N", min=0, max=65535, help="Which port; by default 8765, or a free one."),
]


def serve(
    folder: ProjectFolder,
    host: HostOption = LOOPBACK,
    port: PortOption = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another name that the server is asked by."),
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", min=1, help="Requests a second that one key or address may make.")
    ] = 200,
    as_json: JsonOption = False,
) -> None:
    """Answer over HTTP, until Ctrl-C: rows of views, their changes, status, plan, bill and metrics.

    It runs beside `headwater run` or without it; Spark is not started, and no route takes SQL. Only this
    machine is answered, unless there are API keys (`headwater key add`) and --host says otherwise. With
    --json, the first line is an object with the address.

    Examples: `headwater serve shop`, `headwater serve shop --port 8080`,
    `curl -s http://127.0.0.1:8765/views/open_orders?max_staleness=10s`
    """
    stop = threading.Event()
    on_signals(lambda: end_at_once() if stop.is_set() else stop.set())
    with (
        started(str(folder), host, port, tuple(allow_host or ()), rate) as server,
        log_to(os.path.join(server.root, "logs", LOG)),
    ):
        if as_json:
            print(compact_json({"address": server.address, "pid": os.getpid()}), flush=True)
        else:
            console().print(f"{folder}: the page is at {server.address} (Ctrl-C ends it)")
            sys.stdout.flush()
        stop.wait()
    if not as_json:
        progress_console().print("The server has ended.")


@contextmanager
def started(
    folder: str, host: str, port: int | None, names: tuple[str, ...] = (), rate: float = 200
) -> Iterator[Server]:
    """A server of a project, while the context lasts."""
    from headwater.clock import SystemClock
    from headwater.serve.http.server import Server
    from headwater.serve.http.serving import Settings
    from headwater.storage.permissions import make_root

    server = Server.start(folder, SystemClock(), Settings(host, names, rate), port)
    make_root(server.root)  # private, whoever writes a log there
    try:
        yield server
    finally:
        server.stop()
