"""`headwater bench http`: requests a second against a prepared statement of PostgreSQL."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import console, print_json, print_table, progress_console, to_json

__all__ = ["bench_http"]


def bench_http(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Folder for results.json and the project.")
    ] = Path("bench-results/http"),
    seconds: Annotated[float, typer.Option(min=0.2, help="How long a round of requests lasts.")] = 5.0,
    rounds: Annotated[int, typer.Option(min=1, help="How often each server has its turn.")] = 3,
    customers: Annotated[int, typer.Option(min=30, help="The size of the bookshop.")] = 2880,
    as_json: JsonOption = False,
) -> None:
    """A query over HTTP from the store, and the same from PostgreSQL behind the same framework, in turns.

    Example: `headwater bench http --seconds 1 --rounds 1 --customers 300 --out http`
    """
    from headwater.bench.store.http import compare
    from headwater.bench.store.tpcw.data import Scale

    out.mkdir(parents=True, exist_ok=True)
    with progress_console().status("http") as status:
        scale = Scale(customers, customers // 3)
        asked = compare(out / "shop", scale, seconds, rounds, lambda text: status.update(f"http: {text}"))
    results = [asdict(each) for each in asked]
    (out / "results.json").write_text(to_json(results) + "\n", encoding="utf-8")
    if as_json:
        print_json(results)
        return
    titles = [name.replace("_", " ") for name in results[0]]
    print_table("Product detail over HTTP", titles, [list(row.values()) for row in results], right=titles[1:])
    console().print(f"results.json is in {out}")
