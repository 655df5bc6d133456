"""ROLLUP, CUBE and GROUPING SETS as a union of groupings, in which the other keys are NULL.

    GROUP BY ROLLUP (a, b)      groups by a and b, groups by a with b NULL, all rows with a and b NULL

Every grouping also has a constant key, so that none of them has a row where there are no rows, as in Spark.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.algebra.expressions.build import NULL, ZERO, cast, number
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, call
from headwater.algebra.plans.nodes import Aggregate, Plan, Project, Union
from headwater.sql.translate.groups.group_keys import Keys

__all__ = ["coalesce_zero", "grouping_sets"]

Items = tuple[tuple[str, Expr], ...]


def coalesce_zero(expr: Expr) -> Expr:
    return call("coalesce", expr, ZERO)


def grouping_sets(
    rows: Plan,
    keys: Keys,
    items: Items,
    around: Items,
    calls: tuple[AggregateCall, ...],
    asked: Mapping[tuple[Expr, ...] | None, str],
) -> Plan:
    """One grouping for each set; `asked` are columns that say what a row is not grouped by."""
    groupings = tuple(
        _grouping(rows, keys, number_of, items, around, calls, asked) for number_of in keys.sets
    )
    return groupings[0] if len(groupings) == 1 else Union(groupings)


def _grouping(
    rows: Plan,
    keys: Keys,
    chosen: frozenset[int],
    items: Items,
    around: Items,
    calls: tuple[AggregateCall, ...],
    asked: Mapping[tuple[Expr, ...] | None, str],
) -> Plan:
    own = tuple(item for place, item in enumerate(items) if place in chosen)
    constant = (("grouping_set", number(0)),) if not own and len(keys.sets) > 1 else ()
    groups = Aggregate(rows, (*own, *around, *constant), calls)
    shown: list[tuple[str, Expr]] = [
        (name, Column(name) if place in chosen else _null(keys.keys[place].type))
        for place, (name, _) in enumerate(items)
    ]
    shown += [(name, Column(name)) for name, _ in around]
    shown += [(aggregate.name, Column(aggregate.name)) for aggregate in calls]
    shown += [(name, _not_grouped(keys, chosen, wanted)) for wanted, name in asked.items()]
    return Project(groups, tuple(shown))


def _null(spark_type: str) -> Expr:
    return cast(NULL, spark_type) if spark_type and spark_type != "void" else NULL


def _not_grouped(keys: Keys, chosen: frozenset[int], wanted: tuple[Expr, ...] | None) -> Expr:
    """A bit for each key, the first one highest: 1 if the rows are not grouped by it."""
    places = {key.expr: place for place, key in enumerate(keys.keys)}
    asked = list(range(len(keys.keys))) if wanted is None else [places.get(expr, 0) for expr in wanted]
    bits = 0
    for place in asked:
        bits = bits * 2 + (place not in chosen)
    return cast(number(bits), "tinyint" if wanted is not None and len(wanted) == 1 else "bigint")
