"""`headwater bench ingest`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.arguments import JsonOption
from headwater.cli.output import print_json, print_table

__all__ = ["bench_ingest"]


def bench_ingest(
    out: Annotated[Path, typer.Option(help="Where scratch data goes; emptied first.")] = Path(
        "bench-results/ingest"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the size.")] = False,
    as_json: JsonOption = False,
) -> None:
    """How many records a second a keyed table takes: typed, checked and committed. No Spark.

    Example: `headwater bench ingest --quick`
    """
    from headwater.bench.ingest import run

    results = run(str(out), 20_000 if quick else 200_000)
    if as_json:
        rates = [asdict(one) | {"records_per_cpu_second": one.records_per_cpu_second} for one in results]
        print_json(rates)
        return
    numbers = ("records", "seconds", "CPU s", "records per CPU s")
    print_table(
        "records into a keyed table of four columns",
        ("case", *numbers),
        [
            (
                one.case,
                f"{one.records:,}",
                f"{one.seconds:.2f}",
                f"{one.cpu_seconds:.2f}",
                f"{one.records_per_cpu_second:,.0f}",
            )
            for one in results
        ],
        right=numbers,
    )
