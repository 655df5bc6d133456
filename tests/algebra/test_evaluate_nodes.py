"""The evaluator, node by node: each operator is its definition over rows with weights."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from headwater.algebra.oracle.evaluate import Database, evaluate
from headwater.algebra.oracle.zsets import ZSet, add, negate, zset
from headwater.algebra.plans.nodes import Version
from headwater.algebra.text.show import parse
from headwater.errors import InputError, InternalError

ORDERS: ZSet = {(1, 10, 5): 1, (2, 10, 7): 2, (3, 20, None): 1, (4, None, 1): 1}
CUSTOMERS: ZSet = {(10, "Bern"): 1, (30, "Rome"): 1, (None, "Oslo"): 1}


def database(**more: tuple[tuple[str, ...], ZSet]) -> Database:
    relations = {"o": (("id", "cid", "t"), ORDERS), "c": (("cid", "city"), CUSTOMERS), **more}
    return {(name, Version.NEW): relation for name, relation in relations.items()}


def rows(text: str, **more: tuple[tuple[str, ...], ZSet]) -> ZSet:
    return evaluate(parse(text), database(**more))


SO, SC = "Scan o [id, cid, t]", "Scan c [cid, city]"


def test_a_scan_of_fewer_columns_adds_weights() -> None:
    assert rows("Scan o [cid]") == {(10,): 3, (20,): 1, (None,): 1}


def test_a_filter_keeps_what_is_true_not_what_is_null() -> None:
    assert rows(f"Filter [o.t > 4]\n  {SO}") == {(1, 10, 5): 1, (2, 10, 7): 2}
    assert rows(f"Filter [NOT (o.t > 4)]\n  {SO}") == {(4, None, 1): 1}


def test_weights_multiply_in_a_join_and_null_matches_nothing() -> None:
    joined = rows(
        f"Join [o.cid = c.cid]\n  {SO}\n  {SC}", c=(("cid", "city"), add(CUSTOMERS, {(10, "Bern"): 2}))
    )
    assert joined == {(1, 10, 5, 10, "Bern"): 3, (2, 10, 7, 10, "Bern"): 6}


def test_outer_joins_pad_with_null() -> None:
    left = rows(f"LeftJoin [o.cid = c.cid]\n  {SO}\n  {SC}")
    assert left[(3, 20, None, None, None)] == 1
    assert left[(4, None, 1, None, None)] == 1
    right = rows(f"RightJoin [o.cid = c.cid]\n  {SO}\n  {SC}")
    assert right[(None, None, None, 30, "Rome")] == 1
    assert (3, 20, None, None, None) not in right
    full = rows(f"FullJoin [o.cid = c.cid]\n  {SO}\n  {SC}")
    assert full == {**left, **right}


def test_a_residual_decides_about_partners_not_about_rows() -> None:
    left = rows(f"LeftJoin [o.cid = c.cid] where [o.t > 6]\n  {SO}\n  {SC}")
    assert left[(1, 10, 5, None, None)] == 1
    assert left[(2, 10, 7, 10, "Bern")] == 2


def test_semi_and_anti_split_the_left_side() -> None:
    semi, anti = (rows(f"{kind}Join [o.cid = c.cid]\n  {SO}\n  {SC}") for kind in ("Semi", "Anti"))
    assert semi == {(1, 10, 5): 1, (2, 10, 7): 2}
    assert add(semi, anti) == ORDERS


def test_groups_weigh_their_rows() -> None:
    text = (
        "Aggregate [o.cid] [n = count(1), x = count(o.t), s = sum(o.t), a = avg(o.t), m = max(o.t)]\n  " + SO
    )
    assert rows(text) == {
        (10, 3, 3, 19, 19 / 3, 7): 1,
        (20, 1, 0, None, None, None): 1,
        (None, 1, 1, 1, 1.0, 1): 1,
    }


def test_without_keys_there_is_one_row_even_for_nothing() -> None:
    text = "Aggregate [] [n = count(1), s = sum(o.t), b = bool_and(o.t > 1)]\n  " + SO
    assert rows(text, o=(("id", "cid", "t"), {})) == {(0, None, None): 1}
    assert rows("Distinct [o.cid]\n  " + SO, o=(("id", "cid", "t"), {})) == {}


def test_distinct_and_filter_inside_aggregates() -> None:
    text = "Aggregate [] [d = count(DISTINCT o.cid), s = sum(DISTINCT o.t) FILTER (WHERE o.id < 3)]\n  " + SO
    assert rows(text) == {(2, 12): 1}


def test_variance_needs_two_rows_for_a_sample() -> None:
    text = "Aggregate [o.cid] [v = var_samp(o.t), p = var_pop(o.t), s = stddev_pop(o.t)]\n  " + SO
    found = {row[0]: row[1:] for row in rows(text)}
    assert found[None] == (None, 0.0, 0.0)
    assert found[10] == pytest.approx((4 / 3, 8 / 9, (8 / 9) ** 0.5))


def test_linear_aggregates_take_negative_weights_and_others_refuse_them() -> None:
    plan = parse("Aggregate [o.cid] [n = count(1), s = sum(o.t)]\n  Negate\n    " + SO)
    assert evaluate(plan, database())[(10, -3, -19)] == 1
    with pytest.raises(InternalError, match="negative weight"):
        evaluate(parse("Aggregate [] [m = max(o.t)]\n  Negate\n    " + SO), database())


def test_an_average_of_decimals_is_rounded_half_up_at_four_more_digits() -> None:
    values: ZSet = {(Decimal("1.00"),): 2, (Decimal("0.01"),): 1}
    plan = "Aggregate [] [a = avg(d.x) : decimal(10,2)]\n  Scan d [x]"
    assert rows(plan, d=(("x",), values)) == {(Decimal("0.670000"),): 1}
    third = rows(plan, d=(("x",), {(Decimal("0.01"),): 1, (Decimal("0.00"),): 2}))
    assert third == {(Decimal("0.003333"),): 1}


def test_windows_repeat_a_row_for_each_it_falls_into() -> None:
    start = datetime(2024, 1, 1)
    second = timedelta(seconds=1)
    found = rows(
        "Windows w [e.at] 4 s every 2 s offset 1 s\n  Scan e [at]", e=(("at",), zset([(start,), (None,)]))
    )
    assert found == {
        (start, (start - second, start + 3 * second)): 1,
        (start, (start - 3 * second, start + second)): 1,
    }
    gaps = rows("Windows w [e.at] 1 s every 5 s\n  Scan e [at]", e=(("at",), zset([(start + 3 * second,)])))
    assert gaps == {}


def test_restrict_matches_null_with_null() -> None:
    plan = "Restrict [o.cid]\n  Scan o [id, cid, t]\n  Scan c [cid]"
    assert rows(plan) == {(1, 10, 5): 1, (2, 10, 7): 2, (4, None, 1): 1}
    assert rows("Restrict []\n  Scan o [id]\n  Scan c [cid]", c=(("cid", "city"), {})) == {}
    assert len(rows("Restrict []\n  Scan o [id]\n  Scan c [cid]")) == 4


def test_union_and_negate_add_up_to_nothing() -> None:
    assert rows("Union\n  Scan o [id]\n  Negate\n    Scan o [id]") == {}
    assert negate(negate(ORDERS)) == ORDERS


def test_unknown_relation_and_column_and_function_are_named() -> None:
    with pytest.raises(InputError, match='no relation "orders"'):
        rows("Scan orders [id]")
    with pytest.raises(InputError, match='no column "o.ide"'):
        rows(f"Filter [o.ide = 1]\n  {SO}")
    with pytest.raises(InputError, match='does not know the function "soundex"'):
        rows(f"Project [x = soundex(o.id)]\n  {SO}")
    with pytest.raises(InputError, match='does not know the aggregate "mode"'):
        rows(f"Aggregate [] [x = mode(o.id)]\n  {SO}")
