"""The change of a stored stage of window functions.

    all rows             over(K|x') - K|S                              K: the partitions of dx
    the n first rows     over(K|S + dx) - K|S                          if dx only adds rows
    the n first of all   over(S + added, if none is lost;              added: what dx adds
                              else x') - S                             lost: rows of S that dx takes away

The first n rows are known from the stored ones and the new ones, as long as none of the stored ones leaves: a
row that was not among them can only enter when one of them goes.  So a change of other rows does not read x.
Where a partition has lost a row its rows are ranked anew.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.delta.insertions import holds_only_insertions
from headwater.algebra.delta.rules import Rules, numbered, touched_keys
from headwater.algebra.expressions.build import ZERO, cast, number
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, call, conjunction
from headwater.algebra.plans.framing import RANKS
from headwater.algebra.plans.nodes import (
    Aggregate,
    Explode,
    Filter,
    Negate,
    Over,
    Plan,
    Project,
    Restrict,
    SemiJoin,
    Union,
    Version,
)
from headwater.algebra.plans.walks import pick, scan_rows
from headwater.algebra.stages.stage import Stage

__all__ = ["ranked_stage"]

Items = tuple[tuple[str, Expr], ...]
_COUNT, _COPY, _STORED = "_changes", "_copy", "_stored."


def ranked_stage(
    stage: Stage, over: Over, items: Items, rules: Rules, inserts_only: frozenset[str]
) -> Plan | None:
    change = rules.derive(over.child)
    if change is None:
        return None
    touched = touched_keys(change, numbered(over.partition))
    stored = Restrict(_stored_rows(stage, over), over.partition, touched)
    if _first_rows(over) and holds_only_insertions(change, inserts_only):
        ranked: Plan = replace(over, child=Union((pick(stored, over.child.columns), change)))
    elif _first_rows(over) and not over.partition:
        ranked = _first_of_all(over, change, stored, rules)
    else:
        ranked = rules.restricted_over(over, Version.NEW, touched)
    return Union((Negate(Project(stored, items)), Project(ranked, items)))


def _stored_rows(stage: Stage, over: Over) -> Plan:
    """The stage's own rows as of the last push, under the names of the node."""
    read = scan_rows(stage.name, stage.columns, Version.OLD)
    pairs = zip(stage.columns, over.columns, strict=True)
    return Project(read, tuple((old, Column(new)) for new, old in pairs))


def _first_rows(over: Over) -> bool:
    """Are only the n first rows kept, and nothing computed that others beside them could change?"""
    return over.most is not None and all(call.function in RANKS for call in over.calls)


def _first_of_all(over: Over, change: Plan, stored: Plan, rules: Rules) -> Plan:
    columns = over.child.columns
    before = pick(stored, columns)
    keys = tuple((name, Column(name)) for name in columns)
    net = Aggregate(change, keys, (AggregateCall(_COUNT, "count", (), "count(1)"),))
    gone = pick(Filter(net, call("lt", Column(_COUNT), ZERO)), columns)
    lost = touched_keys(_both(gone, before), ())
    candidates = SemiJoin(Union((before, _added(net, columns))), lost, (), None, anti=True)
    anew = SemiJoin(rules.at(over.child, Version.NEW), lost, ())
    return replace(over, child=Union((candidates, anew)))


def _both(rows: Plan, others: Plan) -> Plan:
    """The rows that are among others too; NULL is equal to NULL."""
    names = {name: f"{_STORED}{name}" for name in rows.columns}
    renamed = Project(others, tuple((new, Column(old)) for old, new in names.items()))
    same = conjunction(tuple(call("nulleq", Column(old), Column(new)) for old, new in names.items()))
    return SemiJoin(rows, renamed, (), same)


def _added(net: Plan, columns: tuple[str, ...]) -> Plan:
    """The rows that come, each as often as it does."""
    come = Filter(net, call("gt", Column(_COUNT), ZERO))
    copies = call("array_repeat", number(1), cast(Column(_COUNT), "int"))
    return pick(Explode(come, (_COPY,), call("explode", copies)), columns)
