"""`headwater bench plan`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption
from headwater.cli.show.output import print_json, print_table, progress_console

__all__ = ["bench_plan"]


def bench_plan(
    only: Annotated[
        list[str] | None, typer.Option(help="sharings, sql or windows; may be repeated. All by default.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """How long `headwater plan` takes: 25 sharings on six sites, 100 views of SQL, 1,000 windows.

    The command as a user types it, the best of three after one that is not counted; and the CPU-seconds of
    its parts: importing Python modules, reading and translating the SQL, planning. Spark is not started.

    Example: `headwater bench plan`, `headwater bench plan --only sharings`
    """
    import tempfile
    from pathlib import Path

    from headwater.bench.planning.measure import PROJECTS, measure

    wrong = [name for name in only or () if name not in PROJECTS]
    if wrong:
        raise typer.BadParameter(f"there is no {wrong[0]}: {', '.join(PROJECTS)}", param_hint="--only")
    lines = []
    with tempfile.TemporaryDirectory() as folder, progress_console().status("planning") as status:
        for name in only or PROJECTS:
            status.update(f"planning {PROJECTS[name][0]}")
            lines.append(measure(name, Path(folder)))
    if as_json:
        print_json([asdict(line) for line in lines])
        return
    numbers = ("views", "seconds", "CPU s", "import", "open", "plan")
    rows = [
        (line.project, line.views, *(f"{value:.2f}" for value in (
            line.seconds, line.cpu_seconds, line.import_cpu_s, line.open_cpu_s, line.plan_cpu_s)))
        for line in lines
    ]  # fmt: skip
    print_table("headwater plan", ("project", *numbers), rows, right=numbers)
