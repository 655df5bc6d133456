"""GROUP BY and aggregates.

The select list and HAVING are read over the input rows with each aggregate replaced by a column; then every
part that is a grouping key becomes the key's column.  A column that is left is neither grouped nor
aggregated: an error.

    SELECT upper(city), sum(x) + 1 FROM t GROUP BY upper(city) HAVING count(*) > 2

    Project [upper_city, sum_x + 1]
      Filter [count > 2]
        Aggregate [upper_city = upper(t.city)] [sum_x = sum(t.x), count = count(1)]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from sqlglot import exp

from headwater.algebra.expressions.tree import Call, Column, Expr, columns_of, equal, rename
from headwater.algebra.plans.nodes import Aggregate
from headwater.sql.translate.env import Env
from headwater.sql.translate.gathered import Gathered
from headwater.sql.translate.groups.collector import Collector
from headwater.sql.translate.groups.group_keys import Keys, group_keys, has_aggregate
from headwater.sql.translate.groups.grouping_sets import coalesce_zero, grouping_sets
from headwater.sql.translate.groups.items import Item, read_items
from headwater.sql.translate.groups.key_subqueries import add_key_subqueries
from headwater.sql.translate.groups.windows import own_nodes
from headwater.sql.translate.names import aggregate_name, stored_name
from headwater.sql.translate.passes.pushing import push_filter
from headwater.sql.translate.relations.conditions import filtered
from headwater.sql.translate.relations.conjuncts import split_and
from headwater.sql.translate.relations.correlation import bind_outer, pulled
from headwater.sql.translate.relations.scope import Field, Rows
from headwater.sql.translate.relations.semi_joins import is_predicate
from headwater.sql.translate.scalars.expressions import Expressions
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["grouped"]

_CORRELATED = "a grouped subquery that names the query around it in this way has no delta rule"
_COUNTS = {"count", "approx_count_distinct", "regr_count"}  # 0 where there are no rows; others are NULL
_EMPTY_LISTS = {"collect_list", "collect_set"}


@dataclass(frozen=True, slots=True)
class _Groups:
    """The grouping keys, and the names of keys and aggregates in the result."""

    env: Env
    keys: tuple[Typed, ...]
    key_names: tuple[str, ...]
    aggregate_names: Mapping[str, str]
    columns: frozenset[str]  # of the input
    gathered: frozenset[str]  # columns of subqueries and window functions
    outer_names: tuple[str, ...]  # of what a subquery is compared with
    grouping_names: Mapping[tuple[Expr, ...] | None, str]

    def over(self, value: Typed, node: exp.Expr, reader: Expressions) -> Typed:
        """A value over the input as one over the groups."""
        return replace(value, expr=self._over(value.expr, node, reader))

    def _over(self, expr: Expr, node: exp.Expr, reader: Expressions) -> Expr:
        for key, name in zip(self.keys, self.key_names, strict=True):
            if key.expr == expr:
                return Column(name)
        match expr:
            case Column(name) if name in self.aggregate_names:
                return Column(self.aggregate_names[name])
            case Column(name) if name in self.gathered:
                return expr
            case Column(name) if name in self.columns:
                return self._stray(name, node, reader)
            case Column():
                self.env.notes.obstacle(node, _CORRELATED)
                return expr
            case Call(function, arguments, template):
                return Call(
                    function, tuple(self._over(argument, node, reader) for argument in arguments), template
                )
            case _:
                return expr

    def _stray(self, name: str, node: exp.Expr, reader: Expressions) -> NoReturn:
        culprit = _culprit(node, name, reader)
        shown = culprit.name if isinstance(culprit, exp.Column) else name.rsplit(".", 1)[-1]
        self.env.notes.fail(
            "HW305",
            culprit,
            f'"{shown}" is neither in GROUP BY nor inside an aggregate',
            detail="A group has many rows: which one's value is meant?",
            hint=f"add {shown} to GROUP BY, or write an aggregate such as max({shown})",
        )


def _culprit(node: exp.Expr, name: str, reader: Expressions) -> exp.Expr:
    """The column reference in the text that stands for a column of the input."""
    plain = reader.inside("SELECT")
    for column in own_nodes(node):
        if not isinstance(column, exp.Column) or isinstance(column.this, exp.Star):
            continue
        if name in columns_of(plain.translate(column).expr):
            return column
    return node


def grouped(
    rows: Rows,
    node: exp.Expr,
    env: Env,
    ready: Mapping[exp.Expr, Typed],
    gathered: Gathered,
    late: Sequence[exp.Expr],
) -> tuple[Rows, list[Typed]]:
    """The rows of a SELECT with GROUP BY or with aggregates, and what `late` expressions are over them."""
    outer = env.parent.plan if env.parent is not None else None
    rows = bind_outer(rows, outer, env.notes.alias)
    items = read_items(rows, node, env)
    rows, subqueries = add_key_subqueries(rows, node, items, env)
    ready = {**ready, **subqueries}
    keys = group_keys(rows, node, items, env, ready)
    collector = Collector()
    below = Gathered(for_subqueries=True)
    reader = replace(env.expressions(rows, "SELECT", collector, gathered), ready=ready, below=below)
    values = _values(items, reader)
    having = _having_reader(items, values, reader)
    conditions = [(conjunct, having.condition(conjunct)) for conjunct in _plain_conditions(node)]
    after = [having.translate(part) for part in late]
    rows = replace(rows, plan=below.join(rows.plan))
    groups = _groups(rows, keys.keys, items, values, collector, env, gathered)

    def over(expr: Expr) -> Expr:
        return groups.over(Typed(expr), node, reader).expr

    result = _aggregated(rows, keys, groups, collector, node, env)
    result = replace(result, plan=gathered.join(result.plan, over))
    for conjunct, condition in conditions:
        over_groups = groups.over(condition, conjunct, having).expr
        result = replace(result, plan=push_filter(result.plan, over_groups), single=False)
    result = _having_subqueries(
        replace(result, fields=_fields(items, values, groups, reader)), _key_fields(rows, groups), node, env
    )
    partition = tuple(Column(name) for name in groups.outer_names)
    plan, names = gathered.rank(result.plan, env, over, partition)
    fields = tuple(replace(field, value=_renamed(field.value, names)) for field in result.fields)
    ranked = replace(result, plan=plan, fields=fields)
    return ranked, [
        _renamed(groups.over(value, part, having), names) for part, value in zip(late, after, strict=True)
    ]


def _renamed(value: Typed, names: Mapping[str, Expr]) -> Typed:
    return replace(value, expr=rename(value.expr, names))


def _fields(
    items: Sequence[Item], values: Sequence[Typed], groups: _Groups, reader: Expressions
) -> tuple[Field, ...]:
    return tuple(
        Field("", item.name, groups.over(value, item.node, reader), implicit=item.implicit, origin=item.node)
        for item, value in zip(items, values, strict=True)
    )


def _aggregated(
    rows: Rows, keys: Keys, groups: _Groups, collector: Collector, node: exp.Expr, env: Env
) -> Rows:
    """The groups, also by what a subquery is compared with; several sets of keys one after the other."""
    pairs = pulled(rows)
    if pairs is None:
        env.notes.obstacle(node, _CORRELATED)
    items = tuple((name, key.expr) for name, key in zip(groups.key_names, keys.keys, strict=True))
    named = list(zip(groups.outer_names, pairs or (), strict=pairs is not None))
    around = tuple((name, own) for name, (own, _) in named)
    outside = tuple(equal(Column(name), far) for name, (_, far) in named)
    calls = collector.named(dict(groups.aggregate_names))
    _check_grouping(keys, collector, node, env)
    if len(keys.sets) > 1 or collector.grouping:
        plan = grouping_sets(rows.plan, keys, items, around, calls, groups.grouping_names)
        return Rows(plan, (), correlated=outside)
    single = not keys.keys
    if (
        single
        and outside
        and (node.args.get("having") or any(call.function in _EMPTY_LISTS for call in calls))
    ):
        env.notes.obstacle(node, _CORRELATED)
    empty = tuple((call.name, coalesce_zero(Column(call.name))) for call in calls if call.function in _COUNTS)
    return Rows(Aggregate(rows.plan, (*items, *around), calls), (), False, outside, single, empty)


def _check_grouping(keys: Keys, collector: Collector, node: exp.Expr, env: Env) -> None:
    """grouping() and grouping_id() ask about keys of ROLLUP, CUBE or GROUPING SETS; grouping_id about all."""
    known = {key.expr for key in keys.keys}
    for asked in collector.grouping:
        call = next((part for part in own_nodes(node) if part.name.lower().startswith("grouping")), node)
        if not keys.by_sets:
            hint = "write GROUP BY ROLLUP (a, b), CUBE or GROUPING SETS"
            env.notes.fail("HW306", call, "grouping() asks about ROLLUP, CUBE or GROUPING SETS", hint=hint)
        if asked is not None and not known.issuperset(asked):
            env.notes.fail("HW306", call, "grouping() takes keys of GROUP BY, written as they are there")
        if asked is not None and len(asked) > 1 and asked != tuple(key.expr for key in keys.keys):
            hint = "write grouping_id()"
            env.notes.fail("HW306", call, "grouping_id takes all keys of GROUP BY in their order", hint=hint)


def _values(items: Sequence[Item], reader: Expressions) -> list[Typed]:
    """The select list over the input; an item may use the names of those before it."""
    aliases: dict[str, Typed] = {}
    values: list[Typed] = []
    for item in items:
        value = item.value or replace(reader, aliases=aliases).translate(item.node)
        values.append(value)
        if not item.implicit:
            aliases.setdefault(item.name.lower(), value)
    return values


def _having_reader(items: Sequence[Item], values: Sequence[Typed], reader: Expressions) -> Expressions:
    aliases = {item.name.lower(): value for item, value in zip(items, values, strict=True)}
    return replace(reader, clause="HAVING", aliases=aliases, aliases_first=True)


def _plain_conditions(node: exp.Expr) -> list[exp.Expr]:
    having = node.args.get("having")
    conjuncts = split_and(having.this if having else None)
    return [part for part in conjuncts if not is_predicate(part) or has_aggregate(part)]


def _key_fields(rows: Rows, groups: _Groups) -> tuple[Field, ...]:
    """The keys that are plain columns, under the names they have in the input."""
    names = {key.expr: name for key, name in zip(groups.keys, groups.key_names, strict=True)}
    return tuple(
        replace(field, value=replace(field.value, expr=Column(names[field.value.expr])))
        for field in rows.fields
        if field.value.expr in names
    )


def _having_subqueries(result: Rows, keys: tuple[Field, ...], node: exp.Expr, env: Env) -> Rows:
    """HAVING city IN (SELECT ...): a semi-join over the groups, whose columns are the items and the keys."""
    having = node.args.get("having")
    for conjunct in split_and(having.this if having else None):
        if not is_predicate(conjunct):
            continue
        if has_aggregate(conjunct):
            continue
        shown = {field.name.lower() for field in result.fields}
        named = [replace(key, hidden=key.hidden or key.name.lower() in shown) for key in keys]
        wide = replace(result, fields=(*result.fields, *named))
        left = filtered(wide, [conjunct], env, "HAVING")
        result = replace(result, plan=left.plan, correlated=left.correlated, single=False)
    return result


def _groups(
    rows: Rows,
    keys: tuple[Typed, ...],
    items: Sequence[Item],
    values: Sequence[Typed],
    collector: Collector,
    env: Env,
    gathered: Gathered,
) -> _Groups:
    """Name each key and aggregate after the select item that is exactly it, if there is one."""
    shown = {
        value.expr: stored_name(item.name) for item, value in reversed(list(zip(items, values, strict=True)))
    }
    wanted = [shown.get(key.expr) or _key_name(key.expr, index) for index, key in enumerate(keys)]
    wanted += [
        shown.get(Column(mark)) or aggregate_name(aggregate) for aggregate, mark in collector.calls.items()
    ]
    asked = list(collector.grouping.values())
    wanted += ["grouping" for _ in asked] + ["around" for _ in rows.correlated]
    names = env.column_names(wanted)
    count, end = len(keys), len(keys) + len(collector.calls)
    marks = dict(zip(collector.names(), names[count:end], strict=True))
    grouping = dict(zip(asked, names[end:], strict=False))
    return _Groups(
        env, keys, tuple(names[:count]), marks | grouping, frozenset(rows.plan.columns), gathered.columns,
        tuple(names[end + len(asked) :]),
        {asked_keys: grouping[mark] for asked_keys, mark in collector.grouping.items()},
    )  # fmt: skip


def _key_name(expr: Expr, index: int) -> str:
    match expr:
        case Column(name):
            return stored_name(name.rsplit(".", 1)[-1])
        case _:
            return f"key_{index + 1}"
