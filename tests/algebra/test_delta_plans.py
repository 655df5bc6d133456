"""Delta plans as values: shared, small to hash, empty when certain, and cheap when only rows came."""

from __future__ import annotations

import pickle

import pytest

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.tree import Column, call
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import ZSet
from headwater.algebra.passes import optimize
from headwater.algebra.plans.nodes import Filter, JoinKind, OuterJoin, Plan, Project, Restrict, Scan, Version
from headwater.algebra.plans.walks import at, children, nodes, reads, share
from headwater.algebra.stages.split import split
from headwater.algebra.stages.stage import Stage, StageKind
from headwater.algebra.text.show import parse, show
from headwater.errors import InternalError


def stage_of(text: str) -> Stage:
    plan = parse(text)
    return split("v", plan, plan.columns, (), ()).stages[-1]


def deep(levels: int) -> Plan:
    """Outer joins in outer joins: as a tree, its delta has more than 3 ** levels nodes."""
    plan: Plan = Scan("r0", "r0", ("k",))
    for level in range(1, levels):
        right = Scan(f"r{level}", f"r{level}", ("k",))
        keys = ((Column("r0.k"), Column(f"r{level}.k")),)
        plan = OuterJoin(plan, right, JoinKind.FULL, keys)
    return plan


def test_a_deep_delta_is_a_graph_not_a_tree() -> None:
    levels = 24
    plan = delta(deep(levels), frozenset(f"r{level}" for level in range(levels)))
    assert plan is not None
    better = optimize(plan)
    assert len(list(nodes(better))) < 40 * levels
    assert hash(better) == hash(share(better))
    assert len(show(better).splitlines()) < 200 * levels


def test_a_change_used_for_keys_and_values_is_one_object() -> None:
    plan = delta(stage_of("Aggregate [o.cid] [n = count(1)]\n  Scan o [cid]"), frozenset({"o"}))
    assert plan is not None
    changes: list[Plan] = []

    def collect(node: Plan) -> None:
        if isinstance(node, Scan) and node.version is Version.DELTA:
            changes.append(node)
        for child in children(node):
            collect(child)

    collect(plan)
    assert len(changes) > 1
    assert len({id(change) for change in changes}) == 1


def test_no_change_is_none() -> None:
    stage = stage_of("Aggregate [o.cid] [n = count(1)]\n  Scan o [cid]")
    assert delta(stage, frozenset()) is None
    assert delta(stage, frozenset({"elsewhere"})) is None


def test_unchanged_relations_are_read_at_new_only() -> None:
    plan = parse("Join [a.k = b.k]\n  Scan a [k]\n  Scan b [k]")
    change = delta(plan, frozenset({"a"}))
    assert change is not None
    versions = {(n.relation, n.version) for n in nodes(change) if isinstance(n, Scan)}
    assert versions == {("a", Version.DELTA), ("b", Version.NEW)}
    assert at(plan, Version.OLD, frozenset()) is plan


EXTREMES = "Aggregate [o.cid] [m = max(o.t) : int, s = sum(o.t) : int, a = avg(o.t) : int]\n  Scan o [cid, t]"


def test_new_rows_alone_are_merged_without_reading_the_input() -> None:
    stage = stage_of(EXTREMES)
    assert stage.kind is StageKind.GROUPS
    merged = delta(stage, frozenset({"o"}), inserts_only=frozenset({"o"}))
    anew = delta(stage, frozenset({"o"}))
    assert merged is not None
    assert anew is not None
    assert ("o", Version.NEW) in {(n.relation, n.version) for n in nodes(anew) if isinstance(n, Scan)}
    assert {(n.relation, n.version) for n in nodes(merged) if isinstance(n, Scan)} == {
        ("o", Version.DELTA),
        ("v", Version.OLD),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Aggregate [o.cid] [m = max(o.t) : int, d = count(DISTINCT o.t)]\n  Scan o [cid, t]",
        "Aggregate [o.cid] [s = sum(o.t) : double]\n  Scan o [cid, t]",
        "Aggregate [o.cid] [m = max(o.t)]\n  AntiJoin [o.t = c.k]\n    Scan o [cid, t]\n    Scan c [k]",
    ],
)
def test_what_cannot_be_merged_is_read_anew(text: str) -> None:
    changed = frozenset({"o", "c"})
    plan = delta(stage_of(text), changed, inserts_only=changed)
    assert plan is not None
    assert ("o", Version.NEW) in {(n.relation, n.version) for n in nodes(plan) if isinstance(n, Scan)}


def test_an_empty_change_leaves_a_stage_without_keys_alone() -> None:
    for function in ("count(1)", "max(o.t) : int"):
        stage = stage_of(f"Aggregate [] [x = {function}]\n  Scan o [t]")
        plan = delta(stage, frozenset({"o"}))
        assert plan is not None
        nothing: ZSet = {}
        columns = ("t",)
        stored = evaluate(stage.plan, {("o", Version.NEW): (columns, nothing)})
        database = {
            ("o", Version.OLD): (columns, nothing),
            ("o", Version.NEW): (columns, nothing),
            ("o", Version.DELTA): (columns, nothing),
            ("v", Version.OLD): (stage.columns, stored),
        }
        assert evaluate(plan, database) == {}
        assert len(stored) == 1


def test_a_group_that_loses_its_last_row_is_gone() -> None:
    stage = stage_of("Distinct [o.cid]\n  Scan o [cid]")
    plan = delta(stage, frozenset({"o"}))
    assert plan is not None
    database = {
        ("o", Version.DELTA): (("cid",), {(None,): -2, (1,): -1}),
        ("v", Version.OLD): (stage.columns, {(None, 2): 1, (1, 2): 1}),
    }
    assert evaluate(plan, database) == {(None, 2): -1, (1, 2): -1, (1, 1): 1}


def test_a_stage_of_sql_text_has_no_delta() -> None:
    with pytest.raises(InternalError, match="has no delta rule"):
        delta(Stage("v", StageKind.SQL, ("a",), None, ("o",), "SELECT 1"), frozenset({"o"}))


def test_nodes_survive_pickling_and_keep_their_meaning() -> None:
    plan = deep(5)
    hash(plan)
    copy = pickle.loads(pickle.dumps(plan))
    assert copy == plan
    assert hash(copy) == hash(plan)
    assert reads(copy) == tuple(f"r{level}" for level in range(5))


def test_the_driver_names_the_pass_that_breaks_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    import headwater.algebra.passes as passes

    def lose_columns(plan: Plan) -> Plan:
        return Project(plan, ())

    def use_nothing(plan: Plan) -> Plan:
        return Filter(plan, call("is_null", Column("nowhere")))

    for broken, match in (
        (lose_columns, "lose_columns changed the columns"),
        (use_nothing, "use_nothing broke"),
    ):
        monkeypatch.setattr(passes, "PASSES", (broken,))
        with pytest.raises(InternalError, match=match):
            optimize(parse("Scan o [id]"))
        assert optimize(parse("Scan o [id]"), skip={broken.__name__}) == parse("Scan o [id]")


def test_restricts_reach_the_scans_of_a_recomputed_group() -> None:
    text = """
Aggregate [city = c.city] [m = max(o.t) : int]
  Join [o.cid = c.cid]
    Scan o [cid, t]
    Scan c [cid, city]
"""
    plan = delta(stage_of(text), frozenset({"o"}))
    assert plan is not None
    over = {type(n.child).__name__ for n in nodes(optimize(plan)) if isinstance(n, Restrict)}
    assert over == {"Scan"}
