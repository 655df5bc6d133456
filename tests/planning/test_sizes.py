"""How large a relation of a plan is said to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call, equal
from headwater.planning.facts.facts import DEFAULT_RATE, DEFAULT_ROWS, Facts
from headwater.planning.facts.situation import Situation
from headwater.planning.facts.sizes import input_size, passing, size_of
from headwater.planning.graph.graph import Vertex
from headwater.planning.relations.parts import part
from headwater.planning.relations.relations import Input, Relation, Sharing
from support.cases import law
from support.planning import table1

X = Column("r.x")
ONE = Literal(1, "1")


def rows(names: str, **facts: Facts) -> float:
    return size_of(table1.joined(names.split()), {**table1.facts(), **facts}, {}).rows


def test_the_worked_example() -> None:
    size = size_of(table1.joined(["tweets", "users"]), table1.facts(), {})
    assert size.rows == pytest.approx(7e6)
    assert size.rate == pytest.approx(2000.0)
    assert size.bytes_per_row == 120.0
    assert size.gigabytes == pytest.approx(0.84)


def test_joins_on_a_key_have_as_many_rows_as_the_other_side() -> None:
    assert rows("users socnet") == pytest.approx(0.25 * 7e6)
    assert rows("tweets urls") == pytest.approx(0.2 * 7e6)
    assert rows("tweets urls users") == pytest.approx(0.2 * 7e6)


def test_a_class_of_three_is_joined_on_all_its_columns() -> None:
    assert rows("urls curloc") == pytest.approx(0.2 * 0.1 * 7e6)
    assert rows("tweets urls curloc") == pytest.approx(0.2 * 0.1 * 7e6)
    assert rows("urls curloc photos") == pytest.approx(0.2 * 0.1 * 0.05 * 7e6)


def test_an_unknown_number_of_values_is_that_of_the_key() -> None:
    facts = {"a": Facts(1e6, 1.0), "b": Facts(1e3, 1.0, keys=(("k",),)), "c": Facts(1e4, 1.0)}
    two = Relation((Input("a", "a"), Input("b", "b")), (("a.k", "b.k"),))
    assert size_of(two, facts, {}).rows == pytest.approx(1e6)
    unknown = Relation((Input("a", "a"), Input("c", "c")), (("a.k", "c.k"),))
    assert size_of(unknown, facts, {}).rows == pytest.approx(1e6)  # as many as the larger: joins follow a key


def test_a_cross_product_multiplies() -> None:
    facts = {"a": Facts(100.0, 1.0), "b": Facts(20.0, 3.0)}
    size = size_of(Relation((Input("a", "a"), Input("b", "b"))), facts, {})
    assert size.rows == 2000.0
    assert size.rate == 1.0 * 20 + 3.0 * 100


def test_what_is_not_known_has_the_defaults() -> None:
    size = size_of(Relation((Input("nobody", "nobody"),)), {}, {})
    assert (size.rows, size.rate) == (DEFAULT_ROWS, DEFAULT_RATE)


def test_what_was_measured_replaces_the_formula_for_that_relation() -> None:
    two, three = table1.joined(["tweets", "users"]), table1.joined(["tweets", "users", "urls"])
    measured = {two: Facts(123.0, 4.0, bytes_per_row=7.0)}
    size = size_of(two, table1.facts(), measured)
    assert (size.rows, size.rate, size.bytes_per_row) == (123.0, 4.0, 7.0)
    assert size_of(three, table1.facts(), measured) == size_of(three, table1.facts(), {})


def test_an_empty_table_that_changes_still_changes_what_is_made_of_it() -> None:
    facts = {"a": Facts(0.0, 10.0, keys=(("k",),)), "b": Facts(0.0, 5.0)}
    assert size_of(Relation((Input("a", "a"), Input("b", "b")), (("a.k", "b.k"),)), facts, {}).rate > 0


@pytest.mark.parametrize(
    ("condition", "share"),
    [
        (equal(X, ONE), 0.1),
        (call("neq", X, ONE), 0.9),
        (call("gt", X, ONE), 1 / 3),
        (call("and", equal(X, ONE), call("gt", X, ONE)), 1 / 30),
        (call("or", equal(X, ONE), equal(X, ONE)), 0.19),
        (call("not", equal(X, ONE)), 0.9),
        (call("is_null", X), 0.05),
        (Call("like", (X, Literal("a%", "'a%'")), "({0} LIKE {1})"), 0.25),
        (Call("in", (X, ONE, ONE, ONE), "({0} IN ({1}, {2}, {3}))"), 0.3),
        (call("starts_with", X, ONE), 0.5),
        (Literal(True, "TRUE"), 1.0),
        (Literal(False, "FALSE"), 0.0),
    ],
)
def test_the_share_that_passes_a_condition(condition: Expr, share: float) -> None:
    assert passing(condition, {}) == pytest.approx(share)


def test_counted_values_make_equality_sharper() -> None:
    assert passing(equal(X, ONE), {"r.x": 400.0}) == 1 / 400
    facts = {"r": Facts(8000.0, 40.0, distinct={"x": 400.0}, keys=(("id",),))}
    size = input_size(Input("r", "r", (equal(X, ONE),)), facts)
    assert (size.rows, size.rate) == (20.0, 0.1)
    second = input_size(Input("r#2", "r", (equal(Column("r#2.id"), ONE),)), facts)
    assert second.rows == 1.0


def test_filters_make_a_join_smaller_in_proportion() -> None:
    whole = table1.joined(["tweets", "users"])
    few = Relation(
        (Input("tweets", "tweets", (call("gt", Column("tweets.tid"), ONE),)), whole.inputs[1]), whole.equal
    )
    facts = table1.facts()
    assert size_of(few, facts, {}).rows == pytest.approx(size_of(whole, facts, {}).rows / 3)
    assert size_of(few, facts, {}).rate == pytest.approx(size_of(whole, facts, {}).rate / 3)


def test_a_view_is_as_its_own_facts_say_else_as_its_core() -> None:
    sharing = Sharing("V", table1.joined(["tweets", "users"]), tail="aggregate")
    size = size_of(sharing.result, table1.facts(), {})
    assert (size.rows, size.rate) == (pytest.approx(7e6), pytest.approx(4000.0))
    stated = {**table1.facts(), "V": Facts(50.0, 9.0)}
    assert (size_of(sharing.result, stated, {}).rows, size_of(sharing.result, stated, {}).rate) == (50.0, 9.0)


@law(60)
@given(st.sampled_from(table1.TABLE_1), st.floats(1.0, 1e4), st.data())
def test_halves_add_up_to_the_whole(names: str, rate: float, data: st.DataObject) -> None:
    """What the delta of a part causes, and what that of the rest causes, is what the whole changes by."""
    situation = Situation(facts=table1.facts(rate))
    sharing = Sharing("V", table1.joined(names.split()))
    name = data.draw(st.sampled_from(sorted(sharing.core.names)))
    sides = part(sharing.core, frozenset((name,))), part(sharing.core, sharing.core.names - {name})
    halves = (Vertex(sharing.core, "m1", True, driven) for driven in sides)
    total = sum(situation.vertex_size(half).rate for half in halves)
    assert total == pytest.approx(situation.size(sharing.core).rate)
