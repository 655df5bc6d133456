"""`headwater bench laws`: random views, kept by deltas, against the same views computed anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import console, print_json, print_table, progress_console, to_json

__all__ = ["bench_laws"]


def bench_laws(
    cases: Annotated[int, typer.Option(help="How many (view, changes) pairs to compare.")] = 100_000,
    seed: Annotated[int, typer.Option(help="The first seed; the same seed tries the same cases.")] = 0,
    processes: Annotated[int, typer.Option(help="How many at once; 0: one for each core.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="1,000 cases only.")] = False,
    out: Annotated[Path, typer.Option(callback=local_folder, help="Where the result is written.")] = Path(
        "bench-results/laws"
    ),
    as_json: JsonOption = False,
) -> None:
    """Try the law `view(old) + delta == view(new)` on random views and changes, without Spark.

    Example: `headwater bench laws --cases 100000 --seed 7`

    Exit status 1 when there is any difference; each is shown with its seed, made as small as possible.
    """
    from headwater.bench.laws.running import describe, run

    wanted = 1_000 if quick else cases
    with progress_console().status("0 cases") as status:
        outcome = run(
            wanted, seed, lambda done: status.update(f"{done:,} of {wanted:,} cases"), processes or None
        )
    answer = {
        "cases": outcome.cases,
        "worlds": outcome.worlds,
        "differences": len(outcome.failures),
        "seconds": round(outcome.seconds, 1),
        "seed": seed,
        "failures": [{"seed": failure.seed, "message": failure.message} for failure in outcome.failures],
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "laws.json").write_text(to_json(answer) + "\n")
    if as_json:
        print_json(answer)
    else:
        names = ("cases", "worlds", "differences", "seconds", "seed")
        print_table("view(old) + delta == view(new)", names, [[answer[name] for name in names]], right=names)
        for failure in outcome.failures[:5]:
            console().print(describe(failure.seed), markup=False)
    if outcome.failures:
        raise typer.Exit(1)
