"""How the demo ends: staleness against promise, whether every view is right, and how to read the tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.cli.show.output import console, print_json, print_table
from headwater.cli.show.tables import Column
from headwater.errors import shown_folder
from headwater.units import counted, seconds_text

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.engine.upkeep.verify import Verified
    from headwater.serve.reports.period import ViewPeriod

__all__ = ["before_promises", "how_to_read", "report"]


def report(
    project: Headwater,
    folder: Path,
    since: int,
    fed: Mapping[str, int],
    verified: Sequence[Verified],
    seconds: float,
    as_json: bool,
) -> None:
    """Print the outcome; `since` 0 means that the demo was stopped before promises were audited."""
    from headwater.serve.reports.period import periods

    seen = periods(project.catalog, project.warehouse, since) if since else ()
    rows = {view.view: view.rows for view in verified}
    equal = {view.view: view.equal for view in verified}
    paths = {
        name: str(Path(project.warehouse.published(name).path).resolve()) for name in project.catalog.kept
    }
    if as_json:
        print_json(_answer(folder, seen, fed, rows, equal, paths, seconds))
        return
    _print_summary(seen, rows, equal)
    out = console()
    out.print(_verdict(len(project.catalog.kept), equal, fed, seconds))
    broken = sum(view.violations for view in seen)
    if broken:
        out.print(_why_late(broken))
    for view in verified:
        for row, count in [*view.missing[:3], *view.extra[:3]]:
            out.print(f"  {view.view} differs: {count} x {row}", markup=False)
    if verified:
        out.print(how_to_read(folder, paths), markup=False)
    else:
        again = f"headwater run {shown_folder(folder)}"
        out.print(f"Stopped early. The project is in {folder}; {again} continues from here.")


def _answer(
    folder: Path,
    seen: Iterable[ViewPeriod],
    fed: Mapping[str, int],
    rows: Mapping[str, int],
    equal: Mapping[str, bool],
    paths: Mapping[str, str],
    seconds: float,
) -> dict[str, Any]:
    return {
        "project": str(folder),
        "seconds": seconds,
        "changes": dict(fed),
        "views": [
            asdict(view)
            | {
                "rows": rows.get(view.name, view.rows),
                "equal": equal.get(view.name),
                "path": paths[view.name],
            }
            for view in seen
        ],
    }


COLUMNS = (
    Column("view"), Column("freshness", True), Column("worst", True), Column("mean", True, 3),
    Column("rows", True, 2), Column("pushes", True, 4), Column("violations", True, 1),
    Column("CPU s", True, 5), Column("dollars", True, 6), Column("recompute"),
)  # fmt: skip


def _print_summary(seen: Sequence[ViewPeriod], rows: Mapping[str, int], equal: Mapping[str, bool]) -> None:
    if not seen:
        return
    print_table(
        "Staleness against freshness, as audited every 5 s",
        COLUMNS,
        [
            (
                view.name,
                seconds_text(view.freshness_s),
                _stale(view.worst_staleness_s),
                _stale(view.mean_staleness_s),
                f"{rows.get(view.name, view.rows):,}",
                view.pushes,
                view.violations,
                f"{view.cpu_seconds:.1f}",
                f"{view.dollars:.6f}",
                {True: "equal", False: "DIFFERENT", None: "-"}[equal.get(view.name)],
            )
            for view in seen
        ],
    )

    for line in before_promises(seen):
        console().print(line)


def before_promises(seen: Sequence[ViewPeriod]) -> list[str]:
    """Why a view that was staler than its freshness has no violation: its promise had not begun."""
    early = [
        view.name
        for view in seen
        if view.violations == 0 and (view.worst_staleness_s or 0.0) > view.freshness_s
    ]
    return [f"{', '.join(early)}: staler before the promise began, while Spark started."] if early else []


def _stale(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.1f} s"


def _verdict(views: int, equal: Mapping[str, bool], fed: Mapping[str, int], seconds: float) -> str:
    counts = ", ".join(f"{table} {count:,}" for table, count in fed.items() if count)
    wrong = [name for name, same in equal.items() if not same]
    if wrong:
        answer = f"DIFFERENT from a recompute: {', '.join(wrong)}."
    elif len(equal) == views:
        answer = f"All {views} views equal a recompute of their SQL."
    else:
        answer = f"{len(equal)} of {views} views were compared with a recompute."
    return f"{answer} {sum(fed.values()):,} changes fed ({counts or 'none'}). {seconds:.0f} s in all."


def _why_late(broken: int) -> str:
    cores, load = os.cpu_count() or 1, os.getloadavg()[0]
    busy = f"; {load:.1f} processes wanted its {cores} cores at the end" if load > cores else ""
    return (
        f"The audit found {counted(broken, 'violation')}: this machine cannot keep these promises now{busy}."
    )


def how_to_read(folder: Path, paths: Mapping[str, str]) -> str:
    """Where the Delta tables are, and a line for each of four readers; the path is a real one."""
    view = "revenue_by_category" if "revenue_by_category" in paths else next(iter(paths))
    path, typed = paths[view], shown_folder(folder)
    return f"""
Every view is a plain Delta table; for example {view}:
  {path}

  deltalake   from deltalake import DeltaTable, QueryBuilder
              view = DeltaTable("{path}")
              QueryBuilder().register("v", view).execute("SELECT * FROM v").read_all()
  polars      import polars
              polars.read_delta("{path}")
  DuckDB      import duckdb; from deltalake import DeltaTable
              rows = DeltaTable("{path}").to_pyarrow_dataset()
              duckdb.sql("SELECT * FROM rows")
  Spark       spark.read.format("delta").load("{path}")
              (in a Spark that has Delta Lake: the package io.delta:delta-spark of its version)

Next: headwater status {typed};  headwater read {typed} {view};  headwater plan {typed};
      headwater run {typed}   (keeps the views; ingest from another terminal, see {folder}/README.md)"""
