"""The 22 queries of TPC-H as views, through refreshes of both kinds, against Spark's recompute of all 22.

A refresh inserts one order in a thousand with its items (RF1) and deletes as many (RF2), then all views are
pushed together.  A recompute runs the 22 texts one after the other over plain rows and writes each result.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.bench.planning.projects import VIEW_FOLDER
from headwater.bench.push import World
from headwater.bench.tpch.data import Sizes, fixed_tables, orders_and_items
from headwater.engine.spark.session import session
from headwater.model import RefreshPolicy
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.timeline import WEIGHT

__all__ = ["Refreshes", "run"]

WARM = 9  # refreshes: the JVM compiles, and AUTO learns what both ways take
QUERIES = 22
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Refreshes:
    """Medians; `modes` says how the views of the last push were pushed."""

    scale: float
    changed_rows: int
    push_cpu_s: float
    push_s: float
    recompute_cpu_s: float
    recompute_s: float
    modes: tuple[str, ...]

    @property
    def ratio(self) -> float:
        return self.recompute_cpu_s / max(self.push_cpu_s, 1e-9)


def run(folder: str, scale: float = 0.1, rounds: int = 3, tell: Tell = lambda text: None) -> Refreshes:
    """Medians of some refreshes, after those that warm up."""
    spark = session("bench", config={"spark.driver.memory": "8g"}, log=os.path.join(folder, "spark.log"))
    declared = resolve(parse_statements((VIEW_FOLDER / "tpch.sql").read_text(encoding="utf-8")))
    names = {f"q{number}" for number in range(1, QUERIES + 1)}
    texts = {view.name: view.sql.text for view in declared.views if view.name in names}
    world = World(spark, os.path.join(folder, "warehouse"), list(declared.tables), texts, RefreshPolicy.AUTO)
    chance, sizes = np.random.default_rng(1), Sizes(scale)
    tell(f"loading {sizes.orders:,} orders and their items")
    orders, items = orders_and_items(sizes, 1, sizes.orders, chance)
    for name, rows in {**fixed_tables(sizes, chance), "orders": orders, "lineitem": items}.items():
        world.load(name, rows)
    tell("the first computation")
    world.push()
    pushes, fulls, changed = [], [], 0
    for turn in range(WARM + rounds):
        tell(f"refresh {turn - WARM + 1} of {rounds}" if turn >= WARM else "a refresh that warms up")
        orders, items, changed = _refresh(world, sizes, orders, items, turn, chance)
        pushes.append(world.push()[0])
        fulls.append(world.recompute())
    return Refreshes(
        scale,
        changed,
        median(cost.cpu_seconds for cost in pushes[WARM:]),
        median(cost.seconds for cost in pushes[WARM:]),
        median(cost.cpu_seconds for cost in fulls[WARM:]),
        median(cost.seconds for cost in fulls[WARM:]),
        tuple(sorted(world.modes)),
    )


def _refresh(
    world: World, sizes: Sizes, orders: pa.Table, items: pa.Table, turn: int, chance: np.random.Generator
) -> tuple[pa.Table, pa.Table, int]:
    """RF1 and RF2; the orders and items that may be deleted next, and how many rows changed."""
    count = max(1, sizes.orders // 1000)
    added = orders_and_items(sizes, sizes.orders + 1 + turn * count, count, chance)
    keys = pa.array(chance.choice(orders["o_orderkey"].to_numpy(), count, replace=False))
    kept, changed = [], 0
    for name, column, rows, new in (
        ("orders", "o_orderkey", orders, added[0]),
        ("lineitem", "l_orderkey", items, added[1]),
    ):
        gone = pc.is_in(rows[column], keys)
        leaving = rows.filter(gone)
        world.change(name, pa.concat_tables([_weighted(new, 1), _weighted(leaving, -1)]))
        kept.append(rows.filter(pc.invert(gone)))
        changed += len(new) + len(leaving)
    return kept[0], kept[1], changed


def _weighted(rows: pa.Table, weight: int) -> pa.Table:
    return rows.append_column(WEIGHT, pa.repeat(pa.scalar(weight, pa.int64()), len(rows)))
