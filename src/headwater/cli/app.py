"""The `headwater` command: gathers the commands and turns errors into messages and exit statuses.

Exit status: 0 all well; 1 the answer is no; 2 wrong input; 70 a bug of ours.
"""

from __future__ import annotations

import sys
import warnings
from functools import cache
from typing import Annotated, Any, TextIO

import typer
from typer.main import get_command

from headwater.cli.bench.crash import bench_crash
from headwater.cli.bench.fuzz import bench_fuzz
from headwater.cli.bench.ingest import bench_ingest
from headwater.cli.bench.joins import bench_joins
from headwater.cli.bench.laws import bench_laws
from headwater.cli.bench.plan import bench_plan
from headwater.cli.bench.postgres import bench_postgres
from headwater.cli.bench.pushes.push import bench_push
from headwater.cli.bench.pushes.sql import bench_sql
from headwater.cli.bench.pushes.tpch import bench_tpch
from headwater.cli.bench.scale import bench_scale
from headwater.cli.bench.serving.http import bench_http
from headwater.cli.bench.serving.page import bench_page
from headwater.cli.bench.serving.tpcw import bench_tpcw
from headwater.cli.bench.serving.twotags import bench_twotags
from headwater.cli.bench.simulation import bench_simulation
from headwater.cli.bench.smile import bench_smile
from headwater.cli.bench.soak import bench_soak
from headwater.cli.bench.updates import bench_updates
from headwater.cli.bench.weave import bench_weave
from headwater.cli.commands.add import add, drop
from headwater.cli.commands.bill import bill
from headwater.cli.commands.calibrate import calibrate
from headwater.cli.commands.check import check
from headwater.cli.commands.errors import errors
from headwater.cli.commands.init import init
from headwater.cli.commands.plan import plan
from headwater.cli.commands.query import query
from headwater.cli.commands.read import read
from headwater.cli.commands.run import run
from headwater.cli.commands.sql import sql
from headwater.cli.commands.status import status
from headwater.cli.commands.vacuum import vacuum
from headwater.cli.commands.verify import verify
from headwater.cli.demo.demo import demo
from headwater.cli.failures import report_failure, wants_json
from headwater.cli.input.commands import Command, ProjectCommand
from headwater.cli.intake.capture import capture
from headwater.cli.intake.dead_letters import dead_letters
from headwater.cli.intake.ingest import ingest
from headwater.cli.serving.changes import changes
from headwater.cli.serving.key import key
from headwater.cli.serving.serve import serve
from headwater.cli.simulate.joins import simulate_joins
from headwater.cli.simulate.updates import simulate_updates
from headwater.cli.simulate.weave import simulate_weave
from headwater.errors import redact
from headwater.project.warning import ProjectWarning

__all__ = ["app", "main"]

app = typer.Typer(
    name="headwater",
    help="Keeps SQL views of changing data fresh, to a promise, at the lowest cost, on Apache Spark.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
simulate = typer.Typer(help="What-if runs of the algorithms; no Spark.", no_args_is_help=True)
bench = typer.Typer(help="Experiments: each prints a table and writes plots.", no_args_is_help=True)
for command in (
    init, demo, check, plan, calibrate, add, drop, run, status, bill, ingest, capture, dead_letters,
    read, changes, query, sql, serve, verify, vacuum, errors,
):  # fmt: skip
    without_project = command in (init, demo, check, calibrate, errors)
    kind = Command if without_project else ProjectCommand
    app.command(command.__name__.replace("_", "-"), cls=kind)(command)
app.add_typer(key, name="key")
app.add_typer(simulate, name="simulate")
app.add_typer(bench, name="bench")
simulate.command("joins", cls=Command)(simulate_joins)
simulate.command("updates", cls=Command)(simulate_updates)
bench.command("updates", cls=Command)(bench_updates)
bench.command("scale", cls=Command)(bench_scale)
bench.command("page", cls=Command)(bench_page)
bench.command("twotags", cls=Command)(bench_twotags)
bench.command("tpcw", cls=Command)(bench_tpcw)
bench.command("http", cls=Command)(bench_http)
simulate.command("weave", cls=Command)(simulate_weave)
bench.command("joins", cls=Command)(bench_joins)
bench.command("crash", cls=Command)(bench_crash)
bench.command("fuzz", cls=Command)(bench_fuzz)
bench.command("soak", cls=Command)(bench_soak)
bench.command("laws", cls=Command)(bench_laws)
bench.command("ingest", cls=Command)(bench_ingest)
bench.command("postgres", cls=Command)(bench_postgres)
bench.command("plan", cls=Command)(bench_plan)
bench.command("push", cls=Command)(bench_push)
bench.command("sql", cls=Command)(bench_sql)
bench.command("tpch", cls=Command)(bench_tpch)
bench.command("weave", cls=Command)(bench_weave)
bench.command("smile", cls=Command)(bench_smile)
bench.command("simulation", cls=Command)(bench_simulation)


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
    as_json = wants_json(sys.argv[1:])
    try:
        sys.exit(command_line()(standalone_mode=False))  # a wrong command line is ours to print, too
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    except Exception as failure:  # noqa: BLE001 - the last one to see it: printed, with an exit status
        sys.exit(report_failure(failure, as_json))


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
