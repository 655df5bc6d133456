"""The project that the experiments keep: nine tables and the views, spread over up to six sites.

    Shape(sites=6, freshness=45 s)    25 views as in Table 1
    Shape(mix=True)                   S1 to S7 within 10 s, S8 to S15 within 40 s, S16 to S25 within 60 s
    Shape(views=40)                   views beyond the 25th are the first ones again, at another site

Everything in the folder is relative to it, so that a filled one can be copied (cache.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headwater.bench.smile.views import APPS, App
from headwater.bench.smile.workload import RATIOS, SCHEMAS

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
        """The sharings and which copy of it each is."""
        chosen = [one for one in APPS if not self.numbers or one.number in self.numbers]
        count = min(self.views, len(chosen)) if self.numbers else self.views
        return tuple((chosen[turn % len(chosen)], turn // len(chosen)) for turn in range(count))


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


def _at(shape: Shape, place: int) -> str:
    return f" AT SITE m{place % shape.sites + 1}" if shape.sites > 1 else ""


def _tables(shape: Shape) -> Iterable[str]:
    for place, (table, columns) in enumerate(SCHEMAS.items()):
        shown = ", ".join(f"{name} {kind} NOT NULL" for name, kind in columns.items())
        rows, rate = round(shape.preload * RATIOS[table]), shape.rate * RATIOS[table]
        counts = {"uid": round(shape.preload * RATIOS["users"]), "tid": shape.preload}
        values = ", ".join(f"{max(1, counts[one])} ({one})" for one in columns if one in counts)
        expected = f"EXPECT ROWS {rows} RATE {rate:.10g} PER SECOND VALUES {values}"
        yield f"CREATE TABLE {table} ({shown})\n  USING api {expected}{_at(shape, place)};"


def _views(shape: Shape) -> Iterable[str]:
    for place, (one, copy) in enumerate(shape.kept):
        name = f"{one.name}_copy{copy}" if copy else one.name
        seconds = freshness_of(shape, one.number)
        yield (
            f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '{seconds:g}' SECOND"
            # A copy stands at another site than its original.
            f" REFRESH POLICY INCREMENTAL{_at(shape, place + copy)} AS\n  {one.sql};\n"
        )
