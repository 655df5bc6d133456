"""`--gowalla`: real check-ins replayed at a rate, with six views over them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from headwater.api import open as open_project
from headwater.bench.smile.experiments.answers import Answer, Bench, Table
from headwater.bench.smile.experiments.single import numbers, views_table
from headwater.bench.smile.figures.staleness import draw_pushes, draw_staleness
from headwater.bench.smile.measuring.outcome import Setup
from headwater.bench.smile.measuring.run import Load
from headwater.bench.smile.workload.gowalla import Gowalla, check_ins, read_gowalla, write_gowalla_project
from headwater.bench.smile.workload.preload import POSITION

__all__ = ["gowalla"]


def gowalla(bench: Bench) -> Sequence[Answer]:
    """Real check-ins at --rate per second; --preload of them are there before."""
    data = read_gowalla()
    folder = bench.out / "work" / "gowalla"
    preload = min(bench.shape.preload, len(data.uids) // 2)
    _prepare(folder, data, preload, bench.shape.freshness)
    setup = bench.setup(preload=preload, sites=1)
    load = Load(setup.load.phases, setup.load.warm, bench.every, bench.workshop.seed, "gowalla")
    outcome = bench.workshop.run_in(folder, Setup(setup.shape, load, setup.sharing), {}, "gowalla")
    draw_staleness(outcome, bench.out, "gowalla-staleness")
    draw_pushes(outcome, bench.out, name="gowalla-pushes")
    lines = [_renamed(line) for line in numbers(outcome) if line[0] != "first computation"]
    tables = [Table("real check-ins", ("measure", "value", "note"), lines), views_table(outcome)]
    return [Answer("gowalla", tables, outcome.json())]


def _renamed(line: tuple[str, str, str]) -> tuple[str, str, str]:
    """A line about tweets as a line about check-ins; the paper's numbers stay about tweets."""
    measure, value, note = line
    return (
        measure.replace("tweets", "check-ins"),
        value,
        note if "paper" in note else note.replace("tweets", "check-ins"),
    )


def _prepare(folder: Path, data: Gowalla, preload: int, freshness: float) -> None:
    """A project with the oldest check-ins; its views are computed when the run starts."""
    shutil.rmtree(folder, ignore_errors=True)
    write_gowalla_project(folder, freshness)
    project = open_project(str(folder))
    for table, rows in next(iter(check_ins(data, [preload]))).items():
        project.ingest(table, rows)
    (folder / POSITION).write_text(json.dumps({"tweets": preload, "users": 0}))
