"""Random sets of window and group views over one relation, woven by random trees, and kept by deltas without Spark."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.build import aggregate_of
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, Literal, call, conjunction, equal
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import ZSet, add, consolidate
from headwater.algebra.passes import optimize
from headwater.algebra.plans.nodes import Aggregate, Filter, Join, Plan, Project, Scan, Version, Windows
from headwater.algebra.plans.walks import reads, rewrite_up
from headwater.algebra.stages.split import split
from headwater.algebra.stages.stage import Stage, StageKind
from headwater.algebra.text.show import parse, show
from headwater.algebra.weaving.edges import least
from headwater.algebra.weaving.grouping import Grouping, grouping_of
from headwater.algebra.weaving.shared_parts import edges_of, parts_plan, stage_kind
from headwater.algebra.weaving.woven import woven

__all__ = [
    "COLUMNS", "JOINED", "Database", "Kept", "assert_equal", "groupings_of", "of_other_lengths", "random_changes", "random_names", "random_row",
    "random_trees", "random_view", "woven_stages",
]  # fmt: skip

COLUMNS = ("k", "g", "at", "x", "price", "y", "b")
TYPES = {"x": "int", "price": "decimal(12,4)", "y": "double", "b": "boolean", "k": "string", "g": "int"}
FUNCTIONS = (
    ("count", ""), ("count", "x"), ("sum", "x"), ("sum", "price"), ("sum", "y"), ("avg", "x"), ("avg", "y"),
    ("min", "x"), ("max", "price"), ("min", "y"), ("variance", "y"), ("stddev", "x"), ("count_if", "b"),
    ("bool_and", "b"), ("bool_or", "b"),
)  # fmt: skip
START = datetime(2026, 1, 1, tzinfo=UTC)


def random_window(random: Random) -> tuple[timedelta, ...]:
    """Sizes that are multiples of slides, that are none (paired windows), that are below them; offsets."""
    slide = random.choice((1, 2, 3, 4, 5, 6, 10))
    size = random.choice((slide, slide * random.randint(1, 5), random.randint(1, 25)))
    offset = random.choice((0, 0, random.randint(-slide + 1, slide - 1)))
    return tuple(timedelta(seconds=seconds) for seconds in (size, slide, offset))


def random_aggregate(random: Random, name: str) -> AggregateCall:
    function, column = random.choice(FUNCTIONS)
    arguments = (Column(f"e.{column}"),) if column else ()
    where = None if random.random() < 0.8 else call("gt", Column("e.x"), Literal(0, "0"))
    return replace(aggregate_of(function, *arguments), name=name, type=TYPES.get(column, ""), where=where)


def random_view(random: Random, name: str, relation: str = "events") -> Stage:
    """The stage of a view: some keys, perhaps windows, filters and aggregates."""
    plan: Plan = Scan(relation, "e", COLUMNS)
    conditions: tuple[Expr, ...] = (
        equal(Column("e.k"), Literal("a", "'a'")),
        call("gt", Column("e.g"), Literal(0, "0")),
        call("gt", Column("e.g"), Literal(1, "1")),  # some imply others
        call("lt", Column("e.x"), Literal(3, "3")),
        call("lt", Column("e.x"), Literal(5, "5")),
        call("gte", Column("e.at"), Literal(START, f"TIMESTAMP '{START.isoformat()}'")),
    )
    chosen = conjunction(tuple(condition for condition in conditions if random.random() < 0.15))
    if chosen is not None:
        plan = Filter(plan, chosen)
    keys: list[tuple[str, Expr]] = [(key, Column(f"e.{key}")) for key in ("k", "g") if random.random() < 0.5]
    if random.random() < 0.2:
        keys.append(("sign", call("gt", Column("e.x"), Literal(0, "0"))))
    if random.random() < 0.75 or not keys:
        plan = Windows(plan, "w", Column("e.at"), *random_window(random))
        keys.append(("w", Column("w")))
    random.shuffle(keys)
    calls = tuple(random_aggregate(random, f"a{index}") for index in range(random.randint(1, 3)))
    view = Aggregate(plan, tuple(keys), calls)
    return split(name, view, view.columns, ("",) * len(view.columns), (relation,)).stages[-1]


def random_trees(random: Random, groupings: Mapping[str, Grouping]) -> list[list[str]]:
    """A partition of the views, any one."""
    trees: list[list[str]] = [[] for _ in range(random.randint(1, len(groupings)))]
    for name in groupings:
        random.choice(trees).append(name)
    return [tree for tree in trees if tree]


def groupings_of(views: Mapping[str, Stage]) -> dict[str, Grouping]:
    groupings: dict[str, Grouping] = {}
    for name, stage in views.items():
        grouping = grouping_of(stage)
        assert isinstance(grouping, Grouping), grouping
        groupings[name] = grouping
    return groupings


def woven_stages(random: Random, views: Mapping[str, Stage], prefix: str = "events") -> list[Stage]:
    """The stages of the trees, then those of the views over them."""
    groupings = groupings_of(views)
    shared, over = [], []
    for number, names in enumerate(random_trees(random, groupings)):
        members = [groupings[name] for name in names]
        extra = [(random.randrange(7) * 500_000, 7_000_000)] if random.random() < 0.2 else []
        plan = parts_plan(members, least([*edges_of(members), *extra]))
        assert parse(show(plan, types=True)) == plan
        shared.append(Stage(f"{prefix}~{number}", stage_kind(plan), plan.columns, plan, reads(plan)))
        for name in names:
            above = woven(groupings[name], shared[-1].name, plan)
            assert above is not None
            assert above.columns == views[name].columns
            assert parse(show(above, types=True)) == above
            over.append(replace(views[name], plan=above, reads=reads(above)))
    return [*shared, *over]


def random_row(random: Random) -> tuple[object, ...]:
    at = None if random.random() < 0.05 else START + timedelta(milliseconds=500 * random.randint(-20, 60))

    def maybe(value: object) -> object:
        return None if random.random() < 0.1 else value

    return (
        maybe(random.choice("ab")), maybe(random.randint(0, 2)), at, maybe(random.randint(-3, 5)),
        maybe(Decimal(random.randint(-20, 20)) / 4), maybe(random.randint(-8, 8) / 8),
        maybe(random.random() < 0.5),
    )  # fmt: skip


def random_changes(random: Random, rows: ZSet, inserts_only: bool) -> ZSet:
    """Rows that come (late ones among them), go, change and move to other windows; a row may be there twice."""
    changes = [(random_row(random), 1) for _ in range(random.randint(0, 4))]
    for row in () if inserts_only else rows:
        if random.random() < 0.25:
            changes.append((row, -1))
            stays = random.choice((None, None, 3, 2, 0))  # so many of its first columns stay as they are
            if stays is not None:
                changes.append(((*row[:stays], *random_row(random)[stays:]), 1))
    return consolidate(changes)


def random_names(random: Random, rows: ZSet | None = None) -> ZSet:
    """Changes of the table that JOINED joins: which keys it has, some of them twice."""
    names = consolidate((("ab"[random.randrange(2)], random.randint(0, 1)), 1) for _ in range(2))
    return consolidate([*names.items(), *((row, -weight) for row, weight in (rows or {}).items())])


def _joined() -> Stage:
    """A join that views share, as a stage of its own: columns of the events, one of the table beside them."""
    inputs = Scan("events", "e", COLUMNS), Scan("names", "n", ("k", "g"))
    rows = Join(inputs, (equal(Column("e.k"), Column("n.k")),))
    items = tuple((name, Column("n.g" if name == "g" else f"e.{name}")) for name in COLUMNS)
    plan = Project(rows, items)
    return Stage("joined", StageKind.ROWS, plan.columns, plan, reads(plan))


JOINED = _joined()


Database = dict[tuple[str, Version], tuple[Sequence[str], ZSet]]


class Kept:
    """What the tables and the stages hold."""

    def __init__(
        self,
        stages: Sequence[Stage],
        tables: Mapping[str, ZSet],
        watch: Callable[[Plan, Database], None] = lambda plan, database: None,
    ) -> None:
        self.watch = watch  # told the plan of each change
        self.stages: Sequence[Stage] = ()
        self.columns: dict[str, Sequence[str]] = {"events": COLUMNS, "names": ("k", "g")}
        self.rows: dict[str, ZSet] = dict(tables)
        self.take(stages)

    def take(self, stages: Sequence[Stage]) -> None:
        """Go on with these stages: those that are not there yet are computed, the others keep what they hold."""
        self.stages = stages
        for stage in stages:
            self.columns[stage.name] = stage.columns
            assert stage.plan is not None
            if stage.name not in self.rows:
                self.rows[stage.name] = evaluate(stage.plan, self.database({}))

    def database(self, changes: Mapping[str, ZSet]) -> Database:
        database = {}
        for name, rows in self.rows.items():
            change = changes.get(name, {})
            database[name, Version.OLD] = (self.columns[name], rows)
            database[name, Version.DELTA] = (self.columns[name], change)
            database[name, Version.NEW] = (self.columns[name], add(rows, change))
        return database

    def push(self, change: ZSet, names: ZSet | None = None) -> None:
        changes = {name: rows for name, rows in (("events", change), ("names", names)) if rows}
        for stage in self.stages:
            inserts = frozenset(name for name, rows in changes.items() if all(w > 0 for w in rows.values()))
            plan = delta(stage, frozenset(changes), inserts)
            if plan is None:
                continue
            plan, database = optimize(plan), self.database(changes)
            self.watch(plan, database)
            if made := evaluate(plan, database):
                changes[stage.name] = made
        self.rows = {name: add(rows, changes.get(name, {})) for name, rows in self.rows.items()}


def same(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    return left == right


def assert_equal(held: ZSet, expected: ZSet, view: str) -> None:
    """Rows, and their weights; numbers that are rounded may differ in their last digits."""
    assert len(held) == len(expected), view
    order = sorted(held.items(), key=repr), sorted(expected.items(), key=repr)
    for (row, weight), (wanted, expected_weight) in zip(*order, strict=True):
        assert weight == expected_weight == 1
        assert all(map(same, row, wanted)), f"{view}: {row} is not {wanted}"


def of_other_lengths(random: Random, stage: Stage, name: str) -> Stage:
    """The stage with other windows."""

    def change(node: Plan) -> Plan:
        if not isinstance(node, Windows):
            return node
        size, slide, offset = random_window(random)
        return replace(node, size=size, slide=slide, offset=offset)

    assert stage.plan is not None
    return replace(stage, name=name, plan=rewrite_up(stage.plan, change))
