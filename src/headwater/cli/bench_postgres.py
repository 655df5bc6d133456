"""`headwater bench postgres`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.arguments import JsonOption
from headwater.cli.output import print_json, print_table, progress_console

__all__ = ["bench_postgres"]


def bench_postgres(
    out: Annotated[Path, typer.Option(help="Where results and scratch data go.")] = Path(
        "bench-results/postgres"
    ),
    changes: Annotated[int, typer.Option(min=1, help="How many changes PostgreSQL makes.")] = 1_000_000,
    quick: Annotated[bool, typer.Option("--quick", help="20,000 changes.")] = False,
    no_spark: Annotated[
        bool, typer.Option("--no-spark", help="Only capture; compare the tables, not the views.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Changes of a busy PostgreSQL per second, and whether the views equal PostgreSQL's own answers.

    Example: `headwater bench postgres --quick`
    """
    from headwater.bench.postgres import refuse_difference, run

    console = progress_console()
    wanted = 20_000 if quick else changes
    results = run(str(out), wanted, lambda text: console.print(text), spark=not no_spark)
    answer = [
        asdict(one) | {"rows_per_second": one.rows_per_second, "rows_per_cpu_second": one.rows_per_cpu_second}
        for one in results
    ]
    (out / "postgres.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
    else:
        numbers = ("rows", "seconds", "CPU s", "rows per s", "rows per CPU s")
        print_table(
            "PostgreSQL captured",
            ("step", *numbers, "equal"),
            [
                (
                    one.step,
                    f"{one.rows:,}",
                    f"{one.seconds:.2f}",
                    f"{one.cpu_seconds:.2f}",
                    "" if one.equal is not None else f"{one.rows_per_second:,.0f}",
                    "" if one.equal is not None else f"{one.rows_per_cpu_second:,.0f}",
                    "" if one.equal is None else "yes" if one.equal else "NO",
                )
                for one in results
            ],
            right=numbers,
        )
    refuse_difference(results)
