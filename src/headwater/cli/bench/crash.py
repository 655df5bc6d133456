"""`headwater bench crash`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import print_json, print_table, progress_console
from headwater.cli.stopping import clean_up_on_signals

if TYPE_CHECKING:
    from headwater.bench.crash.run import Crash, Skipped

__all__ = ["bench_crash"]


def bench_crash(
    kills: Annotated[int, typer.Option(help="How often something fails.", min=1)] = 30,
    seed: Annotated[int, typer.Option(help="The seed of all choices.")] = 0,
    only: Annotated[
        list[str] | None, typer.Option(help="Only faults of this kind, such as jvm; may be repeated.")
    ] = None,
    out: Annotated[Path, typer.Option(callback=local_folder, help="Where results go.")] = Path(
        "bench-results/crash"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Two faults.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Processes, servers, a disk and the clock fail at random moments; all is checked after each.

    Example: `headwater bench crash --kills 5`
    """
    from headwater.bench.crash.faults import KINDS
    from headwater.bench.crash.run import run

    if unknown := set(only or ()) - set(KINDS):
        raise typer.BadParameter(
            f"{sorted(unknown)[0]!r} is none of {', '.join(dict.fromkeys(KINDS))}", param_hint="--only"
        )
    clean_up_on_signals()
    console = progress_console()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        crashes, skipped = run(
            Path(scratch), 2 if quick else kills, seed, only or (), lambda text: console.print(text)
        )
    answer = {
        "crashes": [asdict(crash) | {"well": crash.well} for crash in crashes],
        "skipped": [asdict(kind) for kind in skipped],
    }
    (out / "crash.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
    else:
        _print(crashes, skipped)
    if not all(crash.well for crash in crashes):
        raise typer.Exit(1)


def _print(crashes: Sequence[Crash], skipped: Sequence[Skipped]) -> None:
    kinds = dict.fromkeys(crash.kind for crash in crashes)
    numbers = ("times", "pushed after s", "lost", "doubled", "not accepted", "wrong errors", "stuck")
    print_table(
        f"{len(crashes)} faults, {sum(crash.well for crash in crashes)} well; "
        f"{max((crash.rows for crash in crashes), default=0):,} rows",
        ("fault", *numbers, "views equal"),
        [_line(kind, [crash for crash in crashes if crash.kind == kind]) for kind in kinds],
        right=numbers,
    )
    for kind in skipped:
        print(f"skipped: {kind.kind}: {kind.why}")


def _line(kind: str, crashes: Sequence[Crash]) -> tuple[object, ...]:
    times = sorted(crash.after_s for crash in crashes)
    return (
        kind, len(crashes), f"{times[0]:.0f} to {times[-1]:.0f}", sum(crash.lost for crash in crashes),
        sum(crash.doubled for crash in crashes), max(crash.untold for crash in crashes),
        max(crash.wrong_errors for crash in crashes), sum(crash.stuck for crash in crashes),
        "yes" if all(crash.views_equal for crash in crashes) else "NO",
    )  # fmt: skip
