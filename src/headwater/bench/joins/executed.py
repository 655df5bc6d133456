"""`headwater bench joins --execute`: adapted joins on Spark, offered three times what they may probe.

Real Delta tables, real Spark, the engine's own pushes; only the clock is turned by hand, so that a busy
machine changes nothing but the seconds. Rows of every stream arrive evenly; their keys are drawn at
random. A policy gets a third of the probes that all matches would take. Its results are compared with
those of a run that probes with every row (times what the policy's own allowances are expected to find),
and with the other policies'. At the end every view is verified, and the oldest row of any result, when the
result was made, is compared with the tolerance.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.algebra.stages.adapting import PUSHED, probes
from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.session import session
from headwater.engine.upkeep.verify import verify
from headwater.model import Overload, Project
from headwater.overload.joins.adaptation.allowances import share_of_matches
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.choosing.probes import Probes, probes_since
from headwater.storage.delta.types import arrow_schema
from headwater.storage.timeline import WEIGHT
from headwater.storage.view_rows import count_rows
from headwater.storage.warehouse import Warehouse

__all__ = ["Executed", "run_executed"]

PUSH_EVERY = 5  # seconds of virtual time
WINDOW = 20
TOLERANCE = 30
EVERY_ROW = 1e9  # probes per second
OFFERED = 3.0  # times what may be probed
PLANS = {"three streams": (600, 100, 300), "four streams": (600, 100, 300, 50)}  # rows in a push
KEYS = 300
POLICIES = ("optimal", "grepp", "equal", "equal-best")


@dataclass(frozen=True, slots=True)
class Executed:
    plan: str
    policy: str
    results: int
    exact: int  # with a probe for every row
    expected: float  # by the model, of the exact ones
    stale_results: int
    equal: bool  # verified
    seconds_per_push: float

    @property
    def share(self) -> float:
        return self.results / self.exact if self.exact else 1.0


def run_executed(out: Path, quick: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """All results; also written to `out` as executed.json."""
    out.mkdir(parents=True, exist_ok=True)
    plans = dict(list(PLANS.items())[:1]) if quick else PLANS
    pushes, policies = (3, POLICIES[:2]) if quick else (8, POLICIES)
    executed: list[Executed] = []
    for plan, rates in plans.items():
        say(f"{plan}, every row probes")
        exact = _run(plan, rates, pushes, EVERY_ROW, "optimal", 0)
        executed.append(exact)
        for policy in policies:
            say(f"{plan}, {policy}")
            needed = sum(rates) / PUSH_EVERY
            executed.append(_run(plan, rates, pushes, needed / OFFERED, policy, exact.results))
    results = {"executed": [asdict(result) | {"share": result.share} for result in executed]}
    (out / "executed.json").write_text(json.dumps(results, indent=1))
    return results


def _run(
    plan: str, rates: tuple[int, ...], pushes: int, per_second: float, policy: str, exact: int
) -> Executed:
    with tempfile.TemporaryDirectory(prefix="headwater-joins-") as folder:
        streams = _Streams(Path(folder), rates, Overload(probes_per_second=per_second, join_policy=policy))
        try:
            seconds = [streams.push() for _ in range(pushes)]
            results = streams.results()
            kept = streams.workplace.catalog.kept["joined"]
            equal = verify(streams.workplace, kept).equal
            stale = streams.stale()
            noted = list(probes_since(streams.warehouse, 0))
        finally:
            streams.close()
    name = "every row probes" if per_second == EVERY_ROW else policy
    share = _expected(noted)
    return Executed(plan, name, results, exact or results, share, stale, equal, float(np.mean(seconds[1:])))


def _expected(noted: list[Probes]) -> float:
    """The share of matches that the model expects of the probes that were made."""
    times = sorted({probes.at for probes in noted})
    shares = []
    for at in times:
        push = [probes for probes in noted if probes.at == at]
        arrived = {probes.stream: probes.arrived for probes in push}
        shares.append(share_of_matches(arrived, {probes.stream: probes.probed for probes in push}))
    return float(np.mean(shares))


@dataclass(slots=True)
class _Streams:
    folder: Path
    rates: tuple[int, ...]
    overload: Overload
    clock: ManualClock = field(default_factory=ManualClock)
    chance: Any = field(init=False)
    warehouse: Warehouse = field(init=False)
    workplace: Workplace = field(init=False)
    executor: Any = field(init=False)
    _rows: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        declared = resolve(parse_statements(_ddl(len(self.rates))))
        place = str(self.folder)
        project = Project(
            "streams", place, place, {table.name: table for table in declared.tables},
            {view.name: view for view in declared.views}, {}, {}, overload=self.overload,
        )  # fmt: skip
        spark = session("bench joins", "local[*]", {}, str(self.folder / "spark.log"))
        self.chance = np.random.default_rng(1)
        self.warehouse = Warehouse(place)
        self.workplace = Workplace(spark, self.warehouse, build(project))
        self.executor = spark_executor(self.workplace, self.clock, Records(self.clock))
        for name, table in project.tables.items():
            self.warehouse.source(name).create(arrow_schema(table.columns))

    def push(self) -> float:
        """Let rows arrive for some seconds and push; returns the seconds that the push took."""
        begun = self.clock.now()
        self.clock.advance(timedelta(seconds=PUSH_EVERY))
        for number, rows in enumerate(self.rates):
            self._arrive(f"s{number}", rows, begun)
        self.clock.advance(timedelta(microseconds=1))
        self.executor.watermarks = dict.fromkeys(self.workplace.catalog.project.tables, self.clock.now())
        start = time.perf_counter()
        self.executor.push_now()
        return time.perf_counter() - start

    def _arrive(self, table: str, rows: int, begun: int) -> None:
        numbers = np.arange(self._rows, self._rows + rows)
        self._rows += rows
        times = begun + (np.arange(rows) + 1) * (PUSH_EVERY * 1_000_000 // rows)
        schema = arrow_schema(self.workplace.catalog.project.tables[table].columns)
        columns = {
            "id": pa.array(numbers),
            "k": pa.array(self.chance.integers(0, KEYS, rows)),
            "at": pa.array(times, pa.int64()).cast(schema.field("at").type),
        }
        weights = pa.array(np.ones(rows, np.int64))
        self.warehouse.source(table).append(pa.table({**columns, WEIGHT: weights}), self.clock.now())

    def results(self) -> int:
        timeline = self.workplace.timeline("joined")
        return count_rows(timeline, timeline.as_of(timeline.time()))

    def stale(self) -> int:
        """Results of which a row was older than its tolerance when the last of its rows came."""
        joined, ages, pushed = self.workplace.timeline("joined"), {}, {}
        for number in range(len(self.rates)):
            timeline = self.workplace.timeline(probes("joined", f"s{number}"))
            rows = timeline.read(timeline.as_of(timeline.time()), ["id", "at", PUSHED])
            for row in rows.to_pylist():
                ages[row["id"]], pushed[row["id"]] = row["at"], row[PUSHED]
        names = [f"i{number}" for number in range(len(self.rates))]
        results = joined.read(joined.as_of(joined.time()), names).to_pylist()
        limit = timedelta(seconds=TOLERANCE)
        return sum(
            max(pushed[row[name]] for name in names) > min(ages[row[name]] for name in names) + limit
            for row in results
        )

    def close(self) -> None:
        self.executor.close()


def _ddl(count: int) -> str:
    names = [f"s{number}" for number in range(count)]
    tables = "".join(
        f"CREATE TABLE {name} (id BIGINT PRIMARY KEY, k BIGINT, at TIMESTAMP TEMPORAL);\n" for name in names
    )
    joined = " ".join(
        f"JOIN {name} ON {name}.k = {before}.k" for before, name in zip(names, names[1:], strict=False)
    )
    tolerances = ", ".join(f"{name} = INTERVAL '{TOLERANCE}' SECOND" for name in names)
    listed = ", ".join(f"{name}.id AS i{number}" for number, name in enumerate(names))
    return (
        f"{tables}CREATE MATERIALIZED VIEW joined FRESHNESS = INTERVAL '{PUSH_EVERY}' SECOND"
        f" WINDOW = INTERVAL '{WINDOW}' SECOND TOLERANCE ({tolerances}) ON OVERLOAD ADAPT JOINS"
        f" RETAIN INTERVAL '1' DAY AS SELECT {listed} FROM {names[0]} {joined};"
    )
