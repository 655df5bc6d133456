"""Fill a project: tweets written directly into the sources' timelines, then every view computed once.

It runs as a process of its own (`python -m headwater.bench.smile.workload.preload FOLDER ...`), so that the
measured run neither inherits a heap enlarged by the first computation nor pays for it.

    fill       twenty slices or more, of at most 500,000 tweets, one file per table and slice, before now
    compute    what `headwater run --until-idle` does
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pyarrow as pa
import typer

from headwater.api import Headwater
from headwater.api import open as open_project
from headwater.bench.cpu import measured
from headwater.bench.smile.experiments.options import accepted
from headwater.bench.smile.workload.relations import Position, slices
from headwater.capture.intake.append import open_source
from headwater.storage.timeline import WEIGHT

if TYPE_CHECKING:
    from headwater.engine.run.progress import Progress

__all__ = ["EACH", "compute", "fill", "position_of"]

EACH = 500_000
POSITION = "position.json"
SECOND = 1_000_000
Tell = Callable[[str], None]


def position_of(folder: Path) -> Position:
    """Where the stream of tweets continues."""
    try:
        return Position(**json.loads((folder / POSITION).read_text()))
    except FileNotFoundError:
        return Position()


def fill(project: Headwater, folder: Path, tweets: int, seed: int, tell: Tell) -> None:
    """Write the rows of that many tweets; the changes of a slice have one time, all before now."""
    timelines = {
        name: open_source(project.warehouse, table) for name, table in project.project.tables.items()
    }
    each = max(1, min(EACH, tweets // 20))  # a history: old data can be distinguished from new
    begin = project.clock.now() - (tweets // each + 2) * SECOND
    position = Position()
    for number, part in enumerate(slices(seed, position, tweets, each)):
        for name, rows in part.rows.items():
            weights = pa.repeat(pa.scalar(1, pa.int64()), rows.num_rows)
            timelines[name].append(rows.append_column(WEIGHT, weights), begin + number * SECOND)
        position = part.after
        tell(f"preloaded {position.tweets:,} of {tweets:,} tweets")
    (folder / POSITION).write_text(json.dumps(asdict(position)))


def compute(project: Headwater, sharing: bool, tell: Tell) -> None:
    """Compute every view for the first time."""
    reported_at = time.monotonic()

    def show(progress: Progress) -> None:
        nonlocal reported_at
        if time.monotonic() - reported_at > 5:
            reported_at = time.monotonic()
            done = sum(view.time is not None for view in progress.views)
            tell(f"computed {done} of {len(progress.views)} views")

    run = project.run_until_idle
    run(**accepted(run, show=show, sharing=sharing))


def main(
    folder: Path,
    tweets: Annotated[int, typer.Option()],
    seed: Annotated[int, typer.Option()] = 7,
    sharing: Annotated[bool, typer.Option()] = True,
) -> None:
    """Fill and compute; the last line of standard output is the cost, as JSON."""

    def tell(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    project = open_project(str(folder))
    with measured() as filling:
        fill(project, folder, tweets, seed, tell)
    with measured() as computing:
        compute(project, sharing, tell)
    rows = {name: project.warehouse.source(name).snapshot().rows for name in project.project.tables}
    cost: dict[str, Any] = {"fill": asdict(filling), "compute": asdict(computing), "rows": rows}
    print(json.dumps(cost), flush=True)


if __name__ == "__main__":
    typer.run(main)
