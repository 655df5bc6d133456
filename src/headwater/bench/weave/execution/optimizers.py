"""All optimizers on one workload: what the paper's model says of their plans, what is counted, what it costs.

model      rate of each tree + fragments that end x groups x overlap, in operations a second
counted    rows that each tree takes in + the windows that each of its fragments is merged into, once;
           a fragment that began before the stream did is left out
Spark      CPU-seconds of a push of the views, kept as they are by a run
DuckDB     CPU-seconds of the same trees by hand (duckdb_limit.py): nothing but trees and views is paid
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from headwater.algebra.plans.nodes import Aggregate
from headwater.algebra.weaving.edges import Edges, edges_in
from headwater.bench.weave.execution.duckdb_limit import DuckLimit
from headwater.bench.weave.execution.quotes import Stream
from headwater.bench.weave.execution.world import World
from headwater.catalog import Catalog
from headwater.model import Weaving
from headwater.planning.weaving.costs import edge_rate
from headwater.planning.windows import Query
from headwater.storage.timeline import WEIGHT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "Ranked",
    "correlations",
    "counted_operations",
    "furthest_off",
    "members_of",
    "model_operations",
    "ranked",
    "ranks_alike",
]

SECOND = 1_000_000
WARM = 2  # pushes that are not counted

Members = Sequence[tuple[Edges, Sequence[Query]]]  # of each tree


@dataclass(frozen=True, slots=True)
class Ranked:
    """Of one optimizer's plan: operations a second, and CPU-seconds of a push."""

    optimizer: str
    trees: int
    model: float
    counted: float
    spark_cpu_seconds: float | None  # None: not run on Spark
    duckdb_cpu_seconds: float


def ranked(
    spark: SparkSession | None,
    folder: str,
    queries: Sequence[Query],
    stream: Stream,
    optimizers: Sequence[str],
    sites: int = 1,
) -> Iterator[Ranked]:
    """Let each optimizer weave the views, run them on Spark (if there is one) and by hand, and count."""
    for optimizer in optimizers:
        world = World(spark, f"{folder}/{optimizer}", queries, stream, Weaving(optimizer, always=True), sites)
        trees = members_of(world.catalog, queries)
        kept = [world.catalog.shared[tree] for tree in world.trees]
        limit = DuckLimit(queries, kept, world.catalog.kept)
        by_hand = [limit.push(batch).cpu_seconds for batch in stream.batches]
        pushes = range(0 if spark is None else len(stream.batches))
        pushed = [world.push(number)[0].cpu_seconds for number in pushes]
        world.close()
        yield Ranked(
            optimizer,
            len(trees),
            model_operations(trees, stream.rate, stream.symbols),
            counted_operations(trees, stream),
            _mean(pushed[WARM:]) if pushed else None,
            _mean(by_hand[WARM:]),
        )


def _mean(costs: Sequence[float]) -> float:
    return sum(costs) / len(costs)


def correlations(plans: Sequence[Ranked]) -> dict[str, float]:
    """How alike the model and what was measured rank the plans; 1 if they rank them the same."""
    model = [plan.model for plan in plans]
    measured = {
        "counted": [plan.counted for plan in plans],
        "spark": [plan.spark_cpu_seconds for plan in plans if plan.spark_cpu_seconds is not None],
        "duckdb": [plan.duckdb_cpu_seconds for plan in plans],
    }
    measured = {name: values for name, values in measured.items() if values}
    return {name: ranks_alike(model, values) for name, values in measured.items()}


def furthest_off(plans: Sequence[Ranked]) -> float:
    """By how much of the model the operations that were counted differ from it, at most."""
    return max(abs(plan.counted / plan.model - 1) for plan in plans)


def members_of(catalog: Catalog, queries: Sequence[Query]) -> Members:
    """The edges and the views of each tree."""
    trees: dict[str, list[Query]] = {}
    for query in queries:
        trees.setdefault(catalog.kept[query.id].stages[-1].reads[0], []).append(query)
    return [(_edges(catalog, tree), members) for tree, members in trees.items()]


def _edges(catalog: Catalog, tree: str) -> Edges:
    plan = catalog.shared[tree].stages[-1].plan
    assert isinstance(plan, Aggregate)
    return next(found for _, key in plan.keys if (found := edges_in(key)))


def model_operations(trees: Members, rate: float, groups: int) -> float:
    """The paper's rate + edge rate x overlap, for every group."""
    return sum(
        rate + groups * edge_rate(edges) * sum(query.overlap for query in members) for edges, members in trees
    )


def counted_operations(trees: Members, stream: Stream) -> float:
    """Rows in, and for every fragment that has rows the windows that it lies in, a second of the stream."""
    come = [batch.filter(pc.greater(batch[WEIGHT], 0)) for batch in stream.batches]
    instants = np.concatenate([batch["quoted_at"].cast(pa.int64()).to_numpy() for batch in come])
    symbols = pa.concat_arrays([batch["symbol"].combine_chunks() for batch in come]).dictionary_encode()
    total = sum(
        len(instants) + sum(int(_windows(query, starts).sum()) for query in members)
        for edges, members in trees
        for starts in (_fragments(instants, symbols.indices.to_numpy(), edges),)
    )
    return float(total / ((instants.max() - instants.min()) / SECOND))


def _fragments(
    instants: npt.NDArray[np.int64], groups: npt.NDArray[np.int32], edges: Edges
) -> npt.NDArray[np.int64]:
    """The start of each fragment, once for each group that has rows in it."""
    starts = np.max([instants - (instants - residue) % modulus for residue, modulus in edges], axis=0)
    found = np.unique(np.stack([starts, groups.astype(np.int64)]), axis=1)[0]
    return np.asarray(found[found >= instants.min()])


def _windows(query: Query, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How many windows of a query each fragment lies in."""
    size, slide = query.range * SECOND, query.slide * SECOND
    return starts // slide - (starts - size) // slide


def ranks_alike(left: Sequence[float], right: Sequence[float]) -> float:
    """Spearman's rank correlation; equal values share their ranks."""
    return float(np.corrcoef(_ranks(left), _ranks(right))[0, 1])


def _ranks(values: Sequence[float]) -> npt.NDArray[np.float64]:
    _, inverse, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse], dtype=np.float64)
