"""The delta rule of each node: what changes in its output, given which relations changed.

The equations stand in derive.py.  The rules remember the delta and the versions of every node they meet, so
a sub-plan that is used in several places gives one value.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import assert_never

from headwater.algebra.expressions.build import TRUE, non_null
from headwater.algebra.expressions.tree import Expr, Literal, call, disjunction
from headwater.algebra.moments.crossing import before, crossing, is_moving
from headwater.algebra.moments.plans import (
    TIME,
    as_before,
    conditions_apart,
    isolated,
    moves,
    node_moves,
)
from headwater.algebra.plans.join_order import delta_first
from headwater.algebra.plans.nodes import (
    Aggregate,
    Explode,
    Filter,
    Join,
    JoinKind,
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
from headwater.algebra.plans.walks import at, pick, rewrite_up
from headwater.errors import InternalError

__all__ = ["Rules", "numbered", "touched_keys"]

Keys = tuple[tuple[str, Expr], ...]


@dataclass(slots=True)
class Rules:
    """The rules for one set of changed relations; remembers the delta of every node it has met."""

    changed: frozenset[str]
    deltas: dict[Plan, Plan | None] = field(default_factory=dict)
    versions: dict[tuple[Plan, Version], Plan] = field(default_factory=dict)

    def derive(self, node: Plan) -> Plan | None:
        if node not in self.deltas:
            self.deltas[node] = self._derive(node)
        return self.deltas[node]

    def at(self, node: Plan, version: Version) -> Plan:
        if (node, version) not in self.versions:
            plan = at(node, version, self.changed)
            past = version is Version.OLD and TIME in self.changed and moves(plan)
            self.versions[node, version] = rewrite_up(plan, as_before) if past else plan
        return self.versions[node, version]

    def _derive(self, node: Plan) -> Plan | None:
        if TIME in self.changed and node_moves(node):
            return self._as_time_passes(node)
        match node:
            case Scan():
                return replace(node, version=Version.DELTA) if node.relation in self.changed else None
            case Filter(_, Literal(False)):
                return None
            case Filter() | Project() | Windows() | Explode() | Negate():
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
            case Over():
                return self._over(node)
            case Restrict():
                raise InternalError("HW902", "a Restrict stands in delta plans only and has no delta")
            case _:
                assert_never(node)

    def _as_time_passes(self, node: Plan) -> Plan | None:
        """The change by time alone: rows that now() lets in, lets go or makes others."""
        match node:
            case Filter():
                apart = conditions_apart(node)
                return self._passing(node) if apart == node else self.derive(apart)
            case Project():
                return self._differing(node)
            case _:
                return self.derive(isolated(node))

    def _passing(self, node: Filter) -> Plan | None:
        """A Filter with one condition, on the time."""
        change, old = self.derive(node.child), self.at(node.child, Version.OLD)
        entering, leaving = crossing(node.condition)
        return _sum(
            [
                None if change is None else replace(node, child=change),
                None if entering is None else Filter(old, entering),
                None if leaving is None else Negate(Filter(old, leaving)),
            ]
        )

    def _differing(self, node: Project) -> Plan | None:
        change, old = self.derive(node.child), self.at(node.child, Version.OLD)
        differs = disjunction(
            tuple(
                call("not", call("nulleq", expr, before(expr))) for _, expr in node.items if is_moving(expr)
            )
        )
        assert differs is not None
        others = Filter(old, differs)
        return _sum(
            [
                None if change is None else replace(node, child=change),
                replace(node, child=others),
                Negate(as_before(replace(node, child=others))),
            ]
        )

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
                None if left is None else touched_keys(left, numbered(left_keys)),
                None if right is None else touched_keys(right, numbered(right_keys)),
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
        touched = touched_keys(change, node.keys)
        new, old = (self.restricted(node, version, touched) for version in (Version.NEW, Version.OLD))
        return Union((new, Negate(old)))

    def restricted(self, node: Aggregate, version: Version, touched: Plan) -> Plan:
        """The aggregate at a version, of the groups that are touched only."""
        child = self.at(node.child, version)
        if not node.keys:  # one row always: so ask after aggregating whether there is a change
            return Restrict(replace(node, child=child), (), touched)
        return replace(node, child=Restrict(child, tuple(expr for _, expr in node.keys), touched))

    def _over(self, node: Over) -> Plan | None:
        change = self.derive(node.child)
        if change is None:
            return None
        touched = touched_keys(change, numbered(node.partition))
        new, old = (self.restricted_over(node, version, touched) for version in (Version.NEW, Version.OLD))
        return Union((new, Negate(old)))

    def restricted_over(self, node: Over, version: Version, touched: Plan) -> Plan:
        """The window functions at a version, of the partitions that are touched only."""
        child = self.at(node.child, version)
        keys = node.partition
        return replace(node, child=Restrict(child, keys, touched))


def touched_keys(change: Plan, keys: Keys) -> Plan:
    """The keys that occur in a change.  Not a Project: there +1 and -1 for one key would cancel out.

    Without keys the question is only whether there is a change: one row if so.
    """
    return Aggregate(change, keys or (("any", TRUE),), ())


def numbered(exprs: tuple[Expr, ...]) -> Keys:
    return tuple((f"key{index}", expr) for index, expr in enumerate(exprs))


def _key_rows(change: Plan, exprs: tuple[Expr, ...]) -> Plan:
    """The join keys in a change.  One with a NULL has no partner on the other side, so it is left out."""
    condition = non_null(exprs)
    rows = change if condition is None else Filter(change, condition)
    return touched_keys(rows, numbered(exprs))


def _sum(terms: list[Plan | None]) -> Plan | None:
    present = tuple(term for term in terms if term is not None)
    if len(present) > 1:
        return Union(present)
    return present[0] if present else None
