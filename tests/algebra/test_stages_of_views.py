"""How plans are cut: stages, their kinds, the states they keep, and the types that come out."""

from __future__ import annotations

import pytest

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.types import average_type, exact_average, sum_state_type, sum_type
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.plans.nodes import Scan, Version
from headwater.algebra.plans.walks import nodes
from headwater.algebra.stages.split import split
from headwater.algebra.stages.stage import Kept, StageKind
from headwater.algebra.stages.states import plain_names
from headwater.algebra.text.show import parse, show


def kept(text: str) -> Kept:
    plan = parse(text)
    return split("v", plan, plan.columns, ("",) * len(plan.columns), ())


AVERAGE = """
Filter [n > 2]
  Project [city, old = a, n]
    Aggregate [city = p.city] [a = avg(p.age) : int, n = count(1), s = sum(p.age) : int, c = count(p.age)]
      Scan p [city, age]
"""


def test_an_aggregate_at_the_root_is_the_view_and_what_is_above_it_the_finish() -> None:
    view = kept(AVERAGE)
    (stage,) = view.stages
    assert (stage.name, stage.kind, stage.reads) == ("v", StageKind.LINEAR, ("p",))
    assert stage.columns == ("city", "_n", "_count1", "_sum1")  # avg, sum and count share their states
    assert show(view.finish).splitlines()[0] == "Filter [n > 2]"
    assert {node.relation for node in nodes(view.finish) if isinstance(node, Scan)} == {"v"}
    assert view.finish.columns == ("city", "old", "n")


def test_an_aggregate_deeper_down_is_a_hidden_stage_and_equal_ones_are_one() -> None:
    inner = "Aggregate [x.cid = o.cid] [x.n = count(1)]\n        Scan o [cid]"
    text = f"Join [x.cid = y.cid]\n  Project [x.cid]\n      {inner}\n  Project [y.cid = x.cid]\n      {inner}"
    view = kept(text)
    assert [(stage.name, stage.kind) for stage in view.stages] == [
        ("v$1", StageKind.LINEAR),
        ("v", StageKind.ROWS),
    ]
    assert view.stages[0].columns == ("cid", "_n")
    assert view.stages[1].reads == ("v$1",)


def test_distinct_over_an_aggregate_is_two_stages() -> None:
    view = kept("Distinct [m]\n  Aggregate [o.cid] [m = max(o.t) : int]\n    Scan o [cid, t]")
    assert [(stage.name, stage.kind.value) for stage in view.stages] == [("v$1", "groups"), ("v", "linear")]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("count(1)", "linear"),
        ("count(o.t)", "linear"),
        ("sum(o.t) : int", "linear"),
        ("sum(o.t) : decimal(38,10)", "linear"),
        ("avg(o.t) : decimal(18,2)", "linear"),
        ("bool_or(o.t)", "linear"),
        ("every(o.t)", "linear"),
        ("count_if(o.t)", "linear"),
        ("sum(o.t) FILTER (WHERE o.t > 1) : bigint", "linear"),
        ("avg(o.t) : decimal(19,2)", "groups"),
        ("sum(o.t) : double", "groups"),
        ("avg(o.t) : float", "groups"),
        ("sum(o.t)", "groups"),
        ("count(DISTINCT o.t)", "groups"),
        ("sum(DISTINCT o.t) : int", "groups"),
        ("max(o.t) : int", "groups"),
        ("var_samp(o.t) : int", "groups"),
        ("percentile(o.t, 0.5D) : int", "groups"),
    ],
)
def test_which_aggregates_are_kept_by_adding(call: str, kind: str) -> None:
    assert kept(f"Aggregate [o.cid] [x = {call}]\n  Scan o [cid, t]").stages[0].kind.value == kind


def test_a_group_stage_keeps_no_row_count_it_does_not_need() -> None:
    """Otherwise every insertion would change the row of a group whose maximum stays."""
    view = kept("Aggregate [o.cid] [m = max(o.t) : int]\n  Scan o [cid, t]")
    assert view.stages[0].columns == ("cid", "m")


@pytest.mark.parametrize(
    ("argument", "state", "total", "average"),
    [
        ("tinyint", "bigint", "bigint", "double"),
        ("int", "bigint", "bigint", "double"),
        ("bigint", "decimal(38,0)", "bigint", "double"),
        ("decimal(10,2)", "decimal(38,2)", "decimal(20,2)", "decimal(14,6)"),
        ("decimal(38,10)", "decimal(38,10)", "decimal(38,10)", "decimal(38,14)"),
        ("decimal(36,36)", "decimal(38,36)", "decimal(38,36)", "decimal(38,38)"),
    ],
)
def test_types_of_sums_and_averages_are_sparks(argument: str, state: str, total: str, average: str) -> None:
    assert (sum_state_type(argument), sum_type(argument), average_type(argument)) == (state, total, average)
    assert exact_average("decimal(18,4)")
    assert not exact_average("decimal(19,4)")


def test_a_sum_may_leave_bigint_while_a_delta_is_merged() -> None:
    largest = 2**63 - 1
    view = kept("Aggregate [] [s = sum(o.t) : bigint]\n  Scan o [t]")
    (stage,) = view.stages
    columns, rows = ("t",), {(largest,): 1}
    old = evaluate(stage.plan, {("o", Version.NEW): (columns, rows)})
    plan = delta(stage, frozenset({"o"}))
    assert plan is not None
    change = evaluate(plan, {
        ("o", Version.DELTA): (columns, {(5,): 1, (largest,): 1, (-largest,): 1}),
        ("v", Version.OLD): (stage.columns, old),
    })  # fmt: skip
    (new,) = (row for row, weight in change.items() if weight == 1)
    assert new == (4, 4, largest + 5)  # _n, _count1, _sum1: more than a bigint holds, exactly


def test_stored_names_are_plain_and_differ_also_without_case() -> None:
    assert plain_names(["o.cid", "c.cid", "Cid", "max(x)", "o.`"]) == ("cid", "cid2", "Cid3", "max_x_", "_")


def test_a_view_may_name_its_columns() -> None:
    plan = parse("Distinct [o.cid]\n  Scan o [cid]")
    view = split("v", plan, ("customer",), ("bigint",), ("o",))
    assert view.finish.columns == view.columns == ("customer",)
    rows = split("v", parse("Scan o [cid]"), ("customer",), ("bigint",), ("o",))
    assert rows.stages[0].columns == ("customer",)
