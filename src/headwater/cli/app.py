"""The `headwater` command: gathers the commands and turns errors into messages and exit statuses.

Exit status: 0 all well; 1 the answer is no; 2 wrong input.  A user never sees a stack trace for wrong
input; a bug of ours (InternalError, or anything unforeseen) shows one, because then it helps.
"""

from __future__ import annotations

import sys

import typer

from headwater.cli.add import add, drop
from headwater.cli.bench_crash import bench_crash
from headwater.cli.bench_ingest import bench_ingest
from headwater.cli.bench_joins import bench_joins
from headwater.cli.bench_laws import bench_laws
from headwater.cli.bench_postgres import bench_postgres
from headwater.cli.bench_push import bench_push
from headwater.cli.bench_scale import bench_scale
from headwater.cli.bench_smile import bench_smile
from headwater.cli.bench_updates import bench_updates
from headwater.cli.bench_weave import bench_weave
from headwater.cli.bill import bill
from headwater.cli.calibrate import calibrate
from headwater.cli.capture import capture
from headwater.cli.check import check
from headwater.cli.demo import demo
from headwater.cli.ingest import ingest
from headwater.cli.init import init
from headwater.cli.plan import plan
from headwater.cli.read import read
from headwater.cli.run import run
from headwater.cli.simulate_joins import simulate_joins
from headwater.cli.simulate_updates import simulate_updates
from headwater.cli.simulate_weave import simulate_weave
from headwater.cli.status import status
from headwater.cli.verify import verify
from headwater.errors import HeadwaterError

__all__ = ["app", "main"]

app = typer.Typer(
    name="headwater",
    help="Keeps SQL views of changing data fresh, to a promise, at the lowest cost, on Apache Spark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
simulate = typer.Typer(help="What-if runs of the algorithms; no Spark.", no_args_is_help=True)
bench = typer.Typer(help="Experiments: each prints a table and writes plots.", no_args_is_help=True)
for command in (
    init, demo, check, plan, calibrate, add, drop, run, status, bill, ingest, capture, read, verify,
):  # fmt: skip
    app.command()(command)
app.add_typer(simulate, name="simulate")
app.add_typer(bench, name="bench")
simulate.command("joins")(simulate_joins)
simulate.command("updates")(simulate_updates)
bench.command("updates")(bench_updates)
bench.command("scale")(bench_scale)
simulate.command("weave")(simulate_weave)
bench.command("joins")(bench_joins)
bench.command("crash")(bench_crash)
bench.command("laws")(bench_laws)
bench.command("ingest")(bench_ingest)
bench.command("postgres")(bench_postgres)
bench.command("push")(bench_push)
bench.command("weave")(bench_weave)
bench.command("smile")(bench_smile)


def main() -> None:
    """Entry point of the `headwater` script."""
    try:
        app()
    except HeadwaterError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_status)
    except OSError as error:
        # A full disk, a folder that may not be written: the user's to mend, so no stack trace.
        where = f": {error.filename}" if error.filename else ""
        print(f"HW002: {error.strerror or error}{where}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
