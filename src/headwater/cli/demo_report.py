"""How the demo ends: what was promised and seen, whether all is right, and how to read the tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.cli.output import console, print_json, print_table

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.engine.verify import Verified
    from headwater.serve.period import ViewPeriod

__all__ = ["how_to_read", "report"]


def report(
    project: Headwater,
    folder: Path,
    since: int,
    fed: Mapping[str, int],
    verified: Sequence[Verified],
    seconds: float,
    as_json: bool,
) -> None:
    """Say it all; `since` 0 means that the demo was stopped before its promises counted."""
    from headwater.serve.period import periods

    seen = periods(project.catalog, project.warehouse, since) if since else ()
    rows = {one.view: one.rows for one in verified}
    equal = {one.view: one.equal for one in verified}
    paths = {
        name: str(Path(project.warehouse.published(name).path).resolve()) for name in project.catalog.kept
    }
    if as_json:
        print_json(_answer(folder, seen, fed, rows, equal, paths, seconds))
        return
    _print_summary(seen, rows, equal)
    out = console()
    out.print(_verdict(len(project.catalog.kept), equal, fed, seconds))
    broken = sum(one.violations for one in seen)
    if broken:
        out.print(_why_late(broken))
    for one in verified:
        for row, count in [*one.missing[:3], *one.extra[:3]]:
            out.print(f"  {one.view} differs: {count} x {row}", markup=False)
    if verified:
        out.print(how_to_read(folder, paths), markup=False)
    else:
        out.print(f"Stopped early. The project is in {folder}: headwater run {folder} goes on from here.")


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
            asdict(one)
            | {"rows": rows.get(one.name, one.rows), "equal": equal.get(one.name), "path": paths[one.name]}
            for one in seen
        ],
    }


def _print_summary(seen: Sequence[ViewPeriod], rows: Mapping[str, int], equal: Mapping[str, bool]) -> None:
    if not seen:
        return
    numbers = ("promised", "worst", "mean", "rows", "pushes", "violations", "CPU s", "dollars")
    print_table(
        "Staleness against promise, as audited every 5 s",
        ("view", *numbers, "recompute"),
        [
            (
                one.name,
                f"{one.freshness_s:g} s",
                _stale(one.worst_staleness_s),
                _stale(one.mean_staleness_s),
                f"{rows.get(one.name, one.rows):,}",
                one.pushes,
                one.violations,
                f"{one.cpu_seconds:.1f}",
                f"{one.dollars:.6f}",
                {True: "equal", False: "DIFFERENT", None: "-"}[equal.get(one.name)],
            )
            for one in seen
        ],
        right=numbers,
    )


def _stale(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.1f} s"


def _verdict(views: int, equal: Mapping[str, bool], fed: Mapping[str, int], seconds: float) -> str:
    told = ", ".join(f"{table} {count:,}" for table, count in fed.items() if count)
    wrong = [name for name, same in equal.items() if not same]
    if wrong:
        answer = f"DIFFERENT from a recompute: {', '.join(wrong)}."
    elif len(equal) == views:
        answer = f"All {views} views equal a recompute of their SQL."
    else:
        answer = f"{len(equal)} of {views} views were compared with a recompute."
    return f"{answer} {sum(fed.values()):,} changes fed ({told or 'none'}). {seconds:.0f} s in all."


def _why_late(broken: int) -> str:
    cores, load = os.cpu_count() or 1, os.getloadavg()[0]
    busy = f"; {load:.1f} processes wanted its {cores} cores at the end" if load > cores else ""
    return f"The audit saw {broken} violations: this machine could not keep these promises just now{busy}."


def how_to_read(folder: Path, paths: Mapping[str, str]) -> str:
    """Where the Delta tables are, and a line for each of four readers; the path is a real one."""
    view = "revenue_by_category" if "revenue_by_category" in paths else next(iter(paths))
    path = paths[view]
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

Next: headwater status {folder};  headwater read {folder} {view};  headwater plan {folder};
      headwater run {folder}   (keeps the views; ingest from another terminal, see {folder}/README.md)"""
