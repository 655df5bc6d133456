"""Walking plans: children, rewriting from the leaves up, and reading a plan at another version.

A delta plan is a graph: the same sub-plan stands in many places, as the identical value.  Every walk here
remembers what it has done for a node, so its cost is linear in the distinct nodes, and what was shared
before a rewrite is shared after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter, is_
from typing import Any, assert_never

from headwater.algebra.expressions.tree import Column, Expr
from headwater.algebra.plans.nodes import (
    Aggregate,
    Explode,
    Filter,
    Join,
    Negate,
    OuterJoin,
    Over,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Version,
    Windows,
)

__all__ = ["at", "children", "nodes", "pick", "reads", "rewrite_up", "scan_rows", "share", "with_children"]


def _inputs(node: Plan) -> Callable[[Any], tuple[Plan, ...]]:
    """How the inputs of nodes of this kind are read."""
    match node:
        case Scan():
            return lambda _: ()
        case Filter() | Project() | Windows() | Aggregate() | Over() | Explode() | Negate():
            return lambda node: (node.child,)
        case Join() | Union():
            return attrgetter("inputs")
        case OuterJoin() | SemiJoin():
            return attrgetter("left", "right")
        case Restrict():
            return attrgetter("child", "by")
        case _:
            assert_never(node)


_INPUTS: dict[type[Plan], Callable[[Any], tuple[Plan, ...]]] = {}  # walks ask for little else


def children(node: Plan) -> tuple[Plan, ...]:
    """The inputs of a node, in order; the `by` of a Restrict comes last."""
    inputs = _INPUTS.get(type(node))
    if inputs is None:
        inputs = _INPUTS[type(node)] = _inputs(node)
    return inputs(node)


def with_children(node: Plan, inputs: Sequence[Plan]) -> Plan:
    """The node over other inputs; the node itself when they are the ones it has."""
    if all(map(is_, inputs, children(node))):
        return node
    match node:
        case Scan():
            return node
        case Filter() | Project() | Windows() | Aggregate() | Over() | Explode() | Negate():
            return replace(node, child=inputs[0])
        case Join() | Union():
            return replace(node, inputs=tuple(inputs))
        case OuterJoin() | SemiJoin():
            return replace(node, left=inputs[0], right=inputs[1])
        case Restrict():
            return replace(node, child=inputs[0], by=inputs[1])
        case _:
            assert_never(node)


def rewrite_up(plan: Plan, step: Callable[[Plan], Plan]) -> Plan:
    """Rewrite every node once its inputs are rewritten; equal nodes are rewritten once."""
    done: dict[Plan, Plan] = {}

    def visit(node: Plan) -> Plan:
        rewritten = done.get(node)
        if rewritten is None:
            inputs = children(node)
            over = with_children(node, [visit(child) for child in inputs]) if inputs else node
            rewritten = done[node] = step(over)
        return rewritten

    return visit(plan)


def share(plan: Plan) -> Plan:
    """The same plan in which equal sub-plans are the identical object, so comparing them costs nothing."""
    seen: dict[Plan, Plan] = {}
    return rewrite_up(plan, lambda node: seen.setdefault(node, node))


def nodes(plan: Plan, seen: set[Plan] | None = None) -> Iterator[Plan]:
    """Every distinct node once, inputs before the nodes that use them; those `seen` before are left out."""
    met = set() if seen is None else seen

    def visit(node: Plan) -> Iterator[Plan]:
        if node in met:
            return
        met.add(node)
        for child in children(node):
            yield from visit(child)
        yield node

    return visit(plan)


def reads(plan: Plan) -> tuple[str, ...]:
    """The relations that a plan reads, each once, in the order in which they first appear."""
    return tuple(dict.fromkeys(node.relation for node in nodes(plan) if isinstance(node, Scan)))


def at(plan: Plan, version: Version, changed: frozenset[str]) -> Plan:
    """The plan read at `version`.  Relations that did not change stay NEW, where OLD is the same rows."""

    def step(node: Plan) -> Plan:
        if isinstance(node, Scan) and node.version is not version and node.relation in changed:
            return replace(node, version=version)
        return node

    return rewrite_up(plan, step)


def pick(plan: Plan, columns: Sequence[str]) -> Plan:
    """The plan with these of its columns, in this order; the plan itself when it has exactly them."""
    if plan.columns == tuple(columns):
        return plan
    return Project(plan, tuple((name, Column(name)) for name in columns))


def scan_rows(relation: str, columns: Sequence[str], version: Version = Version.NEW) -> Project:
    """A stored relation with its columns under their plain names."""
    scan = Scan(relation, relation, tuple(columns), version)
    items: list[tuple[str, Expr]] = [(name, Column(f"{relation}.{name}")) for name in columns]
    return Project(scan, tuple(items))
