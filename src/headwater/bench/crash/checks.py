"""What is checked after a fault, without Spark: what sources hold, and what views show.

Every view is compared with its SQL as DuckDB computes it over the sources as of the view's time: row by row,
with copies, and in a second or two.  Views keep what they got wrong, so that Spark's own `verify` need not
follow every fault (run.py).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from headwater.api import Headwater
from headwater.bench.crash.processes import Processes
from headwater.bench.crash.project import CAPTURED
from headwater.bench.crash.writers import BATCH, GENERATION, told
from headwater.errors import HeadwaterError
from headwater.serve.ad_hoc.answer import database_of, rows_as_of
from headwater.serve.ad_hoc.duckdb_relations import quoted
from headwater.sql.parsing.parser import in_dialect
from headwater.storage.zset import consolidate

__all__ = ["Sources", "check_sources", "differing"]

PATIENCE_S = 60.0  # for which the next push of a view is waited for whose sources are further than it
STORED = "stored"


@dataclass(frozen=True, slots=True)
class Sources:
    """`untold`: rows present that no writer saw accepted."""

    lost: int = 0
    doubled: int = 0
    untold: int = 0
    wrong_errors: int = 0
    rows: int = 0

    def __add__(self, other: Sources) -> Sources:
        return Sources(
            self.lost + other.lost, self.doubled + other.doubled, self.untold + other.untold,
            self.wrong_errors + other.wrong_errors, self.rows + other.rows,
        )  # fmt: skip


def check_sources(project: Headwater, processes: Processes, captured: frozenset[int]) -> Sources:
    """Of all tables together; the writers go on meanwhile.

    What is captured from PostgreSQL comes later than it is accepted there; `captured` must have come.
    """
    checked = (_check_source(project, processes, table, captured) for table in processes.targets)
    return sum(checked, Sources())


def _check_source(project: Headwater, processes: Processes, table: str, captured: frozenset[int]) -> Sources:
    log = processes.writer_log(table)
    before = captured if table == CAPTURED else told([log]).accepted
    counts = _counts(project, table)
    after = told([log])
    by_writer = Counter(row_id // GENERATION for row_id in counts if row_id not in after.accepted)
    del by_writer[0]  # what was there before the writers
    missing = sum(counts[row_id] == 0 for row_id in before)
    return Sources(
        lost=missing + sum(count > BATCH for count in by_writer.values()),
        doubled=sum(count > 1 for count in counts.values()),
        untold=sum(by_writer.values()),
        wrong_errors=after.wrong_errors,
        rows=len(counts),
    )


def _counts(project: Headwater, table: str) -> Counter[int]:
    timeline = project.warehouse.source(table)
    changes: pa.Table = consolidate(timeline.read(timeline.as_of(timeline.time()), ["id"]))
    ids, weights = changes.column("id").to_pylist(), changes.column("_weight").to_pylist()
    return Counter(dict(zip(ids, weights, strict=True)))


def differing(project: Headwater) -> list[str]:
    """The views that do not show their SQL over the sources as of their times."""
    return [view for view in project.catalog.kept if _differs(project, view)]


def _differs(project: Headwater, view: str) -> bool:
    """Whether it does; one that is behind what was merged below it is compared after its next push."""
    until = time.monotonic() + PATIENCE_S
    timeline = project.warehouse.stage(project.catalog.folder(view))
    while True:
        at = timeline.time()
        try:
            unlike = _unlike(project, view, at)
        except HeadwaterError:  # a file went while the view moved on
            unlike = 1
        if not unlike:
            return False
        if timeline.time() == at and not (_beyond(project, view, at) and time.monotonic() < until):
            return True
        time.sleep(0.2)


def _beyond(project: Headwater, view: str, at: int) -> bool:
    """Whether what a view reads no longer has its rows as of a time."""
    catalog, warehouse = project.catalog, project.warehouse
    sources = map(warehouse.source, sorted(catalog.sources(view)))
    return any(not source.has_changes_since(at) for source in sources)


def _unlike(project: Headwater, view: str, at: int) -> int:
    """How many rows are missing and extra as of a time."""
    catalog, warehouse = project.catalog, project.warehouse
    relations = {name: rows_as_of(catalog, warehouse, name, at) for name in sorted(catalog.sources(view))}
    relations |= dict(_by_their_sql(project, view))
    relations[STORED] = rows_as_of(catalog, warehouse, view, at)
    expected, stored = f"SELECT * FROM {quoted(view)}", f"SELECT * FROM {quoted(STORED)}"
    unlike = f"({expected} EXCEPT ALL {stored}) UNION ALL ({stored} EXCEPT ALL {expected})"
    with database_of(relations, {warehouse.root, *warehouse.roots.values()}) as database:
        counted = database.execute(f"SELECT count(*) FROM ({unlike})").fetchall()
    return int(counted[0][0])


def _by_their_sql(project: Headwater, view: str) -> Iterator[tuple[str, str]]:
    """A view and those that it reads, each after those below it, with their own SQL."""
    for name in dict.fromkeys([*project.catalog.ancestors(view), view]):
        yield name, in_dialect(project.catalog.project.views[name].sql, "duckdb")
