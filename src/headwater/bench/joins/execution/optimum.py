"""What a push could have found at most, had its selectivities been known.

All its rows are followed along their paths, the policy is asked with what they found, and DuckDB counts what
the rows find that it would have let probe.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import duckdb

from headwater.algebra.stages.adapting import PUSHED, probes
from headwater.algebra.stages.stage import StageKind
from headwater.bench.joins.execution.streams import VIEW, Streams
from headwater.bench.joins.execution.workloads import PUSH_EVERY
from headwater.engine.push.choosing.sample_paths import sample_paths
from headwater.overload.joins.adaptation.allowances import allowances
from headwater.overload.joins.adaptation.learn import Learnt, Seen, learn
from headwater.sql.parsing.parser import in_dialect
from headwater.storage.choosing.probes import probes_since
from headwater.storage.timeline import WEIGHT

__all__ = ["optimum"]


def optimum(streams: Streams, probes_per_second: float) -> int:
    """Results of the push that has just ended, with the allowances that are best for what it met."""
    workplace, kept = streams.workplace, streams.workplace.catalog.kept[VIEW]
    window = workplace.catalog.project.views[VIEW].window
    assert window is not None
    at = max(noted.at for noted in probes_since(streams.warehouse, 0))
    arrived = {noted.stream: noted.arrived for noted in probes_since(streams.warehouse, at)}
    stages = [stage for stage in kept.stages if stage.kind is StageKind.PROBES]
    rates = {stream: rows / PUSH_EVERY for stream, rows in arrived.items()}
    tree = Learnt(window.tree).believed(rates, window.seconds)
    samples = sample_paths(workplace, kept, stages, tree, at, sys.maxsize, PUSH_EVERY)
    names = dict(zip(tree.streams, arrived, strict=True))
    seen = Seen(at, PUSH_EVERY, arrived, arrived, samples, limited=False)
    known, _ = learn(Learnt(window.tree), seen, window.seconds, "optimal", names)
    plan = known.believed(rates, window.seconds, seen.present)
    granted = allowances(plan, arrived, PUSH_EVERY, probes_per_second * PUSH_EVERY, "optimal")
    return _found(streams, granted, at)


def _found(streams: Streams, granted: Mapping[str, int], at: int) -> int:
    """By the first rows of each stream, which meet all of those before it and the old of others."""
    view = streams.workplace.catalog.project.views[VIEW]
    text, names = in_dialect(view.sql, "duckdb"), list(streams.workload.columns)
    now, found = f"{PUSHED} = make_timestamptz({at})", 0
    with duckdb.connect(config={"threads": 1}) as database:
        database.execute("SET TimeZone = 'UTC'")
        for name in names:
            timeline = streams.workplace.timeline(probes(VIEW, name))
            database.register(f"all_{name}", timeline.read(timeline.as_of(at)))
            columns = ", ".join(f'"{column}"' for column in timeline.columns().names)
            database.execute(
                f"CREATE TABLE stored_{name} AS SELECT {columns} FROM all_{name}"
                f" GROUP BY {columns} HAVING sum({WEIGHT}) > 0"
            )
        for own, stream in enumerate(names):
            for place, name in enumerate(names):
                if place == own:
                    rows = f'WHERE {now} ORDER BY "at", id LIMIT {granted[stream]}'
                else:
                    rows = "" if place < own else f"WHERE NOT {now}"
                database.execute(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM stored_{name} {rows}")
            (count,) = database.execute(f"SELECT count(*) FROM ({text})").fetchone() or (0,)
            found += int(count)
    return found
