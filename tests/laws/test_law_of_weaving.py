"""The law of weaving: views over shared fragments or finer groups hold what each holds by itself.

Random sets of views of one table or of one join, with and without windows, are woven by random trees, not only good ones, and
pushed by deltas through inserts, updates, deletes and late rows; after every push each view is what its own plan says.
Meanwhile views come and go and are woven into other trees.  (RETAIN has a law of its own, test_law_of_retained_views.py.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from headwater.algebra.delta.extremes import certainly_net, keys_of_losses
from headwater.algebra.expressions.build import aggregate_of
from headwater.algebra.expressions.tree import AggregateCall, Column, Literal, equal
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import ZSet, consolidate
from headwater.algebra.plans.nodes import Aggregate, Filter, Plan, Scan, Union, Windows
from headwater.algebra.stages.families import MEMBER, family_of, shape_of
from headwater.algebra.stages.split import split
from headwater.algebra.stages.stage import Stage
from headwater.algebra.text.show import parse, show
from headwater.algebra.weaving.grouping import Grouping, grouping_of
from headwater.algebra.weaving.shared_parts import parts_plan, stage_kind
from headwater.algebra.weaving.woven import woven
from headwater.planning.weaving.candidates import Candidate
from headwater.planning.weaving.needs import needs_of
from support.cases import scaled
from support.woven_cases import (
    COLUMNS,
    JOINED,
    Database,
    Kept,
    assert_equal,
    groupings_of,
    of_other_lengths,
    random_changes,
    random_names,
    random_row,
    random_trees,
    random_view,
    woven_stages,
)


def random_tables(random: Random) -> dict[str, ZSet]:
    return {
        "events": consolidate((random_row(random), 1) for _ in range(8)),
        "names": random_names(random),
    }


@pytest.mark.parametrize("part", range(5))
def test_the_law(part: int) -> None:
    """500 sets of views."""
    compared = 0
    for seed in range(part * 100, part * 100 + scaled(100)):
        random = Random(seed)
        relation = random.choice(("events", "events", JOINED.name))
        views = {
            f"v{number}": random_view(random, f"v{number}", relation)
            for number in range(random.randint(2, 5))
        }
        kept = Kept([JOINED, *woven_stages(random, views)], random_tables(random))
        inserts_only = random.random() < 0.3
        for push in range(4):
            for name, stage in views.items():
                assert stage.plan is not None
                expected = evaluate(stage.plan, kept.database({}))
                assert_equal(kept.rows[name], expected, f"seed {seed}, {name}, push {push}")
                compared += len(expected)
            if random.random() < 0.2:
                views = {name: stage for name, stage in views.items() if random.random() < 0.7}
                views[f"w{push}"] = random_view(random, f"w{push}", relation)
                kept.take([JOINED, *woven_stages(random, views, f"events{push}")])
            names = random_names(random, kept.rows["names"]) if random.random() < 0.2 else {}
            kept.push(random_changes(random, kept.rows["events"], inserts_only), names)
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
            others = random.sample(members, len(members))
            assert repr(made) == repr(parts_plan([member.grouping for member in others])), (
                "whatever the order"
            )
            tried += at < len(members)
    assert tried > scaled(50)


def test_what_is_stored_without_being_consolidated_cancels_nowhere() -> None:
    """A push writes these terms of a delta as they come: no row of one is a row of another."""
    net, lost = 0, 0

    def watch(plan: Plan, database: Database) -> None:
        nonlocal net, lost
        terms = plan.inputs if isinstance(plan, Union) else ()
        if not any(map(certainly_net, terms)):
            return
        held = [evaluate(term, database) for term in terms]
        for term, rows in zip(terms, held, strict=True):
            if certainly_net(term):
                assert set(rows.values()) <= {1, -1}
                assert not any(rows.keys() & other.keys() for other in held if other is not rows)
                net += len(rows)
        lost += any(evaluate(keys, database) for keys in keys_of_losses(plan))

    for seed in range(scaled(60)):
        random = Random(seed)
        views = {f"v{number}": random_view(random, f"v{number}") for number in range(2)}
        kept = Kept(woven_stages(random, views), random_tables(random), watch)
        for _ in range(2):
            kept.push(random_changes(random, kept.rows["events"], inserts_only=False))
    assert net > scaled(60)
    assert lost > scaled(60) / 10


def over_fragments(members: Sequence[Stage]) -> tuple[list[Stage], tuple[Stage, ...]]:
    """One tree of all, and the members over it."""
    groupings = groupings_of({member.name: member for member in members})
    plan = parts_plan(groupings.values())
    tree = Stage("events~0", stage_kind(plan), plan.columns, plan, ("events",))
    plans = [woven(groupings[member.name], tree.name, plan) for member in members]
    over = (
        replace(member, plan=above, reads=(tree.name,)) for member, above in zip(members, plans, strict=True)
    )
    return [tree], tuple(over)


def test_a_family_holds_what_its_members_hold() -> None:
    """Stages that differ only in the lengths of their windows, kept as one; over a table, and over fragments."""
    compared = 0
    for seed in range(scaled(100)):
        random = Random(seed)
        first = random_view(random, "v0")
        if shape_of(first) is None:
            continue
        members = (first, *(of_other_lengths(random, first, f"v{number}") for number in range(1, 4)))
        assert {shape_of(member) for member in members} == {shape_of(first)}
        below: list[Stage] = []
        if random.random() < 0.5:
            below, members = over_fragments(members)
        family = family_of(members).stage
        assert family.plan is not None
        assert parse(show(family.plan, types=True)) == family.plan
        kept = Kept([*below, *members, family], random_tables(random))
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
