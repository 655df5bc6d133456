"""The project that the experiments run: nine tables and the views, spread over up to six sites.

    Shape(sites=6, freshness=45 s)    25 views as in Table 1
    Shape(mix=True)                   S1 to S7 within 10 s, S8 to S15 within 40 s, S16 to S25 within 60 s
    Shape(views=40)                   views beyond the 25th are the first ones again, at another site

Everything in the folder is relative to it, so that a filled one can be copied (cache.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headwater.bench.smile.workload.relations import RATIOS, SCHEMAS
from headwater.bench.smile.workload.views import APPS, App

__all__ = ["MIX", "Shape", "freshness_of", "write_project"]

MIX = ((7, 10.0), (15, 40.0), (25, 60.0))  # up to this number, this many seconds


@dataclass(frozen=True, slots=True)
class Shape:
    """What is kept and promised. `numbers` picks sharings of Table 1; `promises` overrides some seconds."""

    freshness: float = 45.0
    mix: bool = False
    sites: int = 6
    views: int = 25
    numbers: tuple[int, ...] = ()
    promises: Mapping[int, float] = field(default_factory=dict)
    preload: int = 200_000
    rate: float = 1_000.0
    driver_memory: str = ""

    @property
    def kept(self) -> tuple[tuple[App, int], ...]:
        """The sharings to keep, each with the number of its copy."""
        apps = [app for app in APPS if not self.numbers or app.number in self.numbers]
        count = min(self.views, len(apps)) if self.numbers else self.views
        return tuple((apps[turn % len(apps)], turn // len(apps)) for turn in range(count))


def freshness_of(shape: Shape, number: int) -> float:
    """The promise for a sharing, in seconds."""
    if number in shape.promises:
        return shape.promises[number]
    if shape.mix:
        return next(seconds for last, seconds in MIX if number <= last)
    return shape.freshness


def write_project(folder: Path, shape: Shape) -> None:
    """Write headwater.yml, tables.sql and views.sql."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "headwater.yml").write_text(_settings(shape), encoding="utf-8")
    (folder / "tables.sql").write_text("\n".join(_tables(shape)), encoding="utf-8")
    (folder / "views.sql").write_text("\n".join(_views(shape)), encoding="utf-8")


def _settings(shape: Shape) -> str:
    lines = ["name: smile", "storage: ./warehouse"]
    if shape.driver_memory:
        lines.append(f"spark: {{config: {{spark.driver.memory: {shape.driver_memory}}}}}")
    if shape.sites > 1:
        lines.append("sites:")
        lines += [f"  m{site}: {{storage: ./m{site}}}" for site in range(1, shape.sites + 1)]
    return "\n".join(lines) + "\n"


def _at(shape: Shape, number: int) -> str:
    return f" AT SITE m{number % shape.sites + 1}" if shape.sites > 1 else ""


def _tables(shape: Shape) -> Iterable[str]:
    for number, (table, columns) in enumerate(SCHEMAS.items()):
        shown = ", ".join(f"{name} {kind} NOT NULL" for name, kind in columns.items())
        rows, rate = round(shape.preload * RATIOS[table]), shape.rate * RATIOS[table]
        counts = {"uid": round(shape.preload * RATIOS["users"]), "tid": shape.preload}
        values = ", ".join(f"{max(1, counts[name])} ({name})" for name in columns if name in counts)
        expected = f"EXPECT ROWS {rows} RATE {rate:.10g} PER SECOND VALUES {values}"
        yield f"CREATE TABLE {table} ({shown})\n  USING api {expected}{_at(shape, number)};"


def _views(shape: Shape) -> Iterable[str]:
    for number, (app, copy) in enumerate(shape.kept):
        name = f"{app.name}_copy{copy}" if copy else app.name
        seconds = freshness_of(shape, app.number)
        yield (
            f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '{seconds:g}' SECOND"
            # A copy is kept at another site than its original.
            f" REFRESH POLICY INCREMENTAL{_at(shape, number + copy)} AS\n  {app.sql};\n"
        )
