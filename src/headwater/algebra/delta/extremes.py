"""The delta of a stage of counts, exact sums, min and max, of which rows may also go.

A sum loses what goes by subtracting it.  A maximum needs its group's rows again only if the largest of them
went and nothing as large came.  So the states of the change are merged with the stored ones, and only the
groups that lost their extreme are aggregated anew:

    M     for each group that dx touches: its stored states, its new states, and whether it `lost` an extreme
    dS    -stored(M)  +  new(M without those that lost)  +  agg(K|x')          K: keys of M that lost

Groups that did not lose, and whose states are what they were, are left out of both; so nothing cancels in dS
but, maybe, what is aggregated anew: that alone must be consolidated (`certainly_net`).

    gained_max(x), lost_max(x)    the largest x among the rows of a change that come, and that go
    left(x)                       the only x of a stored group: whatever else its timeline has is taken back

A row that comes is there afterwards (its weight in dx is positive, and no weight in x' is negative).  So if
gained >= lost the new maximum is max(stored, gained); and so it is if lost < stored, because then no copy of
`stored` went.  Otherwise nobody knows what is largest now.

A fragment that changes gives back its old states and gets new ones, and few of them were the extreme of a
window.  Without this rule each push would merge every window that it touches from all its fragments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeGuard

from headwater.algebra.delta.rules import Rules, touched_keys
from headwater.algebra.expressions.build import (
    FALSE,
    NULL,
    TRUE,
    ZERO,
    choose,
    column_items,
    number,
    positive,
)
from headwater.algebra.expressions.partial_states import Family, family_of, merge_function
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, call, conjunction, disjunction
from headwater.algebra.plans.nodes import Aggregate, Filter, Negate, Plan, Project, Restrict, Union, Version
from headwater.algebra.plans.walks import nodes, scan_rows
from headwater.algebra.stages.stage import Stage
from headwater.algebra.stages.states import ROW_COUNT, merging

__all__ = [
    "certainly_net", "keys_of_losses", "losses", "merged_above", "merged_with_losses",
    "merged_without_losses", "optional_restricts",
]  # fmt: skip

# No column of a stage has a $ in its name.
_THERE, _TOUCHED, _CAME, _LOST = "$there", "$touched", "$came", "$lost"
_GOES, _COMES, _WENT = "$goes", "$comes", "$went"  # states of groups that kept their extremes, or lost one


def merged_with_losses(stage: Stage, aggregate: Aggregate, change: Plan, rules: Rules) -> Plan:
    """The delta of a stage with keys whose states can all be merged."""
    merge = _Merge(stage, aggregate)
    merged = merge.merged(change)
    went, lost = (Filter(merged, Column(name)) for name in (_WENT, _LOST))
    anew = rules.restricted(aggregate, Version.NEW, touched_keys(lost, column_items(merge.keys)))
    return Union((*merge.kept(merged), Negate(merge.states(went, "old")), anew))


def merged_without_losses(stage: Stage, aggregate: Aggregate, change: Plan) -> Plan:
    """The same where no group can lose an extreme: there are none, or nothing goes."""
    merge = _Merge(stage, aggregate)
    return Union(merge.kept(merge.merged(change)))


@dataclass(frozen=True, slots=True)
class _Merge:
    stage: Stage
    aggregate: Aggregate

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.aggregate.keys)

    def merged(self, change: Plan) -> Project:
        """M, with the columns old$s and new$s for every state s."""
        rows = Union((self._stored(change), self._coming(change)))
        both = Aggregate(rows, column_items(self.keys), tuple(self._sums()))
        items = [*column_items((*self.keys, _THERE, _TOUCHED)), (_LOST, self._lost())]
        for state in self.aggregate.aggregates:
            items += [(f"old${state.name}", Column(f"old${state.name}")), (f"new${state.name}", _new(state))]
        return self._sorted_out(Project(both, tuple(items)))

    def _sorted_out(self, merged: Project) -> Project:
        """M with which states go and which come; of groups that are what they were, none."""
        touched, there = positive(Column(_TOUCHED)), positive(Column(_THERE))
        kept = call("not", Column(_LOST))
        names = [state.name for state in self.aggregate.aggregates]
        same = [call("nulleq", Column(f"old${name}"), Column(f"new${name}")) for name in names]
        stays = call("coalesce", _both(there, self.alive, *same), FALSE)
        flags = {
            _GOES: _both(touched, there, kept, call("not", stays)),
            _COMES: _both(touched, kept, self.alive, call("not", stays)),
            _WENT: _both(touched, there, Column(_LOST)),
            _LOST: Column(_LOST),
        }
        states = (f"{which}${name}" for name in names for which in ("old", "new"))
        return Project(merged, (*column_items(self.keys), *flags.items(), *column_items(tuple(states))))

    def kept(self, merged: Project) -> tuple[Plan, Plan]:
        """What changes of groups that kept their extremes: their old states go, their new ones come."""
        goes, comes = (Filter(merged, Column(name)) for name in (_GOES, _COMES))
        return Negate(self.states(goes, "old")), self.states(comes, "new")

    def states(self, merged: Plan, which: str) -> Project:
        """The stage's columns, as they were or as they are now."""
        states = tuple((state.name, Column(f"{which}${state.name}")) for state in self.aggregate.aggregates)
        return Project(merged, (*column_items(self.keys), *states))

    @property
    def alive(self) -> Expr:
        """Whether the group has rows now; without a count, one that did not lose has a row that came."""
        return positive(Column(f"new${ROW_COUNT.name}")) if self._counts else TRUE

    @property
    def _counts(self) -> bool:
        return any(
            state.name == ROW_COUNT.name and not _is_extreme(state) for state in self.aggregate.aggregates
        )

    def _stored(self, change: Plan) -> Project:
        """The stage's rows of touched groups, as of the last push, beside nothing that comes."""
        stored = Restrict(
            scan_rows(self.stage.name, self.stage.columns, Version.OLD),
            tuple(map(Column, self.keys)),
            touched_keys(change, self.aggregate.keys),
        )
        items = [*column_items(self.keys), (_THERE, number(1)), (_TOUCHED, NULL)]
        items += [] if self._counts else [(_CAME, NULL)]
        for state in self.aggregate.aggregates:
            beside = NULL if _is_extreme(state) else Column(state.name)
            items += [
                (f"old${state.name}", Column(state.name)),
                *((name, beside) for name in _changes(state)),
            ]
        return Project(stored, tuple(items))

    def _coming(self, change: Plan) -> Project:
        """What the change has for each group, beside nothing that is stored."""
        came = [] if self._counts else [_signed(_CAME, "gained_max", number(1), "int")]
        calls = [*came, *(part for state in self.aggregate.aggregates for part in _of_change(state))]
        partial = Aggregate(change, self.aggregate.keys, tuple(calls))
        items = [*column_items(self.keys), (_THERE, NULL), (_TOUCHED, number(1))]
        items += column_items(tuple(call.name for call in came))
        for state in self.aggregate.aggregates:
            items += [(f"old${state.name}", NULL), *column_items(_changes(state))]
        return Project(partial, tuple(items))

    def _sums(self) -> Iterator[AggregateCall]:
        yield AggregateCall(_THERE, "sum", (Column(_THERE),), "sum({0})", type="bigint")
        yield _signed(_TOUCHED, "gained_max", Column(_TOUCHED), "int")
        if not self._counts:
            yield _signed(_CAME, "gained_max", Column(_CAME), "int")
        for state in self.aggregate.aggregates:
            old, kind = f"old${state.name}", merging(state).type
            if _is_extreme(state):
                yield _signed(old, "left", Column(old), state.type)
                gained, lost = _changes(state)
                function = merge_function(state)
                yield _signed(gained, f"gained_{function}", Column(gained), state.type)
                yield _signed(lost, f"gained_{function}", Column(lost), state.type)
            else:
                for name in (old, *_changes(state)):
                    yield AggregateCall(name, "sum", (Column(name),), "sum({0})", type=kind)

    def _lost(self) -> Expr:
        """Whether an extreme of a group went and nothing as far out came, or nobody knows if it has rows."""
        lost = disjunction(tuple(_loses(state) for state in self.aggregate.aggregates if _is_extreme(state)))
        if self._counts:
            known = positive(call("coalesce", Column(f"new${ROW_COUNT.name}"), ZERO))
            return _both(known, lost or FALSE)
        touched = call("not", call("is_null", Column(_TOUCHED)))
        unknown = disjunction((lost or FALSE, call("is_null", Column(_CAME))))
        return _both(touched, unknown or FALSE)


def _signed(name: str, function: str, of: Expr, kind: str) -> AggregateCall:
    """An aggregate that looks at the signs of weights: Spark has none of that name, the writer knows it."""
    return AggregateCall(name, function, (of,), f"{function}({{0}})", type=kind)


def _changes(state: AggregateCall) -> tuple[str, ...]:
    """The columns that hold what a change does to a state; what adds up is added to what is stored."""
    if _is_extreme(state):
        return f"gained${state.name}", f"lost${state.name}"
    return (f"new${state.name}",)


def _is_extreme(state: AggregateCall) -> bool:
    return family_of(state) is Family.EXTREME


def _of_change(state: AggregateCall) -> Iterator[AggregateCall]:
    if not _is_extreme(state):
        yield replace(state, name=_changes(state)[0])
        return
    for name, way in zip(_changes(state), ("gained", "lost"), strict=True):
        function = f"{way}_{merge_function(state)}"
        yield replace(state, name=name, function=function, template=f"{function}({{0}})")


def _new(state: AggregateCall) -> Expr:
    if not _is_extreme(state):
        return Column(_changes(state)[0])
    old, gained = Column(f"old${state.name}"), Column(_changes(state)[0])
    further = disjunction((call("is_null", old), _beyond(state, gained, old)))
    return choose(further or FALSE, call("coalesce", gained, old), old)


def _loses(state: AggregateCall) -> Expr:
    """In three-valued logic NULL is not true: a state without losses has not lost."""
    old, (gained, lost) = Column(f"old${state.name}"), map(Column, _changes(state))
    went = call("not", _beyond(state, old, lost))
    replaced = call("not", _beyond(state, lost, gained))
    return call("coalesce", _both(went, call("not", call("coalesce", replaced, FALSE))), FALSE)


def _beyond(state: AggregateCall, far: Expr, near: Expr) -> Expr:
    """Whether one value is further out than another."""
    return call("gt" if merge_function(state) == "max" else "lt", far, near)


def _both(*conditions: Expr) -> Expr:
    return conjunction(conditions) or TRUE


def losses(plan: Plan) -> frozenset[Plan]:
    """The parts of a delta plan to compute before the rest: each M, and the keys of its groups that lost.

    M is used three times; and mostly nothing was lost, so that nothing has to be read to aggregate it anew.
    """
    keys = keys_of_losses(plan)
    return frozenset([*keys, *(node.child.child for node in keys if isinstance(node.child, Filter))])


def keys_of_losses(plan: Plan) -> tuple[Aggregate, ...]:
    """The keys of the groups that lost their extreme, of each M."""
    return tuple(node for node in nodes(plan) if isinstance(node, Aggregate) and _of_losses(node.child))


def _of_losses(plan: Plan) -> bool:
    return isinstance(plan, Filter) and plan.condition == Column(_LOST)


def certainly_net(term: Plan) -> bool:
    """Whether no row of another term can cancel one of this: it is of groups that did not lose."""
    while isinstance(term, Negate | Project):
        term = term.child
    return _is_kept(term)


def _is_kept(plan: Plan) -> TypeGuard[Filter]:
    return isinstance(plan, Filter) and plan.condition in (Column(_GOES), Column(_COMES))


def optional_restricts(plan: Plan) -> frozenset[Plan]:
    """The Restricts of stored rows in an M: groups that are not touched are left out above as well."""
    return frozenset(part for part in _merged_parts(plan) if isinstance(part, Restrict))


def merged_above(plan: Plan) -> frozenset[Plan]:
    """The states of changes in an M: a group may have several rows of them, which are merged there."""
    return frozenset(part for part in _merged_parts(plan) if isinstance(part, Aggregate))


def _merged_parts(plan: Plan) -> Iterator[Plan]:
    for node in nodes(plan):
        both = _without_projects(node.child) if _is_kept(node) else node
        if both is not node and isinstance(both, Aggregate) and isinstance(both.child, Union):
            yield from map(_without_projects, both.child.inputs)


def _without_projects(plan: Plan) -> Plan:
    while isinstance(plan, Project):
        plan = plan.child
    return plan
