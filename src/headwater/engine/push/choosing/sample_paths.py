"""Follow some of the rows that came with a push along their paths: how many rows do they become at each join?

The rows are drawn by a hash of their keys among all that came, probing or not; so what is found is what any
row of that stream finds, and a direction without probes is measured as well.  They are joined with the stored
rows in the driver, by DuckDB: a few hundred of them with windows that are there anyway takes a fraction of
what another run of Spark would.  As in the delta, a row meets the inputs before its own as they are now, and
those after it as they were; so over all inputs every match of a push is counted once.

Nothing depends on the numbers but allowances. A condition that DuckDB cannot compute, or windows too large
for the driver, leave a push unmeasured.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot.errors import SqlglotError

from headwater.algebra.expressions.tree import Expr, columns_of, spark_sql
from headwater.algebra.plans.nodes import Filter, Join, Plan, Scan
from headwater.algebra.plans.walks import nodes
from headwater.algebra.stages.adapting import PROBED, PUSHED
from headwater.algebra.stages.stage import Kept, Probing, Stage
from headwater.engine.push.workplace import Workplace
from headwater.errors import InputError
from headwater.model import JoinWindow, SqlText
from headwater.overload.joins.adaptation.learn import PathSample
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.sql.parsing.parser import in_dialect
from headwater.storage.timeline import WEIGHT

__all__ = ["sample_paths"]

SAMPLE = 400  # rows of each stream
MOST = 3_000_000  # stored rows of a stream: more are not read into the driver
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Input:
    """An input: its alias in the plan, its rows as Arrow with columns `alias.name`."""

    alias: str
    probing: Probing
    rows: pa.Table


def sample_paths(
    workplace: Workplace,
    kept: Kept,
    stages: Sequence[Stage],
    plan: JoinPlan,
    until: int,
    size: int = SAMPLE,
    seconds: float = 0.0,
) -> dict[str, PathSample]:
    """By stream; empty if it cannot be measured. `stages`: of the inputs, in the order of FROM.

    `size`: how many rows of each are followed at most; `seconds`: that the push carries.
    """
    joined = kept.stages[-1].plan
    assert joined is not None
    scans = {node.relation: node for node in nodes(joined) if isinstance(node, Scan)}
    if any(workplace.rows(stage.name) > MOST for stage in stages):
        return {}
    conditions = _conditions(joined)
    inputs = [_read(workplace, stage, scans[stage.name], conditions, until) for stage in stages]
    try:
        texts = {condition: _duckdb(condition) for condition in conditions}
        samples = _followed(inputs, texts, plan, until, size)
    except (duckdb.Error, SqlglotError, InputError) as error:
        logger.info("the paths of %s cannot be sampled: %s", kept.view, error)
        return {}
    window = workplace.catalog.project.views[kept.view].window
    assert window is not None
    halfway = _instant(until) - timedelta(seconds=seconds / 2)
    return {
        source.probing.stream: replace(
            samples[source.probing.stream], present=float(_present(source, window, halfway))
        )
        for source in inputs
    }


def _present(source: _Input, window: JoinWindow, at: datetime) -> int:
    """Rows of a stream that were in its window."""
    weights = source.rows[f"{source.alias}.{WEIGHT}"]
    if window.rows is not None:
        return min(window.rows, pc.sum(weights).as_py() or 0)
    times = source.rows[f"{source.alias}.{source.probing.time}"]
    first, last = (pa.scalar(time, times.type) for time in (at - window.length, at))
    return pc.sum(weights.filter(pc.and_(pc.greater(times, first), pc.less_equal(times, last)))).as_py() or 0


def _conditions(plan: Plan) -> list[Expr]:
    """What a match must meet; who came when is another matter."""
    every = [condition for node in nodes(plan) if isinstance(node, Join) for condition in node.conditions]
    every += [node.condition for node in nodes(plan) if isinstance(node, Filter)]
    return [
        condition
        for condition in every
        if not any(name.endswith((f".{PUSHED}", f".{PROBED}")) for name in columns_of(condition))
    ]


def _read(workplace: Workplace, stage: Stage, scan: Scan, conditions: Sequence[Expr], until: int) -> _Input:
    assert stage.probing is not None
    probing, timeline = stage.probing, workplace.timeline(stage.name)
    needed = {name for condition in conditions for name in columns_of(condition)}
    names = [
        name
        for name in stage.columns
        if f"{scan.alias}.{name}" in needed or name in (*probing.key, probing.time, PUSHED, PROBED)
    ]
    oldest = _instant(until) - probing.tolerance
    fresh = pc.field(probing.time) >= pa.scalar(oldest, pa.timestamp("us", "UTC"))
    rows = timeline.read(timeline.as_of(until), names, fresh)
    return _Input(
        scan.alias, probing, rows.rename_columns([f"{scan.alias}.{name}" for name in rows.column_names])
    )


def _followed(
    inputs: Sequence[_Input], conditions: Mapping[Expr, str], plan: JoinPlan, until: int, size: int
) -> dict[str, PathSample]:
    by_letter = dict(zip(plan.streams, range(len(inputs)), strict=True))
    samples: dict[str, PathSample] = {}
    with duckdb.connect(config={"threads": 1}) as database:
        database.execute("SET TimeZone = 'UTC'")
        for number, source in enumerate(inputs):
            database.register(f"i{number}", source.rows)
        for path in plan.paths:
            own = by_letter[path.stream]
            _draw(database, inputs[own], own, until, size)
            joined, after, shown = [own], [], 0.0
            for hop in path.hops:
                joined += [by_letter[letter] for letter in hop.partner]
                rows, shown = _count(database, inputs, conditions, own, joined, until)
                after.append(rows)
            (drawn,) = database.execute("SELECT count(*) FROM sample").fetchone() or (0,)
            samples[inputs[own].probing.stream] = PathSample(int(drawn), tuple(after), shown)
    return samples


def _draw(database: duckdb.DuckDBPyConnection, source: _Input, number: int, until: int, size: int) -> None:
    keys = ", ".join(_quoted(f"{source.alias}.{name}") for name in source.probing.key)
    database.execute(
        f"CREATE OR REPLACE TEMP TABLE sample AS SELECT * FROM i{number}"
        f" WHERE {_pushed(source)} = make_timestamptz({until}) AND {_weight(source)} > 0"
        f" ORDER BY hash({keys}) LIMIT {size}"
    )


def _count(
    database: duckdb.DuckDBPyConnection,
    inputs: Sequence[_Input],
    conditions: Mapping[Expr, str],
    own: int,
    joined: Sequence[int],
    until: int,
) -> tuple[float, float]:
    """Rows that the sample becomes with these inputs, and those of them that come from rows which probed.

    Weights multiply, so rows that went do not count.
    """
    aliases = {inputs[number].alias for number in joined}
    met = [text for condition, text in conditions.items() if _aliases(condition) <= aliases]
    met += [f"{_pushed(inputs[number])} < make_timestamptz({until})" for number in joined if number > own]
    sources = ["sample", *(f"i{number}" for number in joined if number != own)]
    weight = " * ".join(_weight(inputs[number]) for number in joined)
    where = f" WHERE {' AND '.join(f'({text})' for text in met)}" if met else ""
    probed = _quoted(f"{inputs[own].alias}.{PROBED}")
    counts = f"sum({weight}), sum({weight}) FILTER (WHERE {probed})"
    every, shown = database.execute(f"SELECT {counts} FROM {', '.join(sources)}{where}").fetchone() or (0, 0)
    return max(float(every or 0), 0.0), max(float(shown or 0), 0.0)


def _aliases(condition: Expr) -> set[str]:
    return {name.split(".", 1)[0] for name in columns_of(condition)}


def _duckdb(condition: Expr) -> str:
    text = in_dialect(SqlText(f"SELECT {spark_sql(condition)} AS met"), "duckdb")
    return text.removeprefix("SELECT ").removesuffix(" AS met")


def _pushed(source: _Input) -> str:
    return _quoted(f"{source.alias}.{PUSHED}")


def _weight(source: _Input) -> str:
    return _quoted(f"{source.alias}.{WEIGHT}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _instant(time: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time)
