"""`headwater bench soak`."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption
from headwater.cli.show.output import print_json, print_table, progress_console
from headwater.cli.stopping import clean_up_on_signals
from headwater.serve.asking import positive_duration

__all__ = ["bench_soak"]


def bench_soak(
    length: Annotated[str, typer.Option("--for", help="How long, such as 60m.")] = "60m",
    rate: Annotated[float, typer.Option(help="Changes a second, of both writers.", min=2)] = 200.0,
    seed: Annotated[int, typer.Option(help="The seed of the changes.")] = 7,
    out: Annotated[Path, typer.Option(help="Where results go.")] = Path("bench-results/soak"),
    as_json: JsonOption = False,
) -> None:
    """Keep the starter shop under load for long; memory and pushes must not grow.

    Two writers change random rows, views are added and dropped every minute, and every plain table is read
    from outside. Memory and the seconds of a push in the last quarter must be within a tenth of the second.

    Example: `headwater bench soak --for 5m`

    Exit status 1 when something grew, or a reader outside failed.
    """
    from headwater.bench.soak.figure import draw
    from headwater.bench.soak.run import run
    from headwater.bench.soak.samples import verdicts

    clean_up_on_signals()
    console = progress_console()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as scratch, open(out / "samples.jsonl", "w") as noted:
        samples = run(
            Path(scratch), positive_duration(length, "--for"), rate, seed, lambda text: console.print(text),
            lambda taken: print(json.dumps(asdict(taken)), file=noted, flush=True),
        )  # fmt: skip
    draw(samples, out)
    judged = verdicts(samples)
    answer = {
        "samples": [asdict(taken) for taken in samples],
        "verdicts": [
            asdict(verdict) | {"growth": verdict.growth, "flat": verdict.flat} for verdict in judged
        ],
    }
    (out / "soak.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
    else:
        print_table(
            f"{samples[-1].at_s / 60:.1f} minutes, {rate:g} changes/s; {samples[-1].failed_reads} of "
            f"{samples[-1].reads} reads outside failed",
            ("measure", "second quarter", "last quarter", "growth", "flat"),
            [
                (verdict.measure, f"{verdict.second:,.2f}", f"{verdict.last:,.2f}", f"{verdict.growth:+.0%}",
                 "yes" if verdict.flat else "NO")
                for verdict in judged
            ],
            right=("second quarter", "last quarter", "growth"),
        )  # fmt: skip
        last = samples[-1]
        console.print(
            f"stored {last.stored_mb:.0f} MB, live {last.live_mb:.0f} MB, {last.files} files,"
            f" all logs opened in {last.open_logs_s:.2f} s; picture in {out}/soak.svg"
        )
    if samples[-1].failed_reads or not all(verdict.flat for verdict in judged):
        raise typer.Exit(1)
