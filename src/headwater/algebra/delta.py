"""Delta rules: from a plan that computes a relation to the plan that computes its change.

Write x' for NEW, x for OLD and dx for DELTA, so x' = x + dx, and K|x for x restricted to the keys in K.

    d Filter(x), d Project(x), d Windows(x)    the same over dx
    d Union(x, y)                              dx + dy
    d Join(x, y, z)                            dx y z  +  x' dy z  +  x' y' dz
    d Left(x, y), Semi, Anti  (linear in x)    op(dx, y')  +  op(K|x, K|y') - op(K|x, K|y)    K: keys of dy
    d Full(x, y)                               op(K|x', K|y') - op(K|x, K|y)                  K: keys of both
    d Aggregate(x), not stored                 agg(K|x') - agg(K|x)                           K: keys of dx
    d stage S, merged                          merge(K|S + agg(dx)) - K|S                     K: keys of dx
    d stage S, GROUPS                          agg(K|x') - K|S                                K: keys of dx

A stage is merged when it is LINEAR, or when its states are counts, exact sums, min and max and dx holds
nothing but insertions: then x itself is not read at all.

Invariants: the delta has the columns of the plan.  None means certainly empty.  A sub-plan used twice is
the identical value, so whoever memoises by node computes it once.  Deltas are not consolidated: a row may
come out with +1 and -1.  A stage without keys holds one row from its first computation on (which evaluates
its plan, not its delta); an empty dx gives it an empty delta.

Cost: everything but x in the rules is small, or restricted to keys of something small.  Doubt: a NULL key in
a Full join touches all rows with a NULL key on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import assert_never

from headwater.algebra.build import TRUE, column_items, non_null, positive
from headwater.algebra.expressions import Column, Expr
from headwater.algebra.join_order import delta_first
from headwater.algebra.nodes import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Negate,
    OuterJoin,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Version,
    Windows,
)
from headwater.algebra.stages import Stage, StageKind
from headwater.algebra.states import ROW_COUNT, is_mergeable, merging
from headwater.algebra.walks import at, nodes, pick, scan_rows, share
from headwater.errors import InternalError

__all__ = ["delta", "holds_only_insertions"]

Keys = tuple[tuple[str, Expr], ...]


def delta(
    stage_or_plan: Stage | Plan, changed: frozenset[str], inserts_only: frozenset[str] = frozenset()
) -> Plan | None:
    """The plan of the change, given which relations changed and which of those only got new rows."""
    rules = _Rules(changed, inserts_only)
    if isinstance(stage_or_plan, Stage):
        result = _stage_delta(stage_or_plan, rules)
    else:
        result = rules.derive(stage_or_plan)
    return None if result is None else share(result)


def _stage_delta(stage: Stage, rules: _Rules) -> Plan | None:
    match stage.kind, stage.plan:
        case StageKind.ROWS, plan if plan is not None:
            return rules.derive(plan)
        case ((StageKind.LINEAR | StageKind.GROUPS), Aggregate() as aggregate):
            return _aggregate_stage(stage, aggregate, rules)
        case _:
            raise InternalError("HW901", f'stage "{stage.name}" of kind {stage.kind.value} has no delta rule')


def _aggregate_stage(stage: Stage, aggregate: Aggregate, rules: _Rules) -> Plan | None:
    change = rules.derive(aggregate.child)
    if change is None:
        return None
    if stage.kind is StageKind.LINEAR:
        return _merged(stage, aggregate, change)
    if all(map(is_mergeable, aggregate.aggregates)) and holds_only_insertions(change, rules.inserts_only):
        return _merged(stage, aggregate, change)
    touched = _touched(change, aggregate.keys)
    anew = rules.restricted(aggregate, Version.NEW, touched)
    return Union((Negate(_stored(stage, aggregate, touched)), anew))


def _merged(stage: Stage, aggregate: Aggregate, change: Plan) -> Plan:
    """Add the states of the change to the stored states of the groups it touches."""
    partial = replace(aggregate, child=change)
    names = tuple(name for name, _ in aggregate.keys)
    touched = pick(partial, names) if names else _touched(change, ())
    old = _stored(stage, aggregate, touched)
    states = tuple(merging(state) for state in aggregate.aggregates)
    merged: Plan = Aggregate(Union((old, partial)), column_items(names), states)
    if not names:  # it gives a row even when there is no change
        merged = Restrict(merged, (), touched)
    elif stage.kind is StageKind.LINEAR:
        merged = Filter(merged, positive(Column(ROW_COUNT.name)))
    return Union((Negate(old), merged))


def _stored(stage: Stage, aggregate: Aggregate, touched: Plan) -> Plan:
    """The stage's own rows, as of the last push, of the groups that are touched."""
    keys = tuple(Column(name) for name, _ in aggregate.keys)
    return Restrict(scan_rows(stage.name, stage.columns, Version.OLD), keys, touched)


@dataclass(slots=True)
class _Rules:
    """The rules for one set of changed relations; remembers the delta of every node it has met."""

    changed: frozenset[str]
    inserts_only: frozenset[str]
    known: dict[Plan, Plan | None] = field(default_factory=dict)
    versions: dict[tuple[Plan, Version], Plan] = field(default_factory=dict)

    def derive(self, node: Plan) -> Plan | None:
        if node not in self.known:
            self.known[node] = self._derive(node)
        return self.known[node]

    def at(self, node: Plan, version: Version) -> Plan:
        if (node, version) not in self.versions:
            self.versions[node, version] = at(node, version, self.changed)
        return self.versions[node, version]

    def _derive(self, node: Plan) -> Plan | None:
        match node:
            case Scan():
                return replace(node, version=Version.DELTA) if node.relation in self.changed else None
            case Filter() | Project() | Windows() | Negate():
                change = self.derive(node.child)
                return None if change is None else replace(node, child=change)
            case Union():
                return _sum([self.derive(child) for child in node.inputs])
            case Join():
                return _sum([self._join_term(node, index) for index in range(len(node.inputs))])
            case OuterJoin():
                return self._outer(node)
            case SemiJoin():
                return self._one_sided(node, node.left, node.right, node.keys)
            case Aggregate():
                return self._aggregate(node)
            case Restrict():
                raise InternalError("HW902", "a Restrict stands in delta plans only and has no delta")
            case _:
                assert_never(node)

    def _join_term(self, join: Join, index: int) -> Plan | None:
        """The inputs before the changed one at NEW, those after it at OLD; the change comes first."""
        change = self.derive(join.inputs[index])
        if change is None:
            return None
        before = (self.at(child, Version.NEW) for child in join.inputs[:index])
        after = (self.at(child, Version.OLD) for child in join.inputs[index + 1 :])
        term = replace(join, inputs=(*before, change, *after))
        return pick(delta_first(term, index), join.columns)

    def _outer(self, node: OuterJoin) -> Plan | None:
        swapped = tuple((right, left) for left, right in node.keys)
        match node.kind:
            case JoinKind.LEFT:
                return self._one_sided(node, node.left, node.right, node.keys)
            case JoinKind.RIGHT:
                return self._one_sided(node, node.right, node.left, swapped)
            case JoinKind.FULL:
                return self._full(node)
            case _:
                assert_never(node.kind)

    def _one_sided(
        self, node: OuterJoin | SemiJoin, kept: Plan, other: Plan, keys: tuple[tuple[Expr, Expr], ...]
    ) -> Plan | None:
        """A join that is linear in the side it preserves; `keys` has that side's expressions first."""
        kept_keys, other_keys = tuple(left for left, _ in keys), tuple(right for _, right in keys)
        terms: list[Plan | None] = []

        def over(new_kept: Plan, new_other: Plan) -> Plan:
            if isinstance(node, OuterJoin) and node.kind is JoinKind.RIGHT:
                return replace(node, left=new_other, right=new_kept)
            return replace(node, left=new_kept, right=new_other)

        change = self.derive(kept)
        if change is not None:
            partners = Restrict(self.at(other, Version.NEW), other_keys, _key_rows(change, kept_keys))
            terms.append(over(change, partners))
        change = self.derive(other)
        if change is not None:
            touched = _key_rows(change, other_keys)
            old = Restrict(self.at(kept, Version.OLD), kept_keys, touched)
            after = Restrict(self.at(other, Version.NEW), other_keys, touched)
            before = Restrict(self.at(other, Version.OLD), other_keys, touched)
            terms += [over(old, after), Negate(over(old, before))]
        return _sum(terms)

    def _full(self, node: OuterJoin) -> Plan | None:
        """Join anew, then and now, the rows whose keys either change touches."""
        left, right = self.derive(node.left), self.derive(node.right)
        left_keys, right_keys = zip(*node.keys, strict=True) if node.keys else ((), ())
        touched = _sum(
            [
                None if left is None else _touched(left, _numbered(left_keys)),
                None if right is None else _touched(right, _numbered(right_keys)),
            ]
        )
        if touched is None:
            return None

        def joined(version: Version) -> Plan:
            return replace(
                node,
                left=Restrict(self.at(node.left, version), left_keys, touched),
                right=Restrict(self.at(node.right, version), right_keys, touched),
            )

        return Union((joined(Version.NEW), Negate(joined(Version.OLD))))

    def _aggregate(self, node: Aggregate) -> Plan | None:
        change = self.derive(node.child)
        if change is None:
            return None
        touched = _touched(change, node.keys)
        new, old = (self.restricted(node, version, touched) for version in (Version.NEW, Version.OLD))
        return Union((new, Negate(old)))

    def restricted(self, node: Aggregate, version: Version, touched: Plan) -> Plan:
        """The aggregate at a version, of the groups that are touched only."""
        child = self.at(node.child, version)
        if not node.keys:  # one row always: so ask after aggregating whether there is a change
            return Restrict(replace(node, child=child), (), touched)
        return replace(node, child=Restrict(child, tuple(expr for _, expr in node.keys), touched))


def _touched(change: Plan, keys: Keys) -> Plan:
    """The keys that occur in a change.  Not a Project: there +1 and -1 for one key would cancel out.

    Without keys the question is only whether there is a change: one row if so.
    """
    return Aggregate(change, keys or (("any", TRUE),), ())


def _numbered(exprs: tuple[Expr, ...]) -> Keys:
    return tuple((f"key{index}", expr) for index, expr in enumerate(exprs))


def _key_rows(change: Plan, exprs: tuple[Expr, ...]) -> Plan:
    """The join keys in a change.  One with a NULL has no partner on the other side, so it is left out."""
    condition = non_null(exprs)
    rows = change if condition is None else Filter(change, condition)
    return _touched(rows, _numbered(exprs))


def _sum(terms: list[Plan | None]) -> Plan | None:
    present = tuple(term for term in terms if term is not None)
    if len(present) > 1:
        return Union(present)
    return present[0] if present else None


def holds_only_insertions(change: Plan, inserts_only: frozenset[str]) -> bool:
    """Can no row of this delta plan have a negative weight, given the relations that only got new rows?"""
    return not any(
        isinstance(node, Negate)
        or (isinstance(node, Scan) and node.version is Version.DELTA and node.relation not in inserts_only)
        for node in nodes(change)
    )
