"""`headwater bench page`: what open pages cost the server."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption
from headwater.cli.show.output import console, print_json, progress_console
from headwater.serve.asking import positive_duration

__all__ = ["bench_page"]


def bench_page(
    views: Annotated[int, typer.Option(min=1, help="How many views the project has.")] = 25,
    pages: Annotated[int, typer.Option(min=1, help="How many pages are open.")] = 10,
    lasting: Annotated[str, typer.Option("--for", metavar="D", help="How long to measure.")] = "60s",
    as_json: JsonOption = False,
) -> None:
    """Open pages of a project whose views move, without Spark: the CPU of the server, a day of history.

    Example: `headwater bench page --pages 10 --views 25 --for 60s`
    """
    from headwater.bench.page.measure import measure

    seconds = positive_duration(lasting, "--for").total_seconds()
    with (
        tempfile.TemporaryDirectory(prefix="headwater-page-") as folder,
        progress_console().status("page") as status,
    ):
        cost = measure(Path(folder), views, pages, seconds, lambda text: status.update(f"page: {text}"))
    if as_json:
        print_json(asdict(cost) | {"core_share_of_pages": cost.core_share_of_pages})
        return
    console().print(
        f"{cost.pages} pages, {cost.views} views, {cost.seconds:g} s: "
        f"the server used {cost.core_share:.2%} of a core, {cost.core_share_without:.2%} without a page\n"
        f"a day of a view: {cost.day_ms:.0f} ms, {cost.day_cpu_ms:.0f} ms of it the server's CPU"
    )
