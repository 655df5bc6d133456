"""`headwater bench sql`: for each construct of SQL, a push of a small change against Spark's recompute.

A million facts, a hundred thousand keys; one row in a hundred changes, a third each inserted, updated and
deleted at random.  Views are declared as users declare them, so AUTO takes the recompute where it is cheaper.

Both sides are warm: the rounds that count come after some in which the JVM compiles either side's code and
AUTO learns what both ways take.  A push includes the view's plain table and its commits; Spark's recompute
writes Parquet, and reads the source's files as plain rows, without looking at their weights.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import pyarrow as pa

from headwater.bench.push import World, fact_rows, mixed_changes
from headwater.engine.spark.session import session
from headwater.model import Column, RefreshPolicy, Table

__all__ = ["CONSTRUCTS", "Line", "middle_ratio", "run"]

Tell = Callable[[str], None]

WARM = 9  # rounds: pushes by the delta, then AUTO tries the recompute

CONSTRUCTS: dict[str, str] = {
    "newest of each key": (
        "SELECT * EXCEPT (r) FROM (SELECT id, k, amount, row_number() OVER (PARTITION BY k ORDER BY id "
        "DESC) AS r FROM facts) WHERE r = 1"
    ),
    "three largest of each key": (
        "SELECT id, k, amount FROM facts QUALIFY row_number() OVER (PARTITION BY k ORDER BY amount DESC, "
        "id) <= 3"
    ),
    "rank in a key": "SELECT id, k, rank() OVER (PARTITION BY k ORDER BY amount DESC) AS r FROM facts",
    "running sum": (
        "SELECT id, k, sum(amount) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND "
        "CURRENT ROW) AS s FROM facts"
    ),
    "lag": "SELECT id, amount - lag(amount) OVER (PARTITION BY k ORDER BY id) AS change FROM facts",
    "share of the key": (
        "SELECT id, amount / nullif(sum(amount) OVER (PARTITION BY k), 0) AS share FROM facts"
    ),
    "top 10": "SELECT id, amount FROM facts ORDER BY amount DESC, id LIMIT 10",
    "top 10 keys": "SELECT k, sum(amount) AS s FROM facts GROUP BY k ORDER BY s DESC, k LIMIT 10",
    "above the average of all": (
        "SELECT id, amount FROM facts WHERE amount > (SELECT avg(amount) FROM facts)"
    ),
    "above the average of the key": (
        "SELECT id, amount FROM facts f WHERE amount > (SELECT avg(amount) FROM facts g WHERE g.k = f.k)"
    ),
    "count as a column": "SELECT d.k, (SELECT count(*) FROM facts f WHERE f.k = d.k) AS n FROM dims d",
    "IN below OR": "SELECT id FROM facts WHERE amount = 7 OR k IN (SELECT k FROM dims WHERE region = 3)",
    "NOT IN with NULLs": "SELECT id FROM facts WHERE k NOT IN (SELECT k FROM dims WHERE region < 48)",
    "ROLLUP": (
        "SELECT d.region, d.name, sum(f.amount) AS s FROM facts f JOIN dims d ON d.k = f.k GROUP BY "
        "ROLLUP (d.region, d.name)"
    ),
    "LATERAL, the largest": (
        "SELECT d.k, l.amount FROM dims d, LATERAL (SELECT amount FROM facts f WHERE f.k = d.k ORDER BY "
        "amount DESC, id LIMIT 1) l"
    ),
    "explode": "SELECT id, x FROM facts LATERAL VIEW explode(split(note, ' ')) AS x",
    "EXCEPT ALL": "SELECT k FROM facts EXCEPT ALL SELECT k FROM dims",
    "PIVOT": (
        "SELECT k, low, high FROM (SELECT k, amount % 2 AS half, amount FROM facts) PIVOT (sum(amount) "
        "FOR half IN (0 AS low, 1 AS high))"
    ),
}


@dataclass(frozen=True, slots=True)
class Line:
    """What a construct's push and recompute took; `mode` is how AUTO pushed."""

    construct: str
    mode: str
    push_cpu_s: float
    push_s: float
    recompute_cpu_s: float
    recompute_s: float

    @property
    def ratio(self) -> float:
        return self.recompute_cpu_s / max(self.push_cpu_s, 1e-9)


def middle_ratio(lines: Sequence[Line]) -> float:
    return median(line.ratio for line in lines)


def run(
    folder: str,
    facts: int = 1_000_000,
    constructs: Sequence[str] = tuple(CONSTRUCTS),
    rounds: int = 5,
    tell: Tell = lambda text: None,
) -> list[Line]:
    spark = session("bench", config={"spark.driver.memory": "8g"}, log=os.path.join(folder, "spark.log"))
    lines = []
    for number, name in enumerate(constructs, start=1):
        tell(f"{number} of {len(constructs)}: {name}")
        world = _world(spark, os.path.join(folder, "warehouse"), facts, CONSTRUCTS[name])
        lines.append(_line(name, world, facts, rounds))
    return lines


def _world(spark: object, folder: str, facts: int, sql: str) -> World:
    dimensions = max(10, facts // 10)
    tables = [
        Table(
            "facts",
            (
                Column("id", "bigint"),
                Column("k", "bigint"),
                Column("amount", "bigint"),
                Column("note", "string"),
            ),
            key=("id",),
        ),
        Table("dims", (Column("k", "bigint"), Column("name", "string"), Column("region", "int")), key=("k",)),
    ]
    world = World(spark, folder, tables, sql, RefreshPolicy.AUTO)  # type: ignore[arg-type]
    world.load("facts", fact_rows(np.arange(facts), dimensions, np.random.default_rng(1)))
    keys = np.arange(dimensions)
    names = pa.array(np.char.add("name-", (keys % 1000).astype("U8")))
    world.load("dims", pa.table({"k": keys, "name": names, "region": (keys % 50).astype("int32")}))
    return world


def _line(name: str, world: World, facts: int, rounds: int) -> Line:
    """Medians of some rounds, after those that warm up."""
    chance = np.random.default_rng(2)
    world.push()
    pushes, fulls, modes = [], [], {"incremental"}
    for taken in range(WARM + rounds):
        world.change("facts", mixed_changes(facts // 100, facts, max(10, facts // 10), chance, taken))
        pushes.append(world.push()[0])
        modes = world.modes
        fulls.append(world.recompute())
    pushed, full = (
        (median(cost.cpu_seconds for cost in costs[WARM:]), median(cost.seconds for cost in costs[WARM:]))
        for costs in (pushes, fulls)
    )
    return Line(name, ", ".join(sorted(modes)), *pushed, *full)
