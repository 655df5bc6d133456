"""The law of weaving: views over shared fragments or finer groups hold what each holds by itself.

Random sets of views of one table, with and without windows, are woven by random trees, not only good ones, and pushed by
deltas through inserts, updates, deletes and late rows; after every push each view is what its own plan says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

import pytest

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.build import aggregate_of
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, Literal, call, conjunction, equal
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import ZSet, add, consolidate
from headwater.algebra.passes import optimize
from headwater.algebra.plans.nodes import Aggregate, Filter, Plan, Scan, Version, Windows
from headwater.algebra.plans.walks import reads, rewrite_up
from headwater.algebra.stages.families import MEMBER, family_of, shape_of
from headwater.algebra.stages.split import split
from headwater.algebra.stages.stage import Stage
from headwater.algebra.text.show import parse, show
from headwater.algebra.weaving.edges import least
from headwater.algebra.weaving.grouping import Grouping, grouping_of
from headwater.algebra.weaving.shared_parts import edges_of, parts_plan, stage_kind
from headwater.algebra.weaving.woven import woven
from headwater.planning.weaving.candidates import Candidate
from headwater.planning.weaving.needs import needs_of
from support.cases import scaled

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


def random_view(random: Random, name: str) -> Stage:
    """The stage of a view: some keys, perhaps windows, filters and aggregates."""
    plan: Plan = Scan("events", "e", COLUMNS)
    conditions: tuple[Expr, ...] = (
        equal(Column("e.k"), Literal("a", "'a'")),
        call("gt", Column("e.g"), Literal(0, "0")),
        call("lt", Column("e.x"), Literal(3, "3")),
    )
    chosen = conjunction(tuple(condition for condition in conditions if random.random() < 0.25))
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
    return split(name, view, view.columns, ("",) * len(view.columns), ("events",)).stages[-1]


def random_trees(random: Random, groupings: Mapping[str, Grouping]) -> list[list[str]]:
    """A partition of the views, any one."""
    trees: list[list[str]] = [[] for _ in range(random.randint(1, len(groupings)))]
    for name in groupings:
        random.choice(trees).append(name)
    return [tree for tree in trees if tree]


def woven_stages(random: Random, views: Mapping[str, Stage]) -> list[Stage]:
    """The stages of the trees, then those of the views over them."""
    groupings: dict[str, Grouping] = {}
    for name, stage in views.items():
        grouping = grouping_of(stage)
        assert isinstance(grouping, Grouping), grouping
        groupings[name] = grouping
    shared, over = [], []
    for number, names in enumerate(random_trees(random, groupings)):
        members = [groupings[name] for name in names]
        extra = [(random.randrange(7) * 500_000, 7_000_000)] if random.random() < 0.2 else []
        plan = parts_plan(members, least([*edges_of(members), *extra]))
        assert parse(show(plan, types=True)) == plan
        shared.append(Stage(f"events~{number}", stage_kind(plan), plan.columns, plan, reads(plan)))
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
    """Rows that come (late ones among them), go, and change; a row may be there twice."""
    changes = [(random_row(random), 1) for _ in range(random.randint(0, 4))]
    for row in () if inserts_only else rows:
        if random.random() < 0.25:
            changes.append((row, -1))
            if random.random() < 0.5:
                changes.append(((*row[:3], *random_row(random)[3:]), 1))
    return consolidate(changes)


class Kept:
    """What the table and the stages hold."""

    def __init__(self, stages: Sequence[Stage], rows: ZSet) -> None:
        self.stages = stages
        self.columns: dict[str, Sequence[str]] = {"events": COLUMNS}
        self.rows: dict[str, ZSet] = {"events": rows}
        for stage in stages:
            self.columns[stage.name] = stage.columns
            assert stage.plan is not None
            self.rows[stage.name] = evaluate(stage.plan, self.database({}))

    def database(self, changes: Mapping[str, ZSet]) -> dict[tuple[str, Version], tuple[Sequence[str], ZSet]]:
        database = {}
        for name, rows in self.rows.items():
            change = changes.get(name, {})
            database[name, Version.OLD] = (self.columns[name], rows)
            database[name, Version.DELTA] = (self.columns[name], change)
            database[name, Version.NEW] = (self.columns[name], add(rows, change))
        return database

    def push(self, change: ZSet) -> None:
        changes = {"events": change} if change else {}
        for stage in self.stages:
            inserts = frozenset(name for name, rows in changes.items() if all(w > 0 for w in rows.values()))
            plan = delta(stage, frozenset(changes), inserts)
            made = {} if plan is None else evaluate(optimize(plan), self.database(changes))
            if made:
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


@pytest.mark.parametrize("part", range(5))
def test_the_law(part: int) -> None:
    """500 sets of views."""
    compared = 0
    for seed in range(part * 100, part * 100 + scaled(100)):
        random = Random(seed)
        views = {f"v{number}": random_view(random, f"v{number}") for number in range(random.randint(2, 5))}
        kept = Kept(woven_stages(random, views), consolidate((random_row(random), 1) for _ in range(8)))
        inserts_only = random.random() < 0.3
        for _ in range(3):
            for name, stage in views.items():
                assert stage.plan is not None
                expected = evaluate(stage.plan, kept.database({}))
                assert_equal(kept.rows[name], expected, f"seed {seed}, {name}")
                compared += len(expected)
            kept.push(random_changes(random, kept.rows["events"], inserts_only))
    assert compared > 1_000 * scaled(100) / 100


def test_trees_that_are_united_need_what_all_their_views_need() -> None:
    """A stage made from the sums of what two trees need is the stage of all their views."""
    random, tried = Random(17), 0
    for _ in range(scaled(200)):
        stages = [random_view(random, f"v{number}") for number in range(random.randint(2, 8))]
        groupings = {
            stage.name: grouping for stage in stages if isinstance(grouping := grouping_of(stage), Grouping)
        }
        for names in random_trees(random, groupings):
            members = [Candidate(name, groupings[name], "default", random.randint(1, 9)) for name in names]
            at = random.randint(1, len(members))
            needs = needs_of(members[:at]) + needs_of(members[at:])
            assert needs == needs_of(members)
            made = parts_plan(needs.groupings.values(), needs.edges)
            assert made == parts_plan([member.grouping for member in members])
            tried += at < len(members)
    assert tried > scaled(50)


def of_other_lengths(random: Random, stage: Stage, name: str) -> Stage:
    """The stage with other windows."""

    def change(node: Plan) -> Plan:
        if not isinstance(node, Windows):
            return node
        size, slide, offset = random_window(random)
        return replace(node, size=size, slide=slide, offset=offset)

    assert stage.plan is not None
    return replace(stage, name=name, plan=rewrite_up(stage.plan, change))


def test_a_family_holds_what_its_members_hold() -> None:
    """Stages that differ only in the lengths of their windows, kept as one."""
    compared = 0
    for seed in range(scaled(100)):
        random = Random(seed)
        first = random_view(random, "v0")
        if shape_of(first) is None:
            continue
        members = (first, *(of_other_lengths(random, first, f"v{number}") for number in range(1, 4)))
        assert {shape_of(member) for member in members} == {shape_of(first)}
        family = family_of(members).stage
        assert family.plan is not None
        assert parse(show(family.plan, types=True)) == family.plan
        kept = Kept([*members, family], consolidate((random_row(random), 1) for _ in range(8)))
        at = family.columns.index(MEMBER)
        for _ in range(4):
            kept.push(random_changes(random, kept.rows["events"], random.random() < 0.3))
            for number, member in enumerate(members):
                rows = {
                    (*row[:at], *row[at + 1 :]): weight
                    for row, weight in kept.rows[family.name].items()
                    if row[at] == number
                }
                assert_equal(rows, kept.rows[member.name], f"seed {seed}, {member.name}")
                assert member.plan is not None
                assert_equal(rows, evaluate(member.plan, kept.database({})), f"seed {seed}, {member.name}")
                compared += len(rows)
    assert compared > 1_000 * scaled(100) / 100


def test_a_view_that_needs_more_than_a_tree_holds_is_not_woven_into_it() -> None:
    """Edges, states, keys and filters: each is looked at."""
    random = Random(1)
    every, fine = (timedelta(seconds=seconds) for seconds in (4, 2))
    scan = Scan("events", "e", COLUMNS)

    def grouping(plan: Plan, keys: Sequence[str], *calls: AggregateCall) -> Grouping:
        view = Aggregate(plan, tuple((key, Column(key if key == "w" else f"e.{key}")) for key in keys), calls)
        read = grouping_of(split("v", view, view.columns, ("",) * len(view.columns), ("events",)).stages[-1])
        assert isinstance(read, Grouping), random
        return read

    count = replace(aggregate_of("count"), name="n")
    most = replace(aggregate_of("max", Column("e.x")), name="most")
    coarse = grouping(Windows(scan, "w", Column("e.at"), every, every), ("w",), count)
    tree = parts_plan([coarse])
    assert woven(coarse, "t", tree) is not None
    filtered = Filter(scan, equal(Column("e.k"), Literal("a", "'a'")))
    for other in (
        grouping(Windows(scan, "w", Column("e.at"), every, fine), ("w",), count),
        grouping(Windows(scan, "w", Column("e.at"), every, every), ("w",), most),
        grouping(Windows(scan, "w", Column("e.at"), every, every), ("w", "k"), count),
        grouping(Windows(filtered, "w", Column("e.at"), every, every), ("w",), count),
    ):
        assert woven(other, "t", tree) is None
        assert woven(coarse, "t", parts_plan([coarse, other])) is not None
    narrow = parts_plan([grouping(Windows(filtered, "w", Column("e.at"), every, every), ("w",), count)])
    assert woven(coarse, "t", narrow) is None, "the tree has filtered away what the view counts"


def test_what_cannot_be_woven_says_why() -> None:
    scan = Scan("events", "e", COLUMNS)
    distinct = replace(aggregate_of("count", Column("e.x"), distinct=True), name="n")
    middle = replace(aggregate_of("percentile", Column("e.x")), name="middle")
    for calls, keys, reason in (
        ((distinct,), ("k",), "DISTINCT count has no partial states"),
        ((middle,), ("k",), "percentile has no partial states"),
        ((replace(aggregate_of("count"), name="n"),), (), "it has one group only"),
    ):
        view = Aggregate(scan, tuple((key, Column(f"e.{key}")) for key in keys), calls)
        stage = split("v", view, view.columns, ("",) * len(view.columns), ("events",)).stages[-1]
        assert grouping_of(stage) == reason
