"""`headwater bench smile`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import print_json, print_table, progress_console, to_json
from headwater.errors import InputError
from headwater.serve.asking import duration, positive_duration

if TYPE_CHECKING:
    from headwater.bench.smile.experiments.answers import Answer, Bench

__all__ = ["bench_smile"]


def bench_smile(
    experiment: Annotated[
        str,
        typer.Option(help="run, compare, pages, rate, sla, plans, tuples, machines, load, highest, or all."),
    ] = "run",
    rate: Annotated[float, typer.Option(help="Tweets per second.")] = 1_000.0,
    seconds: Annotated[str, typer.Option("--for", help="How long is measured: 30s, 10m.")] = "5m",
    warm: Annotated[str, typer.Option(help="Load before that which is not measured.")] = "60s",
    preload: Annotated[int, typer.Option(help="Tweets that are there before.")] = 200_000,
    freshness: Annotated[str, typer.Option(help="What every view promises.")] = "45s",
    mix: Annotated[
        bool, typer.Option("--mix", help="S1 to S7 10 s, S8 to S15 40 s, S16 to S25 60 s.")
    ] = False,
    sites: Annotated[int, typer.Option(help="Sites, 1 to 6; they share one local Spark.")] = 6,
    no_sharing: Annotated[bool, typer.Option("--no-sharing", help="Keep every view by itself.")] = False,
    batch: Annotated[str, typer.Option(help="The load comes in batches this far apart.")] = "2s",
    gowalla: Annotated[
        bool, typer.Option("--gowalla", help="Replay real check-ins instead of tweets.")
    ] = False,
    verify: Annotated[str, typer.Option(help="How views are checked: duckdb, spark or none.")] = "duckdb",
    seed: Annotated[int, typer.Option(help="The same seed makes the same rows.")] = 7,
    driver_memory: Annotated[str, typer.Option(help="Spark's heap, if not the default: 6g.")] = "",
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep filled projects in --out for the next bench.")
    ] = False,
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Where results, plots and scratch data go.")
    ] = Path("bench-results/smile"),
    quick: Annotated[bool, typer.Option("--quick", help="A tiny version, in half a minute.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Nine relations of tweets, 25 views with promises: what keeping them costs, beside the paper's numbers.

    Every view is checked against DuckDB at the end.

    Examples:

      headwater bench smile --rate 1000 --for 10m --preload 200000

      headwater bench smile --experiment compare --rate 1000 --for 5m

      headwater bench smile --experiment sla --for 2m --keep
    """
    from headwater.bench.smile.experiments.by_name import experiment as find
    from headwater.bench.smile.experiments.workshop import Workshop

    chosen = find("gowalla" if gowalla else experiment)
    console = progress_console()
    _check(rate, preload, sites, verify)
    workshop = Workshop(out, lambda text: console.print(text, markup=False), seed, verify, keep)
    bench = _bench(
        workshop, quick, mix, sites, not no_sharing, driver_memory,
        (rate, _seconds(seconds, "--for"), duration(warm, "--warm").total_seconds(), preload,
         _seconds(freshness, "--freshness"), _seconds(batch, "--batch")),
    )  # fmt: skip
    out.mkdir(parents=True, exist_ok=True)
    try:
        answers = chosen(bench)
    finally:
        workshop.close()
    results = {answer.name: answer.json for answer in answers}
    (out / "results.json").write_text(to_json(results), encoding="utf-8")
    if as_json:
        print_json(results)
    else:
        _show(answers, out)
    if not all(answer.well for answer in answers):
        raise typer.Exit(1)


def _bench(
    workshop: object, quick: bool, mix: bool, sites: int, sharing: bool, memory: str, sizes: tuple[float, ...]
) -> Bench:
    from headwater.bench.smile.experiments.answers import Bench
    from headwater.bench.smile.experiments.workshop import Workshop
    from headwater.bench.smile.workload.project import Shape

    assert isinstance(workshop, Workshop)
    rate, seconds, warm, preload, freshness, batch = (20.0, 10.0, 10.0, 500, 6.0, 1.0) if quick else sizes
    shape = Shape(
        freshness=freshness, mix=mix, sites=sites, preload=int(preload), rate=rate, driver_memory=memory,
        numbers=(1, 2, 6, 11, 17, 23) if quick else (),
    )  # fmt: skip
    return Bench(workshop, shape, seconds, warm, batch, sharing, quick)


def _check(rate: float, preload: int, sites: int, verify: str) -> None:
    if rate <= 0:
        raise InputError("HW001", f"--rate must be more than 0 tweets per second, not {rate:g}")
    if preload < 1:
        raise InputError(
            "HW001", f"--preload must be at least 1 tweet, not {preload}", hint="Views need users to join."
        )
    if not 1 <= sites <= 6:
        raise InputError("HW001", f"--sites must be 1 to 6, not {sites}")
    if verify not in ("duckdb", "spark", "none"):
        raise InputError("HW001", f'--verify cannot be "{verify}"', hint="Use duckdb, spark or none.")


def _seconds(text: str, option: str) -> float:
    return positive_duration(text, option).total_seconds()


def _show(answers: Sequence[Answer], out: Path) -> None:
    from headwater.cli.show.output import console

    for answer in answers:
        for table in answer.tables:
            right = [name for name in table.columns[1:] if name != "note"]
            print_table(table.title, table.columns, table.rows, right=right)
    console().print(f"plots, results.json and the audit of every run are in {out}")
