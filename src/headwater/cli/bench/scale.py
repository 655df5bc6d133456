"""`headwater bench scale`: twoTags as the data grows, and the speed of the checker."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import console, print_json, print_table, progress_console, to_json

__all__ = ["bench_scale"]


def bench_scale(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Folder for the plot and results.json.")
    ] = Path("bench-results/scale"),
    quick: Annotated[bool, typer.Option("--quick", help="A small version that takes seconds.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Scale independence: operations of twoTags on demand and from its view; seconds to check 500 queries.

    Example: `headwater bench scale --quick --out scale`
    """
    from headwater.bench.bounds.checker import time_checker
    from headwater.bench.bounds.plot import draw
    from headwater.bench.bounds.two_tags import grow

    out.mkdir(parents=True, exist_ok=True)
    with progress_console().status("scale") as status:
        rows = grow(quick, lambda what: status.update(f"scale: {what}"))
        status.update("scale: checking queries")
        checker = time_checker(*((20, 50) if quick else (100, 500)))
    results = {"two_tags": rows, "checker": checker}
    draw(rows, out / "two_tags.svg")
    (out / "results.json").write_text(to_json(results) + "\n", encoding="utf-8")
    if as_json:
        print_json(results)
        return
    names = list(rows[0])
    titles = [name.replace("_", " ") for name in names]
    print_table("twoTags", titles, [[row[name] for name in names] for row in rows], right=titles)
    console().print(
        f"{checker['queries']} queries over {checker['tables']} tables checked in {checker['seconds']} s "
        f"({checker['cpu_seconds']} s of CPU). Plot and results.json are in {out}"
    )
