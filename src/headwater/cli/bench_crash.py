"""`headwater bench crash`."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.arguments import JsonOption
from headwater.cli.output import print_json, print_table, progress_console

__all__ = ["bench_crash"]


def bench_crash(
    kills: Annotated[int, typer.Option(help="How often something is killed.", min=1)] = 30,
    seed: Annotated[int, typer.Option(help="The seed of all choices.")] = 0,
    out: Annotated[Path, typer.Option(help="Where results go.")] = Path("bench-results/crash"),
    quick: Annotated[bool, typer.Option("--quick", help="Two kills.")] = False,
    as_json: JsonOption = False,
) -> None:
    """kill -9 at random moments of a run with two writers; after each, every view and row is checked.

    Example: `headwater bench crash --kills 5`
    """
    from headwater.bench.crash import run

    console = progress_console()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        found = run(Path(scratch), 2 if quick else kills, seed, lambda text: console.print(text))
    answer = [asdict(one) | {"well": one.well} for one in found]
    (out / "crash.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
    else:
        numbers = ("after s", "rows", "lost", "doubled", "not told")
        print_table(
            f"{len(found)} kills, {sum(one.well for one in found)} well",
            ("kill", "victim", *numbers, "views equal"),
            [
                (one.number, one.victim, f"{one.after_s:.1f}", one.rows, one.lost, one.doubled, one.untold,
                 "yes" if one.views_equal else "NO")
                for one in found
            ],
            right=("kill", *numbers),
        )  # fmt: skip
    if not all(one.well for one in found):
        raise typer.Exit(1)
