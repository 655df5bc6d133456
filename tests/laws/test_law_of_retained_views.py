"""The law of RETAIN: at every time a view holds the rows of its SELECT that are not older than it says.

Random views by windows or by an instant, perhaps woven, are pushed by deltas as rows come and go and time passes;
the expected rows are those of the same SELECT without RETAIN, filtered here, in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random

from headwater.algebra.delta.derive import delta
from headwater.algebra.moments.plans import TIME, bind, time_moves
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import ZSet, add, consolidate
from headwater.algebra.passes import optimize
from headwater.algebra.plans.nodes import Filter, Plan, Scan, Version
from headwater.algebra.plans.walks import reads
from headwater.algebra.stages.stage import Kept, Stage
from headwater.algebra.text.show import parse, show
from headwater.algebra.weaving.ending import oldest_of
from headwater.algebra.weaving.grouping import Grouping, grouping_of
from headwater.algebra.weaving.shared_parts import edges_of, parts_plan, stage_kind
from headwater.algebra.weaving.woven import woven
from headwater.catalog import keep
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from support.cases import scaled

TABLE = "CREATE TABLE events (k STRING, at TIMESTAMP TEMPORAL, x INT);"
COLUMNS = ("k", "at", "x")
START = datetime(2026, 1, 1, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Case:
    """A view, the same without RETAIN, and which of its columns tells how old a row is."""

    kept: Kept
    whole: Kept
    length: timedelta
    column: str


def random_case(random: Random, name: str) -> Case:
    seconds = random.choice((3, 10, 25))
    aggregate = random.choice(("count(*)", "sum(x)", "max(x)", "min(x)", "avg(x)", "count(DISTINCT x)"))
    match random.randrange(4):
        case 0:
            clause, column = " ON last", "last"
            select = f"SELECT k, max(at) AS last, {aggregate} AS a FROM events GROUP BY k"
        case 1:
            clause, column = " ON at", "at"
            select = "SELECT k, at, x FROM events WHERE x > 0"
        case _:
            window = f"window(at, '{random.choice((3, 6, 7))} seconds', '{random.choice((2, 3))} seconds')"
            clause, column = random.choice(("", " ON w", " ON w.end")), "w"
            select = f"SELECT k, {window} AS w, {aggregate} AS a FROM events GROUP BY k, {window}"
    ddl = (
        f"{TABLE} CREATE MATERIALIZED VIEW {name} RETAIN INTERVAL '{seconds}' SECOND{clause} AS {select};"
        f" CREATE MATERIALIZED VIEW whole AS {select};"
    )
    statements = resolve(parse_statements(ddl, "views.sql"))
    relations = {"events": statements.tables[0].columns}
    kept, whole = (keep(view, relations) for view in statements.views)
    return Case(kept, whole, timedelta(seconds=seconds), column)


class Held:
    """What the table and the stages hold, as of a time."""

    def __init__(self, stages: Sequence[Stage], rows: ZSet, now: datetime) -> None:
        self.stages, self.time = stages, micros(now)
        self.columns: dict[str, Sequence[str]] = {"events": COLUMNS}
        self.rows: dict[str, ZSet] = {"events": rows}
        for stage in stages:
            self.columns[stage.name] = stage.columns
            self.rows[stage.name] = self.evaluated(stage.plan)

    def evaluated(self, plan: Plan | None) -> ZSet:
        assert plan is not None
        return evaluate(bind(plan, self.time, self.time), self.database({}))

    def database(self, changes: dict[str, ZSet]) -> dict[tuple[str, Version], tuple[Sequence[str], ZSet]]:
        database = {}
        for name, rows in self.rows.items():
            change = changes.get(name, {})
            database[name, Version.OLD] = (self.columns[name], rows)
            database[name, Version.DELTA] = (self.columns[name], change)
            database[name, Version.NEW] = (self.columns[name], add(rows, change))
        return database

    def push(self, change: ZSet, now: datetime) -> None:
        changes, until = ({"events": change} if change else {}), micros(now)
        for stage in self.stages:
            assert stage.plan is not None
            passed = {TIME} if time_moves(stage.plan, self.time, until) else set()
            inserts = frozenset(name for name, rows in changes.items() if all(w > 0 for w in rows.values()))
            plan = delta(stage, frozenset(changes) | passed, inserts)
            if plan is None:
                continue
            made = evaluate(bind(optimize(plan), self.time, until), self.database(changes))
            changes |= {stage.name: made} if made else {}
        self.rows = {name: add(rows, changes.get(name, {})) for name, rows in self.rows.items()}
        self.time = until


def micros(now: datetime) -> int:
    return (now - EPOCH) // timedelta(microseconds=1)


def stages_of(random: Random, cases: Sequence[Case]) -> list[Stage]:
    """The stages of the views; those that can be are woven together, one time in two."""
    stages = [stage for case in cases for stage in case.kept.stages]
    weave = random.random() < 0.5
    groupings = {
        case.kept.view: grouping
        for case in cases
        if weave and len(case.kept.stages) == 1
        and isinstance(grouping := grouping_of(case.kept.stages[0]), Grouping)
    }  # fmt: skip
    if not groupings:
        return stages
    parts = parts_plan(groupings.values())
    shared = Stage("events~1", stage_kind(parts), parts.columns, parts, reads(parts))
    over = []
    for stage in stages:
        if stage.name in groupings:
            above = woven(groupings[stage.name], shared.name, parts)
            assert above is not None
            stage = replace(stage, plan=above, reads=reads(above))
        over.append(stage)
    return [shared, *over]


def random_rows(random: Random, now: datetime) -> list[tuple[tuple[object, ...], int]]:
    def row() -> tuple[object, ...]:
        at = None if random.random() < 0.1 else now + timedelta(milliseconds=500 * random.randint(-40, 6))
        return random.choice("ab"), at, random.choice((None, 1, 2, 3))

    return [(row(), 1) for _ in range(random.randint(0, 4))]


def whole_rows(case: Case, events: ZSet, now: datetime) -> ZSet:
    """What the view would hold if it retained everything."""
    return Held(case.whole.stages, events, now).evaluated(case.whole.finish)


def young(case: Case, rows: ZSet, now: datetime) -> ZSet:
    """The rows that are young enough; one without an instant has no age."""
    position = case.whole.columns.index(case.column)

    def stays(value: object) -> bool:
        instant = value[1] if isinstance(value, tuple) else value
        assert instant is None or isinstance(instant, datetime)
        return instant is None or instant >= now - case.length

    return {row: weight for row, weight in rows.items() if stays(row[position])}


def test_the_law_of_retained_views() -> None:
    """120 sets of views, each at four times."""
    compared = left = sets_woven = 0
    for seed in range(scaled(120)):
        random, now = Random(seed), START
        cases = [random_case(random, f"v{number}") for number in range(random.randint(1, 3))]
        stages = stages_of(random, cases)
        sets_woven += len(stages) > sum(len(case.kept.stages) for case in cases)
        held = Held(stages, consolidate(random_rows(random, now)), now)
        for _ in range(4):
            for case in cases:
                rows = held.evaluated(case.kept.finish)
                whole = whole_rows(case, held.rows["events"], now)
                assert rows == young(case, whole, now), f"seed {seed}, {case.kept.view}"
                compared += len(rows)
                left += len(whole) - len(rows)
            gone = [(row, -1) for row in held.rows["events"] if random.random() < 0.1]
            now += timedelta(milliseconds=500 * random.randint(0, 12))
            held.push(consolidate([*random_rows(random, now), *gone]), now)
    assert min(compared, left) > 4 * scaled(120)
    assert sets_woven > scaled(120) / 10


def windowed_case(random: Random, name: str) -> Case:
    """A view by windows that retains them for a time."""
    while True:
        case = random_case(random, name)
        if case.column == "w" and isinstance(grouping_of(case.kept.stages[0]), Grouping):
            return case


def test_fragments_end_with_the_last_window_that_needs_them() -> None:
    """60 sets of views that retain their windows, over one tree, as minutes pass; late rows among the new ones."""
    compared = ended = 0
    for seed in range(scaled(60)):
        random, now = Random(seed), START
        cases = [windowed_case(random, f"v{number}") for number in range(random.randint(1, 3))]
        groupings = {case.kept.view: grouping_of(case.kept.stages[0]) for case in cases}
        parts = parts_plan(groupings.values())
        assert parse(show(parts, types=True)) == parts
        shared = Stage("events~1", stage_kind(parts), parts.columns, parts, reads(parts))
        over = [
            replace(stage, plan=above, reads=(shared.name,))
            for case in cases
            for stage in case.kept.stages
            if (above := woven(groupings[stage.name], shared.name, parts)) is not None
        ]
        assert len(over) == len(cases)
        held = Held([shared, *over], consolidate(random_rows(random, now)), now)
        for _ in range(5):
            now += timedelta(seconds=random.choice((5, 20, 55, 70)))
            gone = [(row, -1) for row in held.rows["events"] if random.random() < 0.1]
            held.push(consolidate([*random_rows(random, now), *random_rows(random, START), *gone]), now)
            for case in cases:
                rows = held.evaluated(case.kept.finish)
                whole = whole_rows(case, held.rows["events"], now)
                assert rows == young(case, whole, now), f"seed {seed}, {case.kept.view}"
                compared += len(rows)
            oldest = now - timedelta(
                minutes=3
            )  # a minute for the longest, one for its cut, one for a fragment
            starts = [row[shared.columns.index("fragment")] for row in held.rows[shared.name]]
            assert all(isinstance(start, datetime) and start >= oldest for start in starts), f"seed {seed}"
            ended += sum(1 for row in held.rows["events"] if row[1] is not None and row[1] < oldest)
    assert compared > 3 * scaled(60)
    assert ended > scaled(60)


def test_a_view_that_needs_older_rows_is_not_woven_over_fragments_that_end() -> None:
    """Nor one that retains all its windows, nor one without windows; and a tree of such does not end."""

    def grouping(clause: str, size: int, windows: bool = True) -> Grouping:
        window = f", window(at, '{size} seconds', '2 seconds')" if windows else ""
        select = (
            f"SELECT k{window + ' AS w' if windows else ''}, count(*) AS n FROM events GROUP BY k{window}"
        )
        statements = resolve(
            parse_statements(f"{TABLE} CREATE MATERIALIZED VIEW v {clause} AS {select};", "v.sql")
        )
        found = grouping_of(keep(statements.views[0], {"events": statements.tables[0].columns}).stages[0])
        assert isinstance(found, Grouping)
        return found

    retain = "RETAIN INTERVAL '{}' SECOND".format
    short, long = grouping(retain(50), 6), grouping(retain(50), 12)
    parts = parts_plan([short])
    assert isinstance(parts.child, Filter)
    assert woven(short, "t", parts) is not None
    assert woven(grouping(retain(54), 6), "t", parts) is not None  # in whole minutes
    assert woven(grouping(retain(55), 6), "t", parts) is None
    assert woven(long, "t", parts_plan([short], parts_edges := edges_of([short, long]))) is None
    both = parts_plan([short, long])
    assert [woven(each, "t", both) is not None for each in (short, long)] == [True, True]
    assert parts_plan([short], parts_edges, oldest_of([short, long])) == both
    for other in (grouping("", 6), grouping("", 6, windows=False)):
        assert woven(other, "t", parts) is None
        assert isinstance(parts_plan([short, other]).child, Scan)
        assert woven(short, "t", parts_plan([short, other])) is not None
