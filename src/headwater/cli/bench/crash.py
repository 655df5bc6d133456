"""`headwater bench crash`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
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
        "crashes": [crash.as_json() for crash in crashes],
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
    numbers = (
        "times", "pushed after s", "checked in s", "lost", "doubled", "not accepted", "wrong errors", "stuck"
    )  # fmt: skip
    print_table(
        f"{len(crashes)} faults, {sum(crash.well for crash in crashes)} well; "
        f"{max((crash.sources.rows for crash in crashes), default=0):,} rows",
        ("fault", *numbers, "views equal"),
        [_line(kind, [crash for crash in crashes if crash.kind == kind]) for kind in kinds],
        right=numbers,
    )
    for kind in skipped:
        print(f"skipped: {kind.kind}: {kind.why}")


def _line(kind: str, crashes: Sequence[Crash]) -> tuple[object, ...]:
    sources = [crash.sources for crash in crashes]
    return (
        kind, len(crashes), _from_to(crash.after_s for crash in crashes),
        _from_to(crash.checked_s for crash in crashes), sum(checked.lost for checked in sources),
        sum(checked.doubled for checked in sources), max(checked.untold for checked in sources),
        max(checked.wrong_errors for checked in sources), sum(crash.stuck for crash in crashes),
        "yes" if all(crash.views_equal for crash in crashes) else "NO",
    )  # fmt: skip


def _from_to(seconds: Iterable[float]) -> str:
    in_order = sorted(seconds)
    return f"{in_order[0]:.0f} to {in_order[-1]:.0f}"
