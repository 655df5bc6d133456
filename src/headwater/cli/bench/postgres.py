"""`headwater bench postgres`."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import print_json, print_table, progress_console
from headwater.units import byte_text

__all__ = ["bench_postgres"]


def bench_postgres(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Where results and scratch data go.")
    ] = Path("bench-results/postgres"),
    changes: Annotated[int, typer.Option(min=1, help="How many changes PostgreSQL makes.")] = 1_000_000,
    quick: Annotated[bool, typer.Option("--quick", help="20,000 changes.")] = False,
    no_spark: Annotated[
        bool, typer.Option("--no-spark", help="Only capture; compare the tables, not the views.")
    ] = False,
    large: Annotated[
        int | None,
        typer.Option(
            min=1, help="Instead, transactions of so many rows each: CPU and the most memory they take."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Changes of a busy PostgreSQL per second, and whether the views equal PostgreSQL's own answers.

    Example: `headwater bench postgres --quick`
    """
    from headwater.bench.postgres import refuse_difference, run

    if large is not None:
        _large(out, large, as_json)
        return
    console = progress_console()
    wanted = 20_000 if quick else changes
    results = run(str(out), wanted, lambda text: console.print(text), spark=not no_spark)
    answer = [
        asdict(step)
        | {"rows_per_second": step.rows_per_second, "rows_per_cpu_second": step.rows_per_cpu_second}
        for step in results
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
                    step.step,
                    f"{step.rows:,}",
                    f"{step.seconds:.2f}",
                    f"{step.cpu_seconds:.2f}",
                    "" if step.equal is not None else f"{step.rows_per_second:,.0f}",
                    "" if step.equal is not None else f"{step.rows_per_cpu_second:,.0f}",
                    "" if step.equal is None else "yes" if step.equal else "NO",
                )
                for step in results
            ],
            right=numbers,
        )
    if as_json and any(step.equal is False for step in results):
        raise typer.Exit(2)  # the answer says which; a second JSON object must not follow it
    refuse_difference(results)


def _large(out: Path, rows: int, as_json: bool) -> None:
    from headwater.bench.large_transactions import run_large

    console, root = progress_console(), out / "large"
    shutil.rmtree(root, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    results = run_large(str(root), rows, lambda text: console.print(text))
    answer = [asdict(result) for result in results]
    (out / "large.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
    else:
        numbers = ("rows", "seconds", "CPU s", "peak memory", "own")
        print_table(
            "transactions captured from PostgreSQL",
            ("statement", *numbers, "equal"),
            [
                (
                    result.statement,
                    f"{result.rows:,}",
                    f"{result.seconds:.1f}",
                    f"{result.cpu_seconds:.1f}",
                    byte_text(result.peak_bytes),
                    byte_text(result.own_peak_bytes),
                    "yes" if result.equal else "NO",
                )
                for result in results
            ],
            right=numbers,
        )
    if not all(result.equal for result in results):
        raise typer.Exit(1)
