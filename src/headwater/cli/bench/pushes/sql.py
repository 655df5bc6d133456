"""`headwater bench sql`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import print_json, print_table, progress_console

__all__ = ["bench_sql"]


def bench_sql(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Where results and scratch data go.")
    ] = Path("bench-results/sql"),
    rows: Annotated[
        int, typer.Option(min=1_000, help="Rows of the facts; one in a hundred changes.")
    ] = 1_000_000,
    only: Annotated[
        list[str] | None, typer.Option(help="Part of a construct's name; may be repeated.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """For each construct of SQL: a push of a 1 % change against Spark's recompute, in CPU-seconds.

    Example: `headwater bench sql --rows 100000 --only lag --only "top 10"`
    """
    from headwater.bench.sql import CONSTRUCTS, middle_ratio, run

    chosen = [name for name in CONSTRUCTS if not only or any(part.lower() in name.lower() for part in only)]
    for part in only or ():
        if not any(part.lower() in name.lower() for name in CONSTRUCTS):
            message = f'no construct has "{part}" in its name: {", ".join(CONSTRUCTS)}'
            raise typer.BadParameter(message, param_hint="--only")
    console = progress_console()
    lines = run(str(out), rows, chosen, tell=lambda text: console.print(text))
    answer = [asdict(line) | {"ratio": line.ratio} for line in lines]
    out.mkdir(parents=True, exist_ok=True)
    (out / "sql.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
        return
    numbers = ("push CPU s", "push s", "recompute CPU s", "recompute s", "ratio")
    print_table(
        f"{rows:,} rows, 1 % changed; CPU of a recompute against a push, median {middle_ratio(lines):.2f}",
        ("construct", "pushed", *numbers),
        [
            (
                line.construct,
                line.mode,
                f"{line.push_cpu_s:.2f}",
                f"{line.push_s:.2f}",
                f"{line.recompute_cpu_s:.2f}",
                f"{line.recompute_s:.2f}",
                f"{line.ratio:.2f}",
            )
            for line in lines
        ],
        right=numbers,
    )
