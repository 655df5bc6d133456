"""The `headwater` command: gathers the commands and turns errors into messages and exit statuses.

Exit status: 0 all well; 1 the answer is no; 2 wrong input; 70 a bug of ours.
"""

from __future__ import annotations

import os
import sys
import warnings
from functools import cache
from typing import Annotated, Any, TextIO

import typer
from typer.main import get_command

from headwater.cli.failures import report_failure, wants_json
from headwater.cli.input.commands import Command, ProjectCommand
from headwater.cli.input.on_demand import MARKUP, group_of
from headwater.errors import redact
from headwater.project.warning import ProjectWarning

__all__ = ["app", "main"]

COMMANDS = {
    "init": "commands.init:init",
    "demo": "demo.demo:demo",
    "check": "commands.check:check",
    "plan": "commands.plan:plan",
    "calibrate": "commands.calibrate:calibrate",
    "add": "commands.add:add",
    "drop": "commands.add:drop",
    "run": "commands.run:run",
    "status": "commands.status:status",
    "bill": "commands.bill:bill",
    "ingest": "intake.ingest:ingest",
    "capture": "intake.capture:capture",
    "dead-letters": "intake.dead_letters:dead_letters",
    "read": "commands.read:read",
    "changes": "serving.changes:changes",
    "query": "commands.query:query",
    "sql": "commands.sql:sql",
    "serve": "serving.serve:serve",
    "verify": "commands.verify:verify",
    "vacuum": "commands.vacuum:vacuum",
    "errors": "commands.errors:errors",
    "key": "serving.key:key",
}
WITHOUT_PROJECT = {"init", "demo", "check", "calibrate", "errors"}
SIMULATIONS = {
    "joins": "simulate.joins:simulate_joins",
    "updates": "simulate.updates:simulate_updates",
    "weave": "simulate.weave:simulate_weave",
}
EXPERIMENTS = {
    "updates": "bench.updates:bench_updates",
    "scale": "bench.scale:bench_scale",
    "page": "bench.serving.page:bench_page",
    "twotags": "bench.serving.twotags:bench_twotags",
    "tpcw": "bench.serving.tpcw:bench_tpcw",
    "http": "bench.serving.http:bench_http",
    "joins": "bench.joins:bench_joins",
    "crash": "bench.crash:bench_crash",
    "fuzz": "bench.fuzz:bench_fuzz",
    "soak": "bench.soak:bench_soak",
    "laws": "bench.laws:bench_laws",
    "ingest": "bench.ingest:bench_ingest",
    "postgres": "bench.postgres:bench_postgres",
    "plan": "bench.plan:bench_plan",
    "push": "bench.pushes.push:bench_push",
    "sql": "bench.pushes.sql:bench_sql",
    "tpch": "bench.pushes.tpch:bench_tpch",
    "views": "bench.pushes.views:bench_views",
    "weave": "bench.weave:bench_weave",
    "smile": "bench.smile:bench_smile",
    "simulation": "bench.simulation:bench_simulation",
}


def _kind_of(command: str) -> type[Command]:
    return Command if command in WITHOUT_PROJECT else ProjectCommand


def _any_command(_: str) -> type[Command]:
    return Command


app = typer.Typer(
    name="headwater",
    cls=group_of(COMMANDS, _kind_of),
    help="Keeps SQL views of changing data fresh, to a promise, at the lowest cost, on Apache Spark.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=MARKUP,
)
simulate = typer.Typer(
    cls=group_of(SIMULATIONS, _any_command),
    help="What-if runs of the algorithms; no Spark.",
    no_args_is_help=True,
)
bench = typer.Typer(
    cls=group_of(EXPERIMENTS, _any_command),
    help="Experiments: each prints a table and writes plots.",
    no_args_is_help=True,
)
app.add_typer(simulate, name="simulate")
app.add_typer(bench, name="bench")


def _print_version(asked: bool) -> None:
    if asked:
        import headwater

        print(f"headwater {headwater.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Keeps SQL views of changing data fresh, to a promise, at the lowest cost, on Apache Spark."""


@cache
def command_line() -> Any:
    """The commands as they are parsed. Typer would build them anew, 50 ms, for each one in this process."""
    return get_command(app)


def main() -> None:
    """Entry point of the `headwater` script."""
    warnings.showwarning = _show_warning
    _open_closed_streams()
    as_json = wants_json(sys.argv[1:])
    try:
        sys.exit(command_line()(standalone_mode=False))  # a wrong command line is ours to print, too
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    except Exception as failure:  # noqa: BLE001 - the last one to see it: printed, with an exit status
        sys.exit(report_failure(failure, as_json))


def _open_closed_streams() -> None:
    """`headwater plan >&-`: what is printed goes nowhere, and no other file gets the number of the stream."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - until the end


_shown: set[str] = set()  # Python forgets what it has shown whenever a library adds a filter


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Warnings about a project's files are for its author, once; others show where they come from."""
    text = (
        f"Warning: {message}" if issubclass(category, ProjectWarning) else f"{filename}:{lineno}: {message}"
    )
    text = redact(text)
    if text not in _shown:
        _shown.add(text)
        print(text, file=file or sys.stderr)


if __name__ == "__main__":
    main()
