"""`headwater bench simulation`: runs without Spark, through whatever may go wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.show.output import console, print_json, print_table, progress_console

__all__ = ["bench_simulation"]


def bench_simulation(
    hours: Annotated[float, typer.Option(help="How many hours to simulate, at least.")] = 2_000,
    seed: Annotated[int, typer.Option(help="The first seed; the same seed gives the same runs.")] = 0,
    overload: Annotated[
        bool, typer.Option("--overload", help="Update streams fed faster than their views can take.")
    ] = False,
    joins: Annotated[
        bool, typer.Option("--joins", help="With --overload: adapted joins whose load rises many times over.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Simulate runs: the real scheduler, executor and loop; simulated pushes, sources, sites and clocks.

    Sources lag, catch up and stop; pushes are slow or fail; sites fall silent; clocks step; views come, go
    and break. Promises must be kept while there is capacity, no view may starve, failures must stay where
    they are, and the loop must go on.

    With --overload, update streams are fed with up to twenty times what their views can take: the real
    forecasts and budgets must keep the promises by choosing, and what waits must follow when the load drops.
    With --joins as well, the load of a join rises up to eightfold at once, its matches with a power of that.

    Example: `headwater bench simulation --hours 10000 --seed 7`,
    `headwater bench simulation --overload --hours 100`,
    `headwater bench simulation --overload --joins --hours 5`

    Exit status 1 when a law is broken; each failure is shown with its seed, which repeats it.
    """
    if overload:
        _overloads(hours, seed, joins, as_json)
        return
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


def _overloads(hours: float, seed: int, joins: bool, as_json: bool) -> None:
    from headwater.bench.simulation.overload.joins.run import simulate_join
    from headwater.bench.simulation.overload.run import simulate_overload, simulate_overloads

    with progress_console().status("0 hours") as status:
        outcomes, seconds = simulate_overloads(
            hours,
            seed,
            lambda done: status.update(f"{done:,.0f} of {hours:,.0f} simulated hours"),
            simulate_join if joins else simulate_overload,
        )
    failures = [run for run in outcomes if run.problem]
    answer = {
        "seed": seed,
        "runs": len(outcomes),
        "chose": sum(run.chose for run in outcomes),
        "hours": round(sum(run.hours for run in outcomes), 1),
        "pushes": sum(run.pushes for run in outcomes),
        "worst": round(max(run.worst_s / run.promise_s for run in outcomes), 2),
        "seconds": round(seconds, 1),
        "failures": [{"seed": run.seed, "problem": run.problem} for run in failures],
    }
    if as_json:
        print_json(answer)
    else:
        names = ("seed", "runs", "chose", "hours", "pushes", "worst", "seconds")
        print_table("simulated overload", names, [[answer[name] for name in names]], right=names)
        for run in failures:
            console().print(f"seed {run.seed}: {run.problem}", markup=False)
    if failures:
        raise typer.Exit(1)
