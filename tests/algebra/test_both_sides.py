"""Two terms over the same rows, one that takes back and one that gives, are found among the terms of a union."""

from __future__ import annotations

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.build import column_items
from headwater.algebra.expressions.tree import AggregateCall, Column
from headwater.algebra.plans.both_sides import both_sides
from headwater.algebra.plans.nodes import Aggregate, Filter, Negate, Project, Scan, Union
from headwater.algebra.stages.stage import Stage, StageKind

ROWS = Scan("t", "t", ("k", "goes", "comes"))
GOES, COMES = Filter(ROWS, Column("t.goes")), Filter(ROWS, Column("t.comes"))
ITEMS = column_items(("t.k",))


def test_a_pair_is_one() -> None:
    (pair,), others = both_sides([ROWS, Negate(Project(GOES, ITEMS)), Project(COMES, ITEMS)])
    assert pair.merged == ROWS
    assert (pair.goes, pair.comes) == (Column("t.goes"), Column("t.comes"))
    assert pair.items == (("t.k", Column("t.k"), Column("t.k")),)
    assert others == [ROWS]


def test_terms_that_both_give_or_read_other_rows_stay_apart() -> None:
    other = Project(Filter(Scan("u", "t", ROWS.names), Column("t.comes")), ITEMS)
    for terms in (
        [Project(GOES, ITEMS), Project(COMES, ITEMS)],
        [Negate(Project(GOES, ITEMS)), other],
        [Negate(Project(GOES, ITEMS)), Project(COMES, (("n", Column("t.k")),))],
    ):
        assert both_sides(terms) == ([], terms)


def test_the_delta_of_sums_is_such_a_pair() -> None:
    """So Spark reads what is stored once, and the change once more than for its keys."""
    count = AggregateCall("_n", "count", (), "count(1)")
    plan = Aggregate(ROWS, (("k", Column("t.k")),), (count,))
    stage = Stage("v", StageKind.LINEAR, ("k", "_n"), plan, ("t", "v"))
    change = delta(stage, frozenset({"t"}))
    assert isinstance(change, Union)
    pairs, others = both_sides(change.inputs)
    assert (len(pairs), others) == (1, [])
