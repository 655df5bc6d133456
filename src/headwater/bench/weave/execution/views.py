"""The views of the bench: count, sum and max by symbol over windows of the paper's second experiment.

At several sites, the optimizer says which views each of them keeps: sites are the paper's nodes.  The quotes
lie at the first one, and are copied to the others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta

from headwater.bench.weave.execution.quotes import Stream
from headwater.bench.weave.workloads import Setting, generate
from headwater.model import Column, Expectation, Project, RefreshPolicy, Site, SqlText, Table, View, Weaving
from headwater.planning.windows import OPTIMIZER_NAMES, CostModel, Node, Query, Workload, plan

__all__ = ["COLUMNS", "placed", "sample", "select", "window_project", "window_views"]

FIRST_SITE = "default"

COLUMNS = (
    Column("id", "bigint"),
    Column("symbol", "string"),
    Column("price", "decimal(12,4)"),
    Column("quoted_at", "timestamp"),
)


def window_views(count: int, seed: int = 0) -> tuple[Query, ...]:
    """Slides up to 25 s, overlap up to 100, Zipf 1."""
    return generate(Setting(count, 1, 100.0, 25, 1, 100, False), seed).queries


def sample(queries: Sequence[Query], count: int) -> tuple[Query, ...]:
    """So many of them, evenly by overlap: on average such a view costs what one of all costs."""
    if count >= len(queries):
        return tuple(queries)
    ordered = sorted(queries, key=lambda query: (query.overlap, query.id))
    return tuple(ordered[int((number + 0.5) * len(ordered) / count)] for number in range(count))


def select(query: Query, table: str = "quotes") -> str:
    window = f"window(quoted_at, '{query.range} seconds', '{query.slide} seconds')"
    return (
        f"SELECT symbol, {window} AS w, count(*) AS n, sum(price) AS total, max(price) AS high"
        f" FROM {table} GROUP BY symbol, {window}"
    )


def placed(queries: Sequence[Query], stream: Stream, optimizer: str, sites: int) -> Mapping[str, str]:
    """The site of each view."""
    nodes = tuple(Node(name) for name in _sites(sites))
    workload = Workload(CostModel(stream.rate / stream.symbols), nodes, tuple(queries))
    return plan(workload, optimizer if optimizer in OPTIMIZER_NAMES else "best").node_of()


def _sites(count: int) -> list[str]:
    return [FIRST_SITE, *(f"site{number}" for number in range(2, count + 1))]


def window_project(
    folder: str, queries: Sequence[Query], stream: Stream, weaving: Weaving, sites: int = 1
) -> Project:
    """A project that keeps the views, in a folder."""
    places = placed(queries, stream, weaving.optimizer, sites)
    expect = Expectation(stream.rows, stream.rate, (("symbol", stream.symbols),))
    views = {
        query.id: View(
            query.id,
            SqlText(select(query)),
            timedelta(seconds=60),
            RefreshPolicy.INCREMENTAL,
            site=places[query.id],
        )
        for query in queries
    }
    own = {
        name: Site(name, folder if name == FIRST_SITE else os.path.join(folder, "sites", name))
        for name in _sites(sites)
    }
    tables = {"quotes": Table("quotes", COLUMNS, expect=expect)}
    return Project("weave", folder, folder, tables, views, {}, own, weaving=weaving)
