"""`headwater bench ingest`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import print_json, print_table

__all__ = ["bench_ingest"]


def bench_ingest(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Where scratch data goes; emptied first.")
    ] = Path("bench-results/ingest"),
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the size.")] = False,
    as_json: JsonOption = False,
) -> None:
    """How many records a second a keyed table takes: typed, checked and committed. No Spark.

    Example: `headwater bench ingest --quick`
    """
    from headwater.bench.ingest import run

    sizes = (100_000, 1_000_000) if quick else (1_000_000, 10_000_000)
    results = run(str(out), 20_000 if quick else 200_000, sizes)
    if as_json:
        rates = [asdict(case) | {"records_per_cpu_second": case.records_per_cpu_second} for case in results]
        print_json(rates)
        return
    numbers = ("records", "seconds", "CPU s", "records per CPU s")
    print_table(
        "records into a keyed table of four columns",
        ("case", *numbers),
        [
            (
                case.case,
                f"{case.records:,}",
                f"{case.seconds:.2f}",
                f"{case.cpu_seconds:.2f}",
                f"{case.records_per_cpu_second:,.0f}",
            )
            for case in results
        ],
        right=numbers,
    )
