"""`headwater bench twotags`: the paper's Figures 3 and 4 on the store."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import console, print_json, print_table, progress_console, to_json

__all__ = ["bench_twotags"]


def bench_twotags(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Folder for the plot, results.json and the stores.")
    ] = Path("bench-results/twotags"),
    quick: Annotated[bool, typer.Option("--quick", help="Up to 10 thousand tags, in seconds.")] = False,
    large: Annotated[
        bool, typer.Option("--large", help="Also 10 million tags: some tens of minutes, 5 GB.")
    ] = False,
    reuse: Annotated[
        bool, typer.Option("--reuse", help="Measure stores that an earlier run has left in --out.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """twoTags on the SQLite store: p50 and p99 of reads with and without the view, of writes with upkeep.

    Example: `headwater bench twotags --quick --out twotags`
    """
    from headwater.bench.store.plot import draw
    from headwater.bench.store.two_tags import SIZES, measure

    sizes = (1_000, 10_000) if quick else (*SIZES, 10_000_000) if large else SIZES
    out.mkdir(parents=True, exist_ok=True)
    measured = []
    with progress_console().status("twotags") as status:
        for size in sizes:

            def show(text: str, size: int = size) -> None:
                status.update(f"twotags: {size:,} tags: {text}")

            measured.append(measure(str(out / f"store-{size}"), size, show, reuse))
    draw(measured, out / "two_tags.svg")
    results = [asdict(point) for point in measured]
    (out / "results.json").write_text(to_json(results) + "\n", encoding="utf-8")
    if as_json:
        print_json(results)
        return
    names = list(results[0])
    titles = [name.replace("_", " ") for name in names]
    print_table("twoTags", titles, [[row[name] for name in names] for row in results], right=titles)
    console().print(f"Plot and results.json are in {out}")
