"""`headwater bench simulation`: runs without Spark, through whatever may go wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.show.output import console, print_json, print_table, progress_console

__all__ = ["bench_simulation"]


def bench_simulation(
    hours: Annotated[float, typer.Option(help="How many hours to simulate, at least.")] = 2_000,
    seed: Annotated[int, typer.Option(help="The first seed; the same seed gives the same runs.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Simulate runs: the real scheduler, executor and loop; simulated pushes, sources, sites and clocks.

    Sources lag, catch up and stop; pushes are slow or fail; sites fall silent; clocks step; views come, go
    and break. Promises must be kept while there is capacity, no view may starve, failures must stay where
    they are, and the loop must go on.

    Example: `headwater bench simulation --hours 10000 --seed 7`

    Exit status 1 when a law is broken; each failure is shown with its seed, which repeats it.
    """
    from headwater.bench.simulation.simulation import simulate_hours

    with progress_console().status("0 hours") as status:
        summary = simulate_hours(
            hours, seed, lambda done: status.update(f"{done:,.0f} of {hours:,.0f} simulated hours")
        )
    answer = {
        "seed": summary.seed,
        "runs": summary.runs,
        "hours": round(summary.hours, 1),
        "pushes": summary.pushes,
        "seconds": round(summary.seconds, 1),
        "failures": [
            {"seed": run.seed, "problem": run.problem, "happened": list(run.happened)}
            for run in summary.failures
        ],
    }
    if as_json:
        print_json(answer)
    else:
        names = ("seed", "runs", "hours", "pushes", "seconds")
        print_table("simulated runs", names, [[answer[name] for name in names]], right=names)
        for run in summary.failures:
            console().print(f"seed {run.seed}: {run.problem}", markup=False)
            console().print("  " + "\n  ".join(run.happened), markup=False)
    if summary.failures:
        raise typer.Exit(1)
